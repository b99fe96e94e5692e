"""What docs/clients.md says about redis-py, with the version that is installed: Debian 12's is 4.3.4."""

import pytest
from redis.cluster import RedisCluster

from cluster import Cluster


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    client = RedisCluster(host="127.0.0.1", port=cluster.nodes[0].port)
    yield client
    client.close()


KEYS = [f"key:{i}" for i in range(12)]  # on all three nodes


@pytest.mark.parametrize("name", ["two words", "one word"])
def test_the_cluster_client_finds_the_node_of_every_subcommand(cluster, client, name):
    def call(container, subcommand, *words):
        named = (container, subcommand) if name == "two words" else (f"{container} {subcommand}",)
        return client.execute_command(*named, *words)

    for key in KEYS:
        log, table = f"log:{key}", f"table:{key}"
        client.execute_command("TWRITE", log, "tag", "entry")
        client.execute_command("TREAD", log, 1, 1, "GROUP", "g", "RETRY", 30000, 0)
        assert call("TGROUP", "SET", log, "g", "MAXATTEMPTS", 3) == b"OK"
        assert call("TGROUP", "PENDING", log, "g")[0][0] == 1
        assert len(call("TGROUP", "LIST", log)) == 1
        assert call("TGROUP", "SEEK", log, "g", "FIRST") == b"OK"
        assert call("TGROUP", "DROP", log, "g") == 1
        assert call("ROUTE.DEVICE", "SET", table, "phone|push") == 1
        assert call("ROUTE.DEVICE", "LIST", table)[1] == [b"phone|push"]
        assert call("ROUTE.DEVICE", "GET", table, "phone|push")
        assert call("ROUTE.DEVICE", "TOUCH", table, "phone|push") == 1
        assert call("ROUTE.DEVICE", "DEL", table, "phone|push") == 0  # it had no subscriptions
    assert all(count > 0 for count in cluster.keys()), "the keys are on all nodes"


def test_help_has_no_key_and_is_sent_to_a_node_that_the_caller_names(client):
    for container in ("TGROUP", "ROUTE.DEVICE", "XGROUP"):
        assert client.execute_command(container, "HELP", target_nodes=client.get_random_node())
