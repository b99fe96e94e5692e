"""/v1/admin under attack: readers that try forbidden operations, pages of other hosts, absurd parameters and names."""

import contextlib
import json
from urllib.parse import quote

import pytest

from server import wait_until
from test_admin_console import READS, changing_rows, guarded, live, token
from test_admin_rows import ADMIN, delete, described, get, pages

KEYS = ["orders", "orders:dead", "prices", "chat", "stock", "{shop}", "customers", "customer:1", "old"]


def fill(c):
    """Something in every family, so that each of CHANGES would change something."""
    c.call("TWRITE", "orders", "ENTRIES", *["t", "e"] * 8)
    c.call("TGROUP", "CREATE", "orders", "billing", "DEADLETTER", "orders:dead")
    c.call("TREAD", "orders", 1, 6, "GROUP", "billing", "RETRY", 600_000, 0, "CONSUMER", "w1")
    c.call("TNACK", "orders", "billing", "DEAD", "no", 1)
    c.call("TGROUP", "CREATE", "orders", "shipping")
    for number in (1, 2):
        c.call("TWRITE", "orders", "AT", 2524608000000, "ENTRIES", "later", str(number))
    c.call("CHAN.SUBSCRIBE", "prices", "mailer")
    c.call("SHARD.JOIN", "chat", "w1")
    c.call("LOCK.ACQUIRE", "stock", "ann", 600_000)
    c.call("ROUTE.SUBSCRIBE", "{shop}", "phone|push", "APP", "shop", "MODEL", "order")
    c.call("IDX.CREATE", "customers", "PREFIX", "customer:", "FIELD", "age", "INTEGER")
    c.call("HSET", "customer:1", "age", 30)
    c.call("TWRITE", "old", "t", "e")


# Every operation other than GET: its path, and a body with which it would change something.
CHANGES = [
    ("DELETE", "/keys/{key}", "/keys/old", None),
    ("DELETE", "/gateways/{gateway}/connections/{id}", "/gateways/g/connections/0-1", None),
    ("POST", "/revoke", "/revoke", {"jti": "token"}),
    ("POST", "/logs/{log}/messages", "/logs/orders/messages", {"tag": "t", "entry": "e"}),
    ("DELETE", "/logs/{log}/messages/{offset}", "/logs/orders/messages/8", None),
    ("POST", "/logs/{log}/groups/{group}/give-back", "/logs/orders/groups/billing/give-back", {"offsets": [2]}),
    ("POST", "/logs/{log}/groups/{group}/extend", "/logs/orders/groups/billing/extend", {"offsets": [3], "lease_ms": 900_000}),
    ("POST", "/logs/{log}/groups/{group}/dead-letter", "/logs/orders/groups/billing/dead-letter", {"offsets": [4], "reason": "x"}),
    ("POST", "/logs/{log}/groups/{group}/acknowledge", "/logs/orders/groups/billing/acknowledge", {"offsets": [5]}),
    ("POST", "/logs/{log}/groups/{group}/seek", "/logs/orders/groups/shipping/seek", {"to": "$"}),
    ("DELETE", "/logs/{log}/groups/{group}", "/logs/orders/groups/shipping", None),
    ("POST", "/logs/{log}/redrive", "/logs/orders%3Adead/redrive", {"all": True}),
    ("POST", "/logs/{log}/schedule/now", "/logs/orders/schedule/now", {"ids": ["2524608000000-1"]}),
    ("POST", "/logs/{log}/schedule/cancel", "/logs/orders/schedule/cancel", {"ids": ["2524608000000-2"]}),
    ("POST", "/channels/{channel}/messages", "/channels/prices/messages", {"id": "1", "content": "x"}),
    ("DELETE", "/channels/{channel}/subscribers/{subscriber}", "/channels/prices/subscribers/mailer", None),
    ("POST", "/pools/{pool}/rebalance", "/pools/chat/rebalance", None),
    ("DELETE", "/pools/{pool}/workers/{worker}", "/pools/chat/workers/w1?now=1", None),
    ("POST", "/locks/{lock}/break", "/locks/stock/break", None),
    ("DELETE", "/routes/{table}/devices/{device}", "/routes/%7Bshop%7D/devices/phone%7Cpush", None),
    ("POST", "/indexes/{index}/check", "/indexes/customers/check", {"repair": True}),
    ("POST", "/routes/{table}/match", "/routes/%7Bshop%7D/match", {"app": "shop", "model": "order"}),
    ("POST", "/indexes/{index}/find", "/indexes/customers/find", {"words": ["WHERE", "age", ">", "3"]}),
]


def digests(c):
    return {key: c.call("DEBUG", "DIGEST-VALUE", key)[0] for key in KEYS}


def test_a_reader_is_refused_at_every_row_that_changes_something(guarded, c):
    assert {(method, ADMIN + path) for method, path, _, _ in CHANGES} == set(changing_rows(guarded))
    fill(c)
    before = digests(c)
    for method, row, path, body in CHANGES:
        status, said = guarded.json(method, ADMIN + path, body, token("reader"))
        assert status == (200 if ADMIN + row in READS else 403), (method, path, said)
    assert digests(c) == before
    assert c.call("EXISTS", "millrace:audit") == 0 and c.call("KEYS", "*revoked*") == []
    # A writer is granted the requests that a reader was refused: they were not wrong in another way.
    for method, _, path, body in CHANGES:
        status, said = guarded.json(method, ADMIN + path, body, token("writer"))
        assert status in (200, 404) if "/gateways/" in path else status == 200, (method, path, said)


@pytest.mark.parametrize("words", [["LIMIT", "10000"], ["GET", "1", "age", "REPAIR"], ["AFTER", "x"], ["STORE", "old"]])
def test_the_words_of_a_find_are_those_of_a_find(gateway, c, words):
    fill(c)
    before = digests(c)
    status, body = gateway.json("POST", ADMIN + "/indexes/customers/find", {"words": ["WHERE", "age", ">", "3", *words]})
    assert status == 400, body
    assert digests(c) == before


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Host": "evil.example"},
    {"Host": "127.0.0.1.evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=lambda headers: "-".join(next(iter(headers.items()))))
def test_a_page_of_another_host_neither_sees_nor_changes_anything(gateway, c, headers):
    c.call("TWRITE", "orders", "t", "a secret")
    for method, path, body in (("POST", "/logs/orders/messages", '{"entry":"x"}'), ("DELETE", "/keys/orders", None),
                               ("GET", "/logs/orders/messages", None), ("GET", "/live?path=%2Fv1%2Fadmin%2Fme", None)):
        answer = gateway.request(method, ADMIN + path, body, {"Content-Type": "text/plain", **headers})
        assert answer.status in (401, 403) and b"secret" not in answer.body, (path, answer)
        assert "Access-Control-Allow-Origin" not in answer.headers
    assert c.call("TINFO", "orders")[5] == 1
    asked = gateway.request("OPTIONS", ADMIN + "/keys/orders", headers={"Access-Control-Request-Method": "DELETE", **headers})
    assert asked.status >= 400


def test_no_answer_may_be_framed_sniffed_or_kept(gateway, c):
    for path in (ADMIN + "/me", ADMIN + "/nothing", "/console/nothing", "/openapi.json"):
        headers = gateway.get(path).headers
        assert headers["X-Frame-Options"] == "deny" and headers["X-Content-Type-Options"] == "nosniff", path
    assert "no-store" in gateway.get(ADMIN + "/me").headers["Cache-Control"]


ABSURD = ["-1", "0", "1001", str(2**63), "-" + str(2**63), "1" * 400, "NaN", "Infinity", "1e3", "0x10", "1.5", "", "+1", "%201",
          "%001", "1%0A2", "true", "null", "[]", "../../etc"]


def filled_paths(gateway):
    """Every GET below /v1/admin, with names of keys that are there."""
    names = {"log": "orders", "offset": "1", "group": "billing", "channel": "prices", "pool": "chat", "worker": "w1", "lock": "stock",
             "table": "%7Bshop%7D", "device": "phone%7Cpush", "index": "customers", "graph": "friends", "dictionary": "words", "gateway": "g"}
    document, _ = described(gateway.port)
    for path, methods in document["paths"].items():
        if path.startswith(ADMIN) and "get" in methods and not path.endswith("/live"):
            yield path.format(**names), {one["name"] for one in methods["get"]["parameters"] if one["in"] == "query"}


def test_absurd_parameters_are_refused_and_break_nothing(gateway, c):
    fill(c)
    for path, names in filled_paths(gateway):
        for name in names:
            for value in ABSURD:
                answer = gateway.get(f"{path}?{name}={value}")
                assert answer.status < 500, (path, name, value, answer)
                json.loads(answer.body)
                if name == "count":
                    assert answer.status in (400, 404), (path, value, answer)
    for offset in ABSURD[1:]:
        if offset:
            assert gateway.get(f"{ADMIN}/logs/orders/messages/{offset}").status in (400, 404), offset
    assert gateway.get(ADMIN + "/me").status == 200


def test_a_cursor_that_no_answer_gave_is_refused(gateway, c):
    for path in ("/keys", "/logs/orders/groups", "/logs/orders/messages", "/audit"):
        assert get(gateway, path + "?cursor=~%21", 400)["code"] == "invalid", path


def test_streams_without_end_have_an_end(guarded):
    users = [token("reader", sub=f"user {number}") for number in range(9)]
    with contextlib.ExitStack() as opened:
        # The first eight users each have as many streams as a user may have.
        streams = [opened.enter_context(live(guarded, "/overview?history=0", **user)) for user in users[:8] for _ in range(32)]
        answer = guarded.request("GET", ADMIN + "/live?path=%2Fv1%2Fadmin%2Fme", headers=users[8])
        assert (answer.status, "Retry-After" in answer.headers) == (503, True)
        assert streams[0].next()[1]["status"] == 200
        assert guarded.json("GET", ADMIN + "/me", headers=users[8])[1]["may"] == ["read"]
        streams[-1].close()

        def streams_of_all():
            return guarded.json("GET", ADMIN + "/gateways", headers=users[8])[1]["items"][0]["streams"]

        wait_until(lambda: streams_of_all() < 256, "one has gone")
        with live(guarded, "/me", **users[8]) as events:
            assert events.next()[1]["status"] == 200


HOSTILE = ["a/b", "a//b", ".", "%2e%2e", "a\nb", "a\r\nSet-Cookie: x=1", "100%", "%", "?x=1#y", "<img src=x onerror=alert(1)>", "'\"`",
           "\u202egnp.exe", "\ufeff", "\u2028", "😀" * 100, "x" * 4096, "\x00", b"\xff\xfe", b"\xc3(", b"\xed\xa0\x80", "~tilde", "*?[a]\\"]


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:30])
def test_a_hostile_name_is_a_name(gateway, c, name):
    name = name if isinstance(name, bytes) else name.encode()
    c.call("TWRITE", name, name[:512], name)
    c.call("TREAD", name, 1, 1, "GROUP", name[:512], "RETRY", 60_000, 0, "CONSUMER", name[:512])
    [key] = [item for item in wait_until(lambda: get(gateway, "/keys?type=log")["items"], "it is listed")]
    path = "/logs/" + quote(name, safe="")
    group = f"{path}/groups/{quote(name[:512], safe='')}"
    assert get(gateway, path)["messages"] == 1 and get(gateway, group)["pending"] == 1
    assert get(gateway, group + "/pending")["items"][0]["consumer"] == get(gateway, path + "/messages")["items"][0]["tag"]
    answer = gateway.request("GET", ADMIN + path + "/none/none")
    assert answer.status == 404 and "Set-Cookie" not in answer.headers
    assert key["key"] == get(gateway, "/keys?order=name")["items"][0]["key"]
    assert delete(gateway, "/keys/" + quote(name, safe="")) == {"deleted": 1}


def test_names_and_tags_of_a_megabyte_are_cut_and_paged(gateway, c):
    names = [b"a", b"long-" + b"\xc3\xa9" * 500_000, b"long-1" + b"x" * 1_000_000, b"z"]
    for name in names:
        c.call("TWRITE", name, b"t" * 1_000_000, "e")
    wait_until(lambda: get(gateway, "/keys")["building"] is None, "all names are known")
    answer = gateway.get(ADMIN + "/keys")
    assert len(answer.body) < 10_000
    for count in (1, 2, 100):
        items = pages(gateway, "/keys", count)
        assert [(item["key"][:5], item.get("cut"), item.get("bytes")) for item in items] == [
            ("a", None, None), ("long-", True, 1_000_006), ("long-", True, 1_000_005), ("z", None, None)]
    [message] = get(gateway, "/logs/a/messages")["items"]
    assert (len(message["tag"]), message["tag_bytes"], message["entry"]) == (16 << 10, 1_000_000, "e")
    assert "tag_bytes" not in get(gateway, "/logs/a/messages/1")
    overview = get(gateway, "/overview?history=0")
    assert len(json.dumps(overview)) < 10_000


def test_a_value_of_a_lock_is_cut(gateway, c):
    c.call("LOCK.ACQUIRE", "stock", "ann", 600_000, "VALUE", "x" * 65_536)
    [holder] = get(gateway, "/locks/stock")["holders"]
    assert (len(holder["value"]), holder["bytes"], holder["cut"]) == (16 << 10, 65_536, True)
