"""Locks: an owner that was told that it holds a lock holds it, no other owner does, and tokens rise."""

from books import now
from client import Client
from locks import HOUR, info

LOCKS = 4
OWNERS = ("ann", "bob")


class _Lock:
    def __init__(self, key):
        self.key = key
        self.held = None  # (owner, token), or None: free
        self.since = 0.0  # when that was acknowledged
        self.greatest = 0  # the greatest token seen so far
        self.under_way = None  # a request without an answer: "acquire" with its owner, or "release"


class LockClient(Client):
    def prepare(self, c):
        self._locks = [_Lock(f"lock:{self.name}:{n}") for n in range(LOCKS)]

    def step(self, c):
        lock = self.rng.choice(self._locks)
        owner = self.rng.choice(OWNERS)
        if lock.held is None:
            self._acquire(c, lock, owner)
        elif lock.held[0] != owner:
            granted, *_ = c.call("LOCK.ACQUIRE", lock.key, owner, HOUR)
            if granted:
                self.books.lost(f"{lock.key}: {owner} was let in while {lock.held[0]} held it")
            self.books.count("operations")
        elif self.rng.random() < 0.3:
            if c.call("LOCK.RENEW", lock.key, owner, HOUR) != 1:
                self.books.lost(f"{lock.key}: {owner} cannot renew what it holds")
            self.acknowledged(c)
        else:
            self._release(c, lock, owner)

    def _acquire(self, c, lock, owner):
        lock.under_way = ("acquire", owner)
        granted, token, _, _ = c.call("LOCK.ACQUIRE", lock.key, owner, HOUR)
        if not granted:
            self.books.lost(f"{lock.key}: {owner} is refused a lock that is free")
            return
        self._rises(lock, token)
        lock.since = self.acknowledged(c)
        lock.held, lock.under_way = (owner, token), None

    def _rises(self, lock, token):
        if token <= lock.greatest:
            self.books.repeated(f"{lock.key}: the token {token} follows {lock.greatest}")
        lock.greatest = max(lock.greatest, token)

    def _release(self, c, lock, owner):
        lock.under_way = ("release", owner)
        if c.call("LOCK.RELEASE", lock.key, owner) != 0:
            self.books.lost(f"{lock.key}: {owner} holds it more often than it took it")
        lock.since = self.acknowledged(c)
        lock.held, lock.under_way = None, None

    def prove(self, c, promise):
        for lock in self._locks:
            holders = info(c, lock.key)["holders"]
            held = (holders[0]["owner"].decode(), holders[0]["token"]) if holders else None
            if held != lock.held and not self._is_explained(lock, held, promise):
                self.books.lost(f"{lock.key}: held by {held} and not by {lock.held}, under way was {lock.under_way}")
            if len(holders) > 1 or any(not 0 < holder["ttl"] <= HOUR for holder in holders):
                self.books.lost(f"{lock.key}: {holders}")
            if held is not None:
                lock.greatest = max(lock.greatest, held[1])
            if held != lock.held:
                lock.held, lock.since = held, now()
            lock.under_way = None

    def _is_explained(self, lock, held, promise):
        if not promise.holds(lock.since):
            self.books.count("forgotten")
            return True
        if lock.under_way is None:
            return False
        what, owner = lock.under_way
        return held is None if what == "release" else held is not None and held[0] == owner

    def finish(self, c):
        """Releases everything, and checks that the next token is greater than all before."""
        for lock in self._locks:
            if lock.held is not None:
                self._release(c, lock, lock.held[0])
            self._acquire(c, lock, OWNERS[0])
            self._release(c, lock, OWNERS[0])
