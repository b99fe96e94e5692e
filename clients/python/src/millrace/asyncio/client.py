"""The object that a program makes once, from its own Redis or Valkey client."""

from __future__ import annotations

import logging
from typing import Any, Sequence, TypeVar, overload

from ..backoff import Backoff
from ..codecs import Codec, Raw
from ..observer import Observer
from ..replies import Word
from ..settings import Settings
from ..source import Source
from . import waiting
from .channel import Channel
from .cluster import ClusterLink
from .index import Index, Suggestions
from .link import Link
from .lock import Lock
from .pool import Pool
from .producer import Producer
from .reader import OnGap, Reader, Start
from .redlock import Redlock
from .routes import Routes
from .worker import Worker

T = TypeVar("T")
_RAW: Codec[Any] = Raw()


class Millrace:
    """Wraps a client of redis-py: one server, a cluster, or a Sentinel's master. The package opens connections of its
    own, in the same way as that client."""

    def __init__(self, client: Any, *, answer_timeout: float = 5.0, block: float = 20.0, retry_for: float = 60.0,
                 logger: logging.Logger | None = None, observer: Observer | None = None) -> None:
        self.settings = Settings(answer_timeout, block, retry_for, logger or logging.getLogger("millrace"),
                                 observer or Observer())
        self.client = client  # kept alive, because connections by Sentinel ask its pool
        source = Source(client, waiting.no_retry())
        self.link = ClusterLink(source, self.settings) if source.is_cluster else Link(source, self.settings)

    @classmethod
    def from_url(cls, url: str, **options: Any) -> Millrace:
        """A redis://, rediss:// or unix:// URL, as redis-py takes them; the options are those of Millrace."""
        return cls(waiting.client_from_url(url), **options)

    async def close(self) -> None:
        await self.link.close()

    async def __aenter__(self) -> Millrace:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(self, key: str, *words: Word) -> Any:
        """Sends any command once, to the server that has the key: for commands without a method here."""
        return await self.link.call(key, *words)

    @overload
    def producer(self, key: str, *, codec: Codec[T], linger: float = ..., batch: int = ..., batch_bytes: int = ...,
                 buffer: int = ..., retry_for: float | None = ..., replicas: int = ...) -> Producer[T]: ...

    @overload
    def producer(self, key: str, *, linger: float = ..., batch: int = ..., batch_bytes: int = ..., buffer: int = ...,
                 retry_for: float | None = ..., replicas: int = ...) -> Producer[bytes]: ...

    def producer(self, key: str, *, codec: Codec[Any] = _RAW, linger: float = 0.005, batch: int = 500,
                 batch_bytes: int = 1 << 20, buffer: int = 10_000, retry_for: float | None = None,
                 replicas: int = 0) -> Producer[Any]:
        """Writes to a log in batches; each message is stored once."""
        return Producer(self.link, key, codec, linger=linger, batch=batch, batch_bytes=batch_bytes, buffer=buffer,
                        retry_for=self.settings.retry_for if retry_for is None else retry_for, replicas=replicas)

    @overload
    def worker(self, key: str, group: str, *, codec: Codec[T], concurrency: int = ..., prefetch: int | None = ...,
               lease: float = ..., expire: float | None = ..., max_attempts: int | None = ...,
               dead_letter: str | None = ..., backoff: Backoff | None = ..., start: str = ...,
               consumer: str | None = ..., time_limit: float | None = ...) -> Worker[T]: ...

    @overload
    def worker(self, key: str, group: str, *, concurrency: int = ..., prefetch: int | None = ..., lease: float = ...,
               expire: float | None = ..., max_attempts: int | None = ..., dead_letter: str | None = ...,
               backoff: Backoff | None = ..., start: str = ..., consumer: str | None = ...,
               time_limit: float | None = ...) -> Worker[bytes]: ...

    def worker(self, key: str, group: str, *, codec: Codec[Any] = _RAW, concurrency: int = 1,
               prefetch: int | None = None, lease: float = 30.0, expire: float | None = None,
               max_attempts: int | None = None, dead_letter: str | None = None, backoff: Backoff | None = None,
               start: str = "first", consumer: str | None = None, time_limit: float | None = None) -> Worker[Any]:
        """Handles the messages of a group. Give a `consumer` name if you have one that stays the same after a restart:
        messages that it held before a crash then come first."""
        return Worker(self.link, key, group, codec, concurrency=concurrency, prefetch=prefetch, lease=lease,
                      expire=expire, max_attempts=max_attempts, dead_letter=dead_letter,
                      backoff=backoff or Backoff.exponential(), start=start, consumer=consumer, time_limit=time_limit)

    @overload
    def reader(self, key: str, *, codec: Codec[T], start: Start = ..., tags: Sequence[str] = ..., count: int = ...,
               follow: bool = ..., on_gap: OnGap | None = ..., frames: bool | None = ...) -> Reader[T]: ...

    @overload
    def reader(self, key: str, *, start: Start = ..., tags: Sequence[str] = ..., count: int = ..., follow: bool = ...,
               on_gap: OnGap | None = ..., frames: bool | None = ...) -> Reader[bytes]: ...

    def reader(self, key: str, *, codec: Codec[Any] = _RAW, start: Start = "first", tags: Sequence[str] = (),
               count: int = 1000, follow: bool = True, on_gap: OnGap | None = None,
               frames: bool | None = None) -> Reader[Any]:
        """Follows a log from "first", "end", an offset, a date, or the position of an entry; it reads frames, unless
        there are tags or there is no zstd."""
        return Reader(self.link, key, codec, start=start, tags=tags, count=count, follow=follow, on_gap=on_gap,
                      frames=frames)

    @overload
    def channel(self, name: str, *, codec: Codec[T]) -> Channel[T]: ...

    @overload
    def channel(self, name: str) -> Channel[bytes]: ...

    def channel(self, name: str, *, codec: Codec[Any] = _RAW) -> Channel[Any]:
        return Channel(self.link, name, codec)

    @overload
    def pool(self, key: str, *, codec: Codec[T]) -> Pool[T]: ...

    @overload
    def pool(self, key: str) -> Pool[bytes]: ...

    def pool(self, key: str, *, codec: Codec[Any] = _RAW) -> Pool[Any]:
        return Pool(self.link, key, codec)

    def lock(self, key: str, *, ttl: float = 30.0, wait: float = 0.0, shared: bool = False, limit: int | None = None,
             value: str | bytes | None = None) -> Lock:
        """A lock, used as a context manager. `wait` is how many seconds to wait in line; then it raises LockTimeout."""
        return Lock(self.link, key, ttl=ttl, wait=wait, shared=shared, limit=limit, value=value)

    def routes(self, table: str) -> Routes:
        return Routes(self.link, table)

    def index(self, name: str) -> Index:
        return Index(self.link, name)

    def suggestions(self, name: str) -> Suggestions:
        return Suggestions(self.link, name)

    async def redrive(self, dead_letters: str, *, to: str | None = None, count: int | None = None) -> int:
        """Sends dead letters back to the logs they came from, or to another log: all, or up to `count`. Returns how
        many."""
        moved = 0
        while count is None or moved < count:
            at_once = 1000 if count is None else min(1000, count - moved)
            words: list[Word] = ["TREDRIVE", dead_letters, "COUNT", at_once]
            if to is not None:
                words += ["TO", to]
            now_moved = int(await self.link.persist(dead_letters, *words))
            if now_moved == 0:
                break
            moved += now_moved
        return moved


def redlock(servers: Sequence[Millrace], key: str, *, ttl: float = 30.0, wait: float = 0.0, limit: int | None = None,
            patience: float | None = None) -> Redlock:
    """A lock that a majority of independent servers must grant."""
    return Redlock([server.link for server in servers], key, ttl=ttl, wait=wait, limit=limit, patience=patience)
