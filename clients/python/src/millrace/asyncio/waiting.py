"""How this package waits in asyncio. millrace/sync/waiting.py has the same names for threads; all other modules of
millrace/sync are made of those here by clients/python/generate_sync."""

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
    """Nothing here runs beside anything else between two awaits."""

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
        """Whether it is set in time."""
        if self._event.is_set():
            return True
        if timeout is None:
            return await self._event.wait()
        if timeout <= 0:
            return False
        # Not wait_for, which before Python 3.12 loses a cancellation that comes when it is just done.
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
        """Takes out everything there is."""
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
        """Whether it has ended in time."""
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
    """Calls what a user gave us: a coroutine function, or a plain one."""
    returned = function(*arguments)
    return await returned if inspect.isawaitable(returned) else returned


async def call_within(limit: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """The same, cancelled after so many seconds."""
    task = asyncio.ensure_future(call(function, *arguments))
    expired = False

    def expire() -> None:
        nonlocal expired
        expired = True
        task.cancel()

    timer = asyncio.get_running_loop().call_later(limit, expire)
    try:
        return await task  # cancelled with us, too
    except asyncio.CancelledError:
        if expired:
            raise TimeLimitExceeded(f"the handler took longer than {limit} seconds") from None
        raise
    finally:
        timer.cancel()


async def all_within(timeout: float, functions: list[Callable[[], Awaitable[T]]],
                     enough: Callable[[list[T]], bool]) -> list[T]:
    """Runs all at once; what those returned that came in time, and no later than enough of them have."""
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
    for task in tasks:
        if not task.done():
            task.cancel()
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return results


def new_promise() -> asyncio.Future[Any]:
    promise: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    # An error that nobody asks for is not worth a line: flush() raises it.
    promise.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return promise


class Breaker:
    """Breaks off a wait of another task, by closing its connection."""

    def __init__(self) -> None:
        self._broken = False
        self._waiting: asyncio.Future[Any] | None = None

    async def run(self, exchange: Callable[[], Awaitable[T]], connection: Any) -> T:
        if self._broken:
            raise BrokenOff("the wait was broken off")
        exchanging: asyncio.Future[T] = asyncio.ensure_future(exchange())
        # If we are cancelled, nobody asks for its error.
        exchanging.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self._waiting = exchanging
        try:
            # Not `await exchanging`: that would hand a cancellation on, and it might be lost there.
            await asyncio.wait([exchanging])
        except asyncio.CancelledError:
            self._cancel()
            await asyncio.wait([exchanging])
            raise
        finally:
            self._waiting = None
        if exchanging.cancelled() and self._broken:
            raise BrokenOff("the wait was broken off")
        return exchanging.result()

    def break_off(self) -> None:
        """From now on everything that runs in it ends."""
        self._broken = True
        self._cancel()

    def _cancel(self) -> None:
        # More than once: before Python 3.12 wait_for, which redis-py sends by, loses a cancellation that comes when it is
        # just done.
        if self._waiting is not None and not self._waiting.done():
            self._waiting.cancel()
            self._waiting.get_loop().call_later(0.05, self._cancel)


async def apart(exchange: Callable[[], Awaitable[T]], connection: Any, breaker: Breaker | None = None) -> T:
    """Runs it in a task of its own, so that only others cancel this one: then it is cancelled, too, and has ended when
    this raises."""
    return await (breaker or Breaker()).run(exchange, connection)


class Canceller:
    """Cancels the task that made it, once, and takes that back if it is still under way."""

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
    """Calls the function when one of the signals comes."""
    loop = asyncio.get_running_loop()
    listened = list(signals)
    for number in listened:
        loop.add_signal_handler(number, function)
    try:
        yield
    finally:
        for number in listened:
            loop.remove_signal_handler(number)
