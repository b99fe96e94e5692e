"""Which connections the Python package keeps, and what a process does that was forked."""

import asyncio
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import millrace
import millrace.asyncio.cluster
import millrace.sync.cluster
import millrace.sync.link
import millrace.sync.waiting
from blocking import connected
from counting import stored
from millrace import ConnectionLost, Text
from millrace.settings import Settings


class Connections:
    """A source of connections that answer everything with 1."""

    def __init__(self, half, when_connected=lambda: None):
        self.open = []
        self.sent = 0
        self._half, self._when_connected = half, when_connected

    def connection(self, timeout, address):
        source = self

        class Connection:
            def connect(self):
                if self not in source.open:
                    source.open.append(self)
                return source._done(source._when_connected())

            def pack_commands(self, commands):
                return commands

            def send_packed_command(self, packed):
                source.sent += 1
                return source._done()

            def read_response(self):
                return source._done(1)

            def disconnect(self):
                source.open.remove(self)
                return source._done()

        return Connection()

    def _done(self, value=None):
        async def awaited():
            await asyncio.sleep(0)
            return value

        return awaited() if self._half == "asyncio" else value

    def exchange(self, node, *arguments):
        """One command; returns the reply in both halves."""
        exchanged = node.exchange([("PING",)], *arguments)
        [reply] = asyncio.run(exchanged) if self._half == "asyncio" else exchanged
        return reply


def package(half):
    return {"sync": millrace.sync, "asyncio": millrace.asyncio}[half]


def test_connections_with_many_time_outs_are_not_all_kept(half):
    source = Connections(half)
    node = package(half).link.Node(source)
    for number in range(100):
        assert source.exchange(node, 5.0) == source.exchange(node, 10.0 + number) == 1
    assert len(source.open) <= 16
    kept = list(source.open)
    source.exchange(node, 5.0)
    assert source.open == kept  # the one that is used all the time is still there


def test_a_connection_in_use_while_the_package_is_closed_is_closed_after_its_use(half):
    def close():
        closing = node.close()
        if half == "asyncio":
            asyncio.ensure_future(closing)

    source = Connections(half, when_connected=close)
    node = package(half).link.Node(source)
    assert source.exchange(node, 5.0) == 1 and source.open == []


def test_a_connection_that_a_redirection_opens_after_the_package_was_closed_is_closed_after_its_use(half):
    source = Connections(half)
    source.nodes = []
    link = package(half).cluster.ClusterLink(source, Settings())
    closing = link.close()
    if half == "asyncio":
        asyncio.run(closing)
    assert source.exchange(link._node_at(("127.0.0.1", 2)), 5.0) == 1 and source.open == []


def test_a_wait_that_is_broken_off_while_it_connects_is_not_begun(half):
    breaker = package(half).waiting.Breaker()
    source = Connections(half, when_connected=breaker.break_off)
    with pytest.raises(ConnectionLost, match="broken off"):
        source.exchange(package(half).link.Node(source), 5.0, breaker)
    assert source.sent == 0 and source.open == []


def test_a_fork_does_not_use_the_connections_of_its_parent(half, monkeypatch):
    source = Connections(half)
    node = package(half).link.Node(source)
    source.exchange(node, 5.0)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    source.exchange(node, 5.0)
    assert len(source.open) == 2
    source.exchange(node, 5.0)
    assert len(source.open) == 2


def test_a_fork_stores_its_messages_beside_those_of_its_parent(server, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(f"""
import os, signal
from millrace import Millrace, Text
mr = Millrace.from_url("redis://127.0.0.1:{server.port}")
used, unused = mr.producer("orders", codec=Text()), mr.producer("orders", codec=Text())
used.send("new", "before")
used.flush()
child = os.fork()
signal.alarm(50)  # so that neither process outlives a test that fails
name = "parent" if child else "child"
for producer in used, unused:
    producer.send("new", name)
    producer.close()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""")
    subprocess.run([sys.executable, str(program)], check=True, timeout=60,
                   env={"PYTHONPATH": str(pathlib.Path(millrace.__file__).parents[1])})
    assert sorted(stored(server, "orders")) == ["before", "child", "child", "parent", "parent"]


def test_a_worker_in_a_fork_is_a_consumer_of_its_own(server, half, monkeypatch):
    with connected(half, f"redis://127.0.0.1:{server.port}") as mr:
        mr.producer("orders", codec=Text()).write("new", "one")
        worker, named = mr.worker("orders", "g"), mr.worker("orders", "g", consumer="mine")
        for one in worker, named:
            one.on()(lambda value, message: None)
        of_parent = worker.consumer
        worker.run_until_idle()
        assert worker.consumer == of_parent
        monkeypatch.setattr(os, "getpid", lambda: -1)
        for one in worker, named:
            one.run_until_idle()
        assert worker.consumer != of_parent and named.consumer == "mine"
