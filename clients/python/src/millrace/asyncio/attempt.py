"""Calling a user's handler, and what came of it."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from ..codecs import Codec
from ..errors import Reject
from . import waiting

T = TypeVar("T")


def decoded(codec: Codec[T], entry: bytes) -> T:
    """The value, or Reject: another time it would not be any better."""
    try:
        return codec.decode(entry)
    except Exception as error:
        raise Reject(f"it cannot be decoded: {error}") from error


async def outcome_of(is_abandoned: Callable[[], bool], work: Callable[..., Any],
                     *arguments: Any) -> tuple[str, BaseException | None]:
    """done, failed, rejected or cancelled, and why. Cancelled is what was abandoned; a handler that cancels itself has
    failed."""
    try:
        await work(*arguments)
    except Reject as reason:
        return "rejected", reason
    except waiting.Cancelled as error:
        return ("cancelled" if is_abandoned() else "failed"), error
    except Exception as error:
        return "failed", error
    return "done", None
