"""Calling a user's handler, and the outcome."""

from __future__ import annotations

from typing import TypeVar

from ..codecs import Codec
from ..errors import Reject
from . import waiting

T = TypeVar("T")

ENDING = (KeyboardInterrupt, SystemExit)  # a handler that raises one of these ends the run, too


def decoded(codec: Codec[T], entry: bytes) -> T:
    """The value; fails with Reject, because decoding again would give the same error."""
    try:
        return codec.decode(entry)
    except Exception as error:
        raise Reject(f"it cannot be decoded: {error}") from error


def outcome_of(raised: BaseException, is_abandoned: bool) -> str:
    """The outcome of a handler that raised this. Only an abandoned handler counts as cancelled; one that cancels itself
    has failed."""
    if isinstance(raised, Reject):
        return "rejected"
    return "cancelled" if is_abandoned and isinstance(raised, waiting.Cancelled) else "failed"
