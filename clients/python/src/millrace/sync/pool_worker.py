# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""A worker of a pool: it joins, sends signs of life, pulls, handles, acknowledges, and leaves."""

from __future__ import annotations

from typing import Any, Callable, Generic, Iterable, TypeVar

from ..backoff import Backoff, pauses
from ..codecs import Codec
from ..errors import (ConnectionLost, MillraceError, NotOwner, NoWorker, RefusedForNow, ServerError, checked)
from ..messages import Payload
from ..pool_hand import PoolDelivery, PoolHand
from ..replies import as_map, milliseconds, text
from . import waiting
from .attempt import decoded, outcome_of
from .link import Link

T = TypeVar("T")
Handler = Callable[[T, Payload[T]], Any]


class PoolWorker(Generic[T]):
    def __init__(self, link: Link, key: str, name: str, codec: Codec[T], *, concurrency: int, prefetch: int,
                 backoff: Backoff) -> None:
        self.key, self.name = key, name
        self._link, self._codec, self._backoff = link, codec, backoff
        self._concurrency, self._most = concurrency, concurrency + prefetch
        self._handler: Handler[T] | None = None
        self._stopping = waiting.Flag()
        self._is_running = False
        self._begin()

    def _begin(self) -> None:
        self._hand = PoolHand(self._most)
        self._ready: waiting.Box[bytes] = waiting.Box()
        self._changed = waiting.Flag()
        self._ended = waiting.Flag()
        self._breaker = waiting.Breaker()
        self._stale = 15.0
        self._max_attempts = 0
        self._abandoning = False

    def handler(self, function: Handler[T]) -> Handler[T]:
        """Decorates the handler of payloads."""
        self._handler = function
        return function

    def run(self, *, stop_on: Iterable[int] = (), drain: float = 25.0) -> None:
        """Handles payloads until stop(), or one of the signals."""
        if self._is_running:
            raise MillraceError("this worker runs already: make another one")
        if self._handler is None:
            raise MillraceError("this worker has no handler: write @worker.handler above one")
        self._is_running = True
        try:
            with waiting.on_signals(stop_on, self.stop):
                self._work(drain, self._handler)
        finally:
            self._is_running = False

    def stop(self) -> None:
        self._stopping.set()
        self._changed.set()
        self._breaker.break_off()

    def _work(self, drain: float, handler: Handler[T]) -> None:
        self._begin()
        beating = waiting.spawn("heartbeat", self._beat)
        handling = [waiting.spawn("handler", self._handle_payloads, handler) for _ in range(self._concurrency)]
        try:
            self._pull()
        finally:
            self._stopping.set()  # no further payload is started, even if pulling failed
            end = waiting.now() + drain
            self._ready.empty()
            self._ready.close()
            for task in handling:
                if not task.join(end - waiting.now()):
                    self._abandoning = True
                    task.cancel()
            self._ended.set()
            beating.join()
            self._leave()
            self._stopping.clear()

    def _pull(self) -> None:
        waits = pauses()
        settings = self._link.settings
        while not self._stopping.is_set():
            try:
                if not self._may_go_on():
                    self._changed.clear()
                    if not self._may_go_on() and not self._stopping.is_set():
                        self._changed.wait()
                    continue
                if self._hand.must_join:
                    self._join()
                    continue
                life, room = self._hand.life, self._hand.room()
                self._hand.begin_pull()
                rows = self._link.call(
                    self.key, "SHARD.PULL", self.key, self.name, "COUNT", room, "BLOCK", milliseconds(settings.block),
                    "WITHATTEMPTS", timeout=settings.wait_timeout, breaker=self._breaker)
                waits = pauses()
                for recipient, sequence, payload, attempts in rows:
                    self._admit(PoolDelivery(recipient, sequence, payload, attempts, life))
            except (NoWorker, NotOwner):
                self._hand.distrust()  # others have its recipients since it was stale, or the pool is new
                self._hand.forget_handled()
            except (ConnectionLost, RefusedForNow) as error:
                self._hand.distrust()  # it is not known what the lost answer delivered
                pause = next(waits)
                if not self._stopping.is_set():
                    self._link.tell_retry(("SHARD.PULL",), error, pause)
                self._stopping.wait(pause)

    def _may_go_on(self) -> bool:
        return self._hand.may_join() if self._hand.must_join else self._hand.room() > 0

    def _join(self) -> None:
        """Joins and sends a sign of life in one step: a worker that joined and never gave one would never become
        stale."""
        self._breaker = waiting.Breaker()  # the previous breaker may be broken already
        replies = self._link.exchange(self.key, [
            ("MULTI",), ("SHARD.JOIN", self.key, self.name), ("SHARD.HEARTBEAT", self.key, self.name), ("EXEC",),
            ("SHARD.INFO", self.key, "COUNT", 1)])
        for reply in replies[:4]:
            checked(reply)
        for reply in replies[3]:
            checked(reply)
        figures = as_map(checked(replies[4]))
        self._stale, self._max_attempts = int(figures["stale"]) / 1000, int(figures["maxattempts"])
        self._hand.join_again()

    def _admit(self, delivery: PoolDelivery) -> None:
        place = self._hand.admit(delivery)
        if place == "done":
            self._acknowledge(delivery)
        elif place == "new":
            self._ready.put(delivery.recipient)

    # --- payloads ---

    def _handle_payloads(self, handler: Handler[T]) -> None:
        while not self._abandoning:
            recipient = self._ready.take()
            if recipient is None:
                return
            delivery = self._hand.start(recipient)
            if delivery is not None:
                outcome: str = "done"
                error: BaseException | None = None
                try:
                    self._attempt(handler, delivery)
                except (Exception, waiting.Cancelled) as raised:
                    outcome, error = outcome_of(raised, self._abandoning), raised
                if outcome != "cancelled" and self._settle(delivery, outcome, error) and not self._stopping.is_set():
                    self._ready.put(recipient)
            self._changed.set()

    def _attempt(self, handler: Handler[T], delivery: PoolDelivery) -> None:
        value = decoded(self._codec, delivery.payload)
        payload = Payload(text(delivery.recipient), delivery.sequence, value, delivery.attempts)
        with self._link.settings.observer.handling(payload):
            waiting.call(handler, value, payload)

    def _settle(self, delivery: PoolDelivery, outcome: str, error: BaseException | None) -> bool:
        """Settles the outcome; returns whether the recipient is ready again."""
        self._link.settings.notice("handled", key=self.key, group=self.name, tag=text(delivery.recipient),
                                            offset=delivery.sequence, attempts=delivery.attempts, outcome=outcome)
        if outcome == "done":
            # The recipient's next payload begins after the answer to this acknowledgement: if it was given back
            # earlier, it would not be the first one.
            self._hand.handled(delivery)
            self._acknowledge(delivery)
            return self._hand.finish(delivery)
        self._link.settings.logger.warning("%s %s %d, %s: %r", self.key, text(delivery.recipient), delivery.sequence,
                                           outcome, error)
        if outcome == "rejected":
            reason = str(error).encode()[:512].decode("utf-8", "ignore") or "rejected"
            return self._give_back(delivery, "DEAD", reason)
        # A payload that is given up does not delay the ones behind it.
        is_last = 0 < self._max_attempts <= delivery.attempts
        return self._give_back(delivery, "DELAY", 0 if is_last else milliseconds(self._backoff(delivery.attempts)))

    def _give_back(self, delivery: PoolDelivery, *how: str | int) -> bool:
        """Gives the payload back; returns whether the recipient is ready."""
        if not self._hand.hold(delivery):
            return self._hand.finish(delivery)
        try:
            # Sent only once: a second one might give back payloads that were delivered in between.
            count = self._link.call(self.key, "SHARD.NACK", self.key, self.name, delivery.recipient,
                                          delivery.sequence, *how)
            return self._hand.given_back(delivery, int(count))
        except MillraceError as error:
            self._link.settings.logger.debug("SHARD.NACK: %s", error)
            if isinstance(error, (NoWorker, NotOwner)):
                self._hand.forget_handled()
            self._hand.lost(delivery)
            self._breaker.break_off()  # so that the worker joins without waiting for the end of the pull
            return False

    def _acknowledge(self, delivery: PoolDelivery) -> None:
        """Acknowledges a payload. Without an answer the payload comes again after the worker has joined again."""
        try:
            self._link.persist(self.key, "SHARD.ACK", self.key, self.name, delivery.recipient, delivery.sequence,
                                     until=self._ended)
        except (NoWorker, NotOwner):
            pass
        except ServerError as error:
            # The acknowledgement overtook a JOIN, or the new master did not know of the delivery: the payload comes
            # again.
            self._link.settings.logger.debug("SHARD.ACK: %s", error)
            return
        except MillraceError:
            self._hand.distrust()
            return
        self._hand.acknowledged(delivery)

    # --- signs of life ---

    def _beat(self) -> None:
        while not self._ended.wait(self._stale / 3):
            try:
                self._link.call(self.key, "SHARD.HEARTBEAT", self.key, self.name)
            except MillraceError as error:
                self._link.settings.logger.debug("no heartbeat of %s: %s", self.name, error)  # the next pull notices

    def _leave(self) -> None:
        try:
            self._link.persist(self.key, "SHARD.LEAVE", self.key, self.name, "NOW", retry_for=5.0)
        except MillraceError as error:
            self._link.settings.logger.debug("%s does not leave: %s", self.name, error)
