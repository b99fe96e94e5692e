"""The index of our keys always holds what SCAN finds, on the master and on its replica."""

import random

import pytest

from cluster import Cluster
from length import at_length
from server import Server, wait_until
from test_keys import MAKERS, listed, make

NAMES = [f"k{number}" for number in range(30)]
TYPES = {b"millr-log": "log", b"millr-chn": "channel", b"millr-shd": "pool", b"millr-lck": "lock",
         b"millr-rte": "route", b"millr-idx": "index", b"millr-fct": "fact", b"millr-sug": "suggest"}


def scanned(c):
    """[(name, type)] of our keys, by SCAN and TYPE."""
    cursor, names = b"0", set()
    while True:
        cursor, found = c.call("SCAN", cursor, "COUNT", 1000)
        names.update(found)
        if cursor == b"0":
            break
    kinds = [(name, TYPES.get(c.call("TYPE", name))) for name in sorted(names)]
    return [(name, kind) for name, kind in kinds if kind]


def agrees(c):
    return listed(c) == scanned(c)


class History:
    def __init__(self, server, rng):
        self.server, self.rng, self.c = server, rng, server.connect()

    def name(self):
        return self.rng.choice(NAMES)

    def make(self):
        self.c.call_all([(MAKERS[kind][0], self.name(), *MAKERS[kind][1:]) for kind in self.rng.sample(list(MAKERS), 3)])

    def try_all(self, *commands):
        """Errors are allowed: the name may be taken, or may not exist."""
        self.c.call_all(commands)

    def delete(self):
        self.try_all((self.rng.choice(["DEL", "UNLINK"]), self.name(), self.name()))

    def overwrite(self):
        self.try_all(("SET", self.name(), "x"))

    def rename(self):
        self.try_all((self.rng.choice(["RENAME", "RENAMENX"]), self.name(), self.name()))

    def move(self):
        self.try_all(("MOVE", self.name(), self.rng.randrange(3)))

    def copy(self):
        self.try_all(("COPY", self.name(), self.name(), *self.rng.choice([(), ("REPLACE",)])),
                     ("COPY", self.name(), self.name(), "DB", self.rng.randrange(3), "REPLACE"))

    def restore(self):
        payload = self.c.call("DUMP", self.name())
        if payload is not None:
            self.try_all(("RESTORE", self.name(), 0, payload, "REPLACE"))

    def expire(self):
        self.try_all(("PEXPIRE", self.name(), self.rng.choice([1, 1, 100000])))

    def release(self):
        self.try_all(("LOCK.RELEASE", self.name(), "o"), ("ROUTE.DEVICE", "DEL", self.name(), "d|t"),
                     ("FACT.DEL", self.name(), "a", "b", "c"), ("SUG.DEL", self.name(), "term"))

    def transact(self):
        self.try_all(("MULTI",), (*MAKERS["log"][:1], self.name(), "a", "b"), ("DEL", self.name()),
                     ("RENAME", self.name(), self.name()), ("EXEC",))

    def swap(self):
        self.try_all(("SWAPDB", self.rng.randrange(3), self.rng.randrange(3)))

    def flush(self):
        self.try_all(self.rng.choice([("FLUSHDB",), ("FLUSHDB", "ASYNC"), ("FLUSHALL",)]))

    def reload(self):
        self.try_all(("DEBUG", "RELOAD"))

    def select(self):
        self.c.call("SELECT", self.rng.randrange(3))

    def step(self):
        often = [self.make] * 6 + [self.delete, self.overwrite, self.rename, self.move, self.copy, self.restore,
                                   self.expire, self.release, self.transact] * 2
        self.rng.choice(often + [self.swap, self.select, self.flush if self.rng.random() < 0.3 else self.make,
                                 self.reload if self.rng.random() < 0.3 else self.make])()


@pytest.fixture(scope="module")
def pair():
    """Not the shared pair: a server that reloads drops expired keys, and does not tell its replica."""
    with Server(databases=4) as master, Server(databases=4) as replica:
        replica.replicate(master)
        yield master, replica


@pytest.mark.parametrize("seed", range(at_length(20, 2)))
def test_the_index_holds_what_scan_finds_after_any_history(pair, seed):
    server, replica = pair
    history = History(server, random.Random(seed))
    with history.c, replica.connect() as reader:
        for step in range(400):
            history.step()
            if step % 20 == 0:
                # A key may expire between the two questions.
                wait_until(lambda: agrees(history.c), f"the index agrees: seed {seed}, step {step}", 20)
        server.admin.call("SELECT", 0)
        for database in range(3):
            history.c.call("SELECT", database)
            wait_until(lambda: agrees(history.c), "the index agrees")
            reader.call("SELECT", database)
            wait_until(lambda: agrees(reader), "the replica agrees")


def test_after_a_restart_and_a_full_resync_the_index_holds_what_is_there():
    with Server(appendonly="yes") as master, Server() as replica:
        with master.connect() as c:
            for number in range(50):
                make(c, "log", f"k{number}")
            assert agrees(c)
            assert len(listed(c)) == 50
        replica.replicate(master)
        with replica.connect() as reader:
            wait_until(lambda: len(listed(reader)) == 50, "the replica has the keys")
        master.kill()
        master.start()
        with master.connect() as c, replica.connect() as reader:
            assert agrees(c) and len(listed(c)) == 50
            c.call("DEL", "k1")
            replica.replicate(master)
            wait_until(lambda: agrees(reader) and len(listed(reader)) == 49, "the replica follows")
            replica.admin.call("REPLICAOF", "NO", "ONE")
            make(reader, "log", "after")
            assert agrees(reader)


def test_evicted_keys_leave_the_index():
    with Server(maxmemory_policy="allkeys-random") as server, server.connect() as c:
        for number in range(300):
            c.call("TWRITE", f"k{number}", "t", "x" * 10_000)
        assert len(listed(c)) == 300
        used = int(server.info("memory")["used_memory"])
        c.call("CONFIG", "SET", "maxmemory", used - 1_000_000)
        wait_until(lambda: c.call("DBSIZE") < 300, "keys are evicted")
        c.call("CONFIG", "SET", "maxmemory", 0)
        assert agrees(c)


def test_each_node_of_a_cluster_lists_its_own_keys_also_after_a_slot_has_moved():
    with Cluster() as cluster:
        connections = [node.connect() for node in cluster.masters]
        made = 0
        for number in range(60):
            for c in connections:
                made += c.call_all([("TWRITE", f"k{number}", "t", "e")])[0] == 1
        assert made == 60
        assert sum(len(listed(c)) for c in connections) == 60
        source = cluster.master_of(0)
        slot = next(slot for slot in range(16384) if source.admin.call("CLUSTER", "COUNTKEYSINSLOT", slot) > 0
                    and cluster.master_of(slot) is source)
        target = next(node for node in cluster.masters if node is not source)
        cluster.move_slot(slot, target)
        assert all(agrees(c) for c in connections)
        assert sum(len(listed(c)) for c in connections) == 60
        for c in connections:
            c.close()
