"""Sends the outcomes of messages to the server: many in one exchange, sent again until it is answered."""

from __future__ import annotations

from ..backoff import pauses
from ..errors import ConnectionLost, NoGroup, RefusedForNow, checked
from ..hand import Delivery, Hand
from ..replies import Words, milliseconds, ranges
from . import waiting
from .link import Link

_AT_ONCE_MOST = 1000


class Settler:
    """One object for each run of a worker."""

    def __init__(self, link: Link, key: str, group: str, consumer: str, hand: Hand, settled: waiting.Flag,
                 breaker: waiting.Breaker) -> None:
        self._link, self._key, self._hand = link, key, hand
        self._suffix: Words = (key, group, "CONSUMER", consumer)
        self._settled_flag = settled  # set when something is settled
        self._breaker = breaker  # ends the read if the server refuses the outcomes
        self._mutex = waiting.Mutex()
        self._some = waiting.Flag()
        self._done: list[Delivery] = []
        self._refused: list[tuple[Delivery, Words]] = []  # with the options of TNACK
        self._give_up_at: float | None = None
        self.error: BaseException | None = None

    def done(self, delivery: Delivery) -> None:
        with self._mutex:
            self._done.append(delivery)
            if not self._some.is_set():
                self._some.set()

    def failed(self, delivery: Delivery, pause: float) -> None:
        self._refuse(delivery, ("DELAY", milliseconds(pause)))

    def rejected(self, delivery: Delivery, reason: str) -> None:
        # 1 to 512 bytes, without cutting a character in two.
        self._refuse(delivery, ("DEAD", reason.encode()[:512].decode("utf-8", "ignore") or "rejected"))

    def _refuse(self, delivery: Delivery, options: Words) -> None:
        with self._mutex:
            self._refused.append((delivery, options))
            self._some.set()

    def fail(self, error: BaseException) -> None:
        """Ends the run with this error."""
        self.error = self.error or error
        self._breaker.break_off()
        self._settled_flag.set()

    def close(self, within: float) -> None:
        """No outcomes are added after this; the rest is sent within this many seconds, or dropped."""
        with self._mutex:
            self._give_up_at = waiting.now() + within
            self._some.set()

    async def run(self) -> None:
        while True:
            await self._some.wait()
            with self._mutex:
                done, self._done = self._done[:_AT_ONCE_MOST], self._done[_AT_ONCE_MOST:]
                refused, self._refused = self._refused[:_AT_ONCE_MOST], self._refused[_AT_ONCE_MOST:]
                if not done and not refused:
                    if self._give_up_at is not None:
                        return
                    self._some.clear()
                    continue
            await self._tell(done, refused)
            self._hand.settled(done + [delivery for delivery, _ in refused])
            self._settled_flag.set()

    def _commands(self, done: list[Delivery], refused: list[tuple[Delivery, Words]]) -> list[Words]:
        """Those deliveries are left out whose log was replaced: the new one has the same offsets."""
        commands: list[Words] = []
        offsets = [delivery.offset for delivery in done if not delivery.is_gone]
        if offsets:
            commands.append(("TACK", *self._suffix, *ranges(offsets)))
        commands += [("TNACK", *self._suffix, *options, delivery.offset) for delivery, options in refused
                     if not delivery.is_gone]
        return commands

    async def _tell(self, done: list[Delivery], refused: list[tuple[Delivery, Words]]) -> None:
        for pause in pauses():
            commands = self._commands(done, refused)
            if not commands:
                return
            try:
                for reply in await self._link.exchange(self._key, commands):
                    checked(reply)
                return
            except (ConnectionLost, RefusedForNow) as error:
                self._link.tell_retry(commands[0], error, pause)
                if self._give_up_at is not None and waiting.now() + pause > self._give_up_at:
                    return  # the messages come again after their leases
            except NoGroup:
                return  # the log or the group is gone, with all that was pending
            except Exception as error:
                self._link.settings.logger.error("outcomes of %s are not told: %s", self._key, error)
                self.fail(error)
                return
            await waiting.sleep(pause)
