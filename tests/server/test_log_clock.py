"""A wall clock that is set while the server runs: no wait depends on it, and dates stay in order."""

import time

import pytest

from log_groups import LONG, pending, take
from log_waiting import is_still_waiting, start_waiting
from server import wait_until

HOUR = 3_600_000  # milliseconds


@pytest.fixture
def stepped(clock):
    clock.set(0)
    with clock.server() as server:
        yield server


def test_the_shim_sets_the_servers_clock(stepped, clock):
    before = int(stepped.admin.call("TIME")[0])
    clock.set(3600)
    assert 3600 <= int(stepped.admin.call("TIME")[0]) - before < 3700


@pytest.mark.parametrize("step", [120, -120], ids=["forwards", "back"])
@pytest.mark.parametrize("group", [(), ("GROUP", "g")], ids=["alone", "group"])
def test_a_waiting_reader_is_served_at_once_after_the_clock_was_set(stepped, clock, step, group):
    stepped.admin.call("TWRITE", "aging", "t", "x")
    stepped.admin.call("TRETAIN", "aging", "AGE", "40000")  # a date is on the agenda
    clock.set(step)
    reader = stepped.connect()
    reader.send("TREAD", "log", "1", "1", *group, "BLOCK", "0")
    stepped.wait_for_blocked(1)
    stepped.admin.call("TWRITE", "log", "t", "e")
    assert reader.read() == [[1, b"t", b"e"]]


def test_old_messages_are_evicted_soon_after_the_clock_was_set_forwards(stepped, clock):
    c = stepped.admin
    c.call("TWRITE", "aging", "t", "x")
    c.call("TRETAIN", "aging", "AGE", "60000")
    clock.set(120)
    wait_until(lambda: c.call("TREAD", "aging", "1", "0", "WITHINFO") == [[2, 1]], "the old message is gone")


@pytest.mark.parametrize("step", [HOUR, -HOUR], ids=["forwards", "back"])
def test_a_clock_that_is_set_neither_hurries_nor_delays_a_redelivery(still, s, clock, step):
    s.call("TWRITE", "log", "t", "e")
    s.call("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "600000", "0")
    with still.connect() as reader:
        start_waiting(still, reader, ("log", "1", "1", "GROUP", "g", *LONG, "WITHATTEMPTS", "BLOCK", "0"))
        clock.advance(step)
        assert take(s, 1, *LONG) == [], "it is not due"
        assert is_still_waiting(still, reader)
        clock.pass_time(600_000)
        assert reader.read() == [[1, b"t", b"e", 2]]
    [[_, _, retry, _, _]] = pending(s)
    assert HOUR - 100_000 < retry <= HOUR, "what PENDING shows is in the group's time"


def test_after_a_restart_with_the_clock_set_back_a_redelivery_comes_within_its_retry_time(clock):
    clock.set(0)
    with clock.server(appendonly="yes", appendfsync="always") as server:
        c = server.admin
        c.call("TWRITE", "log", "t", "e")
        c.call("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "400", "0")
        clock.set(-3600)
        server.kill()
        with clock.environment():
            server.restart()
        begun = time.monotonic()
        reader = server.connect()
        reader.send("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "60000", "0", "WITHATTEMPTS", "BLOCK", "0")
        assert reader.read() == [[1, b"t", b"e", 2]]
        assert time.monotonic() - begun < 10
    clock.set(0)


def test_a_group_that_has_nothing_pending_goes_by_the_wall_clock_again(stepped, clock):
    c = stepped.admin
    c.call("TWRITE", "log", "ENTRIES", "t", "1", "t", "2")
    c.call("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "300", "0")
    clock.set(-3600)
    c.call("TACK", "log", "g", "1")
    c.call("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "50", "0")
    wait_until(lambda: c.call("TREAD", "log", "1", "1", "GROUP", "g") == [[2, b"t", b"2"]], "it comes again")


def test_dates_do_not_run_backwards_when_the_clock_does(stepped, clock):
    c = stepped.admin
    c.call("TWRITE", "log", "t", "1")
    first = int(c.call("TIME")[0]) * 1000
    clock.set(-3600)
    c.call("TWRITE", "log", "t", "2")
    assert c.call("TSEEK", "log", first - 1000) == 1
    assert c.call("TSEEK", "log", first - 3_000_000) == 1, "both carry the later date"
