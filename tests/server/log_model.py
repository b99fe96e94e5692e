"""The simplest model of a log, to compare the real one with."""


class LogModel:
    def __init__(self):
        self.first = 1
        self.messages = []  # (tag, entry) of first, first + 1, …
        self.count = self.age = self.bytes = 0  # the limits

    @property
    def next(self):
        return self.first + len(self.messages)

    def write(self, pairs, backlog=None):
        offset = self.next
        self.messages += pairs
        if backlog is not None:
            self.keep(backlog)
        self.enforce()
        return offset

    def keep(self, count):
        return self.evict(self.next - count - 1)

    def evict(self, up_to):
        gone = max(0, min(up_to + 1, self.next) - self.first)
        del self.messages[:gone]
        self.first += gone
        return gone

    def size(self):
        return sum(len(tag) + len(entry) for tag, entry in self.messages)

    def enforce(self):
        if self.count:
            self.keep(self.count)
        while self.bytes and self.size() > self.bytes and len(self.messages) > 1:
            self.evict(self.first)

    def retain(self, **limits):
        for name, value in limits.items():
            setattr(self, name, value)
        self.enforce()

    def start(self, offset):
        if offset == "$" or (offset < 0 and not self.messages):
            return self.next
        return offset if offset > 0 else max(1, self.next + offset)

    def message(self, offset):
        if offset < self.first:
            return None
        tag, entry = self.messages[offset - self.first]
        return [offset, tag, entry]

    def read(self, offset, count, info=False, skip=False, tags=None):
        start = self.start(offset)
        if skip or tags:
            start = max(start, self.first)
        found = [self.message(n) for n in range(start, self.next)]
        if tags:
            found = [message for message in found if message[1] in tags]
        return ([[self.first, self.next - 1]] if info else []) + found[:count]
