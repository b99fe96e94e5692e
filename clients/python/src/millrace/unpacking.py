"""zstd, which packed blocks of a frame need: Python has it since 3.14, before that a package does. Without either, the
reader does not ask for frames."""

from __future__ import annotations

import importlib
from typing import Any, Callable

# Takes the packed bytes and the size that they must unpack to. No more than that is allocated; errors are a ValueError.
Unpack = Callable[[bytes, int], bytes]


def _by_compression_zstd(name: str) -> Unpack:
    module: Any = importlib.import_module(name)

    def unpack(packed: bytes, size: int) -> bytes:
        unpacking = module.ZstdDecompressor()
        try:
            unpacked: bytes = unpacking.decompress(packed, max_length=size + 1)
        except module.ZstdError as error:
            raise ValueError(str(error)) from error
        if len(unpacked) != size or not unpacking.eof or unpacking.unused_data:
            raise ValueError("another size than it says")
        return unpacked

    return unpack


def _by_zstandard(name: str) -> Unpack:
    module: Any = importlib.import_module(name)

    def unpack(packed: bytes, size: int) -> bytes:
        try:
            # This package trusts the size in the packed bytes, and allocates it.
            if module.frame_content_size(packed) != size:
                raise ValueError("another size than it says")
            unpacked: bytes = module.ZstdDecompressor().decompress(packed, max_output_size=size)
        except module.ZstdError as error:
            raise ValueError(str(error)) from error
        return unpacked

    return unpack


# Each with the module it needs: Python's own, its backport, and the older package that distributions have.
_WAYS = (("compression.zstd", _by_compression_zstd), ("backports.zstd", _by_compression_zstd),
         ("zstandard", _by_zstandard))


def unpacker(ways: tuple[tuple[str, Callable[[str], Unpack]], ...] = _WAYS) -> Unpack | None:
    """The first that is installed."""
    for name, make in ways:
        try:
            return make(name)
        except ImportError:
            continue
    return None
