# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""A routing table: devices, their subscriptions, and dispatching changes to them."""

from __future__ import annotations

import json
import uuid
from typing import Any, Callable, Mapping

from ..backoff import Backoff
from ..codecs import Json
from ..errors import MillraceError
from ..messages import Message
from ..replies import Word, milliseconds, text
from . import waiting
from .link import Link
from .worker import Worker

Push = Callable[[str, Any, Mapping[str, Any]], Any]
_UNSET: Any = object()


def _channel(app: str, model: str, user: str | None, id: str | None) -> list[Word]:
    words: list[Word] = ["APP", app, "MODEL", model]
    if user is not None:
        words += ["USER", user]
    if id is not None:
        words += ["ID", id]
    return words


class Device:
    """A device. While it is open (`with`) it gives a sign of life every third of its `ttl`."""

    def __init__(self, link: Link, table: str, name: str, *, user: str | None, agent: str | None,
                 ttl: float | None) -> None:
        self.name = name
        self._link, self._table, self._ttl = link, table, ttl
        self._words: list[Word] = ["ROUTE.DEVICE", "SET", table, name]
        if user is not None:
            self._words += ["USER", user]
        if agent is not None:
            self._words += ["AGENT", agent]
        if ttl is not None:
            self._words += ["TTL", milliseconds(ttl)]
        self._subscriptions: list[list[Word]] = []
        self._ended = waiting.Flag()
        self._task: waiting.Task | None = None

    def set(self) -> bool:
        """Adds or renews the device; True if it is new."""
        return bool(self._link.persist(self._table, *self._words))

    def subscribe(self, app: str, model: str, *, user: str | None = None, id: str | None = None,
                        filter: Any = None, filter_id: str | None = None) -> str:
        """Subscribes the device to a channel; returns the channel's name. The subscription is kept alive with the
        device, and made again if the device had expired."""
        words: list[Word] = ["ROUTE.SUBSCRIBE", self._table, self.name, *_channel(app, model, user, id)]
        if filter is not None:
            words += ["FILTER", json.dumps(filter)]
        elif filter_id is not None:
            words += ["FILTERID", filter_id]
        words.append("XX")
        reply = self._link.persist(self._table, *words)
        if reply is None:  # the device has expired, or was never set
            self.set()
            reply = self._link.persist(self._table, *words)
        self._subscriptions.append(words)
        return text(reply[0])

    def touch(self) -> None:
        """Gives a sign of life. A device that has expired is set again, with its subscriptions."""
        if not self._link.persist(self._table, "ROUTE.DEVICE", "TOUCH", self._table, self.name):
            self.set()
            for words in self._subscriptions:
                self._link.persist(self._table, *words)

    def delete(self) -> None:
        self._link.persist(self._table, "ROUTE.DEVICE", "DEL", self._table, self.name)

    def __enter__(self) -> Device:
        self.set()
        self._ended = waiting.Flag()
        if self._ttl is not None:
            self._task = waiting.spawn("device", self._keep)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._task is not None:
            self._task.join()
        self.delete()

    def _keep(self) -> None:
        assert self._ttl is not None
        while not self._ended.wait(self._ttl / 3):
            try:
                self.touch()
            except MillraceError as error:
                self._link.settings.logger.debug("%s is not touched: %s", self.name, error)


class Routes:
    def __init__(self, link: Link, table: str) -> None:
        self.table = table
        self._link = link

    def device(self, id: str, transport: str, *, user: str | None = None, agent: str | None = None,
               ttl: float | None = None) -> Device:
        return Device(self._link, self.table, f"{id}|{transport}", user=user, agent=agent, ttl=ttl)

    def dispatch(self, app: str, model: str, event: str, queues: Mapping[str, str] | str, *,
                       user: str | None = None, id: str | None = None, document: Any = _UNSET, old: Any = _UNSET,
                       data: Any = _UNSET, origin: str | None = None,
                       unique: str | None = None) -> dict[str, tuple[int, int | None]]:
        """Writes a change to the log of each transport, once, even if it is sent several times. `queues` names the log
        of each transport, or is the common prefix of their names. Returns for each transport the number of devices and
        the offset."""
        words: list[Word] = ["ROUTE.DISPATCH", self.table, *_channel(app, model, user, id)]
        for name, value in (("DOC", document), ("OLD", old)):
            if value is not _UNSET:
                words += [name, json.dumps(value)]
        words += ["EVENT", event, "ID", unique or uuid.uuid4().hex]
        if origin is not None:
            words += ["ORIGIN", origin]
        if data is not _UNSET:
            words += ["DATA", json.dumps(data)]
        words.append("QUEUES")
        if isinstance(queues, str):
            words += ["*", queues]
        else:
            for transport, log in queues.items():
                words += [transport, log]
        rows = self._link.persist(self.table, *words)
        return {text(transport): (int(devices), offset) for transport, devices, offset in rows}

    def match(self, app: str, model: str, *, user: str | None = None, id: str | None = None,
                    document: Any = None) -> dict[str, list[str]]:
        """The devices that would get the change, by transport."""
        words: list[Word] = ["ROUTE.MATCH", self.table, *_channel(app, model, user, id)]
        if document is not None:
            words += ["DOC", json.dumps(document)]
        rows = self._link.persist(self.table, *words)
        return {text(transport): [text(device) for device in devices] for transport, devices in rows}

    def pusher(self, log: str, transport: str, push: Push, *, group: str = "pushers", concurrency: int = 1,
               lease: float = 30.0, consumer: str | None = None, backoff: Backoff | None = None) -> Worker[Any]:
        """A worker of a transport's log. push(device, change, message) is called for each device of a message. If it
        returns False, the device is deleted; if it raises, the message comes again."""
        worker: Worker[Any] = Worker(
            self._link, log, group, Json(), concurrency=concurrency, prefetch=None, lease=lease, expire=None,
            max_attempts=None, dead_letter=None, backoff=backoff or Backoff.exponential(), start="first",
            consumer=consumer, time_limit=None)

        @worker.on()
        def push_all(value: Any, message: Message[Any]) -> None:
            for each in value["devices"]:
                if waiting.call(push, each["device"], each.get("change"), value) is False:
                    self._link.persist(self.table, "ROUTE.DEVICE", "DEL", self.table,
                                             f"{each['device']}|{transport}")

        return worker
