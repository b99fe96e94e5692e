"""millrace doctor: each finding on a server that has this problem, and no finding on a healthy one."""

import json

import pytest

from cluster import Cluster
from server import Server
from tool import millrace

WELL = {"appendonly": "yes", "maxmemory": "1gb"}


def examined(server, status):
    done = millrace("doctor", "--json", "--to", f"127.0.0.1:{server.port}")
    assert done.returncode == status, done.stderr + done.stdout
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def problems(server):
    return {(one["where"], one["what"].split(":")[0]) for one in examined(server, 1) if one["weight"] == "problem"}


@pytest.fixture(scope="module")
def host():
    with Server(**WELL) as server:
        yield server


@pytest.fixture
def well(host):
    host.admin.call("FLUSHALL")
    yield host
    for name, value in WELL.items():
        host.admin.call("CONFIG", "SET", name, value)


def test_a_healthy_server_has_no_finding(well):
    well.admin.call("TWRITE", "log", "t", "x")
    well.admin.call("TREAD", "log", "1", "1", "GROUP", "g")
    assert examined(well, 0) == []
    done = millrace("doctor", "--to", f"127.0.0.1:{well.port}")
    assert (done.returncode, done.stdout) == (0, b"0 problems, 0 pieces of advice\n")


@pytest.mark.parametrize("setting, value, where, what, status", [
    ("appendonly", "no", "persistence", "nothing is saved: a restart loses everything", 1),
    ("appendfsync", "no", "persistence", "appendfsync is no: a crash of the machine may lose half a minute", 0),
    ("maxmemory", "0", "memory", "maxmemory is not set: a server that grows is ended by the system", 0),
    ("maxmemory-policy", "allkeys-lru", "memory", "maxmemory-policy is allkeys-lru: whole logs may be evicted", 1),
])
def test_settings_are_judged(well, setting, value, where, what, status):
    before = well.admin.call("CONFIG", "GET", setting)[1]
    well.admin.call("CONFIG", "SET", setting, value)
    try:
        found = examined(well, status)
    finally:
        well.admin.call("CONFIG", "SET", setting, before)
    assert [(one["where"], one["what"]) for one in found] == [(where, what)]
    assert found[0]["remedy"]


def test_memory_that_is_nearly_full_is_reported(well):
    used = int(well.info("memory")["used_memory"])
    with well.changed_settings(maxmemory=str(used + used // 50)):
        assert [what for where, what in problems(well) if where == "memory" and "% of maxmemory are in use" in what]


def test_groups_that_are_stuck_and_messages_that_were_lost_are_reported(still, clock, s):
    s.call("TWRITE", "stuck", "t", "x")
    s.call("TREAD", "stuck", "1", "1", "GROUP", "g", "RETRY", "3600000", "0", "CONSUMER", "ann")
    s.call("TWRITE", "unread", "t", "x")
    s.call("TGROUP", "CREATE", "unread", "g", "FIRST")
    s.call("TWRITE", "lossy", "ENTRIES", *["t", "x"] * 10)
    s.call("TGROUP", "CREATE", "lossy", "g", "FIRST")
    s.call("TEVICT", "lossy", "5")
    clock.advance(3_600_000)
    s.call("TREAD", "lossy", "1", "10", "GROUP", "g")
    s.call("TWRITE", "undead", "t", "x")
    s.call("TGROUP", "CREATE", "undead", "g", "FIRST", "MAXATTEMPTS", "1")
    s.call("TREAD", "undead", "1", "1", "GROUP", "g", "RETRY", "60000", "0")
    s.call("TNACK", "undead", "g", "DEAD", "broken", "1")
    found = {one["where"]: one for one in examined(still, 1) if one["where"] not in ("persistence", "memory")}
    assert found["stuck"]["what"] == "group g has not finished a message that is 60 minutes old (lag 0, pending 1)"
    assert "TGROUP PENDING stuck g" in found["stuck"]["remedy"]
    assert found["unread"]["what"] == "group g has not finished a message that is 60 minutes old (lag 1, pending 0)"
    assert "TGROUP DROP unread g" in found["unread"]["remedy"]
    assert "were evicted before group g had them" in found["lossy"]["what"]
    assert "keeps no dead letters" in found["undead"]["what"]
    assert set(found) == {"stuck", "unread", "lossy", "undead"}


def test_pools_indexes_and_deadlocks_are_reported(well):
    c = well.admin
    c.call("SHARD.JOIN", "pool", "w")
    c.call("SHARD.PUSH", "pool", "r", "p")
    c.call("SHARD.LEAVE", "pool", "w", "NOW")
    c.call("IDX.CREATE", "index", "PREFIX", "u:", "FIELD", "mail", "TEXT", "UNIQUE", "FIELD", "age", "INTEGER")
    c.call("HSET", "u:1", "mail", "same", "age", "1")
    c.call("HSET", "u:2", "mail", "same", "age", "old")
    c.call("LOCK.ACQUIRE", "a", "ann", "60000")
    c.call("LOCK.ACQUIRE", "b", "bob", "60000")
    with well.connect() as ann, well.connect() as bob:
        ann.send("LOCK.ACQUIRE", "b", "ann", "60000", "WAIT", "60000")
        bob.send("LOCK.ACQUIRE", "a", "bob", "60000", "WAIT", "60000")
        well.wait_for_blocked(2)
        found = {(one["where"], one["weight"]): one["what"] for one in examined(well, 1)}
    assert "1 messages are pending, and there is no worker" == found[("pool", "problem")]
    assert "same value in a unique field" in found[("index", "problem")]
    assert "values that are not indexed" in found[("index", "advice")]
    assert "deadlock" in found[("locks", "problem")] and "ann" in found[("locks", "problem")]


def test_without_the_module_it_says_so():
    with Server(module=False, **WELL) as plain:
        assert ("module", "MODULE LIST does not name the millrace module") in problems(plain)


def test_every_node_of_a_cluster_is_looked_at():
    with Cluster() as cluster:
        found = examined(cluster.nodes[1], 1)
        assert {one["where"].split()[0] for one in found} == {f"127.0.0.1:{node.port}" for node in cluster.nodes}


def test_a_server_that_is_not_there_is_one_line():
    done = millrace("doctor", "--to", "127.0.0.1:1")
    assert done.returncode == 3 and done.stderr.count(b"\n") == 1
