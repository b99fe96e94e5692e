"""Settings for everything that a Millrace object makes."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any

from .observer import Observer


@dataclasses.dataclass
class Settings:
    """All times are in seconds. `answer_timeout` is for commands that are answered at once. A waiting command is sent
    again after `block`. Commands that may safely be repeated are sent again for `retry_for`."""

    answer_timeout: float = 5.0
    block: float = 20.0
    retry_for: float = 60.0
    logger: logging.Logger = dataclasses.field(default_factory=lambda: logging.getLogger("millrace"))
    observer: Observer = dataclasses.field(default_factory=Observer)

    @property
    def wait_timeout(self) -> float:
        """The time-out of a waiting command's connection: longer than the wait, so that the server always ends the wait
        first."""
        return self.block + self.answer_timeout

    @property
    def is_observed(self) -> bool:
        """Whether the user has set an observer."""
        return type(self.observer) is not Observer

    def notice(self, event: str, **facts: Any) -> None:
        """Tells the observer. What it raises does not stop the work."""
        try:
            self.observer.notice(event, **facts)
        except Exception:
            self.logger.exception("the observer has failed at %r", event)
