"""The pauses before something is tried again."""

from __future__ import annotations

import random
from typing import Callable, Iterator


class Backoff:
    """backoff(attempt) gives the pause after an attempt to handle a message, in seconds; attempts count from 1."""

    def __init__(self, pause: Callable[[int], float]) -> None:
        self._pause = pause

    def __call__(self, attempt: int) -> float:
        return self._pause(attempt)

    @classmethod
    def exponential(cls, first: float = 1.0, cap: float = 300.0, jitter: float = 0.2) -> Backoff:
        """`first`, doubled with each attempt up to `cap`, times a random factor within 1 - jitter and 1 + jitter."""
        def pause(attempt: int) -> float:
            # 2.0 ** 1024 would overflow; after 64 doublings the cap holds anyway.
            return min(cap, first * 2.0 ** min(attempt - 1, 64)) * random.uniform(1 - jitter, 1 + jitter)

        return cls(pause)

    @classmethod
    def fixed(cls, seconds: float) -> Backoff:
        return cls(lambda attempt: seconds)

    @classmethod
    def none(cls) -> Backoff:
        """No pause: for tests."""
        return cls.fixed(0.0)


def pauses() -> Iterator[float]:
    """The pauses between attempts to reach a server: 50 ms, doubled up to 2 s, each with a jitter of one half."""
    pause = 0.05
    while True:
        yield pause * random.uniform(0.5, 1.5)
        pause = min(2.0, pause * 2)
