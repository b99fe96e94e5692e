"""An index: its answers equal the content of its documents, and the documents are those that were acknowledged."""

from books import now
from client import Client
from index_oracle import check, found, info
from server import wait_until

DOCUMENTS = range(40)


class IndexClient(Client):
    def prepare(self, c):
        tag = f"{{index:{self.name}}}"
        self._index, self._prefix = tag, tag + "d:"
        self._held = {n: (None, 0.0) for n in DOCUMENTS}  # n -> (its value, when that was acknowledged)
        self._under_way = {}  # n -> a change without an answer
        self._create(c)

    def _create(self, c):
        c.call("IDX.CREATE", self._index, "PREFIX", self._prefix, "FIELD", "v", "INTEGER", "FIELD", "name", "TEXT", "UNIQUE")
        self.acknowledged(c)

    def step(self, c):
        n, value = self.rng.choice(DOCUMENTS), self.rng.randrange(10)
        if self.rng.random() < 0.2:
            self._change(c, n, None, "DEL", f"{self._prefix}{n}")
        else:
            self._change(c, n, value, "HSET", f"{self._prefix}{n}", "v", value, "name", self.rng.randrange(30))

    def _change(self, c, n, value, *command):
        self._under_way = {n: value}
        c.call(*command)
        self._held[n] = value, self.acknowledged(c)
        self._under_way = {}

    def prove(self, c, promise):
        if info(c, self._index) is None:
            self._create(c)  # the index was created after the last save
        wait_until(lambda: info(c, self._index)[b"state"] == b"ready", "the index is built")
        listed = {key.decode(): int(value) for key, value in found(c, self._index, "ORDER", "v", "WITHVALUES")}
        for n in DOCUMENTS:
            key = f"{self._prefix}{n}"
            word = c.call("HGET", key, "v")
            value = None if word is None else int(word)
            if listed.get(key) != value:
                self.books.lost(f"{self._index}: {key} holds {value}, and the index says {listed.get(key)}")
            self._prove_document(n, value, promise)
        self._under_way = {}
        report = check(c, self._index)
        if report[b"missing"] or report[b"stale"] or report[b"wrong"]:
            self.books.lost(f"{self._index}: {report}")

    def _prove_document(self, n, value, promise):
        held, when = self._held[n]
        if value == held:
            return
        if n not in self._under_way or self._under_way[n] != value:
            if promise.holds(when):
                self.books.lost(f"{self._prefix}{n}: holds {value} and not {held}")
            else:
                self.books.count("forgotten")
        self._held[n] = value, now()

    def finish(self, c):
        c.call("IDX.PUT", self._index, f"{self._prefix}last", "v", "1")
