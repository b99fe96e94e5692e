"""millrace top: the activity of keys, sorted."""

import pytest

from tool import Running, millrace


def views(done):
    """The rows of each view, without the header row. Their columns: written, lag, pending, waiting, messages, kind,
    key."""
    return [[line.split() for line in view.splitlines()[1:]] for view in done.stdout.decode().strip().split("\n\n")]


def top(server, *words):
    done = millrace("top", "--to", f"127.0.0.1:{server.port}", *words)
    assert done.returncode == 0, done.stderr
    return views(done)


def fill(c):
    c.call("TWRITE", "log", "ENTRIES", *["t", "x"] * 10)
    c.call("TREAD", "log", "1", "3", "GROUP", "g", "RETRY", "60000", "0")
    c.call("TWRITE", "longer", "ENTRIES", *["t", "x"] * 50)
    c.call("CHAN.PUBLISH", "chan", "1", "x")
    c.call("SHARD.JOIN", "pool", "w")
    c.call("SHARD.PUSH", "pool", "r", "a", "b")
    c.call("SET", "text", "x")


@pytest.mark.parametrize("sort, order", [
    ("lag", ["log", "chan", "longer", "pool"]),
    ("pending", ["log", "pool", "chan", "longer"]),
    ("messages", ["longer", "log", "pool", "chan"]),
    ("key", ["chan", "log", "longer", "pool"]),
])
def test_keys_are_sorted_by_what_is_asked_for(c, server, sort, order):
    fill(c)
    [rows] = top(server, "--times", "1", "--sort", sort)
    assert [row[-1] for row in rows] == order
    figures = {row[-1]: row[1:6] for row in rows}
    assert figures["log"] == ["7", "3", "0", "10", "log"]
    assert figures["pool"] == ["0", "2", "0", "2", "pool"]
    assert figures["chan"] == ["0", "0", "0", "1", "channel"]


def test_patterns_and_rows_limit_what_is_shown(c, server):
    fill(c)
    assert [row[-1] for row in top(server, "lo*", "--times", "1", "--sort", "key")[0]] == ["log", "longer"]
    assert len(top(server, "--times", "1", "--rows", "1")[0]) == 1


def test_the_rate_is_what_was_written_between_two_views(c, server, tmp_path):
    fill(c)
    words = ["top", "--to", f"127.0.0.1:{server.port}", "--interval", "500ms"]
    with Running(tmp_path, *words) as running:
        running.wait_for_output("pool")
        c.call("TWRITE", "longer", "ENTRIES", *["t", "x"] * 1000)
        running.wait_for_output("1050")
        running.interrupt()
        running.ends_with(0)
        view = next(view for view in running.output().split("\n\n") if "1050" in view)
    first = view.splitlines()[1].split()
    assert first[-1] == "longer" and float(first[0]) > 0


def test_wrong_calls_and_missing_servers_are_reported(server):
    assert millrace("top", "--sort", "beauty").returncode == 2
    assert millrace("top", "--interval", "often").returncode == 2
    assert millrace("top", "--to", "127.0.0.1:1").returncode == 3
