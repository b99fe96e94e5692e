"""Where metrics and traces hook in."""

from __future__ import annotations

import contextlib
from typing import Any, ContextManager


class Observer:
    """Subclass it and override what you need. It is called from worker threads, too, and must not raise."""

    def notice(self, event: str, **facts: Any) -> None:
        """Something happened: events and their facts are listed in clients/BEHAVIOUR.md."""

    def handling(self, message: Any) -> ContextManager[Any]:
        """Wraps the handler of a message: for spans."""
        return contextlib.nullcontext()
