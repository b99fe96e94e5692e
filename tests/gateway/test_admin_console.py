"""/v1/admin as a whole: access rights, the audit log, live updates, and what it says about the server."""

import contextlib
import json
from urllib.parse import quote

import jwt
import pytest

from cluster import Cluster
from events import Events
from gateway import Gateway
from raw_http import RawConnection
from server import Server, let_pass, wait_until
from test_admin_rows import ADMIN, delete, get, pages, post

SECRET = "a secret that is long enough for everybody"
CONFIG = '''
[[key]]
algorithm = "HS256"
file = "{folder}/secret"
[[allow]]
to = "admin"
rights = ["read"]
claims = {{ role = "reader" }}
[[allow]]
to = "admin"
claims = {{ role = "writer" }}
[[allow]]
to = "log"
'''


def token(role, **claims):
    return {"Authorization": "Bearer " + jwt.encode({"sub": role, "role": role, **claims}, SECRET, algorithm="HS256")}


@pytest.fixture
def guarded(server, tmp_path):
    """A gateway that requires tokens; there are tokens of a reader, of a writer, and of neither."""
    (tmp_path / "secret").write_text(SECRET)
    with Gateway(server, config=CONFIG.format(folder=tmp_path)) as gateway:
        yield gateway


def changing_rows(gateway):
    """Every operation below /v1/admin other than GET."""
    paths = json.loads(gateway.get("/openapi.json").body)["paths"]
    return [(method.upper(), path) for path, methods in paths.items() if path.startswith(ADMIN)
            for method in methods if method != "get"]


READS = {"/v1/admin/routes/{table}/match", "/v1/admin/indexes/{index}/find"}


def filled(path):
    return "/".join("x" if part.startswith("{") else part for part in path.split("/"))


def test_a_reader_sees_everything_and_changes_nothing(guarded, c):
    c.call("TWRITE", "x", "t", "e")
    rows = changing_rows(guarded)
    assert len(rows) > 20
    for method, path in rows:
        status, body = guarded.json(method, filled(path), {}, token("reader"))
        if path in READS:
            assert status == 400, (path, body)
        else:
            assert (status, body["code"]) == (403, "forbidden"), (path, body)
    assert c.call("EXISTS", "millrace:audit") == 0
    assert guarded.json("GET", ADMIN + "/me", headers=token("reader"))[1]["may"] == ["read"]
    assert guarded.json("GET", ADMIN + "/me", headers=token("writer"))[1]["may"] == ["read", "write"]
    assert guarded.json("GET", ADMIN + "/logs/x/messages", headers=token("reader"))[1]["items"][0]["entry"] == "e"
    status, body = guarded.json("DELETE", ADMIN + "/keys/x", headers=token("writer"))
    assert (status, body) == (200, {"deleted": 1})


def test_other_users_are_refused(guarded):
    for headers, status in ((None, 401), (token("stranger"), 403)):
        for path in ("/me", "/overview", "/keys", "/logs/x", "/live?path=%2Fv1%2Fadmin%2Fme", "/gateways", "/audit"):
            assert guarded.json("GET", ADMIN + path, headers=headers)[0] == status, path


def test_every_change_is_in_the_audit_log(guarded, c):
    c.call("TWRITE", "orders", "t", "e")
    writer = token("writer")
    guarded.json("POST", ADMIN + "/logs/orders/messages", {"tag": "t", "entry": "<script>"}, writer)
    guarded.json("DELETE", ADMIN + "/logs/orders/messages/1", headers=writer)
    guarded.json("POST", ADMIN + "/logs/orders/groups/none/acknowledge", {"offsets": [1]}, writer)
    guarded.json("GET", ADMIN + "/logs/orders", headers=writer)
    status, body = guarded.json("GET", ADMIN + "/audit?count=2", headers=writer)
    assert status == 200
    refused, deleted = body["items"]
    assert (refused["action"], refused["outcome"], refused["status"]) == ("acknowledge", "refused", 404)
    assert (deleted["action"], deleted["who"], deleted["address"], deleted["key"]) == (
        "delete-message", "writer", "127.0.0.1", "orders")
    assert deleted["arguments"] == {"path": ["1"]} and deleted["outcome"] == "done"
    [written] = guarded.json("GET", f"{ADMIN}/audit?cursor={body['cursor']}", headers=writer)[1]["items"]
    assert json.loads(written["arguments"]["body"]) == {"tag": "t", "entry": "<script>"}
    assert [tag for _, tag, _ in c.call("TREAD", "millrace:audit", 1, 9)] == [b"write", b"delete-message", b"acknowledge"]


def test_the_audit_log_cannot_be_changed(guarded, c):
    writer = token("writer")
    guarded.json("POST", ADMIN + "/locks/x/break", headers=writer)
    for method, path in (("DELETE", "/keys/millrace:audit"), ("DELETE", "/logs/millrace%3Aaudit/messages/1"),
                         ("POST", "/logs/millrace:audit/messages")):
        assert guarded.json(method, ADMIN + path, {"entry": "x"}, writer)[0] == 403
    assert guarded.json("POST", "/v1/logs/millrace:audit", "x", writer)[0] == 403
    assert c.call("TINFO", "millrace:audit")[5] == 1


def test_a_server_that_cannot_write_says_that_the_audit_failed(gateway, c):
    c.call("SET", "millrace:audit", "in the way")
    answer = gateway.request("POST", ADMIN + "/locks/x/break")
    assert (answer.status, answer.headers["Millrace-Audit"]) == (200, "failed")


# --- live ---

def live(gateway, *paths, **headers):
    return Events(gateway, ADMIN + "/live?" + "&".join("path=" + quote(ADMIN + path, safe="") for path in paths), **headers)


def test_live_sends_what_differs_and_nothing_else(gateway, c):
    c.call("TWRITE", "orders", "t", "e")
    with live(gateway, "/logs/orders/messages", "/locks/report") as events:
        first, second = events.next(), events.next()
        assert first == ("state", {"path": ADMIN + "/logs/orders/messages", "status": 200,
                                   "body": get(gateway, "/logs/orders/messages")})
        assert second[1]["body"]["mode"] == "none"
        let_pass(1.5)
        c.call("TWRITE", "orders", "t", "f")
        _, data = events.next()
        assert (data["path"], len(data["body"]["items"])) == (ADMIN + "/logs/orders/messages", 2)
        c.call("LOCK.ACQUIRE", "report", "ann", 60000)
        assert events.next()[1]["body"]["mode"] == "exclusive"


def test_live_reports_errors_too(gateway, c):
    with live(gateway, "/indexes/users") as events:
        assert events.next()[1]["status"] == 404
        c.call("IDX.CREATE", "users", "PREFIX", "u:", "FIELD", "a", "TEXT")
        assert events.next()[1]["status"] == 200


def live_status(gateway, headers):
    """Opens one more stream and closes it at once: its status, 200 or that of the refusal."""
    with RawConnection(gateway.port) as connection:
        path = ADMIN + "/live?path=" + quote(ADMIN + "/me", safe="")
        connection.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {headers['Authorization']}\r\n\r\n")
        return connection.status()


def test_one_user_does_not_take_the_streams_of_all(guarded):
    ann, bob = token("reader", sub="ann"), token("reader", sub="bob")
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(live(guarded, "/me", **ann)) for _ in range(32)]
        assert (live_status(guarded, ann), live_status(guarded, bob)) == (429, 200)
        streams[0].close()
        wait_until(lambda: live_status(guarded, ann) == 200, "the place is free again")


@pytest.mark.parametrize("query", ["", "?path=", "?path=%2Fmetrics", "?path=%2Fv1%2Fadmin%2Flive", "?path=%2Fv1%2Flogs%2Fx",
                                   "?" + "&".join(["path=%2Fv1%2Fadmin%2Fme"] * 5)])
def test_live_looks_at_paths_of_the_console_only(gateway, query):
    assert gateway.json("GET", ADMIN + "/live" + query)[0] == 400


# --- overview ---

def test_the_overview_says_what_needs_a_person(gateway, server, c):
    c.call("TWRITE", "orders", "ENTRIES", *["t", "e"] * 5)
    c.call("TGROUP", "CREATE", "orders", "billing", "DEADLETTER", "orders:dead")
    c.call("TREAD", "orders", 1, 2, "GROUP", "billing", "RETRY", 60000, 0)
    c.call("TNACK", "orders", "billing", "DEAD", "no", 1)
    c.call("IDX.CREATE", "users", "PREFIX", "u:", "FIELD", "mail", "TEXT", "UNIQUE")
    for name in ("u:1", "u:2"):
        c.call("HSET", name, "mail", "a@example.com")

    def kinds():
        return {need["kind"]: need for need in get(gateway, "/overview?history=0")["needs"]}

    wait_until(lambda: {"dead-letters", "index-conflicts"} <= set(kinds()), "the sweep has found them")
    needs = kinds()
    assert (needs["dead-letters"]["key"], needs["dead-letters"]["name"]) == ("orders:dead", "billing")
    assert needs["dead-letters"]["severity"] == "act" and needs["index-conflicts"]["key"] == "users"
    overview = get(gateway, "/overview")
    assert overview["totals"]["keys"] == {"log": 2, "channel": 0, "pool": 0, "lock": 0, "route": 0, "index": 1,
                                          "fact": 0, "suggest": 0}
    assert (overview["totals"]["lag"], overview["totals"]["pending"], overview["totals"]["dead"]) == (3, 1, 1)
    assert {len(curve) for curve in overview["history"].values() if isinstance(curve, list)} == {720}
    assert overview["history"]["memory"][-1] > 0
    assert "history" not in get(gateway, "/overview?history=0")
    assert get(gateway, "/logs/orders%3Adead")["dead_of"] == [{"key": "orders", "group": "billing"}]
    listed = {item["key"]: item for item in get(gateway, "/keys")["items"]}
    assert listed["orders:dead"]["dead"] and "dead" not in listed["orders"]
    assert [item["key"] for item in get(gateway, "/keys?order=lag")["items"]] == ["orders"]
    assert {item["key"] for item in get(gateway, "/keys?order=size&type=log")["items"]} == {"orders", "orders:dead"}


def test_a_circle_of_locks_needs_a_person(gateway, server, c):
    for owner, lock in (("ann", "l1"), ("bob", "l2")):
        c.call("LOCK.ACQUIRE", lock, owner, 60000)
    with server.connect() as ann, server.connect() as bob:
        ann.send("LOCK.ACQUIRE", "l2", "ann", 60000, "WAIT", 60000)
        bob.send("LOCK.ACQUIRE", "l1", "bob", 60000, "WAIT", 60000)
        wait_until(lambda: any(need["kind"] == "lock-circle" for need in get(gateway, "/overview?history=0")["needs"]),
                   "the circle is seen")
        assert len(get(gateway, "/lock-waits")["cycles"]) == 1
        c.call("LOCK.BREAK", "l1")
        c.call("LOCK.BREAK", "l2")


# --- keys ---

def test_keys_are_listed_searched_and_paged(gateway, c):
    names = [f"key{number:02}" for number in range(25)] + ["a*b", "a?b", "<b>"]
    for name in names:
        c.call("TWRITE", name, "t", "e")
    c.call("LOCK.ACQUIRE", "report", "ann", 60000)
    c.call("SET", "cache", "x")
    wait_until(lambda: get(gateway, "/keys")["building"] is None, "the index is whole")
    assert [item["key"] for item in pages(gateway, "/keys?type=log", 10)] == sorted(names)
    assert get(gateway, "/keys?type=lock")["items"][0]["figures"]["state"] == "held"
    assert [item["key"] for item in get(gateway, "/keys?search=a*b")["items"]] == ["a*b"]
    assert [item["key"] for item in get(gateway, "/keys?search=ey0")["items"]] == [f"key0{n}" for n in range(10)]
    assert get(gateway, "/keys")["total"] == 29
    for wrong in ("type=string", "order=age", "count=0", "search=" + "x" * 501):
        assert gateway.json("GET", ADMIN + "/keys?" + wrong)[0] == 400


def test_keys_that_are_not_text_are_paged_too(gateway, c):
    for number in range(10):
        c.call("TWRITE", b"\xff\0" + bytes([number]), "t", "e")
    assert len(pages(gateway, "/keys", 3)) == 10


def test_the_rate_of_a_log_is_seen_when_it_is_listed_again(gateway, c):
    def rate():
        c.call("TWRITE", "rated", "ENTRIES", *["t", "e"] * 100)
        return get(gateway, "/keys?type=log")["items"][0]["figures"]["rate"]

    assert rate() is None
    wait_until(lambda: (rate() or 0) > 0, "the log has a rate")


# --- gateways ---

def connections(gateway, name, query=""):
    return get(gateway, f"/gateways/{quote(name, safe='')}/connections{query}")


def test_gateways_know_each_other_and_end_connections_of_the_other(server, c):
    with Gateway(server, config='name = "one"\n', threads=2) as one, Gateway(server, config='name = "two"\n') as two:
        names = lambda: {item["name"]: item for item in get(one, "/gateways")["items"]}
        wait_until(lambda: {"one", "two"} <= set(names()), "they see each other")
        assert names()["one"]["this"] and not names()["two"]["this"]
        assert names()["one"]["address"] == f"127.0.0.1:{one.port}"
        c.call("TWRITE", "orders", "t", "e")
        with Events(two, "/v1/logs/orders?from=1") as events:
            events.take(1)
            for asked in (two, one):
                [stream] = [line for line in connections(asked, "two", "?search=orders")["items"]]
                assert (stream["kind"], stream["what"], stream["address"]) == ("sse", "/v1/logs/orders", "127.0.0.1")
            assert delete(one, f"/gateways/two/connections/{stream['id']}") == {"ended": 1}
            assert events.next() is None
        assert delete(one, f"/gateways/two/connections/{stream['id']}") == {"ended": 0}
        assert get(one, "/gateways/three/connections", 404)["code"] == "missing"
        two.terminate()
        two.process.wait(60)
        wait_until(lambda: "two" not in names(), "it is gone")


def test_a_gateway_is_described_before_it_is_named():
    """The others remove a name without a description, and would then miss the gateway for ten seconds."""
    with Server(slowlog_log_slower_than=0, slowlog_max_len=1000) as server, Gateway(server):
        def registration():
            log = [entry[3] for entry in reversed(server.admin.call("SLOWLOG", "GET", "1000"))]
            return [name for name, *keys in log if keys and keys[0].startswith((b"millrace:gateway:at:", b"millrace:gateway:names"))]

        wait_until(lambda: b"SADD" in registration(), "it has registered")
        assert registration()[:2] == [b"SET", b"SADD"]


def test_connections_are_paged_over_all_loops(server, c):
    with Gateway(server, config='name = "g"\n', threads=3) as gateway:
        c.call("TWRITE", "orders", "t", "e")
        streams = [Events(gateway, "/v1/logs/orders?from=1") for _ in range(10)]
        for stream in streams:
            stream.take(1)
        found = pages(gateway, "/gateways/g/connections?search=orders", 3)
        assert len({line["id"] for line in found}) == 10 and all(line["sent"] > 0 for line in found)
        for stream in streams:
            stream.close()


def test_a_revoked_token_ends_its_streams_at_all_gateways(server, tmp_path, c):
    (tmp_path / "secret").write_text(SECRET)
    config = CONFIG.format(folder=tmp_path)
    c.call("TWRITE", "orders", "t", "e")
    writer, bad, good = token("writer"), token("user", jti="bad"), token("user", jti="good")
    with Gateway(server, config='name = "one"\n' + config) as one, Gateway(server, config='name = "two"\n' + config) as two:
        # By name: the gateway that other tests share may be there, too.
        items = lambda: one.json("GET", ADMIN + "/gateways", headers=writer)[1]["items"]
        wait_until(lambda: {"one", "two"} <= {item["name"] for item in items()}, "both are there")
        opened = [Events(gateway, "/v1/logs/orders?from=1", **who) for gateway in (one, two) for who in (bad, good)]
        for stream in opened:
            stream.take(1)
        lines = one.json("GET", ADMIN + "/gateways/one/connections?search=bad", headers=writer)[1]["items"]
        assert [(line["user"], line["token"]) for line in lines] == [("user", "bad")]
        status, body = one.json("POST", ADMIN + "/revoke", {"jti": "bad"}, writer)
        assert (status, body["ended"]) == (200, 1)
        assert opened[0].next() is None
        assert opened[2].next() is None
        c.call("TWRITE", "orders", "t", "f")
        assert opened[1].take(1) and opened[3].take(1)
        assert two.json("GET", "/v1/logs/orders", headers=bad)[0] == 401
        for stream in opened:
            stream.close()


# --- a cluster ---

def test_in_a_cluster_all_nodes_are_asked():
    with Cluster() as cluster, Gateway(cluster.nodes[0]) as gateway:
        names = [f"log{number:02}" for number in range(40)]
        for name in names:
            post(gateway, f"/logs/{name}/messages", {"tag": "t", "entry": "e"})
        assert min(cluster.keys()) > 0
        wait_until(lambda: get(gateway, "/keys")["building"] is None, "the indexes are whole")
        assert [item["key"] for item in pages(gateway, "/keys?search=log", 7)] == names
        me = get(gateway, "/me")["server"]
        assert (me["mode"], [node["up"] for node in me["nodes"]]) == ("cluster", [True] * 3)
        wait_until(lambda: get(gateway, "/overview?history=0")["totals"]["keys"]["log"] >= 40, "the sweep is over")
        assert delete(gateway, "/keys/log07") == {"deleted": 1}
        assert len(pages(gateway, "/keys?search=log", 100)) == 39
