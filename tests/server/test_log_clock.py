"""A wall clock that is set while the server runs: nobody waits for it, and dates stay in order."""

import pytest

from server import wait_until


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
def test_who_waits_is_served_at_once_after_the_clock_was_set(stepped, clock, step, group):
    stepped.admin.call("TWRITE", "aging", "t", "x")
    stepped.admin.call("TRETAIN", "aging", "AGE", "40000")  # a date is on the agenda
    clock.set(step)
    reader = stepped.connect()
    reader.send("TREAD", "log", "1", "1", *group, "BLOCK", "0")
    stepped.wait_for_blocked(1)
    stepped.admin.call("TWRITE", "log", "t", "e")
    assert reader.read() == [[1, b"t", b"e"]]


def test_what_is_too_old_or_due_goes_soon_after_the_clock_was_set_forwards(stepped, clock):
    c = stepped.admin
    c.call("TWRITE", "aging", "t", "x")
    c.call("TRETAIN", "aging", "AGE", "60000")
    c.call("TWRITE", "log", "t", "e")
    c.call("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "60000", "0")
    reader = stepped.connect()
    reader.send("TREAD", "log", "1", "1", "GROUP", "g", "WITHATTEMPTS", "BLOCK", "0")
    stepped.wait_for_blocked(1)
    clock.set(120)
    assert reader.read() == [[1, b"t", b"e", 2]]
    wait_until(lambda: c.call("TREAD", "aging", "1", "0", "WITHINFO") == [[2, 1]], "the old message is gone")


def test_dates_do_not_run_backwards_when_the_clock_does(stepped, clock):
    c = stepped.admin
    c.call("TWRITE", "log", "t", "1")
    first = int(c.call("TIME")[0]) * 1000
    clock.set(-3600)
    c.call("TWRITE", "log", "t", "2")
    assert c.call("TSEEK", "log", first - 1000) == 1
    assert c.call("TSEEK", "log", first - 3_000_000) == 1, "both carry the later date"
