"""TDEL: deletes single messages, or all with a tag; a read by offset then gives null."""

import pathlib

import pytest

from resp import RespError
from server import Server, wait_until, wait_until_same

SECRET = b"a secret that must not stay anywhere"


def info(connection, key="log"):
    fields = connection.call("TINFO", key)
    return {name.decode(): value for name, value in zip(fields[::2], fields[1::2])}


@pytest.fixture
def log(server, c):
    """Messages 1 to 100 with the tags t0, t1, t2 in turn, in many blocks."""
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        for n in range(1, 101):
            c.call("TWRITE", "log", f"t{n % 3}", f"entry {n}")
        yield c


def read(connection, start=1, count=1000, *options):
    return [message and message[0] for message in connection.call("TREAD", "log", start, count, *options)]


def test_deleted_offsets_read_as_null_and_the_others_stay(log):
    assert log.call("TDEL", "log", "3", "5-7", "6", "1000") == 4
    assert read(log, 1, 9) == [1, 2, None, 4, None, None, None, 8, 9]
    assert read(log, 3, 1) == [None]
    assert read(log, 6, 3) == [None, None, 8]
    assert log.call("TDEL", "log", "3") == 0
    assert info(log)["deleted"] == 4 and info(log)["messages"] == 96


def test_skip_tags_and_rev_leave_them_out(log):
    log.call("TDEL", "log", "2-4")
    assert read(log, 1, 3, "SKIP") == [1, 5, 6]
    assert read(log, 1, 2, "TAGS", "1", "t1") == [1, 7]
    assert read(log, 6, 3, "REV") == [6, 5, 1]


def test_the_first_and_the_last_can_be_deleted_and_offsets_go_on(log):
    assert log.call("TDEL", "log", "1", "99-100") == 3
    assert read(log, 1, 2) == [None, 2]
    assert read(log, 98, 5) == [98, None, None]
    assert log.call("TREAD", "log", "1", "0", "WITHINFO") == [[2, 100]]
    assert log.call("TWRITE", "log", "t", "e") == 101
    assert read(log, 98, 5) == [98, None, None, 101]
    assert log.call("TDEL", "log", "1-1000") == 98
    assert read(log, 100, 5) == [None, None]
    assert log.call("TWRITE", "log", "t", "e") == 102
    assert read(log, 100, 5) == [None, None, 102]


def test_pending_entries_go_with_them_and_groups_skip_them(log):
    log.call("TREAD", "log", "1", "10", "GROUP", "g", "RETRY", "60000", "0")
    log.call("TDEL", "log", "5-15")
    assert [one[0] for one in log.call("TGROUP", "PENDING", "log", "g")] == [1, 2, 3, 4]
    [group] = log.call("TGROUP", "LIST", "log")
    fields = dict(zip(group[::2], group[1::2]))
    assert (fields[b"lag"], fields[b"lost"]) == (85, 6)
    assert [m[0] for m in log.call("TREAD", "log", "1", "2", "GROUP", "g")] == [16, 17]


def test_a_blocked_group_that_was_full_gets_more_when_what_it_holds_is_deleted(server, log, connect):
    log.call("TREAD", "log", "1", "2", "GROUP", "g", "RETRY", "60000", "0")
    log.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "2")
    reader = connect()
    reader.send("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "60000", "0", "BLOCK", "0")
    server.wait_for_blocked(1)
    log.call("TDEL", "log", "1")
    assert reader.read()[0][0] == 3


def test_by_tag_it_goes_on_in_the_background_and_reports_its_progress(log):
    assert log.call("TDEL", "log", "TAGS", "2", "t1", "unknown") == 0
    wait_until(lambda: info(log)["deleting"] == 0, "the deletion is done")
    assert info(log)["deleted"] == 34 and info(log)["deleting-offset"] == 0
    assert read(log, 1, 6) == [None, 2, 3, None, 5, 6]
    log.call("TWRITE", "log", "t1", "later")
    assert read(log, 101, 1) == [101], "what is written later stays"


def test_a_deletion_by_tag_that_waits_is_in_the_information(log):
    log.call("MULTI")
    log.call("TDEL", "log", "TAGS", "1", "t1")
    log.call("TDEL", "log", "TAGS", "1", "t2")
    log.call("TINFO", "log")
    *_, fields = log.call("EXEC")
    about = {name.decode(): value for name, value in zip(fields[::2], fields[1::2])}
    assert (about["deleting"], about["deleting-offset"], about["deleting-end"]) == (2, 1, 100)
    assert about["messages"] == 100, "nothing is deleted while a command is answered"
    wait_until(lambda: info(log)["deleting"] == 0, "both are done")
    assert info(log)["messages"] == 33


def test_deleted_messages_take_no_memory(c):
    c.call("TWRITE", "log", "ENTRIES", *["t", "e" * 1000] * 1000)
    before = c.call("MEMORY", "USAGE", "log", "SAMPLES", "0")
    assert before > 1_000_000
    assert c.call("TDEL", "log", *(f"{n}-{n + 8}" for n in range(1, 1000, 10))) == 900
    assert c.call("MEMORY", "USAGE", "log", "SAMPLES", "0") < before / 5


def test_a_long_deletion_by_tag_shows_where_it_is_and_is_finished_by_a_promoted_replica(server, c):
    with Server() as heir, server.changed_settings(**{"millrace.block_bytes": "256"}):
        for start in range(0, 30_000, 1000):
            c.call("TWRITE", "log", "ENTRIES", *(word for n in range(start, start + 1000) for word in (f"t{n % 2}", str(n))))
        heir.replicate(server)
        c.call("TDEL", "log", "TAGS", "1", "t0")
        server.wait_for_replica(heir)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        wait_until(lambda: info(heir.admin)["deleting"] == 0, "the new master has finished")
        assert info(heir.admin)["messages"] == 15_000
        wait_until(lambda: info(c)["deleting"] == 0, "so has the old one")
        assert heir.digest("log") == server.digest("log")


def test_a_deletion_by_tag_and_compaction_go_on_while_the_wall_clock_is_set_back(clock):
    """Each takes more than one slice; the rest of the work must not wait until the clock has caught up."""
    with clock.server() as own:
        clock.set(0)
        c = own.admin
        for key in ("deleted", "compacted"):
            c.call_all(("TWRITE", key, "ENTRIES", *["t", "x" * 50] * 1000) for _ in range(100))
        c.call("TDEL", "deleted", "TAGS", "1", "t")
        c.call("TRETAIN", "compacted", "LATEST", "yes")
        clock.set(-3600)
        wait_until(lambda: info(c, "deleted")["messages"] == 0, "all are deleted")
        wait_until(lambda: info(c, "compacted")["messages"] == 1, "all but the last are removed")


def test_a_replica_holds_the_same(server, replica, log):
    log.call("TDEL", "log", "7", "100")
    log.call("TDEL", "log", "TAGS", "1", "t2")
    wait_until(lambda: info(log)["deleting"] == 0, "the deletion is done")
    wait_until_same(server, replica, "log")


def test_copies_and_payloads_keep_the_nulls(log):
    log.call("TDEL", "log", "4", "100")
    log.call("COPY", "log", "copy")
    log.call("RESTORE", "restored", "0", log.call("DUMP", "log"))
    assert log.call("DEBUG", "RELOAD") == b"OK"
    for key in ("log", "copy", "restored"):
        assert log.call("TREAD", key, "4", "1") == [None]
        assert log.call("TREAD", key, "99", "5")[1:] == [None]
        assert log.call("TWRITE", key, "t", "e") == 101


def test_more_than_10000_at_once_are_refused_and_nothing_is_deleted(c):
    for _ in range(11):
        c.call("TWRITE", "log", "ENTRIES", *["t", "e"] * 1000)
    with pytest.raises(RespError, match="ERR more than 10000 messages at once"):
        c.call("TDEL", "log", "1-10001")
    assert info(c)["messages"] == 11_000
    assert c.call("TDEL", "log", "1-10000") == 10_000
    assert info(c)["first"] == 10_001


@pytest.mark.parametrize("packed", ["no", "yes"])
def test_messages_that_are_far_apart_are_refused_if_there_are_many_and_nothing_is_deleted(server, c, packed):
    """A block that keeps some messages is rewritten, even if only one is deleted. Deleting from 1,000 blocks once took
    18 ms."""
    with server.changed_settings(**{"millrace.compress": packed, "millrace.compress-age": "0"}):
        for start in range(0, 4000, 100):
            c.call("TWRITE", "log", "ENTRIES", *["t", "e" * 1000] * 100)
        if packed == "yes":
            wait_until(lambda: info(c)["packed-blocks"] == info(c)["blocks"] - 1, "every full block is packed")
        apart = [str(offset) for offset in range(5, 4000, 14)]
        with pytest.raises(RespError, match="ERR more than 2 MiB of blocks would be written again"):
            c.call("TDEL", "log", *apart)
        assert info(c)["messages"] == 4000
        for start in range(0, len(apart), 140):
            some = apart[start : start + 140]
            assert c.call("TDEL", "log", *some) == len(some)
        assert info(c)["messages"] == 4000 - len(apart)


def test_blocks_that_go_as_a_whole_are_not_written_again_and_do_not_count(c):
    for _ in range(40):
        c.call("TWRITE", "log", "ENTRIES", *["t", "e" * 1000] * 100)
    assert c.call("TDEL", "log", "2-3990") == 3989
    assert read(c, 1, 3) == [1, None, None]
    assert read(c, 3990, 10) == [None, *range(3991, 4000)]


def test_so_many_deletions_by_tag_wait_and_no_more(server, c):
    c.call("TWRITE", "log", "t", "e")
    c.call("MULTI")
    for n in range(17):
        c.call("TDEL", "log", "TAGS", "1", str(n))
    answers = c.call("EXEC")
    assert answers[:16] == [0] * 16
    assert str(answers[16]).startswith("ERR 16 deletions by tag are waiting")


@pytest.mark.parametrize("words", [(), ("x",), ("0",), ("2-1",), ("TAGS",), ("TAGS", "0"), ("TAGS", "2", "a"), ("TAGS", "1", "a", "b")])
def test_wrong_words_are_refused(c, words):
    with pytest.raises(RespError, match="ERR"):
        c.call("TDEL", "log", *words)


def test_a_missing_log_has_nothing_to_delete_and_stays_missing(c):
    assert c.call("TDEL", "missing", "1-5") == 0
    assert c.call("TDEL", "missing", "TAGS", "1", "t") == 0
    assert c.call("EXISTS", "missing") == 0


def test_with_latest_the_message_before_is_not_brought_back_and_compaction_goes_on(c):
    c.call("TRETAIN", "log", "LATEST", "yes")
    for n in range(1, 301):
        c.call("TWRITE", "log", f"t{n % 3}", str(n))
    wait_until(lambda: info(c)["compaction"] == b"clean", "only the newest are left")
    c.call("TDEL", "log", "300")
    for n in range(301, 400):
        c.call("TWRITE", "log", f"t{n % 3}", str(n))
    wait_until(lambda: info(c)["compaction"] == b"clean", "compaction is done again")
    assert read(c, 290, 1000, "SKIP") == [397, 398, 399]


@pytest.mark.long
@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_the_bytes_are_gone_from_memory_packed_blocks_rdb_and_the_rewritten_aof(preamble):
    with Server(appendonly="yes", **{"aof-use-rdb-preamble": preamble, "rdbcompression": "no"}) as own:
        c = own.admin
        c.call("CONFIG", "SET", "millrace.compress-age", "0")
        for n in range(2000):
            c.call("TWRITE", "log", "t", SECRET if n == 1000 else b"entry %d" % n)
        wait_until(lambda: info(c)["packed-blocks"] > 0, "cold blocks are packed")
        assert c.call("TREAD", "log", "1001", "1") == [[1001, b"t", SECRET]]
        assert c.call("TDEL", "log", "1001") == 1
        assert SECRET not in c.call("DUMP", "log")
        own.rewrite_aof()
        c.call("SAVE")
        folder = pathlib.Path(c.call("CONFIG", "GET", "dir")[1].decode())
        files = [path for path in folder.rglob("*") if path.is_file() and path.suffix in (".rdb", ".aof")]
        assert files
        for path in files:
            assert SECRET not in path.read_bytes(), path.name
        own.shutdown(save=False)
        own.restart()
        assert own.admin.call("TREAD", "log", "1001", "1") == [None]
