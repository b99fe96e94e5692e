"""Arguments of commands, and replies in RESP2 and RESP3."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Union

Word = Union[bytes, str, int, float]
Words = tuple[Word, ...]
LAST_OFFSET = 2**63 - 1


def text(value: Any) -> str:
    """A name, in UTF-8; other bytes are kept (surrogateescape)."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def packed(value: Word) -> Word:
    """The opposite of text()."""
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def as_map(reply: Any) -> dict[str, Any]:
    """A map of RESP3, or the flat list that RESP2 has in its place."""
    if isinstance(reply, Mapping):
        return {text(name): value for name, value in reply.items()}
    return {text(name): value for name, value in zip(reply[::2], reply[1::2])}


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def ranges(offsets: Iterable[int]) -> list[Word]:
    """Offsets in the form of TACK and TEXTEND: 3 4 5 9 becomes 3-5 9."""
    words: list[Word] = []
    first = last = None
    for offset in sorted(offsets):
        if last is not None and offset == last + 1:
            last = offset
            continue
        if first is not None and last is not None:
            words.append(_range(first, last))
        first = last = offset
    if first is not None and last is not None:
        words.append(_range(first, last))
    return words


def _range(first: int, last: int) -> Word:
    return first if first == last else f"{first}-{last}"
