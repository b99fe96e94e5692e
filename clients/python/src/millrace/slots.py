"""The hash slot of a key in a cluster."""

from __future__ import annotations

import binascii

SLOTS = 16384


def key_slot(key: bytes) -> int:
    """Only the part in {braces} counts, if the key has one that is not empty."""
    start = key.find(b"{")
    if start >= 0:
        end = key.find(b"}", start + 1)
        if end > start + 1:
            key = key[start + 1:end]
    return binascii.crc_hqx(key, 0) % SLOTS
