"""How this package waits in asyncio. millrace/sync/waiting.py has the same names for threads;
clients/python/generate_sync makes all other modules of millrace/sync from the ones here."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import inspect
import time
from typing import Any, Awaitable, Callable, Generic, Iterable, Iterator, TypeVar

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from ..errors import BrokenOff, TimeLimitExceeded

T = TypeVar("T")

Cancelled = asyncio.CancelledError
Promise = asyncio.Future
now = time.monotonic
client_from_url: Callable[..., Any] = redis.asyncio.Redis.from_url


def no_retry() -> Any:
    return Retry(NoBackoff(), 0)


class Mutex:
    """In asyncio nothing else runs between two awaits, so there is nothing to lock."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


class Flag:
    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.set = self._event.set
        self.clear = self._event.clear
        self.is_set = self._event.is_set

    async def wait(self, timeout: float | None = None) -> bool:
        """Waits; returns whether the flag was set in time."""
        if self._event.is_set():
            return True
        if timeout is None:
            return await self._event.wait()
        if timeout <= 0:
            return False
        # Not wait_for: before Python 3.12 it loses a cancellation that comes just when it is done.
        waiter = asyncio.ensure_future(self._event.wait())
        try:
            done, _ = await asyncio.wait([waiter], timeout=timeout)
        finally:
            waiter.cancel()
        return bool(done)


class Box(Generic[T]):
    """A queue that can be closed."""

    def __init__(self) -> None:
        self._items: collections.deque[T] = collections.deque()
        self._closed = False
        self._filled = asyncio.Event()

    def put(self, *items: T) -> None:
        self._items.extend(items)
        self._filled.set()

    def take_now(self) -> T | None:
        """The next item, if there is one."""
        return self._items.popleft() if self._items else None

    async def take(self) -> T | None:
        """The next item; None once it is closed and empty."""
        while not self._items:
            if self._closed:
                return None
            self._filled.clear()
            await self._filled.wait()
        return self._items.popleft()

    def empty(self) -> list[T]:
        """Removes and returns all items."""
        items = list(self._items)
        self._items.clear()
        return items

    def close(self) -> None:
        self._closed = True
        self._filled.set()


class Task:
    def __init__(self, task: asyncio.Task[None]) -> None:
        self._task = task

    def cancel(self) -> None:
        self._task.cancel()

    async def join(self, timeout: float | None = None) -> bool:
        """Waits; returns whether it has ended in time."""
        done, _ = await asyncio.wait([self._task], timeout=None if timeout is None else max(timeout, 0))
        return bool(done)


def spawn(name: str, function: Callable[..., Awaitable[None]], *arguments: Any) -> Task:
    async def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await function(*arguments)

    return Task(asyncio.get_running_loop().create_task(run(), name=f"millrace {name}"))


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function of the user: a coroutine function or a plain one."""
    returned = function(*arguments)
    return await returned if inspect.isawaitable(returned) else returned


async def call_within(limit: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """The same, but cancelled after `limit` seconds."""
    task = asyncio.ensure_future(call(function, *arguments))
    expired = False

    def expire() -> None:
        nonlocal expired
        expired = True
        task.cancel()

    timer = asyncio.get_running_loop().call_later(limit, expire)
    try:
        return await task  # if we are cancelled, so is the task
    except asyncio.CancelledError:
        if expired:
            raise TimeLimitExceeded(f"the handler took longer than {limit} seconds") from None
        raise
    finally:
        timer.cancel()


async def all_within(timeout: float, functions: list[Callable[[], Awaitable[T]]],
                     enough: Callable[[list[T]], bool]) -> list[T]:
    """Runs all at the same time, until enough of them have returned or the time is over; returns the results so far."""
    results: list[T] = []
    tasks = [asyncio.ensure_future(function()) for function in functions]
    try:
        for finished in asyncio.as_completed(tasks, timeout=timeout):
            with contextlib.suppress(Exception):
                results.append(await finished)
            if enough(results):
                break
    except asyncio.TimeoutError:
        pass
    finally:
        for task in tasks:
            if not task.done():
                task.cancel()
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return results


def new_promise() -> asyncio.Future[Any]:
    promise: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    # So that asyncio does not report an error that was not read: flush() raises it.
    promise.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return promise


class Breaker:
    """Ends a wait of another task, by closing its connection."""

    def __init__(self) -> None:
        self._broken = False
        self._waiting: asyncio.Future[Any] | None = None

    async def run(self, exchange: Callable[[], Awaitable[T]], connection: Any) -> T:
        self.check()
        exchanging: asyncio.Future[T] = asyncio.ensure_future(exchange())
        # If we are cancelled, its error is not read.
        exchanging.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self._waiting = exchanging
        try:
            # Not `await exchanging`: that would pass a cancellation on to it, where it might be lost.
            await asyncio.wait([exchanging])
        except asyncio.CancelledError:
            self._cancel(exchanging)
            await asyncio.wait([exchanging])
            raise
        finally:
            self._waiting = None
        if exchanging.cancelled() and self._broken:
            raise BrokenOff("the wait was broken off")
        return exchanging.result()

    def break_off(self) -> None:
        """Ends the wait that runs in it, and all later ones."""
        self._broken = True
        if self._waiting is not None:
            self._cancel(self._waiting)

    def check(self) -> None:
        """Raises BrokenOff if the wait must not begin."""
        if self._broken:
            raise BrokenOff("the wait was broken off")

    def _cancel(self, exchanging: asyncio.Future[Any]) -> None:
        # Repeated: before Python 3.12, wait_for, which redis-py uses to send, loses a cancellation that comes just when
        # it is done. The next exchange may have begun by then, and must not be cancelled.
        if not exchanging.done():
            exchanging.cancel()
            exchanging.get_loop().call_later(0.05, self._cancel, exchanging)


async def apart(exchange: Callable[[], Awaitable[T]], connection: Any, breaker: Breaker | None = None) -> T:
    """Runs the exchange in a task of its own, so that it cannot cancel this one. If this task is cancelled, so is the
    exchange, and it has ended when this raises."""
    return await (breaker or Breaker()).run(exchange, connection)


class Canceller:
    """Cancels the task that made it, once. take_back() undoes a cancellation that has not taken effect yet."""

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self._cancelled = False

    def cancel(self) -> None:
        if self._task is not None and not self._task.done() and self._task is not asyncio.current_task():
            self._cancelled = True
            self._task.cancel()

    def take_back(self) -> None:
        if self._cancelled and self._task is not None and hasattr(self._task, "uncancel"):
            self._task.uncancel()


@contextlib.contextmanager
def on_signals(signals: Iterable[int], function: Callable[[], None]) -> Iterator[None]:
    """Calls the function when one of the signals arrives."""
    loop = asyncio.get_running_loop()
    listened = list(signals)
    for number in listened:
        loop.add_signal_handler(number, function)
    try:
        yield
    finally:
        for number in listened:
            loop.remove_signal_handler(number)
