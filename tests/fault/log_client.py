"""A log: what was written is at its offset, and stays there."""

from client import Client, some_bytes
from log_books import LogBooks

KEPT = 1500


class LogClient(Client):
    def prepare(self, c):
        self._serial = 0
        self._log = LogBooks(self, f"log:{self.name}")

    def step(self, c):
        if len(self._log.messages) > KEPT:
            self._log.evict(c, max(self._log.messages) - KEPT // 2)
            return
        entries = [self._next() for _ in range(self.rng.choice([1, 1, 1, 2, 20]))]
        first = c.call("TWRITE", self._log.key, "ENTRIES", *[word for entry in entries for word in ("tag", entry)])
        self._log.written(first, entries, self.acknowledged(c))

    def _next(self):
        self._serial += 1
        return f"{self._serial} {some_bytes(self.rng)}"

    def prove(self, c, promise):
        there = self._log.prove(c, promise)
        serials = [int(entry.split()[0]) for entry in there.values()]
        if serials != sorted(set(serials)):
            self.books.repeated(f"{self._log.key}: a message is there twice, or not in the order it was written in")

    def finish(self, c):
        """Nothing to do."""
