# Made of millrace/asyncio by clients/python/generate_sync: change it there.
"""What every kind of lock does while it is held: it renews the lease, notices a loss in time, and releases the lock."""

from __future__ import annotations

from typing import Any

from ..errors import LockLost, MillraceError
from ..settings import Settings
from . import waiting


def safe_part(ttl: float) -> float:
    """The part of a lease that the holder relies on: a margin, because clocks do not run at exactly the same speed."""
    return ttl * 0.99 - 0.002


class HeldLock:
    """Use it as a context manager, or acquire() and release(). The object is one holder; it can be used again after
    release."""

    def __init__(self, settings: Settings, key: str, ttl: float) -> None:
        self.key, self.ttl = key, ttl
        self.token: int | None = None  # the fencing token: send it with each write to the protected resource
        self.lost = waiting.Flag()  # set when the lock is lost while it is held
        self.owner = ""  # a new name for each attempt to acquire it
        self._settings = settings
        self.valid_until = 0.0  # until when this holder certainly has it, by time.monotonic()
        self._ended = waiting.Flag()  # released or lost
        self._canceller: waiting.Canceller | None = None
        self._tasks: list[waiting.Task] = []

    # What a kind of lock must do.

    def _take(self) -> tuple[int | None, float]:
        """Waits for the lock; returns its token, and until when this holder has it. Raises LockTimeout."""
        raise NotImplementedError

    def _renew(self, owner: str) -> float | None:
        """Renews the lease; returns until when this holder has the lock; None if the server says that it does not.
        Raises if no server answered."""
        raise NotImplementedError

    def _give_back(self, owner: str, until: float) -> None:
        """Releases the lock, by this time at the latest."""
        raise NotImplementedError

    def _forget_owner(self, owner: str) -> None:
        """Releases whatever this owner was granted, with one try. Raises nothing."""
        raise NotImplementedError

    # What a user calls.

    def acquire(self) -> None:
        self.valid_until = 0.0
        self.lost, self._ended = waiting.Flag(), waiting.Flag()
        self.token, self.valid_until = self._take()
        self._tasks = [waiting.spawn("renewal", self._keep, self.owner, self.lost, self._ended),
                       waiting.spawn("lease", self._watch, self.lost, self._ended)]
        self._settings.notice("lock_acquired", key=self.key, token=self.token)

    def release(self) -> None:
        """Releases the lock. Raises LockLost if it was lost before."""
        owner, until = self.owner, self.valid_until
        if self._tasks and waiting.now() >= until:  # it is held, and no timer has run in time
            self._lose("its lease is over", self.lost, self._ended)
        self._ended.set()
        try:
            for task in self._tasks:
                if not task.join(0):
                    task.cancel()
            self._tasks = []
            if self.lost.is_set():
                # A renewal without an answer may have prolonged the lease.
                waiting.spawn("release", self._forget_owner, owner)
                raise LockLost(f"the lock {self.key} was lost while it was held")
            self._give_back(owner, until)
        except waiting.Cancelled:
            # So that others need not wait for the end of its lease.
            waiting.spawn("release", self._give_back, owner, until)
            raise
        self._settings.notice("lock_released", key=self.key, token=self.token)

    @property
    def remaining(self) -> float:
        """Seconds for which this holder certainly has the lock; 0 if it does not."""
        return 0.0 if self._ended.is_set() else max(0.0, self.valid_until - waiting.now())

    def check(self) -> None:
        """Raises LockLost unless this holder has the lock now."""
        if self.remaining <= 0.0:
            raise LockLost(f"the lock {self.key} is lost")

    def __enter__(self) -> Any:
        self.acquire()
        self._canceller = waiting.Canceller()
        return self

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        canceller, self._canceller = self._canceller, None
        try:
            self.release()
        except LockLost:
            if canceller is not None:
                canceller.take_back()
            # An error of the work itself is more informative. A cancellation was caused by the loss, so LockLost
            # replaces it.
            if error is None or isinstance(error, waiting.Cancelled):
                raise

    # What runs while the lock is held. The owner and the flags are those of one acquisition: a thread that still waits
    # for an answer may end during the next one.

    def _keep(self, owner: str, lost: waiting.Flag, ended: waiting.Flag) -> None:
        pause = self.ttl / 3
        while not ended.wait(pause):
            try:
                until = self._renew(owner)
            except MillraceError as error:
                self._settings.logger.debug("the lock %s is not renewed, tried again: %s", self.key, error)
                pause = min(self.ttl / 20, 0.25)
                continue
            if until is None:
                self._lose("the server says that it is not ours", lost, ended)
                return
            if not ended.is_set():
                self.valid_until = max(self.valid_until, until)
            pause = self.ttl / 3

    def _watch(self, lost: waiting.Flag, ended: waiting.Flag) -> None:
        """Marks the lock as lost when its lease ends, whatever the renewal is doing."""
        while not ended.wait(self.valid_until - waiting.now()):
            if waiting.now() >= self.valid_until:
                self._lose("its lease is over", lost, ended)
                return

    def _lose(self, why: str, lost: waiting.Flag, ended: waiting.Flag) -> None:
        if ended.is_set():
            return
        self.valid_until = min(self.valid_until, waiting.now())
        lost.set()
        ended.set()
        self._settings.logger.warning("the lock %s is lost: %s", self.key, why)
        self._settings.notice("lock_lost", key=self.key, token=self.token)
        if self._canceller is not None:
            self._canceller.cancel()
