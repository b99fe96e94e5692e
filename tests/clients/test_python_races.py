"""What the Python package does when calls are cancelled or flags change at a bad moment."""

import asyncio
import contextlib
import itertools

import pytest
import redis

from answering import SOON, Answering, run, until  # also finds the package

import millrace.asyncio.channel
import millrace.asyncio.pool_worker
import millrace.asyncio.producer
import millrace.asyncio.reader
import millrace.asyncio.routes
import millrace.asyncio.waiting
from millrace import Backoff, ConnectionLost, MillraceError, Raw

# --- waiting ---

def test_a_wait_that_was_cancelled_does_not_cancel_the_next_one():
    async def scenario():
        breaker = millrace.asyncio.waiting.Breaker()
        cancelled = asyncio.ensure_future(breaker.run(asyncio.Event().wait, None))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.wait([cancelled])
        # Longer than the pause after which a cancellation is repeated.
        assert await breaker.run(lambda: asyncio.sleep(0.1, "answer"), None) == "answer"

    run(scenario())


def test_requests_to_several_servers_end_with_the_call():
    async def scenario():
        ended = []

        async def ask():
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(True)

        asking = asyncio.ensure_future(millrace.asyncio.waiting.all_within(60, [ask, ask], lambda results: False))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        await until(lambda: len(ended) == 2)

    run(scenario())


# --- producers ---

def producer(link, **options):
    return millrace.asyncio.producer.Producer(
        link, "orders", Raw(), **{"linger": 0, "batch": 500, "batch_bytes": 1 << 20, "buffer": 10_000, "retry_for": 60,
                                  "replicas": 0, **options})


@pytest.mark.parametrize("ends", ["flush", "close"])
def test_flush_and_close_end_although_others_go_on_sending(ends):
    async def scenario():
        async def answer(*words):
            if len(link.sent) < 100:
                with contextlib.suppress(MillraceError):  # it is closed
                    await made.send("new", b"one more")
            await asyncio.sleep(0)
            return 1

        link = Answering(answer)
        made = producer(link)
        await made.send("new", b"first")
        await getattr(made, ends)()
        assert len(link.sent) <= (2 if ends == "flush" else 1)
        await made.close()

    run(scenario())


def test_a_flush_that_was_cancelled_changes_nothing():
    async def scenario():
        go_on = asyncio.Event()

        async def answer(*words):
            await go_on.wait()
            return 1

        made = producer(Answering(answer), linger=60)
        first = await made.send("new", b"a")
        flushing = asyncio.ensure_future(made.flush())
        await asyncio.sleep(0.01)
        flushing.cancel()
        await asyncio.wait([flushing])
        go_on.set()
        assert await first == 1
        second = await made.send("new", b"b")
        await asyncio.sleep(0.01)
        assert not second.done()  # it waits for its batch to be full, as before
        await made.close()

    run(scenario())


# --- readers and subscriptions ---

def reader(link, **options):
    return millrace.asyncio.reader.Reader(
        link, "orders", Raw(), **{"start": 1, "tags": (), "count": 10, "follow": True, "on_gap": None, "frames": False,
                                  **options})


def subscription(link, on_gap=None):
    return millrace.asyncio.channel.Subscription(link, "news", Raw(), "ann", 1, None, on_gap)


def fails_once():
    """A function for on_gap, and what it was called with."""
    calls = []

    def on_gap(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise ConnectionLost("the state of the application")  # a kind that the package itself would try again

    return on_gap, calls


def test_a_gap_of_a_reader_is_told_again_if_telling_it_failed():
    async def scenario():
        async def answer(*words):
            return [[5, 6, 1], [5, b"new", b"a", 0]]

        on_gap, calls = fails_once()
        reading = reader(Answering(answer), on_gap=on_gap)
        with pytest.raises(ConnectionLost):
            await reading.__anext__()
        assert (await reading.__anext__()).offset == 5 and calls == [(1, 5), (1, 5)]

    run(scenario())


def test_the_answer_to_ack_does_not_drop_the_receipt_of_a_fetch_that_has_ended_meanwhile():
    async def scenario():
        answered, fetched, acknowledged = asyncio.Event(), itertools.count(1), []

        async def answer(command, *words):
            if command == "CHAN.FETCH":
                number = next(fetched)
                return [[b"id", b"a"]], number, 0
            acknowledged.append(words[-1])
            if len(acknowledged) == 1:
                await answered.wait()
            return 1

        reading = subscription(Answering(answer))
        await reading.__anext__()
        acknowledging = asyncio.ensure_future(reading.ack())
        await until(lambda: acknowledged)
        await reading.__anext__()
        answered.set()
        await acknowledging
        await reading.__anext__()
        assert acknowledged == [1, 1, 2]

    run(scenario())


def test_a_gap_of_a_subscription_is_told_again_if_telling_it_failed():
    async def scenario():
        async def answer(command, *_):
            if len(link.sent) == 1:
                raise redis.ResponseError("NOSUB no such subscriber")
            return 0 if command == "CHAN.SUBSCRIBE" else [[[b"id", b"a"]], 1, 0]

        on_gap, calls = fails_once()
        link = Answering(answer)
        reading = subscription(link, on_gap)
        with pytest.raises(ConnectionLost):
            await reading.__anext__()
        assert (await reading.__anext__()).content == b"a" and calls == [(), ()]

    run(scenario())


@pytest.mark.parametrize("start", ["first", "end"])
def test_a_reader_that_looks_for_its_start_can_be_stopped(start):
    async def scenario():
        async def silent(*words):
            await asyncio.Event().wait()

        link = Answering(silent)
        reading = reader(link, start=start)
        waits = asyncio.ensure_future(reading.__anext__())
        await until(lambda: link.sent)
        reading.stop()
        with pytest.raises(StopAsyncIteration):
            await waits

    run(scenario())


def test_a_subscription_that_cannot_subscribe_can_be_stopped():
    async def scenario():
        async def answer(command, *_):
            if command == "CHAN.SUBSCRIBE":
                reading.stop()
                raise ConnectionLost("the server")
            raise redis.ResponseError("NOSUB no such subscriber")

        reading = subscription(Answering(answer))
        with pytest.raises(StopAsyncIteration):
            await reading.__anext__()

    run(scenario())


# --- pools ---

def test_an_acknowledgement_is_not_sent_again_after_the_worker_has_joined_a_new_pool():
    async def scenario():
        before = []  # how many acknowledgements were sent since the last join when a handler began

        def since_joining(command):
            sent = [words[0] for words in link.sent]
            last = len(sent) - 1 - sent[::-1].index("SHARD.JOIN")
            return sent[last:].count(command)

        async def answer(command, *words):
            has_joined_again = len(link.owners("SHARD.JOIN")) == 2
            if command == "SHARD.INFO":
                return [b"stale", 15_000, b"maxattempts", 0]
            if command == "EXEC":
                return [1, b"OK"]
            if command == "SHARD.PULL" and since_joining(command) == 1:
                return [[b"ann", 1, b"p", 1]]
            if command == "SHARD.PULL" and has_joined_again:
                await asyncio.sleep(SOON)
            if command in ("SHARD.PULL", "SHARD.ACK") and not has_joined_again:
                raise ConnectionLost("the server")
            return 1

        link = Answering(answer)
        worker = millrace.asyncio.pool_worker.PoolWorker(link, "mail", "w1", Raw(), concurrency=1, prefetch=1,
                                                         backoff=Backoff.none())
        worker.handler(lambda *_: before.append(since_joining("SHARD.ACK")))
        running = asyncio.ensure_future(worker.run())
        await until(lambda: len(before) == 2)
        worker.stop()
        await running
        assert before == [0, 0]

    run(scenario())


# --- devices ---

def test_a_device_that_is_opened_again_gives_signs_of_life():
    async def scenario():
        async def answer(*words):
            return 1

        link = Answering(answer)
        device = millrace.asyncio.routes.Device(link, "table", "a|socket", user=None, agent=None, ttl=0.03)
        for _ in range(2):
            link.sent.clear()
            async with device:
                await until(lambda: any("TOUCH" in words for words in link.sent))

    run(scenario())
