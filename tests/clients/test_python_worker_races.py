"""Workers of the Python package whose handlers raise what is no Exception, are abandoned, or are cancelled twice."""

import asyncio
import contextlib
import pathlib
import sys
import threading

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import millrace
import millrace.asyncio
from blocking import connected
from millrace import Backoff, Text
from server import let_pass, wait_until


class Outside(BaseException):
    """Like pytest.fail() and gevent.Timeout."""


@pytest.fixture
def mr(server, half):
    with connected(half, f"redis://127.0.0.1:{server.port}", block=1) as mr:
        yield mr


def test_a_handler_that_raises_what_is_no_exception_has_failed(server, mr):
    mr.producer("orders", codec=Text()).write("new", "one")
    worker = mr.worker("orders", "g", codec=Text(), backoff=Backoff.none())
    attempts = []

    def handle(value, message):
        attempts.append(message.attempts)
        if message.attempts == 1:
            raise Outside

    worker.on()(handle)
    assert worker.run_until_idle() == 2 and attempts == [1, 2]


def test_a_payload_s_handler_that_raises_what_is_no_exception_has_failed(server, mr):
    pool = mr.pool("mail", codec=Text())
    worker = pool.worker("w1", backoff=Backoff.none())
    attempts = []

    def handle(value, payload):
        attempts.append(payload.attempts)
        if payload.attempts == 1:
            raise Outside
        worker.stop()

    worker.handler(handle)
    server.admin.call("SHARD.JOIN", "mail", "w1")
    pool.push("ann", "one")
    worker.run()
    assert attempts == [1, 2]


def test_a_back_off_that_raises_ends_a_pool_s_worker(server, mr):
    def backoff(attempt):
        raise LookupError("no pause")

    pool = mr.pool("mail", codec=Text())
    worker = pool.worker("w1", backoff=backoff)

    def handle(value, payload):
        raise ValueError

    worker.handler(handle)
    server.admin.call("SHARD.JOIN", "mail", "w1")
    pool.push("ann", "one")
    with pytest.raises(LookupError):
        worker.run()


@pytest.mark.parametrize("work", ["log", "pool"])
def test_a_handler_that_exits_ends_the_run(server, half, work):
    server.admin.call("TWRITE", "orders", "new", "one")
    server.admin.call("SHARD.JOIN", "mail", "w1")
    server.admin.call("SHARD.PUSH", "mail", "ann", "one")

    def made(package):
        mr = package.Millrace.from_url(f"redis://127.0.0.1:{server.port}")
        worker = mr.worker("orders", "g") if work == "log" else mr.pool("mail").worker("w1")
        (worker.on() if work == "log" else worker.handler)(lambda value, message: sys.exit(3))
        return worker

    async def main():
        await made(millrace.asyncio).run()

    with pytest.raises(SystemExit):
        asyncio.run(main()) if half == "asyncio" else made(millrace).run()
    if work == "log":
        [row] = server.admin.call("TGROUP", "PENDING", "orders", "g")
        assert row[4] is None  # no consumer holds it
    else:
        [worker] = server.admin.call("SHARD.INFO", "mail")[1]
        assert worker[3] == b"dead"  # it has left, and there is no other to take its recipient


# --- threads that are abandoned ---

class Held:
    """A handler whose first call ends when the test says so, and the others when the test ends."""

    def __init__(self):
        self.began, self._first, self._others = [], threading.Event(), threading.Event()
        self._first_ended = threading.Event()

    def __call__(self, value, message):
        self.began.append(value)
        if len(self.began) == 1:
            self._first.wait(60)
            self._first_ended.set()
        else:
            self._others.wait(60)

    def end_first(self):
        self._first.set()
        self._first_ended.wait(60)

    def end_all(self):
        self._first.set()
        self._others.set()


@contextlib.contextmanager
def running(worker):
    thread = threading.Thread(target=lambda: worker.run(drain=0))
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize("work", ["log", "pool"])
def test_a_thread_that_was_abandoned_takes_no_part_in_the_next_run(server, work):
    handle = Held()
    with connected("sync", f"redis://127.0.0.1:{server.port}", block=1) as mr:
        worker = mr.worker("orders", "g") if work == "log" else mr.pool("mail").worker("w1", prefetch=1)
        (worker.on() if work == "log" else worker.handler)(handle)

        def send(number):
            if work == "log":
                server.admin.call("TWRITE", "orders", "new", number)
            else:
                server.admin.call("SHARD.JOIN", "mail", "w1")
                server.admin.call("SHARD.PUSH", "mail", f"r{number}", number)

        send(1)
        try:
            with running(worker):
                wait_until(lambda: len(handle.began) == 1, "the first run has the message")
            send(2)
            with running(worker):
                wait_until(lambda: len(handle.began) == 2, "the second run has a message")
                handle.end_first()
                let_pass(0.3)
                assert len(handle.began) == 2  # the concurrency is 1
        finally:
            handle.end_all()


# --- asyncio ---

@pytest.mark.parametrize("work", ["log", "pool"])
def test_a_worker_that_is_cancelled_twice_leaves_no_task_and_may_run_again(server, work):
    async def scenario():
        async with millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{server.port}", block=1) as mr:
            worker = mr.worker("orders", "g") if work == "log" else mr.pool("mail").worker("w1")
            began = asyncio.Event()
            is_first = True

            async def handle(value, message):
                nonlocal is_first
                began.set()
                if is_first:
                    is_first = False
                    await asyncio.sleep(600)
                worker.stop()

            (worker.on() if work == "log" else worker.handler)(handle)
            server.admin.call("TWRITE", "orders", "new", "one")
            server.admin.call("SHARD.JOIN", "mail", "w1")
            server.admin.call("SHARD.PUSH", "mail", "ann", "one")
            run = asyncio.create_task(worker.run())
            await began.wait()
            run.cancel()
            while not worker._stopping.is_set():  # then it lets the handler end
                await asyncio.sleep(0.001)
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            left = [task for task in asyncio.all_tasks() if task.get_name().startswith("millrace ")]
            if left:
                await asyncio.wait(left, timeout=1)
            assert [task for task in left if not task.done()] == []
            began.clear()
            await asyncio.wait_for(worker.run(), 10)
            assert began.is_set()

    asyncio.run(scenario())
