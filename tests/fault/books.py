"""The record of a run: counts, and everything that must not happen."""

import threading
import time


class CannotRun(Exception):
    """The host cannot do what a scenario is about."""


class Books:
    """One object for each run, shared by its clients. Counting is thread-safe."""

    def __init__(self):
        self.counts = {"kills": 0, "failovers": 0, "operations": 0, "redelivered": 0, "forgotten": 0}
        self.losses = []  # sentences: something acknowledged is missing, or is not as it was
        self.duplicates = []  # sentences: something came again that docs/guarantees.md says does not
        self.troubles = []  # sentences: an answer without an explanation, a server that did not start
        self.notes = []  # what else a reader of the figures may want to know
        self._lock = threading.Lock()

    def count(self, what, by=1):
        with self._lock:
            self.counts[what] = self.counts.get(what, 0) + by

    def lost(self, sentence):
        self._note(self.losses, sentence)

    def repeated(self, sentence):
        self._note(self.duplicates, sentence)

    def trouble(self, sentence):
        self._note(self.troubles, sentence)

    def note(self, sentence):
        self._note(self.notes, sentence)

    def _note(self, where, sentence):
        with self._lock:
            where.append(sentence)

    @property
    def are_clean(self):
        return not (self.losses or self.duplicates or self.troubles)


class Promise:
    """What a server must still have after a restart: everything that was acknowledged before a moment. With an
    append-only file that is written before each answer, this is everything; with one that is written each second,
    everything but the last seconds; with a saved file, everything from before the save began."""

    def __init__(self, until):
        self._until = until

    def holds(self, acknowledged_at):
        return acknowledged_at <= self._until


EVERYTHING = Promise(float("inf"))


def now():
    return time.monotonic()
