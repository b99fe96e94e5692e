"""The agenda's dates of keys: a date is removed with its key."""

import pytest

from server import wait_until

# A key of each family that has a date, far in the future.
DATED = {
    "log": [("TWRITE", "{}", "t", "x"), ("TRETAIN", "{}", "AGE", "604800000")],
    "group": [("TWRITE", "{}", "t", "x"), ("TREAD", "{}", "0", "1", "GROUP", "g", "RETRY", "604800000", "0")],
    "lock": [("LOCK.ACQUIRE", "{}", "ann", "86400000")],
    "pool": [("SHARD.SET", "{}", "STALE", "86400000"), ("SHARD.JOIN", "{}", "w"), ("SHARD.JOIN", "{}", "v"), ("SHARD.HEARTBEAT", "{}", "w"), ("SHARD.PUSH", "{}", "ann", "x")],
    "route": [("ROUTE.DEVICE", "SET", "{}", "d|ws", "TTL", "604800000")],
}

families = pytest.mark.parametrize("words", DATED.values(), ids=DATED.keys())


def make(c, words, name):
    for command in words:
        c.call(*(name if word == "{}" else word for word in command))


def dates(server):
    return server.counter("keys_with_a_date")


@families
def test_a_deleted_key_leaves_no_date(server, c, words):
    for n in range(100):
        make(c, words, f"k{n}")
    assert dates(server) == 100
    for n in range(99):
        c.call("UNLINK" if n % 2 else "DEL", f"k{n}")
    assert dates(server) == 1
    c.call("SET", "k99", "replaced")
    assert dates(server) == 0


@families
@pytest.mark.parametrize("flush", [("FLUSHALL", "SYNC"), ("FLUSHALL", "ASYNC"), ("FLUSHDB",)], ids=" ".join)
def test_an_emptied_database_leaves_no_date(server, c, words, flush):
    make(c, words, "k")
    assert dates(server) == 1
    c.call(*flush)
    assert dates(server) == 0


@families
def test_a_date_follows_its_key(server, c, words):
    make(c, words, "k")
    c.call("RENAME", "k", "renamed")
    wait_until(lambda: dates(server) == 1, "the new name has a date")
    c.call("COPY", "renamed", "copy")
    wait_until(lambda: dates(server) == 2, "the copy has one of its own")
    c.call("SWAPDB", "0", "1")
    assert dates(server) == 2
    c.call("FLUSHDB")
    assert dates(server) == 2
    c.call("SELECT", "1")
    c.call("DEL", "copy")
    assert dates(server) == 1
    c.call("MOVE", "renamed", "0")
    wait_until(lambda: dates(server) == 1, "it has a date in the other database")
    c.call("SELECT", "0")
    c.call("DEBUG", "RELOAD")
    wait_until(lambda: dates(server) == 1, "loaded keys bring their dates")
    c.call("FLUSHALL")
    assert dates(server) == 0


def test_what_was_acknowledged_has_no_date(server, c):
    make(c, DATED["group"], "k")
    assert dates(server) == 1
    c.call("TACK", "k", "g", "1")
    c.call("DEL", "k")
    assert dates(server) == 0
