"""A client that waits while the slot moves to another node gets the host's redirection and waits on there. And no
background work creates a key on the old node after the key has moved, while the slot has not."""

import pytest

from cluster import Cluster
from cluster_connection import slot_of
from families import FAMILIES, on
from locks import HOUR, holders, release, start_waiting, take, token_of
from log_groups import pending
from resp import RespError
from server import let_pass, wait_until

WAYS = [way for family in FAMILIES for way in family.waiting]


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as made:
        yield made


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_client_that_waits_while_its_slot_moves_is_redirected_and_served_by_the_new_node(cluster, way):
    key = f"key of {way}"
    slot = slot_of(key)
    source = cluster.master_of(slot)
    target = next(node for node in cluster.masters if node is not source)
    way.prepare(source.admin, key)
    with source.connect() as reader:
        reader.send(*on(key, way.command))
        wait_until(lambda: source.counter(way.blocked_counter) == 1, "it waits")
        cluster.move_slot(slot, target)
        answer = reader.read()
        if way.answer_without_key is not None:
            # The client is first told that the key has moved.
            assert answer == way.answer_without_key(key)
            with pytest.raises(RespError, match="^MOVED "):
                reader.call(*on(key, way.command))
        else:
            assert str(answer) == f"MOVED {slot} 127.0.0.1:{target.port}"
        wait_until(lambda: source.counter(way.blocked_counter) == 0, "nobody is left behind")
    with target.connect() as reader:
        reader.send(*on(key, way.command))
        wait_until(lambda: target.counter(way.blocked_counter) == 1, "it waits there")
        way.wake(target.admin, key)
        assert reader.read() == way.answer


def test_a_lock_that_has_moved_ahead_of_its_slot_is_not_granted_where_it_was(cluster):
    """Otherwise it would have two holders: the holder there, and the client that waits here."""
    key, slot = "moves ahead", slot_of("moves ahead")
    source, target = two_nodes(cluster, slot)
    token = take(source.admin, "ann", key=key)
    with source.connect() as waiting:
        start_waiting(source, waiting, "bob", key=key)
        begin_to_move(slot, source, target)
        source.admin.call("MIGRATE", "127.0.0.1", target.port, key, 0, 5000)
        let_pass(0.3)  # longer than the time until the line is visited again
        assert not waiting.has_answer()
        assert source.admin.call("CLUSTER", "COUNTKEYSINSLOT", slot) == 0
        for node in (target, source):
            node.admin.call("CLUSTER", "SETSLOT", slot, "NODE", target.admin.call("CLUSTER", "MYID"))
        assert str(waiting.read()) == f"MOVED {slot} 127.0.0.1:{target.port}"
    assert holders(target.admin, key) == ["ann"]
    release(target.admin, "ann", key=key)
    assert take(target.admin, "bob", key=key) > token


def test_a_client_that_waits_for_a_lock_gets_it_if_the_slot_stays_after_all(cluster):
    key, slot = "stays", slot_of("stays")
    source, target = two_nodes(cluster, slot)
    take(source.admin, "ann", key=key)
    with source.connect() as waiting:
        start_waiting(source, waiting, "bob", key=key)
        begin_to_move(slot, source, target)
        source.admin.call("DEL", key)
        let_pass(0.3)
        assert not waiting.has_answer()
        for node in (source, target):
            node.admin.call("CLUSTER", "SETSLOT", slot, "STABLE")
        assert token_of(waiting) > 0
    assert holders(source.admin, key) == ["bob"]


def test_a_wait_for_a_lock_ends_in_time_although_its_slot_is_being_moved(cluster):
    key, slot = "waits", slot_of("waits")
    source, target = two_nodes(cluster, slot)
    take(source.admin, "ann", key=key)
    with source.connect() as waiting:
        start_waiting(source, waiting, "bob", key=key, wait=3000)
        begin_to_move(slot, source, target)
        source.admin.call("MIGRATE", "127.0.0.1", target.port, key, 0, 5000)
        assert waiting.read()[0] == 0
    for node in (target, source):
        node.admin.call("CLUSTER", "SETSLOT", slot, "NODE", target.admin.call("CLUSTER", "MYID"))


def test_dead_letters_that_have_moved_ahead_of_their_slot_are_not_written_where_they_were(cluster):
    log, letters = "{letters}", "{letters}:dead"
    slot = slot_of(log)
    source, target = two_nodes(cluster, slot)
    source.admin.call("TWRITE", letters, "tag", "there before")
    source.admin.call("TWRITE", log, "tag", "given up")
    source.admin.call("TGROUP", "CREATE", log, "g", "DEADLETTER", letters)
    begin_to_move(slot, source, target)
    source.admin.call("MIGRATE", "127.0.0.1", target.port, letters, 0, 5000)
    source.admin.call("TREAD", log, 1, 1, "GROUP", "g", "RETRY", HOUR, 30)
    wait_until(lambda: "dead letters cannot be written" in source.log(), "it is to be given up")
    assert source.admin.call("CLUSTER", "GETKEYSINSLOT", slot, 9) == [log.encode()]
    source.admin.call("MIGRATE", "127.0.0.1", target.port, log, 0, 5000)
    for node in (target, source):
        node.admin.call("CLUSTER", "SETSLOT", slot, "NODE", target.admin.call("CLUSTER", "MYID"))
    assert [entry for _, _, entry in target.admin.call("TREAD", letters, 1, 9)] == [b"there before"]
    [[offset, attempts, retry, expiry, _]] = pending(target.admin, group="g", key=log)
    assert (offset, attempts) == (1, 1), "it is not lost"
    assert 0 < retry <= 60_000 and 0 < expiry <= 60_000, "the new node tries again within a minute"


def two_nodes(cluster, slot):
    """The node that has the slot, and another one."""
    source = cluster.master_of(slot)
    return source, next(node for node in cluster.masters if node is not source)


def begin_to_move(slot, source, target):
    target.admin.call("CLUSTER", "SETSLOT", slot, "IMPORTING", source.admin.call("CLUSTER", "MYID"))
    source.admin.call("CLUSTER", "SETSLOT", slot, "MIGRATING", target.admin.call("CLUSTER", "MYID"))
