"""A worker pool: what was pushed for a recipient is delivered in order until it is acknowledged, and not again after
that. Recipients move among workers that join and leave."""

from books import now
from client import Client, some_bytes
from resp import RespError
from shard_words import HOUR, NOTOWNER, NOWORKER, deliveries

WORKERS = ("one", "two", "three")
RECIPIENTS = tuple(f"r{n}" for n in range(5))
LATE = (NOTOWNER, NOWORKER)  # the recipient has another worker, or the worker is gone
MOST = 10**6


class PoolClient(Client):
    def prepare(self, c):
        self._key = f"pool:{self.name}"
        self._serial = 0
        self._pushed = {recipient: {} for recipient in RECIPIENTS}  # serial -> when it was acknowledged
        self._done = {recipient: {} for recipient in RECIPIENTS}  # serial -> when its acknowledgement was confirmed
        self._unsure = set()  # (recipient, serial) acknowledged without an answer
        self._delivered = set()
        c.call("SHARD.SET", self._key, "STALE", HOUR)
        for worker in WORKERS:
            c.call("SHARD.JOIN", self._key, worker)
        self.acknowledged(c)

    def step(self, c):
        chance = self.rng.random()
        if chance < 0.5:
            self._push(c)
        elif chance < 0.98:
            self._work(c, self.rng.choice(WORKERS), acknowledge=self.rng.random() < 0.8)
        else:
            self._leave_and_come_back(c, self.rng.choice(WORKERS))

    def _push(self, c):
        recipient = self.rng.choice(RECIPIENTS)
        payloads = range(self._serial + 1, self._serial + 1 + self.rng.randrange(1, 4))
        self._serial = payloads[-1]
        c.call("SHARD.PUSH", self._key, recipient, *[f"{serial} {some_bytes(self.rng)}" for serial in payloads])
        self._pushed[recipient].update(dict.fromkeys(payloads, self.acknowledged(c)))

    def _leave_and_come_back(self, c, worker):
        c.call("SHARD.LEAVE", self._key, worker, *self.rng.choice([(), ("NOW",)]))
        c.call("SHARD.JOIN", self._key, worker)
        self.acknowledged(c)

    def _work(self, c, worker, acknowledge, count=None):
        """Pulls as a worker does. Payloads that it does not acknowledge stay in flight until it joins again."""
        for recipient, batch in self._pull(c, worker, count or self.rng.randrange(1, 20)).items():
            serials = [serial for _, serial in batch]
            again = self._done[recipient].keys() & serials
            if again:
                self.books.repeated(f"{self._key}: {sorted(again)} came for {recipient} again after they were acknowledged")
            self.books.count("redelivered", sum((recipient, serial) in self._delivered for serial in serials))
            self._delivered.update((recipient, serial) for serial in serials)
            if acknowledge:
                self._acknowledge(c, worker, recipient, batch)

    def _pull(self, c, worker, count):
        """recipient -> [(sequence, serial)]"""
        got = {}
        for recipient, sequence, payload in deliveries(c.call("SHARD.PULL", self._key, worker, "COUNT", count)):
            got.setdefault(recipient, []).append((sequence, int(payload.split()[0])))
        return got

    def _acknowledge(self, c, worker, recipient, batch):
        """Acknowledges everything up to the last of the batch: the worker may have earlier payloads in flight."""
        upto = {serial for serial in self._pushed[recipient] if serial <= batch[-1][1]}
        upto |= {serial for _, serial in batch}
        upto -= self._done[recipient].keys()
        self._unsure |= {(recipient, serial) for serial in upto}
        try:
            c.call("SHARD.ACK", self._key, worker, recipient, batch[-1][0])
            when = self.acknowledged(c)
            self._done[recipient].update(dict.fromkeys(upto, when))
        except RespError as error:
            if str(error) not in LATE:
                raise
        self._unsure -= {(recipient, serial) for serial in upto}

    # --- checking ---

    def prove(self, c, promise):
        if c.call("SHARD.CHECK", self._key) != b"OK":
            self.books.trouble(f"{self._key}: SHARD.CHECK does not answer OK")
        there = self._everything(c)
        for recipient in RECIPIENTS:
            self._prove_recipient(recipient, there.get(recipient, []), promise)
        self._unsure.clear()

    def _everything(self, c):
        """Everything that is not acknowledged: workers that join again get what they had in flight. They join once
        more, so that nothing is in flight afterwards."""
        found = {}
        for worker in WORKERS:
            c.call("SHARD.JOIN", self._key, worker)
        for worker in WORKERS:
            for recipient, batch in self._pull(c, worker, MOST).items():
                if recipient in found:
                    self.books.repeated(f"{self._key}: {recipient} belongs to two workers")
                found[recipient] = [serial for _, serial in batch]
            c.call("SHARD.JOIN", self._key, worker)
        self.acknowledged(c)
        return found

    def _prove_recipient(self, recipient, serials, promise):
        where = f"{self._key}: {recipient}"
        there, done = set(serials), self._done[recipient]
        if serials != sorted(there):
            self.books.repeated(f"{where}'s payloads are not in the order they were pushed in, or twice")
        for serial in there & done.keys():
            if promise.holds(done.pop(serial)):
                self.books.repeated(f"{where} has {serial} again though it was acknowledged")
            else:
                self.books.count("forgotten")
        for serial, when in list(self._pushed[recipient].items()):
            if serial in there or serial in done:
                continue
            if (recipient, serial) in self._unsure:
                done[serial] = now()
            elif promise.holds(when):
                self.books.lost(f"{where} has no {serial}, which was pushed and not acknowledged")
                done[serial] = now()
            else:
                self.books.count("forgotten")
                del self._pushed[recipient][serial]

    def finish(self, c):
        for worker in WORKERS:
            c.call("SHARD.JOIN", self._key, worker)
            self._work(c, worker, acknowledge=True, count=MOST)
        for recipient in RECIPIENTS:
            missing = self._pushed[recipient].keys() - self._done[recipient].keys()
            if missing:
                self.books.lost(f"{self._key}: {sorted(missing)[:9]} never came for {recipient}")
