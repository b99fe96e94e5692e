"""A lock over several independent servers: docs/guides/locks.md."""

from __future__ import annotations

import functools
import random
import uuid
from typing import Sequence

from ..errors import LockTimeout, MillraceError, NotOwner
from ..replies import Words, milliseconds
from . import waiting
from .held import HeldLock, safe_part
from .link import Link


def needed(servers: int, limit: int | None) -> int:
    """How many servers must grant the lock, so that at most `limit` owners hold it at the same time."""
    permits = limit or 1
    return servers * permits // (permits + 1) + 1


class Redlock(HeldLock):
    def __init__(self, links: Sequence[Link], key: str, *, ttl: float, wait: float, limit: int | None,
                 patience: float | None) -> None:
        super().__init__(links[0].settings, key, ttl)
        self._links, self._wait = links, wait
        self._needed = needed(len(links), limit)
        self._patience = min(1.0, ttl / 10) if patience is None else min(patience, ttl / 3)
        self._options: Words = ()
        if limit is not None:
            self._options = ("LIMIT", limit)

    async def _take(self) -> tuple[int, float]:
        deadline = waiting.now() + self._wait
        while True:
            owner = self.owner = uuid.uuid4().hex
            try:
                granted = await self._ask(owner)
            except BaseException:  # cancelled: some servers may have granted it
                waiting.spawn("release", self._forget_owner, owner)
                raise
            if granted is not None:
                return granted
            await waiting.spawn("release", self._forget_owner, owner).join()  # even if we are cancelled now
            if waiting.now() >= deadline:
                raise LockTimeout(f"the lock {self.key} was not granted by {self._needed} of {len(self._links)} servers")
            await waiting.sleep(random.uniform(0.010, 0.060))

    async def _ask(self, owner: str) -> tuple[int, float] | None:
        """Asks all servers once; returns the token, and until when this holder has the lock."""
        sent = waiting.now()
        tokens = await waiting.all_within(
            self._patience, [functools.partial(self._acquire_at, link, owner) for link in self._links], self._is_enough)
        granted = sorted(token for token in tokens if token is not None)
        if len(granted) < self._needed:
            return None
        # Of the smallest tokens of a majority, the greatest: so a single server whose clock is ahead has no effect.
        token = granted[self._needed - 1]
        until = sent + safe_part(self.ttl)
        return (token, until) if await self._tell(owner, token) and waiting.now() < until else None

    def _is_enough(self, tokens: list[int | None]) -> bool:
        return sum(token is not None for token in tokens) >= self._needed

    async def _acquire_at(self, link: Link, owner: str) -> int | None:
        granted, token, _, _ = await link.call(self.key, "LOCK.ACQUIRE", self.key, owner, milliseconds(self.ttl),
                                               *self._options, timeout=self._patience)
        return int(token) if granted else None

    async def _renew_at(self, link: Link, owner: str, *words: str | int) -> int | None:
        return await link.call(self.key, "LOCK.RENEW", self.key, owner, milliseconds(self.ttl), *words,
                               timeout=self._patience) or None

    async def _renewed(self, owner: str, *words: str | int) -> list[int | None]:
        return await waiting.all_within(
            self._patience, [functools.partial(self._renew_at, link, owner, *words) for link in self._links],
            self._is_enough)

    async def _tell(self, owner: str, token: int) -> bool:
        """Sends the token to all servers; returns whether a majority got it. These then issue only greater ones."""
        return self._is_enough(await self._renewed(owner, "TOKEN", token))

    async def _renew(self, owner: str) -> float | None:
        sent = waiting.now()
        answers = await self._renewed(owner)
        if self._is_enough(answers):
            return sent + safe_part(self.ttl)
        if len(answers) - sum(answer is not None for answer in answers) > len(self._links) - self._needed:
            return None  # too many servers refused: the lock is lost
        raise MillraceError("too few servers have answered")

    async def _release_at(self, link: Link, owner: str) -> int:
        try:
            await link.call(self.key, "LOCK.RELEASE", self.key, owner, timeout=self._patience)
        except NotOwner:
            pass
        return 1

    async def _forget_owner(self, owner: str) -> None:
        await waiting.all_within(
            self._patience, [functools.partial(self._release_at, link, owner) for link in self._links],
            lambda released: len(released) == len(self._links))

    async def _give_back(self, owner: str, until: float) -> None:
        await self._forget_owner(owner)
