"""Large answers come in pages: matches, filters, subscribers, a device's subscriptions, and the devices of a transport
that was removed."""

import pytest

from route_words import TASK, WS, channel, device, do, fields, filters, get, info, listed, match, subscribe, subscribers, unsubscribe


def pages(c, *words, limit, key="t", about=TASK):
    """The pages of a match: [[(device|transport), ...], ...]"""
    found, cursor = [], b"0"
    while True:
        cursor, transports = c.call("ROUTE.MATCH", key, *about, *words, "LIMIT", limit, "AFTER", cursor)
        found.append([f"{one.decode()}|{transport.decode()}" for transport, devices in transports for one in devices])
        if cursor == b"0":
            return found


# --- MATCH LIMIT ---


@pytest.mark.parametrize("limit", [1, 7, 99, 100, 101, 1000])
def test_the_pages_of_a_match_have_each_device_once(c, limit):
    names = sorted(f"d{n:03}|{('ws', 'mqtt')[n % 2]}" for n in range(100))
    do(c, [("ROUTE.SUBSCRIBE", "t", name, *TASK) for name in names])
    do(c, [("ROUTE.SUBSCRIBE", "t", name, *TASK, "FILTER", '{"a": 1}') for name in names[::3]])
    found = pages(c, "DOC", '{"a": 1}', limit=limit)
    assert sorted(name for page in found for name in page) == names
    assert all(len(page) <= limit for page in found)


def test_a_page_says_what_the_change_means_for_all_subscriptions_of_a_device(c):
    for n in range(10):
        subscribe(c, f"d{n}|ws", filter={"a": 1})
        subscribe(c, f"d{n}|ws", filter={"a": {"$lt": 5}})
    cursor, [[_, devices]] = c.call("ROUTE.MATCH", "t", *TASK, "DOC", '{"a": 1}', "OLD", '{"a": 2}', "LIMIT", "5")
    assert cursor != b"0"
    assert {(together, tuple(sorted(meaning for _, _, meaning in each))) for _, together, each in devices} == {(b"update", (b"enter", b"update"))}


def test_an_empty_page_is_the_last(c):
    subscribe(c)
    assert c.call("ROUTE.MATCH", "t", *channel(user="u", model="x"), "LIMIT", "5") == [b"0", []]
    assert c.call("ROUTE.MATCH", "t", *TASK, "LIMIT", "5", "AFTER", "1000000") == [b"0", []]
    assert c.call("ROUTE.MATCH", "missing", *TASK, "LIMIT", "5") == [b"0", []]


def test_a_dispatch_can_be_sent_in_pages(c):
    do(c, [("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *TASK) for n in range(25)])
    cursor, counts = b"0", []
    while True:
        cursor, [[_, count, _]] = c.call("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "ID", "x", "LIMIT", "10", "AFTER", cursor, "QUEUES", "ws", "log")
        counts.append(count)
        if cursor == b"0":
            break
    assert counts == [10, 10, 5]
    assert len(c.call("TREAD", "log", "1", "100")) == 3
    again = c.call("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "ID", "x", "LIMIT", "10", "QUEUES", "ws", "log")
    assert again[0] != b"0" and again[1] == [[b"ws", 10, 1]], "each page counts once"
    assert len(c.call("TREAD", "log", "1", "100")) == 3


# --- FILTERS ---


def test_filters_come_in_pages(c):
    ids = {subscribe(c, filter={"a": n}).decode() for n in range(250)}
    cursor, page = c.call("ROUTE.FILTERS", "t", *TASK)
    assert cursor != b"0" and len(fields(page)) == 100
    assert set(filters(c, page=7)) == set(filters(c)) == ids
    c.call("ROUTE.SETFILTER", "t", "name", '{"a": 7}', *TASK)
    assert set(filters(c, page=7)) == ids | {"name"}, "a name shares the filter of an id"


# --- SUBSCRIBERS ---


@pytest.mark.parametrize("page", [1, 3, 1000])
def test_subscribers_are_all_that_have_subscribed_to_the_channel(c, page):
    subscribe(c, "all|ws")
    high = [subscribe(c, f"d{n}|ws", filter={"prio": "high"}).decode() for n in range(5)][0]
    c.call("ROUTE.SETFILTER", "t", "urgent", '{"prio": "high"}', *TASK)
    for n in range(3):
        c.call("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *TASK, "FILTERID", "urgent")
    subscribe(c, "other|ws", about=channel(user="u"))
    named = [(f"d{n}|ws", "urgent") for n in range(3)]
    unnamed = [(f"d{n}|ws", high) for n in range(5)]
    assert subscribers(c, page=page) == sorted([("all|ws", None), *named, *unnamed], key=str)
    assert subscribers(c, "FILTERID", "urgent", page=page) == named
    assert subscribers(c, "FILTERID", high, page=page) == unnamed
    assert subscribers(c, "FILTERID", "none such", page=page) == []
    assert subscribers(c, about=channel(user="u"), page=page) == [("other|ws", None)]
    assert subscribers(c, about=channel(model="x"), page=page) == subscribers(c, key="missing") == []


def test_a_device_that_is_there_all_the_time_is_listed_although_others_are_deleted(c):
    do(c, [("ROUTE.SUBSCRIBE", "t", f"d{n:03}|ws", *TASK) for n in range(200)])
    found, cursor, gone = [], b"0", 0
    while True:
        cursor, some = c.call("ROUTE.SUBSCRIBERS", "t", *TASK, "CURSOR", cursor, "COUNT", "20")
        found += [name.decode() for name, _ in some]
        if cursor == b"0":
            break
        unsubscribe(c, f"d{gone * 2:03}|ws")
        gone += 1
    assert set(found) >= {f"d{n:03}|ws" for n in range(1, 200, 2)}


def test_a_device_that_has_expired_is_not_listed(s, clock):
    subscribe(s, "brief|ws", options=("TTL", "100"))
    subscribe(s, "stays|ws")
    s.call("MULTI")
    clock.advance(100)
    s.call("ROUTE.SUBSCRIBERS", "t", *TASK)
    assert s.call("EXEC") == [[b"0", [[b"stays|ws", None]]]]


# --- DEVICE GET FULL ---


def test_the_subscriptions_of_a_device_come_in_pages(c):
    for n in range(25):
        subscribe(c, about=channel(id=f"i{n}"))
    found, cursor = [], b"0"
    while True:
        page = get(c, WS, "FULL", "COUNT", "10", "CURSOR", cursor)
        found += [name for name, _, _ in page["subscribed-to"]]
        cursor = page["cursor"]
        if cursor == b"0":
            break
    assert sorted(found) == sorted(b"app:shop:model:task:id:i%d" % n for n in range(25))


# --- DEVICE DEL TRANSPORT ---


def test_the_devices_of_a_transport_are_deleted_some_at_a_time(server, c):
    do(c, [("ROUTE.SUBSCRIBE", "t", f"d{n}|{('gone', 'stays')[n % 2]}", *TASK) for n in range(50)])
    assert c.call("ROUTE.DEVICE", "DEL", "t", "TRANSPORT", "gone", "COUNT", "10") == 10
    assert info(c)["transports"]["gone"]["devices"] == 15
    assert c.call("ROUTE.DEVICE", "DEL", "t", "TRANSPORT", "gone") == 15
    assert c.call("ROUTE.DEVICE", "DEL", "t", "TRANSPORT", "gone") == 0
    assert listed(c) == match(c) == sorted(f"d{n}|stays" for n in range(1, 50, 2))
    assert c.call("ROUTE.DEVICE", "DEL", "missing", "TRANSPORT", "gone") == 0
    assert c.call("ROUTE.DEVICE", "DEL", "t", "TRANSPORT", "stays") == 25
    assert c.call("EXISTS", "t") == 0


def test_a_replica_deletes_the_same_devices_of_a_transport(server, replica, c):
    do(c, [("ROUTE.DEVICE", "SET", "t", f"d{n}|ws") for n in range(40)])
    device(c, "late|ws")
    assert c.call("ROUTE.DEVICE", "DEL", "t", "TRANSPORT", "ws", "COUNT", "15") == 15
    server.wait_for_replica(replica)
    assert server.digest("t") == replica.digest("t")
