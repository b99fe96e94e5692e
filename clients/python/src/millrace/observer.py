"""The hook for metrics and traces."""

from __future__ import annotations

import contextlib
from typing import Any, ContextManager


class Observer:
    """Subclass it and override what you need. It is also called from worker threads, and must not raise."""

    def notice(self, event: str, **facts: Any) -> None:
        """Called when something happened: clients/BEHAVIOUR.md lists the events and their facts."""

    def handling(self, message: Any) -> ContextManager[Any]:
        """Wraps the handler of a message, for example in a span."""
        return contextlib.nullcontext()
