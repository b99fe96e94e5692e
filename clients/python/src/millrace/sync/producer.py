# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""Writes messages in batches; each is stored once, even if it is sent several times."""

from __future__ import annotations

import dataclasses
import os
import uuid
from typing import Any, Generic, TypeVar

from ..codecs import Codec
from ..errors import ConnectionLost, Full, MillraceError, NotReplicated, Undelivered
from ..replies import Word, Words, milliseconds, text
from . import waiting
from .link import Link

T = TypeVar("T")
_WAIT_MOST = 1.0  # seconds of one WAIT for replicas; it is repeated


@dataclasses.dataclass
class _Item:
    tag: str
    entry: bytes
    promise: waiting.Promise[Any]
    options: Words  # options of a write that is not batched: ID, AT or DELAY
    since: float


class Producer(Generic[T]):
    """Use it with `with`, or call close(): both send what is left."""

    def __init__(self, link: Link, key: str, codec: Codec[T], *, linger: float, batch: int, batch_bytes: int,
                 buffer: int, retry_for: float, replicas: int) -> None:
        self._link, self._key, self._codec = link, key, codec
        self._linger, self._batch, self._batch_bytes = linger, batch, batch_bytes
        self._buffer, self._retry_for, self._replicas = buffer, retry_for, replicas
        self._mutex = waiting.Mutex()
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        """Creates everything that belongs to one process. A fork has no thread that sends, and its messages must not get
        the ids of its parent's: what the parent has not sent yet, the parent sends."""
        self._process = os.getpid()
        self._name = uuid.uuid4().hex
        self._batches = 0
        self._items: list[_Item] = []  # messages that were not sent yet
        self._bytes = 0
        self._added = self._taken = self._answered = 0  # messages so far: in all, in batches, with an answer
        self._hurry_to = 0  # the messages up to this one are not to wait for a full batch
        self._flushes: list[tuple[int, waiting.Flag]] = []  # set once so many messages are answered
        self._error: Exception | None = None  # the first error since the last flush()
        self._filled, self._ripe, self._room = (waiting.Flag() for _ in range(3))
        self._task: waiting.Task | None = None

    def send(self, tag: str, value: T, *, id: str | None = None, at: float | None = None,
                   delay: float | None = None) -> waiting.Promise[Any]:
        """Puts a message into the buffer; waits while the buffer is full. The promise gives its offset, or with `at`
        (Unix seconds) or `delay` its ticket. With an `id` of your own, another process can send the same message
        again."""
        options: list[Word] = []
        if id is not None:
            options += ["ID", id]
        if at is not None:
            options += ["AT", milliseconds(at)]
        if delay is not None:
            options += ["DELAY", milliseconds(delay)]
        item = _Item(tag, self._codec.encode(value), waiting.new_promise(), tuple(options), waiting.now())
        while not self._add(item):
            self._room.wait()
        return item.promise

    def write(self, tag: str, value: T, *, id: str | None = None, at: float | None = None,
                    delay: float | None = None) -> Any:
        """Writes one message now, and returns its offset or ticket."""
        entry = self._codec.encode(value)
        options: list[Word] = ["ID", id or uuid.uuid4().hex]
        if at is not None:
            options += ["AT", milliseconds(at)]
        if delay is not None:
            options += ["DELAY", milliseconds(delay)]
        return self._write(("TWRITE", self._key, *options, "ENTRIES", tag, entry))

    def _add(self, item: _Item) -> bool:
        with self._mutex:
            if self._process != os.getpid():
                self._begin()
            if self._closed:
                raise MillraceError("the producer is closed")
            if self._added - self._answered >= self._buffer:
                self._room.clear()
                return False
            self._items.append(item)
            self._bytes += len(item.entry)
            self._added += 1
            # With threads each of these takes a lock, even if nothing changes.
            if len(self._items) == 1:
                self._filled.set()
            if self._is_ripe() and not self._ripe.is_set():
                self._ripe.set()
            if self._task is None:
                self._task = waiting.spawn("producer", self._run)
            return True

    def flush(self) -> None:
        """Waits until everything that was sent before has been answered; raises the first error there was."""
        answered = waiting.Flag()
        with self._mutex:
            if self._process != os.getpid():
                self._begin()
            self._hurry_to = self._added
            self._flushes.append((self._added, answered))
            if self._is_ripe():
                self._ripe.set()
            self._tell_flushes()
        answered.wait()
        with self._mutex:
            error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """Sends what is left; from now on nothing can be added."""
        with self._mutex:
            self._closed = True
            self._filled.set()
            self._room.set()
        try:
            self.flush()
        finally:
            if self._task is not None:
                self._task.join()

    def __enter__(self) -> Producer[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the task that sends ---

    def _is_ripe(self) -> bool:
        return self._taken < self._hurry_to or len(self._items) >= self._batch or self._bytes >= self._batch_bytes

    def _run(self) -> None:
        while self._has_some():
            batch = self._take()
            began = waiting.now()
            try:
                first = self._write(self._words(batch))
            except Exception as error:
                self._fail(batch, error)
            else:
                self._succeed(batch, first)
                self._link.settings.notice(
                    "sent", key=self._key, messages=len(batch), bytes=sum(len(item.entry) for item in batch),
                    seconds=waiting.now() - began)

    def _has_some(self) -> bool:
        """Waits for a batch; False once it is closed and everything is sent."""
        while True:
            self._filled.wait()
            with self._mutex:
                if not self._items:
                    if self._closed:
                        return False
                    self._filled.clear()
                    continue
                left = 0.0 if self._closed else self._items[0].since + self._linger - waiting.now()
            self._ripe.wait(left)
            return True

    def _take(self) -> list[_Item]:
        """The next batch: as many messages as fit into one write."""
        with self._mutex:
            count = size = 0
            for item in self._items[:self._batch]:
                size += len(item.entry)
                alone = bool(item.options)
                if count and (alone or size > self._batch_bytes):
                    break
                count += 1
                if alone:
                    break
            batch, self._items = self._items[:count], self._items[count:]
            self._bytes -= sum(len(item.entry) for item in batch)
            self._taken += count
            if not self._is_ripe():
                self._ripe.clear()
            self._batches += 1
            return batch

    def _words(self, batch: list[_Item]) -> Words:
        options = batch[0].options
        if "ID" not in options[:1]:
            options = ("ID", f"{self._name}-{self._batches}", *options)
        pairs: list[Word] = []
        for item in batch:
            pairs += (item.tag, item.entry)
        return ("TWRITE", self._key, *options, "ENTRIES", *pairs)

    def _write(self, words: Words) -> Any:
        """Sends a batch until it is answered, and replicated if that was asked for. Returns the offset or the ticket of
        the first message."""
        end = waiting.now() + self._retry_for
        commands: list[Words] = [words]
        if self._replicas:
            commands.append(("WAIT", self._replicas, milliseconds(min(_WAIT_MOST, self._link.settings.answer_timeout / 2))))
        while True:
            try:
                replies = self._link.persist_all(
                    self._key, commands, max(0.0, end - waiting.now()), also=(Full,))
            except ConnectionLost as error:
                raise Undelivered(f"no answer for {self._retry_for} seconds: {error}") from error
            place = text(replies[0]) if isinstance(replies[0], bytes) else replies[0]
            if not self._replicas or int(replies[1]) >= self._replicas:
                return place
            if waiting.now() > end:
                raise NotReplicated(f"only {replies[1]} replicas have it", place)

    def _succeed(self, batch: list[_Item], first: Any) -> None:
        for number, item in enumerate(batch):
            if not item.promise.done():
                item.promise.set_result(first + number if isinstance(first, int) else first)
        self._settle(len(batch), None)

    def _fail(self, batch: list[_Item], error: Exception) -> None:
        self._link.settings.logger.warning("%d messages for %s are not written: %s", len(batch), self._key, error)
        for item in batch:
            if not item.promise.done():
                item.promise.set_exception(error)
        self._settle(len(batch), error)

    def _settle(self, count: int, error: Exception | None) -> None:
        with self._mutex:
            self._answered += count
            self._error = self._error or error
            if self._added - self._answered < self._buffer:
                self._room.set()
            self._tell_flushes()

    def _tell_flushes(self) -> None:
        while self._flushes and self._flushes[0][0] <= self._answered:
            self._flushes.pop(0)[1].set()
