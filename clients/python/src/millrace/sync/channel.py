# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""A channel: publishing once, and subscriptions as iterators."""

from __future__ import annotations

import uuid
from typing import Any, Callable, Generic, TypeVar

from ..backoff import pauses
from ..codecs import Codec
from ..errors import BadReceipt, BrokenOff, ConnectionLost, NoSubscriber, RefusedForNow, checked
from ..messages import Publication
from ..replies import Word, Words, milliseconds, text
from . import waiting
from .link import Link

T = TypeVar("T")
OnGap = Callable[[], Any]


class Channel(Generic[T]):
    def __init__(self, link: Link, name: str, codec: Codec[T]) -> None:
        self.name = name
        self._link, self._codec = link, codec

    def publish(self, content: T, id: str | None = None) -> bool:
        """Publishes a message once, even if it is sent several times. False if a message with this id was there
        before."""
        words: Words = ("CHAN.PUBLISH", self.name, id or uuid.uuid4().hex, self._codec.encode(content))
        try:
            return self._link.call(self.name, *words) is not None
        except (ConnectionLost, RefusedForNow) as error:
            self._link.tell_retry(words, error, 0)
        # If an earlier sending has arrived, a later one is answered with null: this cannot be distinguished from an id
        # that was used before.
        self._link.persist(self.name, *words)
        return True

    def subscribe(self, name: str, *, batch: int = 1, expire: float | None = None,
                  on_gap: OnGap | None = None) -> Subscription[T]:
        """An iterator of messages. A message is acknowledged when the next one is asked for; with a batch, the whole
        batch when the message behind it is. `on_gap` is called when the subscription is made, the first time and each
        time after it was lost: load the present state there."""
        return Subscription(self._link, self.name, self._codec, name, batch, expire, on_gap)

    def unsubscribe(self, name: str) -> bool:
        return bool(self._link.persist(self.name, "CHAN.UNSUBSCRIBE", self.name, name))

    def seen(self, name: str, *ids: str) -> list[bool]:
        """For each message, whether the subscriber has passed it."""
        return [bool(one) for one in self._link.persist(self.name, "CHAN.SEEN", self.name, name, *ids)]


class Subscription(Generic[T]):
    def __init__(self, link: Link, channel: str, codec: Codec[T], name: str, batch: int, expire: float | None,
                 on_gap: OnGap | None) -> None:
        self._link, self._channel, self._codec, self._name = link, channel, codec, name
        self._batch, self._expire, self._on_gap = batch, expire, on_gap
        self._rows: list[Any] = []  # fetched and not returned yet; the last one is the next
        self._receipt: Any = None  # of the messages that were returned
        self._must_subscribe = self._has_gap = False  # until the server says that there is no such subscriber
        self._breaker = waiting.Breaker()

    def __iter__(self) -> Subscription[T]:
        return self

    def __next__(self) -> Publication[T]:
        while not self._rows:
            if not self._fetch():
                raise StopIteration
        message_id, content = self._rows.pop()
        return Publication(text(message_id), self._codec.decode(content))

    def stop(self) -> None:
        """Ends the iteration, even if it is waiting. The last message stays unacknowledged unless ack() is called."""
        self._breaker.break_off()

    def ack(self) -> None:
        """Acknowledges the returned messages without fetching more. REQUIRES: the whole batch was returned."""
        receipt = self._receipt
        if receipt is not None and not self._rows:
            try:
                self._link.persist(self._channel, "CHAN.ACK", self._channel, self._name, receipt)
            except (BadReceipt, NoSubscriber):
                pass  # the next fetch finds out the reason
            if self._receipt is receipt:  # not that of a fetch that has ended meanwhile
                self._receipt = None

    def _fetch(self) -> bool:
        """Acknowledges the returned messages and waits for more; False if it was stopped."""
        for pause in pauses():
            if self._has_gap:
                if self._on_gap is not None:
                    waiting.call(self._on_gap)
                self._has_gap = False  # not before: if on_gap fails or is cancelled, it is called again
            try:
                if self._must_subscribe:
                    self._subscribe()
                else:
                    self._rows, self._receipt = self._exchange()
                    return True
            except BrokenOff:
                return False
            except NoSubscriber:
                self._receipt = None
                self._must_subscribe = True
            except BadReceipt:
                self._receipt = None
            except (ConnectionLost, RefusedForNow) as error:
                self._link.tell_retry(("CHAN.SUBSCRIBE" if self._must_subscribe else "CHAN.FETCH",), error, pause)
                waiting.sleep(pause)
        raise AssertionError("pauses() never ends")

    def _exchange(self) -> tuple[list[Any], Any]:
        settings = self._link.settings
        commands: list[Words] = []
        if self._receipt is not None:
            commands.append(("CHAN.ACK", self._channel, self._name, self._receipt))
        commands.append(("CHAN.FETCH", self._channel, self._name, "MAX", self._batch,
                         "BLOCK", milliseconds(settings.block)))
        replies = self._link.exchange(self._channel, commands, settings.wait_timeout, self._breaker)
        for reply in replies[:-1]:
            checked(reply)
        messages, receipt, _ = checked(replies[-1])
        return list(reversed(messages)), receipt

    def _subscribe(self) -> None:
        words: list[Word] = ["CHAN.SUBSCRIBE", self._channel, self._name]
        if self._expire is not None:
            words += ["EXPIRE", milliseconds(self._expire)]
        self._link.call(self._channel, *words, breaker=self._breaker)
        self._must_subscribe, self._has_gap = False, True
        self._link.settings.logger.info("%s subscribes to %s", self._name, self._channel)
        self._link.settings.notice("gap", key=self._channel)
