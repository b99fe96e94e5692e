"""What decides how long a channel and its content live: EXPIRE, the setting millrace.channel-expire, and changes of
that setting."""

import pytest

from channel_words import ids, info, lists, nosub, publish, subscribe

HALF_HOUR = 1_800_000


def test_without_a_word_it_is_half_an_hour(s, clock):
    subscribe(s, "s")
    assert (info(s, "ch")["expire"], s.call("PTTL", "ch")) == (HALF_HOUR, HALF_HOUR)
    clock.advance(HALF_HOUR)
    assert ids(s) == []
    clock.advance(HALF_HOUR + 1)
    assert s.call("EXISTS", "ch") == 0


def test_the_setting_says_it_for_channels_made_from_then_on(still, s):
    subscribe(s, "s", key="older")
    with still.changed_settings(**{"millrace.channel_expire": "5000"}):
        for key, words in {
            "by subscribing": ("CHAN.SUBSCRIBE", "s"),
            "by publishing": ("CHAN.PUBLISH", "a", "x"),
            "by creating": ("CHAN.CREATE",),
        }.items():
            s.call(words[0], key, *words[1:])
            assert (info(s, key)["expire"], s.call("PTTL", key)) == (5000, 5000)
        subscribe(s, "s", key="older")
        assert info(s, "older")["expire"] == HALF_HOUR
    assert info(s, "by creating")["expire"] == 5000


@pytest.mark.parametrize("value", ["0", "-1", "3155760000001", "30m"])
def test_the_setting_has_limits(s, value):
    assert s.error_of("CONFIG", "SET", "millrace.channel-expire", value).startswith("ERR CONFIG SET failed")
    assert s.call("CONFIG", "GET", "millrace.channel-expire")[1] == str(HALF_HOUR).encode()


def test_a_longer_expiry_is_for_everything_that_has_not_expired(s, clock):
    subscribe(s, "s", "other", options=("EXPIRE", "100"))
    publish(s, "a")
    clock.advance(60)
    subscribe(s, "s", options=("EXPIRE", "1000"))
    assert s.call("PTTL", "ch") == 1000
    clock.advance(900)
    assert lists(s)[2] == {"other": (0, 40), "s": (0, 100)}
    assert ids(s) == ["a"]
    assert publish(s, "a") == [None]


def test_a_shorter_expiry_is_for_everything_at_once(s, clock):
    subscribe(s, "s", "other", options=("EXPIRE", "1000"))
    publish(s, "a")
    clock.advance(60)
    publish(s, "b")
    subscribe(s, "s", options=("EXPIRE", "50"))
    assert s.call("PTTL", "ch") == 50
    assert list(lists(s)[2]) == ["s"]
    assert ids(s) == ["b"]
    assert s.error_of("CHAN.FETCH", "ch", "other") == nosub("other")
    assert publish(s, "a") == [3]


def test_a_longer_expiry_brings_nothing_back(s, clock):
    s.call_all([("CHAN.SUBSCRIBE", "ch", f"s{n}", "EXPIRE", "100") for n in range(3000)])
    publish(s, "a")
    clock.advance(100)
    publish(s, "b")
    clock.advance(1)
    subscribe(s, "new", options=("EXPIRE", "100000"))
    assert list(lists(s)[2]) == ["new"], "more had expired than one command removes"
    assert [message[1] for message in lists(s)[3]] == ["b"]
    assert s.error_of("CHAN.FETCH", "ch", "s2999") == nosub("s2999")
    assert publish(s, "a") == [3]


def test_a_subscriber_that_subscribes_again_with_a_shorter_expiry_keeps_its_position(s, clock):
    subscribe(s, "s", options=("EXPIRE", "1000"))
    publish(s, "a")
    clock.advance(60)
    publish(s, "b")
    assert subscribe(s, "s", options=("EXPIRE", "50")) == [0]
    assert ids(s) == ["b"]


def test_a_century_does_not_overflow(s, clock):
    subscribe(s, "s", options=("EXPIRE", "3155760000000"))
    publish(s, "a")
    assert s.call("PTTL", "ch") == 3_155_760_000_000
    clock.advance(HALF_HOUR)
    assert ids(s) == ["a"]
