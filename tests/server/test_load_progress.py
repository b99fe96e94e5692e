"""millrace load: the progress bar, the lines, the summary, and how little memory it takes."""

import os
import pathlib
import pty
import re
import subprocess

from server import wait_until
from tool import TOOL, Running, load

SUMMARY = re.compile(r"^(\d+) sent, (\d+) succeeded, (\d+) failed in (\d+\.\d+) seconds \((\d+) a second\)$")


def test_the_summary_says_how_many_and_how_fast(server):
    done = load(server, "-", input=b"SET a 1\nLPUSH a 1\nSET b 1\n", status=1)
    found = SUMMARY.match(done.stdout.decode().strip())
    assert found and found.groups()[:3] == ("3", "2", "1")


def test_a_terminal_gets_a_bar_with_rate_and_time_left(server, tmp_path):
    path = tmp_path / "x.commands"
    path.write_text("SET a 1\n" * 600_000)
    ours, theirs = pty.openpty()
    loading = subprocess.Popen([TOOL, "load", "--to", f":{server.port}", path], stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        wait_until(lambda: server.admin.call("EXISTS", "a"), "it is under way")
        server.suspend()
        while not re.search(rb"\[#* *\] \d+ %, \d+ records, \d+ a second, \d+ (s|min|h).* left", shown):
            shown += os.read(ours, 10_000)
    finally:
        server.resume()
        while True:
            try:
                shown += os.read(ours, 10_000)
            except OSError:  # the other side is closed
                break
        os.close(ours)
        assert loading.wait(timeout=30) == 0
    assert shown.endswith(b"\r\x1b[K"), "the bar is gone at the end"


def test_without_a_terminal_there_is_a_line_every_few_seconds(server, tmp_path):
    with Running(tmp_path, "load", "--to", f":{server.port}", "-", stdin=subprocess.PIPE) as running:
        running.write_input(b"SET a 1\n")
        running.wait_for_errors("millrace load: 1 records, ")
        running.end_input()
        running.ends_with(0)


def test_a_quiet_load_prints_only_its_summary(server, tmp_path):
    done = load(server, "--quiet", "-", input=b"SET a 1\n" * 1000)
    assert done.stderr == b"" and len(done.stdout.splitlines()) == 1


def peak_memory(running):
    """In kilobytes. The value that a parent can read (ru_maxrss) would include memory of the parent, from the fork."""
    status = pathlib.Path(f"/proc/{running.process.pid}/status").read_text()
    return int(status.split("\nVmHWM:")[1].split()[0])


def fed(running, pieces):
    for piece in pieces:
        running.process.stdin.write(piece)
    running.process.stdin.flush()


def test_memory_does_not_depend_on_the_size_of_the_input(server, tmp_path):
    words = ("load", "--to", f":{server.port}", "--format", "csv", "--as", "SET k:{id} {value}", "-")
    with Running(tmp_path, *words, stdin=subprocess.PIPE) as running:
        row = b"17," + b"x" * 20_000 + b"\n"
        fed(running, [b"id,value\n", *([row] * 15_000), b"last,x\n"])  # 300 MB
        wait_until(lambda: server.admin.call("EXISTS", "k:last"), "everything has arrived")
        assert peak_memory(running) < 30_000
        running.process.stdin.close()
        running.ends_with(0)


def test_a_quote_that_is_never_closed_does_not_fill_the_memory(tmp_path):
    words = ("protocol", "--format", "csv", "--as", "SET {id} x", "-")
    with Running(tmp_path, *words, stdin=subprocess.PIPE) as running:
        fed(running, [b'id\n"1\n', *([b"2" * 999_999 + b"\n"] * 70)])
        running.wait_for_errors("-:2: a quote that is never closed")
        assert peak_memory(running) < 200_000
        running.kill()
