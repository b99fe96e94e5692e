"""DUMP payloads with the host's footer: value, RDB version (2 bytes), CRC-64 (8 bytes).

Tests damage the value and compute the footer again, so that the damage reaches the decoder and is not refused before
it.
"""

FOOTER = 10
_POLYNOMIAL = 0x95AC9329AC4BC9B5  # Jones, reflected


def _table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _table()


def crc64(content):
    crc = 0
    for byte in content:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc


def value_of(payload):
    return payload[:-FOOTER]


def sealed(value, payload):
    """This value with a footer, of the RDB version of the payload it comes from."""
    signed = value + payload[-FOOTER:-8]
    return signed + crc64(signed).to_bytes(8, "little")


# The kind of value (1 byte) and the module type (8 bytes and a length byte) are the host's:
# another kind there would test its decoders, not ours.
_HOST_PREFIX = 10


def damaged(value, rng):
    """The value with damage in one to three places, all behind the part that belongs to the host."""
    value = bytearray(value)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randrange(_HOST_PREFIX, len(value)) if len(value) > _HOST_PREFIX else _HOST_PREFIX
        how = rng.randrange(7)
        if how == 0:
            value[at : at + 1] = bytes([value[at] ^ 1 << rng.randrange(8)]) if at < len(value) else b""
        elif how == 1:
            value[at : at + 1] = bytes([rng.choice([0, 1, 2, 5, 0x7F, 0x80, 0x81, 0xC0, 0xC3, 0xFF])])
        elif how == 2:
            del value[at:]
        elif how == 3:
            value[at:at] = rng.randbytes(rng.randrange(1, 12))
        elif how == 4:
            del value[at : at + rng.randrange(1, 12)]
        elif how == 5:
            value[at : at + 8] = b"\xff" * 8
        else:
            other = rng.randrange(_HOST_PREFIX, len(value) + 1)
            value[at:at] = value[min(at, other) : max(at, other)][:200]
    return bytes(value)
