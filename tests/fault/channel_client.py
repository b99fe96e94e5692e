"""A channel: each publication comes to each subscriber, in order, until it is acknowledged, and not again after that."""

from books import now
from channel_words import BADRECEIPT
from client import Client, is_transient, some_bytes
from resp import RespError

SUBSCRIBERS = ("ann", "bob")
MOST = 10_000


class _Subscriber:
    def __init__(self):
        self.done = {}  # serial -> when the server confirmed its acknowledgement
        self.unsure = set()  # acknowledged without an answer
        self.receipt = None  # the receipt of a fetch, used later: it stays valid


class ChannelClient(Client):
    def prepare(self, c):
        self._key = f"channel:{self.name}"
        self._published = {}  # serial -> when it was acknowledged
        self._next = 1
        self._subscribers = {name: _Subscriber() for name in SUBSCRIBERS}
        for name in SUBSCRIBERS:
            c.call("CHAN.SUBSCRIBE", self._key, name)
        self.acknowledged(c)

    def step(self, c):
        if self.rng.random() < 0.5:
            # If the answer is lost, the message is published again with the same id, and counts once.
            c.call("CHAN.PUBLISH", self._key, self._next, some_bytes(self.rng))
            self._published[self._next] = self.acknowledged(c)
            self._next += 1
        else:
            self._take(c, self.rng.choice(SUBSCRIBERS), self.rng.randrange(1, 30), acknowledge=self.rng.random() < 0.7)

    def _take(self, c, name, count, acknowledge):
        subscriber = self._subscribers[name]
        serials, receipt = self._fetch(c, name, count)
        again = subscriber.done.keys() & serials
        if again:
            self.books.repeated(f"{self._key}: {sorted(again)} came to {name} again after it was acknowledged")
        if serials and not acknowledge:
            subscriber.receipt = (receipt, serials)
        elif serials:
            self._acknowledge(c, name, receipt, serials)
        return serials

    def _fetch(self, c, name, count):
        messages, receipt, _ = c.call("CHAN.FETCH", self._key, name, "MAX", count)
        return [int(id) for id, _ in messages], receipt

    def _acknowledge(self, c, name, receipt, serials):
        subscriber = self._subscribers[name]
        subscriber.unsure.update(serials)
        c.call("CHAN.ACK", self._key, name, receipt)
        when = self.acknowledged(c)
        subscriber.unsure.difference_update(serials)
        for serial in serials:
            subscriber.done.setdefault(serial, when)

    def prove(self, c, promise):
        for name in SUBSCRIBERS:
            self._prove_receipt(c, name, promise)
            self._prove_open(c, name, promise)
        # A publication without an answer may exist; publishing it again then has no effect.
        known = max(self._published, default=0)
        self._next = max(known + 1, 1)

    def _prove_receipt(self, c, name, promise):
        """Checks that a receipt from before is still valid, whichever server is the master now."""
        subscriber = self._subscribers[name]
        if subscriber.receipt is None:
            return
        receipt, serials = subscriber.receipt
        subscriber.receipt = None
        try:
            self._acknowledge(c, name, receipt, serials)
        except RespError as error:
            if is_transient(error):
                raise
            subscriber.unsure.difference_update(serials)
            # The receipt names the last of these messages: if that message was lost, the receipt is not valid.
            is_promised = promise.holds(self._published.get(serials[-1], float("inf")))
            if str(error) != BADRECEIPT or is_promised:
                self.books.lost(f"{self._key}: a receipt of {name} is refused: {error}")

    def _prove_open(self, c, name, promise):
        subscriber = self._subscribers[name]
        serials, _ = self._fetch(c, name, MOST)
        there = set(serials)
        if serials != sorted(there):
            self.books.repeated(f"{self._key}: what waits for {name} is not in the order it was published in")
        self._prove_done(c, name, promise)
        open_ones = [serial for serial in self._published if serial not in there and serial not in subscriber.done]
        for serial, is_seen in self._seen(c, name, open_ones):
            if is_seen and serial in subscriber.unsure:
                subscriber.done[serial] = now()
            elif promise.holds(self._published[serial]):
                self.books.lost(f"{self._key}: {serial} does not wait for {name} though it was not acknowledged")
                subscriber.done[serial] = now()
            else:
                self.books.count("forgotten")
                del self._published[serial]
        subscriber.unsure.clear()

    def _prove_done(self, c, name, promise):
        """Asks the server whether acknowledged messages are still acknowledged: the newest of those that it must
        remember, and all others."""
        done = self._subscribers[name].done
        promised = [serial for serial, when in done.items() if promise.holds(when)]
        others = [serial for serial, when in done.items() if not promise.holds(when)]
        for serial, is_seen in self._seen(c, name, promised[-500:]):
            if not is_seen:
                self.books.repeated(f"{self._key}: {serial} waits for {name} though it was acknowledged")
        for serial, is_seen in self._seen(c, name, others):
            if not is_seen:
                self.books.count("forgotten")
                del done[serial]

    def _seen(self, c, name, serials):
        """Pairs of each serial and whether the server says that it is acknowledged."""
        return list(zip(serials, c.call("CHAN.SEEN", self._key, name, *serials))) if serials else []

    def finish(self, c):
        for name in SUBSCRIBERS:
            while self._take(c, name, 1000, acknowledge=True):
                pass
            missing = self._published.keys() - self._subscribers[name].done.keys()
            if missing:
                self.books.lost(f"{self._key}: {sorted(missing)[:9]} never came to {name}")
