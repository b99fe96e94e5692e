"""TREAD … BLOCK when the key gets its content in another way than by TWRITE, or loses it."""

import pytest

from log_waiting import is_still_waiting
from server import Server, wait_until


def other_log(c, key="source"):
    c.call("TWRITE", key, "ENTRIES", "a", "1", "b", "2")


EXPECTED = [[1, b"a", b"1"], [2, b"b", b"2"]]


def test_rename_onto_the_key_wakes(c, waiting):
    other_log(c)
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call("RENAME", "source", "log")
    assert reader.read() == EXPECTED


@pytest.mark.parametrize("how", ["RENAME", "COPY"])
def test_a_command_right_behind_it_does_not_come_before_the_readers(c, waiting, how):
    other_log(c)
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call_all([(how, "source", "log"), ("DEL", "log")])
    assert reader.read() == EXPECTED


def test_copy_onto_the_key_wakes(c, waiting):
    other_log(c)
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call("COPY", "source", "log")
    assert reader.read() == EXPECTED


def test_restore_onto_the_key_wakes(c, waiting):
    other_log(c)
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call("RESTORE", "log", "0", c.call("DUMP", "source"))
    assert reader.read() == EXPECTED


def test_move_into_the_database_wakes(c, waiting):
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call("SELECT", "1")
    other_log(c, "log")
    c.call("MOVE", "log", "0")
    assert reader.read() == EXPECTED


def test_swapdb_wakes(c, waiting):
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call("SELECT", "1")
    other_log(c, "log")
    c.call("SWAPDB", "0", "1")
    assert reader.read() == EXPECTED


def test_content_that_does_not_reach_the_offset_wakes_no_reader(server, c, waiting):
    other_log(c)
    reader = waiting("log", "3", "9", "BLOCK", "0")
    c.call("RENAME", "source", "log")
    assert is_still_waiting(server, reader)
    c.call("TWRITE", "log", "c", "3")
    assert reader.read() == [[3, b"c", b"3"]]


def test_a_key_deleted_and_made_again_serves_readers_that_waited_all_the_time(server, c, waiting):
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2")
    reader = waiting("log", "3", "9", "BLOCK", "0")
    c.call("DEL", "log")
    for n in (1, 2):
        c.call("TWRITE", "log", "new", str(n))
        assert is_still_waiting(server, reader)
    c.call("TWRITE", "log", "new", "3")
    assert reader.read() == [[3, b"new", b"3"]]


# Readers by tag, and readers that skip, remember how far they have looked. This must be forgotten when the log is
# deleted, in whatever way.
WAYS_TO_GO = {
    "deleted": [("DEL", "log")],
    "unlinked": [("UNLINK", "log")],
    "flushed": [("FLUSHALL",)],
    "overwritten": [("SET", "log", "text"), ("DEL", "log")],
    "renamed": [("RENAME", "log", "elsewhere")],
    "moved": [("MOVE", "log", "2")],
    "swapped away": [("SWAPDB", "0", "3")],
    "expired": [("PEXPIREAT", "log", "1")],
}


@pytest.mark.parametrize("way", WAYS_TO_GO)
@pytest.mark.parametrize("wait", [("TAGS", "1", "mine"), ("SKIP",)])
def test_a_reader_looks_at_a_log_that_was_made_again_from_its_beginning(server, c, waiting, way, wait):
    reader = waiting("log", "1", "9", "BLOCK", "0", *wait)
    c.call("TWRITE", "log", "BACKLOG", "0", "ENTRIES", *["other", "e"] * 5)
    assert is_still_waiting(server, reader)
    c.call_all(WAYS_TO_GO[way])
    assert c.call("TWRITE", "log", "mine", "e") == 1
    assert reader.read() == [[1, b"mine", b"e"]]


def test_a_log_restored_over_another_is_looked_at_from_its_beginning(server, c, waiting):
    c.call("TWRITE", "source", "mine", "e")
    reader = waiting("log", "1", "9", "BLOCK", "0", "TAGS", "1", "mine")
    c.call("TWRITE", "log", "ENTRIES", *["other", "e"] * 5)
    assert is_still_waiting(server, reader)
    c.call("RESTORE", "log", "0", c.call("DUMP", "source"), "REPLACE")
    assert reader.read() == [[1, b"mine", b"e"]]


# --- replicas ---


def test_a_reader_on_a_replica_is_woken_by_replicated_writes(server, replica, c, waiting):
    plain = waiting("log", "1", "9", "BLOCK", "0", to=replica)
    in_transaction = waiting("log", "2", "9", "BLOCK", "0", to=replica)
    c.call("TWRITE", "log", "a", "1")
    assert plain.read() == [[1, b"a", b"1"]]
    c.call_all([("MULTI",), ("TWRITE", "log", "b", "2"), ("TWRITE", "log", "c", "3"), ("EXEC",)])
    assert in_transaction.read() == [[2, b"b", b"2"], [3, b"c", b"3"]]


@pytest.mark.parametrize("load", ["disabled", "swapdb"])
def test_a_reader_on_a_replica_is_woken_by_what_a_full_copy_brings(server, c, waiting, load):
    with Server(repl_diskless_load=load) as late:
        late.replicate(server)
        reader = waiting("log", "1", "9", "BLOCK", "0", to=late)
        copies = int(server.info("stats")["sync_full"])
        c.call_all([("DEBUG", "CHANGE-REPL-ID"), ("CLIENT", "KILL", "TYPE", "replica"), ("TWRITE", "log", "a", "1")])
        wait_until(lambda: int(server.info("stats")["sync_full"]) > copies, "a full copy was made")
        assert reader.read() == [[1, b"a", b"1"]]


@pytest.mark.parametrize("start", ["$", "-1"])
def test_the_next_message_of_a_log_that_was_deleted_is_the_first_of_the_new_one(c, waiting, start):
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2")
    c.call("TEVICT", "log", "2")
    reader = waiting("log", start, "9", "SKIP", "BLOCK", "0")
    c.call("DEL", "log")
    c.call("TWRITE", "log", "c", "3")
    assert reader.read() == [[1, b"c", b"3"]]
