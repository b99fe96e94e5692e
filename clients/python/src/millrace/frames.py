"""Frames: many messages of a log in one string (docs/formats/frame.md in the repository).

The bytes are untrusted: an invalid frame is refused, and the limits of the format bound what is allocated."""

from __future__ import annotations

from typing import NamedTuple

from .errors import BadFrame
from .unpacking import Unpack

_MARK, _VERSION = b"MRF", 1
_LAST_OFFSET = 2**63 - 2
_UNPACKED_MOST = 131_072  # bytes of a block
_UNPACKED_MOST_OF_ALL = 64 << 20  # bytes of all blocks of a frame

Row = tuple[int, bytes, bytes, int]  # offset, tag, entry, Unix milliseconds


class Frame(NamedTuple):
    epoch: int
    log_first: int
    log_next: int
    end: int  # the offset at which the next read begins
    rows: list[Row]


class _Block(NamedTuple):
    first: int
    time: int
    messages: int
    unpacked: int
    missing: int
    size: int


def read_frame(data: bytes, unpack: Unpack) -> Frame:
    """Raises BadFrame, which says why."""
    if data[:3] != _MARK:
        raise BadFrame("bytes that are no frame")
    if data[3:4] != bytes([_VERSION]):
        raise BadFrame("a frame of a version that is not known here")
    try:
        return _read(data, unpack)
    except IndexError:
        raise BadFrame("a frame that ends too early") from None


def _read(data: bytes, unpack: Unpack) -> Frame:
    (epoch, log_first, log_next, start, end, count), at = _numbers(data, 4, 6)
    if not (0 < start <= end <= _LAST_OFFSET + 1 and count <= end - start and log_first <= log_next):
        raise BadFrame("a frame with impossible offsets")
    rows: list[Row] = []
    behind, unpacked_bytes = 1, 0
    while at < len(data):
        numbers, at = _numbers(data, at, 6)
        block = _Block(*numbers)
        after = block.first + block.messages + block.missing
        if block.size > len(data) - at or block.messages == 0:
            raise BadFrame("a frame that ends inside a block, or has an empty one")
        if block.first < behind or after <= start or block.first >= end or after > _LAST_OFFSET + 1:
            raise BadFrame("a block outside of its frame")
        behind = after
        records = data[at:at + block.size]
        at += block.size
        if block.unpacked:
            unpacked_bytes += block.unpacked
            if not block.size < block.unpacked <= _UNPACKED_MOST or unpacked_bytes > _UNPACKED_MOST_OF_ALL:
                raise BadFrame("a packed block of an impossible size")
            try:
                records = unpack(records, block.unpacked)
            except ValueError as error:
                raise BadFrame(f"a packed block that does not unpack: {error}") from error
        if block.messages > len(records):  # a message takes at least three bytes
            raise BadFrame("a block with more messages than bytes")
        found = _records(records, block)
        if block.first < start or after > end:
            found = [row for row in found if start <= row[0] < end]
        rows += found
    if len(rows) != count:
        raise BadFrame("a frame with another number of messages than it says")
    return Frame(epoch, log_first, log_next, end, rows)


def _numbers(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    values = []
    for _ in range(count):
        value, at = _number(data, at)
        values.append(value)
    return values, at


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A varint, and the position behind it."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise BadFrame("a number of more than ten bytes")


def _records(data: bytes, block: _Block) -> list[Row]:
    rows: list[Row] = []
    tags: dict[int, bytes] = {}  # tags and entries of this block, by the position of their length
    offset, time, at, missing, size = block.first, block.time, 0, 0, len(data)
    # Numbers of one byte are read inline: a call for each would take longer than everything else.
    for _ in range(block.messages):
        if block.missing:
            gap, at = _number(data, at)
            missing += gap
            offset += gap
        reference = data[at]
        at += 1
        if reference > 127:
            reference, at = _number(data, at - 1)
        if reference:
            if reference not in tags:
                raise BadFrame("a message refers to a tag that is not there")
            tag = tags[reference]
        else:
            position = at
            length, at = _number(data, at)
            tag = tags[position] = data[at:at + length]
            at += length
        delta = data[at]
        at += 1
        if delta > 127:
            delta, at = _number(data, at - 1)
        time += delta
        length = data[at]
        at += 1
        if length > 127:
            length, at = _number(data, at - 1)
        following = at + length
        rows.append((offset, tag, data[at:following], time))
        at = following
        offset += 1
    if at != size or missing != block.missing or rows[0][0] != block.first or rows[0][3] != block.time:
        raise BadFrame("a block whose messages do not fill it")
    return rows
