"""A process, mostly a server, whose wall clock a test can set while it runs, by libfaketime; its monotonic clock
goes on.

libfaketime and a server that uses jemalloc deadlock at the start: libfaketime needs memory before jemalloc is ready,
and jemalloc needs the time before libfaketime is ready. With libc behind libfaketime in the list of preloaded
libraries, the server uses libc's allocator, and both start.
"""

import ctypes.util
import glob
import os
import pathlib

import pytest

from server import Server


def _library(pattern):
    [*_, found] = sorted(glob.glob(pattern))
    return found


class JumpingClock:
    def __init__(self, folder):
        if os.environ.get("MILLRACE_SANITIZED"):
            pytest.skip("libfaketime and the sanitizers wait for each other for ever")
        self._file = pathlib.Path(folder) / "faketime"
        self.set(0)

    def set(self, seconds):
        """Sets the clock this many seconds ahead of the true time."""
        replacement = self._file.with_suffix(".new")
        replacement.write_text(f"{seconds:+d}\n")
        os.replace(replacement, self._file)

    def environment(self):
        """The environment of a process that uses this clock."""
        return {
            "LD_PRELOAD": f"{_library('/usr/lib/*/faketime/libfaketime.so.1')} {ctypes.util.find_library('c')}",
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def server(self, **options):
        return Server(environment=self.environment(), **options)
