"""Devices: which exist, by which transport, since when, and what is removed with a device."""

import pytest

from route_words import TASK, WS, device, get, info, listed, match, subscribe


# --- SET and GET ---


def test_set_says_whether_the_device_is_new(c):
    assert device(c) == 1
    assert device(c) == 0
    assert device(c, "d2|ws") == 1


def test_the_same_device_on_two_transports_is_two(c):
    assert (device(c, "d1|ws", "USER", "ann"), device(c, "d1|mqtt", "USER", "bob")) == (1, 1)
    assert (get(c, "d1|ws")["user"], get(c, "d1|mqtt")["user"]) == (b"ann", b"bob")
    assert (get(c, "d1|ws")["transport"], get(c, "d1|mqtt")["transport"]) == (b"ws", b"mqtt")
    c.call("ROUTE.DEVICE", "DEL", "t", "d1|ws")
    assert (get(c, "d1|ws"), get(c, "d1|mqtt")["user"]) == (None, b"bob")


def test_a_device_is_taken_apart_at_the_last_bar(c):
    device(c, "a|b|ws")
    subscribe(c, "a|b|ws")
    assert get(c, "a|b|ws")["transport"] == b"ws"
    assert c.call("ROUTE.MATCH", "t", *TASK) == [[b"ws", [b"a|b"]]]


def test_get_returns_everything(s, clock):
    device(s, WS, "USER", "ann", "AGENT", "Mozilla/5.0 \xe4", "TTL", "5000")
    clock.advance(100)
    subscribe(s)
    subscribe(s, filter={"a": 1})
    assert get(s) == {
        "user": b"ann",
        "transport": b"ws",
        "agent": "Mozilla/5.0 \xe4".encode(),
        "connected-at": clock.now - 100,
        "last-seen": clock.now - 100,
        "subscriptions": 2,
        "ttl": 4900,
    }


def test_get_is_a_map_in_resp3_and_flat_in_resp2(c, connect):
    device(c)
    flat = c.call("ROUTE.DEVICE", "GET", "t", WS)
    mapped = connect(protocol=3).call("ROUTE.DEVICE", "GET", "t", WS)
    assert list(mapped) == [b"user", b"transport", b"agent", b"connected-at", b"last-seen", b"subscriptions", b"ttl"]
    assert flat == [part for pair in mapped.items() for part in pair]


def test_a_field_that_was_never_set_is_null(c):
    device(c)
    assert (get(c)["user"], get(c)["agent"], get(c)["ttl"], get(c)["subscriptions"]) == (None, None, -1, 0)


@pytest.mark.parametrize("protocol, null", [(2, b"$-1\r\n"), (3, b"_\r\n")])
def test_get_of_a_missing_device_is_null(c, connect, protocol, null):
    there = connect(protocol)
    assert there.bytes_of("ROUTE.DEVICE", "GET", "missing", WS) == null
    device(c)
    assert there.bytes_of("ROUTE.DEVICE", "GET", "t", "d2|ws") == null
    assert c.call("EXISTS", "missing") == 0


def test_set_leaves_what_is_not_named(s, clock):
    device(s, WS, "USER", "ann", "AGENT", "one", "TTL", "9000")
    clock.advance(10)
    assert device(s, WS, "agent", "two") == 0
    known = get(s)
    assert (known["user"], known["agent"], known["ttl"]) == (b"ann", b"two", 9000)
    assert (known["connected-at"], known["last-seen"]) == (clock.now - 10, clock.now)
    device(s, WS, "TTL", "0")
    assert get(s)["ttl"] == -1


def test_full_lists_what_the_device_has_subscribed_to(s, clock):
    assert get(s, WS, "FULL") is None
    device(s)
    assert get(s, WS, "FULL")["subscribed-to"] == []
    subscribe(s, options=("TTL", "700"))
    id = subscribe(s, filter={"a": 1})
    s.call("ROUTE.SETFILTER", "t", "named", '{"a": 2}', *TASK)
    subscribe(s, about=("APP", "shop", "MODEL", "task", "USER", "u", "ID", "i"))
    subscribe(s, options=("FILTERID", "named"))
    clock.advance(200)
    everything = [
        [b"app:shop:model:task", None, 500],
        [b"app:shop:model:task", id, -1],
        [b"app:shop:user:u:model:task:id:i", None, -1],
        [b"app:shop:model:task", b"named", -1],
    ]
    assert sorted(get(s, WS, "FULL")["subscribed-to"], key=repr) == sorted(everything, key=repr)
    assert len(get(s, WS, "full", "count", "3")["subscribed-to"]) == 3
    assert get(s, WS, "FULL", "COUNT", "3")["subscriptions"] == 4


# --- TOUCH ---


def test_touch_moves_last_seen_and_nothing_else(s, clock):
    device(s, WS, "USER", "ann")
    before = get(s)
    clock.advance(50)
    assert s.call("ROUTE.DEVICE", "TOUCH", "t", WS) == 1
    assert get(s) == {**before, "last-seen": before["last-seen"] + 50}


def test_touch_takes_several_devices_and_counts_those_that_are_there(s, clock):
    for name in ("a|ws", "b|ws", "c|ws"):
        device(s, name)
    clock.advance(50)
    assert s.call("ROUTE.DEVICE", "TOUCH", "t", "a|ws", "c|ws", "nobody|ws") == 2
    seen = {name: get(s, name)["last-seen"] for name in ("a|ws", "b|ws", "c|ws")}
    assert seen["a|ws"] == seen["c|ws"] == seen["b|ws"] + 50


def test_touch_makes_no_device(c):
    assert c.call("ROUTE.DEVICE", "TOUCH", "t", WS) == 0
    assert c.call("EXISTS", "t") == 0
    device(c, "other|ws")
    assert c.call("ROUTE.DEVICE", "TOUCH", "t", WS) == 0
    assert listed(c) == ["other|ws"]


def test_a_subscription_does_not_move_last_seen(s, clock):
    device(s)
    seen = get(s)["last-seen"]
    clock.advance(50)
    subscribe(s)
    match(s)
    assert get(s)["last-seen"] == seen


# --- DEL ---


def test_del_says_how_many_subscriptions_were_deleted(c):
    device(c)
    subscribe(c)
    subscribe(c, filter={"a": 1})
    subscribe(c, filter={"a": 2})
    device(c, "other|ws")
    assert c.call("ROUTE.DEVICE", "DEL", "t", WS) == 3
    assert c.call("ROUTE.DEVICE", "DEL", "t", WS) == 0
    assert get(c) is None
    assert (match(c), match(c, {"a": 1})) == ([], [])
    known = info(c)
    assert (known["devices"], known["subscriptions"], known["filters"], known["channels"]) == (1, 0, 0, 0)


def test_a_device_that_comes_again_starts_afresh(s, clock):
    device(s, WS, "USER", "ann", "TTL", "1000")
    subscribe(s)
    s.call("ROUTE.DEVICE", "DEL", "t", WS)
    clock.advance(5)
    assert device(s) == 1
    assert get(s) == {
        "user": None, "transport": b"ws", "agent": None,
        "connected-at": clock.now, "last-seen": clock.now, "subscriptions": 0, "ttl": -1,
    }
    assert match(s) == []


def test_a_table_is_deleted_with_its_last_device(c):
    device(c)
    subscribe(c, filter={"a": 1})
    c.call("ROUTE.DEVICE", "DEL", "t", WS)
    assert c.call("EXISTS", "t") == 0


def test_a_table_with_a_named_filter_stays(c):
    device(c)
    c.call("ROUTE.SETFILTER", "t", "named", '{"a": 2}', *TASK)
    c.call("ROUTE.DEVICE", "DEL", "t", WS)
    assert c.call("EXISTS", "t") == 1
    assert c.call("ROUTE.DELFILTER", "t", "named", *TASK) == 0
    assert c.call("EXISTS", "t") == 0


# --- LIST ---


def test_list_goes_through_all_devices_in_portions(c):
    names = sorted(f"d{n}|{transport}" for n in range(120) for transport in ("ws", "mqtt"))
    for name in names:
        device(c, name)
    for page in (1, 7, 100, 1_000_000):
        assert listed(c, page=page) == names
    cursor, first = c.call("ROUTE.DEVICE", "LIST", "t")
    assert (len(first), cursor) == (100, b"100")


def test_list_takes_a_transport_and_a_user(c):
    for name, user in (("d1|ws", "ann"), ("d2|ws", "bob"), ("d3|mqtt", "ann")):
        device(c, name, "USER", user)
    device(c, "d4|ws")
    assert listed(c, "TRANSPORT", "ws") == ["d1|ws", "d2|ws", "d4|ws"]
    assert listed(c, "USER", "ann") == ["d1|ws", "d3|mqtt"]
    assert listed(c, "user", "ann", "transport", "ws") == ["d1|ws"]
    assert listed(c, "TRANSPORT", "http") == []
    assert listed(c, "USER", "ann", page=1) == ["d1|ws", "d3|mqtt"]


def test_list_of_a_missing_table_is_empty(c):
    assert c.call("ROUTE.DEVICE", "LIST", "t") == [b"0", []]
    assert c.call("EXISTS", "t") == 0


def test_a_cursor_beyond_the_end_is_the_end(c):
    device(c)
    assert c.call("ROUTE.DEVICE", "LIST", "t", "CURSOR", 2**32 - 1) == [b"0", []]


def test_what_stays_is_listed_once_while_others_come_and_go(c):
    for n in range(100):
        device(c, f"stays {n}|ws")
        device(c, f"goes {n}|ws")
    found, cursor, step = [], b"0", 0
    while cursor != b"0" or step == 0:
        cursor, names = c.call("ROUTE.DEVICE", "LIST", "t", "CURSOR", cursor, "COUNT", "10")
        found += [name for name in names if name.startswith(b"stays")]
        c.call("ROUTE.DEVICE", "DEL", "t", f"goes {step}|ws")
        device(c, f"new {step}|ws")
        step += 1
    assert sorted(found) == sorted(b"stays %d|ws" % n for n in range(100))


# --- names ---


@pytest.mark.parametrize("name", ["größe|žluť", "a b|c d", "\n|\x00", "x" * 512 + "|" + "y" * 512, '"\\|"', "|a|b"])
def test_names_are_any_text(c, name):
    id, transport = name.rsplit("|", 1)
    assert device(c, name, "USER", name[:300]) == 1
    subscribe(c, name)
    assert get(c, name)["transport"] == transport.encode()
    assert listed(c) == [name]
    assert c.call("ROUTE.MATCH", "t", *TASK) == [[transport.encode(), [id.encode()]]]
    assert c.call("ROUTE.DEVICE", "DEL", "t", name) == 1


def test_an_agent_is_any_bytes(c):
    device(c, WS, "AGENT", bytes(range(256)) * 16)
    assert get(c)["agent"] == bytes(range(256)) * 16
