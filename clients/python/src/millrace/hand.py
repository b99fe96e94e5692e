"""What a worker has in hand: which messages wait, run, or are handled and not acknowledged yet."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, Iterable


@dataclasses.dataclass(slots=True)
class Delivery:
    """A message as it was delivered."""

    offset: int
    tag: bytes
    entry: bytes
    attempts: int
    time: int  # Unix milliseconds
    epoch: int
    lease_ends: float  # on our monotonic clock
    is_lost: bool = False
    message: Any = None  # as its handler sees it


class Hand:
    """Thread-safe. A message waits, then runs, then settles: its outcome is sent and has no answer yet."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: dict[int, Delivery] = {}
        self._running: dict[int, Delivery] = {}
        self._done: set[int] = set()  # settling, and must not be handled again
        self._refused = 0  # settling, and may come again at any time

    def room(self) -> int:
        with self._lock:
            return self._most - len(self._waiting) - len(self._running)

    def is_empty(self) -> bool:
        with self._lock:
            return not (self._waiting or self._running or self._done or self._refused)

    def admit(self, deliveries: Iterable[Delivery]) -> list[Delivery]:
        """Those that are new. One that is in hand already came again because its lease was over, or by MINE."""
        admitted = []
        with self._lock:
            for delivery in deliveries:
                held = self._waiting.get(delivery.offset) or self._running.get(delivery.offset)
                if held is not None and held.epoch == delivery.epoch:
                    held.lease_ends, held.is_lost = delivery.lease_ends, False
                elif delivery.offset not in self._done:
                    self._waiting[delivery.offset] = delivery
                    admitted.append(delivery)
        return admitted

    def start(self, delivery: Delivery, now: float) -> bool:
        """Whether it may be handled: it is still ours."""
        with self._lock:
            if self._waiting.get(delivery.offset) is not delivery:
                return False
            del self._waiting[delivery.offset]
            if delivery.is_lost or now >= delivery.lease_ends:
                return False
            self._running[delivery.offset] = delivery
            return True

    def finish(self, delivery: Delivery, is_done: bool) -> bool:
        """Whether its outcome counts; then it is settling."""
        with self._lock:
            if self._running.get(delivery.offset) is not delivery:
                return False
            del self._running[delivery.offset]
            if delivery.is_lost:
                return False
            if is_done:
                self._done.add(delivery.offset)
            else:
                self._refused += 1
            return True

    def settled(self, done: Iterable[int], refused: int) -> None:
        with self._lock:
            self._done.difference_update(done)
            self._refused -= refused

    def leased(self) -> list[int]:
        """Offsets whose leases must be extended."""
        with self._lock:
            return [offset for place in (self._waiting, self._running)
                    for offset, delivery in place.items() if not delivery.is_lost]

    def extended(self, offsets: Iterable[int], lease_ends: float) -> None:
        with self._lock:
            for offset in offsets:
                held = self._waiting.get(offset) or self._running.get(offset)
                if held is not None:
                    held.lease_ends = lease_ends

    def lose(self, offsets: Iterable[int]) -> list[Delivery]:
        """They are somebody else's now; those that we still had."""
        lost = []
        with self._lock:
            for offset in offsets:
                held = self._waiting.pop(offset, None) or self._running.get(offset)
                if held is not None and not held.is_lost:
                    held.is_lost = True
                    lost.append(held)
        return lost

    def drop_waiting(self) -> int:
        with self._lock:
            count = len(self._waiting)
            self._waiting.clear()
            return count

    def abandon(self) -> int:
        """What runs is given up: its outcome will not count."""
        with self._lock:
            count = len(self._running)
            self._running.clear()
            return count
