"""What a client with few rights, a slow one, or one that sends what no client should, must not achieve."""

import asyncio
import contextlib
import json
import random
import select
import signal
import socket
import struct
import time

import jwt
import pytest

from events import Events
from gateway import Gateway
from raw_http import raw_socket
from server import DEADLINE, Server, wait_until
from test_admin_rows import ADMIN
from test_devices import TABLE, device
from test_websocket import connected, frame

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


@pytest.fixture
def configuration(tmp_path):
    """Of a gateway whose callers may administrate everything: the text of its file, for each name."""
    (tmp_path / "secret").write_text(SECRET)
    rules = RULES.format(folder=tmp_path).replace("team-a.*", ".*")
    return lambda name: f'name = "{name}"\n{rules}'


def revoke(gateway, jti):
    return gateway.json("POST", ADMIN + "/revoke", {"jti": jti, "exp": 4_000_000_000}, token())[0]


def token(**claims):
    return {"Authorization": "Bearer " + jwt.encode({"sub": "ann", **claims}, SECRET, algorithm="HS256")}


def clients_of(c):
    """The connections of the server, as CLIENT LIST describes them."""
    return [dict(field.split("=", 1) for field in line.split()) for line in c.call("CLIENT", "LIST").decode().splitlines()]


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
        for fields in clients_of(c):
            if fields["cmd"] == "blpop":
                c.send("CLIENT", "KILL", "ID", fields["id"])
                c.read()  # of a gateway that has just ended, there may be no connection any more
        assert bad.next() is None
        c.call("TWRITE", "orders", "t", "f")
        assert good.take(1)


def test_a_revocation_reaches_every_gateway_however_many_there_were(server, c, configuration):
    for number in range(1100):
        c.send("SADD", "millrace:gateway:names", f"a-{number}")
    assert [c.read() for _ in range(1100)] == [1] * 1100
    c.call("TWRITE", "orders", "t", "e")
    with Gateway(server, config=configuration("first")) as first, Gateway(server, config=configuration("last")) as last, \
            Events(last, "/v1/logs/orders?from=1", **token(jti="bad")) as stream:
        stream.take(1)
        wait_until(lambda: c.call("SISMEMBER", "millrace:gateway:names", "last"), "it is known")
        assert revoke(first, "bad") == 200
        assert stream.next() is None


def test_a_stream_that_begins_while_its_token_is_revoked_does_not_stay(server, c, configuration):
    c.call("TWRITE", "orders", "t", "e")
    with Gateway(server, config=configuration("gateway")) as gateway:
        for number in range(20):
            begin_and_revoke(gateway, f"bad-{number}")


def begin_and_revoke(gateway, jti):
    request = "\r\n".join(["GET /v1/logs/orders HTTP/1.1", "Host: localhost", "Accept: text/event-stream",
                           "Authorization: " + token(jti=jti)["Authorization"], "", ""]).encode()
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(socket.create_connection(("127.0.0.1", gateway.port))) for _ in range(20)]
        for stream in streams:
            stream.settimeout(DEADLINE)
            stream.sendall(request)
        assert revoke(gateway, jti) == 200
        for stream in streams:
            read_to_the_end(stream)


def read_to_the_end(stream):
    """Returns when the stream has ended, or has been refused."""
    end = time.monotonic() + DEADLINE  # the time-out of the socket does not end it, because keep-alives come
    got = b""
    while (more := stream.recv(65536)):
        got += more
        if got.startswith(b"HTTP/1.1 401"):
            return
        assert time.monotonic() < end, got


# --- sizes and numbers ---

def test_large_dead_letters_in_large_blocks_are_sent_back(c, gateway):
    before = c.call("CONFIG", "GET", "millrace.block-bytes")[1]
    c.call("CONFIG", "SET", "millrace.block-bytes", "64kb")
    try:
        for _ in range(100):
            c.call("TWRITE", "dead", letter("orders"), random.randbytes(30_000))
    finally:
        c.call("CONFIG", "SET", "millrace.block-bytes", before)
    assert gateway.json("POST", ADMIN + "/logs/dead/redrive", {"all": True}) == (200, {"sent": 100, "left": 0})


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
    request = frame(1, json.dumps({"id": 1, "type": "publish", "log": "orders", "entry": "x" * 900_000}).encode())
    with Server() as server, Gateway(server) as gateway, raw_socket(gateway) as connection:
        server.admin.call("CLIENT", "PAUSE", 60_000, "WRITE")
        # Until the gateway says something: it closes the connection while more is sent.
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                if select.select([connection.socket], [], [], 0)[0]:
                    break
                connection.send(request)
        got = connection.ends()
        assert got[0] == 0x88 and struct.unpack(">H", got[2:4])[0] == 1013, got[:40]


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


# --- the end ---

def test_a_gateway_with_a_device_ends_at_once_if_it_must():
    """Sanitizers watch it in ./test --all."""
    async def run(gateway):
        async with connected(gateway) as socket:
            await device(socket)
            gateway.terminate()
            await asyncio.to_thread(wait_until, lambda: gateway.get("/probe/readiness").status == 500, "readiness fails")
            gateway.terminate()
            assert await asyncio.to_thread(gateway.process.wait, DEADLINE) == 0

    with Server() as server, Gateway(server, "--set", "timeouts.drain_notice=60s") as gateway:
        asyncio.run(run(gateway))


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


def test_a_connection_that_breaks_while_it_is_told_of_a_loss_harms_no_other(server, c):
    c.call("TRETAIN", "orders", "COUNT", 5)
    with Gateway(server) as gateway, Events(gateway, "/v1/logs/orders") as other:
        other.wait_for_position()
        for _ in range(20):
            with contextlib.ExitStack() as stack:
                broken = [stack.enter_context(Events(gateway, "/v1/logs/orders")) for _ in range(5)]
                for stream in broken:
                    stream.wait_for_position()
                # The gateway sees the messages first, and that the connections are broken when it sends them.
                gateway.process.send_signal(signal.SIGSTOP)
                end = c.call("TWRITE", "orders", "ENTRIES", *["t", "e"] * 10) + 9
                for stream in broken:
                    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    stream.close()
                gateway.process.send_signal(signal.SIGCONT)
            while (got := other.next())[1].get("offset") != end:
                assert got is not None


def feeds(c):
    return [fields["id"] for fields in clients_of(c) if fields["cmd"] == "FEED.READ" and fields["flags"] == "b"]


def test_a_stream_that_has_more_than_the_others_hears_that_the_server_lost_it():
    with Server() as server, server.connect() as c, Gateway(server) as gateway, Events(gateway, "/v1/logs/orders") as other:
        c.call("TWRITE", "orders", "t", "1")
        other.take(1)
        copy = c.call("DUMP", "orders")
        wait_until(lambda: feeds(c), "the gateway waits for more")
        [feed] = feeds(c)
        # The gateway connects again after a pause. Meanwhile another stream begins, and the server loses what that got.
        c.call_all([("CLIENT", "KILL", "ID", feed), ("TWRITE", "orders", "ENTRIES", "t", "1", "t", "2")])
        with Events(gateway, "/v1/logs/orders?from=2") as stream:
            assert [message["entry"] for message in stream.take(2)] == [1, 2]
            c.call("RESTORE", "orders", 0, copy, "REPLACE")
            assert stream.next() == ("reset", {"reason": "lost", "from": 2, "to": 3})
            c.call("TWRITE", "orders", "ENTRIES", "t", "3", "t", "4")
            assert [message["entry"] for message in stream.take(2)] == [3, 4]


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
