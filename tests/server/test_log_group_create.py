"""TGROUP CREATE, IDLE, and how old the oldest unfinished message is."""

import pytest

from log_groups import LONG, about, numbers, read, take, write
from log_waiting import is_still_waiting, start_waiting
from resp import RespError
from server import wait_until


@pytest.mark.parametrize(
    "where, first", [((), 1), (("FIRST",), 1), (("next",), 4), (("2",), 2), (("4",), 4)], ids=["nothing", "FIRST", "NEXT", "2", "4"]
)
def test_a_group_is_made_where_it_says(c, where, first):
    write(c, 3)
    assert c.call("TGROUP", "CREATE", "log", "g", *where) == 1
    write(c)
    assert take(c, 9) == list(range(first, 5))


def test_its_settings_hold_from_the_beginning(c):
    """Before TGROUP CREATE existed, TGROUP SET before the first read was answered with NOGROUP."""
    words = ("PENDINGMAX", "2", "MAXATTEMPTS", "3", "DEADLETTER", "dead", "IDLE", "60000")
    assert c.call("TGROUP", "CREATE", "log", "g", "FIRST", *words) == 1
    assert numbers(c, "pending-max", "max-attempts", "dead-letter", "idle") == [2, 3, b"dead", 60000]
    write(c, 3)
    assert take(c, 9, *LONG) == [1, 2]


def test_a_group_that_is_there_is_not_changed(c):
    write(c, 3)
    take(c, 2, *LONG)
    assert c.call("TGROUP", "CREATE", "log", "g", "NEXT", "MAXATTEMPTS", "3") == 0
    assert numbers(c, "last", "pending", "max-attempts") == [2, 2, 0]


def test_it_makes_the_log(c):
    assert c.call("TGROUP", "CREATE", "log", "g") == 1
    assert c.call("TYPE", "log") == b"millr-log"


@pytest.mark.parametrize(
    "words, error",
    [
        (("5",), "ERR the offset is beyond the next one of the log, 4"),
        (("0",), "ERR invalid offset '0'"),
        (("LAST",), "ERR syntax error: expected FIRST, NEXT or an offset, then PENDINGMAX"),
        (("FIRST", "NEXT"), "ERR syntax error"),
        (("IDLE", "x"), "ERR invalid IDLE 'x'"),
        (("DEADLETTER", "log"), "ERR a log cannot be its own DEADLETTER"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_wrong_makes_nothing(c, words, error):
    write(c, 3)
    with pytest.raises(RespError, match=error):
        c.call("TGROUP", "CREATE", "log", "g", *words)
    assert about(c) is None


# --- IDLE ---


def test_an_unused_group_is_dropped(c, replica):
    write(c, 2)
    c.call("TGROUP", "CREATE", "log", "mistyped", "IDLE", "60")
    c.call("TRETAIN", "log", "ACKED", "yes")
    assert take(c, 2, group="used") == [1, 2]
    wait_until(lambda: about(c, group="mistyped") is None, "it is dropped")
    assert c.call("TREAD", "log", "1", "0", "WITHINFO") == [[3, 2]]
    assert about(c, group="used") is not None


def pass_time_until_dropped(c, clock, group="g"):
    """Not in one step: when the idle time is over, waiting readers have a sixteenth of it left to use the group."""
    wait_until(lambda: clock.pass_time(40_000) or about(c, group) is None, "it is dropped")


def test_a_reader_that_waits_uses_its_group(still, s, clock):
    s.call("TGROUP", "CREATE", "log", "g", "IDLE", "600000")
    with still.connect() as reader:
        start_waiting(still, reader, ("log", "1", "1", "GROUP", "g", "BLOCK", "0"))
        for _ in range(5):
            clock.pass_time(650_000)
            assert is_still_waiting(still, reader)
        assert about(s) is not None
        write(s)
        assert reader.read() == [[1, b"t", b"e0"]]
    pass_time_until_dropped(s, clock)


@pytest.mark.parametrize("use", [("TREAD", "log", "1", "1", "GROUP", "g"), ("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "1")], ids=["TREAD", "SET"])
def test_a_use_puts_it_off(s, clock, use):
    write(s, 9)
    s.call("TGROUP", "CREATE", "log", "g", "IDLE", "600000")
    for _ in range(5):
        clock.pass_time(500_000)
        s.call(*use)
    clock.pass_time(500_000)
    s.call("PING")
    assert about(s) is not None
    clock.pass_time(200_000)
    s.call("PING")
    pass_time_until_dropped(s, clock)


def test_idle_outlives_a_restart_and_readers_have_time_to_come_back(clock):
    clock.stop_at(2_000_000_000_000)
    with clock.server(appendonly="yes") as server:
        with server.connect() as c:
            write(c, 1)
            c.call("TGROUP", "CREATE", "log", "g", "IDLE", "600000")
        server.kill()
        clock.pass_time(700_000)
        server.restart()
        with server.connect() as c:
            assert numbers(c, "idle") == [600000]
            assert read(c, 1) == [[1, b"t", b"e0"]]
            pass_time_until_dropped(c, clock)


def test_idle_0_is_never(s, clock):
    for group in ("g", "other"):
        s.call("TGROUP", "CREATE", "log", group, "IDLE", "600000")
    s.call("TGROUP", "SET", "log", "g", "IDLE", "0")
    clock.pass_time(600_000)
    pass_time_until_dropped(s, clock, "other")
    assert numbers(s, "idle") == [0]


# --- oldest-ms ---


def test_oldest_ms_is_the_age_of_the_oldest_unfinished_message(s, clock):
    write(s)
    clock.advance(7000)
    write(s)
    s.call("TGROUP", "CREATE", "log", "g")
    clock.advance(1000)
    assert numbers(s, "oldest-ms") == [8000]
    take(s, 1, *LONG)
    assert numbers(s, "oldest-ms") == [8000], "it is pending"
    s.call("TACK", "log", "g", "1")
    assert numbers(s, "oldest-ms") == [1000], "it was not delivered"
    take(s, 1)
    assert numbers(s, "oldest-ms") == [0]
