# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""Sending commands to one server, each exactly once; only persist() sends a command again."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import redis

from ..backoff import pauses
from ..errors import ConnectionLost, MillraceError, RefusedForNow, checked, is_answer, reason_of, server_error
from ..replies import Word, Words, packed
from ..settings import Settings
from ..source import Source
from . import waiting

Then = Callable[[list[Any]], list[Words]]
_IDLE_MOST = 16  # connections that are kept for each time-out


class Line:
    """One connection, with one exchange at a time."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def exchange(self, commands: Sequence[Words], breaker: waiting.Breaker | None,
                       then: Then | None = None) -> list[Any]:
        """Returns the replies, including errors of the server. The commands that `then` makes from them are sent next,
        and their replies are added. Raises ConnectionLost; the connection is closed then."""
        try:
            # In a task of its own: time-outs of redis-py cancel the task in which they run, and may leave it marked as
            # cancelled.
            return waiting.apart(lambda: self._converse(commands, then), self._connection, breaker)
        except redis.DataError as error:  # nothing was sent
            self.close()
            raise TypeError(str(error)) from error
        except (redis.RedisError, OSError) as error:
            self.close()
            if is_answer(error):  # the server refuses the connection: wrong password, or it is loading
                raise server_error(error) from error
            raise ConnectionLost(f"{commands[0][0]!s}: {reason_of(error)}") from error
        except BaseException:
            # Its answer may still come, and must not be taken for the answer to the next command.
            self.close()
            raise

    def _converse(self, commands: Sequence[Words], then: Then | None) -> list[Any]:
        replies = self._send_and_read(commands)
        more = then(replies) if then is not None else []
        return [*replies, *self._send_and_read(more)] if more else replies

    def _send_and_read(self, commands: Sequence[Words]) -> list[Any]:
        connection = self._connection
        connection.connect()
        connection.send_packed_command(
            connection.pack_commands([tuple(packed(word) for word in words) for words in commands]))
        replies: list[Any] = []
        for _ in commands:
            try:
                replies.append(connection.read_response())
            except redis.ResponseError as error:
                replies.append(error)
        return replies

    def close(self) -> None:
        try:
            waiting.apart(self._connection.disconnect, self._connection)
        except (redis.RedisError, OSError):
            pass  # the connection is closed in any case


class Node:
    """Our connections to one server."""

    def __init__(self, source: Source, address: tuple[str, int] | None = None) -> None:
        self._source = source
        self._address = address
        self._idle: dict[float, list[Line]] = {}
        self._mutex = waiting.Mutex()

    def exchange(self, commands: Sequence[Words], timeout: float,
                       breaker: waiting.Breaker | None = None, then: Then | None = None) -> list[Any]:
        with self._mutex:
            idle = self._idle.setdefault(timeout, [])
            line = idle.pop() if idle else None
        if line is None:
            line = Line(self._source.connection(timeout, self._address))
        try:
            replies = line.exchange(commands, breaker, then)
        except ConnectionLost:
            # The other connections are as old as this one, and probably broken too.
            self.close()
            raise
        if any(isinstance(reply, Exception) and isinstance(server_error(reply), RefusedForNow) for reply in replies):
            # With Sentinel, another server may be the master by now: a new connection asks for it when it connects.
            line.close()
            self.close()
        else:
            with self._mutex:
                if len(idle) < _IDLE_MOST:
                    idle.append(line)
                    return replies
            line.close()
        return replies

    def close(self) -> None:
        """Closes the idle connections."""
        with self._mutex:
            lines = [line for idle in self._idle.values() for line in idle]
            for idle in self._idle.values():
                idle.clear()
        for line in lines:
            line.close()


class Link:
    """Sends commands to one server; ClusterLink sends them to the node that serves a key."""

    def __init__(self, source: Source, settings: Settings) -> None:
        self.settings = settings
        self._source = source
        self._node = Node(source)

    def exchange(self, key: str, commands: Sequence[Words], timeout: float | None = None,
                       breaker: waiting.Breaker | None = None, then: Then | None = None) -> list[Any]:
        """Sends the commands together, once, and then, on the same connection, the commands that `then` makes from the
        replies."""
        return self._node.exchange(commands, timeout or self.settings.answer_timeout, breaker, then)

    def call(self, key: str, *words: Word, timeout: float | None = None,
                   breaker: waiting.Breaker | None = None) -> Any:
        """Sends one command, once; raises the error if the answer is one."""
        [reply] = self.exchange(key, [words], timeout, breaker)
        return checked(reply)

    def persist(self, key: str, *words: Word, retry_for: float | None = None, timeout: float | None = None,
                      until: waiting.Flag | None = None, also: tuple[type[Exception], ...] = ()) -> Any:
        """The same, but sends it again until it is answered. REQUIRES: executing it twice does no harm."""
        [reply] = self.persist_all(key, [words], retry_for, timeout, until, also)
        return reply

    def persist_all(self, key: str, commands: Sequence[Words], retry_for: float | None = None,
                          timeout: float | None = None, until: waiting.Flag | None = None,
                          also: tuple[type[Exception], ...] = ()) -> list[Any]:
        """Sends all commands again until all are answered. Gives up after `retry_for` seconds, or when the flag is set,
        and raises the last error. Errors of the kinds in `also` are retried too."""
        end = waiting.now() + (self.settings.retry_for if retry_for is None else retry_for)
        for pause in pauses():
            try:
                replies = self.exchange(key, commands, timeout)
                return [checked(reply) for reply in replies]
            except MillraceError as error:
                if not isinstance(error, (ConnectionLost, RefusedForNow, *also)):
                    raise
                self.tell_retry(commands[0], error, pause)
                if waiting.now() + pause > end or (until is not None and until.is_set()):
                    raise
            (waiting.sleep(pause) if until is None else until.wait(pause))
        raise AssertionError("pauses() never ends")

    def tell_retry(self, words: Words, error: Exception, pause: float) -> None:
        self.settings.logger.debug("%s is sent again in %.2f s: %s", words[0], pause, error)
        self.settings.notice("retried", command=str(words[0]), error=str(error), pause=pause)

    def close(self) -> None:
        self._node.close()
