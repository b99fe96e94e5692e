"""The three expiries, exact to the millisecond: something that lives 100 ms is there 100 ms later, and
not a millisecond after that, as a key of the host."""

import pytest

from channel_words import EMPTY, ack, ids, info, lists, nosub, publish, subscribe, take
from server import wait_until

HALF_HOUR = 1_800_000


def keep(s, *subscribers):
    """These subscribers show that they are alive, so that the channel does not expire."""
    for subscriber in subscribers:
        ids(s, subscriber)


# --- messages and their ids ---


def test_a_message_lives_to_the_last_millisecond(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    clock.advance(60)
    publish(s, "b")
    clock.advance(40)
    assert ids(s) == ["a", "b"]
    assert [message[1::2] for message in lists(s)[3]] == [("a", 0), ("b", 60)]
    clock.advance(1)
    assert ids(s) == ["b"]
    assert (info(s, "ch")["messages"], info(s, "ch")["ids"]) == (1, 1)
    clock.advance(59)
    assert ids(s) == ["b"]
    clock.advance(1)
    assert s.call("CHAN.FETCH", "ch", "s") == EMPTY


def test_an_id_counts_as_long_as_its_message_lives(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    clock.advance(100)
    assert publish(s, "a") == [None]
    keep(s, "s")
    clock.advance(1)
    assert publish(s, "a") == [2]
    assert ids(s) == ["a"]


def test_a_duplicate_does_not_make_a_message_live_longer(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    clock.advance(90)
    assert publish(s, "a") == [None]
    keep(s, "s")
    clock.advance(11)
    assert ids(s) == []
    assert publish(s, "a") == [2]


def test_fetching_and_acknowledging_does_not_make_a_message_live_longer(s, clock):
    subscribe(s, "s", "other", options=("EXPIRE", "100"))
    publish(s, "a")
    clock.advance(90)
    ack(s, take(s)[1])
    keep(s, "other")
    clock.advance(11)
    assert ids(s, "other") == []


def test_seen_says_0_for_what_has_expired(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    ack(s, take(s)[1])
    clock.advance(100)
    assert s.call("CHAN.SEEN", "ch", "s", "a") == [1]
    keep(s, "s")
    clock.advance(1)
    assert s.call("CHAN.SEEN", "ch", "s", "a") == [0]


def test_a_subscriber_that_lags_gets_what_is_left(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a", "b")
    receipt = take(s, "s", "MAX", "1")[1]
    clock.advance(99)
    publish(s, "c", "d")
    assert ids(s) == ["a", "b", "c", "d"]
    clock.advance(2)
    assert take(s, "s", "MAX", "1")[::2] == (["c"], 1)
    assert ack(s, receipt) == 1, "what it stands for has expired meanwhile"
    assert ids(s) == ["c", "d"]


def test_the_clock_goes_on_when_everything_has_expired(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, *[f"m{n}" for n in range(500)])
    keep(s, "s")
    clock.advance(60)
    keep(s, "s")
    clock.advance(60)
    assert s.call("CHAN.FETCH", "ch", "s") == EMPTY
    assert publish(s, "new") == [501]
    assert ids(s) == ["new"]


def test_expired_messages_give_their_memory_back_and_are_counted(still, s, clock):
    before = still.counter("channel_messages_expired")
    subscribe(s, "s", options=("EXPIRE", "100"))
    empty = info(s, "ch")["memory"]
    publish(s, *[f"m{n}" for n in range(5000)])
    clock.advance(60)
    keep(s, "s")
    clock.advance(60)
    keep(s, "s")
    assert info(s, "ch")["memory"] < empty + 5000
    assert still.counter("channel_messages_expired") == before + 5000


# --- subscribers ---

SIGNS = {
    "subscribing": lambda s, receipt: subscribe(s, "s"),
    "fetching": lambda s, receipt: ids(s, "s"),
    "acknowledging": lambda s, receipt: ack(s, receipt),
}


@pytest.mark.parametrize("sign", SIGNS)
def test_a_subscriber_lives_this_long_after_its_last_sign_of_life(s, clock, sign):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    receipt = take(s)[1]
    for _ in range(3):
        clock.advance(100)
        SIGNS[sign](s, receipt)
        assert lists(s)[2]["s"][1] == 100
    clock.advance(100)
    assert lists(s)[2]["s"][1] == 0
    publish(s, "b")
    clock.advance(1)
    assert lists(s)[2] == {}
    assert s.error_of("CHAN.FETCH", "ch", "s") == nosub()
    assert s.error_of("CHAN.ACK", "ch", "s", receipt) == nosub()
    assert s.error_of("CHAN.SEEN", "ch", "s", "a") == nosub()
    assert s.call("CHAN.UNSUBSCRIBE", "ch", "s") == 0


@pytest.mark.parametrize("what", ["publishing", "a duplicate", "seen", "info", "a bad receipt", "others"])
def test_nothing_else_keeps_a_subscriber_alive(s, clock, what):
    subscribe(s, "s", "other", options=("EXPIRE", "100"))
    publish(s, "a")
    clock.advance(60)
    if what == "seen":
        s.call("CHAN.SEEN", "ch", "s", "a")
    elif what == "info":
        info(s, "ch", "FULL")
    elif what == "a bad receipt":
        s.error_of("CHAN.ACK", "ch", "s", "bad")
    elif what == "publishing":
        publish(s, "b")
    elif what == "a duplicate":
        publish(s, "a")
    keep(s, "other")
    clock.advance(41)
    publish(s, "c")
    assert s.error_of("CHAN.FETCH", "ch", "s") == nosub()
    assert list(lists(s)[2]) == ["other"]


def test_a_subscriber_that_has_expired_starts_again(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    old = take(s)[1]
    clock.advance(60)
    publish(s, "b")
    clock.advance(41)
    assert s.error_of("CHAN.FETCH", "ch", "s") == nosub()
    assert subscribe(s, "s") == [2]
    publish(s, "c")
    assert ids(s) == ["c"]
    assert ack(s, old) == 0


def test_many_expired_subscribers_are_gone_at_once_and_freed_in_slices(s, clock):
    s.call_all([("CHAN.SUBSCRIBE", "ch", f"s{n}") for n in range(20_000)])
    full = info(s, "ch")["memory"]
    clock.advance(HALF_HOUR)
    publish(s, "a")
    clock.advance(1)
    assert info(s, "ch")["subscribers"] == 0
    assert s.error_of("CHAN.FETCH", "ch", "s19999") == nosub("s19999")
    for n in range(30):
        clock.advance(1)
        publish(s, f"b{n}")
    assert info(s, "ch")["memory"] < full / 10


# --- the channel ---

ACTIVITIES = {
    "publishing": lambda s, receipt: publish(s, "b"),
    "publishing one new of two": lambda s, receipt: publish(s, "a", "b"),
    **SIGNS,
}


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_a_channel_lives_this_long_after_any_activity(s, clock, activity):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    receipt = take(s)[1]
    clock.advance(100)
    ACTIVITIES[activity](s, receipt)
    assert s.call("PEXPIRETIME", "ch") == clock.now + 100
    clock.advance(100)
    assert (info(s, "ch")["ttl"], s.call("EXISTS", "ch")) == (0, 1)
    clock.advance(1)
    assert (info(s, "ch"), s.call("EXISTS", "ch")) == (None, 0)


def test_nothing_else_keeps_a_channel_alive(s, clock):
    subscribe(s, "s", "leaves", options=("EXPIRE", "100"))
    publish(s, "a")
    due = s.call("PEXPIRETIME", "ch")
    clock.advance(50)
    publish(s, "a")
    s.call("CHAN.UNSUBSCRIBE", "ch", "leaves")
    s.call("CHAN.SEEN", "ch", "s", "a")
    s.error_of("CHAN.ACK", "ch", "s", "bad")
    info(s, "ch", "FULL")
    assert s.call("PEXPIRETIME", "ch") == due


def test_an_expired_channel_is_gone_as_an_expired_key_is(still, s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    with still.changed_settings(notify_keyspace_events="Kx"), still.connect() as listener:
        listener.call("SUBSCRIBE", "__keyspace@0__:ch")
        clock.advance(101)
        assert listener.read()[2] == b"expired", "nobody asked for it"
    assert s.error_of("CHAN.FETCH", "ch", "s") == nosub()
    assert subscribe(s, "s") == [0], "a channel like any new one"
    assert info(s, "ch")["expire"] == HALF_HOUR
    assert publish(s, "a") == [1]


def test_a_users_own_expiry_holds_until_the_next_activity(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    s.call("PERSIST", "ch")
    clock.advance(500)
    assert (s.call("PTTL", "ch"), info(s, "ch")["subscribers"]) == (-1, 0)
    publish(s, "a")
    assert s.call("PTTL", "ch") == 100
    s.call("PEXPIRE", "ch", "7")
    clock.advance(8)
    assert s.call("EXISTS", "ch") == 0


@pytest.mark.parametrize("words", [("PERSIST",), ("PEXPIRE", "30")], ids=lambda words: words[0])
@pytest.mark.parametrize("renewing", ["publish", "fetch", "subscribe", "ack"])
def test_a_users_own_expiry_ends_with_the_next_activity_though_it_is_in_the_same_millisecond(s, words, renewing):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    _, receipt, _ = s.call("CHAN.FETCH", "ch", "s")
    command = {
        "publish": ("CHAN.PUBLISH", "ch", "b", "content"),
        "fetch": ("CHAN.FETCH", "ch", "s"),
        "subscribe": ("CHAN.SUBSCRIBE", "ch", "s"),
        "ack": ("CHAN.ACK", "ch", "s", receipt),
    }[renewing]
    s.call(words[0], "ch", *words[1:])
    s.call(*command)
    assert s.call("PTTL", "ch") == 100


def test_a_restored_channel_has_its_expiry_from_its_first_activity_on(s):
    subscribe(s, "s", options=("EXPIRE", "100"))
    payload = s.call("DUMP", "ch")
    s.call("RESTORE", "other", "0", payload)
    assert s.call("PTTL", "other") == -1
    s.call("CHAN.PUBLISH", "other", "a", "content")
    assert s.call("PTTL", "other") == 100


# --- clocks and replicas ---


def test_a_wall_clock_that_goes_back_makes_nothing_live_again_and_nothing_die(s, clock):
    subscribe(s, "s", options=("EXPIRE", "100"))
    publish(s, "a")
    clock.advance(60)
    publish(s, "b")
    keep(s, "s")
    clock.advance(41)
    assert ids(s) == ["b"]
    clock.advance(-80)
    assert ids(s) == ["b"]
    assert publish(s, "a", "b") == [3, None]
    assert lists(s)[2]["s"][1] == 100, "its time stands still until the clock is there again"


def test_a_replica_expires_what_its_master_expires_and_when(still, s, clock):
    with clock.server() as other:
        other.replicate(still)
        subscribe(s, "s", "idle", options=("EXPIRE", "100"))
        publish(s, "a")
        clock.advance(60)
        publish(s, "b")
        keep(s, "s")
        clock.advance(41)
        still.wait_for_replica(other)
        assert lists(other.admin) == lists(s), "each looks with its own eyes"
        keep(s, "s")
        still.wait_for_replica(other)
        assert other.digest("ch") == still.digest("ch")
        clock.advance(101)
        assert other.admin.error_of("CHAN.INFO", "ch") == "NOSUB no channel 'ch'"
        wait_until(lambda: other.admin.call("DBSIZE") == 0, "the master has told it")


def in_transaction(c, *words):
    c.call_all([("MULTI",), words, ("EXEC",)])


def in_script(c, *words):
    c.call("EVAL", "redis.call(unpack(ARGV))", "1", words[1], *words)


@pytest.mark.parametrize("how", [lambda c, *words: c.call(*words), in_transaction, in_script])
@pytest.mark.parametrize("words", [("SUBSCRIBE", "s"), ("PUBLISH", "a", "x"), ("MPUBLISH", "a", "x"), ("CREATE",)])
def test_a_replica_knows_when_a_new_channel_expires(server, replica, c, words, how):
    command, *rest = words
    how(c, f"CHAN.{command}", "ch", *rest)
    server.wait_for_replica(replica)
    due = c.call("PEXPIRETIME", "ch")
    assert due > 0
    assert replica.admin.call("PEXPIRETIME", "ch") == due
