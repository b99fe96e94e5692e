"""The wall clock of a server or another process, which a test can set or stop; its monotonic clock goes on, faster if
the test says so."""

import contextlib
import os
import struct
import subprocess

from server import REPOSITORY, Server


def built_shim(folder):
    """Builds the library that gives a process the time of a Clock."""
    library = str(folder / "clock_shim.so")
    source = str(REPOSITORY / "tests" / "server" / "clock_shim.cc")
    subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


class Clock:
    def __init__(self, folder, shim):
        self._shim = shim
        self._file = folder / "clock"
        self._file.write_bytes(bytes(40))
        self._passed = 0  # how far the monotonic clock is ahead, in milliseconds
        self.now = 0  # the time at which it stands still, in milliseconds

    def set(self, seconds):
        """The clock runs, this many seconds ahead of the true time."""
        self._write(seconds * 1000, 0, 0)

    def stop_at(self, milliseconds):
        """The clock stands still at this date."""
        self.now = milliseconds
        self._write(0, milliseconds, 0)

    def go_on_with_each_reading(self, milliseconds):
        """The clock advances by a millisecond each time the server reads it, and at no other time."""
        self._write(0, milliseconds, 1)

    def hurry_monotonic(self):
        """The wall clock runs; the monotonic clock advances by an additional millisecond whenever the server reads
        it."""
        self._write(0, 0, 0, 1)

    def pass_time(self, milliseconds):
        """Advances both clocks. REQUIRES: the wall clock stands still."""
        self._passed += milliseconds
        self.advance(milliseconds)

    def advance(self, milliseconds):
        """Advances the wall clock alone. REQUIRES: it stands still."""
        self.stop_at(self.now + milliseconds)

    def _write(self, ahead, stopped_at, each_reading, monotonic_each_reading=0):
        with open(self._file, "r+b") as file:
            file.write(struct.pack("qqqqq", ahead, stopped_at, each_reading, monotonic_each_reading, self._passed))

    def variables(self):
        """The environment of a process that uses this clock."""
        return {"LD_PRELOAD": self._shim, "CLOCK_SHIM": str(self._file)}

    @contextlib.contextmanager
    def environment(self):
        """Servers that are started in this context use this clock."""
        os.environ.update(self.variables())
        try:
            yield
        finally:
            for name in self.variables():
                del os.environ[name]

    def server(self, **options):
        """A server that uses this clock."""
        return Server(environment=self.variables(), **options)
