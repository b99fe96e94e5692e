"""Sending commands to one server, each exactly once; only persist() sends a command again."""

from __future__ import annotations

import os
from typing import Any, Callable, Sequence

import redis

from ..backoff import pauses
from ..errors import ConnectionLost, MillraceError, RefusedForNow, checked, is_answer, reason_of, server_error
from ..replies import Word, Words, packed
from ..settings import Settings
from ..source import Source
from . import waiting

Then = Callable[[list[Any]], list[Words]]
_IDLE_MOST = 16  # connections to one server that are kept


class Line:
    """One connection, with one exchange at a time."""

    def __init__(self, connection: Any, timeout: float) -> None:
        self._connection = connection
        self.timeout = timeout

    async def exchange(self, commands: Sequence[Words], breaker: waiting.Breaker | None,
                       then: Then | None = None) -> list[Any]:
        """Returns the replies, including errors of the server. The commands that `then` makes from them are sent next,
        and their replies are added. Raises ConnectionLost; the connection is closed then."""
        try:
            # In a task of its own: time-outs of redis-py cancel the task in which they run, and may leave it marked as
            # cancelled.
            return await waiting.apart(lambda: self._converse(commands, then, breaker), self._connection, breaker)
        except redis.DataError as error:  # nothing was sent
            await self.close()
            raise TypeError(str(error)) from error
        except (redis.RedisError, OSError) as error:
            await self.close()
            if is_answer(error):  # the server refuses the connection: wrong password, or it is loading
                raise server_error(error) from error
            raise ConnectionLost(f"{commands[0][0]!s}: {reason_of(error)}") from error
        except BaseException:
            # Its answer may still come, and must not be taken for the answer to the next command.
            await self.close()
            raise

    async def _converse(self, commands: Sequence[Words], then: Then | None,
                        breaker: waiting.Breaker | None) -> list[Any]:
        await self._connection.connect()
        if breaker is not None:
            breaker.check()
        replies = await self._send_and_read(commands)
        more = then(replies) if then is not None else []
        return [*replies, *await self._send_and_read(more)] if more else replies

    async def _send_and_read(self, commands: Sequence[Words]) -> list[Any]:
        connection = self._connection
        await connection.send_packed_command(
            connection.pack_commands([tuple(packed(word) for word in words) for words in commands]))
        replies: list[Any] = []
        for _ in commands:
            try:
                replies.append(await connection.read_response())
            except redis.ResponseError as error:
                replies.append(error)
        return replies

    async def close(self) -> None:
        try:
            await waiting.apart(self._connection.disconnect, self._connection)
        except (redis.RedisError, OSError):
            pass  # the connection is closed in any case


class Node:
    """Our connections to one server."""

    def __init__(self, source: Source, address: tuple[str, int] | None = None, *, closed: bool = False) -> None:
        self._source = source
        self._address = address
        self._idle: list[Line] = []  # the one that was used last is the last
        self._closed = closed
        self._process = os.getpid()
        self._mutex = waiting.Mutex()

    async def exchange(self, commands: Sequence[Words], timeout: float,
                       breaker: waiting.Breaker | None = None, then: Then | None = None) -> list[Any]:
        line = self._take_idle(timeout) or Line(self._source.connection(timeout, self._address), timeout)
        try:
            replies = await line.exchange(commands, breaker, then)
        except ConnectionLost:
            # The other connections are as old as this one, and probably broken too.
            await self._close_idle()
            raise
        if any(isinstance(reply, Exception) and isinstance(server_error(reply), RefusedForNow) for reply in replies):
            # With Sentinel, another server may be the master by now: a new connection asks for it when it connects.
            await line.close()
            await self._close_idle()
        else:
            with self._mutex:
                self._idle.append(line)
            if self._closed or len(self._idle) > _IDLE_MOST:
                await self._close_idle(0 if self._closed else _IDLE_MOST)
        return replies

    def _take_idle(self, timeout: float) -> Line | None:
        with self._mutex:
            if self._process != os.getpid():  # forked: both processes would read from these connections
                self._process = os.getpid()
                self._idle.clear()
            for line in reversed(self._idle):
                if line.timeout == timeout:
                    self._idle.remove(line)
                    return line
        return None

    async def _close_idle(self, but: int = 0) -> None:
        """Closes the idle connections, but not those that were used last."""
        with self._mutex:
            count = max(0, len(self._idle) - but)
            surplus, self._idle = self._idle[:count], self._idle[count:]
        for line in surplus:
            await line.close()

    async def close(self) -> None:
        """Closes the idle connections now, and those in use after their use."""
        self._closed = True
        await self._close_idle()


class Link:
    """Sends commands to one server; ClusterLink sends them to the node that serves a key."""

    def __init__(self, source: Source, settings: Settings) -> None:
        self.settings = settings
        self._source = source
        self._node = Node(source)

    async def exchange(self, key: str, commands: Sequence[Words], timeout: float | None = None,
                       breaker: waiting.Breaker | None = None, then: Then | None = None) -> list[Any]:
        """Sends the commands together, once, and then, on the same connection, the commands that `then` makes from the
        replies."""
        return await self._node.exchange(commands, timeout or self.settings.answer_timeout, breaker, then)

    async def call(self, key: str, *words: Word, timeout: float | None = None,
                   breaker: waiting.Breaker | None = None) -> Any:
        """Sends one command, once; raises the error if the answer is one."""
        [reply] = await self.exchange(key, [words], timeout, breaker)
        return checked(reply)

    async def persist(self, key: str, *words: Word, retry_for: float | None = None, timeout: float | None = None,
                      until: waiting.Flag | None = None, still: Callable[[], bool] = lambda: True,
                      also: tuple[type[Exception], ...] = ()) -> Any:
        """The same, but sends it again until it is answered. REQUIRES: executing it twice does no harm."""
        [reply] = await self.persist_all(key, [words], retry_for, timeout, until, still, also)
        return reply

    async def persist_all(self, key: str, commands: Sequence[Words], retry_for: float | None = None,
                          timeout: float | None = None, until: waiting.Flag | None = None,
                          still: Callable[[], bool] = lambda: True,
                          also: tuple[type[Exception], ...] = ()) -> list[Any]:
        """Sends all commands again until all are answered. Gives up after `retry_for` seconds, when the flag is set, or
        when `still` returns false, and raises the last error. Errors of the kinds in `also` are retried too."""
        end = waiting.now() + (self.settings.retry_for if retry_for is None else retry_for)
        for pause in pauses():
            try:
                replies = await self.exchange(key, commands, timeout)
                return [checked(reply) for reply in replies]
            except MillraceError as error:
                if not isinstance(error, (ConnectionLost, RefusedForNow, *also)):
                    raise
                self.tell_retry(commands[0], error, pause)
                if waiting.now() + pause > end or (until is not None and until.is_set()):
                    raise
                await (waiting.sleep(pause) if until is None else until.wait(pause))
                if not still():
                    raise
        raise AssertionError("pauses() never ends")

    def tell_retry(self, words: Words, error: Exception, pause: float) -> None:
        self.settings.logger.debug("%s is sent again in %.2f s: %s", words[0], pause, error)
        self.settings.notice("retried", command=str(words[0]), error=str(error), pause=pause)

    async def close(self) -> None:
        await self._node.close()
