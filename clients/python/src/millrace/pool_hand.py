"""What a pool's worker has in hand: the payloads of a recipient in order, recipients beside each other."""

from __future__ import annotations

import collections
import dataclasses
import threading


@dataclasses.dataclass
class PoolDelivery:
    recipient: bytes
    sequence: int
    payload: bytes
    attempts: int
    life: int  # which joining of the worker it came with
    pull: int = 0  # which pull it came with


@dataclasses.dataclass
class _Failed:
    """A recipient whose payload failed. The server is told, and then delivers that one again before all others; those that
    a pull had got before that come again, too."""

    sequence: int
    last_pull: int | None = None  # that was sent before the server had answered; None: it has not
    early: list[PoolDelivery] = dataclasses.field(default_factory=list)  # what waited behind it, and came meanwhile


class PoolHand:
    """Thread-safe. A recipient is ready when it has a payload that waits and none that runs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._queues: dict[bytes, collections.deque[PoolDelivery]] = {}
        self._running: dict[bytes, PoolDelivery] = {}
        self._handled: dict[bytes, int] = {}  # the last sequence that was handled and is not acknowledged yet
        self._failed: dict[bytes, _Failed] = {}
        self._life = 0
        self._pulls = 0

    @property
    def life(self) -> int:
        return self._life

    def room(self) -> int:
        with self._lock:
            return self._most - len(self._running) - sum(len(queue) for queue in self._queues.values())

    def begin_pull(self) -> int:
        """Its number."""
        with self._lock:
            self._pulls += 1
            return self._pulls

    def join_again(self) -> None:
        """Everything is delivered again, from what is not acknowledged on: what waits is dropped."""
        with self._lock:
            self._life += 1
            self._queues.clear()
            self._failed.clear()

    def forget_handled(self) -> None:
        """What was handled is somebody else's now, or of a pool that was deleted, whose sequences begin again."""
        with self._lock:
            self._handled.clear()

    def admit(self, delivery: PoolDelivery) -> str:
        """`new` if a recipient became ready, `done` if it was handled already and must be acknowledged, else `kept`."""
        with self._lock:
            failed = self._failed.get(delivery.recipient)
            if failed is not None:
                if delivery.sequence > failed.sequence and (failed.last_pull is None or delivery.pull <= failed.last_pull):
                    if failed.early and delivery.sequence <= failed.early[-1].sequence:
                        failed.early.clear()  # all behind it come again
                    failed.early.append(delivery)
                    return "kept"
                del self._failed[delivery.recipient]
            return self._admit(delivery)

    def _admit(self, delivery: PoolDelivery) -> str:
        if delivery.sequence <= self._handled.get(delivery.recipient, 0):
            return "done"
        running = self._running.get(delivery.recipient)
        if running is not None and running.sequence == delivery.sequence:
            running.life = delivery.life
            return "kept"
        queue = self._queues.setdefault(delivery.recipient, collections.deque())
        if queue and delivery.sequence <= queue[-1].sequence:
            return "kept"
        queue.append(delivery)
        return "new" if running is None and len(queue) == 1 else "kept"

    def start(self, recipient: bytes) -> PoolDelivery | None:
        with self._lock:
            queue = self._queues.get(recipient)
            if not queue or recipient in self._running:
                return None
            delivery = queue.popleft()
            if not queue:
                del self._queues[recipient]
            self._running[recipient] = delivery
            return delivery

    def finish(self, delivery: PoolDelivery, outcome: str) -> bool:
        """Whether the recipient is ready again. What `failed` is given back, with all behind it."""
        with self._lock:
            self._running.pop(delivery.recipient, None)
            if outcome == "done":
                self._handled[delivery.recipient] = delivery.sequence
            elif outcome == "failed" and delivery.life == self._life:  # else all of it is delivered again already
                behind = self._queues.pop(delivery.recipient, ())
                self._failed[delivery.recipient] = _Failed(delivery.sequence, early=list(behind))
            return delivery.recipient in self._queues

    def given_back(self, recipient: bytes, comes_again: bool) -> bool:
        """The server knows that it failed, and delivers it again, or has given it up. Whether the recipient is ready."""
        with self._lock:
            failed = self._failed.get(recipient)
            if failed is None:
                return False
            if comes_again:
                failed.last_pull = self._pulls
                failed.early.clear()
                return False
            del self._failed[recipient]
            return any([self._admit(delivery) == "new" for delivery in failed.early])

    def acknowledged(self, recipient: bytes, sequence: int) -> None:
        """The server knows, or the recipient is somebody else's."""
        with self._lock:
            if self._handled.get(recipient) == sequence:
                del self._handled[recipient]
