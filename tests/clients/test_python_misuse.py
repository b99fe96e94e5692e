"""The Python package in programs with errors: observers and back-offs that raise, tasks that are cancelled at bad
moments, unusual bytes, huge messages."""

import asyncio
import logging
import pathlib
import random
import sys
import threading

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import redis.asyncio

import millrace.asyncio
from blocking import connected
from counting import group
from millrace import Backoff, Millrace, MillraceError, Observer, TimeLimitExceeded, Text
from server import wait_until


@pytest.fixture
def mr(server, half):
    with connected(half, f"redis://127.0.0.1:{server.port}") as mr:
        yield mr


def test_an_observer_that_raises_stops_nothing_and_is_logged(server, half, caplog):
    class Broken(Observer):
        def notice(self, event, **facts):
            raise RuntimeError("the metrics server is away")

    with connected(half, f"redis://127.0.0.1:{server.port}", observer=Broken()) as mr:
        with mr.producer("orders", codec=Text()) as producer:
            for value in "abc":
                producer.send("new", value)
        worker = mr.worker("orders", "g", codec=Text())
        worker.on()(lambda value, message: None)
        with caplog.at_level(logging.ERROR, "millrace"):
            assert worker.run_until_idle() == 3
        with mr.lock("lock"):
            pass
    assert "the observer has failed at 'handled'" in caplog.text
    assert group(server, "orders", "g")["pending"] == 0


def test_a_back_off_that_raises_ends_the_run_with_its_error(server, mr):
    def broken(attempt):
        raise ZeroDivisionError("the back-off")

    mr.producer("orders", codec=Text()).write("new", "a")
    worker = mr.worker("orders", "g", codec=Text(), backoff=broken, concurrency=4)

    @worker.on()
    def handle(value, message):
        raise ValueError(value)

    with pytest.raises(ZeroDivisionError):
        worker.run()


def test_a_time_out_of_the_handler_s_own_is_not_taken_for_its_time_limit(server, caplog):
    async def scenario():
        async with millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{server.port}") as mr:
            await mr.producer("orders", codec=Text()).write("new", "a")
            worker = mr.worker("orders", "g", codec=Text(), backoff=Backoff.none(), max_attempts=2, time_limit=60)

            @worker.on()
            async def handle(value, message):
                raise asyncio.TimeoutError("the other service")

            assert await worker.run_until_idle() == 2

    with caplog.at_level(logging.WARNING, "millrace"):
        asyncio.run(scenario())
    assert "the other service" in caplog.text and TimeLimitExceeded.__name__ not in caplog.text


def test_a_worker_that_is_cancelled_at_any_moment_loses_nothing(server):
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    handled = set()

    async def scenario():
        async with millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{server.port}") as mr:
            async with mr.producer("orders", codec=Text()) as producer:
                for number in range(200):
                    await producer.send("new", str(number))
            for _ in range(15):
                worker = mr.worker("orders", "g", codec=Text(), consumer="ann", concurrency=3)

                @worker.on()
                async def handle(value, message):
                    await asyncio.sleep(0)
                    handled.add(value)

                running = asyncio.ensure_future(worker.run())
                await asyncio.sleep(chance.random() * 0.05)
                running.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await running
            last = mr.worker("orders", "g", codec=Text(), consumer="ann")
            last.on()(lambda value, message: handled.add(value))
            await last.run_until_idle()

    asyncio.run(scenario())
    assert handled == {str(number) for number in range(200)}, seed
    assert group(server, "orders", "g")["pending"] == 0, seed


def test_a_lock_whose_waiter_is_cancelled_is_free_for_others(server):
    chance = random.Random()

    async def scenario():
        async with millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{server.port}") as mr:
            async def hold():
                async with mr.lock("pay", ttl=30, wait=30):
                    await asyncio.sleep(0.002)

            for _ in range(20):
                tasks = [asyncio.ensure_future(hold()) for _ in range(3)]
                await asyncio.sleep(chance.random() * 0.02)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            async with mr.lock("pay", ttl=30, wait=8):  # sooner than ALIVE ends, after a third of the lease
                pass

    asyncio.run(scenario())


def test_odd_bytes_and_large_messages_come_as_they_were_sent(server, mr):
    values = [b"", b"\r\n", b"\x00\xff" * 1000, b"$-1\r\n", bytes(range(256)) * 32768]  # the last has 8 MiB
    with mr.producer("orders") as producer:
        for value in values:
            producer.send("t\r\nä", value)
    seen = []
    worker = mr.worker("orders", "g")
    worker.on("t\r\nä")(lambda value, message: seen.append(value))
    assert worker.run_until_idle() == len(values) and seen == values
    for frames in (True, False):
        assert [entry.value for entry in mr.reader("orders", follow=False, frames=frames)] == values


def test_a_closed_producer_says_so_and_calls_that_wait_for_room_end():
    with Millrace.from_url("redis://127.0.0.1:1") as mr:  # nothing listens there
        producer = mr.producer("orders", codec=Text(), buffer=1, retry_for=1)
        producer.send("new", "a")
        failed = []

        def send():
            try:
                producer.send("new", "b")
            except MillraceError as error:
                failed.append(error)

        waiting = threading.Thread(target=send)
        waiting.start()
        with pytest.raises(MillraceError):
            producer.close()
        waiting.join(60)
        assert not waiting.is_alive()
        with pytest.raises(MillraceError, match="closed"):
            producer.send("new", "c")


def test_two_runs_of_one_worker_at_a_time_are_refused(server, mr):
    worker = mr.worker("orders", "g", codec=Text())
    worker.on()(lambda value, message: None)
    running = threading.Thread(target=worker.run)
    running.start()
    wait_until(lambda: group(server, "orders", "g"), "it runs")
    with pytest.raises(MillraceError, match="runs already"):
        worker.run()
    worker.stop()
    running.join(60)
    assert not running.is_alive()


# --- what newcomers write ---

@pytest.mark.parametrize("value", [{"a": 1}, "text", 5, None], ids=str)
def test_a_value_that_needs_a_codec_is_refused_at_once(mr, value):
    producer = mr.producer("orders")
    for send in (producer.send, producer.write):
        with pytest.raises(TypeError, match="name a codec"):
            send("new", value)


@pytest.mark.parametrize("half", ["sync"])
def test_an_async_handler_in_threads_acknowledges_nothing(server, mr):
    async def handle(value, message):
        pass

    mr.producer("orders", codec=Text()).write("new", "a")
    for limit in (None, 60):
        worker = mr.worker("orders", f"g{limit}", codec=Text(), max_attempts=1, dead_letter="dead", time_limit=limit,
                           backoff=Backoff.none())
        worker.on()(handle)
        assert worker.run_until_idle() == 1
    assert server.admin.call("TINFO", "dead")[3] == 2


def test_what_cannot_work_is_refused_before_it_is_tried(server, mr):
    with pytest.raises(TypeError, match="from_url"):
        Millrace(f"redis://127.0.0.1:{server.port}")
    with pytest.raises(TypeError, match="millrace.asyncio"):
        Millrace(redis.asyncio.Redis(port=server.port))
    for wrong in ({"concurrency": 0}, {"prefetch": -1}, {"lease": 0}):
        with pytest.raises(ValueError):
            mr.worker("orders", "g", **wrong)
    worker = mr.worker("orders", "g")
    for without_handler in (worker, mr.pool("mail").worker("w")):
        with pytest.raises(MillraceError, match="no handler"):
            without_handler.run()
    with pytest.raises(TypeError, match="@worker.on()"):
        worker.on(lambda value, message: None)


def test_a_server_without_the_module_is_named_as_the_reason(mr):
    with pytest.raises(MillraceError, match="is the module loaded"):
        mr.call("orders", "TWRITE.NO", "orders")
