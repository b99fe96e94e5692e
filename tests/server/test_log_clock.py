"""A wall clock that is set while the server runs: nobody waits for it, and dates stay in order."""

import os
import struct
import subprocess

import pytest

from server import REPOSITORY, Server, wait_until


class Clock:
    """The server's wall clock, which can be set; its monotonic clock goes on."""

    def __init__(self, folder):
        self.library = str(folder / "clock_shim.so")
        self._file = folder / "step"
        self.set(0)
        source = str(REPOSITORY / "tests" / "server" / "clock_shim.cc")
        subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-o", self.library, source, "-ldl"], check=True)

    def set(self, seconds):
        """So many seconds ahead of the true time."""
        if not self._file.exists():
            self._file.write_bytes(bytes(8))
        with open(self._file, "r+b") as file:
            file.write(struct.pack("q", seconds))

    def environment(self):
        return {"LD_PRELOAD": self.library, "CLOCK_SHIM": str(self._file)}


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    return Clock(tmp_path_factory.mktemp("clock"))


@pytest.fixture
def stepped(clock, monkeypatch):
    clock.set(0)
    for name, value in clock.environment().items():
        monkeypatch.setenv(name, value)
    with Server() as server:
        for name in clock.environment():
            monkeypatch.delenv(name)
        yield server
    assert "LD_PRELOAD" not in os.environ


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
