"""CHAN.INFO: the numbers, the lists of FULL, and both protocols."""

import pytest

from channel_words import fields, ids, info, lists, publish, subscribe, take, wait_for_fetch

FIELDS = ["clock", "expire", "ttl", "waiting", "memory", "subscribers", "messages", "ids"]


def test_info_has_counts(c):
    subscribe(c, "s", "other")
    publish(c, "a", "b", "c")
    known = info(c, "ch")
    assert list(known) == FIELDS
    assert [known[name] for name in ("clock", "expire", "waiting", "subscribers", "messages", "ids")] == [
        3,
        1_800_000,
        0,
        2,
        3,
        3,
    ]


def test_full_has_lists_in_the_same_fields(s):
    subscribe(s, "s", "other")
    publish(s, "a", "b")
    s.call("CHAN.ACK", "ch", "s", take(s, "s", "MAX", "1")[1])
    assert list(info(s, "ch", "FULL")) == FIELDS
    ttl = 1_800_000
    assert lists(s) == (
        2,
        ttl,
        {"other": (0, ttl), "s": (1, ttl)},
        [(1, "a", "content of a", ttl), (2, "b", "content of b", ttl)],
        [("a", 1, ttl), ("b", 2, ttl)],
    )


def test_subscribers_may_be_listed_without_messages(c):
    subscribe(c, "a", "b")
    publish(c, "m", "n")
    known = info(c, "ch", "SUBSCRIBERS", "COUNT", 1)
    assert [fields(one)["name"] for one in known["subscribers"]] == [b"a"]
    assert (known["messages"], known["ids"]) == (2, 2)


def test_the_longest_inactive_subscriber_comes_first(c):
    subscribe(c, "a", "b", "c")
    ids(c, "a")
    assert list(lists(c)[2]) == ["b", "c", "a"]


@pytest.mark.parametrize("options, count", [((), 1000), (("COUNT", "1"), 1), (("count", "1000000"), 1200)])
def test_count_limits_each_list(c, options, count):
    c.call_all([("CHAN.SUBSCRIBE", "ch", f"s{n}") for n in range(1200)])
    publish(c, *[f"m{n}" for n in range(1200)])
    known = info(c, "ch", "FULL", *options)
    assert [len(known[name]) for name in ("subscribers", "messages", "ids")] == [count] * 3
    assert fields(known["messages"][0])["clock"] == 1


def test_resp3_has_maps_and_resp2_the_same_flattened(c, connect):
    subscribe(c, "s")
    publish(c, "a")
    c.call("PERSIST", "ch")
    three = connect(protocol=3)

    def flat(answer):
        if isinstance(answer, dict):
            answer = [part for pair in answer.items() for part in pair]
        return [flat(part) for part in answer] if isinstance(answer, list) else answer

    def without_ttl(answer):
        return [part for part in flat(answer) if not isinstance(part, list)]

    assert flat(three.call("CHAN.INFO", "ch")) == c.call("CHAN.INFO", "ch")
    mapped = three.call("CHAN.INFO", "ch", "FULL")
    assert without_ttl(mapped) == without_ttl(c.call("CHAN.INFO", "ch", "FULL"))
    names = {"subscribers": [b"name", b"clock", b"ttl"], "messages": [b"clock", b"id", b"content", b"ttl"]}
    for name, parts in {**names, "ids": [b"id", b"clock", b"ttl"]}.items():
        [entry] = mapped[name.encode()]
        assert list(entry) == parts
        [flat_entry] = info(c, "ch", "FULL")[name]
        assert flat_entry[::2] == parts


def test_the_ttl_of_the_channel_is_that_of_its_key(s, clock):
    subscribe(s, "s")
    assert info(s, "ch")["ttl"] == s.call("PTTL", "ch") == 1_800_000
    clock.advance(1)
    assert info(s, "ch")["ttl"] == s.call("PTTL", "ch") == 1_799_999
    s.call("PERSIST", "ch")
    assert info(s, "ch")["ttl"] == -1
    s.call("PEXPIRE", "ch", "5000")
    assert info(s, "ch")["ttl"] == 5000


def test_info_counts_waiting_fetches(server, c, connect):
    subscribe(c, "s", "other")
    waiting = [wait_for_fetch(server, connect(), name) for name in ("s", "s", "other")]
    assert info(c, "ch")["waiting"] == 3
    publish(c, "a")
    assert info(c, "ch")["waiting"] == 0
    assert all(one.read()[0] == [[b"a", b"content of a"]] for one in waiting)


def test_memory_grows_with_the_content(c):
    subscribe(c, "s")
    before = info(c, "ch")["memory"]
    c.call("CHAN.PUBLISH", "ch", "large", "x" * 100_000)
    assert before + 100_000 <= info(c, "ch")["memory"] < before + 110_000


def test_a_channel_that_is_missing_is_an_error(c):
    assert c.error_of("CHAN.INFO", "nothing here") == "NOSUB no channel 'nothing here'"
