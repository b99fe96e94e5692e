"""Random histories of every host command that touches a hash or a string: after each step both indexes give the answers
that reading every key gives. Restarts, kill -9, failover, full resynchronisation and eviction come in between."""

import json
import os
import random

import pytest

import index_oracle
from index_oracle import HASHES, TOO_LONG
from length import at_length
from resp import RespError
from server import Server, let_pass, wait_until

SEED = int(os.environ.get("MILLRACE_SEED", "20261116"))
KEYS = [f"d:{n}" for n in range(12)] + ["other:1", "other:2"]
AOF = {"appendonly": "yes", "appendfsync": "always"}


class History:
    def __init__(self, connection, rng, alone=True):
        # A master that reloads its file drops expired keys, and does not tell its replicas.
        self.c, self.rng, self.reloads = connection, rng, alone
        self.payload = None

    def key(self):
        return self.rng.choice(KEYS)

    def field(self):
        return self.rng.choice(["age", "height", "city", "tags", "mail", "rest"])

    def word(self, field):
        words = {
            "age": ["1", "2", "3", "-5", "9223372036854775807", "x", "1.5", ""],
            "height": ["1.5", "-0.25", "1e3", "tall", "7"],
            "city": ["Bonn", "BONN", "Köln", "", "b\x00n", TOO_LONG if self.rng.random() < 0.1 else "Kiel"],
            "tags": ["a,b", "b", "", ",,a,", "c,a,b,c"],
            "mail": ["a@x", "b@x", "c@x"],
            "rest": ["anything"],
        }
        return self.rng.choice(words[field])

    def json(self):
        made = {"age": self.rng.choice([1, 2, 3, [4, 5], "no", None]), "in": {"city": self.rng.choice(["Bonn", "Kiel"])}}
        made["tags"] = self.rng.choice([["a", "b"], "b", [], [["deep"]], 3])
        made["long"] = "y" * self.rng.choice([0, 300])
        return self.rng.choice([json.dumps(made), json.dumps(made), "not JSON", "17", "[]"])

    def pairs(self):
        fields = self.rng.sample(["age", "height", "city", "tags", "mail", "rest"], self.rng.randrange(1, 5))
        return [word for field in fields for word in (field, self.word(field))]

    def command(self):
        rng, key = self.rng, self.key()
        return rng.choice(
            [
                lambda: ("HSET", key, *self.pairs()),
                lambda: ("HSET", key, *self.pairs()),
                lambda: ("HMSET", key, *self.pairs()),
                lambda: ("IDX.PUT", HASHES, key, *self.pairs()),
                lambda: ("HSETNX", key, *self.pairs()[:2]),
                lambda: ("HINCRBY", key, "age", rng.randrange(-3, 4)),
                lambda: ("HINCRBYFLOAT", key, "height", "0.5"),
                lambda: ("HDEL", key, self.field(), self.field()),
                lambda: ("SET", key, self.json()),
                lambda: ("SET", key, self.json(), "PX", "5"),
                lambda: ("SET", key, self.json(), "KEEPTTL"),
                lambda: ("SETEX", key, "100", self.json()),
                lambda: ("SETNX", key, self.json()),
                lambda: ("GETSET", key, self.json()),
                lambda: ("GETEX", key, "PX", rng.choice(["3", "100000"])),
                lambda: ("GETDEL", key),
                lambda: ("APPEND", key, rng.choice([" ", "x"])),
                lambda: ("SETRANGE", key, "0", rng.choice(["{", "x"])),
                lambda: ("SETBIT", key, "3", "1"),
                lambda: ("BITFIELD", key, "SET", "u8", "0", "123"),
                lambda: ("BITOP", "NOT", key, self.key()),
                lambda: ("INCRBY", key, "5"),
                lambda: ("INCRBYFLOAT", key, "0.5"),
                lambda: ("MSET", key, self.json(), self.key(), self.json()),
                lambda: ("MSETNX", key, self.json(), self.key(), self.json()),
                lambda: ("PFADD", key, "x"),
                lambda: ("DEL", key, self.key()),
                lambda: ("UNLINK", key),
                lambda: ("RENAME", key, self.key()),
                lambda: ("RENAMENX", key, self.key()),
                lambda: ("COPY", key, self.key(), "REPLACE"),
                lambda: ("COPY", key, self.key(), "DB", rng.choice(["0", "1"]), "REPLACE"),
                lambda: ("MOVE", key, rng.choice(["0", "1"])),
                lambda: ("PEXPIRE", key, rng.choice(["-1", "1", "4", "100000"])),
                lambda: ("PERSIST", key),
                lambda: ("LPUSH", "list", "3", "1"),
                lambda: ("SORT", "list", "STORE", key),
                lambda: ("SUNIONSTORE", key, "set"),
                lambda: ("ZUNIONSTORE", key, "1", "zset"),
                lambda: ("XADD", key, "*", "f", "v"),
                lambda: ("TWRITE", key, "tag", "entry"),
                lambda: ("EVAL", "return redis.call('HSET', KEYS[1], 'age', ARGV[1], 'city', 'Bonn')", "1", key, rng.randrange(9)),
                lambda: ("RENAME", rng.choice([HASHES, "elsewhere"]), rng.choice([HASHES, "elsewhere"])),
                lambda: ("RESTORE", key, rng.choice(["0", "7", "100000"]), self.payload or b"", "REPLACE"),
            ]
        )()

    def step(self):
        rng = self.rng
        if rng.random() < 0.1:
            self.payload = self.c.call("DUMP", self.key()) or self.payload
        if rng.random() < 0.1:
            commands = [self.command() for _ in range(rng.randrange(1, 5))]
            return [("MULTI",), *commands, (rng.choice(["EXEC", "EXEC", "DISCARD"]),)]
        if rng.random() < 0.04:
            reload = ("DEBUG", "RELOAD") if self.reloads else ("SWAPDB", "0", "1")
            return [rng.choice([("FLUSHDB",), ("FLUSHDB", "ASYNC"), ("SWAPDB", "0", "1"), reload])]
        return [self.command()]

    def run(self, steps, compare):
        self.restore_indexes()
        self.c.call_all([("SADD", "set", "m"), ("ZADD", "zset", "1", "m")])
        for _ in range(steps):
            commands = self.step()
            self.c.call_all(commands)
            self.restore_indexes()
            try:
                compare()
            except (AssertionError, KeyError):
                print("after", commands)
                raise

    def restore_indexes(self):
        """Creates missing indexes again: FLUSHDB deletes them, SWAPDB moves them, and sometimes one was renamed."""
        if self.c.call("EXISTS", HASHES) == 0:
            self.c.call_all([("RENAME", "elsewhere", HASHES)])
        for words in index_oracle.CREATE:
            if self.c.call("EXISTS", words[1]) == 0:
                self.c.call(*words)
        index_oracle.wait_until_ready(self.c)


def _histories():
    return range(SEED, SEED + at_length(40, 4, quick=1))


@pytest.mark.parametrize("seed", _histories())
def test_an_index_answers_as_a_look_at_every_key_after_every_command(seed):
    with Server(databases=4) as server, server.connect() as c:
        History(c, random.Random(seed)).run(at_length(400, 150), lambda: index_oracle.compare(c))


@pytest.mark.parametrize("seed", _histories())
def test_a_replica_answers_as_a_look_at_its_keys(server, replica, c, connect, seed):
    reader = connect(to=replica)
    history = History(c, random.Random(seed), alone=False)

    def compare():
        if history.rng.random() < 0.2:
            server.wait_for_replica(replica)
            if index_oracle.info(reader, HASHES) is not None:
                index_oracle.wait_until_ready(reader)
            index_oracle.compare(reader)

    history.run(at_length(400, 150), compare)


@pytest.mark.parametrize("preamble", ["yes", "no"])
@pytest.mark.parametrize("options", [{"save": '""', **AOF}, {"appendonly": "no"}], ids=["aof", "rdb"])
def test_an_index_is_right_after_a_restart(options, preamble):
    rng = random.Random(SEED)
    with Server(databases=4, **options, aof_use_rdb_preamble=preamble) as server:
        for _ in range(at_length(20, 3)):
            connection = server.connect()
            history = History(connection, rng)
            history.run(at_length(60, 25), lambda: None)
            before = index_oracle.found(connection, HASHES)
            recent = connection.call("IDX.RECENT", HASHES, "1000")
            is_rewritten = "save" in options and rng.random() < 0.5
            if is_rewritten:
                server.rewrite_aof()
            server.shutdown(save="save" not in options)
            server.restart()
            connection = server.connect()
            assert set(index_oracle.found(connection, HASHES)) <= set(before)
            if is_rewritten or "save" not in options:
                assert index_oracle.info(connection, HASHES)[b"state"] == b"ready", "nothing is built again"
            else:
                # The file may contain an IDX.CREATE, and then the index is built again.
                index_oracle.wait_until_ready(connection)
            listed = connection.call("IDX.RECENT", HASHES, "1000")
            assert [key for key in recent if key in listed] == listed
            index_oracle.compare(connection)


def test_an_index_is_right_after_kill_9():
    rng = random.Random(SEED)
    with Server(databases=4, save='""', **AOF) as server:
        for _ in range(at_length(30, 5)):
            connection = server.connect()
            history = History(connection, rng)
            history.run(20, lambda: None)
            # The server dies while these commands are in flight.
            for _ in range(100):
                connection.send(*history.command())
            server.kill()
            server.come_back()
            connection = server.connect()
            if index_oracle.info(connection, HASHES) is None:
                continue
            index_oracle.wait_until_ready(connection)
            index_oracle.compare(connection)
            connection.call("FLUSHALL")


@pytest.mark.parametrize("on_disk", ["yes", "no"])
@pytest.mark.parametrize("load", ["disabled", "on-empty-db", "swapdb"])
def test_a_replica_that_loads_everything_again_has_the_index(server, c, connect, on_disk, load):
    history = History(c, random.Random(SEED), alone=False)
    with server.changed_settings(**{"repl-diskless-sync": "no" if on_disk == "yes" else "yes", "repl-diskless-sync-delay": 0}):
        history.run(30, lambda: None)
        with Server(databases=4, repl_diskless_load=load) as late:
            # The replica's earlier content must be deleted.
            other = late.connect()
            index_oracle.create(other)
            other.call("HSET", "d:of before", "age", "7")
            late.replicate(server)
            for _ in range(3):
                server.wait_for_replica(late)
                reader = late.connect()
                index_oracle.wait_until_ready(reader)
                index_oracle.compare(reader)
                c.call_all(history.step())
                history.restore_indexes()
            late.admin.call("REPLICAOF", "NO", "ONE")
            promoted = late.connect()
            promoted.call("HSET", "d:new", "age", "41")
            index_oracle.wait_until_ready(promoted)
            index_oracle.compare(promoted)


POLICIES = ["allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"]


@pytest.mark.parametrize("policy", POLICIES)
def test_documents_that_are_evicted_leave_the_index(policy):
    with Server(databases=4, maxmemory_policy=policy) as server, server.connect() as c:
        index_oracle.create(c)
        used = int(server.info("memory")["used_memory"])
        server.admin.call("CONFIG", "SET", "maxmemory", used + 1_500_000)
        for n in range(6000):
            written = c.call_all([("HSET", f"d:{n}", "age", n, "rest", "x" * 300), ("PEXPIRE", f"d:{n}", "1000000")])
            assert not isinstance(written[0], RespError) or str(written[0]).startswith("OOM")
            if c.call("EXISTS", HASHES) == 0:
                return  # the index itself was evicted
        assert int(server.info("stats")["evicted_keys"]) > 0
        server.admin.call("CONFIG", "SET", "maxmemory", "0")
        index_oracle.compare(c)


def test_a_document_that_expired_while_its_server_was_down_is_not_found():
    with Server(databases=4, save='""', appendonly="no") as server:
        c = server.connect()
        index_oracle.create(c)
        c.call_all([("HSET", "d:1", "age", "1", "mail", "a@x"), ("HSET", "d:2", "age", "2", "mail", "a@x")])
        c.call("PEXPIRE", "d:1", "300")
        server.shutdown(save=True)
        let_pass(0.4)
        server.start()
        c = server.connect()
        assert index_oracle.found(c, HASHES) == [b"d:2"]
        assert c.call("IDX.COUNT", HASHES) == 1
        # The host sends no event. The index removes the document at its expiry date, and the next document gets the
        # value.
        wait_until(lambda: c.call("IDX.CONFLICTS", HASHES) == [], "the second has the mail address")
        index_oracle.compare(c)
