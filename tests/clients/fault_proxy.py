"""A network between a client and a server that does harm: it swallows answers, delays, cuts, and goes silent."""

import collections
import contextlib
import pathlib
import sys
import threading
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

from lossy_proxy import LossyProxy


class FaultProxy(LossyProxy):
    """Harm is counted, so that a test can tell that it was done. Use as a context manager."""

    def __init__(self, port):
        self.swallowed = collections.Counter()  # answers that were lost, by command
        self._losing = {}  # command -> how many more times, each after how many passed
        self._delay = 0.0
        self._late = {}  # command -> how much later its answers come
        self._late_sides = {}  # server's side -> how much later its next answer comes
        self._silent = False
        self._voice = threading.Condition()
        super().__init__(collections.namedtuple("Target", "port")(port))

    def swallow(self, command, times=1, every=1):
        """The answer of every n-th such command is lost, so many times: the connection is closed in its place."""
        with self._lock:
            self._losing[f"\r\n{command}\r\n".encode()] = [times, every, 0]

    def delay(self, seconds):
        """Each answer comes so much later."""
        self._delay = seconds

    def delay_answers_of(self, command, seconds):
        """They come so much later, and those to other commands on other connections overtake them."""
        with self._lock:
            self._late[f"\r\n{command}\r\n".encode()] = seconds

    @contextlib.contextmanager
    def silence(self):
        """Nothing arrives, in neither direction, and nothing is closed."""
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
