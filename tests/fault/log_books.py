"""The messages of one log that were acknowledged, by their offsets."""

MOST = 10**6


class LogBooks:
    def __init__(self, owner, key):
        self._owner = owner
        self.key = key
        self.messages = {}  # offset -> (entry, when it was acknowledged)
        self.evicted = 0  # an eviction up to here was asked for; prove() checks it if there was no answer

    def written(self, first, entries, when):
        for offset, entry in enumerate(entries, first):
            if offset in self.messages:
                self._owner.books.lost(f"{self.key}: the offset {offset} was given twice")
            self.messages[offset] = (entry, when)

    def evict(self, c, offset):
        """Evicts everything up to this offset."""
        self.evicted = max(self.evicted, offset)
        c.call("TEVICT", self.key, offset)
        for old in [old for old in self.messages if old <= offset]:
            del self.messages[old]

    def prove(self, c, promise):
        """Checks that every acknowledged message is at its offset; forgets those that are missing and may be. Returns
        what the log has, offset -> entry."""
        there = self._read(c)
        for offset, (entry, when) in list(self.messages.items()):
            if there.get(offset) == entry:
                continue
            if offset > self.evicted and promise.holds(when):
                found = there.get(offset, "")
                self._owner.books.lost(f"{self.key}: {entry[:40]!r} is not at {offset}, there is {found[:40]!r}")
            elif offset > self.evicted:
                self._owner.books.count("forgotten")
            del self.messages[offset]
        return there

    def _read(self, c):
        """All messages, and the offset up to which the log says that it was evicted."""
        (first, last), *messages = c.call("TREAD", self.key, 1, MOST, "SKIP", "WITHINFO") or [(1, 0)]
        there = {message[0]: message[2].decode() for message in messages}
        if list(there) != list(range(first, last + 1)):
            self._owner.books.lost(f"{self.key}: there are holes between {first} and {last}")
        if first > self.evicted + 1:
            self._owner.books.lost(f"{self.key}: begins at {first} though only {self.evicted} messages were evicted")
        self.evicted = first - 1
        return there
