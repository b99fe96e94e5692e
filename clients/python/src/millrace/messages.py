"""The messages that handlers, readers and subscriptions get."""

from __future__ import annotations

import dataclasses
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclasses.dataclass(slots=True)
class Message(Generic[T]):
    """A message of a group. `id` is the same in every delivery, so it can serve as an idempotency key."""

    id: str
    key: str
    group: str
    offset: int
    tag: str
    value: T
    attempts: int
    time: float  # when it was written, Unix seconds
    lost: bool = False  # true if its lease is over, so that another worker may have it


@dataclasses.dataclass
class Entry(Generic[T]):
    """A message of a log, read without a group. A reader that starts with `position` continues behind it."""

    offset: int
    tag: str
    value: T
    time: float
    position: str


@dataclasses.dataclass
class Publication(Generic[T]):
    """A message of a channel."""

    id: str
    content: T


@dataclasses.dataclass
class Payload(Generic[T]):
    """A payload that a pool's worker handles. Recipient and sequence identify it, so they can serve as an idempotency
    key."""

    recipient: str
    sequence: int
    value: T
    attempts: int
