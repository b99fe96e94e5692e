"""Subscriptions: to a channel, with or without a filter, each once."""

import pytest

from route_words import TASK, WS, channel, device, filters, get, info, match, subscribe, unsubscribe

CHANNELS = {
    b"app:shop:model:task": channel(),
    b"app:shop:user:u7:model:task": channel(user="u7"),
    b"app:shop:model:task:id:t1": channel(id="t1"),
    b"app:shop:user:u7:model:task:id:t1": channel(user="u7", id="t1"),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_subscribe_returns_the_channel_as_it_is_written(c, name):
    assert c.call("ROUTE.SUBSCRIBE", "t", WS, *CHANNELS[name]) == [name, None]
    assert get(c, WS, "FULL")["subscribed-to"] == [[name, None, -1]]


@pytest.mark.parametrize("protocol, null", [(2, b"$-1\r\n"), (3, b"_\r\n")])
def test_without_a_filter_its_id_is_null(connect, protocol, null):
    answer = connect(protocol).bytes_of("ROUTE.SUBSCRIBE", "t", WS, *TASK)
    assert answer == b"*2\r\n$19\r\napp:shop:model:task\r\n" + null


def test_with_a_filter_it_returns_its_id(c):
    where, id = c.call("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", '{"a": 1}')
    assert where == b"app:shop:model:task"
    assert len(id) == 32 and set(id) <= set(b"0123456789abcdef")
    assert filters(c) == {id.decode(): {"a": {"$eq": 1}}}


def test_words_come_in_any_order_and_case(c):
    words = ("filter", '{"a": 1}', "id", "t1", "ttl", "5000", "model", "task", "user", "u7", "App", "shop")
    assert c.call("ROUTE.SUBSCRIBE", "t", WS, *words)[0] == b"app:shop:user:u7:model:task:id:t1"
    words = ("FILTER", '{"a": 1}', "ID", "t1", "USER", "u7", "MODEL", "task", "APP", "shop")
    assert c.call("ROUTE.UNSUBSCRIBE", "t", WS, *words) == 1


def test_a_device_that_does_not_exist_is_made(s, clock):
    subscribe(s)
    assert get(s)["user"] is None
    assert (get(s)["ttl"], get(s)["connected-at"], get(s)["subscriptions"]) == (-1, clock.now, 1)


def test_subscribing_again_is_the_same_subscription(c):
    for _ in range(3):
        subscribe(c)
        subscribe(c, filter={"a": 1})
    assert get(c)["subscriptions"] == 2
    assert info(c)["subscriptions"] == 2
    assert unsubscribe(c) == 1
    assert unsubscribe(c) == 0


def test_unsubscribe_ends_that_one_alone(c):
    subscribe(c)
    subscribe(c, filter={"a": 1})
    subscribe(c, filter={"a": 2})
    subscribe(c, "d2|ws", filter={"a": 1})
    assert unsubscribe(c, filter={"a": 1}) == 1
    assert match(c, {"a": 1}) == ["d1|ws", "d2|ws"], "d1 still hears everything"
    assert unsubscribe(c) == 1
    assert match(c, {"a": 1}) == ["d2|ws"]
    assert match(c, {"a": 2}) == ["d1|ws"]


def test_unsubscribe_takes_the_filters_id_or_name(c):
    id = subscribe(c, filter={"a": 1})
    c.call("ROUTE.SETFILTER", "t", "named", '{"a": 2}', *TASK)
    subscribe(c, options=("FILTERID", "named"))
    assert unsubscribe(c, options=("FILTERID", "other")) == 0
    assert unsubscribe(c, options=("FILTERID", id)) == 1
    assert unsubscribe(c, options=("FILTERID", id)) == 0
    assert unsubscribe(c, options=("FILTERID", "named")) == 1
    assert unsubscribe(c, options=("FILTERID", "named")) == 0
    assert filters(c) == {"named": {"a": {"$eq": 2}}}


def test_unsubscribe_takes_the_filter_written_differently(c):
    subscribe(c, filter='{"a": 1, "b": {"$in": [2, 3]}}')
    assert unsubscribe(c, filter='{ "$and": [ {"b": {"in": [3, 2.0]}}, {"a": {"$eq": 1e0}} ] }') == 1


@pytest.mark.parametrize("key", ["t", "missing"])
def test_unsubscribe_of_what_is_not_there_is_0(c, key):
    device(c)
    subscribe(c, "d2|ws")
    for about in (TASK, channel(user="u")):
        assert unsubscribe(c, about=about, key=key) == 0
        assert unsubscribe(c, about=about, key=key, filter={"a": 1}) == 0
        assert unsubscribe(c, "stranger|ws", about=about, key=key) == 0
        assert unsubscribe(c, about=about, key=key, options=("FILTERID", "f")) == 0
    assert c.call("EXISTS", "missing") == 0
    assert match(c) == ["d2|ws"]


def test_a_device_stays_when_its_last_subscription_goes(c):
    subscribe(c)
    unsubscribe(c)
    assert get(c)["subscriptions"] == 0
    assert info(c)["channels"] == 0


def test_channels_are_distinguished_whatever_their_parts_contain(c):
    one, other = channel("a", "m", user="u:model:x"), channel("a:user:u", "x:model:m")
    first, second = c.call("ROUTE.SUBSCRIBE", "t", "d1|ws", *one), c.call("ROUTE.SUBSCRIBE", "t", "d2|ws", *other)
    assert (first, second) == ([b"app:a:user:u%3Amodel%3Ax:model:m", None], [b"app:a%3Auser%3Au:model:x%3Amodel%3Am", None])
    assert c.call("ROUTE.PATTERNS", *one)[-1:] == first[:1]
    assert match(c, about=one) == ["d1|ws"]
    assert match(c, about=other) == ["d2|ws"]


def test_a_part_that_is_a_keyword_is_a_part(c):
    about = ("APP", "MODEL", "MODEL", "USER", "USER", "ID", "ID", "FILTER")
    assert c.call("ROUTE.SUBSCRIBE", "t", WS, *about)[0] == b"app:MODEL:user:ID:model:USER:id:FILTER"
    assert match(c, about=about) == [WS]


def test_many_devices_share_a_channel_and_a_filter(c):
    names = sorted(f"d{n}|ws" for n in range(500))
    for name in names:
        subscribe(c, name, filter={"a": 1})
    known = info(c)
    assert (known["devices"], known["subscriptions"], known["filters"], known["channels"]) == (500, 500, 1, 1)
    assert match(c, {"a": 1}) == names
    for name in names[::2]:
        assert unsubscribe(c, name, filter={"a": 1}) == 1
    assert match(c, {"a": 1}) == names[1::2]
