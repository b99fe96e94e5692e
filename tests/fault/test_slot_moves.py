"""Slots that the host moves by itself, as a whole: what is in them is the same afterwards, and nothing of it is left
behind; while they move, the copies do nothing; and a move that is given up changes nothing."""

import contextlib
import functools
import itertools
import os
import pathlib
import signal

import pytest

from cluster import Cluster
from cluster_connection import slot_of
from families import FAMILIES, KEY, on
from index_oracle import found
from locks import HOUR
from resp import RespError
from server import let_pass, parent_of, process_id, wait_until

WAYS = [way for family in FAMILIES for way in family.waiting]
FAMILIES_BY_NAME = {family.name: family for family in FAMILIES}


@pytest.fixture(scope="module")
def cluster():
    with Cluster(replicas=1, appendonly="yes", auto_aof_rewrite_percentage=0) as made:
        if not made.moves_slots():
            pytest.skip("this host moves no slots by itself")
        yield made


@pytest.fixture(autouse=True)
def whole(cluster):
    """Before and after every test, the cluster is whole, and no node knows a date or an object of keys that it does not
    have."""
    wait_until(cluster.is_whole, "the cluster is whole")
    for node in cluster.masters:
        node.admin.call("FLUSHALL")
    yield
    wait_until(cluster.is_whole, "the cluster is whole")
    for node in cluster.masters:
        if node.admin.call("DBSIZE") == 0:
            wait_until(lambda: is_forgotten(node), "nothing is left of the keys that have moved")


def is_forgotten(node):
    counters = node.counters()
    left_over = ("keys_with_a_date", "indexes", "indexed_documents", "keys_indexed", "log_packing_waiting")
    return all(counters[name] == 0 for name in left_over)


def other_master(cluster, node):
    return next(other for other in cluster.masters if other is not node)


def replicas_of(cluster, master):
    return [node for node in cluster.nodes if node.info("replication").get("master_port") == str(master.port)]


def begin(cluster, key, target=None):
    source = cluster.master_of(slot_of(key))
    return cluster.begin_to_move(slot_of(key), slot_of(key), target or other_master(cluster, source))


@contextlib.contextmanager
def held(cluster, key):
    """A move that stands still until the end of the block: the target has the slot of this key, and the process that
    sends the next slot, which moves with it, is stopped."""
    slot = slot_of(key)
    source = cluster.master_of(slot)
    for beside in keys_beside(key):
        source.admin.call("SET", beside, bytes(100_000))  # more than the host collects before it sends
    wait_until(lambda: child_of(process_id(source.admin)) is None, "the child process of an earlier move has ended")
    source.admin.call("CONFIG", "SET", "rdb-key-save-delay", 50_000)
    move = cluster.begin_to_move(slot, slot + 1, other_master(cluster, source))
    try:
        child = wait_until(lambda: child_of(process_id(source.admin)), "a child process sends the keys")
        # In steps, because on a busy machine the move could be over before it is stopped.
        os.kill(child, signal.SIGSTOP)
        while not has(move.target, *keys_beside(key)):
            os.kill(child, signal.SIGCONT)
            let_pass(0.02)
            os.kill(child, signal.SIGSTOP)
        assert not move.is_over()
        try:
            yield move
        finally:
            with contextlib.suppress(ProcessLookupError):  # the host ends it when the move is given up
                os.kill(child, signal.SIGCONT)
    finally:
        if source.is_alive():
            source.admin.call("CONFIG", "SET", "rdb-key-save-delay", 0)


@functools.cache
def keys_beside(key):
    """Twenty keys of the next slot."""
    in_slot = (name for name in map("beside:{}".format, itertools.count()) if slot_of(name) == slot_of(key) + 1)
    tag = next(in_slot)
    return [f"{{{tag}}}:{n}" for n in range(20)]


def has(node, *keys):
    """Whether the node has any of the keys, of slots that it serves or of others."""
    return any(node.digest(key) != b"0" * 40 for key in keys)


def child_of(process):
    return next((int(entry.name) for entry in pathlib.Path("/proc").iterdir()
                 if entry.name.isdecimal() and parent_of(entry.name) == process), None)


def fill(cluster, family, key):
    master = cluster.master_of(slot_of(key))
    with master.connect() as c:
        for seed in range(3):
            family.fill(c, key, seed)
    return master


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_an_object_is_the_same_on_the_new_node_and_on_its_replicas_and_comes_back_twice(cluster, family):
    key = f"{family.name}"
    first = fill(cluster, family, key)
    other = other_master(cluster, first)
    for source, target in [(first, other), (other, first)] * 2:
        with source.connect() as c:
            before, digest = family.read(c, key), source.digest(key)
        move = begin(cluster, key, target)
        move.wait()
        with target.connect() as c:
            assert family.steady(family.read(c, key)) == family.steady(before)
            family.append(c, key)
        for replica in replicas_of(cluster, target):
            wait_until(lambda: replica.digest(key) == target.digest(key), "its replica holds the same")
        assert target.digest(key) != digest, "it goes on there"
        with pytest.raises(RespError, match="^MOVED "):
            source.admin.call(*on(key, family.read_commands[0]))


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_what_changes_while_the_slot_moves_is_decided_by_the_old_node_alone(cluster, family):
    key = f"changes {family.name}"
    source = fill(cluster, family, key)
    with held(cluster, key) as move, source.connect() as c:
        for seed in range(3, 6):
            family.fill(c, key, seed)
            family.append(c, key)
            family.shrink(c, key)
        for command in family.write_commands:
            with contextlib.suppress(RespError):
                c.call(*on(key, command))
        digest = source.digest(key)
    move.wait()
    assert move.target.digest(key) == digest
    for replica in replicas_of(cluster, move.target):
        wait_until(lambda: replica.digest(key) == digest, "its replica holds the same")


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_a_move_that_is_given_up_changes_nothing_and_leaves_nothing(cluster, family):
    key = f"given up {family.name}"
    source = fill(cluster, family, key)
    digest = source.digest(key)
    with held(cluster, key) as move:
        assert source.digest(key) == digest
        move.cancel()
    wait_until(move.is_over, "it is given up")
    assert not move.has_succeeded()
    wait_until(lambda: not has(move.target, key, *keys_beside(key)), "the target has nothing of it")
    wait_until(lambda: is_forgotten(move.target), "and remembers nothing of it")
    assert source.digest(key) == digest
    with source.connect() as c:
        family.append(c, key)
        assert source.digest(key) != digest


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_client_that_waits_is_redirected_and_served_by_the_new_node(cluster, way):
    key = f"waits {way}"
    source = cluster.master_of(slot_of(key))
    way.prepare(source.admin, key)
    with source.connect() as reader:
        reader.send(*on(key, way.command))
        wait_until(lambda: source.counter(way.blocked_counter) == 1, "it waits")
        move = begin(cluster, key)
        assert str(reader.read()) == f"MOVED {slot_of(key)} 127.0.0.1:{move.target.port}"
        wait_until(lambda: source.counter(way.blocked_counter) == 0, "nobody is left behind")
        move.wait()
    with move.target.connect() as reader:
        reader.send(*on(key, way.command))
        wait_until(lambda: move.target.counter(way.blocked_counter) == 1, "it waits there")
        way.wake(move.target.admin, key)
        assert reader.read() == way.answer


DUE_MS = "3000"  # time enough for a busy machine to begin a move
DUE = {  # family -> commands that make work for a timer, and the counter of that work
    "log": ([("TWRITE", KEY, "tag", "entry"), ("TRETAIN", KEY, "AGE", DUE_MS)], "log_messages_evicted"),
    "group": ([("TWRITE", KEY, "tag", "entry"), ("TGROUP", "CREATE", KEY, "g", "FIRST", "MAXATTEMPTS", "1"),
               ("TREADGROUP", KEY, "1", "1", "GROUP", "g", "RETRY", DUE_MS, "0")], "log_messages_given_up"),
    "pool": ([("SHARD.SET", KEY, "STALE", DUE_MS), ("SHARD.JOIN", KEY, "ann"), ("SHARD.PUSH", KEY, "kim", "payload"),
              ("SHARD.PULL", KEY, "ann"), ("SHARD.JOIN", KEY, "bob")], "shard_workers_failed_over"),
    "lock": ([("LOCK.ACQUIRE", KEY, "ann", DUE_MS)], "lock_expiries"),
}


@pytest.mark.parametrize("commands, counter", DUE.values(), ids=DUE)
def test_work_that_comes_due_while_the_slot_moves_is_done_by_the_old_node_alone(cluster, commands, counter):
    key = f"due {counter}"
    source = cluster.master_of(slot_of(key))
    done = source.counter(counter)
    for command in commands:
        source.admin.call(*on(key, command))
    with held(cluster, key) as move:
        there, copy = move.target.counter(counter), move.target.digest(key)
        wait_until(lambda: source.counter(counter) == done + 1, "the old node does it")
        let_pass(0.3)
        assert (move.target.counter(counter), move.target.digest(key)) == (there, copy), "the new node does nothing"
        digest = source.digest(key)
    move.wait()
    assert move.target.digest(key) == digest


@pytest.mark.parametrize("commands, counter", DUE.values(), ids=DUE)
def test_work_that_is_overdue_when_the_slot_arrives_is_done_by_the_new_node(cluster, commands, counter):
    key = f"overdue {counter}"
    source = cluster.master_of(slot_of(key))
    for command in commands:
        source.admin.call(*on(key, command))
    try:
        with held(cluster, key) as move:
            there = move.target.counter(counter)
            source.admin.call("CLIENT", "PAUSE", 60_000, "WRITE")  # its timers rest until the slot has left
            let_pass(int(DUE_MS) / 1000 + 0.2)
            assert move.target.counter(counter) == there, "the new node does nothing before it has the slot"
        wait_until(move.has_succeeded, "the slot has moved")
        wait_until(lambda: move.target.counter(counter) == there + 1, "the new node does it")
    finally:
        source.admin.call("CLIENT", "UNPAUSE")
    move.wait()


def test_documents_and_their_index_move_together_and_the_old_node_goes_on(cluster):
    """Redis 8.6 crashed here: the index was freed on another thread, and the next timer used it."""
    prefix = "{documents}:"
    index = "{documents}index"
    source = cluster.master_of(slot_of(index))
    source.admin.call("IDX.CREATE", index, "PREFIX", prefix, "FIELD", "city", "TEXT")
    for i in range(200):
        source.admin.call("HSET", f"{prefix}{i}", "city", f"city{i % 10}")
        source.admin.call("PEXPIRE", f"{prefix}{i}", HOUR)
    wait_until(lambda: len(found(source.admin, index, "WHERE", "city", "=", "city3")) == 20, "the index is built")
    move = begin(cluster, index)
    move.wait()
    assert len(found(move.target.admin, index, "WHERE", "city", "=", "city3")) == 20
    move.target.admin.call("HSET", f"{prefix}3", "city", "another")
    assert len(found(move.target.admin, index, "WHERE", "city", "=", "city3")) == 19
    let_pass(1.5)  # the timer of the indexes runs every second
    assert source.is_alive()
    assert source.counter("indexes") == 0


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_failover_in_the_middle_loses_and_doubles_nothing(cluster, side):
    key = "failover"
    source = cluster.master_of(slot_of(key))
    family = FAMILIES_BY_NAME["log"]
    fill(cluster, family, key)
    digest = source.digest(key)
    with held(cluster, key) as move:
        master = getattr(move, side)
        [replica] = replicas_of(cluster, master)
        wait_until(lambda: has(replica, key), "the replica has the key")
        wait_until(lambda: replica.info("replication")["master_link_status"] == "up", "it follows")
        master.kill()
        wait_until(lambda: replica.info("replication")["role"] == "master", "the replica has taken over")
    master.come_back()
    wait_until(cluster.is_whole, "the cluster is whole")
    now = cluster.master_of(slot_of(key))
    assert now.digest(key) == digest
    for node in cluster.masters:
        if node is not now:
            wait_until(lambda: not has(node, key, *keys_beside(key)), "no other master has the keys")
            assert is_forgotten(node)


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_what_has_moved_survives_a_restart_of_the_new_node(cluster, family):
    key = f"restart {family.name}"
    source = fill(cluster, family, key)
    with held(cluster, key) as move, source.connect() as c:
        family.append(c, key)
        digest = source.digest(key)
    move.wait()
    move.target.shutdown(save=False)
    move.target.come_back()
    wait_until(cluster.is_whole, "the cluster is whole again")
    assert cluster.master_of(slot_of(key)).digest(key) == digest


def test_a_feed_says_that_its_keys_have_moved_and_goes_on_at_the_new_node(cluster):
    key, unborn = "feed", "{feed}:unborn"
    source = cluster.master_of(slot_of(key))
    source.admin.call("TWRITE", key, "tag", "first")
    source.admin.call("FEED.ADD", "f", key, "-")
    source.admin.call("FEED.ADD", "f", unborn, "-")
    [[_, position, *_]] = source.admin.call("FEED.READ", "f")
    with held(cluster, key) as move:
        with pytest.raises(RespError, match="^MOVED "):
            move.target.admin.call("FEED.ADD", "f", key, position)
        source.admin.call("TWRITE", key, "tag", "second")
    move.wait()
    told = []
    wait_until(lambda: told.extend(source.admin.call("FEED.READ", "f")) or len(told) == 2, "both are told")
    assert sorted(told) == [[key.encode(), b"moved"], [unborn.encode(), b"moved"]]
    move.target.admin.call("FEED.ADD", "f", key, position)
    [[_, _, messages, *_]] = move.target.admin.call("FEED.READ", "f")
    assert [message[2] for message in messages] == [b"second"]


def test_the_list_of_keys_has_a_key_where_it_is_served(cluster):
    key = "listed"
    source = cluster.master_of(slot_of(key))
    target = other_master(cluster, source)

    def lists(node):
        answer = node.admin.call("MILLRACE.KEYS")
        return key.encode() in [name for name, _ in dict(zip(answer[::2], answer[1::2]))[b"keys"]]

    assert not lists(source) and not lists(target), "both keep a list from now on"
    source.admin.call("TWRITE", key, "tag", "entry")
    assert lists(source)
    with held(cluster, key) as move:
        assert lists(source) and not lists(move.target)
    move.wait()
    wait_until(lambda: lists(target), "the new node lists it")
    assert not lists(source)
