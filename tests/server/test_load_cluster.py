"""millrace load into a real cluster, through one of its nodes."""

import pytest

from cluster import Cluster
from resp import encoded
from server import wait_until
from tool import counts, load, loading

COUNT = 30_000


@pytest.fixture(scope="module")
def three_nodes():
    with Cluster() as cluster:
        yield cluster


@pytest.fixture
def cluster(three_nodes):
    for node in three_nodes.nodes:
        node.admin.call("FLUSHALL")
    return three_nodes


def test_each_command_goes_to_the_node_that_serves_its_key(cluster):
    rows = b"id,v\n" + b"".join(b"%d,x\n" % i for i in range(COUNT))
    for node in cluster.nodes:
        done = load(node, "--format", "csv", "--as", "SET user:{id} {v}", "-", input=rows)
        assert counts(done) == (COUNT, COUNT, 0)
        assert sum(cluster.keys()) == COUNT and min(cluster.keys()) > COUNT // 4
        for one in cluster.nodes:
            one.admin.call("FLUSHALL")


def test_resp_made_for_one_server_loads_into_a_cluster(cluster):
    made = b"".join(encoded(["SET", f"k{i}", "v"]) for i in range(1000))
    made += encoded(["TWRITE", "log", "tag", "entry"]) * 10 + encoded(["XGROUP", "CREATE", "s", "g", "$", "MKSTREAM"])
    made += encoded(["EVAL", "return redis.call('INCR', KEYS[1])", "1", "counted"]) * 5
    made += encoded(["TREAD", "log", "1", "0", "GROUP", "g"]) + encoded(["TGROUP", "SET", "log", "g", "MAXATTEMPTS", "3"])
    assert counts(load(cluster.nodes[0], "-", input=made)) == (1018, 1018, 0)
    assert sum(cluster.keys()) == 1000 + 3


def test_the_commands_of_a_key_stay_in_order(cluster):
    lines = b"".join(b"RPUSH l%d %d\n" % (i % 11, i) for i in range(COUNT))
    load(cluster.nodes[1], "--connections", "3", "-", input=lines)
    for k in range(11):
        values = next(list_ for node in cluster.nodes if (list_ := list_on(node, f"l{k}")))
        assert values == [b"%d" % i for i in range(COUNT) if i % 11 == k]


def list_on(node, key):
    answer = node.connect()
    answer.send("LRANGE", key, 0, -1)
    values = answer.read()
    answer.close()
    return values if isinstance(values, list) else None


def test_transactions_are_refused_in_a_cluster(cluster):
    done = load(cluster.nodes[0], "-", input=b"MULTI\nSET a 1\nEXEC\n", status=1)
    assert done.stderr.count(b"needs one connection and no cluster") == 1
    assert done.stderr.count(b"not sent: the MULTI at -:1 was refused") == 2
    assert all(node.admin.call("DBSIZE") == 0 for node in cluster.nodes if node is cluster.master_of(15495))


def test_a_slot_that_moves_while_it_is_loaded_loses_nothing_and_keeps_the_order(cluster, tmp_path):
    lines = [b"RPUSH {moved}%d %d\n" % (i % 5, i) for i in range(COUNT * 3)]
    slot = cluster.nodes[0].admin.call("CLUSTER", "KEYSLOT", "{moved}")
    source = cluster.master_of(slot)
    target = next(node for node in cluster.nodes if node is not source)
    with loading(tmp_path, target, "--pipeline", "200") as running:

        def load_more():
            running.write_input(b"".join(lines[COUNT:COUNT * 2]))
            wait_until(lambda: "errorstat_ASK" in source.info("errorstats"), "it is redirected")

        running.write_input(b"".join(lines[:COUNT]))
        wait_until(lambda: (source.admin.call("LLEN", "{moved}0") or 0) > 500, "it is under way")
        source.admin.call("CONFIG", "RESETSTAT")
        move_slot(cluster, slot, source, target, load_more)
        running.end_input(b"".join(lines[COUNT * 2:]))
        running.ends_with(0)
    for k in range(5):
        assert list_on(target, f"{{moved}}{k}") == [b"%d" % i for i in range(COUNT * 3) if i % 5 == k]


def move_slot(cluster, slot, source, target, before_the_end):
    """Does what redis-cli --cluster reshard does: clients that ask meanwhile get ASK, then MOVED. Calls before_the_end()
    when the keys have moved and the slot has not."""
    source_id, target_id = (node.admin.call("CLUSTER", "MYID") for node in (source, target))
    target.admin.call("CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
    source.admin.call("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
    while keys := source.admin.call("CLUSTER", "GETKEYSINSLOT", slot, 1):
        source.admin.call("MIGRATE", "127.0.0.1", target.port, keys[0], 0, 5000)
    before_the_end()
    for node in (target, source, *cluster.nodes):
        node.admin.call("CLUSTER", "SETSLOT", slot, "NODE", target_id)


@pytest.mark.long
def test_a_replica_that_takes_over_gets_the_rest(tmp_path):
    with Cluster(replicas=1) as cluster:
        lines = [b"SADD s%d %d\n" % (i % 100, i) for i in range(COUNT * 5)]
        with loading(tmp_path, cluster.masters[1], "--pipeline", "20") as running:
            running.write_input(b"".join(lines[:COUNT]))
            wait_until(lambda: sum(cluster.keys()) == 100, "it is under way")
            dying = cluster.masters[0]
            # The pause lets the replica catch up: otherwise the kill would lose what was answered and not copied yet.
            dying.admin.call("CLIENT", "PAUSE", 20_000, "WRITE")
            replica = next(node for node in cluster.nodes if node.info("replication").get("master_port") == str(dying.port))
            dying.wait_for_replica(replica)
            dying.kill()
            # The load cannot know that the replica has everything.
            running.wait_for_errors(f"other nodes have taken over from 127.0.0.1:{dying.port}, and may lack")
            running.end_input(b"".join(lines[COUNT:]))
            running.ends_with(5)
        members = sum(len(list_) for node in cluster.masters for list_ in sets_on(node))
        assert members == COUNT * 5


def sets_on(node):
    return [node.admin.call("SMEMBERS", key) for key in node.admin.call("KEYS", "s*")]
