"""Conversion of values to entries, which are bytes, and back."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Callable, Generic, Protocol, TypeVar, cast

T = TypeVar("T")


class Codec(Protocol[T]):
    def encode(self, value: T) -> bytes: ...

    def decode(self, entry: bytes) -> T: ...


class Raw:
    """Bytes: entries are not converted."""

    def encode(self, value: bytes) -> bytes:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise TypeError(f"{type(value).__name__} is not bytes: name a codec, such as codec=Text() or codec=Json()")
        return bytes(value)

    def decode(self, entry: bytes) -> bytes:
        return entry


class Text:
    """Text in UTF-8."""

    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, entry: bytes) -> str:
        return entry.decode()


class Json(Generic[T]):
    """JSON. With a dataclass, or another callable that takes the members of an object as named arguments, it makes the
    values; otherwise they are what json.loads returns."""

    def __init__(self, kind: Callable[..., T] | None = None) -> None:
        self._kind = kind

    def encode(self, value: T) -> bytes:
        plain: Any = value
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            plain = dataclasses.asdict(value)
        return json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode()

    def decode(self, entry: bytes) -> T:
        plain = json.loads(entry)
        if self._kind is None:
            return cast(T, plain)
        return self._kind(**plain)
