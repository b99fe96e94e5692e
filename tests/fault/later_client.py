"""A log with messages for later: each is either in the schedule or in the log, once, in the order of dates. Deleted
messages do not come back."""

from books import EVERYTHING
from client import Client, some_bytes
from server import wait_until

MOST = 10**6
DELETED_AT_ONCE = 20


class LaterClient(Client):
    def prepare(self, c):
        self._serial = 0
        self._key = f"later:{self.name}"
        self._open = None  # (words of the command, its entry) that may have been done or not
        self._entries = {}  # entry -> when it was acknowledged
        self._deleted = {}
        self._tickets = {}  # entry -> the date and number of its ticket

    def step(self, c):
        if self._open is not None or self.rng.random() < 0.9:
            self._send(c)
        else:
            self._delete(c)

    def _send(self, c):
        if self._open is None:
            self._serial += 1
            entry = f"{self._serial} {some_bytes(self.rng)}"
            delay = self.rng.choice([50, 0, 500, 3000])
            self._open = ("TWRITE", self._key, "ID", f"write {self._serial}", "DELAY", delay, "ENTRIES", "tag", entry), entry
        words, entry = self._open
        date, number = c.call(*words).split(b"-")
        self._entries[entry] = self.acknowledged(c)
        self._tickets[entry] = int(date), int(number)
        self._open = None

    def _delete(self, c):
        """Deletes the oldest messages. Until the answer counts, it is not known whether they are there."""
        oldest = c.call("TREAD", self._key, 1, DELETED_AT_ONCE, "SKIP")
        if not oldest:
            return
        entries = [entry.decode() for _, _, entry in oldest]
        for entry in entries:
            self._entries.pop(entry, None)
        c.call("TDEL", self._key, *[offset for offset, _, _ in oldest])
        when = self.acknowledged(c)
        self._deleted |= dict.fromkeys(entries, when)

    def prove(self, c, promise):
        # The schedule is read first: a message that becomes due in between is then seen twice, and not missed.
        waiting = [entry.decode() for *_, entry in c.call("TSCHED", "LIST", self._key, "COUNT", MOST)]
        written = [entry.decode() for _, _, entry in c.call("TREAD", self._key, 1, MOST, "SKIP")]
        there = {*waiting, *written}
        for place in (waiting, written):
            if len(place) != len(set(place)):
                self.books.repeated(f"{self._key}: a message is there twice")
        self._prove_order(written)
        for entry, when in list(self._entries.items()):
            if entry in there:
                continue
            if promise.holds(when):
                self.books.lost(f"{self._key}: {entry[:40]!r} is neither in the log nor in its schedule")
            else:
                self.books.count("forgotten")
            del self._entries[entry]
        for entry in there & self._deleted.keys():
            if promise.holds(self._deleted.pop(entry)):
                self.books.repeated(f"{self._key}: {entry[:40]!r} was deleted and is there again")

    def _prove_order(self, written):
        """Checks the order of dates: a delay ends after the write, so a message that was due earlier was in the
        schedule before a later one was written to the log."""
        known = [(self._tickets[entry], entry) for entry in written if entry in self._tickets]
        for (before, first), (after, second) in zip(known, known[1:]):
            if before > after:
                self.books.trouble(f"{self._key}: {first[:40]!r} of {before} comes before {second[:40]!r} of {after}")

    def finish(self, c):
        """Waits until all scheduled messages are in the log."""
        if self._open is not None:
            self._send(c)
        wait_until(lambda: not c.call("TSCHED", "LIST", self._key), "all that is due is written")
        self.prove(c, EVERYTHING)
