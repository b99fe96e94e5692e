"""A cluster whose nodes have several databases (Valkey 9): every family works in each of them, and moves with its slot."""

import pytest

from cluster import Cluster
from families import FAMILIES, on
from host import version_of
from resp import RespError
from server import Server, wait_until

DATABASES = 3
WAYS = [way for family in FAMILIES for way in family.waiting]


@pytest.fixture(scope="module")
def cluster():
    with Server() as server:
        name, version = version_of(server)
    if name != "valkey" or version < (9, 0):
        pytest.skip("a cluster of this host has one database")
    with Cluster(cluster_databases=DATABASES) as made:
        yield made


def connect(node, database):
    connection = node.connect()
    connection.call("SELECT", database)
    return connection


def two_nodes(cluster, connection, key):
    """The slot of the key, its master and another one."""
    slot = connection.call("CLUSTER", "KEYSLOT", key)
    source = cluster.master_of(slot)
    return slot, source, next(node for node in cluster.masters if node is not source)


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_an_object_of_another_database_moves_with_its_slot(cluster, family):
    key = f"moves {family}"  # without braces: some families put the key into the hash tag of other keys
    slot, source, target = two_nodes(cluster, cluster.nodes[0].admin, key)
    with connect(source, 0) as first, connect(source, 2) as third:
        family.fill(first, key, 1)
        family.fill(third, key, 2)
        family.append(third, key)
        before = [family.read(connection, key) for connection in (first, third)]
        digests = [connection.call("DEBUG", "DIGEST-VALUE", key) for connection in (first, third)]
        with connect(source, 1) as second:
            assert second.call("EXISTS", key) == 0
    cluster.move_slot(slot, target, databases=DATABASES)
    with connect(target, 0) as first, connect(target, 2) as third:
        if family.follows_keys:
            # Its documents move one by one, before it or after it: which of them changed last is another one there.
            wait_until(lambda: [family.read(connection, key) for connection in (first, third)] == before, "it is whole again")
        else:
            assert [connection.call("DEBUG", "DIGEST-VALUE", key) for connection in (first, third)] == digests
            assert [family.read(connection, key) for connection in (first, third)] == before
        for command in family.read_commands:
            third.call(*on(key, command))
        family.append(third, key)
        assert [third.call("DEBUG", "DIGEST-VALUE", key), first.call("DEBUG", "DIGEST-VALUE", key)] != digests[::-1]
        with connect(target, 1) as second:
            assert second.call("EXISTS", key) == 0


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_client_that_waits_in_another_database_is_redirected_and_served_by_the_new_node(cluster, way):
    key = f"{{waits for {way}}}"
    slot, source, target = two_nodes(cluster, cluster.nodes[0].admin, key)
    with connect(source, 1) as reader, connect(source, 0) as elsewhere, connect(source, 1) as writer:
        way.prepare(elsewhere, key)
        way.prepare(writer, key)
        reader.send(*on(key, way.command))
        wait_until(lambda: source.counter(way.blocked_counter) == 1, "it waits")
        way.wake(elsewhere, key)
        assert writer.call("PING") == b"PONG" and not reader.has_answer(), "what happens in database 0 does not wake it"
        cluster.move_slot(slot, target, databases=DATABASES)
        answer = reader.read()
        if way.answer_without_key is not None:
            assert answer == way.answer_without_key(key)
            with pytest.raises(RespError, match="^MOVED "):
                reader.call(*on(key, way.command))
        else:
            assert str(answer) == f"MOVED {slot} 127.0.0.1:{target.port}"
        wait_until(lambda: source.counter(way.blocked_counter) == 0, "no client is left there")
    with connect(target, 1) as reader, connect(target, 1) as writer:
        reader.send(*on(key, way.command))
        wait_until(lambda: target.counter(way.blocked_counter) == 1, "it waits there")
        way.wake(writer, key)
        assert reader.read() == way.answer


def test_what_is_due_in_another_database_is_done_before_and_after_the_move(cluster):
    for moves in (False, True):
        key = f"{{due {moves}}}"
        slot, source, target = two_nodes(cluster, cluster.nodes[0].admin, key)
        lock, log, dead = f"{key}lock", f"{key}log", f"{key}dead"
        with connect(source, 1) as node:
            node.call("LOCK.ACQUIRE", lock, "ann", "600" if moves else "20")
            node.call("TWRITE", log, "tag", "poison")
            node.call("TGROUP", "CREATE", log, "g", "1", "MAXATTEMPTS", "1", "DEADLETTER", dead)
            taken = node.call("TREAD", log, "1", "1", "GROUP", "g", "RETRY", "600" if moves else "20", "0")
            assert len(taken) == 1
            at = int(node.call("TIME")[0]) * 1000 + (600 if moves else 20)
            node.call("TWRITE", log, "AT", at, "ENTRIES", "tag", "scheduled")
        if moves:
            cluster.move_slot(slot, target, databases=DATABASES)
        with connect(target if moves else source, 1) as node:
            wait_until(lambda: node.call("EXISTS", lock) == 0, "the lock has ended")
            wait_until(lambda: node.call("TREAD", dead, "1", "10"), "the dead letter is written")
            wait_until(lambda: len(node.call("TREAD", log, "1", "10")) == 2, "the scheduled message is there")
            node.call("SELECT", 0)
            assert node.call("EXISTS", lock, log, dead) == 0


def test_a_feed_follows_logs_of_its_own_database(cluster):
    key = "{feeds}log"
    _, source, _ = two_nodes(cluster, cluster.nodes[0].admin, key)
    with connect(source, 1) as node, connect(source, 1) as reader, connect(source, 0) as elsewhere:
        node.call("TWRITE", key, "tag", "before")
        node.call("FEED.ADD", "of database 1", key, "$")
        reader.send("FEED.READ", "of database 1", "BLOCK", "0")
        source.wait_for_blocked(1)
        elsewhere.call("TWRITE", key, "tag", "in database 0")
        node.call("TWRITE", key, "tag", "in database 1")
        assert [message[2] for message in reader.read()[0][2]] == [b"in database 1"]
        assert elsewhere.error_of("FEED.READ", "of database 1").startswith("NOFEED")


def test_an_index_of_another_database_finds_its_documents_before_and_after_the_move(cluster):
    tag = "{indexed}"
    slot, source, target = two_nodes(cluster, cluster.nodes[0].admin, tag)
    index = f"{tag}index"
    with connect(source, 1) as node, connect(source, 0) as elsewhere:
        node.call("IDX.CREATE", index, "PREFIX", f"{tag}d", "FIELD", "n", "INTEGER")
        for n in range(20):
            node.call("HSET", f"{tag}d{n}", "n", n)
            elsewhere.call("HSET", f"{tag}d{n}", "n", 7)
        assert node.call("IDX.FIND", index, "WHERE", "n", "=", "7")[1] == [f"{tag}d7".encode()]
    cluster.move_slot(slot, target, databases=DATABASES)
    with connect(target, 1) as node:
        wait_until(lambda: node.call("IDX.COUNT", index) == 20, "the index has every document")
        assert node.call("IDX.FIND", index, "WHERE", "n", "=", "7")[1] == [f"{tag}d7".encode()]
        node.call("HSET", f"{tag}d7", "n", "99")
        assert node.call("IDX.FIND", index, "WHERE", "n", "=", "7")[1] == []
