"""A group on a log: each message is delivered until it is acknowledged, and not again after that."""

from books import now
from client import Client, some_bytes
from log_books import LogBooks
from log_groups import about, pending_offsets
from server import wait_until

RETRY = 100
KEPT = 1000


class GroupClient(Client):
    def prepare(self, c):
        self._serial = 0
        self._log = LogBooks(self, f"work:{self.name}")
        self._delivered = set()  # offsets that came at least once
        self._done = {}  # offset -> when the server confirmed its acknowledgement
        self._unsure = set()  # acknowledged without an answer
        c.call("TREAD", self._log.key, 1, 1, "GROUP", "g", "RETRY", RETRY, 0, "BLOCK", 1)
        self.acknowledged(c)

    def step(self, c):
        chance = self.rng.random()
        if chance < 0.5:
            self._serial += 1
            entry = f"{self._serial} {some_bytes(self.rng)}"
            self._log.written(c.call("TWRITE", self._log.key, "tag", entry), [entry], self.acknowledged(c))
        elif chance < 0.52 and len(self._log.messages) > KEPT:
            self._evict_what_is_done(c)
        else:
            self._take(c, acknowledge=self.rng.random() < 0.8)

    def _evict_what_is_done(self, c):
        open_ones = [offset for offset in self._log.messages if offset not in self._done]
        self._log.evict(c, min(open_ones, default=max(self._log.messages) + 1) - 1)

    def _take(self, c, acknowledge):
        """Reads as a worker does. Messages that it does not acknowledge come again when their lease ends."""
        got = c.call("TREAD", self._log.key, 1, self.rng.randrange(1, 30), "GROUP", "g", "RETRY", RETRY, 0) or []
        for offset, _, entry in got:
            if offset in self._done:
                self.books.repeated(f"{self._log.key}: {offset} came again after it was acknowledged")
            expected = self._log.messages.get(offset)
            if expected is not None and expected[0] != entry.decode():
                self.books.lost(f"{self._log.key}: another message came as {offset}")
        offsets = {message[0] for message in got}
        self.books.count("redelivered", len(offsets & self._delivered))
        self._delivered |= offsets
        if offsets and acknowledge:
            self._unsure |= offsets
            c.call("TACK", self._log.key, "g", *sorted(offsets))
            when = self.acknowledged(c)
            self._unsure -= offsets
            self._done.update(dict.fromkeys(offsets, when))

    def prove(self, c, promise):
        self._log.prove(c, promise)
        group = about(c, "g", self._log.key)
        if group is None:
            self.books.lost(f"{self._log.key}: the group is gone")
            return
        waits = set(pending_offsets(c, "COUNT", 10**6, group="g", key=self._log.key))
        is_open = lambda offset: offset in waits or offset > group["last"]
        for offset, when in list(self._done.items()):
            if is_open(offset):
                if promise.holds(when):
                    self.books.repeated(f"{self._log.key}: {offset} is open again though it was acknowledged")
                else:
                    self.books.count("forgotten")
                del self._done[offset]
        for offset in self._log.messages:
            if offset > self._log.evicted and offset not in self._done and not is_open(offset):
                if offset not in self._unsure:
                    self.books.lost(f"{self._log.key}: {offset} is not delivered any more though nobody acknowledged it")
                else:
                    self._done[offset] = now()
        self._unsure.clear()
        self._delivered = {offset for offset in self._delivered if offset <= group["last"]}

    def finish(self, c):
        """Reads until everything is delivered; pending messages come when their lease ends."""

        def is_worked_off():
            self._take(c, acknowledge=True)
            group = about(c, "g", self._log.key)
            return group["pending"] == 0 and group["lag"] == 0

        wait_until(is_worked_off, f"{self._log.key} is worked off")
        for offset in self._log.messages:
            if offset > self._log.evicted and offset not in self._done:
                self.books.lost(f"{self._log.key}: {offset} was never delivered")
