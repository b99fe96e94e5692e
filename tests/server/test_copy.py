"""millrace copy between servers."""

import pytest

from cluster import Cluster
from server import Server, wait_until
from tool import millrace

BINARY = bytes(range(256))


@pytest.fixture(scope="module")
def other():
    with Server() as server:
        yield server


@pytest.fixture
def target(other):
    other.admin.call("FLUSHALL")
    return other


def copy(source, target, *words, status=0):
    done = millrace("copy", "--from", f"127.0.0.1:{source.port}", "--to", f"127.0.0.1:{target.port}", *words)
    assert done.returncode == status, done.stderr + done.stdout
    return done


def fill(c):
    """A key of each type of ours, and hashes."""
    c.call("TWRITE", "log", "ENTRIES", *["t", BINARY] * 20)
    c.call("TDEL", "log", "3")
    c.call("TREAD", "log", "1", "5", "GROUP", "g", "RETRY", "600000", "0", "CONSUMER", "ann")
    c.call("TWRITE", "log", "DELAY", "600000", "ENTRIES", "later", "x")
    c.call("CHAN.SUBSCRIBE", "chan", "s")
    c.call("CHAN.PUBLISH", "chan", "1", BINARY)
    c.call("ROUTE.SUBSCRIBE", "route", "d|t", "APP", "a", "MODEL", "m", "FILTER", '{"a":1}')
    c.call("SHARD.JOIN", "pool", "w")
    c.call("SHARD.PUSH", "pool", "r", "p")
    c.call("LOCK.ACQUIRE", "lock", "ann", "600000")
    c.call("FACT.ADD", "facts", "a", "b", "c")
    c.call("SUG.ADD", "terms", "lamp")
    c.call("IDX.CREATE", "users", "PREFIX", "user:", "FIELD", "name", "TEXT")
    for i in range(50):
        c.call("HSET", f"user:{i}", "name", f"n{i}", BINARY, BINARY)
    c.call("PEXPIREAT", "user:7", "4102444800000")


OURS = ["log", "chan", "route", "pool", "facts", "terms", "user:7"]


def test_a_key_of_each_type_is_the_same_there(c, server, target):
    fill(c)
    done = copy(server, target, "*")
    assert done.stdout == (b"copied: 50 hash, 1 millr-chn, 1 millr-fct, 1 millr-idx, 1 millr-lck, 1 millr-log, "
                           b"1 millr-rte, 1 millr-shd, 1 millr-sug; failed: 0\n")
    assert [server.digest(key) for key in OURS] == [target.digest(key) for key in OURS]
    assert target.admin.call("PEXPIRETIME", "user:7") == 4102444800000
    wait_until(lambda: target.admin.call("IDX.COUNT", "users") == 50, "the index has read its documents")
    assert len(target.admin.call("TGROUP", "PENDING", "log", "g")) == 5


def test_small_keys_that_go_together_and_others_among_them_all_arrive(c, server, target):
    c.call_all([("HSET", f"user:{n}", "name", f"n{n}") for n in range(300)])
    c.call("HSET", "user:large", *(word for n in range(200) for word in (f"f{n}", "x" * 1000)))
    target.admin.call("HSET", "user:7", "name", "theirs")
    done = copy(server, target, "user:*", status=1)
    assert done.stdout == b"copied: 300 hash; failed: 1\n"
    assert done.stderr == b"millrace copy: user:7: it is there already; --replace overwrites it\n"
    assert target.admin.call("HGET", "user:7", "name") == b"theirs"
    assert [server.digest(f"user:{n}") == target.digest(f"user:{n}") for n in (0, 6, 8, 299, "large")] == [True] * 5


def test_a_key_of_another_type_is_left_out_and_reported(c, server, target):
    c.call("SET", "text", "x")
    c.call("HSET", "h", "a", "b")
    assert copy(server, target, "*").stdout == b"copied: 1 hash; left out: 1 string; failed: 0\n"
    done = copy(server, target, "nothing", status=1)
    assert done.stderr == b"millrace copy: nothing: there is no such key\n"


def test_a_key_that_exists_already_is_replaced_only_if_asked_for(c, server, target):
    c.call("HSET", "h", "a", "ours")
    target.admin.call("HSET", "h", "a", "theirs")
    done = copy(server, target, "h", status=1)
    assert b"h: it is there already; --replace overwrites it" in done.stderr
    assert target.admin.call("HGET", "h", "a") == b"theirs"
    copy(server, target, "h", "--replace")
    assert target.admin.call("HGET", "h", "a") == b"ours"


def test_a_second_run_goes_on_where_the_first_ended(c, server, target):
    for i in range(10):
        c.call("HSET", f"h{i}", "a", "b")
    copy(server, target, "h1", "h2", "h3")
    done = copy(server, target, "h*", "--resume")
    assert done.stdout == b"copied: 7 hash; there already: 3; failed: 0\n"
    target.admin.call("HSET", "h1", "more", "x")
    done = copy(server, target, "h*", "--resume", status=1)
    assert b"h1: it is there already, and differs" in done.stderr
    assert copy(server, target, "h*", "--resume", "--replace").stdout == b"copied: 1 hash; there already: 9; failed: 0\n"


def test_a_large_log_goes_in_frames_and_what_stays_behind_is_reported(c, server, target):
    for i in range(30):
        c.call("TWRITE", "log", "ENTRIES", *["tag", "x" * 200] * 1000, "tag", BINARY)
    c.call("TRETAIN", "log", "COUNT", "100000", "ACKED", "no")
    c.call("TGROUP", "CREATE", "log", "g")
    done = copy(server, target, "log", "--frames-above", "1")
    assert b"log: in frames: its offsets and dates are new, and its groups and schedule stay" in done.stderr
    assert done.stdout == b"copied: 1 millr-log; failed: 0\n"
    for first in range(1, 30_030, 5_000):
        assert target.admin.call("TREAD", "log", first, 5000) == c.call("TREAD", "log", first, 5000)
    assert target.admin.call("TRETAIN", "log") == c.call("TRETAIN", "log")
    assert copy(server, target, "log", "--frames-above", "1", "--resume").stdout.startswith(b"copied: none; there already: 1")


def test_a_large_hash_goes_in_parts(c, server, target):
    for first in range(0, 20_000, 1000):
        c.call("HSET", "big", *[word for i in range(first, first + 1000) for word in (f"field-{i}", f"value-{i}")])
    c.call("PEXPIREAT", "big", "4102444800000")
    copy(server, target, "big", "--frames-above", "0")
    assert target.digest("big") == server.digest("big")
    assert target.admin.call("PEXPIRETIME", "big") == 4102444800000


@pytest.mark.long
def test_it_copies_from_and_to_a_cluster(c, server, target):
    c.call("TWRITE", "log", "t", "x")
    for i in range(300):
        c.call("HSET", f"user:{i}", "n", i)
    with Cluster() as cluster:
        assert copy(server, cluster.nodes[0], "*").stdout == b"copied: 300 hash, 1 millr-log; failed: 0\n"
        assert sum(cluster.keys()) == 301 and min(cluster.keys()) > 50
        assert copy(cluster.nodes[2], target, "*").stdout == b"copied: 300 hash, 1 millr-log; failed: 0\n"
    assert target.digest("log") == server.digest("log") and target.admin.call("DBSIZE") == 301


def test_a_server_without_the_module_refuses_what_is_ours_by_name(c, server):
    c.call("TWRITE", "log", "t", "x")
    c.call("HSET", "h", "a", "b")
    with Server(module=False) as plain:
        done = copy(server, plain, "log", "h", status=1)
        assert b"millrace copy: log: the other server: RESTORE:" in done.stderr
        assert done.stdout == b"copied: 1 hash; failed: 1\n"


def test_wrong_calls_and_missing_servers_are_reported(server):
    assert millrace("copy", "--to", "127.0.0.1:1", "x").returncode == 2
    assert millrace("copy", "--from", "bad://x", "--to", f":{server.port}", "x").returncode == 2
    assert millrace("copy", "--from", "127.0.0.1:1", "--to", f":{server.port}", "x").returncode == 3
    assert millrace("copy", "--from", f":{server.port}", "--to", "127.0.0.1:1", "x").returncode == 3
