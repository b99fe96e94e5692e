"""The scenario of the design that channels come from, line by line: two subscribers, a message, an
acknowledgement, at t = 1 to 4.

Its tables have a line for each of its keys. Ours are the same lines in CHAN.INFO … FULL: the channel's
clock, each subscriber's clock (r.), each message (m.) and each id (mid.), each with when it expires.

One column deviates: in the design, subscribing and acknowledging do not renew the expiry of the channel's clock. Then a
clock can expire before a subscriber that is alive, and the next publication starts at 1 again, behind that subscriber.
So the specification lets a channel live after any of them, and here the channel's line says t + expire of the latest
activity.
"""

import pytest

from channel_words import ack, lists

EXPIRE = 1_800_000
HELLO = '{ "text": "hello!" }'


@pytest.fixture
def at(still, clock):
    """Sets the clock to t seconds."""
    start = clock.now

    def set_clock(t):
        clock.stop_at(start + round(t * 1000))

    return set_clock


def table(s, t):
    """What is in the channel, each line with its time to live as the second at which it expires minus `expire`."""

    def second(ttl):
        return (ttl - EXPIRE) / 1000 + t

    clock, ttl, subscribers, messages, seen = lists(s, "chX")
    lines = {"clock": (clock, second(ttl))}
    lines.update({f"r.{name}": (position, second(ttl)) for name, (position, ttl) in subscribers.items()})
    lines.update({f"m.{clock}": (id, content, second(ttl)) for clock, id, content, ttl in messages})
    lines.update({f"mid.{id}": (clock, second(ttl)) for id, clock, ttl in seen})
    return lines


def test_the_scenario_goes_as_its_tables_say(s, at):
    at(1)
    s.call("CHAN.SUBSCRIBE", "chX", "sA")
    s.call("CHAN.SUBSCRIBE", "chX", "sB")
    assert table(s, 1) == {
        "clock": (0, 1),
        "r.sA": (0, 1),
        "r.sB": (0, 1),
    }

    at(2)
    assert s.call("CHAN.SUBSCRIBE", "chX", "sB") == 0
    assert table(s, 2) == {
        "clock": (0, 2),  # in the design 1: see above
        "r.sA": (0, 1),
        "r.sB": (0, 2),
    }

    at(3)
    assert s.call("CHAN.PUBLISH", "chX", "msg123", HELLO) == 1
    assert table(s, 3) == {
        "clock": (1, 3),
        "r.sA": (0, 1),
        "r.sB": (0, 2),
        "m.1": ("msg123", HELLO, 3),
        "mid.msg123": (1, 3),
    }

    at(4)
    receipt = s.call("CHAN.FETCH", "chX", "sA")[1]
    assert ack(s, receipt, "sA", key="chX") == 1
    assert table(s, 4) == {
        "clock": (1, 4),  # in the design 3: see above
        "r.sA": (1, 4),
        "r.sB": (0, 2),
        "m.1": ("msg123", HELLO, 3),
        "mid.msg123": (1, 3),
    }
    assert s.call("CHAN.FETCH", "chX", "sA") == [[], None, 0]
    assert s.call("CHAN.FETCH", "chX", "sB")[0] == [[b"msg123", HELLO.encode()]]


def test_a_retry_of_each_step_changes_no_clock(s, at):
    at(1)
    for _ in range(2):
        assert s.call("CHAN.SUBSCRIBE", "chX", "sA") == 0
    assert [s.call("CHAN.PUBLISH", "chX", "msg123", HELLO) for _ in range(2)] == [1, None]
    receipt = s.call("CHAN.FETCH", "chX", "sA")[1]
    assert s.call("CHAN.FETCH", "chX", "sA")[1] == receipt
    assert [ack(s, receipt, "sA", key="chX") for _ in range(2)] == [1, 0]
    values = {name: line[0] for name, line in table(s, 1).items()}
    assert values == {"clock": 1, "r.sA": 1, "m.1": "msg123", "mid.msg123": 1}


def test_what_expires_disappears_line_by_line(s, at):
    at(1)
    s.call("CHAN.SUBSCRIBE", "chX", "sA")
    at(2)
    s.call("CHAN.SUBSCRIBE", "chX", "sB")
    at(3)
    s.call("CHAN.PUBLISH", "chX", "msg123", HELLO)
    expire = EXPIRE // 1000
    at(2 + expire)
    assert list(table(s, 2 + expire)) == ["clock", "r.sB", "m.1", "mid.msg123"], "sA was last seen at 1"
    at(3 + expire)
    assert list(table(s, 3 + expire)) == ["clock", "m.1", "mid.msg123"]
    at(3.001 + expire)
    assert s.call("EXISTS", "chX") == 0


def test_the_example_of_the_overflow_has_its_four_unread_clocks(s):
    largest = 2**53 - 1
    s.call("CHAN.CREATE", "chX", "CLOCK", largest - 2)
    assert s.call("CHAN.SUBSCRIBE", "chX", "sA") == 2**53 - 3
    clocks = [s.call("CHAN.PUBLISH", "chX", f"m{n}", "x") for n in range(4)]
    assert clocks == [2**53 - 2, 2**53 - 1, -(2**53 - 1), -(2**53 - 1) + 1]
    assert table(s, 0)["clock"][0] == -(2**53 - 1) + 1
    assert [id for id, _ in s.call("CHAN.FETCH", "chX", "sA")[0]] == [b"m0", b"m1", b"m2", b"m3"]
