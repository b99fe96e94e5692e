"""CHAN.FETCH … BLOCK when the subscription goes while its subscriber waits, or another channel comes in its place."""

import pytest

from channel_words import ack, is_still_waiting, nosub, publish, subscribe, taken, wait_for_fetch


@pytest.fixture
def waiting(server, connect):
    """Starts a fetch that waits, on a connection of its own."""
    return lambda *words, **named: wait_for_fetch(server, connect(), *words, **named)


# --- the subscription goes while its subscriber waits ---

WAYS_TO_GO = {
    "unsubscribed": [("CHAN.UNSUBSCRIBE", "ch", "s")],
    "deleted": [("DEL", "ch")],
    "unlinked": [("UNLINK", "ch")],
    "flushed": [("FLUSHALL",)],
    "flushed, one database": [("FLUSHDB", "ASYNC")],
    "overwritten": [("SET", "ch", "text")],
    "expired by its user": [("PEXPIREAT", "ch", "1")],
    "renamed": [("RENAME", "ch", "elsewhere")],
    "moved": [("MOVE", "ch", "2")],
    "swapped away": [("SWAPDB", "0", "3")],
    "deleted in a transaction": [("MULTI",), ("DEL", "ch"), ("EXEC",)],
    "unsubscribed in a transaction": [("MULTI",), ("CHAN.UNSUBSCRIBE", "ch", "s"), ("EXEC",)],
    "replaced by one without it": [
        ("CHAN.CREATE", "new"),
        ("RENAME", "new", "ch"),
    ],
}


@pytest.mark.parametrize("way", WAYS_TO_GO)
def test_a_waiting_fetch_is_answered_when_its_subscription_is_deleted(server, c, waiting, way):
    subscribe(c, "s")
    reader = waiting()
    for answer in c.call_all(WAYS_TO_GO[way]):
        assert not isinstance(answer, Exception)
    assert str(reader.read()) == nosub()
    server.wait_for_blocked(0)
    assert reader.call("PING") == b"PONG"


def test_a_waiting_fetch_is_answered_when_its_key_expires(still, s, clock):
    subscribe(s, "s")
    with still.connect() as reader:
        wait_for_fetch(still, reader)
        s.call("PEXPIRE", "ch", "50")
        clock.advance(51)
        assert str(reader.read()) == nosub()


def test_only_fetches_that_wait_for_this_subscription_are_answered(server, c, waiting):
    subscribe(c, "s", "other")
    first, second, other = waiting(), waiting(), waiting("other")
    c.call("CHAN.UNSUBSCRIBE", "ch", "s")
    assert [str(first.read()), str(second.read())] == [nosub()] * 2
    assert is_still_waiting(server, other)
    publish(c, "a")
    assert taken(other.read())[0] == ["a"]


def test_a_subscriber_that_leaves_and_comes_back_at_once_was_away_all_the_same(server, c, waiting):
    subscribe(c, "s")
    reader = waiting()
    c.call_all([("CHAN.UNSUBSCRIBE", "ch", "s"), ("CHAN.SUBSCRIBE", "ch", "s")])
    assert str(reader.read()) == nosub()


# --- a channel with the subscription comes in its place ---


def other_channel(c, *published):
    """A channel "source" with the subscriber "s" and messages behind it."""
    subscribe(c, "s", key="source")
    if published:
        publish(c, *published, key="source")


WAYS_TO_COME = {
    "rename": lambda c: c.call("RENAME", "source", "ch"),
    "copy": lambda c: c.call("COPY", "source", "ch", "REPLACE"),
    "restore": lambda c: c.call("RESTORE", "ch", "0", c.call("DUMP", "source"), "REPLACE"),
}


@pytest.mark.parametrize("way", WAYS_TO_COME)
def test_a_waiting_fetch_gets_what_a_channel_in_the_place_of_its_own_holds(c, waiting, way):
    other_channel(c, "a", "b")
    subscribe(c, "s")
    reader = waiting()
    WAYS_TO_COME[way](c)
    got, receipt, _ = taken(reader.read())
    assert got == ["a", "b"]
    assert ack(c, receipt) == 1


@pytest.mark.parametrize("way", WAYS_TO_COME)
def test_a_waiting_fetch_goes_on_waiting_in_a_channel_in_the_place_of_its_own(server, c, waiting, way):
    other_channel(c)
    subscribe(c, "s")
    reader = waiting()
    WAYS_TO_COME[way](c)
    assert is_still_waiting(server, reader)
    publish(c, "a")
    assert taken(reader.read())[0] == ["a"]


def test_a_swapped_database_serves_waiting_fetches(c, waiting):
    subscribe(c, "s")
    reader = waiting()
    c.call("SELECT", "1")
    subscribe(c, "s")
    publish(c, "a")
    c.call("SWAPDB", "0", "1")
    assert taken(reader.read())[0] == ["a"]


def test_a_reload_keeps_waiting_fetches(server, c, waiting):
    subscribe(c, "s")
    reader = waiting()
    c.call("DEBUG", "RELOAD")
    assert is_still_waiting(server, reader)
    publish(c, "a")
    assert taken(reader.read())[0] == ["a"]
