"""CHAN.SUBSCRIBE, CHAN.UNSUBSCRIBE and CHAN.CREATE."""

import pytest

from channel_words import LARGEST, ack, ids, info, lists, nosub, publish, subscribe, take
from rights import user


def test_a_new_subscriber_starts_at_the_channels_clock(c):
    assert subscribe(c, "early") == [0]
    publish(c, "a", "b")
    assert subscribe(c, "late") == [2]
    publish(c, "c")
    assert ids(c, "early") == ["a", "b", "c"]
    assert ids(c, "late") == ["c"]


def test_subscribing_again_keeps_the_position(c):
    subscribe(c, "s")
    publish(c, "a", "b")
    ack(c, take(c, "s", "MAX", "1")[1])
    publish(c, "c")
    assert subscribe(c, "s") == [1]
    assert ids(c) == ["b", "c"]


def test_subscribing_makes_the_channel(c):
    subscribe(c, "s")
    assert c.call("TYPE", "ch") == b"millr-chn"
    assert info(c, "ch")["clock"] == 0


@pytest.mark.parametrize("name", [b"x", b"\x00\xff\r\n", b"n" * 512, b"EXPIRE", b"15 bytes exactly"[:15]])
def test_a_name_may_be_any_bytes(c, name):
    assert subscribe(c, name) == [0]
    publish(c, "a")
    assert c.call("CHAN.FETCH", "ch", name)[0] == [[b"a", b"content of a"]]
    assert c.call("CHAN.UNSUBSCRIBE", "ch", name) == 1


def test_unsubscribing_says_whether_there_was_one(c):
    assert c.call("CHAN.UNSUBSCRIBE", "ch", "s") == 0
    assert c.call("EXISTS", "ch") == 0
    subscribe(c, "s", "other")
    assert c.call("CHAN.UNSUBSCRIBE", "ch", "s") == 1
    assert c.call("CHAN.UNSUBSCRIBE", "ch", "s") == 0
    assert list(lists(c)[2]) == ["other"]


def test_a_subscriber_that_has_left_gets_nothing_and_starts_again(c):
    subscribe(c, "s")
    publish(c, "a")
    receipt = take(c)[1]
    c.call("CHAN.UNSUBSCRIBE", "ch", "s")
    assert c.error_of("CHAN.FETCH", "ch", "s") == nosub()
    assert c.error_of("CHAN.ACK", "ch", "s", receipt) == nosub()
    assert c.error_of("CHAN.SEEN", "ch", "s", "a") == nosub()
    assert subscribe(c, "s") == [1]
    assert ids(c) == []
    assert ack(c, receipt) == 0, "a new subscriber starts behind it"


def test_the_channel_stays_when_the_last_subscriber_leaves(c):
    subscribe(c, "s")
    publish(c, "a")
    c.call("CHAN.UNSUBSCRIBE", "ch", "s")
    assert publish(c, "a", "b") == [None, 2]


def test_many_subscribers_come_and_go(server, c):
    names = [f"subscriber {n}" for n in range(5000)]
    c.call_all([("CHAN.SUBSCRIBE", "ch", name) for name in names])
    assert info(c, "ch")["subscribers"] == 5000
    full = info(c, "ch")["memory"]
    publish(c, "a")
    assert ids(c, "subscriber 4321") == ["a"]
    assert c.call_all([("CHAN.UNSUBSCRIBE", "ch", name) for name in names[:-1]]) == [1] * 4999
    assert info(c, "ch")["subscribers"] == 1
    assert info(c, "ch")["memory"] < full / 10
    assert ids(c, names[-1]) == ["a"]


# --- CHAN.CREATE ---


def test_create_starts_at_zero(c):
    assert c.call("CHAN.CREATE", "ch") == b"OK"
    assert lists(c)[0] == 0
    assert lists(c)[2:] == ({}, [], [])


@pytest.mark.parametrize("clock", [-LARGEST, -5, 0, 5, LARGEST])
def test_create_starts_at_a_given_clock(c, clock):
    assert c.call("CHAN.CREATE", "ch", "CLOCK", clock) == b"OK"
    assert info(c, "ch")["clock"] == clock
    assert subscribe(c, "s") == [clock]
    assert publish(c, "a") == [clock + 1 if clock < LARGEST else -LARGEST]


@pytest.mark.parametrize("options", [("EXPIRE", 70_000, "CLOCK", 7), ("clock", 7, "Expire", 70_000)])
def test_create_takes_its_options_in_any_order_and_case(c, options):
    c.call("CHAN.CREATE", "ch", *options)
    assert (info(c, "ch")["expire"], info(c, "ch")["clock"]) == (70_000, 7)


def test_a_channel_that_exists_is_not_created(server, c):
    publish(c, "a")
    before = server.digest("ch")
    assert c.error_of("CHAN.CREATE", "ch", "CLOCK", "9") == "ERR the channel exists already"
    assert server.digest("ch") == before


def test_create_is_announced_and_breaks_a_watch(server, c, connect):
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:ch")
        c.call("WATCH", "ch")
        connect().call("CHAN.CREATE", "ch")
        assert listener.read()[2] == b"chan.create"
        c.call("MULTI")
        c.call("PING")
        assert c.call("EXEC") is None


def test_create_needs_the_right_to_write(server, replica, c, connect):
    assert c.call("COMMAND", "GETKEYS", "CHAN.CREATE", "the key", "CLOCK", "1") == [b"the key"]
    assert connect(to=replica).error_of("CHAN.CREATE", "ch").startswith("READONLY")
    with user(server, "+@all", "%R~*") as guest:
        assert guest.error_of("CHAN.CREATE", "ch").startswith("NOPERM")
    c.call("SET", "text", "x")
    assert c.error_of("CHAN.CREATE", "text").startswith("WRONGTYPE")
    assert c.call("EXISTS", "ch") == 0
