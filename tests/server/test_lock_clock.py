"""The wall clock jumps, and leases do not change: two holders with the usual recipe, one with ours."""

import pytest

from clock import Clock
from locks import HOUR, acquire, holders, info, is_refused, start_waiting, take
from server import wait_until
from test_lock_recipes import RELEASE


@pytest.fixture
def clock(tmp_path, clock_shim):
    return Clock(tmp_path, clock_shim)


@pytest.fixture
def server(clock):
    with clock.server() as server:
        yield server


@pytest.fixture
def c(server):
    with server.connect() as connection:
        yield connection


def test_the_servers_clock_jumps(server, clock, c):
    before = int(c.call("TIME")[0])
    clock.set(3600)
    assert 3600 <= int(c.call("TIME")[0]) - before < 3700
    clock.set(-3600)
    assert -3600 <= int(c.call("TIME")[0]) - before < -3500


def test_with_the_recipe_two_clients_hold_the_lock_after_the_clock_jumped(clock, c):
    assert c.call("SET", "resource", "first", "NX", "PX", 60_000) == b"OK"
    clock.set(120)
    # The first client has used only a moment of its minute, and believes that it still holds the lock.
    wait_until(lambda: c.call("SET", "resource", "second", "NX", "PX", 60_000) == b"OK", "the second has it too")
    assert c.call("EVAL", RELEASE, 1, "resource", "first") == 0, "when the first hears of it, it is too late"


@pytest.mark.parametrize("step", [120, 400_000_000, -120], ids=["two minutes", "twelve years", "two minutes back"])
def test_with_ours_one_client_holds_the_lock_whatever_the_clock_does(server, clock, c, step):
    token = take(c, "first", ttl=60_000)
    clock.set(step)
    assert is_refused(c, "second")
    assert 0 < acquire(c, "second")[2] <= 60_000
    with server.connect() as waiting:
        assert acquire(waiting, "second", "WAIT", 1000)[0] == 0, "nor after a second of waiting"
    assert c.call("LOCK.RENEW", "lock", "first", 60_000) == 1
    assert info(c)["holders"][0]["token"] == token


@pytest.mark.parametrize("step", [3600, -3600], ids=["forwards", "back"])
def test_a_lease_ends_and_passes_on_in_time_whatever_the_clock_does(server, clock, c, step):
    take(c, "first", ttl=HOUR)
    with server.connect() as waiting:
        start_waiting(server, waiting, "second")
        c.call("LOCK.RENEW", "lock", "first", 400)
        clock.set(step)
        assert waiting.read()[0] == 1
    take(c, "third", key="other", ttl=200)
    clock.set(0)
    wait_until(lambda: c.call("EXISTS", "other") == 0, "a free lock goes although nobody calls")


@pytest.mark.parametrize("step", [3600, -3600], ids=["forwards", "back"])
def test_a_wait_is_as_long_as_asked_whatever_the_clock_does(server, clock, c, step):
    take(c, "holder")
    with server.connect() as long, server.connect() as short:
        start_waiting(server, long, "long", wait=1_000_000)
        short.send("LOCK.ACQUIRE", "lock", "short", HOUR, "WAIT", 1000)
        wait_until(lambda: server.counter("lock_waiting") == 2 or short.has_answer(), "it waits, or its time is over")
        clock.set(step)
        assert short.read()[0] == 0
        assert not long.has_answer()
        c.call("LOCK.RELEASE", "lock", "holder")
        assert long.read()[0] == 1


def test_tokens_rise_although_the_clock_goes_back(clock, c):
    first = take(c, "ann")
    clock.set(-400_000_000)
    c.call("LOCK.RELEASE", "lock", "ann")
    second = take(c, "ann")
    c.call("DEL", "lock")
    third = take(c, "ann")
    assert first < second < third


def test_tokens_rise_after_a_rewrite_without_preamble_although_the_clock_was_set_back(clock):
    """Such a file contains nothing about a free lock."""
    with clock.server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no") as server:
        freed = take(server.admin, "ann")
        server.admin.call("LOCK.RELEASE", "lock", "ann")
        server.rewrite_aof()
        server.shutdown(save=False)
        clock.set(-400_000_000)
        server.restart()
        assert take(server.admin, "bob") > freed


@pytest.mark.parametrize("save", [True, False], ids=["rdb", "aof"])
def test_tokens_rise_and_leases_go_on_over_a_restart_with_another_date(clock, tmp_path, save):
    with clock.server(appendonly="no" if save else "yes", appendfsync="always") as server:
        with server.connect() as c:
            freed = take(c, "ann", key="freed")
            c.call("LOCK.RELEASE", "freed", "ann")
            held = take(c, "ann", ttl=HOUR)
            left = info(c)["holders"][0]["ttl"]
        server.shutdown(save=save)
        clock.set(-400_000_000)
        server.restart()
        with server.connect() as c:
            assert 0 < left - info(c)["holders"][0]["ttl"] < 60_000, "the same boot: the clock that does not jump counts"
            assert holders(c) == ["ann"]
            assert take(c, "bob", key="freed") > max(freed, held)
