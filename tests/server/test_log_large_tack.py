"""A TACK of more batches than are acknowledged in one turn goes on in other turns, between the commands of other
clients. A server that is suspended while both commands are sent executes them in this order in the same turn: the
second one comes between two parts of the TACK.
"""

import pathlib
import re

import pytest

from cluster import Cluster
from log_groups import ALL, LONG, numbers, pending_offsets, read
from resp import RespError
from server import Server, wait_until, wait_until_same

AT_ONCE = 50_000
MANY = 2 * AT_ONCE + 10_000
EACH = f"1-{MANY}"
# With all that is pending named, the group forgets it at once. So one message behind the range is pending, too.
PENDING = MANY + 1
SLOT = 10591  # of the key "log"
DELIVER = """for i = 1, ARGV[1] do
  redis.call('TREADGROUP', KEYS[1], 1, 1, 'GROUP', 'g', 'CONSUMER', i % 2 == 1 and 'ann' or 'bob', 'RETRY', 3600000, 0)
end"""


@pytest.fixture(scope="module")
def delivered():
    """The log of a group with PENDING deliveries of one message each, as DUMP returns it. They go to ann and bob in
    turns: neighbours of the same consumer could become one batch."""
    with Server() as server, server.connect() as c:
        c.call("TWRITE", "log", "ENTRIES", *["t", "e"] * PENDING)
        c.call("EVAL", DELIVER, 1, "log", PENDING)
        return c.call("DUMP", "log")


@pytest.fixture
def log(c, delivered):
    c.call("RESTORE", "log", "0", delivered)


def left(c, key="log"):
    [count] = numbers(c, "pending", key=key)
    return count


def parts_told(replica):
    """How often the replica was told to acknowledge."""
    found = re.search(rb"cmdstat_TACK:calls=(\d+)", replica.admin.call("INFO", "commandstats"), re.IGNORECASE)
    return int(found[1]) if found else 0


def send_between(server, c, other, *words):
    """Sends a large TACK through c and a command through the other connection. Returns what both are answered."""
    # The server accepts a connection in a turn of its own. And it reads first from the one that it has just read from.
    other.call("PING")
    c.call("PING")
    server.suspend()
    c.send("TACK", "log", "g", EACH)
    other.send(*words)
    server.resume()
    seen = other.read()
    return c.read(), seen


def test_it_is_answered_once_and_replicas_are_told_of_each_part(c, replica, log):
    before = parts_told(replica)
    assert c.call("TACK", "log", "g", EACH) == MANY
    assert pending_offsets(c) == [PENDING]
    wait_until(lambda: parts_told(replica) == before + 3, "the replica is told of each part")


def test_other_clients_are_served_in_between(server, c, connect, replica, log):
    answer, seen = send_between(server, c, connect(), "TGROUP", "PENDING", "log", "g", "COUNT", "1")
    assert [one[0] for one in seen] == [AT_ONCE + 1], "the first part is acknowledged, the second is not"
    assert answer == MANY
    assert pending_offsets(c) == [PENDING]
    wait_until_same(replica, server, "log")


def test_commands_of_the_same_client_wait_for_its_end(c, log):
    c.send("TACK", "log", "g", EACH)
    c.send("TGROUP", "PENDING", "log", "g", "COUNT", "5")
    assert c.read() == MANY
    assert [one[0] for one in c.read()] == [PENDING]


def test_with_a_consumer_it_takes_only_what_this_consumer_holds(c, log):
    assert c.call("TACK", "log", "g", "CONSUMER", "bob", f"1-{MANY - 2}", ALL) == MANY // 2
    assert left(c) == PENDING - MANY // 2
    assert pending_offsets(c, "CONSUMER", "bob") == []


def test_in_a_transaction_or_script_everything_is_acknowledged_at_once(c, log):
    c.call("MULTI")
    c.call("TACK", "log", "g", f"1-{MANY // 2}")
    assert c.call("EXEC") == [MANY // 2]
    script = "return redis.call('TACK', KEYS[1], 'g', ARGV[1])"
    assert c.call("EVAL", script, 1, "log", EACH) == MANY // 2
    assert left(c) == 1


def test_a_group_that_is_dropped_in_between_is_an_error(server, c, connect, replica, log):
    answer, dropped = send_between(server, c, connect(), "TGROUP", "DROP", "log", "g")
    assert str(answer).startswith("NOGROUP") and dropped == 1
    assert c.call("TGROUP", "LIST", "log") == []
    wait_until_same(replica, server, "log")


def test_of_a_log_that_is_deleted_in_between_it_says_what_was_acknowledged(server, c, connect, log):
    assert send_between(server, c, connect(), "DEL", "log") == (AT_ONCE, 1)


def test_a_log_that_is_renamed_in_between_is_gone(server, c, connect, replica, log):
    assert send_between(server, c, connect(), "RENAME", "log", "elsewhere") == (AT_ONCE, b"OK")
    assert left(c, "elsewhere") == PENDING - AT_ONCE
    wait_until_same(replica, server, "elsewhere")


def test_a_client_that_is_cut_off_in_between_leaves_the_rest_pending(server, c, connect, replica, log):
    leaving = connect()
    killed = ("CLIENT", "KILL", "ID", leaving.call("CLIENT", "ID"))
    with pytest.raises(ConnectionError):
        send_between(server, leaving, connect(), *killed)
    assert left(c) == PENDING - AT_ONCE
    wait_until_same(replica, server, "log")
    assert c.call("TACK", "log", "g", EACH) == MANY - AT_ONCE


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_after_a_kill_in_between_a_second_tack_does_the_rest(delivered, preamble):
    with Server(appendonly="yes", aof_use_rdb_preamble=preamble) as server:
        server.admin.call("RESTORE", "log", "0", delivered)
        server.admin.call("TACK", "log", "g", EACH)
        server.kill()
        cut_the_last_command(server)
        server.restart()
        assert left(server.admin) == PENDING - 2 * AT_ONCE
        assert server.admin.call("TACK", "log", "g", EACH) == MANY - 2 * AT_ONCE
        assert read(server.admin, 10, *LONG) == []


def cut_the_last_command(server):
    """Removes the last part's TACK from the append-only file, as if the server had been killed before writing it."""
    [path] = pathlib.Path(server.directory, "appendonlydir").glob("*.incr.aof")
    written = path.read_bytes()
    path.write_bytes(written[:written.rindex(b"*4\r\n$4\r\nTACK")])


@pytest.mark.long
def test_after_a_failover_in_between_a_second_tack_does_the_rest(delivered):
    with Server() as master, Server() as heir:
        heir.replicate(master)
        master.admin.call("RESTORE", "log", "0", delivered)
        master.wait_for_replica(heir)
        with master.connect() as c, master.connect() as other:
            answer, asked = send_between(master, c, other, "FAILOVER", "TO", "127.0.0.1", heir.port)
        assert asked == b"OK"
        wait_until(lambda: heir.info("replication")["role"] == "master", "the replica has taken over")
        assert isinstance(answer, RespError) and str(answer).startswith("UNBLOCKED")
        pending = left(heir.admin)
        assert pending == PENDING - AT_ONCE
        assert heir.admin.call("TACK", "log", "g", EACH) == pending - 1
        wait_until_same(master, heir, "log")


@pytest.mark.long
def test_of_a_log_whose_slot_moves_in_between_the_rest_stays_pending(delivered):
    with Cluster() as cluster:
        source = cluster.master_of(SLOT)
        target = next(node for node in cluster.nodes if node is not source)
        source.admin.call("RESTORE", "log", "0", delivered)
        name = lambda node: node.admin.call("CLUSTER", "MYID")
        target.admin.call("CLUSTER", "SETSLOT", SLOT, "IMPORTING", name(source))
        source.admin.call("CLUSTER", "SETSLOT", SLOT, "MIGRATING", name(target))
        with source.connect() as c, source.connect() as other:
            moved = ("MIGRATE", "127.0.0.1", target.port, "log", 0, 30_000)
            assert send_between(source, c, other, *moved) == (AT_ONCE, b"OK")
        for node in [target, source]:
            node.admin.call("CLUSTER", "SETSLOT", SLOT, "NODE", name(target))
        assert left(target.admin) == PENDING - AT_ONCE
        assert target.admin.call("TACK", "log", "g", EACH) == MANY - AT_ONCE
