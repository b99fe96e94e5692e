"""Every data type outlives the server as the host's own do, in each way the host has."""

import pytest

from families import FAMILIES
from length import at_length
from server import Server

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=str)

SEEDS = at_length((1, 2, 3), quick=(1, 2))


def fill_some(family, server):
    """Some keys, one with an expiry, one in another database; what a client sees of them."""
    with server.connect() as c:
        for seed in SEEDS:
            family.fill(c, f"key{seed}", seed)
        family.append(c, "tiny")
        family.append(c, "emptied")
        family.shrink(c, "emptied")
        c.call("PEXPIREAT", "key2", "4102444800000")
        c.call("SELECT", "1")
        family.fill(c, "elsewhere", 4)
    return seen(family, server)


def seen(family, server):
    with server.connect() as c:
        keys = sorted(c.call("KEYS", "*"))
        first = [(key, family.read(c, key), server.digest(key), c.call("PEXPIRETIME", key)) for key in keys]
        c.call("SELECT", "1")
        return first, family.read(c, "elsewhere"), c.call("DEBUG", "DIGEST-VALUE", "elsewhere")


def test_a_restart_from_rdb_brings_everything_back(family):
    with Server() as server:
        before = fill_some(family, server)
        server.shutdown(save=True)
        server.restart()
        assert seen(family, server) == before


def test_debug_reload_changes_nothing(family):
    with Server() as server:
        before = fill_some(family, server)
        server.admin.call("DEBUG", "RELOAD")
        assert seen(family, server) == before
        server.admin.call("DEBUG", "RELOAD")
        assert seen(family, server) == before


@pytest.mark.parametrize("compression", ["yes", "no"])
def test_an_rdb_file_loads_whether_it_was_compressed_or_not(family, compression):
    with Server(rdbcompression=compression) as server:
        before = fill_some(family, server)
        server.admin.call("SAVE")
        server.kill()
        server.restart()
        assert seen(family, server) == before


def test_a_restart_from_the_aof_brings_everything_back(family):
    with Server(appendonly="yes", appendfsync="no") as server:
        before = fill_some(family, server)
        server.shutdown(save=False)
        server.restart()
        assert seen(family, server) == before


def test_debug_loadaof_changes_nothing(family):
    with Server(appendonly="yes", appendfsync="always") as server:
        before = fill_some(family, server)
        server.admin.call("DEBUG", "LOADAOF")
        assert seen(family, server) == before


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_a_rewritten_aof_brings_everything_back(family, preamble):
    with Server(appendonly="yes", aof_use_rdb_preamble=preamble) as server:
        fill_some(family, server)
        server.rewrite_aof()
        with server.connect() as c:
            family.append(c, "key1")
            family.shrink(c, "key3")
            family.append(c, "new")
        before = seen(family, server)
        server.shutdown(save=False)
        server.restart()
        assert seen(family, server) == before
        server.rewrite_aof()
        server.kill()
        server.restart()
        assert seen(family, server) == before


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_what_comes_from_a_rewritten_aof_can_be_written_on(family, preamble):
    with Server(appendonly="yes", aof_use_rdb_preamble=preamble) as server:
        fill_some(family, server)
        server.rewrite_aof()
        server.shutdown(save=False)
        server.restart()
        with server.connect() as c:
            family.fill(c, "key1", 9)
            family.append(c, "emptied")
        before = seen(family, server)
        server.shutdown(save=False)
        server.restart()
        assert seen(family, server) == before


def test_a_kill_loses_nothing_that_was_acknowledged(family):
    with Server(appendonly="yes", appendfsync="always") as server:
        before = fill_some(family, server)
        server.kill()
        server.restart()
        assert seen(family, server) == before


def test_a_rewrite_during_writes_loses_none_of_them(family):
    with Server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no") as server:
        fill_some(family, server)
        with server.connect() as c:
            c.call("BGREWRITEAOF")
            appended = 0
            while server.info("persistence")["aof_rewrite_in_progress"] == "1" or appended == 0:
                # Not too often to the same key: an index has at most 64 fields.
                family.append(c, f"key{1 + appended // 20}")
                appended += 1
        before = seen(family, server)
        server.kill()
        server.restart()
        assert seen(family, server) == before
