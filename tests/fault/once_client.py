"""A log whose writes have ids: a write without an answer is sent again, and is stored once. Every second write is a
frame."""

from books import EVERYTHING
from client import Client, some_bytes
from log_books import LogBooks
from log_frames import make_frame

KEPT = 1500


class OnceClient(Client):
    def prepare(self, c):
        self._serial = 0
        self._log = LogBooks(self, f"once:{self.name}")
        self._open = None  # (words of the command, entries) that may have been written or not

    def step(self, c):
        if len(self._log.messages) > KEPT:
            self._log.evict(c, max(self._log.messages) - KEPT // 2)
            return
        if self._open is None:
            self._open = self._next_write()
        self._send(c)

    def _send(self, c):
        words, entries = self._open
        first = c.call(*words)
        self._log.written(first, entries, self.acknowledged(c))
        self._open = None
        if self.rng.random() < 0.2 and (again := c.call(*words)) != first:
            self.books.repeated(f"{self._log.key}: a write with the same id was answered {first}, then {again}")

    def _next_write(self):
        entries = []
        for _ in range(self.rng.choice([1, 1, 2, 20])):
            self._serial += 1
            entries.append(f"{self._serial} {some_bytes(self.rng)}")
        if self._serial % 2 == 0:
            messages = ("FRAMED", make_frame(*[(b"tag", entry.encode()) for entry in entries]))
        else:
            messages = ("ENTRIES", *[word for entry in entries for word in ("tag", entry)])
        return ("TWRITE", self._log.key, "ID", f"write {self._serial}", *messages), entries

    def prove(self, c, promise):
        there = self._log.prove(c, promise)
        serials = [int(entry.split()[0]) for entry in there.values()]
        if serials != sorted(set(serials)):
            self.books.repeated(f"{self._log.key}: a message is there twice, or not in the order it was written in")

    def finish(self, c):
        """Sends the open write for the last time."""
        if self._open is not None:
            self._send(c)
        self.prove(c, EVERYTHING)
