"""What docs/clients.md says about redis-py, with the version that is installed: Debian 12's is 4.3.4."""

import asyncio
import threading

import pytest
import redis
import redis.asyncio
import redis.asyncio.retry
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.retry import Retry

from cluster import Cluster
from locks import release, start_waiting, take, waiters
from server import wait_until

VERSION = int(redis.__version__.split(".")[0])
# As docs/clients.md has them: socket time-out in seconds, and how often a command is sent again.
DEFAULTS = {4: (None, 0), 5: (None, 0), 6: (None, 3), 7: (None, 3), 8: (5, 10)}
ONCE = Retry(NoBackoff(), 0)


def connected(port, **settings):
    return redis.Redis(host="127.0.0.1", port=port, **settings)


def resending(port):
    """A client that sends a command up to three times more, as redis-py 6 and later do by default."""
    return connected(port, retry=Retry(NoBackoff(), 3), retry_on_error=[redis.ConnectionError, redis.TimeoutError])


# --- what it does by default ---


def test_the_default_timeout_and_number_of_resends():
    connection = redis.Redis().connection_pool.make_connection()
    assert (connection.socket_timeout, connection.retry._retries) == DEFAULTS[VERSION]


def test_what_it_does_by_default_when_an_answer_is_lost(c, proxy):
    client = connected(proxy.port)
    proxy.lose_answer_of("TWRITE")
    if DEFAULTS[VERSION][1] == 0:
        with pytest.raises(redis.ConnectionError):
            client.execute_command("TWRITE", "log", "tag", "entry")
        assert len(c.call("TREAD", "log", 1, 10)) == 1, "it was carried out, and not sent again"
    else:
        assert client.execute_command("TWRITE", "log", "tag", "entry") == 2, "it was sent again"


def test_each_thread_has_a_connection_of_its_own_so_that_one_may_wait_and_another_write(server):
    client = connected(server.port)
    heard = []
    reader = threading.Thread(
        target=lambda: heard.append(client.execute_command("TREAD", "log", "$", 1, "BLOCK", 30000)))
    reader.start()
    server.wait_for_blocked(1)
    assert client.execute_command("TWRITE", "log", "tag", "entry") == 1
    reader.join()
    assert heard == [[[1, b"tag", b"entry"]]]


# --- time-outs ---


def test_a_wait_that_outlasts_the_socket_timeout_ends_in_an_error(server):
    client = connected(server.port, socket_timeout=0.2, retry=ONCE)
    with pytest.raises(redis.TimeoutError):
        client.execute_command("TREAD", "log", "$", 1, "BLOCK", 0)
    server.wait_for_blocked(0)


def test_a_wait_that_is_shorter_than_the_socket_timeout_ends_with_null(server):
    client = connected(server.port, socket_timeout=30, retry=ONCE)
    assert client.execute_command("TREAD", "log", "$", 1, "BLOCK", 100) is None


# --- resending ---


def test_a_resent_write_is_stored_twice(c, proxy):
    proxy.lose_answer_of("TWRITE")
    assert resending(proxy.port).execute_command("TWRITE", "log", "tag", "entry") == 2
    assert c.call("TREAD", "log", 1, 10) == [[1, b"tag", b"entry"], [2, b"tag", b"entry"]]


def test_a_resent_publication_is_stored_once_and_answered_by_null(c, proxy):
    c.call("CHAN.SUBSCRIBE", "channel", "s")
    proxy.lose_answer_of("CHAN.PUBLISH")
    assert resending(proxy.port).execute_command("CHAN.PUBLISH", "channel", "id", "content") is None
    assert c.call("CHAN.FETCH", "channel", "s")[0] == [[b"id", b"content"]]


def test_a_resent_acquisition_holds_the_lock_twice(c, proxy):
    proxy.lose_answer_of("LOCK.ACQUIRE")
    granted, token, _, holds = resending(proxy.port).execute_command("LOCK.ACQUIRE", "lock", "ann", 3_600_000)
    assert (granted, holds) == (1, 2)
    assert c.call("LOCK.RELEASE", "lock", "ann") == 1, "one release does not free it"
    assert c.call("LOCK.RELEASE", "lock", "ann") == 0


def test_a_resent_wait_for_a_lock_goes_to_the_end_of_the_line(server, c, connect, proxy):
    take(c, "holder")
    client = resending(proxy.port)
    got = []
    waiter = threading.Thread(
        target=lambda: got.append(client.execute_command("LOCK.ACQUIRE", "lock", "ann", 60_000, "WAIT", 60_000)))
    waiter.start()
    wait_until(lambda: waiters(c) == ["ann"], "ann waits")
    start_waiting(server, connect(), "bob")
    assert waiters(c) == ["ann", "bob"]
    proxy.cut()
    wait_until(lambda: waiters(c) == ["bob", "ann"], "ann has asked again, behind bob")
    release(c, "holder")
    release(c, "bob")
    waiter.join()
    assert got[0][0] == 1


def test_the_client_for_asyncio_takes_the_same_settings(server, c, proxy):
    once = redis.asyncio.retry.Retry(NoBackoff(), 0)

    async def write_and_wait():
        patient, hasty = (
            redis.asyncio.Redis(host="127.0.0.1", port=proxy.port, socket_timeout=seconds, retry=once)
            for seconds in (30, 0.2))
        with pytest.raises(redis.ConnectionError):
            await patient.execute_command("TWRITE", "log", "tag", "entry")
        with pytest.raises(redis.TimeoutError):
            await hasty.execute_command("TREAD", "log", "$", 1, "BLOCK", 0)
        for client in (patient, hasty):
            await client.connection_pool.disconnect()

    proxy.lose_answer_of("TWRITE")
    asyncio.run(write_and_wait())
    assert len(c.call("TREAD", "log", 1, 10)) == 1
    server.wait_for_blocked(0)


# --- clusters ---


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


def test_the_cluster_client_resends_what_its_connection_was_lost_with(cluster, client):
    """By default, in every version; here it is a wait for a lock, which ends when the connection is lost."""
    node = next(node for node in cluster.nodes if node.port == client.get_node_from_key("lock").port)
    take(node.admin, "holder")
    got = []
    waiter = threading.Thread(
        target=lambda: got.append(client.execute_command("LOCK.ACQUIRE", "lock", "ann", 60_000, "WAIT", 60_000)))
    waiter.start()
    wait_until(lambda: waiters(node.admin) == ["ann"], "ann waits")
    [number] = node.waiting_clients()
    node.admin.call("CLIENT", "KILL", "ID", number)
    wait_until(lambda: node.waiting_clients() not in ([], [number]), "ann has asked again")
    release(node.admin, "holder")
    waiter.join()
    assert got[0][0] == 1
