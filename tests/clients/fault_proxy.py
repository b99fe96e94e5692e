"""A network with faults between a client and a server: it swallows answers, delays them, closes connections, and goes
silent."""

import collections
import contextlib
import pathlib
import sys
import threading
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

from lossy_proxy import LossyProxy


class FaultProxy(LossyProxy):
    """Counts its faults, so that a test can check that they happened. Use as a context manager."""

    def __init__(self, port):
        self.swallowed = collections.Counter()  # answers that were lost, by command
        self._losing = {}  # command -> [answers to lose, n: every n-th of them, calls so far]
        self._delay = 0.0
        self._late = {}  # command -> how much later its answers come
        self._late_sides = {}  # server's side -> how much later its next answer comes
        self._silent = False
        self._voice = threading.Condition()
        super().__init__(collections.namedtuple("Target", "port")(port))

    def swallow(self, command, times=1, every=1):
        """Loses the answer of every n-th such command, this many times: the connection is closed instead."""
        with self._lock:
            self._losing[f"\r\n{command}\r\n".encode()] = [times, every, 0]

    def delay(self, seconds):
        """Delays each answer."""
        self._delay = seconds

    def delay_answers_of(self, command, seconds):
        """Delays answers to this command; answers to other commands on other connections overtake them."""
        with self._lock:
            self._late[f"\r\n{command}\r\n".encode()] = seconds

    @contextlib.contextmanager
    def silence(self):
        """Passes nothing on in either direction, and closes nothing."""
        self._silent = True
        try:
            yield
        finally:
            with self._voice:
                self._silent = False
                self._voice.notify_all()

    def _pass(self):
        with self._voice:
            self._voice.wait_for(lambda: not self._silent, 60)

    def _loses_answer_of(self, data, server):
        self._pass()
        loses = False
        with self._lock:
            for command, seconds in self._late.items():
                if command in data:
                    self._late_sides[server] = seconds
            for command, state in self._losing.items():
                if command in data and state[0] > 0:
                    state[2] += 1
                    if state[2] % state[1] == 0:
                        state[0] -= 1
                        loses = True
                        self.swallowed[command.decode().strip()] += 1
        return loses

    def _hold_answer(self, server):
        with self._lock:
            late = self._late_sides.pop(server, 0)
        if self._delay or late:
            time.sleep(self._delay + late)
        self._pass()
