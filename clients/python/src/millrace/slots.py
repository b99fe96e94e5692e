"""Which hash slot of a cluster a key has."""

from __future__ import annotations

import binascii

SLOTS = 16384


def key_slot(key: bytes) -> int:
    """Of {this} in a key alone, if it has such a part that is not empty."""
    start = key.find(b"{")
    if start >= 0:
        end = key.find(b"}", start + 1)
        if end > start + 1:
            key = key[start + 1:end]
    return binascii.crc_hqx(key, 0) % SLOTS
