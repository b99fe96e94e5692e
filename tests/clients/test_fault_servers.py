"""A server that is killed and comes back, a replica that takes over, a slot that moves."""

import time

import pytest

from cluster import Cluster
from counting import assert_each_handled, group, stored, wait_until_finished
from sentinels import Sentinel
from server import Server, let_pass, wait_until

pytestmark = pytest.mark.long
VALUES = [str(number) for number in range(300)]


@pytest.fixture
def durable():
    with Server(appendonly="yes") as server:
        yield server


def replication(server):
    """INFO replication; empty while the server changes its role and closes connections."""
    server.forget_clients()
    try:
        return server.info("replication")
    except OSError:
        return {}


class Traffic:
    """Producers and a worker, a publisher and a subscriber, which go on in spite of faults."""

    def __init__(self, driver, **more):
        self._driver = driver
        self._more = more
        self.work = driver.start("work", key="{orders}", group="g", concurrency=4, consumer="ann")
        self.listen = driver.start("subscribe", channel="{news}", name="ann")
        self.listen.wait_for("gap")
        self.produced, self.published = [], []

    def send(self, values):
        """Sends in the background; finish() waits for the end."""
        self.produced.append((values, self._driver.start("produce", key="{orders}", tag="new", values=values, batch=5,
                                                         **self._more)))
        self.published.append((values, self._driver.start("publish", channel="{news}", values=values)))

    def finish(self, server):
        """Waits until everything has arrived; server(key) is the server that has the key."""
        values = []
        for sent, job in self.produced:
            job.finish(120)
            values += sent
        for _, job in self.published:
            job.finish(120)
        wait_until(lambda: set(self.listen.values("message")) == set(values), "every publication is received")
        wait_until_finished(server("{orders}"), "{orders}", "g")
        self.work.stop()
        self.listen.stop()
        assert sorted(stored(server("{orders}"), "{orders}")) == sorted(values)  # none lost, none twice
        assert_each_handled(self.work.values("handled"), values)
        return values


def test_a_server_that_is_killed_and_comes_back_has_lost_nothing(durable, drive):
    traffic = Traffic(drive(durable.port))
    for part in range(3):
        traffic.send(VALUES[part * 100:part * 100 + 100])
        traffic.work.wait_for("handled", part * 100 + 10)
        durable.kill()
        durable.come_back()
    traffic.finish(lambda key: durable)
    assert len(traffic.listen.values("message")) == len(VALUES)  # ids prevent duplicate publications


def test_a_worker_stops_in_time_though_the_server_is_gone(durable, drive):
    driver = drive(durable.port)
    job = driver.start("work", key="{orders}", group="g")
    driver.start("produce", key="{orders}", tag="new", values=["one"]).finish()
    job.wait_for("handled")
    durable.kill()
    job.stop()


class Draining:
    """A worker that was told to stop, and whose handlers run on until release()."""

    def __init__(self, server, driver):
        self._server, self._driver = server, driver
        driver.start("produce", key="{orders}", tag="new", values=VALUES[:20]).finish()
        self.job = driver.start("work", key="{orders}", group="g", concurrency=4, prefetch=6, lease=10,
                                handle="held")
        self.job.wait_for("handled", 4)
        wait_until(lambda: group(server, "{orders}", "g")["pending"] == 10, "it has fetched ahead")
        self.job.begin_to_stop()

    def finish(self):
        """Waits until everything is acknowledged; returns what was handled more than once, and the attempts that other
        workers have seen."""
        other = self._driver.start("work", key="{orders}", group="g", concurrency=20)
        self.job.finish()
        wait_until_finished(self._server, "{orders}", "g")
        other.stop()
        repeated = assert_each_handled(self.job.values("handled") + other.values("handled"), VALUES[:20])
        return repeated, set(other.values("attempts"))


@pytest.mark.parametrize("end", ["shutdown", "kill"])
def test_a_server_that_restarts_while_a_worker_drains_hears_of_every_outcome(durable, drive, end):
    draining = Draining(durable, drive(durable.port))
    if end == "shutdown":
        durable.shutdown(save=False)
    else:
        durable.kill()
    durable.come_back()
    draining.job.release()
    assert draining.finish() == ({}, {1})


def test_handlers_that_end_while_the_server_is_away_lose_nothing(durable, drive):
    draining = Draining(durable, drive(durable.port))
    durable.kill()
    draining.job.release()
    durable.come_back()
    # Acknowledgements are tried for five seconds; on a slow machine the server may need longer to come back.
    draining.finish()


def test_a_request_without_an_answer_for_too_long_is_reported(durable, drive):
    driver = drive(durable.port)
    driver.start("produce", key="{orders}", tag="new", values=["one"]).finish()
    durable.kill()
    assert driver.start("produce", key="{orders}", tag="new", values=["two"], retry_for=1).end()["end"] == "Undelivered"


def test_clocks_that_jump_give_no_message_to_a_second_worker(clocks, drive):
    of_server, of_client = clocks
    with of_server.server() as server:
        driver = drive(server.port, environment=of_client.variables())
        driver.start("produce", key="orders", tag="new", values=VALUES[:4]).finish()
        slow = driver.start("work", key="orders", group="g", concurrency=4, prefetch=0, handle="held")
        slow.wait_for("handled", 4)
        other = driver.start("work", key="orders", group="g")
        for jump in (3600, -3600, 0):
            of_server.set(jump)
            let_pass(0.2)
            of_client.set(jump)
            assert abs(driver.start("date").finish()["date"] - time.time() - jump) < 60
            let_pass(0.2)
        driver.start("produce", key="orders", tag="new", values=VALUES[4:8]).finish()
        other.wait_for("handled", 4)
        slow.release()
        wait_until_finished(server, "orders", "g")
        slow.stop()
        other.stop()
        assert not assert_each_handled(slow.values("handled") + other.values("handled"), VALUES[:8])


def test_a_sentinel_names_the_master(server, drive):
    with Sentinel("orders", server, replicas=0, down_after=10_000) as sentinel:
        traffic = Traffic(drive("--sentinel", f"127.0.0.1:{sentinel.port}", "orders"))
        traffic.send(VALUES[:20])
        traffic.finish(lambda key: server)


@pytest.mark.full
def test_a_failover_loses_nothing_that_a_replica_has(drive):
    with Server(appendonly="yes") as master, Server(appendonly="yes") as replica:
        replica.replicate(master)
        with Sentinel("orders", master, down_after=10_000) as sentinel:
            traffic = Traffic(drive("--sentinel", f"127.0.0.1:{sentinel.port}", "orders"), replicas=1)
            traffic.send(VALUES[:100])
            traffic.work.wait_for("handled", 10)
            sentinel.fail_over("orders")
            traffic.send(VALUES[100:200])
            wait_until(lambda: replication(replica).get("role") == "master", "the replica has taken over")
            # The old master follows the new one, so that writes are replicated again.
            wait_until(lambda: replication(master).get("master_link_status") == "up", "the old master follows")
            traffic.send(VALUES[200:])
            values = []
            for sent, job in traffic.produced:
                job.finish(120)
                values += sent
            wait_until_finished(replica, "{orders}", "g")
            traffic.work.stop()
            assert_each_handled(traffic.work.values("handled"), values)
            assert set(stored(replica, "{orders}")) == set(values)
            traffic.listen.stop()


@pytest.mark.full
def test_nothing_is_lost_or_repeated_while_slots_move(drive):
    with Cluster() as cluster:
        driver = drive("--cluster", f"redis://127.0.0.1:{cluster.nodes[0].port}")
        traffic = Traffic(driver)
        lock = driver.start("lock", key="{orders}:lock", ttl=10, hold=8)
        slots = {key: cluster.nodes[0].admin.call("CLUSTER", "KEYSLOT", key) for key in ("{orders}", "{news}")}
        for part in range(3):
            traffic.send(VALUES[part * 100:part * 100 + 100])
            traffic.work.wait_for("handled", part * 100 + 10)
            for slot in slots.values():
                source = cluster.master_of(slot)
                cluster.move_slot(slot, next(node for node in cluster.masters if node is not source))
        traffic.finish(lambda key: cluster.master_of(slots[key]))
        lock.finish()
        assert lock.values("released") and not lock.values("lost")


@pytest.mark.full
def test_nothing_is_lost_when_a_node_of_a_cluster_fails_over(drive):
    with Cluster(replicas=1, appendonly="yes") as cluster:
        driver = drive("--cluster", f"redis://127.0.0.1:{cluster.nodes[0].port}")
        slot = cluster.nodes[0].admin.call("CLUSTER", "KEYSLOT", "{orders}")
        work = driver.start("work", key="{orders}", group="g", concurrency=4)
        driver.start("produce", key="{orders}", tag="new", values=VALUES[:100], replicas=1).finish()
        master = cluster.master_of(slot)
        replica = next(node for node in cluster.nodes
                       if node.info("replication").get("master_port") == str(master.port))
        produce = driver.start("produce", key="{orders}", tag="new", values=VALUES[100:], batch=5, replicas=1)
        cluster.hand_over_to(replica)
        produce.finish(120)
        wait_until_finished(cluster.master_of(slot), "{orders}", "g")
        work.stop()
        assert stored(cluster.master_of(slot), "{orders}") == VALUES
        assert_each_handled(work.values("handled"), VALUES)
