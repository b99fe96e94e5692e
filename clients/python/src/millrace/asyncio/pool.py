"""A pool of workers, each with recipients of its own."""

from __future__ import annotations

import uuid
from typing import Any, Generic, TypeVar

from ..backoff import Backoff
from ..codecs import Codec
from ..replies import Word, as_map, milliseconds, text
from .link import Link
from .pool_worker import PoolWorker

T = TypeVar("T")


class Pool(Generic[T]):
    def __init__(self, link: Link, key: str, codec: Codec[T]) -> None:
        self.key = key
        self._link, self._codec = link, codec

    async def push(self, recipient: str, *values: T, id: str | None = None, wait: float = 0.0) -> tuple[str, int]:
        """Queues values for a recipient, each once, even if they are sent several times. Returns the recipient's
        worker, and how many payloads are pending for it. Waits up to `wait` seconds for a worker; if there is none, it
        raises NoWorkers."""
        words: list[Word] = ["SHARD.PUSH", self.key, recipient, "ID", id or uuid.uuid4().hex]
        settings = self._link.settings
        if wait > 0:
            words += ["BLOCK", milliseconds(wait)]
        words += ["PAYLOADS", *(self._codec.encode(value) for value in values)]
        worker, pending = await self._link.persist(self.key, *words, timeout=settings.answer_timeout + wait)
        return text(worker), int(pending)

    async def set(self, *, stale: float | None = None, max_attempts: int | None = None,
                  dead_letter: str | None = None) -> None:
        words: list[Word] = ["SHARD.SET", self.key]
        if stale is not None:
            words += ["STALE", milliseconds(stale)]
        if max_attempts is not None:
            words += ["MAXATTEMPTS", max_attempts]
        if dead_letter is not None:
            words += ["DEADLETTER", dead_letter]
        await self._link.persist(self.key, *words)

    async def info(self) -> dict[str, Any]:
        return as_map(await self._link.persist(self.key, "SHARD.INFO", self.key))

    def worker(self, name: str, *, concurrency: int = 1, prefetch: int | None = None,
               backoff: Backoff | None = None) -> PoolWorker[T]:
        """The name identifies a process. Choose one that is the same after a restart if possible."""
        return PoolWorker(self._link, self.key, name, self._codec, concurrency=concurrency,
                          prefetch=concurrency if prefetch is None else prefetch,
                          backoff=backoff or Backoff.exponential())
