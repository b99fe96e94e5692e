"""The wall clock of a server, which a test can set or stop; its monotonic clock goes on, faster if the test says so."""

import contextlib
import os
import struct
import subprocess

from server import REPOSITORY, Server


def built_shim(folder):
    """The library that makes a server go by a Clock."""
    library = str(folder / "clock_shim.so")
    source = str(REPOSITORY / "tests" / "server" / "clock_shim.cc")
    subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


class Clock:
    def __init__(self, folder, shim):
        self._shim = shim
        self._file = folder / "clock"
        self._file.write_bytes(bytes(40))
        self._passed = 0  # how far the monotonic clock is ahead
        self.now = 0  # where it stands still, in milliseconds

    def set(self, seconds):
        """It runs, so many seconds ahead of the true time."""
        self._write(seconds * 1000, 0, 0)

    def stop_at(self, milliseconds):
        """It stands still at this date."""
        self.now = milliseconds
        self._write(0, milliseconds, 0)

    def go_on_with_each_reading(self, milliseconds):
        """From where it stands it moves only when the server looks at it, by a millisecond."""
        self._write(0, milliseconds, 1)

    def hurry_monotonic(self):
        """The wall clock runs; the monotonic clock goes on by a millisecond more whenever the server looks at it."""
        self._write(0, 0, 0, 1)

    def pass_time(self, milliseconds):
        """Both clocks go on by so much. REQUIRES: the wall clock stands still."""
        self._passed += milliseconds
        self.advance(milliseconds)

    def advance(self, milliseconds):
        """REQUIRES: it stands still."""
        self.stop_at(self.now + milliseconds)

    def _write(self, ahead, stopped_at, each_reading, monotonic_each_reading=0):
        with open(self._file, "r+b") as file:
            file.write(struct.pack("qqqqq", ahead, stopped_at, each_reading, monotonic_each_reading, self._passed))

    @contextlib.contextmanager
    def environment(self):
        """Servers that are started in it go by this clock."""
        added = {"LD_PRELOAD": self._shim, "CLOCK_SHIM": str(self._file)}
        os.environ.update(added)
        try:
            yield
        finally:
            for name in added:
                del os.environ[name]

    @contextlib.contextmanager
    def server(self, **options):
        """A server that goes by this clock."""
        with self.environment():
            started = Server(**options)
        with started:
            yield started
