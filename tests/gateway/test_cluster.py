"""A cluster behind the gateway."""

import contextlib

import pytest

from cluster import Cluster
from events import Events
from gateway import Gateway
from server import wait_until

pytestmark = pytest.mark.long
LOGS = [f"log{number}" for number in range(12)]


@pytest.fixture(scope="module")
def cluster():
    with Cluster(replicas=1) as cluster:
        yield cluster


def write(gateway, log, entry):
    """As a client does: again while the gateway says that it cannot."""
    wait_until(lambda: gateway.request("POST", f"/v1/logs/{log}", str(entry)).status == 201, f"{log} is written to")


def test_requests_and_streams_reach_every_node(cluster):
    with Gateway(f"127.0.0.1:{cluster.masters[0].port}") as gateway, contextlib.ExitStack() as stack:
        streams = {log: stack.enter_context(Events(gateway, f"/v1/logs/{log}?from=-")) for log in LOGS}
        for number in range(3):
            for log in LOGS:
                write(gateway, log, number)
        for log, stream in streams.items():
            assert [one["entry"] for one in stream.take(3)] == [0, 1, 2]


def test_streams_go_on_without_a_gap_when_a_slot_moves_and_a_master_hands_over(cluster):
    with Gateway(f"127.0.0.1:{cluster.masters[0].port}") as gateway, contextlib.ExitStack() as stack:
        logs = [f"moving{number}" for number in range(9)]
        streams = {log: stack.enter_context(Events(gateway, f"/v1/logs/{log}")) for log in logs}
        for stream in streams.values():
            stream.wait_for_position()
        for log in logs:
            write(gateway, log, 1)
        slot = cluster.masters[0].admin.call("CLUSTER", "KEYSLOT", logs[0])
        source = cluster.master_of(slot)
        cluster.move_slot(slot, next(node for node in cluster.masters if node.port != source.port))
        for log in logs:
            write(gateway, log, 2)
        replica = next(node for node in cluster.nodes if node.info("replication")["role"] == "slave")
        cluster.hand_over_to(replica)
        for log in logs:
            write(gateway, log, 3)
        for stream in streams.values():
            assert [one["entry"] for one in stream.take(3)] == [1, 2, 3]
