"""Taking a lock and giving it back, without waiting."""

import pytest

from locks import HOUR, acquire, holders, info, is_refused, release, take
from server import Server, wait_until


def test_one_owner_at_a_time(c):
    granted, token, ttl, holds = acquire(c, "ann", ttl=60_000)
    assert (granted, ttl, holds) == (1, 60_000, 1) and token > 0
    refused, none, ms, nothing = acquire(c, "bob", ttl=60_000)
    assert (refused, none, nothing) == (0, 0, 0)
    assert 0 < ms <= 60_000, "when it may be free"
    assert holders(c) == ["ann"]


def test_a_lock_that_was_given_back_goes_to_the_next(c):
    take(c, "ann")
    assert release(c, "ann") == 0
    assert take(c, "bob")


def test_the_same_owner_acquires_again_and_gives_back_as_often(c):
    token = take(c, "ann", ttl=60_000)
    assert acquire(c, "ann", ttl=600_000) == [1, token, 600_000, 2], "its token stays"
    assert acquire(c, "ann") == [1, token, HOUR, 3]
    assert [release(c, "ann") for _ in range(2)] == [2, 1]
    assert is_refused(c, "bob")
    assert release(c, "ann") == 0
    assert take(c, "bob") > token


def test_acquiring_again_renews_the_lease(c):
    take(c, "ann", ttl=60_000)
    acquire(c, "ann", ttl=HOUR)
    assert info(c)["holders"][0]["ttl"] > 60_000


def test_acquiring_again_never_shortens_the_lease(c):
    token = take(c, "ann", ttl=HOUR)
    granted, again, left, holds = acquire(c, "ann", ttl=1000)
    assert (granted, again, holds) == (1, token, 2) and left > 1000, "the answer says how long it is held"
    assert info(c)["holders"][0]["ttl"] > 1000
    release(c, "ann")
    assert info(c)["holders"][0]["ttl"] > 1000, "the outer hold has the lease that it took"


def test_many_readers_or_one_writer(c):
    for reader in ("ann", "bob", "carl"):
        take(c, reader, "SHARED")
    assert is_refused(c, "writer")
    assert holders(c) == ["ann", "bob", "carl"]
    for reader in ("ann", "bob", "carl"):
        release(c, reader)
    take(c, "writer")
    assert is_refused(c, "ann", "SHARED")


def test_a_semaphore_has_n_permits(c):
    for owner in ("ann", "bob", "carl"):
        take(c, owner, "LIMIT", 3)
    assert is_refused(c, "dora", "LIMIT", 3)
    acquire(c, "ann", "LIMIT", 3)
    assert len(holders(c)) == 3, "a permit that is held twice is one permit"
    release(c, "bob")
    take(c, "dora", "LIMIT", 3)


def test_the_limit_of_a_semaphore_may_change_while_it_is_held_and_the_newest_counts(c):
    take(c, "ann", "LIMIT", 1)
    take(c, "bob", "LIMIT", 3)
    take(c, "carl", "LIMIT", 3)
    assert info(c)["permits"] == 3
    assert is_refused(c, "dora", "LIMIT", 2), "nobody loses a permit, and nobody new comes in"
    assert (info(c)["permits"], len(holders(c))) == (2, 3)
    release(c, "ann")
    assert is_refused(c, "dora", "LIMIT", 2)
    release(c, "bob")
    take(c, "dora", "LIMIT", 2)
    acquire(c, "dora", "LIMIT", 4)
    assert info(c)["permits"] == 4, "also of an owner that holds it"
    assert is_refused(c, "bob", "SHARED")


def test_the_hint_of_a_lowered_limit_counts_all_that_must_go(c):
    for owner, ttl in (("ann", 10_000), ("bob", 20_000), ("carl", 1_000_000)):
        take(c, owner, "LIMIT", 3, ttl=ttl)
    assert 10_000 < acquire(c, "dora", "LIMIT", 2)[2] <= 20_000


def test_a_semaphore_of_one_is_no_exclusive_lock_but_excludes(c):
    take(c, "ann", "LIMIT", 1)
    assert is_refused(c, "bob", "LIMIT", 1)
    assert is_refused(c, "bob")


@pytest.mark.parametrize("held, asked, name", [
    ((), ("SHARED",), "exclusive"), (("SHARED",), (), "shared"), (("LIMIT", 2), ("SHARED",), "limit")
], ids=str)
def test_an_owner_that_asks_for_another_mode_than_it_holds_is_refused(server, c, held, asked, name):
    take(c, "ann", *held)
    before = server.digest("lock")
    error = c.error_of("LOCK.ACQUIRE", "lock", "ann", HOUR, *asked)
    assert error == f"ERR 'ann' holds this lock in another mode ({name}): release it first"
    assert c.error_of("LOCK.ACQUIRE", "lock", "ann", HOUR, *asked, "WAIT", 9) == error, "it would wait for itself"
    assert server.digest("lock") == before


def test_the_time_until_it_may_be_free_is_that_of_the_holders_in_the_way(c):
    take(c, "ann", "LIMIT", 2, ttl=10_000)
    take(c, "bob", "LIMIT", 2, ttl=1_000_000)
    assert acquire(c, "carl", "LIMIT", 2)[2] <= 10_000, "one of them must go"
    assert 900_000 < acquire(c, "carl")[2] <= 1_000_000, "all of them must go"


def test_wait_0_does_not_wait(c):
    take(c, "ann")
    assert is_refused(c, "bob", "WAIT", 0)


def test_only_an_owner_gives_it_back(server, c):
    take(c, "ann")
    before = server.digest("lock")
    assert c.error_of("LOCK.RELEASE", "lock", "bob") == "NOTOWNER 'bob' does not hold the lock 'lock'"
    assert server.digest("lock") == before
    release(c, "ann")
    assert c.error_of("LOCK.RELEASE", "lock", "ann").startswith("NOTOWNER ")
    assert c.error_of("LOCK.RELEASE", "never", "ann").startswith("NOTOWNER ")


def test_a_renewed_lease_is_as_long_as_asked(c):
    token = take(c, "ann", ttl=10_000)
    assert c.call("LOCK.RENEW", "lock", "ann", HOUR) == 1
    assert info(c)["holders"][0]["ttl"] > 10_000
    assert c.call("LOCK.RENEW", "lock", "ann", 5000) == 1
    assert info(c)["holders"][0]["ttl"] <= 5000, "shorter, too"
    assert info(c)["holders"][0]["token"] == token


def test_what_is_not_held_is_not_renewed(c):
    assert c.call("LOCK.RENEW", "lock", "ann", HOUR) == 0
    take(c, "bob")
    assert c.call("LOCK.RENEW", "lock", "ann", HOUR) == 0
    assert holders(c) == ["bob"]


def test_a_late_renew_or_release_of_a_lost_lock_leaves_the_new_holders_alone(server, c):
    take(c, "ann", ttl=1)
    wait_until(lambda: not holders(c), "the lease is over")
    token = take(c, "bob")
    before = server.digest("lock")
    assert c.call("LOCK.RENEW", "lock", "ann", HOUR) == 0
    assert c.error_of("LOCK.RELEASE", "lock", "ann").startswith("NOTOWNER ")
    assert server.digest("lock") == before
    assert info(c)["holders"][0]["token"] == token


def test_break_frees_a_lock_of_any_owner(c):
    assert c.call("LOCK.BREAK", "lock") == 0
    take(c, "ann", "SHARED")
    acquire(c, "ann", "SHARED")
    take(c, "bob", "SHARED")
    assert c.call("LOCK.BREAK", "lock") == 1
    assert c.call("LOCK.BREAK", "lock") == 0
    assert c.error_of("LOCK.RELEASE", "lock", "ann").startswith("NOTOWNER ")
    take(c, "carl")


def test_a_free_lock_takes_no_memory():
    # A server without a replica, whose backlog would grow.
    with Server() as alone, alone.connect() as c:

        def take_and_give_back(names):
            # Leases longer than the test, so that a date left behind would take memory.
            c.call_all([("LOCK.ACQUIRE", name, "ann", HOUR) for name in names])
            c.call_all([("LOCK.RELEASE", name, "ann") for name in names])
            assert c.call("DBSIZE") == 0
            return int(alone.info("memory")["used_memory"])

        before = take_and_give_back([f"lock:{i}" for i in range(2000)])
        for number in range(10):
            after = take_and_give_back([f"other:{number}:{i}" for i in range(2000)])
        assert after - before < 100_000, "five bytes for each of 20,000 locks would be more"


UUID_AND_NUMBER = "8743c9c0-0795-4907-87fd-6c719a6b4586:1"


def test_a_lock_with_one_holder_takes_160_bytes_at_most(c):
    # Finding "Locks" 8 of issue 19: it was 303 bytes.
    take(c, UUID_AND_NUMBER)
    assert c.call("MEMORY", "USAGE", "lock") <= 160


def test_all_that_a_held_lock_takes_is_about_twice_that_of_its_key():
    # MEMORY USAGE does not contain the tables of the host and the date on the agenda. All together was 475 bytes and
    # more.
    count = 20_000
    with Server() as alone, alone.connect() as c:
        used = lambda: int(alone.info("memory")["used_memory"])
        before = used()
        for start in range(0, count, 1000):
            c.call_all([("LOCK.ACQUIRE", f"lock:{n}", UUID_AND_NUMBER, HOUR) for n in range(start, start + 1000)])
        assert (used() - before) / count < 300


def test_owners_are_any_bytes(c):
    odd = bytes(range(256))
    take(c, odd, "SHARED")
    take(c, "größe", "SHARED")
    assert release(c, odd) == 0
    assert c.error_of("LOCK.ACQUIRE", "lock", "", HOUR) == "ERR the owner has 0 bytes, expected 1 to 1024"
    assert c.error_of("LOCK.RELEASE", "lock", b"x" * 1025) == "ERR the owner has 1025 bytes, expected 1 to 1024"


@pytest.mark.parametrize("words, error", [
    (("LOCK.ACQUIRE", "lock", "ann", "0"), "ERR invalid lease time '0': expected an integer from 1 to 9007199254740991"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "LIMIT", "0"), "ERR invalid LIMIT '0': expected an integer from 1 to 4294967295"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "SHARED", "LIMIT", "2"), "ERR SHARED and LIMIT exclude each other"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "WAIT", "x"), "ERR invalid WAIT time 'x': expected an integer from 0 to 9007199254740991"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "NOW"), "ERR syntax error: expected SHARED, LIMIT, VALUE, WAIT or ALIVE, found 'NOW'"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "ALIVE", "5"), "ERR ALIVE is for a grant that was waited for: it needs WAIT"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "WAIT", "5", "ALIVE", "0"),
     "ERR invalid ALIVE time '0': expected an integer from 1 to 9007199254740991"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "VALUE"), "ERR missing VALUE"),
    (("LOCK.ACQUIRE", "lock", "ann", "5", "VALUE", "x" * 65_537), "ERR VALUE has 65536 bytes at most"),
    (("LOCK.WATCH", "lock", "FOR", "5"), "ERR syntax error: expected TOKEN or BLOCK, found 'FOR'"),
    (("LOCK.WATCH", "lock", "TOKEN", "-1"), "ERR invalid TOKEN '-1': expected an integer from 0 to 9007199254740991"),
    (("LOCK.RENEW", "lock", "ann", "-5"), "ERR invalid lease time '-5': expected an integer from 1 to 9007199254740991"),
    (("LOCK.INFO", "lock", "COUNT", "x"), "ERR invalid COUNT 'x': expected an integer from 0 to 1000000"),
    (("LOCK.WAITS", "EVERY"), "ERR syntax error: expected COUNT, found 'EVERY'"),
    (("LOCK.APPLY", "lock", "nonsense"), "ERR a lock of a version this module does not know"),
], ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "")
def test_a_wrong_word_is_named_and_changes_nothing(server, c, words, error):
    assert c.error_of(*words) == error
    assert c.call("EXISTS", "lock") == 0


def test_a_lease_may_be_as_long_as_a_double_counts(c):
    assert acquire(c, "ann", ttl=2**53 - 1)[0] == 1
    assert info(c)["holders"][0]["ttl"] > 2**52


def test_inside_a_transaction_and_a_script_it_is_taken_and_given_back(c):
    c.call("MULTI")
    acquire(c, "ann")
    acquire(c, "bob", "WAIT", 50_000)
    release(c, "ann")
    acquire(c, "bob", "WAIT", 50_000)
    first, second, third, fourth = c.call("EXEC")
    assert (first[0], second[0], third, fourth[0]) == (1, 0, 0, 1)
    script = "redis.call('LOCK.RELEASE', KEYS[1], 'bob') return redis.call('LOCK.ACQUIRE', KEYS[1], 'carl', 1000)[2]"
    assert c.call("EVAL", script, 1, "lock") > fourth[1], "a token survives Lua's numbers"


def test_the_time_to_wait_is_never_longer_than_the_whole_lease(c):
    for number in range(50):
        key = f"lock:{number}"
        _, refused = c.call_all([("LOCK.ACQUIRE", key, "ann", "30000"), ("LOCK.ACQUIRE", key, "bob", "30000")])
        assert 29_000 < refused[2] <= 30_000
    take(c, "ann", ttl=1)
    wait_until(lambda: c.call("LOCK.ACQUIRE", "lock", "bob", "1")[0] == 1, "the lease is over")
