"""millrace load: nothing of a compressed input is loaded before its checksum is confirmed."""

import gzip
import os
import random
import shutil
import subprocess

import pytest

from tool import TOOL, counts, load, millrace

# Unpacked, this many commands are larger than the part that is kept in memory while the checksum is checked.
LARGE = 10_000


def zstd(content):
    if shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    return subprocess.run(["zstd", "-q", "-c"], input=content, capture_output=True, check=True).stdout


PACK = {"gzip": lambda content: gzip.compress(content, 1), "zstd": zstd}


def commands(first, count):
    """Commands such that every changed bit of the packed bytes changes the content."""
    rng = random.Random(first)
    return b"".join(b"SADD s %d:%0900x\n" % (i, rng.getrandbits(3600)) for i in range(first, first + count))


def given(server, how, packed, folder, status=0):
    """Loads it as a file, through a pipe, or as a file that is standard input."""
    path = folder / "x.commands"
    path.write_bytes(packed)
    if how == "file":
        return load(server, path, status=status)
    if how == "pipe":
        return load(server, "-", input=packed, status=status)
    with open(path, "rb") as stdin:
        done = subprocess.run([TOOL, "load", "--to", f":{server.port}", "-"], stdin=stdin, capture_output=True, timeout=120)
    assert done.returncode == status, done.stderr
    return done


def without_a_bit(packed, at):
    damaged = bytearray(packed)
    damaged[at] ^= 0x10
    return bytes(damaged)


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("how", ["file", "pipe", "standard input"])
@pytest.mark.parametrize("count", [1000, LARGE])
def test_a_whole_archive_is_loaded(server, c, tmp_path, kind, how, count):
    packed = PACK[kind](commands(0, count)) + PACK[kind](commands(count, 10))
    assert counts(given(server, how, packed, tmp_path)) == (count + 10, count + 10, 0)
    assert c.call("SCARD", "s") == count + 10


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("how", ["file", "pipe"])
@pytest.mark.parametrize("count", [1000, LARGE])
def test_of_an_archive_with_one_wrong_bit_nothing_is_loaded(server, c, tmp_path, kind, how, count):
    packed = PACK[kind](commands(0, count))
    rng = random.Random(count)
    for at in [rng.randrange(20, len(packed)) for _ in range(10 if count < LARGE else 3)] + [len(packed) - 1]:
        done = given(server, how, without_a_bit(packed, at), tmp_path, status=1)
        assert c.call("EXISTS", "s") == 0, f"byte {at}"
        assert f"the {kind} data is ".encode() in done.stderr and b"the rest of this file is left out" in done.stderr


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("how", ["file", "pipe"])
@pytest.mark.parametrize("damage", ["a bit", "cut"])
def test_the_parts_before_a_damaged_one_are_loaded(server, c, tmp_path, kind, how, damage):
    parts = [PACK[kind](commands(first, 1000)) for first in (0, 1000, 2000)]
    middle = without_a_bit(parts[1], len(parts[1]) // 2) + parts[2] if damage == "a bit" else parts[1][:-1]
    assert counts(given(server, how, parts[0] + middle, tmp_path, status=1)) == (1000, 1000, 0)
    assert c.call("SCARD", "s") == 1000


def test_a_large_archive_through_a_pipe_needs_room_for_a_temporary_file(tmp_path):
    packed = gzip.compress(commands(0, LARGE), 1)
    done = millrace("protocol", "-", input=packed, env={**os.environ, "TMPDIR": str(tmp_path / "none")})
    assert done.returncode == 1 and done.stdout == b""
    assert b"cannot make a temporary file to check it: No such file or directory" in done.stderr
    done = millrace("protocol", "--format", "commands", "-", input=packed, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0 and done.stdout.count(b"*3\r\n") == LARGE
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_memory_does_not_grow_with_an_archive(tmp_path):
    """A hundred megabytes of content must be loaded with a few megabytes of memory."""
    packed = gzip.compress(b"SET k " + b"x" * 1000 + b"\n", 9)
    path = tmp_path / "x.commands.gz"
    path.write_bytes(gzip.compress((b"SET k " + b"x" * 1000 + b"\n") * 100_000, 1) + packed)
    peak = subprocess.run(
        ["/usr/bin/python3", "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); "
         "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", TOOL, "protocol", str(path)],
        capture_output=True, check=True, timeout=120)
    assert int(peak.stdout) < 60_000, f"{int(peak.stdout)} KiB"


def test_a_second_run_goes_on_within_an_archive(server, c, tmp_path):
    packed = gzip.compress(commands(0, LARGE // 2) + b"NOSUCH\n" + commands(LARGE // 2, LARGE // 2), 1)
    path, state = tmp_path / "x.commands.gz", tmp_path / "state"
    path.write_bytes(packed)
    load(server, "--checkpoint", state, "--strict", "--pipeline", "100", path, status=1)
    assert c.call("SCARD", "s") < LARGE
    assert counts(load(server, "--checkpoint", state, path, status=1)) == (LARGE + 1, LARGE, 1)
    assert c.call("SCARD", "s") == LARGE
