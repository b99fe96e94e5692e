"""One application spread over tables by ROUTE.PARTITION, on a real cluster of three."""

import json

import pytest

from cluster import Cluster
from route_words import channel, match

PARTITIONS = 12
USERS = [f"user{n}" for n in range(40)]


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as running:
        yield running


class Application:
    """A client as the guide describes it: a channel's subscriptions are in the table of its partition, and a change is
    matched in the table of each of its patterns."""

    def __init__(self, cluster):
        self._connections = [node.connect() for node in cluster.masters]
        self._any = self._connections[0]

    def close(self):
        for connection in self._connections:
            connection.close()

    def call(self, key, *words):
        """Calls the command on the node that has the key."""
        for connection in self._connections:
            connection.send(*words)
            answer = connection.read()
            if not str(answer).startswith("MOVED"):
                return answer
        raise AssertionError(f"no node has {key}")

    def partition(self, name):
        return self._any.call("ROUTE.PARTITION", name, "PARTITIONS", PARTITIONS)

    def table(self, name):
        return f"{{p{self.partition(name)}}}routes"

    def subscribe(self, device, *about, filter=None):
        [*_, name] = self._any.call("ROUTE.PATTERNS", *about)
        words = ("FILTER", json.dumps(filter)) if filter else ()
        key = self.table(name)
        return self.call(key, "ROUTE.SUBSCRIBE", key, device, *about, *words)

    def dispatch(self, *about, document, event="e"):
        """Dispatches a change; returns for each partition (partition, transport, devices, offset)."""
        names = self._any.call("ROUTE.PATTERNS", *about)
        written = []
        for partition in sorted({self.partition(name) for name in names}):
            key = f"{{p{partition}}}routes"
            queues = ("QUEUES", "ws", f"{{p{partition}}}ws")
            answer = self.call(key, "ROUTE.DISPATCH", key, *about, "DOC", json.dumps(document), "EVENT", event, *queues)
            written += [(partition, *each) for each in answer]
        return written

    def heard(self, partition):
        """Devices in the log of a partition."""
        key = f"{{p{partition}}}ws"
        answer = self.call(key, "TREAD", key, "1", "1000")
        return [one["device"] for _, _, entry in answer for one in json.loads(entry)["devices"]]

    def matched(self, *about, document):
        """All devices that get a change, each as often as it was found."""
        found = []
        for key in sorted({self.table(name) for name in self._any.call("ROUTE.PATTERNS", *about)}):
            answer = self.call(key, "ROUTE.MATCH", key, *about, "DOC", json.dumps(document))
            found += [device.decode() for _, devices in answer for device in devices]
        return sorted(found)


@pytest.fixture
def application(cluster):
    for node in cluster.masters:
        node.admin.call("FLUSHALL")
    running = Application(cluster)
    yield running
    running.close()


def test_every_node_answers_for_partitions_and_patterns(cluster):
    answers = {
        (node.admin.call("ROUTE.PARTITION", "app:shop:model:task"), *node.admin.call("ROUTE.PATTERNS", *channel(user="u")))
        for node in cluster.masters
    }
    assert len(answers) == 1


def test_subscriptions_and_changes_find_each_other(cluster, application):
    application.subscribe("all|ws", *channel())
    for user in USERS:
        application.subscribe(f"of {user}|ws", *channel(user=user))
        application.subscribe(f"high of {user}|ws", *channel(user=user), filter={"prio": "high"})
        application.subscribe(f"task of {user}|ws", *channel(user=user, id="t1"))
        application.subscribe(f"task {user}|ws", *channel(id=f"task of {user}"))
    assert all(count > 0 for count in cluster.keys()), "every node has tables"
    for user in USERS:
        about = channel(user=user, id="t1")
        assert application.matched(*about, document={"prio": "low"}) == sorted(["all", f"of {user}", f"task of {user}"])
        assert application.matched(*about, document={"prio": "high"}) == sorted(
            ["all", f"high of {user}", f"of {user}", f"task of {user}"])
        about = channel(user="stranger", id=f"task of {user}")
        assert application.matched(*about, document={}) == sorted(["all", f"task {user}"])


def test_dispatches_go_to_logs_beside_their_tables(application):
    for user in USERS:
        application.subscribe(f"of {user}|ws", *channel(user=user))
    written = [each for user in USERS for each in application.dispatch(*channel(user=user), document={})]
    assert sorted(devices for _, _, devices, _ in written) == [1] * len(USERS)
    heard = [device for partition in range(PARTITIONS) for device in application.heard(partition)]
    assert sorted(heard) == sorted(f"of {user}" for user in USERS)


def test_a_log_in_another_slot_is_refused(application):
    key = "{p1}routes"
    about = channel()
    application.call(key, "ROUTE.SUBSCRIBE", key, "d1|ws", *about)
    for queues in (("ws", "{p2}ws"), ("ws", "{p1}ws", "mqtt", "{p2}mqtt"), ("ws", "ws")):
        answer = application.call(key, "ROUTE.DISPATCH", key, *about, "EVENT", "e", "QUEUES", *queues)
        assert str(answer) == "CROSSSLOT Keys in request don't hash to the same slot"
    assert application.call(key, "EXISTS", "{p1}ws") == 0
    answer = application.call(key, "ROUTE.DISPATCH", key, *about, "EVENT", "e", "QUEUES", "ws", "{p1}ws", "mqtt", "{p1}mqtt")
    assert answer == [[b"ws", 1, 1]]


def test_a_node_that_does_not_have_the_table_names_the_one_that_does(cluster):
    key = "{p3}routes"
    answers = []
    for node in cluster.masters:
        with node.connect() as c:
            c.send("ROUTE.DISPATCH", key, *channel(), "EVENT", "e", "QUEUES", "ws", "{p3}ws")
            answers.append(str(c.read())[:5])
    assert sorted(answers) == ["MOVED", "MOVED", "[]"]


def test_a_table_moves_with_its_slot(cluster):
    key = "{p5}routes"
    slot = cluster.masters[0].admin.call("CLUSTER", "KEYSLOT", key)
    source = cluster.master_of(slot)
    target = next(node for node in cluster.masters if node is not source)
    with source.connect() as c, target.connect() as there:
        c.call("ROUTE.SUBSCRIBE", key, "d1|ws", *channel(), "FILTER", '{"a": 1}', "TTL", "3600000")
        digest = source.digest(key)
        ids = {node: node.admin.call("CLUSTER", "MYID") for node in (source, target)}
        target.admin.call("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source])
        source.admin.call("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target])
        c.call("MIGRATE", "127.0.0.1", target.port, key, "0", "10000")
        for node in (target, source):
            node.admin.call("CLUSTER", "SETSLOT", slot, "NODE", ids[target])
        assert target.digest(key) == digest
        assert match(there, {"a": 1}, key=key) == ["d1|ws"]
