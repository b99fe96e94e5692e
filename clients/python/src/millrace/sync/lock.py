# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""A lock on one server, or on the cluster node that has its key."""

from __future__ import annotations

import uuid
from typing import Any

from ..backoff import pauses
from ..errors import ConnectionLost, LockTimeout, MillraceError, NotOwner, RefusedForNow, checked
from ..replies import Word, Words, milliseconds
from . import waiting
from .held import HeldLock, safe_part
from .link import Link


class Lock(HeldLock):
    def __init__(self, link: Link, key: str, *, ttl: float, wait: float, shared: bool, limit: int | None,
                 value: str | bytes | None) -> None:
        super().__init__(link.settings, key, ttl)
        self._link, self._wait = link, wait
        self._options: Words = ()
        if shared:
            self._options += ("SHARED",)
        if limit is not None:
            self._options += ("LIMIT", limit)
        if value is not None:
            self._options += ("VALUE", value)

    def _take(self) -> tuple[int, float]:
        deadline = waiting.now() + self._wait
        # A broken connection is retried even without a waiting time.
        give_up_at = waiting.now() + max(self._wait, self._link.settings.answer_timeout)
        tries = pauses()
        while True:
            # New: a lost answer may have granted the lock to the last one. A release in the background gets the name as
            # an argument, because by then self.owner may be the next one.
            owner = self.owner = uuid.uuid4().hex
            try:
                granted = self._ask(owner, max(0.0, deadline - waiting.now()))
            except (ConnectionLost, RefusedForNow) as error:
                # In a task of its own, so that it is sent even if we are cancelled now.
                waiting.spawn("release", self._forget_owner, owner).join()
                pause = next(tries)
                if waiting.now() + pause > give_up_at:
                    raise
                self._link.tell_retry(("LOCK.ACQUIRE",), error, pause)
                waiting.sleep(pause)
                continue
            except BaseException:  # cancelled, or an error after the grant: it may have been granted
                waiting.spawn("release", self._forget_owner, owner)
                raise
            if granted is not None:
                return granted
            if waiting.now() >= deadline:
                raise LockTimeout(f"the lock {self.key} was not granted within {self._wait} seconds")

    def _ask(self, owner: str, wait: float) -> tuple[int, float] | None:
        """Waits in line once; returns the token, and until when this holder has the lock."""
        settings = self._link.settings
        words: list[Word] = ["LOCK.ACQUIRE", self.key, owner, milliseconds(self.ttl), *self._options]
        sent = waiting.now()
        if milliseconds(wait) == 0:
            granted, token, _, _ = self._link.call(self.key, *words)
            return (int(token), sent + safe_part(self.ttl)) if granted else None

        def renewal(replies: list[Any]) -> list[Words]:
            """Sent on the connection that waited, it shows that the client is alive. The lease begins again when it is
            sent."""
            nonlocal sent
            sent = waiting.now()
            is_granted = not isinstance(replies[0], Exception) and replies[0][0]
            return [("LOCK.RENEW", self.key, owner, milliseconds(self.ttl))] if is_granted else []

        words += ["WAIT", milliseconds(min(wait, settings.block)), "ALIVE", max(1, milliseconds(self.ttl / 3))]
        first, *renewed = self._link.exchange(self.key, [tuple(words)], settings.wait_timeout, then=renewal)
        _, token, _, _ = checked(first)
        if not renewed or not checked(renewed[0]):
            return None
        return int(token), sent + safe_part(self.ttl)

    def _forget_owner(self, owner: str) -> None:
        try:
            self._link.call(self.key, "LOCK.RELEASE", self.key, owner)
        except MillraceError:
            pass  # it was not granted; or the server is down, and the lease will expire

    def _renew(self, owner: str) -> float | None:
        sent = waiting.now()
        is_ours = self._link.call(self.key, "LOCK.RENEW", self.key, owner, milliseconds(self.ttl),
                                        timeout=min(self.ttl / 3, self._link.settings.answer_timeout))
        return sent + safe_part(self.ttl) if is_ours else None

    def _give_back(self, owner: str, until: float) -> None:
        try:
            self._link.persist(self.key, "LOCK.RELEASE", self.key, owner,
                                     retry_for=max(0.0, until - waiting.now()))
        except NotOwner:
            pass  # an earlier sending has released it, and the answer was lost
        except (ConnectionLost, RefusedForNow) as error:
            self._settings.logger.debug("the lock %s ends with its lease: %s", self.key, error)
