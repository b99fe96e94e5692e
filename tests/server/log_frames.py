"""Frames of messages (docs/formats/frame.md), read and made in the simplest way."""

import ctypes
from typing import NamedTuple

ZSTD = ctypes.CDLL("libzstd.so.1")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
ZSTD.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


class Head(NamedTuple):
    epoch: int
    log_first: int
    log_next: int
    first: int  # named "from" in the format, which is a keyword of Python
    end: int
    count: int


class Frame(NamedTuple):
    head: Head
    messages: list  # [offset, tag, entry, written]
    packed_blocks: int


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def bytes(self, size):
        assert self.at + size <= len(self.data)
        self.at += size
        return self.data[self.at - size : self.at]


def unpack(packed, size):
    room = ctypes.create_string_buffer(size)
    assert ZSTD.ZSTD_decompress(room, size, packed, len(packed)) == size
    return room.raw


def records(data, first, time, count, missing):
    reader = Reader(data)
    offset = first
    for _ in range(count):
        offset += reader.number() if missing else 0
        position = reader.number()
        if position == 0:
            tag = reader.bytes(reader.number())
        else:
            stored = Reader(data)
            stored.at = position
            tag = stored.bytes(stored.number())
        time += reader.number()
        yield [offset, tag, reader.bytes(reader.number()), time]
        offset += 1
    assert reader.at == len(data)


def read_frame(data):
    reader = Reader(data)
    assert reader.bytes(4) == b"MRF\x01"
    head = Head(*(reader.number() for _ in Head._fields))
    messages = []
    packed_blocks = 0
    while reader.at < len(data):
        first, time, count, unpacked, missing, size = (reader.number() for _ in range(6))
        block = reader.bytes(size)
        if unpacked:
            packed_blocks += 1
            block = unpack(block, unpacked)
        messages += [m for m in records(block, first, time, count, missing) if head.first <= m[0] < head.end]
    assert len(messages) == head.count
    return Frame(head, messages, packed_blocks)


def number(value):
    encoded = bytearray()
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes(encoded + bytes([value]))


def numbers(*values):
    return b"".join(map(number, values))


def make_frame(*pairs):
    """A frame of messages (tag, entry), …, as a client writes it."""
    data = b""
    tags = {}
    for tag, entry in pairs:
        if tag in tags:
            data += number(tags[tag])
        else:
            tags[tag] = len(data) + 1
            data += number(0) + number(len(tag)) + tag
        data += number(0) + number(len(entry)) + entry
    head = b"MRF\x01" + numbers(0, 1, 1, 1, 1 + len(pairs), len(pairs))
    return head + numbers(1, 0, len(pairs), 0, 0, len(data)) + data if pairs else head
