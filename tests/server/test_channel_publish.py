"""CHAN.PUBLISH and CHAN.MPUBLISH: the clock, what is stored, and that a second publication with the same id is
ignored."""

import pytest

from channel_words import ids, info, lists, publish, subscribe, take
from families import CHANNEL


def test_publishing_adds_one_to_the_clock(c):
    assert [c.call("CHAN.PUBLISH", "ch", f"m{n}", "x") for n in range(3)] == [1, 2, 3]
    assert info(c, "ch")["clock"] == 3


def test_several_get_a_clock_each(c):
    assert publish(c, "a", "b", "c") == [1, 2, 3]
    assert publish(c, "d") == [4]


def test_an_id_counts_once_and_the_first_content_wins(c):
    subscribe(c, "s")
    assert c.call("CHAN.PUBLISH", "ch", "a", "first") == 1
    assert c.call("CHAN.PUBLISH", "ch", "a", "second") is None
    assert info(c, "ch")["clock"] == 1
    assert c.call("CHAN.PUBLISH", "ch", "b", "other") == 2
    assert c.call("CHAN.FETCH", "ch", "s")[0] == [[b"a", b"first"], [b"b", b"other"]]


def test_of_several_those_published_before_get_null(c):
    subscribe(c, "s")
    publish(c, "a")
    assert c.call("CHAN.MPUBLISH", "ch", "b", "1", "a", "2", "b", "3", "c", "4") == [2, None, None, 3]
    assert c.call("CHAN.FETCH", "ch", "s")[0] == [[b"a", b"content of a"], [b"b", b"1"], [b"c", b"4"]]


def test_an_id_counts_in_its_own_channel_alone(c):
    assert publish(c, "a", key="one") == publish(c, "a", key="two") == [1]


def test_an_id_is_known_after_everybody_has_acknowledged_it(c):
    subscribe(c, "s")
    publish(c, "a")
    c.call("CHAN.ACK", "ch", "s", take(c)[1])
    assert publish(c, "a") == [None]


@pytest.mark.parametrize("size", [0, 1, 13, 127, 128, 16 * 1024, 300_000])
def test_a_content_may_be_any_bytes(c, size):
    content = bytes(n % 256 for n in range(size))
    subscribe(c, "s")
    assert c.call("CHAN.PUBLISH", "ch", b"\x00\xff\r\n", content) == 1
    assert c.call("CHAN.PUBLISH", "ch", b"\x00\xff\r\n", b"") is None
    assert c.call("CHAN.FETCH", "ch", "s")[0] == [[b"\x00\xff\r\n", content]]


@pytest.mark.parametrize("size", [1, 15, 16, 512])
def test_an_id_may_have_1_to_512_bytes(c, size):
    assert c.call("CHAN.PUBLISH", "ch", b"i" * size, "x") == 1
    assert c.call("CHAN.PUBLISH", "ch", b"i" * size, "x") is None


def test_ten_thousand_ids_are_distinguished(c):
    names = [f"message {n}" for n in range(10_000)]
    assert publish(c, *names) == list(range(1, 10_001))
    assert publish(c, *names) == [None] * 10_000
    assert info(c, "ch")["messages"] == 10_000


def test_publishing_needs_no_subscriber(c):
    assert publish(c, "a") == [1]
    assert lists(c)[2] == {}


def test_every_subscriber_gets_every_message(c):
    names = [f"s{n}" for n in range(50)]
    subscribe(c, *names)
    publish(c, "a", "b")
    assert [ids(c, name) for name in names] == [["a", "b"]] * 50


def test_a_duplicate_announces_nothing_and_breaks_no_watch(server, c, connect):
    publish(c, "a")
    with server.changed_settings(notify_keyspace_events="KA"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:ch")
        c.call("WATCH", "ch")
        assert publish(connect(), "a") == [None]
        c.call("MULTI")
        c.call("PING")
        assert c.call("EXEC") == [b"PONG"]
        assert not listener.has_answer()


def test_duplicates_are_counted(server, c):
    before = {name: server.counter(name) for name in CHANNEL.counters}
    publish(c, "a", "b", "a")
    assert server.counter("channel_messages_published") == before["channel_messages_published"] + 2
    assert server.counter("channel_duplicates") == before["channel_duplicates"] + 1
