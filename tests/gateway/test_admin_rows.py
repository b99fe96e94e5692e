"""Each operation of /v1/admin, on a real server: what the console shows and does equals what the commands answer and
do."""

import base64
import contextlib
import functools
import http.client
import json
import re
from urllib.parse import quote

import jsonschema
import pytest

from server import wait_until
from test_openapi import schema_for

ADMIN = "/v1/admin"


@functools.cache
def described(port):
    """(method, pattern of the path, operation) of each operation in /openapi.json."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/openapi.json")
        document = json.loads(connection.getresponse().read())
    rows = [(method.upper(), re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + r"(\?.*)?"), operation)
            for path, operations in document["paths"].items() for method, operation in operations.items()]
    return document, rows


def ask(gateway, method, path, body, status):
    """The answer; fails if it does not match the OpenAPI document."""
    answer = gateway.json(method, ADMIN + path, body)
    assert answer[0] == status, answer
    document, rows = described(gateway.port)
    [operation] = [one for verb, pattern, one in rows if verb == method and pattern.fullmatch(ADMIN + path)]
    schema = schema_for(document, operation, status)
    if schema is not None:
        jsonschema.validate(answer[1], schema)
    return answer[1]


def get(gateway, path, status=200):
    return ask(gateway, "GET", path, None, status)


def post(gateway, path, body=None, status=200):
    return ask(gateway, "POST", path, body, status)


def delete(gateway, path, status=200):
    return ask(gateway, "DELETE", path, None, status)


def pages(gateway, path, count):
    """All items of a list, page by page."""
    items, cursor, sign = [], None, "&" if "?" in path else "?"
    for _ in range(1000):
        page = get(gateway, f"{path}{sign}count={count}" + (f"&cursor={quote(cursor, safe='')}" if cursor else ""))
        assert len(page["items"]) <= count
        items += page["items"]
        cursor = page.get("cursor")
        if cursor is None:
            return items
    raise AssertionError("the pages do not end")


# --- logs ---

def test_a_log_is_shown_with_its_groups(gateway, c):
    c.call("TWRITE", "orders", "ENTRIES", "new", "a", "new", "b", "paid", "a")
    c.call("TREAD", "orders", 1, 1, "GROUP", "billing", "RETRY", 30000, 0, "CONSUMER", "ann")
    log = get(gateway, "/logs/orders")
    assert (log["first"], log["last"], log["messages"], log["group-count"]) == (1, 3, 3, 1)
    assert log["tail-held-by-group"] is None
    assert [(group["name"], group["lag"], group["pending"]) for group in log["groups"]] == [("billing", 2, 1)]
    assert get(gateway, "/logs/orders/groups/billing")["last"] == 1
    assert get(gateway, "/logs/orders/groups/billin", 404)["code"] == "nogroup"
    assert pages(gateway, "/logs/orders/groups", 1)[0]["name"] == "billing"


def test_groups_are_paged_by_their_names(gateway, c):
    c.call("TWRITE", "orders", "new", "a")
    names = [f"g{number:03}" for number in range(25)]
    for name in names:
        c.call("TGROUP", "CREATE", "orders", name)
    assert [group["name"] for group in pages(gateway, "/logs/orders/groups", 10)] == names
    for name in names[::7]:
        assert get(gateway, f"/logs/orders/groups/{name}")["name"] == name


def test_messages_are_read_by_offset_time_and_tag_in_both_directions(gateway, c):
    for number in range(1, 26):
        c.call("TWRITE", "orders", "odd" if number % 2 else "even", f'{{"n":{number}}}')
    offsets = [message["offset"] for message in pages(gateway, "/logs/orders/messages", 10)]
    assert offsets == list(range(1, 26))
    assert [one["offset"] for one in pages(gateway, "/logs/orders/messages?rev=1", 10)] == offsets[::-1]
    assert [one["offset"] for one in pages(gateway, "/logs/orders/messages?tags=even", 5)] == offsets[1::2]
    page = get(gateway, "/logs/orders/messages?from=-3")
    assert [one["offset"] for one in page["items"]] == [23, 24, 25]
    assert page["items"][0] == {"offset": 23, "tag": "odd", "time": page["items"][0]["time"], "entry": '{"n":23}',
                                "bytes": 8}
    assert get(gateway, "/logs/orders/messages?from=$")["items"] == []
    assert len(get(gateway, "/logs/orders/messages?time=0")["items"]) == 25
    assert get(gateway, "/logs/orders/messages?time=9999999999999")["items"] == []


def test_a_message_is_written_shown_and_deleted(gateway, c):
    assert post(gateway, "/logs/orders/messages", {"tag": "new", "entry": {"id": 1}}) == {"offset": 1}
    assert post(gateway, "/logs/orders/messages", {"entry": {"base64": "/wA="}}) == {"offset": 2}
    assert c.call("TREAD", "orders", 1, 9) == [[1, b"new", b'{"id":1}'], [2, b"", b"\xff\x00"]]
    assert get(gateway, "/logs/orders/messages/2")["entry"] == {"base64": "/wA="}
    assert delete(gateway, "/logs/orders/messages/1") == {"deleted": 1}
    assert get(gateway, "/logs/orders/messages/1", 404)["code"] == "missing"
    assert delete(gateway, "/logs/orders/messages/1") == {"deleted": 0}
    assert post(gateway, "/logs/orders/messages", {"tag": "x"}, 400)["code"] == "invalid"
    assert post(gateway, "/logs/orders/messages", b"[", 400)["code"] == "invalid"


def test_a_large_message_is_cut_in_lists_and_whole_by_itself(gateway, c):
    c.call("TWRITE", "big", "t", "é" * 500_000)
    c.call("TWRITE", "big", "t", b"\xff" * 2_000_000)
    first, second = get(gateway, "/logs/big/messages")["items"]
    assert first["cut"] and first["bytes"] == 1_000_000 and set(first["entry"]) == {"é"}
    assert second["cut"] and len(base64.b64decode(second["entry"]["base64"])) == 16 << 10
    assert get(gateway, "/logs/big/messages/1")["entry"] == "é" * 500_000
    whole = get(gateway, "/logs/big/messages/2")
    assert whole["cut"] and len(base64.b64decode(whole["entry"]["base64"])) == 1 << 20


def test_what_a_group_has_pending_is_shown_and_changed(gateway, c):
    for number in range(12):
        c.call("TWRITE", "orders", "new", number)
    c.call("TGROUP", "CREATE", "orders", "billing", "DEADLETTER", "orders:dead")
    c.call("TREAD", "orders", 1, 12, "GROUP", "billing", "RETRY", 30000, 0, "CONSUMER", "ann")
    pending = pages(gateway, "/logs/orders/groups/billing/pending", 5)
    assert [one["offset"] for one in pending] == list(range(1, 13))
    assert (pending[0]["attempts"], pending[0]["expiry"], pending[0]["consumer"]) == (1, -1, "ann")
    assert get(gateway, "/logs/orders/groups/billing/pending?consumer=bob")["items"] == []
    group = "/logs/orders/groups/billing"
    assert post(gateway, group + "/acknowledge", {"offsets": [1, "2-3"]}) == {"acknowledged": 3}
    assert post(gateway, group + "/give-back", {"offsets": [4]}) == {"returned": 1}
    assert post(gateway, group + "/extend", {"offsets": [5], "lease_ms": 600000}) == {"extended": 1}
    assert post(gateway, group + "/dead-letter", {"offsets": [6], "reason": "no"}) == {"given_up": 1}
    shown = {one["offset"]: one for one in get(gateway, group + "/pending")["items"]}
    assert set(shown) == {4, 5, 7, 8, 9, 10, 11, 12}
    assert shown[4]["consumer"] is None and shown[4]["retry"] == 0 and shown[5]["retry"] > 30000
    assert post(gateway, group + "/acknowledge", {"offsets": []}, 400)["code"] == "invalid"
    assert post(gateway, "/logs/orders/groups/none/acknowledge", {"offsets": [1]}, 404)["code"] == "nogroup"


@pytest.mark.parametrize("to, last", [(3, 2), ("first", 0), ("$", 5), ({"time": 0}, 0), ({"time": 9999999999999}, 5)])
def test_a_group_is_moved(gateway, c, to, last):
    c.call("TWRITE", "orders", "ENTRIES", *["new", "x"] * 5)
    c.call("TREAD", "orders", 1, 1, "GROUP", "billing")
    post(gateway, "/logs/orders/groups/billing/seek", {"to": to})
    assert get(gateway, "/logs/orders/groups/billing")["last"] == last


def test_a_group_is_removed(gateway, c):
    c.call("TGROUP", "CREATE", "orders", "billing")
    assert delete(gateway, "/logs/orders/groups/billing") == {"dropped": 1}
    assert post(gateway, "/logs/orders/groups/billing/seek", {"to": 1}, 404)["code"] == "nogroup"
    assert post(gateway, "/logs/orders/groups/billing/seek", {}, 400)["code"] == "invalid"


def make_dead_letters(c, count):
    c.call("TWRITE", "orders", "ENTRIES", *sum(([f"tag{n}", f"entry{n}"] for n in range(1, count + 1)), []))
    c.call("TGROUP", "CREATE", "orders", b"bill\xff", "DEADLETTER", "orders:dead")
    c.call("TREAD", "orders", 1, count, "GROUP", b"bill\xff", "RETRY", 30000, 0)
    c.call("TNACK", "orders", b"bill\xff", "DEAD", "no such customer", f"1-{count}")


def test_dead_letters_say_where_they_come_from(gateway, c):
    make_dead_letters(c, 3)
    c.call("TWRITE", "orders:dead", "by hand", "x")
    letters = pages(gateway, "/logs/orders%3Adead/dead", 2)
    assert [one["origin_offset"] for one in letters] == [1, 2, 3, None]
    assert letters[1] == {"offset": 2, "time": letters[1]["time"], "origin": "orders", "group": {"base64": "YmlsbP8="},
                          "origin_offset": 2, "attempts": 1, "why": "dead", "reason": "no such customer",
                          "tag": "tag2", "entry": "entry2", "bytes": 6}
    assert (letters[3]["origin"], letters[3]["tag"]) == (None, "by hand")


def test_chosen_dead_letters_are_sent_back_once(gateway, c):
    make_dead_letters(c, 4)
    redrive = "/logs/orders%3Adead/redrive"
    assert post(gateway, redrive, {"offsets": [2, 3]}) == {"sent": 2, "left": 2}
    assert post(gateway, redrive, {"offsets": [2, 9]}) == {"sent": 0, "left": 2}
    assert c.call("TREAD", "orders", 5, 9) == [[5, b"tag2", b"entry2"], [6, b"tag3", b"entry3"]]
    assert [one["origin_offset"] for one in get(gateway, "/logs/orders%3Adead/dead")["items"]] == [1, 4]


def test_all_dead_letters_are_sent_back_as_many_as_asked(gateway, c):
    make_dead_letters(c, 250)
    redrive = "/logs/orders%3Adead/redrive"
    assert post(gateway, redrive, {"all": True, "limit": 120}) == {"sent": 120, "left": 130}
    assert post(gateway, redrive, {"all": True}) == {"sent": 130, "left": 0}
    assert c.call("TINFO", "orders")[5] == 500
    for body in ({}, {"all": False}, {"offsets": [1], "all": True}, {"all": True, "limit": 0}):
        assert post(gateway, redrive, body, 400)["code"] == "invalid"


def test_the_schedule_is_paged_written_and_cancelled(gateway, c):
    for number in range(7):
        post(gateway, "/logs/orders/messages", {"tag": "later", "entry": str(number), "delay_ms": 600000 + number})
    for count in (1, 3, 7, 100):
        items = pages(gateway, "/logs/orders/schedule", count)
        assert [one["entry"] for one in items] == [str(number) for number in range(7)]
    ids = [one["id"] for one in items]
    assert items[0]["date"] > 1_500_000_000_000 and items[0]["tag"] == "later"
    assert post(gateway, "/logs/orders/schedule/now", {"ids": ids[:2]}) == {"written": 2}
    assert post(gateway, "/logs/orders/schedule/cancel", {"ids": ids[1:4]}) == {"cancelled": 2}
    assert get(gateway, "/logs/orders")["scheduled"] == 3
    assert post(gateway, "/logs/orders/schedule/now", {"ids": ["x"]}, 400)["code"] == "invalid"


# --- channels ---

def test_a_channel_is_shown_published_to_and_left(gateway, c):
    c.call("CHAN.SUBSCRIBE", "news", "ann")
    assert post(gateway, "/channels/news/messages", {"id": "1", "content": {"a": 1}}) == {"clock": 1}
    assert post(gateway, "/channels/news/messages", {"id": "1", "content": "again"}) == {"clock": None}
    for number in range(2, 8):
        c.call("CHAN.PUBLISH", "news", number, "x" * 20_000)
    shown = get(gateway, "/channels/news")
    assert (shown["clock"], shown["subscribers"], shown["messages"]) == (7, 1, 7)
    messages = pages(gateway, "/channels/news/messages", 3)
    assert [one["id"] for one in messages] == [str(number) for number in range(1, 8)]
    assert messages[0]["content"] == '{"a":1}' and messages[1]["cut"] and messages[1]["bytes"] == 20_000
    subscribers = get(gateway, "/channels/news/subscribers")
    assert subscribers["clock"] == 7 and [(one["name"], one["clock"]) for one in subscribers["items"]] == [("ann", 0)]
    assert delete(gateway, "/channels/news/subscribers/ann") == {"removed": 1}
    assert get(gateway, "/channels/none", 404)["code"] == "nosub"


# --- pools ---

def test_a_pool_is_shown_rebalanced_and_left(gateway, c):
    c.call("SHARD.JOIN", "mail", "w1")
    for number in range(12):
        c.call("SHARD.PUSH", "mail", f"r{number}", "hello")
    c.call("SHARD.JOIN", "mail", "w2")
    pool = get(gateway, "/pools/mail")
    assert (pool["joined"], pool["recipients"], pool["pending"]) == (2, 12, 12)
    assert [one["name"] for one in pool["workers"]] == ["w1", "w2"]
    assert sorted(one["name"] for one in pages(gateway, "/pools/mail/workers", 1)) == ["w1", "w2"]
    recipients = pages(gateway, "/pools/mail/workers/w1/recipients", 5)
    assert [(one["name"], one["pending"]) for one in recipients] == [(f"r{number}", 1) for number in range(12)]
    assert get(gateway, "/pools/mail/workers/none/recipients", 404)["code"] == "noworker"
    assert post(gateway, "/pools/mail/rebalance") == {"moved": 0}
    assert delete(gateway, "/pools/mail/workers/w1?now=1") == {"moved": 12}
    assert [one["name"] for one in get(gateway, "/pools/mail")["workers"]] == ["w2"]


# --- locks ---

def test_a_lock_is_shown_with_its_line_and_broken(gateway, server, c):
    c.call("LOCK.ACQUIRE", "report", "ann", 60000)
    with server.connect() as waiting:
        waiting.send("LOCK.ACQUIRE", "report", "bob", 60000, "WAIT", 60000)
        wait_until(lambda: get(gateway, "/locks/report")["waiting"] == 1, "bob waits")
        lock = get(gateway, "/locks/report")
        assert (lock["mode"], [one["owner"] for one in lock["holders"]]) == ("exclusive", ["ann"])
        assert [one["owner"] for one in lock["waiters"]] == ["bob"]
        waits = get(gateway, "/lock-waits")
        assert (waits["waiting"], waits["cycles"]) == (1, [])
        assert [(one["owner"], one["key"], one["holders"]) for one in waits["items"]] == [("bob", "report", ["ann"])]
        assert post(gateway, "/locks/report/break") == {"broken": 1}
        assert waiting.read()[0] == 1
    assert post(gateway, "/locks/free/break") == {"broken": 0}


# --- routes ---

def test_a_routing_table_names_the_devices_that_would_get_a_change(gateway, c):
    c.call("ROUTE.SUBSCRIBE", "tasks", "phone|push", "APP", "todo", "MODEL", "task", "FILTER", '{"priority":"high"}')
    for number in range(5):
        c.call("ROUTE.DEVICE", "SET", "tasks", f"d{number}|websocket", "USER", "ann")
    table = get(gateway, "/routes/tasks")
    assert (table["devices"], table["transports"]["push"]["devices"]) == (6, 1)
    assert len(pages(gateway, "/routes/tasks/devices", 2)) == 6
    assert get(gateway, "/routes/tasks/devices?transport=push")["items"] == [{"device": "phone|push"}]
    device = get(gateway, "/routes/tasks/devices/phone%7Cpush")
    assert device["subscribed-to"][0]["channel"] == "app:todo:model:task"
    filters = get(gateway, "/routes/tasks/filters?app=todo&model=task")["items"]
    assert [json.loads(one["filter"]) for one in filters] == [{"priority": {"$eq": "high"}}]
    assert len(get(gateway, "/routes/tasks/patterns?app=todo&model=task&id=1")["items"]) == 2
    change = {"app": "todo", "model": "task", "id": "t1", "document": {"priority": "high"}}
    heard = post(gateway, "/routes/tasks/match", change)["items"]
    assert heard == [{"transport": "push", "devices": [["phone", [["app:todo:model:task", filters[0]["id"], None]]]]}]
    assert post(gateway, "/routes/tasks/match", change | {"document": {"priority": "low"}})["items"] == []
    assert post(gateway, "/routes/tasks/match", {"app": "todo"}, 400)["code"] == "invalid"
    assert delete(gateway, "/routes/tasks/devices/phone%7Cpush") == {"subscriptions": 1}
    assert get(gateway, "/routes/tasks/devices/phone%7Cpush", 404)["code"] == "missing"
    assert get(gateway, "/routes/none", 404)["code"] == "missing"


# --- indexes ---

def test_an_index_is_shown_searched_and_checked(gateway, c):
    c.call("IDX.CREATE", "users", "PREFIX", "user:", "FIELD", "age", "INTEGER", "FIELD", "mail", "TEXT", "UNIQUE")
    for number in range(5):
        c.call("HSET", f"user:{number}", "age", 30 + number, "mail", f"{number}@example.com")
    c.call("HSET", "user:8", "age", "unknown", "mail", "0@example.com")
    index = get(gateway, "/indexes/users")
    assert (index["documents"], [field["name"] for field in index["fields"]]) == (6, ["age", "mail"])
    assert get(gateway, "/indexes/users/conflicts")["items"] == [
        {"key": "user:8", "field": "mail", "value": "0@example.com", "holder": "user:0"}]
    assert get(gateway, "/indexes/users/skipped")["items"] == [
        {"key": "user:8", "field": "age", "reason": "not an integer"}]
    find = {"words": ["WHERE", "age", ">=", "31", "ORDER", "age"], "count": 3}
    page = post(gateway, "/indexes/users/find", find)
    assert page["items"] == ["user:1", "user:2", "user:3"]
    page = post(gateway, "/indexes/users/find", find | {"cursor": page["cursor"]})
    assert page == {"items": ["user:4"]}
    assert post(gateway, "/indexes/users/check", {"repair": True})["state"] in ("done", "running")
    assert get(gateway, "/indexes/none", 404)["code"] == "missing"
    assert get(gateway, "/indexes/none/conflicts", 404)["code"] == "noindex"


# --- facts and dictionaries ---

def test_facts_and_terms_are_counted(gateway, c):
    c.call("FACT.ADD", "people", "ann", "knows", "bob")
    assert get(gateway, "/facts/people") == {"facts": 1, "names": 3, "name-bytes": 11}
    for term, score in (("Berlin", 36), ("Bern", 13), ("Kiel", 2)):
        c.call("SUG.ADD", "cities", term, "SCORE", score)
    cities = get(gateway, "/suggests/cities?prefix=Be")
    assert (cities["terms"], cities["items"]) == (3, [{"term": "Berlin", "score": "36"}, {"term": "Bern", "score": "13"}])


# --- keys ---

def test_only_keys_of_our_types_are_deleted(gateway, c):
    c.call("TWRITE", "orders", "new", "a")
    c.call("SET", "cache", "x")
    assert delete(gateway, "/keys/orders") == {"deleted": 1}
    assert delete(gateway, "/keys/orders") == {"deleted": 0}
    assert delete(gateway, "/keys/cache", 409)["code"] == "wrongtype"
    assert c.call("EXISTS", "cache") == 1


@pytest.mark.parametrize("name", [b"a/b", b"a\0b", b"\xff\xfe", b"<script>alert(1)</script>", b"a%2Fb?c#d", b" ", b".."])
def test_a_key_may_have_any_name(gateway, c, name):
    c.call("TWRITE", name, name, name)
    path = "/logs/" + quote(name, safe="")
    [message] = get(gateway, path + "/messages")["items"]
    shown = message["tag"]
    assert (shown.encode() if isinstance(shown, str) else base64.b64decode(shown["base64"])) == name
    c.call("TGROUP", "CREATE", name, name)
    assert get(gateway, path + "/groups/" + quote(name, safe=""))["last"] == 0
    assert delete(gateway, "/keys/" + quote(name, safe="")) == {"deleted": 1}


def test_another_type_or_command_is_refused_as_the_server_says(gateway, c):
    c.call("SET", "cache", "x")
    assert get(gateway, "/logs/cache", 409)["code"] == "wrongtype"
    assert gateway.json("GET", ADMIN + "/logs/x/messages?count=0")[0] == 400
