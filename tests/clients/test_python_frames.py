"""Frames in the Python package: as documented, as the server makes them, and damaged ones."""

import asyncio
import pathlib
import random
import re
import sys

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import millrace.asyncio
from log_frames import make_frame, numbers
from millrace import BadFrame, Millrace, MillraceError
from millrace.frames import read_frame
from millrace.unpacking import _WAYS, unpacker
from server import REPOSITORY, wait_until

INSTALLED = [way for way in _WAYS if unpacker((way,)) is not None]
COLD = {"millrace.block_bytes": "1024", "millrace.compress_age": "0"}


def unpack(packed, size):
    return unpacker()(packed, size)


def fill(server, chance, count=600):
    """A log with packed blocks, gaps, and tags and entries of all sizes."""
    c = server.admin
    c.call("DEL", "log")
    while count > 0:
        size = min(count, chance.randrange(1, 60))
        words = []
        for _ in range(size):
            tag = chance.choice([b"", b"t", b"tag-%d" % chance.randrange(9), b"\xff\x00" * chance.randrange(1, 99)])
            words += [tag, chance.choice([b"", b"x" * chance.randrange(300), chance.randbytes(chance.randrange(40))])]
        c.call("TWRITE", "log", "ENTRIES", *words)
        count -= size
    c.call("TDEL", "log", *chance.sample(range(1, 600), 50))
    c.call("TEVICT", "log", chance.randrange(1, 50))


def packed_blocks(server):
    flat = server.admin.call("TINFO", "log")
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2])}["packed-blocks"]


def test_the_documented_example_is_read():
    text = (REPOSITORY / "docs" / "formats" / "frame.md").read_text()
    [example] = re.findall(r"^```\n(4d 52 46 01.*?)^```", text, re.MULTILINE | re.DOTALL)
    frame = bytes.fromhex("".join(re.match(r"(?:[0-9a-f]{2} )*[0-9a-f]{2}(?=  |$)", line)[0] for line in example.splitlines()))
    assert read_frame(frame, unpack) == (77, 1, 9, 7, [(5, b"t", b"hi", 1700000000000), (6, b"t", b"yo", 1700000000003)])


@pytest.mark.parametrize("way", INSTALLED, ids=lambda way: way[0])
def test_a_frame_has_what_a_plain_read_has(server, way):
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    with server.changed_settings(**COLD):
        fill(server, chance)
        wait_until(lambda: packed_blocks(server) > 3, "blocks are packed")
        for _ in range(40):
            start, count = chance.randrange(1, 620), chance.randrange(1, 300)
            frame = read_frame(server.admin.call("TREAD", "log", start, count, "FRAMED"), unpacker((way,)))
            (first, last, epoch), *rows = server.admin.call(
                "TREAD", "log", start, count, "SKIP", "WITHINFO", "EPOCH", "WITHTIME")
            assert [list(row) for row in frame.rows] == rows, seed
            assert (frame.epoch, frame.log_first, frame.log_next - 1) == (epoch, first, last), seed


HEAD = b"MRF\x01" + numbers(0, 1, 1)


@pytest.mark.parametrize("name, data, why", [
    ("empty", b"", "no frame"),
    ("other bytes", b"GET / HTTP/1.1", "no frame"),
    ("another version", b"MRF\x02" + b"\x01" * 20, "version"),
    ("half a head", b"MRF\x01\x05", "too early"),
    ("an endless number", b"MRF\x01" + b"\xff" * 30, "ten bytes"),
    ("more messages than offsets", HEAD + numbers(1, 2, 9), "impossible offsets"),
    ("messages that are not there", HEAD + numbers(1, 9, 8), "another number of messages"),
    ("a block without messages", HEAD + numbers(1, 9, 1, 1, 0, 0, 0, 0, 0), "empty"),
    ("a block that is longer than the frame", HEAD + numbers(1, 9, 1, 1, 0, 1, 0, 0, 2**62), "inside a block"),
    ("billions of messages in three bytes", HEAD + numbers(1, 2**40, 2**39, 1, 0, 2**39, 0, 0, 3) + b"\0\0\0",
     "more messages than bytes"),
    ("a block behind its frame", HEAD + numbers(1, 3, 2, 7, 0, 1, 0, 0, 4) + b"\0\0\0\0", "outside"),
    ("a tag that is not there", HEAD + numbers(1, 2, 1, 1, 0, 1, 0, 0, 3) + b"\x05\0\0", "tag"),
    ("an entry that is longer than its block", HEAD + numbers(1, 2, 1, 1, 0, 1, 0, 0, 4) + b"\0\0\0\x7f", "fill"),
    ("gaps that are not there", HEAD + numbers(1, 9, 1, 1, 0, 1, 0, 3, 5) + b"\0\0\0\0\0", "fill"),
    ("a packed block that unpacks to less", HEAD + numbers(1, 2, 1, 1, 0, 1, 2, 0, 9) + b"x" * 9, "impossible size"),
    ("a packed block that unpacks to gigabytes", HEAD + numbers(1, 2, 1, 1, 0, 1, 2**32, 0, 9) + b"x" * 9, "impossible size"),
    ("a packed block that is none", HEAD + numbers(1, 2, 1, 1, 0, 1, 99, 0, 9) + b"x" * 9, "does not unpack"),
    # A zstd frame whose header says 1 TiB.
    ("packed bytes that promise a tebibyte", HEAD + numbers(1, 2, 1, 1, 0, 1, 99, 0, 16)
     + bytes.fromhex("28b52ffde0") + (2**40).to_bytes(8, "little") + b"\1\0\0", "does not unpack"),
], ids=lambda value: value if isinstance(value, str) and " " in value else "")
@pytest.mark.parametrize("way", INSTALLED, ids=lambda way: way[0])
def test_an_invalid_frame_is_refused_with_a_reason(name, data, why, way):
    with pytest.raises(BadFrame, match=why):
        read_frame(data, unpacker((way,)))


def test_damaged_frames_are_read_or_refused_and_nothing_else(server):
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    with server.changed_settings(**COLD):
        fill(server, chance)
        wait_until(lambda: packed_blocks(server) > 3, "blocks are packed")
        whole = server.admin.call("TREAD", "log", 1, 200, "FRAMED")
    frames = [whole, make_frame(*((b"t%d" % (number % 3), b"e" * number) for number in range(200)))]
    refused = 0
    for number in range(1000):
        damaged = bytearray(frames[number % 2])
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        del damaged[chance.choice([len(damaged), chance.randrange(len(damaged))]):]
        try:
            frame = read_frame(bytes(damaged), unpack)
            assert sum(len(tag) + len(entry) for _, tag, entry, _ in frame.rows) < 10 * 2**20, seed
        except BadFrame:
            refused += 1
    assert refused > 100, seed  # most damage is noticed


# --- the reader ---

def reads(server):
    found = re.search(rb"cmdstat_tread:calls=(\d+)", server.admin.call("INFO", "commandstats"), re.IGNORECASE)
    return int(found[1]) if found else 0


def test_a_reader_returns_the_same_with_frames_and_without(server):
    seed = random.randrange(10**6)
    with server.changed_settings(**COLD):
        fill(server, random.Random(seed))
        wait_until(lambda: packed_blocks(server) > 3, "blocks are packed")
    with Millrace.from_url(f"redis://127.0.0.1:{server.port}") as mr:
        found = {}
        for frames in (True, False):
            gaps = []
            reader = mr.reader("log", start=1, follow=False, count=70, frames=frames,
                               on_gap=lambda first, following: gaps.append((first, following)))
            found[frames] = list(reader), reader.position, gaps
        assert found[True] == found[False], seed
        entries, position, gaps = found[True]
        assert gaps and len(entries) > 400
        assert [entry.offset for entry in mr.reader("log", start=entries[99].position, follow=False)] == [
            entry.offset for entry in entries[100:]]
        assert list(mr.reader("log", start=position, follow=False, frames=True)) == []
        with pytest.raises(MillraceError, match="tags"):
            mr.reader("log", tags=["t"], frames=True)


def test_a_reader_that_follows_waits_for_frames(server):
    async def scenario():
        async with millrace.asyncio.Millrace.from_url(f"redis://127.0.0.1:{server.port}", block=0.2) as mr:
            reader = mr.reader("log", start="end", frames=True)
            following = asyncio.ensure_future(reader.__anext__())
            # Waits until the reader has asked for the end, one read has ended without a message, and the next has
            # begun.
            await asyncio.to_thread(wait_until, lambda: reads(server) >= 2, "a wait has ended")
            await mr.producer("log").write("new", b"a")
            assert (await following).value == b"a"
            reader.stop()
            assert [entry async for entry in reader] == []

    server.admin.call("CONFIG", "RESETSTAT")
    asyncio.run(scenario())
