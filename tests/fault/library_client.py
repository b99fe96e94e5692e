"""An ordinary cluster client, redis-py's, that follows MOVED and ASK by itself.

It sends a command again when the connection breaks before the answer: so a message may be in the log twice, and a
publication, which has an id, may not.
"""

import logging

from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import RedisClusterException, RedisError

from client import Client

LOGS = 6  # in as many slots
# redis-py 4.3 raises the last one also when a node is gone and it looks for the others.
GIVES_UP = (RedisError, RedisClusterException)
logging.getLogger("redis.cluster").setLevel(logging.CRITICAL)


class LibraryClient(Client):
    def __init__(self, name, rng, books, ports):
        super().__init__(name, rng, books, confirm=None)
        self._ports = ports

    def prepare(self, c):
        self._serial = 0
        self._written = {f"log:{self.name}:{n}": set() for n in range(LOGS)}
        self._published = set()
        c.call("CHAN.SUBSCRIBE", self._channel, "s")

    @property
    def _channel(self):
        return f"channel:{self.name}"

    def start(self, connect, is_over):
        super().start(lambda: _Library(self._ports()), is_over)

    def step(self, library):
        self._serial += 1
        key = self.rng.choice(list(self._written))
        if library.write(key, "TWRITE", key, "tag", self._serial):
            self._written[key].add(self._serial)
            self.books.count("operations")
        if library.write(self._channel, "CHAN.PUBLISH", self._channel, self._serial, "content"):
            self._published.add(self._serial)
            self.books.count("operations")

    def prove(self, c, promise):
        for key, written in self._written.items():
            there = [int(entry) for _, _, entry in c.call("TREAD", key, 1, 10**6)]
            self.books.count("sent again", len(there) - len(set(there)))
            if not written <= set(there):
                self.books.lost(f"{key}: {sorted(written - set(there))[:9]} are missing")
        messages, _, _ = c.call("CHAN.FETCH", self._channel, "s", "MAX", 10**6)
        ids = [int(id) for id, _ in messages]
        if not self._published <= set(ids):
            self.books.lost(f"{self._channel}: {sorted(self._published - set(ids))[:9]} are missing")
        if len(ids) != len(set(ids)):
            self.books.repeated(f"{self._channel}: an id came twice")

    def finish(self, c):
        """Nothing to do."""


class _Library:
    def __init__(self, ports):
        try:
            self._cluster = RedisCluster(startup_nodes=[ClusterNode("127.0.0.1", port) for port in ports], socket_timeout=5)
        except GIVES_UP as error:
            raise ConnectionError(str(error)) from error

    def write(self, key, *words):
        """Writes; returns whether a replica has it."""
        try:
            self._cluster.execute_command(*words)
            node = self._cluster.get_node_from_key(key)
            return self._cluster.execute_command("WAIT", "1", "500", target_nodes=node) >= 1
        except GIVES_UP as error:
            raise ConnectionError(str(error)) from error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._cluster.close()
