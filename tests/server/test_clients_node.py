"""What docs/clients.md says about ioredis and node-redis, with the versions of node_packages/package-lock.json."""

import concurrent.futures
import json

import pytest

from cluster import Cluster
from javascript import require_client, run_javascript
from locks import release, start_waiting, take, waiters
from lossy_proxy import LossyProxy
from server import wait_until

# What each library calls: `connect(port, settings)` gives a client, and `call(client, words)` its answer.
IOREDIS = """
import Redis, { Command } from "LIBRARY";
const connect = async (port, settings = {}) => new Redis(port, "127.0.0.1", settings).on("error", () => {});
const call = (client, ...words) => client.call(...words);
"""
NODE_REDIS = """
import { createClient, createCluster } from "LIBRARY";
const connect = (port, settings = {}) =>
  createClient({ ...settings, socket: { ...settings.socket, host: "127.0.0.1", port } }).on("error", () => {}).connect();
const call = (client, ...words) => client.sendCommand(words);
"""
ENDING = """
const print = (value) => process.stdout.write(JSON.stringify(value) + "\\n", () => process.exit(0));
const failed = (error) => `${error.constructor.name}: ${error.message}`;
"""
ioredis = pytest.mark.parametrize("library", ["ioredis", "ioredis-6"])
node_redis = pytest.mark.parametrize("library", ["redis", "redis-6"])
both = pytest.mark.parametrize("library", ["ioredis", "ioredis-6", "redis", "redis-6"])


def run(library, script, **words):
    """What the script prints, which is JSON."""
    require_client(library)
    text = (IOREDIS if library.startswith("ioredis") else NODE_REDIS) + ENDING + script
    return json.loads(run_javascript(text, LIBRARY=library, **words))


@pytest.fixture
def proxy(server):
    with LossyProxy(server) as proxy:
        yield proxy


# --- an answer that is lost ---

WRITE = """
const client = await connect(PORT, SETTINGS);
await call(client, "PING");
print(await call(client, "TWRITE", "log", "tag", "entry").catch(failed));
"""


@ioredis
def test_ioredis_sends_a_command_again_whose_answer_is_lost(c, proxy, library):
    proxy.lose_answer_of("TWRITE")
    assert run(library, WRITE, PORT=proxy.port, SETTINGS="{}") == 2
    assert len(c.call("TREAD", "log", 1, 10)) == 2


@ioredis
def test_ioredis_without_retries_reports_a_lost_answer_and_sends_nothing_again(c, proxy, library):
    proxy.lose_answer_of("TWRITE")
    told = run(library, WRITE, PORT=proxy.port, SETTINGS="{ maxRetriesPerRequest: 0 }")
    assert told.startswith("MaxRetriesPerRequestError")
    assert len(c.call("TREAD", "log", 1, 10)) == 1


@ioredis
def test_ioredis_that_is_told_not_to_resend_never_settles_the_promise(c, proxy, library):
    """A trap: autoResendUnfulfilledCommands says what is wanted, and leaves the caller waiting."""
    proxy.lose_answer_of("TWRITE")
    assert run(library, """
const client = await connect(PORT, { autoResendUnfulfilledCommands: false });
await call(client, "PING");
let settled = "never";
call(client, "TWRITE", "log", "tag", "entry").then(() => (settled = "answered"), () => (settled = "failed"));
await new Promise((ready) => client.once("ready", ready));  // it has connected again
await call(client, "PING");
print(settled);
""", PORT=proxy.port) == "never"
    assert len(c.call("TREAD", "log", 1, 10)) == 1


@node_redis
def test_node_redis_reports_a_lost_answer_and_sends_nothing_again(c, proxy, library):
    proxy.lose_answer_of("TWRITE")
    assert run(library, WRITE, PORT=proxy.port, SETTINGS="{}").startswith("SocketClosedUnexpectedlyError")
    assert len(c.call("TREAD", "log", 1, 10)) == 1


@ioredis
def test_an_acquisition_that_ioredis_resends_holds_the_lock_twice(c, proxy, library):
    proxy.lose_answer_of("LOCK.ACQUIRE")
    granted, _, _, holds = run(library, """
const client = await connect(PORT);
await call(client, "PING");
print(await call(client, "LOCK.ACQUIRE", "lock", "ann", 60000));
""", PORT=proxy.port)
    assert (granted, holds) == (1, 2)


@ioredis
def test_a_wait_for_a_lock_that_ioredis_resends_goes_to_the_end_of_the_line(server, c, connect, proxy, library):
    require_client(library)
    take(c, "holder")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        script = 'print(await call(await connect(PORT), "LOCK.ACQUIRE", "lock", "ann", 60000, "WAIT", 60000));'
        answer = pool.submit(run, library, script, PORT=proxy.port)
        wait_until(lambda: waiters(c) == ["ann"], "ann waits")
        start_waiting(server, connect(), "bob")
        proxy.cut()
        wait_until(lambda: waiters(c) == ["bob", "ann"], "ann has asked again, behind bob")
        release(c, "holder")
        release(c, "bob")
        assert answer.result()[0] == 1


# --- one connection for all ---

FETCH_AND_PING = """
const [shared, other] = [await connect(PORT), await connect(PORT)];
await call(shared, "CHAN.SUBSCRIBE", "channel", "s");
const order = [];
const waiting = OWN ? await connect(PORT) : shared;
const fetched = call(waiting, "CHAN.FETCH", "channel", "s", "BLOCK", "0").then(() => order.push("fetched"));
while (!(await call(other, "INFO", "clients")).includes("blocked_clients:1\\r\\n"));
const pinged = call(shared, "PING").then(() => order.push("pinged"));
if (OWN) await pinged;
await call(other, "CHAN.PUBLISH", "channel", "id", "content");
await Promise.all([fetched, pinged]);
print(order);
"""


@both
def test_a_command_behind_a_blocking_one_on_the_same_connection_waits_for_it(server, library):
    assert run(library, FETCH_AND_PING, PORT=server.port, OWN="false") == ["fetched", "pinged"]


@both
def test_a_blocking_command_on_a_connection_of_its_own_holds_nothing(server, library):
    assert run(library, FETCH_AND_PING, PORT=server.port, OWN="true") == ["pinged", "fetched"]


# --- time-outs and protocol ---


@ioredis
def test_a_wait_that_outlasts_the_command_timeout_of_ioredis_fails(server, library):
    assert run(library, """
const client = await connect(PORT, { commandTimeout: 200 });
print(await call(client, "TREAD", "log", "$", 1, "BLOCK", 0).catch(failed));
""", PORT=server.port) == "Error: Command timed out"


@node_redis
def test_a_wait_that_outlasts_the_socket_timeout_of_node_redis_fails(server, library):
    assert run(library, """
const client = await connect(PORT, { socket: { socketTimeout: 200 } });
print(await call(client, "TREAD", "log", "$", "1", "BLOCK", "0").catch(failed));
""", PORT=server.port).startswith("SocketTimeoutError")


@both
def test_which_protocol_it_speaks_and_what_a_map_becomes(c, server, library):
    c.call("TWRITE", "log", "tag", "entry")
    protocol, info = run(library, """
const client = await connect(PORT);
const own = await call(client, "CLIENT", "INFO");
print([own.match(/resp=(\\d)/)[1], await call(client, "TINFO", "log")]);
""", PORT=server.port)
    assert protocol == ("3" if library.endswith("-6") else "2")
    if library == "redis-6":
        assert info["messages"] == 1
    else:  # ioredis 6 makes the list of RESP2 of a map, unless it is told otherwise
        assert info[:2] == ["first", 1]


@node_redis
def test_node_redis_takes_words_only_as_strings(server, library):
    told = run(library, """
print(await call(await connect(PORT), "TREAD", "log", 1, 10).catch(failed));
""", PORT=server.port)
    assert told.startswith("TypeError")


# --- clusters ---


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
def test_the_cluster_client_of_ioredis_asks_the_right_node_if_it_is_told_the_key(cluster, library):
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
def test_the_cluster_client_of_node_redis_is_told_the_key_and_asks_the_right_node(cluster, library):
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
