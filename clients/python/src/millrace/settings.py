"""What holds for everything that a Millrace makes."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any

from .observer import Observer


@dataclasses.dataclass
class Settings:
    """Seconds. `answer_timeout` is for commands that answer at once; a wait is asked again after `block`; what is harmless
    is sent again for `retry_for`."""

    answer_timeout: float = 5.0
    block: float = 20.0
    retry_for: float = 60.0
    logger: logging.Logger = dataclasses.field(default_factory=lambda: logging.getLogger("millrace"))
    observer: Observer = dataclasses.field(default_factory=Observer)

    @property
    def wait_timeout(self) -> float:
        """For the connection of a wait: the server always ends it first."""
        return self.block + self.answer_timeout

    @property
    def is_observed(self) -> bool:
        """Whether there is an observer of the user's."""
        return type(self.observer) is not Observer

    def notice(self, event: str, **facts: Any) -> None:
        """Tells the observer. What it raises is no reason to stop working."""
        try:
            self.observer.notice(event, **facts)
        except Exception:
            self.logger.exception("the observer has failed at %r", event)
