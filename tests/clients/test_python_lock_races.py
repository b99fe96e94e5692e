"""What the locks of the Python package do when calls are cancelled or leases end at a bad moment."""

import asyncio
import threading
import time

import pytest

from answering import SOON, Answering, AnsweringThreads, run, until  # also finds the package

import millrace.asyncio.lock
import millrace.sync.lock
from millrace import ConnectionLost, LockLost
from millrace.asyncio.redlock import Redlock


def lock(link, **options):
    return millrace.asyncio.lock.Lock(link, "pay", **{"ttl": 30, "wait": 0, "shared": False, "limit": None,
                                                      "value": None, **options})


async def cancel_and_go_on(call, then):
    """Calls in a task that is cancelled meanwhile and goes on in the same step, as after asyncio.timeout()."""
    began = asyncio.Event()

    async def both():
        began.set()
        with pytest.raises(asyncio.CancelledError):
            await call()
        await then()

    task = asyncio.ensure_future(both())
    await began.wait()
    await asyncio.sleep(0.01)
    task.cancel()
    await task


def test_the_release_of_a_cancelled_acquisition_is_not_one_of_the_next():
    async def scenario():
        async def answer(command, key, owner, *_):
            if command == "LOCK.ACQUIRE" and len(link.owners(command)) == 1:
                await asyncio.Event().wait()
            return [1, 5, 0, 0] if command == "LOCK.ACQUIRE" else 1

        link = Answering(answer)
        held = lock(link)
        await cancel_and_go_on(held.acquire, held.acquire)
        await until(lambda: link.owners("LOCK.RELEASE"))
        assert link.owners("LOCK.RELEASE") == link.owners("LOCK.ACQUIRE")[:1] != [held.owner]

    run(scenario())


def test_a_release_that_was_cancelled_does_not_release_the_next_acquisition():
    async def scenario():
        async def answer(command, key, owner, *_):
            if command == "LOCK.RELEASE" and len(link.owners(command)) == 1:
                await asyncio.Event().wait()
            return [1, 5, 0, 0] if command == "LOCK.ACQUIRE" else 1

        link = Answering(answer)
        held = lock(link)
        await held.acquire()
        first = held.owner
        await cancel_and_go_on(held.release, held.acquire)
        await until(lambda: len(link.owners("LOCK.RELEASE")) == 2)
        assert link.owners("LOCK.RELEASE") == [first, first] != [held.owner] * 2

    run(scenario())


def test_a_lost_acquisition_is_released_even_if_the_task_is_cancelled_then():
    async def scenario():
        go_on, released = asyncio.Event(), []

        async def answer(command, key, owner, *_):
            if command == "LOCK.ACQUIRE":
                raise ConnectionLost("the answer")
            await go_on.wait()
            released.append(owner)
            return 1

        link = Answering(answer)
        acquiring = asyncio.ensure_future(lock(link).acquire())
        await until(lambda: link.owners("LOCK.RELEASE"))
        acquiring.cancel()
        await asyncio.wait([acquiring])
        go_on.set()
        await until(lambda: released == link.owners("LOCK.ACQUIRE"))

    run(scenario())


def test_a_cancelled_redlock_is_released_on_all_servers():
    async def scenario():
        async def granted(command, key, owner, *_):
            return [1, 5, 0, 0] if command == "LOCK.ACQUIRE" else 1

        async def silent(command, *_):
            return 1 if command == "LOCK.RELEASE" else await asyncio.Event().wait()

        links = [Answering(granted), Answering(silent), Answering(silent)]
        held = Redlock(links, "pay", ttl=30, wait=0, limit=None, patience=10)
        acquiring = asyncio.ensure_future(held.acquire())
        await until(lambda: all(link.sent for link in links))
        acquiring.cancel()
        await until(lambda: all(link.owners("LOCK.RELEASE") == [held.owner] for link in links))

    run(scenario())


def test_a_lease_that_ended_is_released_because_a_late_renewal_may_have_prolonged_it():
    async def scenario():
        async def answer(command, *_):
            if command == "LOCK.RENEW":
                raise ConnectionLost("the answer")
            return [1, 5, 0, 0] if command == "LOCK.ACQUIRE" else 1

        link = Answering(answer)
        held = lock(link, ttl=0.1)
        with pytest.raises(LockLost):
            async with held:
                await asyncio.sleep(60)
        await until(lambda: link.owners("LOCK.RELEASE") == [held.owner])

    run(scenario())


def test_a_lease_that_ends_while_the_loop_is_blocked_is_lost():
    async def scenario():
        async def answer(command, *_):
            return [1, 5, 0, 0] if command == "LOCK.ACQUIRE" else 1

        with pytest.raises(LockLost):
            async with lock(Answering(answer), ttl=0.1):
                time.sleep(0.11)

    run(scenario())


def test_a_lock_that_is_acquired_again_is_not_held_before_the_grant():
    async def scenario():
        remaining = []

        async def answer(command, *_):
            remaining.append(held.remaining)
            return [1, 5, 0, 0] if command == "LOCK.ACQUIRE" else 1

        held = lock(Answering(answer))
        for _ in range(2):
            await held.acquire()
            await held.release()
        assert remaining == [0.0] * 4

    run(scenario())


def test_an_answer_about_the_last_acquisition_does_not_end_the_next():
    late, renewing = threading.Event(), threading.Event()

    def answer(command, key, owner, *_):
        if command == "LOCK.RENEW":
            renewing.set()
            late.wait(SOON)
            return int(owner != first)
        return [1, 5, 0, 0] if command == "LOCK.ACQUIRE" else 1

    held = millrace.sync.lock.Lock(AnsweringThreads(answer), "pay", ttl=3, wait=0, shared=False, limit=None, value=None)
    held.acquire()
    first, renewal = held.owner, held._tasks[0]
    assert renewing.wait(SOON)
    held.release()
    held.acquire()
    late.set()
    assert renewal.join(SOON)
    assert not held.lost.is_set() and held.remaining > 0
    held.release()
