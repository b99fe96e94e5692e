"""A cluster behind the gateway."""

import contextlib
import socket

import pytest

from cluster import Cluster
from events import Events
from gateway import Gateway
from server import let_pass, wait_until

pytestmark = pytest.mark.long
LOGS = [f"log{number}" for number in range(12)]


@pytest.fixture(scope="module")
def cluster():
    with Cluster(replicas=1) as cluster:
        yield cluster


def write(gateway, log, entry):
    """Writes as a client does: again while the gateway answers that it cannot."""
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


def clients_of(node):
    listed = node.admin.call("CLIENT", "LIST", "TYPE", "normal").decode()
    return {line.split()[0] for line in listed.splitlines()}


def test_a_node_that_serves_no_slot_is_left_alone(cluster):
    """The node may be a replica, or may have left the cluster and still run: then its answers about keys are wrong."""
    replica = next(node for node in cluster.nodes if node not in cluster.masters)
    before = clients_of(replica)
    with Gateway(f"127.0.0.1:{replica.port}") as gateway:
        write(gateway, LOGS[0], 1)
        # Connections of the test before may end meanwhile, so `before` may have more.
        wait_until(lambda: clients_of(replica) <= before, "the gateway has closed its connections")
        assert gateway.get("/probe/readiness").status == 200


def test_figures_are_of_every_master(cluster):
    logs = [f"counted{number}" for number in range(12)]
    # Some keys match two patterns, but /metrics may have each figure only once.
    with Gateway(f"127.0.0.1:{cluster.masters[0].port}", config='[metrics]\nkeys = ["counted*", "*ed1*", "counted0"]\n') as gateway:
        for log in logs:
            write(gateway, log, 1)
        lines = gateway.get("/metrics").body.decode().splitlines()
    for log in logs:
        assert [line for line in lines if line.startswith(f'millrace_log_messages{{key="{log}"}}')] == \
            [f'millrace_log_messages{{key="{log}"}} 1']
    for master in cluster.masters:
        assert any(line.startswith(f'millrace_log_messages_written{{node="127.0.0.1:{master.port}"}} ') for line in lines)


def test_a_node_that_is_gone_is_forgotten_and_the_others_answer_for_it(cluster):
    gone, other = cluster.masters[:2]
    wait_until(cluster.is_whole, "every master has a replica")
    with Gateway(f"127.0.0.1:{other.port}") as gateway, Gateway(f"127.0.0.1:{gone.port}") as from_gone:
        for log in LOGS:  # on every node
            write(gateway, log, 1)
            write(from_gone, log, 1)
        gone.kill()
        try:
            wait_until(lambda: len(cluster.masters) == 3, "the replica has taken over")
            for log in LOGS:
                write(gateway, log, 2)
                write(from_gone, log, 2)
            wait_until(lambda: from_gone.get("/probe/readiness").status == 200, "another node answers")
            # The gateway does not ask that node any more, even if it was configured with it: it reaches the cluster
            # through other nodes.
            with socket.create_server(("127.0.0.1", gone.port)) as listening:
                listening.settimeout(0)
                with contextlib.suppress(BlockingIOError):
                    while True:  # connections attempted before the node was forgotten
                        let_pass(1)
                        listening.accept()[0].close()
                let_pass(3)  # longer than the longest pause between two attempts
                with pytest.raises(BlockingIOError):
                    listening.accept()
        finally:
            gone.come_back()
