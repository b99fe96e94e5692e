"""millrace.asyncio for tests that are written once for both halves of the Python package: a call that is awaited there
returns here when it is done. Everything runs in one event loop in a thread of its own, also handlers and other
callbacks."""

import asyncio
import contextlib
import functools
import inspect
import threading

import millrace
import millrace.asyncio


class Loop:
    """An event loop in a thread. Use as a context manager."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def call(self, function, *arguments, **named):
        """Calls the function in the loop, awaits what it returns, and returns the result."""
        if threading.current_thread() is self._thread:  # called in a callback: it must not wait for its own thread
            return function(*arguments, **named)

        async def run():
            returned = function(*arguments, **named)
            # The future that a producer returns is not awaited here: the caller may wait for it.
            is_awaited = inspect.isawaitable(returned) and not isinstance(returned, asyncio.Future)
            return await returned if is_awaited else returned

        return self.wrapped(asyncio.run_coroutine_threadsafe(run(), self._loop).result(60))

    def wrapped(self, value):
        is_theirs = type(value).__module__.startswith("millrace.asyncio") or inspect.isasyncgen(value)
        return Blocking(self, value) if is_theirs else value


class Blocking:
    """Wraps an object of millrace.asyncio."""

    def __init__(self, loop, awaited):
        self._loop, self._awaited = loop, awaited

    def __getattr__(self, name):
        value = getattr(self._awaited, name)
        return functools.partial(self._loop.call, value) if inspect.isroutine(value) else value

    def __enter__(self):
        return self._loop.call(self._awaited.__aenter__)

    def __exit__(self, *reason):
        return self._loop.call(self._awaited.__aexit__, *reason)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self._loop.call(self._awaited.__anext__)
        except StopAsyncIteration:
            raise StopIteration from None


@contextlib.contextmanager
def connected(half, client_or_url, **options):
    """A Millrace of this half, to be used without await. If the client is given as a function, it is called in the
    event loop, if there is one."""
    def make(package):
        if isinstance(client_or_url, str):
            return package.Millrace.from_url(client_or_url, **options)
        return package.Millrace(client_or_url(), **options)

    with contextlib.ExitStack() as stack:
        if half == "sync":
            yield stack.enter_context(make(millrace))
        else:
            loop = stack.enter_context(Loop())
            yield stack.enter_context(loop.call(make, millrace.asyncio))
