"""The messages that a worker has in flight: waiting, running, or settling."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, Iterable

_WAITS, _RUNS, _DONE, _REFUSED, _GONE = range(5)  # places of a delivery; done and refused are its outcomes


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

    @property
    def is_gone(self) -> bool:
        """Whether it is not in hand any more; its outcome must not be sent."""
        return self.place == _GONE

    def is_superseded_by(self, later: Delivery) -> bool:
        """Whether the message must be handled because of a later delivery, although this one is known."""
        return self.place == _REFUSED and later.attempts > self.attempts


class Hand:
    """Thread-safe. A message waits, then runs, then settles, which means that its outcome is sent and not answered yet.
    `prefetch` messages are read ahead; no more are read before half of these have started.

    A read and an outcome are on different connections, so a message may arrive although it is settled:

        worker    MINE . . . . . . . . TACK 7 . . answer: 1 . . . the answer of MINE arrives late: 7
        server          executes MINE: 7    executes TACK

    So what is settled while a read is in flight is known until the next read begins."""

    def __init__(self, most: int, prefetch: int = 0) -> None:
        self._most = most
        self._enough_room = max(1, prefetch // 2)
        self._lock = threading.Lock()
        self._held: dict[int, Delivery] = {}  # the deliveries that wait, run, or settle
        self._unfinished = 0  # how many of them wait or run
        self._settled: dict[int, Delivery] = {}  # those that have been settled since the last read began

    def room(self) -> int:
        return self._most - self._unfinished

    def is_worth_reading(self) -> bool:
        """Reading many messages costs as much as reading one, so a read waits until there is enough room."""
        return self._most - self._unfinished >= self._enough_room

    def is_empty(self) -> bool:
        with self._lock:
            return not self._held

    def begin_read(self) -> None:
        """Called before a read is sent: what was settled until now is in its answer only if it was delivered again."""
        with self._lock:
            self._settled.clear()

    def admit(self, deliveries: Iterable[Delivery]) -> list[Delivery]:
        """Returns the deliveries that are new. A message that is held already came again because its lease was over, or
        by MINE. A lost one stays lost: its handler may have ended early for that reason."""
        admitted = []
        with self._lock:
            for delivery in deliveries:
                known = self._held.get(delivery.offset) or self._settled.get(delivery.offset)
                if known is None or known.is_superseded_by(delivery):
                    if known is not None:
                        known.place = _GONE  # its outcome, sent again, would reach this delivery
                    self._held[delivery.offset] = delivery
                    self._unfinished += 1
                    admitted.append(delivery)
                elif known.place in (_WAITS, _RUNS):
                    known.lease_ends = delivery.lease_ends
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
            if delivery.is_lost:
                self._remove(delivery)
                return False
            delivery.place = _DONE if is_done else _REFUSED
            self._unfinished -= 1
            return True

    # What the server answers is about a delivery, not about its message: that may have been delivered again meanwhile.

    def settled(self, deliveries: Iterable[Delivery]) -> None:
        """The server has answered the outcomes of these deliveries."""
        with self._lock:
            for delivery in deliveries:
                if self._held.get(delivery.offset) is delivery:
                    self._settled[delivery.offset] = self._held.pop(delivery.offset)

    def leased(self) -> list[Delivery]:
        """The deliveries whose leases must be extended."""
        with self._lock:
            return [one for one in self._held.values() if one.place in (_WAITS, _RUNS) and not one.is_lost]

    def extended(self, deliveries: Iterable[Delivery], lease_ends: float) -> None:
        with self._lock:
            for delivery in deliveries:
                delivery.lease_ends = lease_ends

    def lose(self, deliveries: Iterable[Delivery]) -> list[Delivery]:
        """Marks deliveries whose messages other workers have now; returns those that this worker still held."""
        lost = []
        with self._lock:
            for delivery in deliveries:
                if delivery.place in (_WAITS, _RUNS) and not delivery.is_lost:
                    delivery.is_lost = True
                    lost.append(delivery)
                    if delivery.place == _WAITS:
                        self._remove(delivery)
        return lost

    def lose_all(self) -> list[Delivery]:
        """The log was replaced: the outcomes of what is held must not reach the new one, which has the same offsets.
        Returns what was held."""
        with self._lock:
            lost = list(self._held.values())
            for delivery in lost:
                delivery.is_lost, delivery.place = True, _GONE
            self._held.clear()
            self._settled.clear()
            self._unfinished = 0
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
