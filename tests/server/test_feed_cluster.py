"""Feeds in a cluster: each node has its own, and FEED.ADD is sent to the node that has the key."""

import pytest

from cluster import Cluster
from feeds import add, by_key, name, own_feeds, read, tags, wait_for_read, write  # noqa: F401: a fixture
from server import wait_until

SLOTS = 16384


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as started:
        yield started


@pytest.fixture
def node(cluster):
    for one in cluster.nodes:
        one.admin.call("FLUSHALL")
    return cluster.nodes[0]


def key_on(cluster, node, prefix="key"):
    """A key that the node serves."""
    for number in range(1000):
        key = f"{prefix}:{number}"
        if cluster.master_of(node.admin.call("CLUSTER", "KEYSLOT", key)) is node:
            return key
    raise AssertionError("no key for this node")


def test_adding_is_sent_to_the_node_of_the_key_and_reading_is_not(cluster, node):
    here = key_on(cluster, node)
    elsewhere = key_on(cluster, cluster.nodes[1])
    assert add(node.admin, here, feed="routed") == [1]
    assert node.admin.error_of("FEED.ADD", name("routed"), elsewhere, "$").startswith("MOVED")
    assert add(cluster.nodes[1].admin, elsewhere, feed="routed") == [1]
    for one, key in ((node, here), (cluster.nodes[1], elsewhere)):
        write(one.admin, key, "a")
        assert tags(one.admin, feed="routed") == {key: ["a"]}
    assert node.admin.call("FEED.DEL", name("routed"), here, elsewhere) == 1
    assert node.admin.call("COMMAND", "GETKEYS", "FEED.ADD", name("routed"), here, "$") == [here.encode()]
    assert "no key arguments" in node.admin.error_of("COMMAND", "GETKEYS", "FEED.READ", name("routed"))


def test_a_key_that_leaves_with_its_slot_is_moved(cluster, node):
    target = cluster.nodes[1]
    key, unborn = key_on(cluster, node, "moved"), key_on(cluster, node, "unborn")
    write(node.admin, key, "a")
    add(node.admin, key, unborn, feed="moves", at="-")
    assert tags(node.admin, feed="moves") == {key: ["a"]}
    for one in (key, unborn):
        cluster.move_slot(node.admin.call("CLUSTER", "KEYSLOT", one), target)
    found = {}
    wait_until(lambda: (found.update(read(node.admin, feed="moves")), len(found) == 2)[1], "both are told")
    assert found == {key: "moved", unborn: "moved"}
    assert read(node.admin, feed="moves") == {}
    [[_, position, *_]] = _read_there(target, key)
    write(target.admin, key, "b")
    assert tags(target.admin, feed="there") == {key: ["b"]}
    assert position.endswith(b".1")


def _read_there(node, key):
    add(node.admin, key, feed="there", at="0")
    return node.admin.call("FEED.READ", name("there"))


def test_a_waiting_reader_gets_the_redirection_of_a_slot_that_moves(cluster, node):
    key = key_on(cluster, node, "waited")
    write(node.admin, key, "a")
    add(node.admin, key, feed="waits")
    with node.connect() as reader:
        wait_for_read(node, reader, feed="waits")
        cluster.move_slot(node.admin.call("CLUSTER", "KEYSLOT", key), cluster.nodes[2])
        assert by_key(reader.read()) == {key: "moved"}


def test_a_key_that_is_deleted_in_a_cluster_is_gone(cluster, node):
    key = key_on(cluster, node, "deleted")
    write(node.admin, key, "a")
    add(node.admin, key, feed="deletes")
    node.admin.call("DEL", key)
    assert read(node.admin, feed="deletes") == {key: "gone"}
