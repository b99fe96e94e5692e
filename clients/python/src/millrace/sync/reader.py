# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""Follows a log without a group, and can resume at an exact position."""

from __future__ import annotations

import datetime
from typing import Any, Callable, Generic, Sequence, TypeVar, Union

from ..backoff import pauses
from ..codecs import Codec
from ..errors import BrokenOff, ConnectionLost, MillraceError, RefusedForNow
from ..frames import read_frame
from ..messages import Entry
from ..replies import Word, milliseconds, text
from ..unpacking import unpacker
from . import waiting
from .link import Link

T = TypeVar("T")
Start = Union[str, int, datetime.datetime]
OnGap = Callable[[int, int], Any]


class Reader(Generic[T]):
    """An iterator of entries. `position` is that of the next message: `epoch.offset`, or an offset in a log without an
    epoch. It reads frames where it can."""

    def __init__(self, link: Link, key: str, codec: Codec[T], *, start: Start, tags: Sequence[str], count: int,
                 follow: bool, on_gap: OnGap | None, frames: bool | None) -> None:
        self._link, self._key, self._codec = link, key, codec
        self._start, self._tags, self._count, self._follow = start, tags, count, follow
        self._on_gap = on_gap
        # Frames cannot be filtered by tags, and their blocks may be packed.
        self._unpack = unpacker() if frames is not False and not tags else None
        if frames and self._unpack is None:
            raise MillraceError("frames need zstd, and do not go with tags")
        self._next: int | None = None
        self._epoch = 0
        self._rows: list[Any] = []  # read and not returned yet; the last one is the next
        self._breaker = waiting.Breaker()

    def __iter__(self) -> Reader[T]:
        return self

    def __next__(self) -> Entry[T]:
        while not self._rows:
            if not self._read():
                raise StopIteration
        offset, tag, entry, time = self._rows.pop()
        return Entry(offset, text(tag), self._codec.decode(entry), time / 1000, self._position(offset + 1))

    @property
    def position(self) -> str | None:
        """The position of the next message; None before the first read."""
        following = self._rows[-1][0] if self._rows else self._next
        return None if following is None else self._position(following)

    def stop(self) -> None:
        """Ends the iteration, even if it is waiting."""
        self._breaker.break_off()

    def _position(self, offset: int) -> str:
        return f"{self._epoch}.{offset}" if self._epoch else str(offset)

    def _read(self) -> bool:
        """Reads once. Returns whether to go on: not if the reader was stopped, or found nothing and does not follow."""
        settings = self._link.settings
        for pause in pauses():
            try:
                if self._next is None:
                    self._find_start()
                words: list[Word] = ["TREAD", self._key, self._position(self._next or 1), self._count]
                words += ["FRAMED"] if self._unpack else ["SKIP", "WITHINFO", "EPOCH", "WITHTIME"]
                if self._follow:
                    words += ["BLOCK", milliseconds(settings.block)]
                if self._tags:
                    words += ["TAGS", len(self._tags), *self._tags]
                reply = self._link.call(self._key, *words, timeout=settings.wait_timeout, breaker=self._breaker)
            except BrokenOff:
                return False
            except (ConnectionLost, RefusedForNow) as error:
                self._link.tell_retry(("TREAD",), error, pause)
            else:
                return self._take(reply)
            waiting.sleep(pause)
        raise AssertionError("pauses() never ends")

    def _take(self, reply: Any) -> bool:
        """Takes a reply; returns whether to go on, like _read()."""
        if self._unpack is None:
            (first, last, epoch), *rows = reply
            self._begin_at(first, epoch)
            if rows:
                self._next = rows[-1][0] + 1
            elif self._tags and last >= (self._next or 1):
                self._next = last + 1  # how far the server searched for the tags
                return True
        elif reply is None:  # nothing came
            rows = []
        else:
            frame = read_frame(reply, self._unpack)
            rows = frame.rows
            self._begin_at(frame.log_first, frame.epoch)
            self._next = max(frame.end, self._next or 1)
        self._rows = rows[::-1]
        return bool(rows) or self._follow

    def _begin_at(self, first: int, epoch: int) -> None:
        """The log begins with this message: messages before it that were not read yet are gone."""
        self._epoch = self._epoch or epoch
        expected = self._next or 1
        if first > expected:
            self._link.settings.logger.warning("%s: messages %d to %d are evicted", self._key, expected, first - 1)
            self._link.settings.notice("gap", key=self._key)
            if self._on_gap is not None:
                waiting.call(self._on_gap, expected, first)
            self._next = first  # not before: if on_gap fails or is cancelled, the next read finds the gap again

    def _find_start(self) -> None:
        """Finds the offset to start at, once: a read from an offset can be repeated."""
        if isinstance(self._start, datetime.datetime):
            at = milliseconds(self._start.timestamp())
            self._next = int(self._link.call(self._key, "TSEEK", self._key, at, breaker=self._breaker))
        elif self._start == "end":
            [(_, last, self._epoch)] = self._link.call(
                self._key, "TREAD", self._key, 1, 0, "WITHINFO", "EPOCH", breaker=self._breaker)
            self._next = last + 1
        elif self._start == "first":
            [(first, _, self._epoch)] = self._link.call(
                self._key, "TREAD", self._key, 1, 0, "WITHINFO", "EPOCH", breaker=self._breaker)
            self._next = first
        else:
            epoch, _, offset = str(self._start).rpartition(".")
            self._epoch, self._next = int(epoch or 0), int(offset)
