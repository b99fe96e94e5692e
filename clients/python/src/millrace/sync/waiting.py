"""How this package waits in threads. millrace/asyncio/waiting.py has the same names for asyncio."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import inspect
import signal
import socket
import threading
import time
from typing import Any, Callable, Generic, Iterable, Iterator, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ..errors import BrokenOff, TimeLimitExceeded

T = TypeVar("T")

Promise = concurrent.futures.Future
now = time.monotonic
client_from_url: Callable[..., Any] = redis.Redis.from_url


class Cancelled(BaseException):
    """A thread cannot be cancelled: this is never raised."""


def no_retry() -> Any:
    return Retry(NoBackoff(), 0)


Mutex = threading.Lock


class Flag:
    def __init__(self) -> None:
        self._event = threading.Event()
        self.set = self._event.set
        self.clear = self._event.clear
        self.is_set = self._event.is_set

    def wait(self, timeout: float | None = None) -> bool:
        """Waits; returns whether the flag was set in time."""
        return self._event.wait(None if timeout is None else max(timeout, 0))


class Box(Generic[T]):
    """A queue that can be closed."""

    def __init__(self) -> None:
        self._items: collections.deque[T] = collections.deque()
        self._closed = False
        self._changed = threading.Condition()

    def put(self, *items: T) -> None:
        with self._changed:
            self._items.extend(items)
            self._changed.notify(len(items))

    def take_now(self) -> T | None:
        """The next item, if there is one. Needs no lock: a deque is thread-safe itself."""
        try:
            return self._items.popleft()
        except IndexError:
            return None

    def take(self) -> T | None:
        """The next item; None once it is closed and empty."""
        with self._changed:
            while (item := self.take_now()) is None and not self._closed:
                self._changed.wait()
            return item

    def empty(self) -> list[T]:
        """Removes and returns all items."""
        with self._changed:
            items = list(self._items)
            self._items.clear()
            return items

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Task:
    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread

    def cancel(self) -> None:
        """A thread cannot be cancelled: it runs on, and its result is ignored."""

    def join(self, timeout: float | None = None) -> bool:
        """Waits; returns whether it has ended in time."""
        self._thread.join(None if timeout is None else max(timeout, 0))
        return not self._thread.is_alive()


def spawn(name: str, function: Callable[..., None], *arguments: Any) -> Task:
    thread = threading.Thread(target=function, args=arguments, name=f"millrace {name}", daemon=True)
    thread.start()
    return Task(thread)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function of the user. An async function is an error: it would return without having done anything."""
    returned = function(*arguments)
    if inspect.iscoroutine(returned):
        returned.close()
        raise TypeError("an async function needs millrace.asyncio")
    return returned


def call_within(limit: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """The same, with a time limit. A thread that takes longer runs on."""
    promise = new_promise()
    spawn("handler", _keep, promise, call, function, *arguments)
    try:
        return promise.result(limit)
    except concurrent.futures.TimeoutError:
        if promise.done():  # the function raised it
            raise
        raise TimeLimitExceeded(f"the handler took longer than {limit} seconds") from None


def _keep(promise: concurrent.futures.Future[Any], function: Callable[..., Any], *arguments: Any) -> None:
    try:
        promise.set_result(function(*arguments))
    except BaseException as error:  # the error is for the caller that asks for the result
        promise.set_exception(error)


def all_within(timeout: float, functions: list[Callable[[], T]], enough: Callable[[list[T]], bool]) -> list[T]:
    """Runs all at the same time, until enough of them have returned or the time is over; returns the results so far."""
    results: list[T] = []
    promises = [new_promise() for _ in functions]
    for promise, function in zip(promises, functions):
        spawn("request", _keep, promise, function)
    with contextlib.suppress(concurrent.futures.TimeoutError):
        for finished in concurrent.futures.as_completed(promises, timeout):
            if finished.exception() is None:
                results.append(finished.result())
            if enough(results):
                break
    return results


def new_promise() -> concurrent.futures.Future[Any]:
    return concurrent.futures.Future()


class Breaker:
    """Breaks off a wait of another thread, by closing its connection."""

    def __init__(self) -> None:
        self._broken = False
        self._connection: Any = None
        self._mutex = threading.Lock()

    def run(self, exchange: Callable[[], T], connection: Any) -> T:
        with self._mutex:
            self.check()
            self._connection = connection
        try:
            return exchange()
        except Exception:
            if self._broken:
                raise BrokenOff("the wait was broken off") from None
            raise
        finally:
            with self._mutex:
                self._connection = None

    def break_off(self) -> None:
        """Ends the wait that runs in it, and all later ones."""
        with self._mutex:
            self._broken = True
            # The other thread reads from this socket: the end of the stream wakes it, and it closes the socket itself.
            waited_for = getattr(self._connection, "_sock", None)
            if waited_for is not None:
                with contextlib.suppress(OSError):
                    waited_for.shutdown(socket.SHUT_RDWR)

    def check(self) -> None:
        """Raises BrokenOff if the wait must not begin. A connection has no socket that break_off() could close until it
        is connected, so this is called then."""
        if self._broken:
            raise BrokenOff("the wait was broken off")


def apart(exchange: Callable[[], T], connection: Any, breaker: Breaker | None = None) -> T:
    """A thread cannot be cancelled, so the exchange needs no protection."""
    return exchange() if breaker is None else breaker.run(exchange, connection)


class Canceller:
    """A thread cannot be cancelled."""

    def cancel(self) -> None:
        pass

    def take_back(self) -> None:
        pass


@contextlib.contextmanager
def on_signals(signals: Iterable[int], function: Callable[[], None]) -> Iterator[None]:
    """Calls the function when one of the signals arrives. REQUIRES: the main thread, if there are any."""
    def handler(number: int, frame: object) -> None:
        # In a thread of its own: when the signal arrives, the main thread may hold any lock.
        threading.Thread(target=function, daemon=True).start()

    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
