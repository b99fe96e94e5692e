"""A feed that watches a log and a channel: from the positions that its reader has kept, each message comes once, in
order, even if the feed itself is lost."""

from client import Client, Unconfirmed
from cluster_connection import ClusterConnection
from resp import RespError

FULL = 500  # messages of a key, after which the next key begins
MOST = 10**6
NOT_THERE = "-"  # the position before everything


class _Watched:
    """One key, whose messages are rising numbers."""

    def __init__(self, kind, tag, number=0):
        self.kind, self._tag, self._number = kind, tag, number
        self.key = f"{{{tag}}}{kind}{number}"
        self.acknowledged = {}  # number -> when it was acknowledged
        self.begin_again()

    def begin_again(self):
        self.position = NOT_THERE
        self.seen = []  # in the order in which the feed delivered them

    def write(self, c, number):
        if self.kind == "log":
            c.call("TWRITE", self.key, "tag", number)
        else:
            c.call("CHAN.PUBLISH", self.key, number, number)

    def everything(self, c):
        if self.kind == "log":
            return [int(entry) for _, _, entry in c.call("TREAD", self.key, 1, MOST, "SKIP") or []]
        return [int(content) for _, _, content in c.call("CHAN.READ", self.key, NOT_THERE, "MAX", MOST)[0]]

    def next(self):
        return _Watched(self.kind, self._tag, self._number + 1)


class FeedClient(Client):
    """In a cluster a feed is read on the node that has its keys, so all keys have one hash tag."""

    def prepare(self, c):
        self._feed = f"{{{self.name}}}feed"
        self._watched = {}
        for kind in ("log", "channel"):
            self._watch(_Watched(kind, self.name))
        self._number = 0
        self._place = None  # where the feed watches all keys

    def _watch(self, watched):
        self._watched[watched.key] = watched

    def step(self, c):
        if self.rng.random() < 0.6:
            watched = self.rng.choice(list(self._watched.values()))
            self._number += 1
            watched.write(c, self._number)
            watched.acknowledged[self._number] = self.acknowledged(c)
            return
        try:
            self._read(c, "MAX", self.rng.choice([1, 5, 1000]))
        except _WrongPosition as error:
            raise Unconfirmed from error  # another server: prove() finds out what it has
        for watched in [one for one in self._watched.values() if len(one.seen) >= FULL]:
            self._turn_over(c, watched)

    def _turn_over(self, c, watched):
        """Begins the next key, when everything in this one has come."""
        if watched.seen != watched.everything(c):
            return
        del self._watched[watched.key]
        self._watch(watched.next())
        self._place = None
        c.call("FEED.DEL", self._feed, watched.key)
        c.call("DEL", watched.key)

    def _add(self, c, watched):
        try:
            c.call("FEED.ADD", self._feed, watched.key, watched.position)
        except RespError as error:
            if str(error).startswith("BADPOSITION"):
                raise _WrongPosition(str(error)) from error
            raise

    def _place_of(self, c):
        """The connection, and in a cluster the node. Each node has feeds of its own: if the slot comes back to a node,
        there may be an older feed there, whose positions must be set again."""
        return c, c.port_of(self._feed) if isinstance(c, ClusterConnection) else None

    def _read(self, c, *options):
        """Reads the feed; false if nothing has come."""
        while self._place != (place := self._place_of(c)):
            for watched in self._watched.values():
                self._add(c, watched)
            self._place = place
        try:
            answer = c.call("FEED.READ", self._feed, *options)
        except RespError as error:
            if not str(error).startswith("NOFEED"):
                raise
            self._place = None
            return True
        for key, *rest in answer:
            if watched := self._watched.get(key.decode()):
                self._take(c, watched, rest)
            else:  # a key of an older feed with this name, on a node that we were on before
                c.call("FEED.DEL", self._feed, key)
        return bool(answer)

    def _take(self, c, watched, rest):
        if len(rest) == 1:  # the key was deleted or has moved
            self._add(c, watched)
            return
        position, messages, _, missed = rest
        numbers = [int(message[2]) for message in messages]
        if missed:
            self.books.lost(f"{watched.key}: {missed} messages are missed by the feed's own account")
        if numbers and watched.seen and numbers[0] <= watched.seen[-1]:
            self.books.repeated(f"{watched.key}: {numbers[0]} came after {watched.seen[-1]}")
        watched.seen += numbers
        watched.position = position.decode()

    def prove(self, c, promise):
        for watched in self._watched.values():
            there = watched.everything(c)
            for number in [number for number in watched.acknowledged if number not in set(there)]:
                if promise.holds(watched.acknowledged.pop(number)):
                    self.books.lost(f"{watched.key}: {number} is not there")
                else:
                    self.books.count("forgotten")
            # The feed was ahead of what the server still has.
            if not set(watched.seen) <= set(there):
                watched.begin_again()
        self._place = None
        try:
            while self._read(c):
                pass
        except _WrongPosition as error:
            self.books.lost(f"{self._feed}: {error}")
            return
        for watched in self._watched.values():
            there = watched.everything(c)
            if watched.seen != there:
                missing = sorted(set(there) - set(watched.seen))
                self.books.lost(f"{watched.key}: {missing[:9]} did not come, of {len(there)} that are there")

    def finish(self, c):
        """Nothing to do: prove() has read everything."""


class _WrongPosition(Exception):
    pass
