"""ROUTE.INFO, INFO millrace, and commands about channels that need no table."""

import json
import zlib

import pytest

from route_words import TASK, channel, device, info, match, subscribe, unsubscribe
from server import Server


def test_info_counts_what_is_there(c):
    device(c, "d0|ws")
    assert info(c) == {
        "devices": 1, "subscriptions": 0, "filters": 0, "channels": 0, "matches": 0,
        "dispatch-ids": 0, "filter-failures": 0, "transports": {"ws": {"devices": 1, "matched": 0}}, "top-channels": [],
        "failing-filters": [], "presence-queues": None,
    }
    subscribe(c, "d1|ws")
    subscribe(c, "d1|mqtt", filter={"a": 1})
    subscribe(c, "d2|mqtt", filter={"a": 1})
    subscribe(c, "d2|mqtt", about=channel(user="u"), filter={"a": 2})
    known = info(c)
    assert [known[name] for name in ("devices", "subscriptions", "filters", "channels")] == [4, 4, 2, 2]
    assert {name: each["devices"] for name, each in known["transports"].items()} == {"ws": 2, "mqtt": 2}


def test_info_is_a_map_of_maps_in_resp3(c, connect):
    subscribe(c)
    match(c)
    mapped = connect(protocol=3).call("ROUTE.INFO", "t")
    names = [b"devices", b"subscriptions", b"filters", b"channels", b"matches", b"dispatch-ids", b"filter-failures"]
    names += [b"transports", b"top-channels", b"failing-filters", b"presence-queues"]
    assert list(mapped) == names
    assert mapped[b"transports"] == {b"ws": {b"devices": 1, b"matched": 1}}
    assert mapped[b"top-channels"] == [{b"channel": b"app:shop:model:task", b"changes": 1, b"subscriptions": 1}]
    flat = c.call("ROUTE.INFO", "t")
    assert flat[::2] == names
    assert flat[15] == [b"ws", [b"devices", 1, b"matched", 1]]
    assert flat[17] == [[b"channel", b"app:shop:model:task", b"changes", 1, b"subscriptions", 1]]


@pytest.mark.parametrize("protocol, null", [(2, b"$-1\r\n"), (3, b"_\r\n")])
def test_info_of_a_missing_table_is_null(c, connect, protocol, null):
    assert connect(protocol).bytes_of("ROUTE.INFO", "t") == null
    assert c.call("EXISTS", "t") == 0


def test_info_counts_matches_and_the_devices_found(c):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|ws", filter={"a": 1})
    subscribe(c, "d3|mqtt", filter={"a": 1})
    match(c)
    match(c, {"a": 1})
    c.call("ROUTE.DISPATCH", "t", *TASK, "DOC", '{"a": 1}', "EVENT", "e", "QUEUES", "ws", "log")
    known = info(c)
    assert known["matches"] == 3
    assert {name: each["matched"] for name, each in known["transports"].items()} == {"ws": 5, "mqtt": 2}


def test_the_channels_heard_most_come_first(c):
    for n in range(15):
        subscribe(c, about=channel(model=f"m{n}"))
        subscribe(c, "d2|ws", about=channel(model=f"m{n}"), filter={"a": 1})
        for _ in range(n + 1):
            match(c, about=channel(model=f"m{n}"))
    match(c, about=channel(model="nobody's"))
    top = info(c)["top-channels"]
    assert [each["channel"] for each in top] == [b"app:shop:model:m%d" % n for n in range(14, 4, -1)]
    assert [each["changes"] for each in top] == list(range(15, 5, -1))
    assert {each["subscriptions"] for each in top} == {2}


def test_a_change_counts_on_each_channel_with_subscriptions(c):
    subscribe(c)
    subscribe(c, about=channel(user="u"))
    match(c, about=channel(user="u", id="i"))
    match(c)
    assert {each["channel"]: each["changes"] for each in info(c)["top-channels"]} == {
        b"app:shop:model:task": 2,
        b"app:shop:user:u:model:task": 1,
    }


def test_a_channel_that_goes_is_not_among_the_top(c):
    device(c)
    subscribe(c)
    match(c)
    unsubscribe(c)
    assert info(c)["top-channels"] == []


def test_a_transport_is_forgotten_with_its_last_device(c):
    device(c, "d1|ws")
    device(c, "d2|mqtt")
    c.call("ROUTE.DEVICE", "DEL", "t", "d2|mqtt")
    assert list(info(c)["transports"]) == ["ws"]


def test_info_millrace_counts_over_all_tables(server, c):
    names = ("route_matches", "route_devices_matched", "route_messages_dispatched")
    before = [server.counter(name) for name in names]
    for key in ("t", "u"):
        subscribe(c, "d1|ws", key=key)
        subscribe(c, "d2|ws", key=key)
        match(c, key=key)
    assert [server.counter(name) - old for name, old in zip(names, before)] == [2, 4, 0]


def test_the_counters_are_not_part_of_the_table(server, c):
    subscribe(c)
    match(c)
    before = server.digest("t")
    match(c)
    assert server.digest("t") == before
    c.call("DEBUG", "RELOAD")
    assert server.digest("t") == before
    assert info(c)["matches"] == 0


# --- without any table ---


@pytest.mark.parametrize(
    "about, patterns",
    [
        (channel(), ["app:shop:model:task"]),
        (channel(id="i"), ["app:shop:model:task", "app:shop:model:task:id:i"]),
        (channel(user="u"), ["app:shop:model:task", "app:shop:user:u:model:task"]),
        (
            channel(user="u", id="i"),
            ["app:shop:model:task", "app:shop:model:task:id:i", "app:shop:user:u:model:task", "app:shop:user:u:model:task:id:i"],
        ),
    ],
    ids=lambda value: ":".join(value[1::2]) if isinstance(value, tuple) else None,
)
def test_patterns_are_the_channels_a_change_is_heard_on(c, about, patterns):
    assert c.call("ROUTE.PATTERNS", *about) == [name.encode() for name in patterns]
    for number, name in enumerate(c.call("ROUTE.PATTERNS", *about)):
        parts = dict(zip(about[::2], about[1::2]))
        words = [("APP", parts["APP"]), ("MODEL", parts["MODEL"])]
        words += [("USER", parts["USER"])] if b":user:" in name else []
        words += [("ID", parts["ID"])] if b":id:" in name else []
        assert c.call("ROUTE.SUBSCRIBE", "t", f"d{number}|ws", *[word for pair in words for word in pair])[0] == name
    assert len(match(c, about=about)) == len(patterns)


CHANNELS = ["app:myapp:model:task", "app:myapp:user:user123:model:task", "x", "größe", "123456789", "a" * 2000]


@pytest.mark.parametrize("name", CHANNELS, ids=lambda name: name[:20])
def test_a_partition_is_the_crc32_modulo_their_number(c, name):
    crc = zlib.crc32(name.encode())
    assert c.call("ROUTE.PARTITION", name) == crc % 1024
    for n in (1, 2, 3, 16, 1000, 2**32 - 1):
        assert c.call("ROUTE.PARTITION", name, "partitions", n) == crc % n


def test_they_need_no_key(c):
    for words in (("ROUTE.PATTERNS", *TASK), ("ROUTE.PARTITION", "x")):
        assert c.error_of("COMMAND", "GETKEYS", *words) == "ERR The command has no key arguments"
    assert c.call("KEYS", "*") == []


# Finding 5 of routes: for regular expressions MEMORY USAGE was 15 times too large.
@pytest.mark.parametrize("condition", [
    lambda n: {"owner": f"u{n}", "n": {"$gt": n % 100}},
    lambda n: {"name": {"$regex": f"^(?:a|b)+c{n}$"}},
], ids=["plain", "regular expression"])
def test_memory_usage_is_what_the_server_uses(condition):
    def used():
        return int(server.info("memory")["used_memory"])

    # A server of its own, so that nothing else changes its memory; client buffers are small in comparison with 5,000
    # filters.
    with Server() as server:
        filters = [("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *TASK, "FILTER", json.dumps(condition(n))) for n in range(5000)]
        server.admin.call_all(filters[:1])
        before = used() - server.admin.call("MEMORY", "USAGE", "t", "SAMPLES", "0")
        for begin in range(1, len(filters), 100):
            server.admin.call_all(filters[begin : begin + 100])
        server.admin.call("ROUTE.MATCH", "t", *TASK, "DOC", json.dumps({"name": "abc7", "owner": "u7", "n": 500}))
        taken = used() - before
        assert abs(server.admin.call("MEMORY", "USAGE", "t", "SAMPLES", "0") / taken - 1) < 0.2
