"""The epoch: each life of a log has its own, and a position of another life is refused."""

import pytest

from resp import RespError
from server import wait_until_same


def epoch(connection, key):
    fields = connection.call("TINFO", key)
    return fields[fields.index(b"epoch") + 1]


def refused(connection, *command):
    with pytest.raises(RespError) as refusal:
        connection.call(*command)
    return str(refusal.value)


CREATING = {
    "a write": ("TWRITE", "log", "t", "e"),
    "a retention": ("TRETAIN", "log", "COUNT", "5"),
    "a group read": ("TREAD", "log", "1", "1", "GROUP", "g"),
    "a group made by hand": ("TGROUP", "CREATE", "log", "g"),
}


@pytest.mark.parametrize("command", CREATING.values(), ids=CREATING)
def test_whatever_creates_a_log_draws_an_epoch(c, command):
    drawn = set()
    for _ in range(3):
        c.call(*command)
        drawn.add(epoch(c, "log"))
        c.call("DEL", "log")
    assert len(drawn) == 3
    assert all(0 < each < 2**48 for each in drawn)


def test_a_missing_log_has_epoch_0(c):
    assert epoch(c, "missing") == 0
    assert c.call("TREAD", "missing", "1", "1", "WITHINFO", "EPOCH") == [[1, 0, 0]]


def test_the_epoch_stays_whatever_is_written_and_evicted(c):
    c.call("TWRITE", "log", "t", "e")
    drawn = epoch(c, "log")
    c.call("TWRITE", "log", "t", "e")
    c.call("TEVICT", "log", "2")
    c.call("TWRITE", "log", "t", "e")
    assert epoch(c, "log") == drawn
    assert c.call("TREAD", "log", "1", "0", "WITHINFO", "EPOCH") == [[3, 3, drawn]]
    assert c.call("TREAD", "log", "4", "1", "BLOCK", "1", "WITHINFO", "EPOCH") == [[3, 3, drawn]], "a timeout"


def test_a_position_reads_in_its_own_life_only(c):
    c.call("TWRITE", "log", "t", "old")
    position = f"{epoch(c, 'log')}.1"
    assert c.call("TREAD", "log", position, "9") == [[1, b"t", b"old"]]
    assert c.call("TREAD", "log", position, "9", "REV") == [[1, b"t", b"old"]]
    assert c.call("TREAD", "log", position, "9", "TAGS", "1", "t") == [[1, b"t", b"old"]]
    c.call("DEL", "log")
    assert refused(c, "TREAD", "log", position, "9").startswith("BADPOSITION ")
    c.call("TWRITE", "log", "t", "new")
    assert refused(c, "TREAD", "log", position, "9").startswith("BADPOSITION ")
    assert c.call("TREAD", "log", "1", "9") == [[1, b"t", b"new"]]


def test_a_reader_that_waits_hears_that_the_log_is_another(server, c, connect):
    c.call("TWRITE", "log", "t", "old")
    reader = connect()
    reader.send("TREAD", "log", f"{epoch(c, 'log')}.50", "1", "BLOCK", "0")
    server.wait_for_blocked(1)
    c.call("DEL", "log")
    c.call("TWRITE", "log", "t", "new")
    assert str(reader.read()).startswith("BADPOSITION ")


@pytest.mark.parametrize("offset", ["1.0", "1.-1", ".1", "1.", "1.1.1", "-1.1", "281474976710656.1", "1.9223372036854775808"])
def test_an_invalid_position_is_refused(c, offset):
    assert refused(c, "TREAD", "log", offset, "1").startswith("ERR invalid offset")


def test_a_position_does_not_go_with_a_group(c):
    assert "does not go with a group" in refused(c, "TREAD", "log", "1.1", "1", "GROUP", "g")


def test_copy_rename_and_restore_keep_it(c):
    c.call("TWRITE", "log", "t", "e")
    drawn = epoch(c, "log")
    c.call("COPY", "log", "copy")
    c.call("RESTORE", "restored", "0", c.call("DUMP", "log"))
    c.call("RENAME", "log", "renamed")
    assert [epoch(c, key) for key in ("copy", "restored", "renamed")] == [drawn] * 3


def test_a_replica_and_a_restart_keep_it(server, replica, c, connect):
    c.call("TREAD", "log", "1", "1", "TAILGROUP", "g")
    drawn = epoch(c, "log")
    wait_until_same(server, replica, "log")
    assert epoch(connect(to=replica), "log") == drawn
    assert c.call("DEBUG", "RELOAD") == b"OK"
    assert epoch(c, "log") == drawn


def test_a_log_that_came_from_an_older_server_has_epoch_0(c):
    c.call("TAPPLY", "log", "CLOCK", "1000")
    assert epoch(c, "log") == 0
    assert c.call("TREAD", "log", "0.1", "1") == []
    assert "second epoch" not in str(c.call("TAPPLY", "log", "EPOCH", b"\x07"))
    assert "second epoch" in refused(c, "TAPPLY", "log", "EPOCH", b"\x08")
