"""What a run has seen: counts, and everything that must not be."""

import threading
import time


class Books:
    """One for a run; its clients share it. Counting is safe from any thread."""

    def __init__(self):
        self.counts = {"kills": 0, "failovers": 0, "operations": 0, "redelivered": 0, "forgotten": 0}
        self.losses = []  # sentences: something acknowledged is missing, or is not as it was
        self.duplicates = []  # sentences: something came again that docs/guarantees.md says does not
        self.troubles = []  # sentences: an answer that nothing explains, a server that did not come up
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
    """How much of what was acknowledged must be there when a server is up again: all that was acknowledged before a
    moment. An append-only file that is written before each answer promises everything, one that is written each second
    all but the last seconds, a saved file what was there when the saving began."""

    def __init__(self, until):
        self._until = until

    def holds(self, acknowledged_at):
        return acknowledged_at <= self._until


EVERYTHING = Promise(float("inf"))


def now():
    return time.monotonic()
