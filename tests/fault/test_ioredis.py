"""ioredis, as people use it, on a cluster whose slots move and whose masters hand over to replicas.

It needs node and npm; the library is installed as tests/server/javascript.py says.
"""

import json
import os
import pathlib
import subprocess

import pytest

from client import is_transient
from cluster import Cluster
from cluster_connection import ClusterConnection, slot_of
from javascript import node_modules
from resp import RespError
from server import wait_until

SCRIPT = pathlib.Path(__file__).resolve().parent / "ioredis_client.js"
# The errors of the host while slots and masters change, and those of the library when that takes long.
UNDERSTOOD = (
    "UNBLOCKED", "MOVED", "CLUSTERDOWN", "READONLY",
    "Too many Cluster redirections", "Connection is closed", "Failed to refresh slots cache")


@pytest.fixture(scope="module")
def ioredis():
    """The environment in which node finds ioredis."""
    return {**os.environ, "NODE_PATH": str(node_modules())}


def test_what_ioredis_was_acknowledged_is_there_after_slots_moved_and_masters_handed_over(ioredis):
    # Replicas take over only by command. An acknowledged write is on the master, and a replica that takes over by
    # itself, because the machine was slow for a while, may not have it.
    with Cluster(replicas=1, cluster_replica_no_failover="yes") as cluster:
        ports = [node.port for node in cluster.nodes]
        wait_until(cluster.is_whole, "every master has its replica")
        with ClusterConnection(ports) as c:
            c.call("CHAN.SUBSCRIBE", "channel:js", "s")
            words = ["node", str(SCRIPT), *map(str, ports)]
            with subprocess.Popen(words, env=ioredis, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
                try:
                    for key in ("log:js:0", "channel:js", "log:js:0"):
                        wait_until_more(c)
                        source = cluster.master_of(slot_of(key))
                        cluster.move_slot(slot_of(key), next(node for node in cluster.masters if node is not source))
                    wait_until_more(c)
                    hand_over(cluster, slot_of("log:js:0"))
                    wait_until_more(c)
                    told = json.loads(client.communicate(timeout=60)[0])
                finally:
                    client.kill()
        wait_until(cluster.is_whole, "the cluster is whole at the end")
        with ClusterConnection(ports) as c:
            check(c, told)


def last_of(c, key):
    """The last offset of a log; 0 if there is none, or while the cluster cannot answer."""
    try:
        return dict(zip(*[iter(c.call("TINFO", key))] * 2)).get(b"last", 0) if c.call("EXISTS", key) else 0
    except RespError as error:
        if not is_transient(error):
            raise
        return 0


def wait_until_more(c, key="log:js:0"):
    before = last_of(c, key)
    wait_until(lambda: last_of(c, key) > before + 5, "the client goes on")


def hand_over(cluster, slot):
    master = cluster.master_of(slot)
    replica = next(node for node in cluster.nodes if node.info("replication").get("master_port") == str(master.port))
    cluster.hand_over_to(replica)
    wait_until(cluster.is_whole, "the cluster is whole again")


def check(c, told):
    assert len(told["written"]) == 6 and told["published"], told["refused"]
    for key, written in told["written"].items():
        there = [int(entry) for _, _, entry in c.call("TREAD", key, 1, 10**6)]
        assert set(written) <= set(there), "what was acknowledged is there"
    messages, _, _ = c.call("CHAN.FETCH", "channel:js", "s", "MAX", 10**6)
    ids = [int(id) for id, _ in messages]
    assert set(told["published"]) <= set(ids)
    assert len(ids) == len(set(ids)), "an id counts once, however often it was sent"
    first_log = [int(entry) for _, _, entry in c.call("TREAD", "log:js:0", 1, 10**6)]
    assert told["heard"] == first_log[: len(told["heard"])], "who waits goes on where the slot is, and misses nothing"
    assert told["heard"]
    assert all(message.startswith(UNDERSTOOD) for message in told["refused"]), told["refused"]
