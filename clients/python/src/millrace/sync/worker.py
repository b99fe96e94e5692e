# Made of millrace/asyncio by clients/python/generate_sync: change it there.
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
from .attempt import decoded, outcome_of
from .link import Link
from .settling import Settler

T = TypeVar("T")
Handler = Callable[[T, Message[T]], Any]
_SETTLE_AFTER_STOP = 5.0  # seconds for the last acknowledgements, if the server is down


def consumer_name() -> str:
    """A name that no other consumer has; this process gets another one after a restart."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


class Worker(Generic[T]):
    def __init__(self, link: Link, key: str, group: str, codec: Codec[T], *, concurrency: int, prefetch: int | None,
                 lease: float, expire: float | None, max_attempts: int | None, dead_letter: str | None,
                 backoff: Backoff, start: str, consumer: str | None, time_limit: float | None) -> None:
        if concurrency < 1 or (prefetch is not None and prefetch < 0) or lease <= 0:
            raise ValueError("a worker needs a concurrency of at least 1, a prefetch of at least 0 and a lease")
        self.key, self.group, self.consumer = key, group, consumer or consumer_name()
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
        self._is_running = False
        self._begin()

    def _begin(self) -> None:
        """Creates everything that belongs to one run."""
        self._hand = Hand(self._concurrency + self._prefetch, self._prefetch)
        self._queue: waiting.Box[Delivery] = waiting.Box()
        self._ended = waiting.Flag()
        self._changed = waiting.Flag()  # set when there may be room, or nothing left to do
        self._breaker = waiting.Breaker()
        self._settler = Settler(self._link, self.key, self.group, self.consumer, self._hand, self._changed,
                                self._breaker)
        self._epoch: int | None = None
        self._mine_from: int | None = 1  # from where to look for messages that this consumer held before; None: nowhere
        self._abandoning = False
        self._handled = 0

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

    def run(self, *, stop_on: Iterable[int] = (), drain: float = 25.0) -> None:
        """Handles messages until stop(), or one of the signals."""
        with waiting.on_signals(stop_on, self.stop):
            self._work(drain, block=True)

    def run_until_idle(self) -> int:
        """Handles all messages that can be delivered now; returns how many. For tests."""
        self._work(drain=60.0, block=False)
        return self._handled

    def stop(self) -> None:
        """Takes no more messages, so that run() ends. May be called from any thread or signal handler that may call
        this package."""
        self._stopping.set()
        self._changed.set()
        self._breaker.break_off()

    # --- a run ---

    def _work(self, drain: float, block: bool) -> None:
        if self._is_running:
            raise MillraceError("this worker runs already: make another one")
        if not self._handlers:
            raise MillraceError("this worker has no handler: write @worker.on() above one")
        self._is_running = True
        try:
            self._work_once(drain, block)
        finally:
            self._is_running = False

    def _work_once(self, drain: float, block: bool) -> None:
        self._begin()
        if self._stopping.is_set():  # stopped before it began
            self._stopping.clear()
            return
        settling = waiting.spawn("settler", self._settler.run)
        beating = waiting.spawn("lease", self._extend_leases)
        handling = [waiting.spawn("handler", self._handle_messages) for _ in range(self._concurrency)]
        try:
            self._read(block)
        finally:
            self._stopping.set()
            giving = self._wind_up(handling, drain)
            end = waiting.now() + _SETTLE_AFTER_STOP
            for task in (giving, settling, beating):
                task.join()
            try:
                # Everything that this consumer still holds, including what a read that was broken off has delivered.
                self._give_back((f"1-{LAST_OFFSET}",), max(0.0, end - waiting.now()), None)
            finally:
                self._stopping.clear()
        if self._settler.error is not None:
            raise self._settler.error

    def _read(self, block: bool) -> None:
        is_set_up = False
        waits = pauses()
        while not self._stopping.is_set() and self._settler.error is None:
            try:
                if not is_set_up:
                    self._set_up()
                    is_set_up = True
                if not self._hand.is_worth_reading():
                    self._changed.clear()
                    if not self._hand.is_worth_reading() and not self._stopping.is_set():
                        self._changed.wait()
                    continue
                was_idle = self._hand.is_empty() and self._mine_from is None
                found, is_set_up = self._read_once(self._hand.room(), block)
                waits = pauses()
                if not found and is_set_up and not block:
                    if was_idle:
                        return
                    self._changed.clear()
                    if not self._hand.is_empty():
                        self._changed.wait()
            except BrokenOff:
                return
            except NoGroup:
                is_set_up = False
            except (ConnectionLost, RefusedForNow) as error:
                self._mine_from = 1  # MINE finds what the lost answer delivered
                pause = next(waits)
                self._link.tell_retry(("TREAD",), error, pause)
                self._stopping.wait(pause)

    def _set_up(self) -> None:
        start = "NEXT" if self._start == "NEXT" else "FIRST"
        made = self._link.call(self.key, "TGROUP", "CREATE", self.key, self.group, start, *self._group_settings)
        if not made and self._group_settings:
            self._link.call(self.key, "TGROUP", "SET", self.key, self.group, *self._group_settings)

    def _read_once(self, room: int, block: bool) -> tuple[bool, bool]:
        """Reads once; returns whether it found something, and whether the log is still the one that was set up."""
        words: list[Word] = ["TREAD", self.key, self._mine_from or 1, room, "GROUP", self.group,
                             "CONSUMER", self.consumer, "RETRY", milliseconds(self._lease),
                             milliseconds(self._expire or 0), "WITHINFO", "EPOCH", "WITHATTEMPTS", "WITHTIME"]
        settings = self._link.settings
        if self._mine_from is not None:
            words.append("MINE")
        elif block:
            words += ["BLOCK", milliseconds(settings.block)]
        self._hand.begin_read()
        reply = self._link.call(self.key, *words, timeout=settings.wait_timeout, breaker=self._breaker)
        (_, _, epoch), *rows = reply
        if self._epoch is not None and epoch != self._epoch:
            self._epoch = None
            self._mine_from = 1  # the read has delivered messages already; MINE finds them again
            return True, False
        self._epoch = epoch
        lease_ends = waiting.now() + self._lease
        deliveries = [Delivery(offset, tag, entry, attempts, time, epoch, lease_ends)
                      for offset, tag, entry, attempts, time in rows]
        if self._mine_from is not None:
            self._mine_from = deliveries[-1].offset + 1 if deliveries else None
        admitted = self._hand.admit(deliveries)
        if admitted:
            settings.notice("received", key=self.key, group=self.group, messages=len(admitted))
        self._queue.put(*admitted)
        return bool(deliveries), True

    # --- messages ---

    def _handle_messages(self) -> None:
        while not self._abandoning:
            delivery = self._queue.take_now() or self._queue.take()
            if delivery is None:
                return
            began = waiting.now()
            if self._hand.start(delivery, began):
                try:
                    self._handle(delivery, began)
                except Exception as error:  # not the handler's error, but that of a back-off or a logger
                    self._settler.fail(error)
            if self._hand.is_worth_reading():
                self._changed.set()

    def _handle(self, delivery: Delivery, began: float) -> None:
        outcome: str = "done"
        error: BaseException | None = None
        try:
            self._attempt(delivery)
        except (Exception, waiting.Cancelled) as raised:
            outcome, error = outcome_of(raised, self._abandoning), raised
        if outcome == "cancelled" or not self._hand.finish(delivery, outcome == "done"):
            outcome = "lost" if delivery.is_lost else "cancelled"  # cancelled messages are given back with all the rest
        elif outcome == "done":
            self._settler.done(delivery.offset)
        elif outcome == "rejected":
            self._settler.rejected(delivery.offset, str(error))
        else:
            self._settler.failed(delivery.offset, self._backoff(delivery.attempts))
        settings = self._link.settings
        if outcome in ("failed", "rejected"):
            settings.logger.warning("%s %d (%s), attempt %d, %s: %r", self.key, delivery.offset, text(delivery.tag),
                                    delivery.attempts, outcome, error)
        self._handled += 1
        if self._is_observed:
            settings.notice("handled", key=self.key, group=self.group, tag=text(delivery.tag), offset=delivery.offset,
                            attempts=delivery.attempts, outcome=outcome, seconds=waiting.now() - began)

    def _attempt(self, delivery: Delivery) -> None:
        value = decoded(self._codec, delivery.entry)
        message = Message(f"{self.key}:{delivery.epoch}.{delivery.offset}", self.key, self.group, delivery.offset,
                          text(delivery.tag), value, delivery.attempts, delivery.time / 1000)
        delivery.message = message
        handler = self._handlers.get(message.tag) or self._handlers.get(None)
        if handler is None:
            raise LookupError(f"no handler for the tag {message.tag!r}")
        if not self._is_observed:
            self._call(handler, value, message)
            return
        with self._link.settings.observer.handling(message):
            self._call(handler, value, message)

    # --- leases ---

    def _extend_leases(self) -> None:
        """Runs until the run ends, including the drain."""
        while not self._ended.wait(self._lease / 3):
            offsets = self._hand.leased()
            if offsets:
                try:
                    self._extend(offsets)
                except MillraceError as error:
                    self._link.settings.logger.debug("leases of %s are not extended: %s", self.key, error)

    def _extend(self, offsets: list[int]) -> None:
        prefix: Words = (self.key, self.group, "CONSUMER", self.consumer)
        sent = waiting.now()
        extended = self._link.persist(self.key, "TEXTEND", *prefix, milliseconds(self._lease), *ranges(offsets),
                                            retry_for=self._lease / 3, until=self._ended)
        if extended == len(offsets):
            self._hand.extended(offsets, sent + self._lease)
            return
        # Some were finished meanwhile, or have passed to other workers.
        rows = self._link.persist(self.key, "TGROUP", "PENDING", *prefix, "COUNT", 1_000_000,
                                        retry_for=self._lease / 3, until=self._ended)
        held = {row[0] for row in rows}
        self._hand.extended(held, sent + self._lease)
        for delivery in self._hand.lose(offset for offset in offsets if offset not in held):
            if delivery.message is not None:
                delivery.message.lost = True
            self._link.settings.logger.warning("the lease of %s %d is lost", self.key, delivery.offset)

    # --- the end ---

    def _wind_up(self, handling: list[waiting.Task], drain: float) -> waiting.Task:
        """Gives waiting messages back at once, in the task that is returned; lets running handlers end; sends all
        outcomes."""
        end = waiting.now() + drain
        self._queue.empty()
        giving = waiting.spawn("giver", self._give_back, ranges(self._hand.drop_waiting()), drain, self._ended)
        self._queue.close()
        for task in handling:
            if not task.join(end - waiting.now()):
                self._abandoning = True
                task.cancel()
        if self._abandoning:
            for task in handling:
                task.join(0.1)
            self._hand.abandon()
        self._settler.close(_SETTLE_AFTER_STOP)
        self._ended.set()
        return giving

    def _give_back(self, offsets: Sequence[Word], within: float, until: waiting.Flag | None) -> None:
        """Gives messages back uncounted, so that others get them now. With `until`, this is tried once more at the
        end."""
        while offsets:
            try:
                given = self._link.persist(self.key, "TNACK", self.key, self.group, "CONSUMER", self.consumer,
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
