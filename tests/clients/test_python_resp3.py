"""The Python package over RESP3. redis-py speaks it since version 5, and that of Debian 12 is older: here its connection
gets a parser for RESP3 and sends HELLO 3, as newer versions do. The server's answers are those that every client gets."""

import pathlib
import sys
import threading

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import redis
import redis.asyncio

from blocking import connected
from millrace import Backoff, LockTimeout, NotUnique, Text


def parsed(error_of):
    """A generator: yields the number of bytes that it needs, or None for a line, is sent these, and returns the
    reply."""
    raw = yield None
    if not raw:
        raise redis.ConnectionError("closed")
    kind, rest = raw[:1], raw[1:]
    if kind == b"-":
        return error_of(rest.decode())
    if kind in b"+":
        return rest
    if kind in b":":
        return int(rest)
    if kind in b",":
        return float(rest)
    if kind in b"_":
        return None
    if kind in b"#":
        return rest == b"t"
    if kind in b"$=":
        return None if rest == b"-1" else (yield int(rest))
    if kind in b"*~%":
        items = []
        for _ in range(int(rest) * (2 if kind == b"%" else 1)):
            items.append((yield from parsed(error_of)))
        return dict(zip(items[::2], items[1::2])) if kind == b"%" else items
    raise AssertionError(raw)


def connections_of_older_versions():
    """Classes of connections for both halves."""
    class Resp3Parser(redis.connection.PythonParser):
        def read_response(self, disable_decoding=False):
            steps = parsed(self.parse_error)
            wanted = next(steps)
            while True:
                got = self._buffer.readline() if wanted is None else self._buffer.read(wanted)
                try:
                    wanted = steps.send(got)
                except StopIteration as end:
                    return end.value

    class AsyncResp3Parser(redis.asyncio.connection.PythonParser):
        async def read_response(self, disable_decoding=False):
            steps = parsed(self.parse_error)
            wanted = next(steps)
            while True:
                got = await (self._buffer.readline() if wanted is None else self._buffer.read(wanted))
                try:
                    wanted = steps.send(got)
                except StopIteration as end:
                    return end.value

    class Resp3Connection(redis.connection.Connection):
        def __init__(self, **words):
            super().__init__(**words, parser_class=Resp3Parser)

        def on_connect(self):
            self._parser.on_connect(self)
            self.send_command("HELLO", 3)
            assert self.read_response()[b"proto"] == 3

    class AsyncResp3Connection(redis.asyncio.connection.Connection):
        def __init__(self, **words):
            super().__init__(**words, parser_class=AsyncResp3Parser)

        async def on_connect(self):
            self._parser.on_connect(self)
            await self.send_command("HELLO", 3)
            assert (await self.read_response())[b"proto"] == 3

    return {redis: Resp3Connection, redis.asyncio: AsyncResp3Connection}


def over_resp3(module, port):
    if int(redis.__version__.split(".")[0]) >= 5:
        return module.Redis(port=port, protocol=3)
    kind = connections_of_older_versions()[module]
    return module.Redis(connection_pool=module.ConnectionPool(connection_class=kind, host="127.0.0.1", port=port))


@pytest.fixture
def mr(server, half):
    with connected(half, lambda: over_resp3(redis if half == "sync" else redis.asyncio, server.port)) as mr:
        yield mr


def test_queues_logs_and_channels(mr):
    with mr.producer("orders", codec=Text()) as producer:
        promises = [producer.send("new", value) for value in "abc"]
    assert [promise.result() for promise in promises] == [1, 2, 3]
    assert "-" in mr.producer("orders", codec=Text()).write("new", "later", delay=60)
    attempts = []
    worker = mr.worker("orders", "g", codec=Text(), backoff=Backoff.none(), max_attempts=2, dead_letter="dead")
    worker.on()(lambda value, message: attempts.append((value, message.attempts)) or 1 / (value != "b"))
    assert worker.run_until_idle() == 4 and sorted(attempts) == [("a", 1), ("b", 1), ("b", 2), ("c", 1)]
    for frames in (True, False):
        assert [entry.value for entry in mr.reader("orders", codec=Text(), follow=False, frames=frames)] == ["a", "b", "c"]
    assert mr.redrive("dead") == 1
    news = mr.channel("news", codec=Text())
    subscription = news.subscribe("ann", on_gap=lambda: news.publish("hello"))
    assert next(subscription).content == "hello"


def test_locks_and_pools(mr):
    with mr.lock("pay", ttl=5) as lock:
        assert lock.token > 0
        with pytest.raises(LockTimeout):
            mr.lock("pay", wait=0.05).acquire()
    pool = mr.pool("mail", codec=Text())
    pool.set(max_attempts=3)
    worker = pool.worker("w", backoff=Backoff.none())
    seen = []

    @worker.handler
    def handle(value, payload):
        seen.append(value)
        if len(seen) == 2:
            worker.stop()

    running = threading.Thread(target=worker.run)
    running.start()
    pool.push("ann", "1", "2", wait=30)
    running.join(60)
    assert seen == ["1", "2"] and pool.info()["pending"] == 0


def test_routes_indexes_and_suggestions(mr):
    routes = mr.routes("{tasks}")
    with routes.device("phone", "push", user="ann", ttl=60) as device:
        device.subscribe("todo", "task")
        assert routes.match("todo", "task") == {"push": ["phone"]}
        assert routes.dispatch("todo", "task", "saved", "{tasks}:") == {"push": (1, 1)}
    users = mr.index("users")
    assert users.create("user:", {"age": "INTEGER", "mail": "TEXT UNIQUE"})
    users.put("user:1", {"age": 3, "mail": "a"})
    with pytest.raises(NotUnique):
        users.put("user:2", {"age": 3, "mail": "a"})
    users.wait_until_ready()
    assert list(users.find(("age", ">=", 3), get=["mail"])) == [("user:1", {"mail": b"a"})] and users.count() == 1
    cities = mr.suggestions("cities")
    assert cities.set("Bern", 13) == 13 and cities.add("Bern") == 14 and cities.get("b", ignore_case=True) == ["Bern"]
