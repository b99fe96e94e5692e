"""LOCK.INFO and LOCK.WAITS: which owners hold a lock, which wait, and for whom."""

import pytest

from locks import HOUR, acquire, info, named, start_waiting, take
from rights import user
from server import wait_until


@pytest.fixture
def wait(server, connect):
    return lambda owner, *options, **more: start_waiting(server, connect(), owner, *options, **more)


def waits(c, *options):
    about = named(c.call("LOCK.WAITS", *options))
    return {**about, "waits": [named(one) for one in about["waits"]]}


def test_a_lock_without_holders_is_a_free_one(c):
    assert info(c, "never") == {"mode": b"none", "permits": 0, "holding": 0, "waiting": 0, "holders": [], "waiters": []}
    assert c.call("EXISTS", "never") == 0


@pytest.mark.parametrize("options, mode, permits", [((), b"exclusive", 1), (("SHARED",), b"shared", 0), (("LIMIT", 7), b"limit", 7)])
def test_it_tells_the_mode_and_each_holder(c, options, mode, permits):
    token = take(c, "ann", *options, ttl=5000)
    acquire(c, "ann", *options, ttl=5000)
    about = info(c)
    assert (about["mode"], about["permits"], about["holding"]) == (mode, permits, 1)
    [holder] = about["holders"]
    assert (holder["owner"], holder["token"], holder["holds"]) == (b"ann", token, 2)
    assert 0 < holder["ttl"] <= 5000


def test_it_lists_waiting_clients_in_order_and_how_long_they_have_waited(c, wait):
    take(c, "holder")
    for owner, *options in (("ann",), ("bob", "SHARED"), ("carl", "LIMIT", 3)):
        wait(owner, *options)
    about = info(c)
    assert about["waiting"] == 3
    assert [(one["owner"], one["mode"], one["permits"]) for one in about["waiters"]] == [
        (b"ann", b"exclusive", 1), (b"bob", b"shared", 0), (b"carl", b"limit", 3)]
    times = [one["waited"] for one in about["waiters"]]
    assert times == sorted(times, reverse=True)


def test_count_limits_what_is_named_and_not_what_is_counted(c, wait):
    for i in range(120):
        take(c, f"reader {i:03}", "SHARED")
    wait("writer")
    wait("late", "SHARED")
    about = info(c)
    assert (about["holding"], len(about["holders"])) == (120, 100)
    few = named(c.call("LOCK.INFO", "lock", "COUNT", 1))
    assert (few["holding"], few["waiting"], len(few["holders"]), len(few["waiters"])) == (120, 2, 1, 1)


def test_in_resp3_each_holder_and_waiter_is_a_map(c, connect, wait):
    take(c, "holder")
    wait("waiter")
    about = connect(protocol=3).call("LOCK.INFO", "lock")
    assert about[b"holders"][0][b"owner"] == b"holder"
    assert about[b"waiters"][0][b"owner"] == b"waiter"


def test_asking_changes_nothing_and_a_lease_that_is_over_is_not_shown(server, c):
    take(c, "ann", "SHARED", ttl=HOUR)
    take(c, "bob", "SHARED", ttl=1)
    wait_until(lambda: [one["owner"] for one in info(c)["holders"]] == [b"ann"], "the lease is over")
    assert info(c)["holding"] == 1


def test_waits_lists_which_owner_waits_for_which_the_longest_wait_first(c, wait):
    assert waits(c) == {"waiting": 0, "waits": [], "cycles": []}
    take(c, "ann", key="a")
    take(c, "bob", "SHARED", key="b")
    take(c, "carl", "SHARED", key="b")
    wait("dora", key="b")
    wait("emil", "SHARED", key="a")
    about = waits(c)
    assert about["waiting"] == 2 and about["cycles"] == []
    assert [(one["owner"], one["key"], one["database"], one["mode"], one["holders"]) for one in about["waits"]] == [
        (b"dora", b"b", 0, b"exclusive", [b"bob", b"carl"]), (b"emil", b"a", 0, b"shared", [b"ann"])]
    assert waits(c, "COUNT", 1)["waiting"] == 2
    assert len(waits(c, "COUNT", 1)["waits"]) == 1


def test_waits_names_a_cycle(server, c, connect, wait):
    for owner in ("ann", "bob", "carl"):
        take(c, owner, key=f"of {owner}")
    wait("ann", key="of bob")
    wait("bob", key="of carl")
    wait("outside", key="of ann")
    assert waits(c)["cycles"] == []
    last = wait("carl", key="of ann")
    [cycle] = waits(c)["cycles"]
    at = cycle.index(b"ann")
    assert cycle[at:] + cycle[:at] == [b"ann", b"bob", b"carl"]
    assert waits(c, "COUNT", 0) == {"waiting": 4, "waits": [], "cycles": []}
    last.close()
    wait_until(lambda: waits(c)["cycles"] == [], "it gave up, and the others can go on")


def test_waits_sees_all_databases_and_leaves_the_caller_in_his(server, c, connect):
    c.call("SELECT", "2")
    take(c, "holder")
    there = connect()
    there.call("SELECT", "2")
    start_waiting(server, there, "waiter")
    c.call("SELECT", "1")
    [one] = waits(c)["waits"]
    assert (one["database"], one["holders"]) == (2, [b"holder"])
    c.call("SET", "here", "x")
    c.call("SELECT", "1")
    assert c.call("EXISTS", "here") == 1


def test_waits_is_for_operators(server, c):
    """It names keys and owners of all users, as CLIENT LIST does."""
    take(c, "ann")
    [about] = c.call("COMMAND", "INFO", "LOCK.WAITS")
    assert b"admin" in about[2]
    with user(server, "+@all", "-lock.waits", "~*") as guest:
        assert guest.error_of("LOCK.WAITS").startswith("NOPERM")


def test_counters_count(server, c, connect):
    names = ("grants", "reentries", "releases", "expiries", "breaks", "handed_over")

    def counted():
        return [server.counter(f"lock_{name}") for name in names]

    before = counted()
    take(c, "ann")
    acquire(c, "ann")
    start_waiting(server, connect(), "bob", ttl=1)
    assert [c.call("LOCK.RELEASE", "lock", "ann") for _ in range(2)] == [1, 0]
    wait_until(lambda: server.counter("lock_expiries") == before[3] + 1, "bob's lease is over")
    take(c, "carl")
    c.call("LOCK.BREAK", "lock")
    assert [now - then for now, then in zip(counted(), before)] == [3, 1, 2, 1, 1, 1]


def test_events_tell_each_step(server, c, connect):
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:lock")
        take(c, "ann", ttl=HOUR)
        c.call("LOCK.RENEW", "lock", "ann", HOUR)
        start_waiting(server, connect(), "bob", ttl=1)
        c.call("LOCK.RELEASE", "lock", "ann")
        events = [listener.read()[2].decode() for _ in range(5)]
        assert events == ["lock.acquire", "lock.renew", "lock.release", "lock.acquire", "lock.expire"]
