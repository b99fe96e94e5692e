"""What a client with few rights, a slow one, or one that sends what no client should, must not achieve."""

import asyncio
import json
import random
import time

import jwt
import pytest
import websockets

from events import Events
from gateway import Gateway
from server import Server
from test_admin_rows import ADMIN
from test_devices import TABLE, device
from test_websocket import connected

SECRET = "a secret that is long enough for everybody"
RULES = """
[auth]
issuer = ""
[[key]]
algorithm = "HS256"
file = "{folder}/secret"
[[allow]]
to = "admin"
pattern = "team-a.*"
[[allow]]
to = "log"
pattern = "orders"
"""
AUDIT = "millrace:audit"


@pytest.fixture
def ruled(server, tmp_path):
    """A gateway whose callers may administrate the logs of one team, and use one log."""
    (tmp_path / "secret").write_text(SECRET)
    with Gateway(server, config='name = "ruled"\n' + RULES.format(folder=tmp_path)) as gateway:
        yield gateway


def token(**claims):
    return {"Authorization": "Bearer " + jwt.encode({"sub": "ann", **claims}, SECRET, algorithm="HS256")}


# --- forged dead letters ---

def letter(key):
    return json.dumps({"why": "dead", "attempts": 1, "offset": 1, "group": "g", "key": key, "tag": "x"}, separators=(",", ":"))


@pytest.mark.parametrize("body", [{"offsets": [2]}, {"all": True}], ids=["chosen", "all"])
@pytest.mark.parametrize("key", [AUDIT, "team-b", "millrace:gateway:revoked:t1"])
def test_a_forged_dead_letter_does_not_write_where_its_sender_may_not(ruled, c, key, body):
    c.call("TWRITE", "team-a:dead", "ENTRIES", letter("team-a"), "1", letter(key), "2", letter("team-a"), "3")
    status, answer = ruled.json("POST", ADMIN + "/logs/team-a%3Adead/redrive", body, token())
    assert (status, answer["code"]) == (403, "forbidden")
    assert [entry for _, tag, entry in c.call("TREAD", key, 1, 9) if tag != b"redrive"] == []
    left = [offset for offset, *_ in c.call("TREAD", "team-a:dead", 1, 9, "SKIP")]
    assert left == ([1, 2, 3] if "offsets" in body else [2, 3])


def test_without_rules_too_only_gateways_write_to_the_audit_log(gateway, c):
    c.call("TWRITE", "dead", letter(AUDIT), "1")
    assert gateway.json("POST", ADMIN + "/logs/dead/redrive", {"all": True})[0] == 403
    assert gateway.json("POST", f"/v1/logs/{AUDIT}", "x")[0] == 401
    assert [tag for _, tag, _ in c.call("TREAD", AUDIT, 1, 9)] == [b"redrive"]


# --- tokens ---

def test_a_token_whose_id_is_not_a_text_is_refused(ruled):
    """It could not be revoked."""
    assert ruled.json("GET", "/v1/logs/orders", headers=token(jti="7"))[0] == 200
    assert ruled.json("GET", "/v1/logs/orders", headers=token(jti=7))[0] == 401


def test_a_gateway_that_may_have_missed_a_revocation_looks_for_it(ruled, c):
    c.call("TWRITE", "orders", "t", "e")
    with Events(ruled, "/v1/logs/orders?from=1", **token(jti="bad")) as bad, \
            Events(ruled, "/v1/logs/orders?from=1", **token(jti="good")) as good:
        assert bad.take(1) and good.take(1)
        # As if another gateway had revoked it, and its order had been lost with the connection.
        c.call("SET", "millrace:gateway:revoked:bad", "1")
        for line in c.call("CLIENT", "LIST").decode().splitlines():
            fields = dict(field.split("=", 1) for field in line.split())
            if fields["cmd"] == "blpop":
                c.send("CLIENT", "KILL", "ID", fields["id"])
                c.read()  # of a gateway that has just ended, there may be no connection any more
        assert bad.next() is None
        c.call("TWRITE", "orders", "t", "f")
        assert good.take(1)


# --- sizes and numbers ---

@pytest.mark.parametrize("kind", ["group", "channel", "DSPS"])
def test_an_answer_has_some_megabytes_of_messages_at_most(gateway, c, kind):
    content = "x" * 1_000_000
    if kind == "group":
        for _ in range(20):
            c.call("TWRITE", "jobs", "t", content)
        found = gateway.json("POST", "/v1/logs/jobs/groups/g/take?count=10000")[1]["messages"]
    else:
        c.call("CHAN.SUBSCRIBE", "news", "ann")
        for number in range(20):
            c.call("CHAN.PUBLISH", "news", number, content)
        path = "/v1/channels/news?count=10000" if kind == "channel" else "/channel/news/subscription/polling/ann?max=10000"
        status, answer = gateway.json("GET", path)
        assert status == 200, answer
        found = answer["messages"]
    assert 7 <= len(found) <= 9


def test_a_position_behind_the_last_possible_one_is_refused(gateway):
    answer = gateway.get("/v1/logs/orders", Accept="text/event-stream", Last_Event_ID=str(2**63 - 1))
    assert answer.status == 400


def test_requests_that_the_server_cannot_answer_do_not_pile_up():
    async def run(gateway):
        async with connected(gateway, max_size=None) as socket:
            text = json.dumps({"id": 1, "type": "publish", "log": "orders", "entry": "x" * 900_000})
            with pytest.raises(websockets.ConnectionClosed) as ended:
                for _ in range(100):
                    await socket.raw.send(text)
                await socket.raw.recv()
            assert ended.value.rcvd.code == 1013

    with Server() as server, Gateway(server) as gateway:
        server.admin.call("CLIENT", "PAUSE", 60_000, "WRITE")
        asyncio.run(run(gateway))


def test_a_slow_reader_of_a_log_that_evicts_takes_no_memory(server, c):
    """Each reading of the feed then begins with what is missing."""
    c.call("TRETAIN", "orders", "COUNT", 5)
    with Gateway(server) as gateway, Events(gateway, "/v1/logs/orders", receive_buffer=4096) as slow, \
            Events(gateway, "/v1/logs/orders") as quick:
        slow.wait_for_position()
        quick.wait_for_position()
        before = gateway.memory()
        for number in range(200):
            c.call("TWRITE", "orders", "ENTRIES", *["t", json.dumps(str(number) + "x" * 50_000)] * 10)
            while (got := quick.next())[0] == "reset" or not got[1]["entry"].startswith(str(number)):
                pass
        assert gateway.memory() - before < 32 << 20


# --- orders that overtake each other ---

def test_a_stream_that_begins_while_others_lag_gets_only_what_comes(gateway, c):
    entries = ["t", "x" * 1000] * 8000
    with Events(gateway, "/v1/logs/orders") as other:
        other.wait_for_position()
        for _ in range(5):
            end = c.call("TWRITE", "orders", "ENTRIES", *entries) + 8000
            with Events(gateway, "/v1/logs/orders") as stream:
                stream.wait_for_position()
                other.take(8000)
                c.call("TWRITE", "orders", "t", "1")
                assert stream.next()[1]["offset"] == end
                other.take(1)


def test_leaving_twice_does_not_forget_the_next_device(gateway, c):
    """The second request ends when the device of the third is connected."""
    async def run():
        async with connected(gateway) as socket:
            await device(socket)
            for _ in range(150):
                await socket.raw.send(json.dumps({"id": "first", "type": "leave", "table": TABLE}))
                time.sleep(random.random() * 0.001)
                await socket.raw.send(json.dumps({"id": "second", "type": "leave", "table": TABLE}))
                while json.loads(await socket.raw.recv()).get("id") != "first":
                    pass
                await device(socket)
                answer = await socket.ask("subscribe", table=TABLE, app="todo", model="task")
                # The device itself may be gone, but this socket has it.
                assert answer.get("ok") or "connected elsewhere" in json.dumps(answer), answer

    asyncio.run(run())
