"""millrace groups and millrace redrive."""

import json

from tool import millrace


def run(server, *words, status=0):
    done = millrace(words[0], "--to", f"127.0.0.1:{server.port}", *words[1:])
    assert done.returncode == status, done.stderr
    return done


def dead_letters(c, count):
    """Makes a log whose group has given up this many messages."""
    c.call("TWRITE", "orders", "ENTRIES", *["t", "x"] * count)
    c.call("TGROUP", "CREATE", "orders", "g", "FIRST", "MAXATTEMPTS", "1", "DEADLETTER", "orders:dead")
    c.call("TREAD", "orders", "1", count, "GROUP", "g", "RETRY", "60000", "0")
    c.call("TNACK", "orders", "g", "DEAD", "broken", f"1-{count}")
    assert len(c.call("TREAD", "orders:dead", "1", "1000")) == min(count, 1000)


def test_groups_are_listed_with_what_they_have_not_finished(still, clock, s):
    s.call("TWRITE", "a", "ENTRIES", *["t", "x"] * 10)
    s.call("TGROUP", "CREATE", "a", "slow", "FIRST")
    s.call("TREAD", "a", "1", "10", "GROUP", "done")
    clock.advance(5_000)
    s.call("TWRITE", "b", "ENTRIES", *["t", "x"] * 3)
    s.call("TREAD", "b", "1", "2", "GROUP", "works", "RETRY", "60000", "0")
    s.call("TGROUP", "SET", "b", "works", "DEADLETTER", "b:dead")
    clock.advance(1_000)
    rows = [json.loads(line) for line in run(still, "groups", "--json").stdout.splitlines()]
    assert rows == [
        {"log": "a", "group": "slow", "lag": 10, "pending": 0, "oldest_ms": 6000, "redelivered": 0, "given_up": 0, "lost": 0,
         "dead_letter": None},
        {"log": "b", "group": "works", "lag": 1, "pending": 2, "oldest_ms": 1000, "redelivered": 0, "given_up": 0,
         "lost": 0, "dead_letter": "b:dead"},
        {"log": "a", "group": "done", "lag": 0, "pending": 0, "oldest_ms": 0, "redelivered": 0, "given_up": 0, "lost": 0,
         "dead_letter": None},
    ]
    lines = run(still, "groups", "a").stdout.decode().splitlines()
    assert [line.split()[:5] for line in lines] == [
        ["LOG", "GROUP", "LAG", "PENDING", "OLDEST"], ["a", "slow", "10", "0", "6.0"], ["a", "done", "0", "0", "0.0"]]


def test_a_key_that_is_no_log_is_reported(c, server):
    c.call("SET", "text", "x")
    assert b"text is no log, but string" in run(server, "groups", "text", status=1).stderr
    assert run(server, "groups").stdout.count(b"\n") == 1


def test_dead_letters_go_back_one_or_all(c, server):
    dead_letters(c, 250)
    assert run(server, "redrive", "orders:dead", "--count", "1").stdout == b"1 moved\n"
    assert run(server, "redrive", "orders:dead").stdout == b"249 moved\n"
    assert c.call("TREAD", "orders:dead", "1", "1000", "SKIP") == []
    assert run(server, "redrive", "orders:dead").stdout == b"0 moved\n"
    assert len(c.call("TREAD", "orders", "251", "1000")) == 250


def test_dead_letters_go_to_another_log_if_asked_to(c, server):
    dead_letters(c, 3)
    assert run(server, "redrive", "orders:dead", "--into", "again").stdout == b"3 moved\n"
    assert len(c.call("TREAD", "again", "1", "10")) == 3


def test_a_log_without_dead_letters_is_refused(c, server):
    c.call("SET", "text", "x")
    done = run(server, "redrive", "text", status=1)
    assert b"WRONGTYPE" in done.stderr and done.stdout == b""
