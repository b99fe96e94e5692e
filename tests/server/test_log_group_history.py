"""Random histories of writers, readers of several groups, answers, evictions, seeks and restarts,
against a naive model that is told what was delivered and says whether that was allowed.

Each step is a transaction: a list of what is pending, the step, another such list, and TGROUP LIST. So leases end only
between the steps, and the counts are exact.
"""

import json
import os
import random
import time
from dataclasses import dataclass
from typing import Optional

import pytest

from group_model import GroupedLogModel, dates
from length import at_length
from server import Server, wait_until_same

SEED = int(os.environ.get("MILLRACE_SEED", "20260103"))
GROUPS = ("a", "b", "c")
EVERYTHING = 1_000_000
RETRIES = [None, (20, 0), (20, 60), (50, 0), (5, 30), (3000, 0), (3000, 40)]


@dataclass
class Read:
    count: int
    at_tail: bool
    retry: Optional[tuple]
    consumer: Optional[bytes]

    def words(self, name):
        retry = ["RETRY", *self.retry] if self.retry else []
        consumer = [] if self.consumer is None else ["CONSUMER", self.consumer]
        birth = "TAILGROUP" if self.at_tail else "GROUP"
        return ("TREAD", "log", "1", self.count, birth, name, "WITHATTEMPTS", *retry, *consumer)


def now():
    return time.time_ns() // 1_000_000


class History:
    def __init__(self, rng):
        self.rng, self.model = rng, GroupedLogModel()
        self.c = None

    def do(self, words, apply):
        """Executes one step; apply(answer, asked, answered) does the same to the model, and both must agree."""
        looks = [("TGROUP", "PENDING", "log", name, "COUNT", EVERYTHING) for name in GROUPS]
        asked = now()
        *_, answers = self.c.call_all([("MULTI",), *looks, words, *looks, ("TGROUP", "LIST", "log"), ("EXEC",)])
        answered = now()
        self.hear(answers[:3], answered)
        answer = answers[3]
        assert not isinstance(answer, Exception), (words, answer)
        apply(answer, asked, answered)
        self.hear(answers[4:7], answered)
        self.compare(answers[7])

    def hear(self, answers, at):
        for name, pending in zip(GROUPS, answers):
            if name not in self.model.groups:
                assert str(pending).startswith("NOGROUP")
                continue
            self.model.are_pending(name, [one[0] for one in pending], at)
            for offset, attempts, retry, expiry, consumer in pending:
                held = self.model.groups[name].pending[offset]
                assert (attempts, consumer) == (held.attempts, held.consumer), offset
                assert (expiry == -1) == (held.expire_at is None), offset

    def compare(self, listed):
        assert len(listed) == len(self.model.groups)
        for flat in listed:
            entry = {name.decode(): value for name, value in zip(flat[::2], flat[1::2])}
            group = self.model.groups[entry["name"].decode()]
            assert entry["lag"] == self.model.lag(group), "the lag"
            assert (entry["last"], entry["pending"]) == (group.next - 1, len(group.pending))
            assert (entry["lost"], entry["redelivered"]) == (group.lost, group.redelivered)
            assert entry["expired"] + entry["exhausted"] == group.given_up

    def known(self):
        return self.rng.choice(sorted(self.model.groups)) if self.model.groups else None

    # --- steps ---

    def write(self):
        pairs = [(b"t", self.rng.randbytes(self.rng.randrange(40))) for _ in range(self.rng.choice([1, 1, 2, 5, 30]))]
        words = [part for pair in pairs for part in pair]
        backlog = self.rng.choice([None] * 29 + [200])
        option = [] if backlog is None else ["BACKLOG", backlog]

        def apply(offset, *_):
            assert offset == self.model.write(pairs, backlog)

        self.do(("TWRITE", "log", *option, "ENTRIES", *words), apply)

    def read(self):
        rng = self.rng
        name, consumer = rng.choice(GROUPS), rng.choice([None, b"ann", b"bob"])
        read = Read(rng.choice([1, 1, 2, 5, 20, 100]), rng.random() < 0.3, rng.choice(RETRIES), consumer)

        def apply(messages, asked, answered):
            self.model.delivered(name, read, messages, asked, answered)

        self.do(read.words(name), apply)

    def wait(self):
        """A read that may wait; what becomes due meanwhile is seen after it."""
        name = self.known()
        if name is not None:
            read = Read(self.rng.choice([1, 5]), False, self.rng.choice(RETRIES), None)
            self.do(("PING",), lambda *_: None)
            asked = now()
            messages = self.c.call(*read.words(name), "BLOCK", "30") or []
            self.model.delivered(name, read, messages, asked, now())

    def acknowledge(self):
        name, first, last = self.some_pending()
        if name is not None:

            def apply(count, *_):
                assert count == self.model.acknowledge(name, first, last)

            self.do(("TACK", "log", name, f"{first}-{last}"), apply)

    def give_back(self):
        name, first, last = self.some_pending()
        delay = self.rng.choice([0, 0, 10, 40])
        if name is not None:

            def apply(count, asked, answered):
                assert count == self.model.give_back(name, first, last, dates(asked, answered, delay))

            self.do(("TNACK", "log", name, "DELAY", delay, f"{first}-{last}"), apply)

    def some_pending(self):
        name = self.known()
        if name is None or not self.model.groups[name].pending:
            return None, 0, 0
        first = self.rng.choice(sorted(self.model.groups[name].pending))
        return name, first, first + self.rng.choice([0, 0, 1, 5, 70])

    def evict(self):
        up_to = max(0, self.rng.randrange(self.model.first - 2, self.model.first + 10))

        def apply(count, *_):
            assert count == self.model.evict(up_to)

        self.do(("TEVICT", "log", up_to), apply)

    def seek(self):
        name, model = self.known(), self.model
        if name is not None:
            where = self.rng.choice([model.first, model.next, self.rng.randrange(model.first, model.next + 1)])
            self.do(("TGROUP", "SEEK", "log", name, where), lambda *_: model.seek(name, where))

    def drop(self):
        name = self.known()
        if name is not None:
            self.do(("TGROUP", "DROP", "log", name), lambda *_: self.model.groups.pop(name))

    def settings(self):
        name = self.known()
        if name is not None:
            group, has_dead_letters = self.model.groups[name], self.rng.random() < 0.5
            most, attempts = self.rng.choice([3, 20, 1000]), self.rng.choice([0, 0, 2, 4])

            def apply(*_):
                group.pending_max, group.max_attempts, group.has_dead_letters = most, attempts, has_dead_letters

            letters = "dead" if has_dead_letters else "NONE"
            words = ("PENDINGMAX", most, "MAXATTEMPTS", attempts, "DEADLETTER", letters)
            self.do(("TGROUP", "SET", "log", name, *words), apply)

    def reload(self):
        self.c.call("DEBUG", "RELOAD")

    STEPS = [write] * 20 + [read] * 40 + [wait] * 2 + [acknowledge] * 20 + [give_back] * 8 + [evict] * 2 + [seek, settings]
    RARE = [drop, reload]

    def go(self, connection, steps):
        self.c = connection
        for number in range(steps):
            step = self.rng.choice(self.RARE if self.rng.random() < 0.01 else self.STEPS)
            try:
                step(self)
            except AssertionError as problem:
                raise AssertionError(f"step {number}, {step.__name__}, MILLRACE_SEED={SEED}: {problem}")

    def finish(self):
        """Every message that a group has not delivered yet comes once; the dead letters are the messages given up."""
        for name in sorted(self.model.groups):
            self.do(("TACK", "log", name, f"1-{EVERYTHING}"), lambda *_: self.model.acknowledge(name, 1, EVERYTHING))
            read = Read(EVERYTHING, False, None, None)
            self.do(read.words(name), lambda messages, *times: self.model.delivered(name, read, messages, *times))
            assert self.model.lag(self.model.groups[name]) == 0
        stories = [json.loads(tag) for _, tag, _ in self.c.call("TREAD", "dead", "1", EVERYTHING)]
        letters = sorted((story["group"], story["offset"], story["attempts"]) for story in stories)
        assert letters == sorted(self.model.dead)


@pytest.mark.parametrize("number", range(at_length(6, quick=1)))
def test_a_random_history_goes_as_the_model_allows(server, replica, c, number):
    print(f"MILLRACE_SEED={SEED}")
    history = History(random.Random(f"{SEED}/{number}"))
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        c.call("TWRITE", "log", "t", "first")
        history.model.write([(b"t", b"first")])
        history.go(c, 700)
        history.finish()
    wait_until_same(replica, server, "log", "dead")


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_a_random_history_outlives_kills_and_rewrites(preamble):
    print(f"MILLRACE_SEED={SEED}")
    history = History(random.Random(f"{SEED}/{preamble}"))
    with Server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble=preamble) as server:
        for life in range(6):
            with server.connect() as c:
                history.go(c, 120)
                if life % 2:
                    server.rewrite_aof()
            server.kill()
            server.restart()
        with server.connect() as c:
            history.go(c, 50)
            history.finish()


def test_a_random_history_goes_on_through_failovers():
    print(f"MILLRACE_SEED={SEED}")
    history = History(random.Random(f"{SEED}/failover"))
    with Server() as one, Server() as two:
        master, heir = one, two
        for _ in range(6):
            heir.replicate(master)
            with master.connect() as c:
                history.go(c, 120)
            master.wait_for_replica(heir)
            heir.admin.call("REPLICAOF", "NO", "ONE")
            master, heir = heir, master
        with master.connect() as c:
            history.go(c, 60)
            history.finish()
        heir.replicate(master)
        wait_until_same(heir, master, "log", "dead")
