"""The messages that a worker has in flight: waiting, running, or handled and not acknowledged yet."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, Iterable

_WAITS, _RUNS, _DONE, _GONE = range(4)  # places of a delivery; done: settling, must not be handled again


@dataclasses.dataclass(slots=True)
class Delivery:
    """One delivery of a message."""

    offset: int
    tag: bytes
    entry: bytes
    attempts: int
    time: int  # Unix milliseconds
    epoch: int
    lease_ends: float  # on our monotonic clock
    is_lost: bool = False
    message: Any = None  # the message that its handler gets
    place: int = _WAITS


class Hand:
    """Thread-safe. A message waits, then runs, then settles, which means that its outcome is sent and not answered yet.
    `prefetch` messages are read ahead; no more are read before half of these have started."""

    def __init__(self, most: int, prefetch: int = 0) -> None:
        self._most = most
        self._enough_room = max(1, prefetch // 2)
        self._lock = threading.Lock()
        self._held: dict[int, Delivery] = {}  # the deliveries that wait, run, or are done
        self._unfinished = 0  # how many of them wait or run
        self._refused = 0  # how many refusals are settling; such a message may come again at any time

    def room(self) -> int:
        return self._most - self._unfinished

    def is_worth_reading(self) -> bool:
        """Reading many messages costs as much as reading one, so a read waits until there is enough room."""
        return self._most - self._unfinished >= self._enough_room

    def is_empty(self) -> bool:
        with self._lock:
            return not self._held and not self._refused

    def admit(self, deliveries: Iterable[Delivery]) -> list[Delivery]:
        """Returns the deliveries that are new. A message that is held already came again because its lease was over, or
        by MINE."""
        admitted = []
        with self._lock:
            for delivery in deliveries:
                held = self._held.get(delivery.offset)
                if held is None or (held.place != _DONE and held.epoch != delivery.epoch):
                    if held is not None:
                        self._remove(held)  # the one held is from a log that was replaced
                    self._held[delivery.offset] = delivery
                    self._unfinished += 1
                    admitted.append(delivery)
                elif held.place != _DONE:
                    held.lease_ends, held.is_lost = delivery.lease_ends, False
        return admitted

    def _remove(self, delivery: Delivery) -> None:
        """Removes a delivery that waits or runs. REQUIRES: the lock is held."""
        del self._held[delivery.offset]
        delivery.place = _GONE
        self._unfinished -= 1

    def start(self, delivery: Delivery, now: float) -> bool:
        """Begins the handling; false if the message is not this worker's any more."""
        with self._lock:
            if delivery.place != _WAITS:
                return False
            if now >= delivery.lease_ends:
                self._remove(delivery)
                return False
            delivery.place = _RUNS
            return True

    def finish(self, delivery: Delivery, is_done: bool) -> bool:
        """Ends the handling; true if the outcome counts. Then it is settling."""
        with self._lock:
            if delivery.place != _RUNS:
                return False
            if is_done and not delivery.is_lost:
                delivery.place = _DONE
                self._unfinished -= 1
                return True
            self._remove(delivery)
            if delivery.is_lost:
                return False
            self._refused += 1
            return True

    def settled(self, done: Iterable[int], refused: int) -> None:
        with self._lock:
            for offset in done:
                self._held.pop(offset, None)
            self._refused -= refused

    def leased(self) -> list[int]:
        """Offsets whose leases must be extended."""
        with self._lock:
            return [one.offset for one in self._held.values() if one.place != _DONE and not one.is_lost]

    def extended(self, offsets: Iterable[int], lease_ends: float) -> None:
        with self._lock:
            for offset in offsets:
                held = self._held.get(offset)
                if held is not None:
                    held.lease_ends = lease_ends

    def lose(self, offsets: Iterable[int]) -> list[Delivery]:
        """Marks messages that other workers have now; returns those that this worker still held."""
        lost = []
        with self._lock:
            for offset in offsets:
                held = self._held.get(offset)
                if held is not None and held.place != _DONE and not held.is_lost:
                    held.is_lost = True
                    lost.append(held)
                    if held.place == _WAITS:
                        self._remove(held)
        return lost

    def drop_waiting(self) -> list[int]:
        """Removes the waiting deliveries; returns their offsets."""
        return self._drop(_WAITS)

    def abandon(self) -> list[int]:
        """Gives up the running deliveries: their outcomes will not count. Returns their offsets."""
        return self._drop(_RUNS)

    def _drop(self, place: int) -> list[int]:
        with self._lock:
            dropped = [one for one in self._held.values() if one.place == place]
            for delivery in dropped:
                self._remove(delivery)
            return [delivery.offset for delivery in dropped]
