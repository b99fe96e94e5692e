"""What docs/clients.md says about the cluster clients of ioredis and node-redis."""

import concurrent.futures

import pytest

from cluster import Cluster
from javascript import require_client
from locks import release, take
from node_clients import ioredis, node_redis, run
from server import wait_until

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as cluster:
        yield cluster


def redirections(cluster):
    counts = [node.info("errorstats").get("errorstat_MOVED", "count=0") for node in cluster.nodes]
    return sum(int(count.split("=")[1]) for count in counts)


USE_KEYS = """
for (let i = 0; i < 30; ++i) {
  await send(`log:${i}`, "TWRITE", `log:${i}`, "tag", "entry");
  await send(`log:${i}`, "TREAD", `log:${i}`, "1", "1", "GROUP", "g");
  await send(`log:${i}`, "TGROUP", "LIST", `log:${i}`);
  await send(`table:${i}`, "ROUTE.DEVICE", "SET", `table:${i}`, "phone|push");
}
print("done");
"""


@ioredis
def test_the_cluster_client_of_ioredis_asks_any_node_and_follows_the_redirection(cluster, library):
    before = redirections(cluster)
    assert run(library, """
const cluster = new Redis.Cluster([{ host: "127.0.0.1", port: PORT }]);
const send = (key, ...words) => cluster.call(...words);
""" + USE_KEYS, PORT=cluster.nodes[0].port) == "done"
    assert redirections(cluster) > before + 20, "of 120 commands two thirds, unless chance is very kind"


@ioredis
def test_the_cluster_client_of_ioredis_asks_the_right_node_if_it_knows_the_key(cluster, library):
    before = redirections(cluster)
    assert run(library, """
const cluster = new Redis.Cluster([{ host: "127.0.0.1", port: PORT }]);
const send = (key, name, ...words) => {
  const command = new Command(name, words, { replyEncoding: "utf8" });
  command.keys = [key];
  return cluster.sendCommand(command);
};
""" + USE_KEYS, PORT=cluster.nodes[0].port) == "done"
    assert redirections(cluster) == before


@node_redis
def test_the_cluster_client_of_node_redis_gets_the_key_and_asks_the_right_node(cluster, library):
    before = redirections(cluster)
    assert run(library, """
const cluster = createCluster({ rootNodes: [{ url: "redis://127.0.0.1:PORT" }] });
await cluster.on("error", () => {}).connect();
const send = (key, ...words) => cluster.sendCommand(key, false, words);
""" + USE_KEYS, PORT=cluster.nodes[0].port) == "done"
    assert redirections(cluster) == before


WAIT_IN_CLUSTER = """
const cluster = new Redis.Cluster([{ host: "127.0.0.1", port: PORT }], SETTINGS);
print(await cluster.call("LOCK.ACQUIRE", "KEY", "ann", 60000, "WAIT", 60000).catch(failed));
"""


@ioredis
def test_the_cluster_client_of_ioredis_resends_unless_the_delay_on_failover_is_0(cluster, library):
    require_client(library)
    key = f"lock:{library}"
    node = cluster.master_of(cluster.nodes[0].admin.call("CLUSTER", "KEYSLOT", key))
    for settings, expected in (("{}", 1), ("{ retryDelayOnFailover: 0 }", "Error: Connection is closed.")):
        take(node.admin, "holder", key=key)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            answer = pool.submit(run, library, WAIT_IN_CLUSTER, PORT=node.port, SETTINGS=settings, KEY=key)
            [number] = wait_until(node.waiting_clients, "ann waits")
            node.admin.call("CLIENT", "KILL", "ID", number)
            wait_until(lambda: answer.done() or node.waiting_clients() not in ([], [number]), "it ends, or ann asks again")
            release(node.admin, "holder", key=key)
            told = answer.result()
        assert (told[0] if isinstance(told, list) else told) == expected
        if expected == 1:
            release(node.admin, "ann", key=key)
