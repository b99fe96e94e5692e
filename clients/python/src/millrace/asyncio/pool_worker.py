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
from .attempt import ENDING, decoded, outcome_of
from .link import Link

T = TypeVar("T")
Handler = Callable[[T, Payload[T]], Any]


class _Run:
    """Everything that belongs to a run. A thread that was abandoned when one run ended may end during the next run: it
    must not touch that."""

    def __init__(self, most: int) -> None:
        self.hand = PoolHand(most)
        self.ready: waiting.Box[bytes] = waiting.Box()
        self.changed = waiting.Flag()
        self.joined = waiting.Flag()  # set by the first join, which tells after what time the worker is stale
        self.ended = waiting.Flag()
        self.breaker = waiting.Breaker()
        self.stale = 15.0
        self.max_attempts = 0
        self.abandoning = False
        self.error: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        """Ends the run with this error."""
        self.error = self.error or error
        self.hand.distrust()
        self.changed.set()
        self.breaker.break_off()

    def end(self) -> None:
        self.ended.set()
        self.joined.set()  # so that the heartbeat ends, too, if the worker never joined


class PoolWorker(Generic[T]):
    def __init__(self, link: Link, key: str, name: str, codec: Codec[T], *, concurrency: int, prefetch: int,
                 backoff: Backoff) -> None:
        self.key, self.name = key, name
        self._link, self._codec, self._backoff = link, codec, backoff
        self._concurrency, self._most = concurrency, concurrency + prefetch
        self._handler: Handler[T] | None = None
        self._stopping = waiting.Flag()
        self._run: _Run | None = None

    def handler(self, function: Handler[T]) -> Handler[T]:
        """Decorates the handler of payloads."""
        self._handler = function
        return function

    async def run(self, *, stop_on: Iterable[int] = (), drain: float = 25.0) -> None:
        """Handles payloads until stop(), or one of the signals."""
        if self._run is not None:
            raise MillraceError("this worker runs already: make another one")
        if self._handler is None:
            raise MillraceError("this worker has no handler: write @worker.handler above one")
        handler, run = self._handler, _Run(self._most)
        self._run = run
        try:
            with waiting.on_signals(stop_on, self.stop):
                await self._work(run, drain, handler)
        finally:
            self._stopping.clear()
            self._run = None
        if run.error is not None:
            raise run.error

    def stop(self) -> None:
        self._stopping.set()
        run = self._run
        if run is not None:
            run.changed.set()
            run.breaker.break_off()

    async def _work(self, run: _Run, drain: float, handler: Handler[T]) -> None:
        beating = waiting.spawn("heartbeat", self._beat, run)
        handling = [waiting.spawn("handler", self._handle_payloads, run, handler) for _ in range(self._concurrency)]
        try:
            try:
                await self._pull(run)
            finally:
                self._stopping.set()  # no further payload is started, even if pulling failed
                end = waiting.now() + drain
                run.ready.empty()
                run.ready.close()
                for task in handling:
                    if not await task.join(end - waiting.now()):
                        run.abandoning = True
                        task.cancel()
                run.end()
                await beating.join()
                await self._leave()
        except BaseException:
            # Cancelled again while it ended: nothing is waited for any more. After another error these have ended.
            run.abandoning = True
            run.end()
            for task in (beating, *handling):
                task.cancel()
            raise

    async def _pull(self, run: _Run) -> None:
        waits = pauses()
        settings = self._link.settings
        while self._goes_on(run):
            try:
                if not self._may_ask(run):
                    run.changed.clear()
                    if not self._may_ask(run) and self._goes_on(run):
                        await run.changed.wait()
                    continue
                if run.hand.must_join:
                    await self._join(run)
                    continue
                life, room = run.hand.life, run.hand.room()
                run.hand.begin_pull()
                rows = await self._link.call(
                    self.key, "SHARD.PULL", self.key, self.name, "COUNT", room, "BLOCK", milliseconds(settings.block),
                    "WITHATTEMPTS", timeout=settings.wait_timeout, breaker=run.breaker)
                waits = pauses()
                for recipient, sequence, payload, attempts in rows:
                    await self._admit(run, PoolDelivery(recipient, sequence, payload, attempts, life))
            except (NoWorker, NotOwner):
                run.hand.distrust()  # others have its recipients since it was stale, or the pool is new
                run.hand.forget_handled()
            except (ConnectionLost, RefusedForNow) as error:
                run.hand.distrust()  # it is not known what the lost answer delivered
                pause = next(waits)
                if not self._stopping.is_set():
                    self._link.tell_retry(("SHARD.PULL",), error, pause)
                await self._stopping.wait(pause)

    def _goes_on(self, run: _Run) -> bool:
        return not self._stopping.is_set() and run.error is None

    def _may_ask(self, run: _Run) -> bool:
        """Whether the worker may join, or pull."""
        return run.hand.may_join() if run.hand.must_join else run.hand.room() > 0

    async def _join(self, run: _Run) -> None:
        """Joins and sends a sign of life in one step: a worker that joined and never gave one would never become
        stale."""
        run.breaker = waiting.Breaker()  # the previous breaker may be broken already
        replies = await self._link.exchange(self.key, [
            ("MULTI",), ("SHARD.JOIN", self.key, self.name), ("SHARD.HEARTBEAT", self.key, self.name), ("EXEC",),
            ("SHARD.INFO", self.key, "COUNT", 1)])
        for reply in replies[:4]:
            checked(reply)
        for reply in replies[3]:
            checked(reply)
        figures = as_map(checked(replies[4]))
        run.stale, run.max_attempts = int(figures["stale"]) / 1000, int(figures["maxattempts"])
        run.hand.join_again()
        run.joined.set()

    async def _admit(self, run: _Run, delivery: PoolDelivery) -> None:
        place = run.hand.admit(delivery)
        if place == "done":
            await self._acknowledge(run, delivery)
        elif place == "new":
            run.ready.put(delivery.recipient)

    # --- payloads ---

    async def _handle_payloads(self, run: _Run, handler: Handler[T]) -> None:
        while not run.abandoning:
            recipient = await run.ready.take()
            if recipient is None:
                return
            delivery = run.hand.start(recipient)
            if delivery is not None:
                try:
                    is_ready = await self._handle(run, handler, delivery)
                except (waiting.Cancelled, GeneratorExit):
                    raise
                except BaseException as error:  # not the handler's error, but that of a back-off or a logger
                    run.fail(error)
                    return
                if is_ready and not self._stopping.is_set():
                    run.ready.put(recipient)
            run.changed.set()

    async def _handle(self, run: _Run, handler: Handler[T], delivery: PoolDelivery) -> bool:
        """Handles a payload; returns whether the recipient is ready again."""
        outcome: str = "done"
        error: BaseException | None = None
        began = waiting.now()
        try:
            await self._attempt(handler, delivery)
        except GeneratorExit:
            raise  # the loop is gone
        except BaseException as raised:  # also of gevent or of a test framework: else the recipient waits for ever
            outcome, error = outcome_of(raised, run.abandoning), raised
        if run.abandoning:
            return False  # the run gives it back, or has done so
        self._link.settings.notice("handled", key=self.key, group=self.name, tag=text(delivery.recipient),
                                   offset=delivery.sequence, attempts=delivery.attempts, outcome=outcome,
                                   seconds=waiting.now() - began)
        if isinstance(error, ENDING):
            run.fail(error)
        return await self._settle(run, delivery, outcome, error)

    async def _attempt(self, handler: Handler[T], delivery: PoolDelivery) -> None:
        value = decoded(self._codec, delivery.payload)
        payload = Payload(text(delivery.recipient), delivery.sequence, value, delivery.attempts)
        with self._link.settings.observer.handling(payload):
            await waiting.call(handler, value, payload)

    async def _settle(self, run: _Run, delivery: PoolDelivery, outcome: str, error: BaseException | None) -> bool:
        """Settles the outcome; returns whether the recipient is ready again."""
        if outcome == "done":
            # The recipient's next payload begins after the answer to this acknowledgement: if it was given back
            # earlier, it would not be the first one.
            run.hand.handled(delivery)
            if run.hand.may_acknowledge(delivery):
                await self._acknowledge(run, delivery)
            return run.hand.finish(delivery)
        self._link.settings.logger.warning("%s %s %d, %s: %r", self.key, text(delivery.recipient), delivery.sequence,
                                           outcome, error)
        if outcome == "rejected":
            reason = str(error).encode()[:512].decode("utf-8", "ignore") or "rejected"
            return await self._give_back(run, delivery, "DEAD", reason)
        # A payload that is given up does not delay the ones behind it.
        is_last = 0 < run.max_attempts <= delivery.attempts
        pause = 0 if is_last else milliseconds(self._backoff(delivery.attempts))
        return await self._give_back(run, delivery, "DELAY", pause)

    async def _give_back(self, run: _Run, delivery: PoolDelivery, *how: str | int) -> bool:
        """Gives the payload back; returns whether the recipient is ready."""
        if not run.hand.hold(delivery):
            return run.hand.finish(delivery)
        try:
            # Sent only once: a second one might give back payloads that were delivered in between.
            count = await self._link.call(self.key, "SHARD.NACK", self.key, self.name, delivery.recipient,
                                          delivery.sequence, *how)
            return run.hand.given_back(delivery, int(count))
        except MillraceError as error:
            self._link.settings.logger.debug("SHARD.NACK: %s", error)
            if isinstance(error, (NoWorker, NotOwner)):
                run.hand.forget_handled()
            run.hand.lost(delivery)
            run.breaker.break_off()  # so that the worker joins without waiting for the end of the pull
            return False

    async def _acknowledge(self, run: _Run, delivery: PoolDelivery) -> None:
        """Acknowledges a payload. Without an answer the payload comes again after the worker has joined again."""
        try:
            await self._link.persist(self.key, "SHARD.ACK", self.key, self.name, delivery.recipient, delivery.sequence,
                                     until=run.ended, still=lambda: run.hand.may_acknowledge(delivery))
        except (NoWorker, NotOwner):
            pass
        except ServerError as error:
            # The acknowledgement overtook a JOIN, or the new master did not know of the delivery: the payload comes
            # again.
            self._link.settings.logger.debug("SHARD.ACK: %s", error)
            return
        except MillraceError:
            if run.hand.may_acknowledge(delivery):
                run.hand.distrust()
            return
        run.hand.acknowledged(delivery)

    # --- signs of life ---

    async def _beat(self, run: _Run) -> None:
        await run.joined.wait()
        while not await run.ended.wait(run.stale / 3):
            # An answer that comes after the next heartbeat should have been sent is of no use.
            timeout = min(run.stale / 3, self._link.settings.answer_timeout)
            try:
                await self._link.call(self.key, "SHARD.HEARTBEAT", self.key, self.name, timeout=timeout)
            except MillraceError as error:
                self._link.settings.logger.debug("no heartbeat of %s: %s", self.name, error)  # the next pull notices

    async def _leave(self) -> None:
        try:
            await self._link.persist(self.key, "SHARD.LEAVE", self.key, self.name, "NOW", retry_for=5.0)
        except MillraceError as error:
            self._link.settings.logger.debug("%s does not leave: %s", self.name, error)
