"""Expiry, exact to the millisecond: something that lives 100 ms exists after 99 ms and is gone after 100."""

import pytest

from route_words import TASK, WS, channel, device, do, filters, get, info, listed, match, subscribe, unsubscribe
from server import wait_until


def counts(c, key="t"):
    known = info(c, key)
    return known and tuple(known[name] for name in ("devices", "subscriptions", "filters", "channels"))


# --- devices ---


def test_a_device_lives_as_long_as_its_ttl(s, clock):
    device(s, WS, "TTL", "100")
    device(s, "stays|ws")
    subscribe(s)
    clock.advance(99)
    assert (get(s)["ttl"], match(s), listed(s)) == (1, [WS], [WS, "stays|ws"])
    clock.advance(1)
    assert (get(s), match(s), listed(s)) == (None, [], ["stays|ws"])
    assert s.call("ROUTE.DEVICE", "TOUCH", "t", WS) == 0
    assert s.call("ROUTE.DEVICE", "DEL", "t", WS) == 0
    assert unsubscribe(s) == 0


@pytest.mark.parametrize("renew", [("ROUTE.DEVICE", "TOUCH", "t", WS), ("ROUTE.DEVICE", "SET", "t", WS)], ids=lambda w: w[1])
def test_touch_and_set_renew_a_device(s, clock, renew):
    device(s, WS, "TTL", "100")
    subscribe(s)
    for _ in range(5):
        clock.advance(99)
        s.call(*renew)
    assert (get(s)["ttl"], match(s)) == (100, [WS])
    clock.advance(100)
    assert get(s) is None


def test_a_subscription_does_not_renew_a_device(s, clock):
    device(s, WS, "TTL", "100")
    clock.advance(60)
    subscribe(s)
    clock.advance(40)
    assert (get(s), match(s)) == (None, [])


def test_a_device_that_has_ended_starts_afresh(s, clock):
    device(s, WS, "USER", "ann", "TTL", "100")
    subscribe(s)
    clock.advance(100)
    assert device(s) == 1
    assert (get(s)["user"], get(s)["subscriptions"], get(s)["ttl"], get(s)["connected-at"]) == (None, 0, -1, clock.now)
    assert match(s) == []


def test_subscribing_for_a_device_that_has_ended_makes_a_new_one(s, clock):
    device(s, WS, "USER", "ann", "TTL", "100")
    subscribe(s, filter={"a": 1})
    clock.advance(100)
    subscribe(s)
    assert (get(s)["user"], get(s)["subscriptions"], get(s)["ttl"]) == (None, 1, -1)
    assert match(s, {"a": 1}) == [WS]
    assert s.call("ROUTE.MATCH", "t", *TASK, "DOC", '{"a": 1}', "WITHCHANNELS") == [[b"ws", [[b"d1", [[b"app:shop:model:task", None, None]]]]]]


def test_a_ttl_can_be_changed_and_taken_away(s, clock):
    device(s, WS, "TTL", "100")
    device(s, WS, "TTL", "1000")
    clock.advance(999)
    assert get(s)["ttl"] == 1
    device(s, WS, "TTL", "0")
    clock.advance(10_000_000)
    assert get(s)["ttl"] == -1
    device(s, WS, "TTL", "5")
    clock.advance(5)
    assert get(s) is None


def test_a_ttl_may_be_a_hundred_years(s, clock):
    century = 3_155_760_000_000
    device(s, WS, "TTL", century)
    subscribe(s, options=("TTL", century))
    clock.advance(1000)
    assert get(s, WS, "FULL")["ttl"] == century - 1000
    assert get(s, WS, "FULL")["subscribed-to"] == [[b"app:shop:model:task", None, century - 1000]]


# --- subscriptions ---


def test_a_subscription_lives_as_long_as_its_ttl(s, clock):
    device(s)
    subscribe(s, options=("TTL", "100"))
    subscribe(s, filter={"a": 1})
    clock.advance(99)
    assert match(s) == [WS]
    clock.advance(1)
    assert match(s) == []
    assert match(s, {"a": 1}) == [WS]
    assert (get(s)["subscriptions"], len(get(s, WS, "FULL")["subscribed-to"])) == (1, 1)
    assert unsubscribe(s) == 0


@pytest.mark.parametrize(
    "renew",
    [("ROUTE.DEVICE", "TOUCH", "t", WS), ("ROUTE.DEVICE", "SET", "t", WS), ("ROUTE.SUBSCRIBE", "t", WS, *TASK)],
    ids=lambda words: words[1] if words[0] == "ROUTE.DEVICE" else words[0],
)
def test_touch_set_and_subscribe_renew_a_subscription(s, clock, renew):
    device(s)
    subscribe(s, options=("TTL", "100"))
    for _ in range(5):
        clock.advance(99)
        s.call(*renew)
    assert match(s) == [WS]
    clock.advance(100)
    assert match(s) == []


def test_subscribing_renews_that_subscription_alone(s, clock):
    device(s)
    subscribe(s, options=("TTL", "100"))
    subscribe(s, about=channel(user="u"), options=("TTL", "100"))
    clock.advance(60)
    subscribe(s)
    clock.advance(40)
    assert match(s) == [WS]
    assert get(s)["subscriptions"] == 1


def test_a_subscription_that_has_ended_starts_afresh(s, clock):
    device(s)
    subscribe(s, options=("TTL", "100"))
    clock.advance(100)
    subscribe(s)
    clock.advance(100_000)
    assert match(s) == [WS], "the old one's end is not the new one's"


@pytest.mark.parametrize("renew", [("ROUTE.DEVICE", "TOUCH", "t", WS), ("ROUTE.DEVICE", "SET", "t", WS)], ids=lambda w: w[1])
def test_a_device_that_comes_back_too_late_does_not_bring_its_subscriptions_back(s, clock, renew):
    device(s)
    subscribe(s, options=("TTL", "100"))
    subscribe(s, about=channel(user="u"), options=("TTL", "150"))
    s.call("MULTI")  # no sweep comes in between
    clock.advance(100)
    s.call(*renew)
    s.call("ROUTE.MATCH", "t", *channel(user="u"), "WITHCHANNELS")
    s.call("ROUTE.UNSUBSCRIBE", "t", WS, *TASK)
    renewed, found, unsubscribed = s.call("EXEC")
    assert (found, unsubscribed) == ([[b"ws", [[b"d1", [[b"app:shop:user:u:model:task", None, None]]]]]], 0)
    assert get(s)["subscriptions"] == 1


def test_a_subscriptions_ttl_can_be_changed_and_taken_away(s, clock):
    device(s)
    subscribe(s, options=("TTL", "100"))
    subscribe(s, options=("TTL", "0"))
    clock.advance(1000)
    assert match(s) == [WS]
    subscribe(s, options=("TTL", "10"))
    clock.advance(10)
    assert match(s) == []


def test_filters_and_channels_go_with_their_last_subscription(s, clock):
    device(s)
    subscribe(s, filter={"a": 1}, options=("TTL", "100"))
    subscribe(s, about=channel(user="u"), options=("TTL", "100"))
    assert counts(s) == (1, 2, 1, 2)
    clock.advance(100)
    wait_until(lambda: counts(s) == (1, 0, 0, 0), "what has ended is swept")
    assert filters(s) == {}


def test_a_named_filter_outlives_its_subscriptions(s, clock):
    s.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    subscribe(s, options=("FILTERID", "f", "TTL", "100"))
    clock.advance(100)
    assert match(s, {"a": 1}) == []
    assert list(filters(s)) == ["f"]


def test_delfilter_does_not_count_what_has_ended(s, clock):
    s.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    subscribe(s, "d1|ws", options=("FILTERID", "f", "TTL", "100"))
    subscribe(s, "d2|ws", options=("FILTERID", "f"))
    clock.advance(100)
    assert s.call("ROUTE.DELFILTER", "t", "f", *TASK) == 1


# --- without a command ---


def test_what_has_expired_is_swept_without_a_question(still, s, clock):
    device(s, "stays|ws")
    do(s, [("ROUTE.DEVICE", "SET", "t", f"d{n}|ws", "TTL", "100") for n in range(500)])
    do(s, [("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *TASK, "FILTER", f'{{"n": {n}}}') for n in range(500)])
    full = s.call("MEMORY", "USAGE", "t", "SAMPLES", "0")
    clock.advance(100)
    wait_until(lambda: counts(s) == (1, 0, 0, 0), "the timer has swept them")
    assert s.call("MEMORY", "USAGE", "t", "SAMPLES", "0") < full / 5


def test_a_table_is_deleted_when_everything_in_it_has_expired(still, s, clock):
    device(s, WS, "TTL", "100")
    subscribe(s, filter={"a": 1})
    clock.advance(100)
    wait_until(lambda: s.call("EXISTS", "t") == 0, "the table has gone by itself")


def test_a_renamed_and_a_copied_table_go_on(still, s, clock):
    for key in ("renamed", "copied", "moved"):
        device(s, WS, "TTL", "100", key=key)
    s.call("RENAME", "renamed", "new name")
    s.call("COPY", "copied", "copy")
    s.call("MOVE", "moved", "1")
    clock.advance(100)
    wait_until(lambda: s.call("KEYS", "*") == [], "all of them have gone")
    s.call("SELECT", "1")
    wait_until(lambda: s.call("KEYS", "*") == [], "that in the other database, too")


def test_a_clock_that_is_set_back_does_not_bring_back_what_has_expired(still, s, clock):
    device(s, "stays|ws")
    device(s, WS, "TTL", "100")
    clock.advance(100)
    device(s, "stays|ws")
    clock.advance(-5000)
    assert listed(s) == ["stays|ws"]
    assert get(s) is None
    assert device(s, WS, "TTL", "100") == 1
    clock.advance(5099)
    assert get(s)["ttl"] == 1
    clock.advance(1)
    assert get(s) is None
    clock.advance(5000)


def test_a_reading_command_sees_the_present_state(still, s, clock):
    """No command writes in between: answers depend only on the server's clock."""
    device(s, WS, "TTL", "100")
    subscribe(s, options=("TTL", "50"))
    clock.advance(50)
    assert (match(s), get(s)["subscriptions"], get(s)["ttl"]) == ([], 0, 50)
    clock.advance(49)
    assert get(s)["ttl"] == 1
