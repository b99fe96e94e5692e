"""Handles the messages of a group, as described step by step in clients/BEHAVIOUR.md."""

from __future__ import annotations

import functools
import os
import socket
import uuid
from typing import Any, Callable, Generic, Iterable, Sequence, TypeVar

from ..backoff import Backoff, pauses
from ..codecs import Codec
from ..errors import BrokenOff, ConnectionLost, MillraceError, NoGroup, RefusedForNow
from ..hand import Delivery, Hand
from ..messages import Message
from ..replies import LAST_OFFSET, Word, Words, milliseconds, ranges, text
from . import waiting
from .attempt import ENDING, decoded, outcome_of
from .link import Link
from .settling import Settler

T = TypeVar("T")
Handler = Callable[[T, Message[T]], Any]
_END_AFTER_CANCEL = 0.1  # seconds for handlers that are cancelled, for all together
_SETTLE_AFTER_STOP = 5.0  # seconds for the last acknowledgements, if the server is down


def consumer_name() -> str:
    """A name that no other consumer has; this process gets another one after a restart."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


class _Run:
    """Everything that belongs to a run. A thread that was abandoned when one run ended may end during the next run: it
    must not touch that."""

    def __init__(self, link: Link, key: str, group: str, consumer: str, hand: Hand) -> None:
        self.hand = hand
        self.queue: waiting.Box[Delivery] = waiting.Box()
        self.ended = waiting.Flag()
        self.changed = waiting.Flag()  # set when there may be room, or nothing left to do
        self.breaker = waiting.Breaker()
        self.settler = Settler(link, key, group, consumer, hand, self.changed, self.breaker)
        self.epoch: int | None = None
        self.mine_from: int | None = 1  # from where to look for messages that this consumer held before; None: nowhere
        self.abandoning = False
        self.handled = 0


class Worker(Generic[T]):
    def __init__(self, link: Link, key: str, group: str, codec: Codec[T], *, concurrency: int, prefetch: int | None,
                 lease: float, expire: float | None, max_attempts: int | None, dead_letter: str | None,
                 backoff: Backoff, start: str, consumer: str | None, time_limit: float | None) -> None:
        if concurrency < 1 or (prefetch is not None and prefetch < 0) or lease <= 0:
            raise ValueError("a worker needs a concurrency of at least 1, a prefetch of at least 0 and a lease")
        self.key, self.group, self.consumer = key, group, consumer or consumer_name()
        self._named_for = None if consumer else os.getpid()  # the process for which the consumer's name was made
        self._link, self._codec = link, codec
        self._concurrency, self._lease, self._expire = concurrency, lease, expire
        self._prefetch = concurrency if prefetch is None else prefetch
        self._backoff, self._start = backoff, start.upper()
        self._call: Callable[..., Any] = waiting.call
        if time_limit is not None:
            self._call = functools.partial(waiting.call_within, time_limit)
        self._is_observed = link.settings.is_observed
        self._group_settings: Words = ()
        if max_attempts is not None:
            self._group_settings += ("MAXATTEMPTS", max_attempts)
        if dead_letter is not None:
            self._group_settings += ("DEADLETTER", dead_letter)
        self._handlers: dict[str | None, Handler[T]] = {}
        self._stopping = waiting.Flag()
        self._run: _Run | None = None

    # --- what a user calls ---

    def on(self, *tags: str) -> Callable[[Handler[T]], Handler[T]]:
        """Decorates the handler of these tags; without tags, of all tags that have no handler of their own."""
        if not all(isinstance(tag, str) for tag in tags):
            raise TypeError("tags are text: write @worker.on() for a handler of all tags")

        def register(handler: Handler[T]) -> Handler[T]:
            for tag in tags or (None,):
                self._handlers[tag] = handler
            return handler

        return register

    async def run(self, *, stop_on: Iterable[int] = (), drain: float = 25.0) -> None:
        """Handles messages until stop(), or one of the signals."""
        with waiting.on_signals(stop_on, self.stop):
            await self._work(drain, block=True)

    async def run_until_idle(self) -> int:
        """Handles all messages that can be delivered now; returns how many. For tests."""
        return await self._work(drain=60.0, block=False)

    def stop(self) -> None:
        """Takes no more messages, so that run() ends. May be called from any thread or signal handler that may call
        this package."""
        self._stopping.set()
        run = self._run
        if run is not None:
            run.changed.set()
            run.breaker.break_off()

    # --- a run ---

    async def _work(self, drain: float, block: bool) -> int:
        """Returns how many messages were handled."""
        if self._run is not None:
            raise MillraceError("this worker runs already: make another one")
        if not self._handlers:
            raise MillraceError("this worker has no handler: write @worker.on() above one")
        if self._named_for not in (None, os.getpid()):
            # Forked: under the name of its parent it would get, by MINE, what its parent handles.
            self.consumer, self._named_for = consumer_name(), os.getpid()
        hand = Hand(self._concurrency + self._prefetch, self._prefetch)
        run = self._run = _Run(self._link, self.key, self.group, self.consumer, hand)
        try:
            if not self._stopping.is_set():  # stopped before it began
                await self._work_once(run, drain, block)
        finally:
            self._stopping.clear()
            self._run = None
        if run.settler.error is not None:
            raise run.settler.error
        return run.handled

    async def _work_once(self, run: _Run, drain: float, block: bool) -> None:
        settling = waiting.spawn("settler", run.settler.run)
        beating = waiting.spawn("lease", self._extend_leases, run)
        handling = [waiting.spawn("handler", self._handle_messages, run) for _ in range(self._concurrency)]
        tasks = [settling, beating, *handling]
        try:
            try:
                await self._read(run, block)
            finally:
                self._stopping.set()
                run.queue.empty()
                # Messages that were not started are given back at once.
                waited = ranges(run.hand.drop_waiting())
                giving = waiting.spawn("giver", self._give_back, waited, drain, run.ended)
                tasks.append(giving)
                await self._wind_up(run, handling, drain)
                end = waiting.now() + _SETTLE_AFTER_STOP
                for task in (giving, settling, beating):
                    await task.join()
                # Everything that this consumer still holds, including what a read that was broken off has delivered.
                await self._give_back((f"1-{LAST_OFFSET}",), max(0.0, end - waiting.now()), None)
        except BaseException:
            # Cancelled again while it ended: nothing is waited for any more. After another error these have ended.
            run.abandoning = True
            run.queue.close()
            run.settler.close(0)
            run.ended.set()
            for task in tasks:
                task.cancel()
            raise

    async def _read(self, run: _Run, block: bool) -> None:
        is_set_up = False
        waits = pauses()
        while self._goes_on(run):
            try:
                if not is_set_up:
                    await self._set_up()
                    is_set_up = True
                if not run.hand.is_worth_reading():
                    run.changed.clear()
                    if not run.hand.is_worth_reading() and self._goes_on(run):
                        await run.changed.wait()
                    continue
                was_idle = run.hand.is_empty() and run.mine_from is None
                found, is_set_up = await self._read_once(run, run.hand.room(), block)
                waits = pauses()
                if not found and is_set_up and not block:
                    if was_idle:
                        return
                    run.changed.clear()
                    if not run.hand.is_empty() and self._goes_on(run):
                        await run.changed.wait()
            except BrokenOff:
                return
            except NoGroup:
                is_set_up = False
            except (ConnectionLost, RefusedForNow) as error:
                run.mine_from = 1  # MINE finds what the lost answer delivered
                pause = next(waits)
                self._link.tell_retry(("TREADGROUP",), error, pause)
                await self._stopping.wait(pause)

    def _goes_on(self, run: _Run) -> bool:
        return not self._stopping.is_set() and run.settler.error is None

    async def _set_up(self) -> None:
        start = "NEXT" if self._start == "NEXT" else "FIRST"
        made = await self._link.call(self.key, "TGROUP", "CREATE", self.key, self.group, start, *self._group_settings)
        if not made and self._group_settings:
            await self._link.call(self.key, "TGROUP", "SET", self.key, self.group, *self._group_settings)

    async def _read_once(self, run: _Run, room: int, block: bool) -> tuple[bool, bool]:
        """Reads once; returns whether it found something, and whether the log is still the one that was set up."""
        words: list[Word] = ["TREADGROUP", self.key, run.mine_from or 1, room, "GROUP", self.group,
                             "CONSUMER", self.consumer, "RETRY", milliseconds(self._lease),
                             milliseconds(self._expire or 0), "WITHINFO", "EPOCH", "WITHATTEMPTS", "WITHTIME"]
        settings = self._link.settings
        may_wait = 0.0  # for how long the server may have waited before it delivered
        if run.mine_from is not None:
            words.append("MINE")
        elif block:
            may_wait = settings.block
            words += ["BLOCK", milliseconds(settings.block)]
        run.hand.begin_read()
        sent = waiting.now()
        reply = await self._link.call(self.key, *words, timeout=settings.wait_timeout, breaker=run.breaker)
        (_, _, epoch), *rows = reply
        if run.epoch is not None and epoch != run.epoch:
            run.epoch = None
            run.mine_from = 1  # the read has delivered messages already; MINE finds them again
            self._tell_lost(run.hand.lose_all())
            return True, False
        run.epoch = epoch
        lease_ends = min(waiting.now(), sent + may_wait) + self._lease
        deliveries = [Delivery(offset, tag, entry, attempts, time, epoch, lease_ends)
                      for offset, tag, entry, attempts, time in rows]
        if run.mine_from is not None:
            run.mine_from = deliveries[-1].offset + 1 if deliveries else None
        admitted = run.hand.admit(deliveries)
        if admitted:
            settings.notice("received", key=self.key, group=self.group, messages=len(admitted))
        run.queue.put(*admitted)
        return bool(deliveries), True

    # --- messages ---

    async def _handle_messages(self, run: _Run) -> None:
        while not run.abandoning:
            delivery = run.queue.take_now() or await run.queue.take()
            if delivery is None:
                return
            began = waiting.now()
            if run.hand.start(delivery, began):
                try:
                    await self._handle(run, delivery, began)
                except GeneratorExit:
                    raise
                except BaseException as error:  # not the handler's error, but that of a back-off or a logger
                    run.settler.fail(error)
            if run.hand.is_worth_reading():
                run.changed.set()

    async def _handle(self, run: _Run, delivery: Delivery, began: float) -> None:
        outcome: str = "done"
        error: BaseException | None = None
        try:
            await self._attempt(delivery)
        except GeneratorExit:
            raise  # the loop is gone
        except BaseException as raised:  # also of gevent or of a test framework: else its lease is extended for ever
            outcome, error = outcome_of(raised, run.abandoning), raised
        if outcome == "cancelled" or not run.hand.finish(delivery, outcome == "done"):
            outcome = "lost" if delivery.is_lost else "cancelled"  # cancelled messages are given back with all the rest
        elif outcome == "done":
            run.settler.done(delivery)
        elif outcome == "rejected":
            run.settler.rejected(delivery, str(error))
        else:
            run.settler.failed(delivery, self._backoff(delivery.attempts))
        settings = self._link.settings
        if outcome in ("failed", "rejected"):
            settings.logger.warning("%s %d (%s), attempt %d, %s: %r", self.key, delivery.offset, text(delivery.tag),
                                    delivery.attempts, outcome, error)
        run.handled += 1
        if self._is_observed:
            settings.notice("handled", key=self.key, group=self.group, tag=text(delivery.tag), offset=delivery.offset,
                            attempts=delivery.attempts, outcome=outcome, seconds=waiting.now() - began)
        if isinstance(error, ENDING):
            run.settler.fail(error)

    async def _attempt(self, delivery: Delivery) -> None:
        value = decoded(self._codec, delivery.entry)
        message = Message(f"{self.key}:{delivery.epoch}.{delivery.offset}", self.key, self.group, delivery.offset,
                          text(delivery.tag), value, delivery.attempts, delivery.time / 1000)
        delivery.message = message
        handler = self._handlers.get(message.tag) or self._handlers.get(None)
        if handler is None:
            raise LookupError(f"no handler for the tag {message.tag!r}")
        if not self._is_observed:
            await self._call(handler, value, message)
            return
        with self._link.settings.observer.handling(message):
            await self._call(handler, value, message)

    # --- leases ---

    async def _extend_leases(self, run: _Run) -> None:
        """Runs until the run ends, including the drain."""
        while not await run.ended.wait(self._lease / 3):
            leased = run.hand.leased()
            if leased:
                try:
                    await self._extend(run, leased)
                except MillraceError as error:
                    self._link.settings.logger.debug("leases of %s are not extended: %s", self.key, error)

    async def _extend(self, run: _Run, leased: list[Delivery]) -> None:
        prefix: Words = (self.key, self.group, "CONSUMER", self.consumer)
        # An answer that comes after the next extension should have been sent is of no use.
        timeout = min(self._lease / 3, self._link.settings.answer_timeout)
        sent = waiting.now()
        extended = await self._link.persist(self.key, "TEXTEND", *prefix, milliseconds(self._lease),
                                            *ranges(delivery.offset for delivery in leased),
                                            retry_for=self._lease / 3, timeout=timeout, until=run.ended)
        if extended == len(leased):
            run.hand.extended(leased, sent + self._lease)
            return
        # Some were finished meanwhile, or have passed to other workers.
        rows = await self._link.persist(self.key, "TGROUP", "PENDING", *prefix, "COUNT", 1_000_000,
                                        retry_for=self._lease / 3, timeout=timeout, until=run.ended)
        held = {row[0] for row in rows}
        run.hand.extended([one for one in leased if one.offset in held], sent + self._lease)
        self._tell_lost(run.hand.lose(one for one in leased if one.offset not in held))

    def _tell_lost(self, lost: list[Delivery]) -> None:
        for delivery in lost:
            if delivery.message is not None:
                delivery.message.lost = True
            self._link.settings.logger.warning("the lease of %s %d is lost", self.key, delivery.offset)

    # --- the end ---

    async def _wind_up(self, run: _Run, handling: list[waiting.Task], drain: float) -> None:
        """Lets running handlers end, and sends all outcomes."""
        end = waiting.now() + drain
        run.queue.close()
        for task in handling:
            if not await task.join(end - waiting.now()):
                run.abandoning = True
                task.cancel()
        if run.abandoning:
            end = waiting.now() + _END_AFTER_CANCEL
            for task in handling:
                await task.join(end - waiting.now())
            run.hand.abandon()
        run.settler.close(_SETTLE_AFTER_STOP)
        run.ended.set()

    async def _give_back(self, offsets: Sequence[Word], within: float, until: waiting.Flag | None) -> None:
        """Gives messages back uncounted, so that others get them now. With `until`, this is tried once more at the
        end."""
        while offsets:
            try:
                given = await self._link.persist(self.key, "TNACK", self.key, self.group, "CONSUMER", self.consumer,
                                                 "UNCOUNTED", *offsets, retry_for=within, until=until)
            except NoGroup:
                return
            except MillraceError as error:
                if until is None:
                    self._link.settings.logger.warning("%s: nothing is given back, it comes after its lease: %s",
                                                       self.key, error)
                return
            if not given:
                return
            self._link.settings.notice("given_back", key=self.key, group=self.group, messages=given)
