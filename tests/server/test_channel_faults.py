"""Clients and servers that die at the worst moment. A message that was acknowledged to its publisher reaches every
subscriber, and a message that a subscriber has acknowledged does not come again."""

import subprocess
import sys
import threading

import pytest

from channel_words import ids, publish, subscribe
from resp import Connection
from server import Server, wait_until

# --- a subscriber dies ---

_FETCHES_AND_WAITS = """
import redis, sys, time
client = redis.Redis(host="127.0.0.1", port=int(sys.argv[1]))
messages, receipt, more = client.execute_command("CHAN.FETCH", "ch", "s", "BLOCK", "0")
print(len(messages), flush=True)
time.sleep(3600)
"""


def test_a_subscriber_killed_between_fetch_and_acknowledgement_gets_everything_again(server, c):
    subscribe(c, "s", "other")
    publish(c, "a", "b", "c")
    words = [sys.executable, "-c", _FETCHES_AND_WAITS, str(server.port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "3\n"
        process.kill()
    publish(c, "d")
    assert ids(c) == ["a", "b", "c", "d"]
    assert ids(c, "other") == ["a", "b", "c", "d"]


def test_a_subscriber_killed_while_it_waits_gets_what_comes_then(server, c):
    subscribe(c, "s")
    words = [sys.executable, "-c", _FETCHES_AND_WAITS, str(server.port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        wait_until(lambda: server.counter("channel_fetches_blocked") == 1, "it waits")
        publish(c, "a")
        assert process.stdout.readline() == "1\n", "it was given the message and died with it"
        process.kill()
    assert ids(c) == ["a"]


# --- a server dies ---

PUBLISHERS = 3
SUBSCRIBERS = 3


class Client:
    """Works on a server until the server dies. Only what was answered counts: the client does not know whether the
    command that was in flight then was executed."""

    def __init__(self, confirm):
        self._confirm = confirm  # (connection): returns once what was done cannot be lost

    def start(self, port, is_over):
        self._problem = None
        self._thread = threading.Thread(target=self._run, args=(port, is_over))
        self._thread.start()

    def join(self):
        self._thread.join()
        if self._problem is not None:
            raise self._problem

    def _run(self, port, is_over):
        try:
            with Connection(port) as connection:
                while not is_over():
                    self.step(connection)
        except OSError:
            pass  # the server has died
        except BaseException as problem:
            self._problem = problem


class Publisher(Client):
    def __init__(self, name, confirm):
        super().__init__(confirm)
        self.name = name
        self.published = []

    def step(self, connection):
        """Publishes one message. If the server dies meanwhile, the same message is published again, and counts once."""
        id = f"{self.name}:{len(self.published)}"
        connection.call("CHAN.PUBLISH", "ch", id, "content of " + id)
        self._confirm(connection)
        self.published.append(id)


class Subscriber(Client):
    def __init__(self, name, confirm):
        super().__init__(confirm)
        self.name = name
        self.acknowledged = []
        self.unsure = set()  # acknowledged, but without an answer: they may come again

    def step(self, connection):
        messages, receipt, _ = connection.call("CHAN.FETCH", "ch", self.name, "MAX", "40", "BLOCK", "50")
        got = [id.decode() for id, _ in messages]
        assert all(content.decode() == f"content of {id.decode()}" for id, content in messages)
        again = set(self.acknowledged).intersection(got)
        assert not again, f"acknowledged messages came again: {again}"
        if not got:
            return
        self.unsure.update(got)
        assert connection.call("CHAN.ACK", "ch", self.name, receipt) == 1
        self._confirm(connection)
        self.unsure.difference_update(got)
        self.acknowledged += got


class Work:
    """Publishers and subscribers that go on working, on one server after another."""

    def __init__(self, confirm=lambda connection: None):
        self.publishers = [Publisher(f"p{n}", confirm) for n in range(PUBLISHERS)]
        self.subscribers = [Subscriber(f"s{n}", confirm) for n in range(SUBSCRIBERS)]

    def subscribe(self, server):
        subscribe(server.admin, *[f"s{n}" for n in range(SUBSCRIBERS)])

    def count(self):
        return min(len(client.published) for client in self.publishers) * PUBLISHERS

    def go_on_until_killed(self, server, more):
        """Kills the server (kill -9) under load, after at least this many more publications."""
        enough = self.count() + more
        for client in self.publishers + self.subscribers:
            client.start(server.port, lambda: False)
        wait_until(lambda: self.count() >= enough, "enough is published")
        server.kill()
        for client in self.publishers + self.subscribers:
            client.join()

    def finish(self, server):
        """Ends the publishing; a publisher without an answer to its last message first sends that again."""
        with server.connect() as connection:
            for publisher in self.publishers:
                publisher.step(connection)
            for subscriber in self.subscribers:
                while ids(connection, subscriber.name):
                    subscriber.step(connection)

    def check(self):
        for publisher in self.publishers:
            for subscriber in self.subscribers:
                got = [id for id in subscriber.acknowledged if id.startswith(publisher.name + ":")]
                missing = set(publisher.published).difference(got)
                assert missing <= subscriber.unsure, "a publication is missing"
                expected = [id for id in publisher.published if id not in missing]
                assert got == expected, "each once, in the order in which they were published"


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_a_server_that_is_killed_loses_nothing_and_repeats_nothing(preamble):
    work = Work()
    with Server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble=preamble) as server:
        work.subscribe(server)
        for life in range(4):
            work.go_on_until_killed(server, 500)
            server.restart()
            if life == 1:
                server.rewrite_aof()
        work.finish(server)
    work.check()


def confirmed_by_a_replica(connection):
    assert connection.call("WAIT", "1", "10000") >= 1


def test_a_promoted_replica_has_lost_nothing_and_repeats_nothing():
    work = Work(confirmed_by_a_replica)
    with Server() as one, Server() as two:
        master, heir = one, two
        work.subscribe(master)
        for _ in range(4):
            heir.replicate(master)
            work.go_on_until_killed(master, 500)
            heir.admin.call("REPLICAOF", "NO", "ONE")
            master.restart()
            master, heir = heir, master
        heir.replicate(master)
        work.finish(master)
    work.check()
