"""The payloads that a pool's worker has in flight: in order for one recipient, in parallel for different ones."""

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
    life: int  # the number of the worker's join with which it came; 0: it is of a pool that was made again since


class PoolHand:
    """Thread-safe. A recipient is ready when one of its payloads waits and none runs.

    A payload that failed is given back to the server, with all delivered ones behind it. Pulls go on meanwhile, so what
    they bring may have been delivered before that, or after it:

        pulled            2 3 4 5 | 2 3 4 5 6      when the answer comes, 4 and 5 may be in flight, or 2 again
        2 is given back           ^ answer: 4, those of 2, 3, 4 and 5

    The server delivers in order and says how many it took back. So the number of payloads behind the failed one that
    must be dropped is known: one less. The payload after these is the next: the failed one again or, if the server has
    given it up, the one behind it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._queues: dict[bytes, collections.deque[PoolDelivery]] = {}
        self._running: dict[bytes, PoolDelivery] = {}
        self._handled: dict[bytes, int] = {}  # the last sequence that was handled, and not acknowledged yet
        self._acknowledged: dict[bytes, int] = {}  # the last one acknowledged; it may come once more
        self._held: dict[bytes, list[PoolDelivery]] = {}  # what came behind a payload that is being given back
        self._taken_back: dict[bytes, int] = {}  # how many of the next payloads must be dropped
        self._giving_back = 0  # how many payloads are being given back
        self._life = 0
        self._must_join = True

    @property
    def life(self) -> int:
        return self._life

    @property
    def must_join(self) -> bool:
        return self._must_join

    def room(self) -> int:
        with self._lock:
            return self._most - len(self._running) - sum(len(queue) for queue in self._queues.values())

    def begin_pull(self) -> None:
        """Called before a pull: payloads that were acknowledged before it are not in its answer."""
        with self._lock:
            for recipient, sequence in self._acknowledged.items():
                self._forget(recipient, sequence)
            self._acknowledged.clear()

    def distrust(self) -> None:
        """It is not known what the server has delivered: the worker must join again."""
        with self._lock:
            self._must_join = True

    def may_join(self) -> bool:
        """Whether the worker may join: not while a payload is given back, because it would not be known which came
        first."""
        with self._lock:
            return self._giving_back == 0

    def join_again(self) -> None:
        """Called when the worker joins again: the server delivers again everything that is not acknowledged, so waiting
        payloads are dropped."""
        with self._lock:
            self._life += 1
            self._queues.clear()
            self._held.clear()
            self._taken_back.clear()
            self._must_join = False

    def forget_handled(self) -> None:
        """The recipients of handled payloads belong to other workers now, or the pool was deleted and its sequences
        begin again."""
        with self._lock:
            self._handled.clear()
            self._acknowledged.clear()

    def admit(self, delivery: PoolDelivery) -> str:
        """Takes a delivery. Returns `new` if its recipient became ready, `done` if the payload was handled already and
        must be acknowledged, else `kept`."""
        with self._lock:
            held = self._held.get(delivery.recipient)
            if held is None:
                return self._admit(delivery)
            held.append(delivery)
            return "kept"

    def _admit(self, delivery: PoolDelivery) -> str:
        if delivery.recipient in self._taken_back:
            self._taken_back[delivery.recipient] -= 1
            if self._taken_back[delivery.recipient] == 0:
                del self._taken_back[delivery.recipient]
            return "kept"
        if delivery.attempts == 1:
            self._forget_older_pool(delivery)
        if delivery.sequence <= self._handled.get(delivery.recipient, 0):
            return "done"
        running = self._running.get(delivery.recipient)
        if running is not None and running.sequence == delivery.sequence and running.life > 0:
            running.life = delivery.life
            return "kept"
        queue = self._queues.setdefault(delivery.recipient, collections.deque())
        if queue and delivery.sequence <= queue[-1].sequence:
            return "kept"
        queue.append(delivery)
        return "new" if running is None and len(queue) == 1 else "kept"

    def _forget_older_pool(self, delivery: PoolDelivery) -> None:
        """The server counts what it delivers again. So if it delivers a number for the first time that is known here,
        the pool was made again, and what is known is of the old one."""
        if delivery.sequence <= self._handled.get(delivery.recipient, 0):
            del self._handled[delivery.recipient]
        running = self._running.get(delivery.recipient)
        if running is not None and delivery.sequence <= running.sequence:
            running.life = 0

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

    def handled(self, delivery: PoolDelivery) -> None:
        """If the payload comes again before it is acknowledged, it is only acknowledged, not handled again."""
        with self._lock:
            if delivery.life > 0:
                self._handled[delivery.recipient] = delivery.sequence

    def finish(self, delivery: PoolDelivery) -> bool:
        """Ends the handling; returns whether the recipient is ready again."""
        with self._lock:
            self._running.pop(delivery.recipient, None)
            return delivery.recipient in self._queues

    def hold(self, delivery: PoolDelivery) -> bool:
        """Called for a payload that failed. Returns whether the server must be told; the recipient is not ready again
        before given_back() or lost(). Returns False if the worker has joined again, or must join: that gives everything
        back."""
        with self._lock:
            if delivery.life != self._life:
                return False
            self._held[delivery.recipient] = list(self._queues.pop(delivery.recipient, ()))
            if self._must_join:
                return False
            self._giving_back += 1
            return True

    def given_back(self, delivery: PoolDelivery, count: int) -> bool:
        """The server took back this many payloads: this one and those behind it. Returns whether the recipient is
        ready."""
        with self._lock:
            self._giving_back -= 1
            self._running.pop(delivery.recipient, None)
            if count > 1:
                self._taken_back[delivery.recipient] = count - 1
            return "new" in [self._admit(behind) for behind in self._held.pop(delivery.recipient, ())]

    def lost(self, delivery: PoolDelivery) -> None:
        """It is not known whether the server took it back: its recipient waits until the worker has joined again."""
        with self._lock:
            self._giving_back -= 1
            self._running.pop(delivery.recipient, None)
            self._must_join = True

    def may_acknowledge(self, delivery: PoolDelivery) -> bool:
        """Not after the worker has joined again: what the server delivers under this number may be of another pool. If
        it is the same payload, it comes again, and is acknowledged then."""
        with self._lock:
            return delivery.life == self._life

    def acknowledged(self, delivery: PoolDelivery) -> None:
        """The server has the acknowledgement, or another worker has the recipient."""
        with self._lock:
            if delivery.life == self._life:
                self._forget(delivery.recipient, delivery.sequence)
            else:
                self._acknowledged[delivery.recipient] = delivery.sequence

    def _forget(self, recipient: bytes, sequence: int) -> None:
        if self._handled.get(recipient) == sequence:
            del self._handled[recipient]
