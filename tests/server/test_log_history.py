"""Random histories of all the log's commands, step by step against a naive model."""

import os
import random

import pytest

from length import at_length
from log_model import LogModel
from server import Server, wait_until_same

SEED = int(os.environ.get("MILLRACE_SEED", "20260102"))
KEYS = ("one", "two", "three")
TAGS = [b"", b"a", b"b", b"paid", b"\x00\xff", b"t" * 200]


def pair(rng):
    tag = rng.choice(TAGS) if rng.random() < 0.8 else b"user:%d" % rng.randrange(1000)
    size = rng.choice([0, 1, 10, 30, 60, 200, 700])
    # Half of them become smaller when they are packed.
    return tag, rng.randbytes(size) if rng.random() < 0.5 else b"x" * size


def offset(rng, model):
    kind = rng.random()
    if kind < 0.1:
        return "$"
    if kind < 0.35:
        return -rng.randrange(1, 30)
    return max(1, rng.randrange(model.first - 10, model.next + 10))


# Each function does one step to the server and to the model, and checks that they agree.


def write(rng, c, key, model):
    pairs = [pair(rng) for _ in range(rng.choice([1, 1, 1, 2, 5, 40]))]
    if len(pairs) == 1 and rng.random() < 0.7:
        assert c.call("TWRITE", key, *pairs[0]) == model.write(pairs)
        return
    backlog = rng.choice([None, None, 0, 1, 10, 100])
    option = [] if backlog is None else ["BACKLOG", backlog]
    answer = c.call("TWRITE", key, *option, "ENTRIES", *[part for one in pairs for part in one])
    assert answer == model.write(pairs, backlog)


def read(rng, c, key, model):
    start, count = offset(rng, model), rng.choice([0, 1, 3, 20, 1000])
    info, skip = rng.random() < 0.3, rng.random() < 0.3
    tags = rng.sample(TAGS, rng.randrange(1, 3)) if rng.random() < 0.4 else None
    words = ["WITHINFO"] * info + ["SKIP"] * skip + (["TAGS", len(tags), *tags] if tags else [])
    assert c.call("TREAD", key, start, count, *words) == model.read(start, count, info, skip, tags)


def evict(rng, c, key, model):
    if rng.random() < 0.5:
        up_to = max(0, rng.randrange(model.first - 5, model.first + 40))
        assert c.call("TEVICT", key, up_to) == model.evict(up_to)
    else:
        keep = rng.choice([1, 20, 100, 400])
        assert c.call("TEVICT", key, -keep) == max(0, model.keep(keep))


def retain(rng, c, key, model):
    names = rng.sample(["count", "bytes"], rng.randrange(1, 3))
    limits = {name: rng.choice([0, 0, 50, 200] if name == "count" else [0, 0, 500, 20_000]) for name in names}
    c.call("TRETAIN", key, *[word for item in limits.items() for word in item])
    model.retain(**limits)
    assert c.call("TRETAIN", key) == [b"count", model.count, b"age", 0, b"bytes", model.bytes, b"latest", b"no", b"acked", b"no", b"ids", 600_000, b"refuse", b"no"]


def seek(rng, c, key, model):
    assert c.call("TSEEK", key, "0") == model.first
    assert c.call("TSEEK", key, 2**62) == model.next


def info(rng, c, key, model):
    flat = c.call("TINFO", key)
    about = dict(zip(flat[::2], flat[1::2]))
    assert (about[b"first"], about[b"last"]) == (model.first, model.next - 1)
    assert (about[b"messages"], about[b"bytes"]) == (len(model.messages), model.size())


def reload(rng, c, key, model):
    c.call("DEBUG", "RELOAD")


def change_block_size(rng, c, key, model):
    c.call("CONFIG", "SET", "millrace.block-bytes", rng.choice([256, 256, 257, 600, 4096]))


def replace(rng, c, key, model):
    """Replaces the key by DUMP and RESTORE, or moves it away and back."""
    if rng.random() < 0.5 and c.call("EXISTS", key):
        c.call("RESTORE", key, "0", c.call("DUMP", key), "REPLACE")
    elif c.call("EXISTS", key):
        c.call("RENAME", key, "aside")
        c.call("COPY", "aside", key)
        c.call("DEL", "aside")


def delete(rng, c, key, model):
    c.call("UNLINK", key)
    model.__init__()


STEPS = (
    [write] * 40
    + [read] * 40
    + [evict] * 6
    + [retain] * 3
    + [seek] * 3
    + [info] * 5
    + [change_block_size, replace]
)


@pytest.mark.parametrize("number", range(at_length(12, quick=3)))
def test_a_random_history_goes_as_the_model_says(server, replica, c, number):
    print(f"MILLRACE_SEED={SEED}")
    rng = random.Random(f"{SEED}/{number}")
    models = {key: LogModel() for key in KEYS}
    # The master packs everything at once and the replica nothing, or the reverse, or both pack.
    cold = {"millrace.compress_age": "0", "millrace.compress_cache": "1000"}
    on_master = {} if number % 3 == 0 else cold
    on_replica = {} if number % 3 == 1 else cold
    with server.changed_settings(**{"millrace.block_bytes": "256"}, **on_master), replica.changed_settings(**on_replica):
        for step in range(3000):
            action = rng.choice(STEPS)
            if rng.random() < 0.003:
                action = rng.choice([reload, delete])
            key = rng.choice(KEYS)
            try:
                action(rng, c, key, models[key])
            except AssertionError as problem:
                raise AssertionError(f"step {step} of MILLRACE_SEED={SEED}/{number}, {action.__name__}: {problem}")
    for key, model in models.items():
        assert c.call("TREAD", key, "1", "1000000", "SKIP") == model.read(1, 1_000_000, skip=True)
    wait_until_same(replica, server, *KEYS)


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_a_random_history_outlives_kills_and_rewrites(preamble):
    print(f"MILLRACE_SEED={SEED}")
    rng = random.Random(f"{SEED}/{preamble}")
    models = {key: LogModel() for key in KEYS}
    with Server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble=preamble) as server:
        for life in range(6):
            with server.connect() as c:
                c.call("CONFIG", "SET", "millrace.block-bytes", rng.choice([256, 600]))
                c.call("CONFIG", "SET", "millrace.compress-age", "0")
                for key, model in models.items():
                    assert c.call("TREAD", key, "1", "1000000", "SKIP") == model.read(1, 1_000_000, skip=True)
                    info(rng, c, key, model)
                for step in range(150):
                    key = rng.choice(KEYS)
                    rng.choice([write, write, read, evict, retain])(rng, c, key, models[key])
                    if rng.random() < 0.01:
                        server.rewrite_aof()
            before = [server.digest(key) for key in KEYS]
            server.kill()
            server.restart()
            assert [server.digest(key) for key in KEYS] == before, f"life {life}"
