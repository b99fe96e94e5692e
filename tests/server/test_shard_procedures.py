"""The four procedures of the design this family comes from, by their names.

In that design a worker is a uid, and five keys hold what is one key here. Where we differ on purpose, the test says so.
"""

from shard_words import (
    NOWORKER, NOWORKERS, done, info, is_sound, is_there, join, let_age, owner, owners, pull, push, recipients, route,
    stale_after, stale_after_joining, stop_clock, wait_until_gone, worker_info)

SHORT = 40  # short enough to wait for; before its first sign of life no worker is stale


def two_workers(c):
    """`old` has three recipients with messages in flight, `new` has three without. Neither has shown that it is alive,
    so neither can be stale."""
    join(c, "old", "new")
    route(c, "k1", "n1", "k2", "n2", "k3", "n3", "k1")
    for recipient in ("n1", "n2", "n3"):
        done(c, "new", recipient)
    join(c, "new")  # joins again, so that it has not shown that it is alive


# --- process_payload_recip_key ---


def test_process_payload_recip_key_assigns_a_key_that_has_no_uid(c):
    join(c, "uid1", "uid2")
    assert c.call("SHARD.ROUTE", "pool", "key") == [b"uid1", 1]
    assert (owner(c, "key"), recipients(c, "uid1")) == ("uid1", [("key", 1)])


def test_process_payload_recip_key_keeps_a_key_with_its_uid(c):
    join(c, "uid1", "uid2")
    assert route(c, *["key"] * 5) == ["uid1"] * 5


def test_process_payload_recip_key_takes_a_uid_without_last_access_as_not_stale(c):
    two_workers(c)
    stale_after(c, 1)
    assert worker_info(c, "old")["age"] is None
    assert c.call("SHARD.ROUTE", "pool", "k1") == [b"old", 3]


def test_process_payload_recip_key_keeps_a_uid_that_is_not_stale(c):
    two_workers(c)
    c.call("SHARD.HEARTBEAT", "pool", "old")
    assert c.call("SHARD.ROUTE", "pool", "k1") == [b"old", 3], "15 seconds are not over"


def test_process_payload_recip_key_takes_a_uid_as_stale_after_more_than_15_seconds(c):
    stop_clock(c)
    two_workers(c)
    c.call("SHARD.HEARTBEAT", "pool", "old")
    let_age(c, 15_000)
    assert (worker_info(c, "old")["age"], worker_info(c, "old")["stale"]) == (15_000, 0)
    assert route(c, "k1") == ["old"]
    let_age(c, 15_001)
    assert route(c, "k1") == ["new"]


def test_process_payload_recip_key_replaces_a_stale_uid_with_nothing_pending(c):
    stop_clock(c)
    join(c, "old", "new")
    route(c, "key")
    done(c, "old", "key")
    let_age(c, 15_001)
    assert c.call("SHARD.ROUTE", "pool", "key") == [b"new", 1], "where the original answers the one that is gone"


def test_process_payload_recip_key_reassigns_every_key_of_a_stale_uid_if_any_has_something_pending(c):
    two_workers(c)
    done(c, "old", "k2")
    done(c, "old", "k3")
    fail_over_by_sending(c)
    assert owners(c, "k1", "k2", "k3") == ["new"] * 3, "the idle ones too"


def fail_over_by_sending(c):
    """One transaction, so that the message causes the failover, and not the timer."""
    c.call("SHARD.HEARTBEAT", "pool", "old")
    c.call("MULTI")
    c.call("SHARD.SET", "pool", "STALE", SHORT)
    c.call("DEBUG", "SLEEP", "0.1")
    c.call("SHARD.ROUTE", "pool", "k1")
    routed = c.call("EXEC")[2]
    assert routed[0] == b"new"
    return routed


def test_process_payload_recip_key_deletes_the_uid_that_has_no_keys_left(c):
    two_workers(c)
    fail_over_by_sending(c)
    assert not is_there(c, "old")
    assert c.error_of("SHARD.HEARTBEAT", "pool", "old") == NOWORKER


def test_process_payload_recip_key_increments_the_count_of_the_new_uid(c):
    two_workers(c)
    assert fail_over_by_sending(c) == [b"new", 3], "two were pending, one has come"


# --- get_new_valid_uid ---


def test_get_new_valid_uid_begins_with_iterator_0(c):
    join(c, "uid1", "uid2", "uid3")
    assert info(c)["iterator"] == 0
    assert route(c, "key") == ["uid1"]


def test_get_new_valid_uid_increments_the_iterator_and_resets_it_past_the_end(c):
    """The original resets it only when iterator + 1 exceeds the length, so it can have an index that is one too
    large."""
    join(c, "uid1", "uid2", "uid3")
    seen = []
    for n in range(7):
        seen.append((route(c, f"key{n}")[0], info(c)["iterator"]))
    turn = [("uid1", 1), ("uid2", 2), ("uid3", 0)]
    assert seen == turn + turn + turn[:1]


def test_get_new_valid_uid_goes_on_though_uids_come_and_go(c):
    join(c, "uid1", "uid2", "uid3")
    route(c, "a", "b")
    c.call("SHARD.LEAVE", "pool", "uid1")  # it stays because of its messages in flight, but is not chosen any more
    assert info(c)["iterator"] == 0, "the third of two is the first"
    assert route(c, "c") == ["uid2"]
    join(c, "uid4")
    assert route(c, "d", "e", "f") == ["uid3", "uid4", "uid2"]


def test_get_new_valid_uid_chooses_among_the_living(c):
    stop_clock(c)
    join(c, "uid1", "stale", "uid3")
    c.call("SHARD.HEARTBEAT", "pool", "stale")
    let_age(c, 15_001)
    assert route(c, *"abcd") == ["uid1", "uid3", "uid1", "uid3"]


def test_get_new_valid_uid_never_takes_a_stale_one(c):
    stop_clock(c)
    join(c, "only")
    c.call("SHARD.HEARTBEAT", "pool", "only")
    let_age(c, 15_001)
    assert c.error_of("SHARD.ROUTE", "pool", "a") == NOWORKERS
    c.call("SHARD.HEARTBEAT", "pool", "only")


# --- assign_recip_key_to_new_uid ---


def test_assign_recip_key_to_new_uid_adds_the_key_to_the_list_of_the_uid(c):
    join(c, "uid1")
    for n in range(3):
        route(c, f"key{n}")
        assert recipients(c, "uid1") == [(f"key{m}", 1) for m in range(n + 1)]
        assert worker_info(c, "uid1")["recipients"] == n + 1


def test_assign_recip_key_to_new_uid_begins_with_nothing_pending(c):
    join(c, "uid1")
    assert c.call("SHARD.ROUTE", "pool", "key") == [b"uid1", 1], "0, and the message itself"
    assert info(c)["assigned"] == 1


# --- reassign_recip_key_to_uid ---


def test_reassign_recip_key_to_uid_takes_the_key_from_one_list_and_adds_it_to_the_other(c):
    two_workers(c)
    fail_over_by_sending(c)
    assert [name for name, _ in recipients(c, "new")] == ["n1", "n2", "n3", "k1", "k2", "k3"]
    assert (worker_info(c, "old"), info(c)["moved"]) == (None, 3)
    assert is_sound(c)


def test_reassign_recip_key_to_uid_gets_a_new_uid_for_each_key(c):
    join(c, "old", "a", "b")
    route(c, "k1", "x", "y", "k2", "x2", "y2", "k3")
    for worker, recipient in (("a", "x"), ("b", "y"), ("a", "x2"), ("b", "y2")):
        done(c, worker, recipient)
    join(c, "a", "b")
    assert info(c)["iterator"] == 1
    c.call("SHARD.HEARTBEAT", "pool", "old")
    stale_after_joining(c, SHORT, "a", "b")
    wait_until_gone(c, "old")
    # `old` is deleted when its list is empty; until then it has index 0, and `a` has index 1.
    assert owners(c, "k1", "k2", "k3") == ["a", "b", "a"]


def test_reassign_recip_key_to_uid_carries_the_pending_count_over(c):
    two_workers(c)
    push(c, "k2", "payload", "another")
    fail_over_by_sending(c)
    assert recipients(c, "new")[3:] == [("k1", 3), ("k2", 3), ("k3", 1)]
    assert worker_info(c, "new")["pending"] == 7
    assert pull(c, "new") == [("k2", 1, "payload"), ("k2", 2, "another")]
