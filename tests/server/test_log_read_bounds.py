"""What limits a read: its bytes, and how long it searches for tags. Also the options WITHTIME and REV."""

import time

import pytest

from log_waiting import is_still_waiting, start_waiting
from server import wait_until


def write_many(c, key, count, tag="tag %d", entry="e"):
    for first in range(0, count, 5000):
        words = []
        for n in range(first, min(count, first + 5000)):
            words += [tag % n if "%" in tag else tag, entry]
        c.call("TWRITE", key, "ENTRIES", *words)


# --- bytes ---


def test_maxbytes_ends_an_answer_before_it_exceeds_them(c):
    write_many(c, "log", 10, "t", "x" * 99)
    assert [m[0] for m in c.call("TREAD", "log", "3", "100", "MAXBYTES", "350")] == [3, 4, 5]
    assert [m[0] for m in c.call("TREAD", "log", "3", "100", "MAXBYTES", "1")] == [3]
    assert [m[0] for m in c.call("TREAD", "log", "9", "100", "MAXBYTES", "350")] == [9, 10]
    assert [m[0] for m in c.call("TREAD", "log", "3", "2", "MAXBYTES", "350")] == [3, 4]
    assert [m[0] for m in c.call("TREAD", "log", "1", "9", "MAXBYTES", "250", "TAGS", "1", "t")] == [1, 2]


def test_what_maxbytes_leaves_out_is_not_delivered_to_the_group(c):
    write_many(c, "log", 10, "t", "x" * 99)
    words = ("GROUP", "g", "RETRY", "60000", "0", "MAXBYTES", "350")
    assert [m[0] for m in c.call("TREAD", "log", "1", "100", *words)] == [1, 2, 3]
    assert [m[0] for m in c.call("TREAD", "log", "1", "100", *words)] == [4, 5, 6]
    assert [row[0] for row in c.call("TGROUP", "PENDING", "log", "g")] == [1, 2, 3, 4, 5, 6]


def test_the_setting_bounds_an_answer_that_asks_for_no_more(server, c):
    write_many(c, "log", 10, "t", "x" * 99)
    with server.changed_settings(**{"millrace.read_bytes": "350"}):
        assert len(c.call("TREAD", "log", "1", "100")) == 3
        assert len(c.call("TREAD", "log", "1", "100", "GROUP", "g")) == 3
        assert len(c.call("TREAD", "log", "1", "100", "MAXBYTES", "700")) == 7
    assert len(c.call("TREAD", "log", "1", "100")) == 10


# --- WITHTIME and REV ---


def test_withtime_adds_the_date_of_the_write(c):
    before = int(time.time() * 1000)
    c.call("TWRITE", "log", "a", "1")
    after = int(time.time() * 1000)
    [[offset, tag, entry, date]] = c.call("TREAD", "log", "1", "1", "WITHTIME")
    assert (offset, tag, entry) == (1, b"a", b"1")
    assert before <= date <= after
    assert c.call("TSEEK", "log", date) == 1
    assert c.call("TREAD", "log", "1", "1", "GROUP", "g", "WITHTIME", "WITHATTEMPTS") == [[1, b"a", b"1", 1, date]]


def test_rev_reads_backwards_from_the_offset(c):
    write_many(c, "log", 500)
    c.call("TEVICT", "log", "100")
    assert [m[0] for m in c.call("TREAD", "log", "300", "4", "REV")] == [300, 299, 298, 297]
    assert [m[0] for m in c.call("TREAD", "log", "$", "2", "REV")] == [500, 499]
    assert [m[0] for m in c.call("TREAD", "log", "-2", "2", "REV")] == [499, 498]
    assert [m[0] for m in c.call("TREAD", "log", "102", "9", "REV")] == [102, 101]
    assert c.call("TREAD", "log", "100", "9", "REV") == []
    assert c.call("TREAD", "missing", "1", "9", "REV") == []
    assert c.call("TREAD", "log", "500", "9", "REV", "TAGS", "2", "tag 120", "tag 480") == [
        [481, b"tag 480", b"e"],
        [121, b"tag 120", b"e"],
    ]
    assert [m[0] for m in c.call("TREAD", "log", "1", "1000", "SKIP")] == [
        m[0] for m in reversed(c.call("TREAD", "log", "$", "1000", "REV"))
    ]


# --- tags ---

# So many messages that 1 ms is not enough to look at all of them.
MANY = 150_000


def test_a_read_by_many_tags_goes_on_until_it_has_found_something(server, c, connect):
    write_many(c, "log", MANY)
    tags = [f"none {n}" for n in range(300)]
    found = [[MANY - 9, b"tag %d" % (MANY - 10), b"e"]]
    wanted = ("TAGS", len(tags) + 1, *tags, f"tag {MANY - 10}")

    assert c.call("TREAD", "log", "1", "10", *wanted) == found, "it goes on by itself"
    assert c.call("TREAD", "log", "1", "10", "TAGS", len(tags), *tags) == [], "up to the end"

    # With WITHINFO an answer says how far the read has looked, and the caller continues behind that.
    at, calls, messages = 1, 0, []
    while not messages:
        (first, last), *messages = c.call("TREAD", "log", at, "10", "WITHINFO", *wanted)
        calls += 1
        assert first == 1
        assert at <= last <= MANY
        at = last + 1
    assert messages == found
    assert calls > 2

    # Inside a transaction it cannot continue later, so it answers with an error.
    c.call("MULTI")
    c.call("TREAD", "log", "1", "10", *wanted)
    [refused] = c.call("EXEC")
    assert str(refused).startswith("ERR no message with these TAGS before offset ")

    # Other clients are served meanwhile. A reader with BLOCK first looks at all messages, and then waits.
    reader = start_waiting(server, connect(), ("log", "1", "10", "BLOCK", "0", "TAGS", "1", "late", "WITHINFO"))
    assert c.call("TWRITE", "log", "late", "e") == MANY + 1
    assert reader.read() == [[1, MANY + 1], [MANY + 1, b"late", b"e"]]


def test_a_search_ends_with_its_client_or_its_timeout(server, c, connect):
    write_many(c, "log", MANY)
    tags = [f"none {n}" for n in range(300)]
    leaving = connect()
    leaving.send("TREAD", "log", "1", "10", "TAGS", len(tags), *tags)
    leaving.close()
    assert c.call("TREAD", "log", "1", "10", "BLOCK", "1", "TAGS", len(tags), *tags) is None
    wait_until(lambda: server.counter("log_readers_blocked") == 0, "nobody is left")


def test_many_searches_at_once_all_end_and_others_are_served_meanwhile(server, c, connect):
    write_many(c, "log", MANY)
    tags = [f"none {n}" for n in range(300)]
    searching = [connect() for _ in range(8)]
    for n, reader in enumerate(searching):
        reader.send("TREAD", "log", "1", "10", "TAGS", len(tags) + 1, *tags, f"tag {MANY - 10 - n}")
    for n in range(20):
        assert c.call("TWRITE", "log", "another", "e") == MANY + 1 + n
    for n, reader in enumerate(searching):
        assert reader.read() == [[MANY - 9 - n, b"tag %d" % (MANY - 10 - n), b"e"]]


@pytest.mark.parametrize(
    "then",
    [(), (("SET", "log", "of another type"),), (("TWRITE", "log", "a", "e"), ("TEVICT", "log", "1"))],
    ids=["nothing", "a string", "an empty log"],
)
def test_a_search_ends_if_its_log_is_deleted(c, connect, then):
    write_many(c, "log", MANY)
    tags = [f"none {n}" for n in range(300)]
    searching = [connect() for _ in range(8)]
    for _ in range(100):
        for reader in searching:
            reader.send("TREAD", "log", "1", "10", "TAGS", len(tags), *tags)
        told, *_ = c.call_all([("INFO", "millrace"), ("RENAME", "log", "kept"), *then])
        # Readers that are resumed later see the key as it is then.
        assert all(answer == [] or "WRONGTYPE" in str(answer) for answer in (reader.read() for reader in searching))
        if b"log_readers_blocked:0" not in told:
            return
        c.call("RENAME", "kept", "log")
    pytest.fail("no search was going on when its log went")


# --- readers that wait by tag ---


def test_a_write_does_not_visit_readers_that_wait_for_other_tags(server, c, connect):
    def cost():
        c.call("CONFIG", "RESETSTAT")
        for _ in range(100):
            c.call("TWRITE", "log", "unrelated", "e")
        return float(server.info("commandstats")["cmdstat_TWRITE"].split("usec_per_call=")[1].split(",")[0])

    alone = min(cost() for _ in range(3))
    readers = [connect() for _ in range(800)]
    for n, reader in enumerate(readers):
        reader.send("TREAD", "log", "$", "1", "BLOCK", "0", "TAGS", "2", f"tag {n}", "all")
    wait_until(lambda: server.counter("log_readers_blocked") == len(readers), "all wait")
    among = min(cost() for _ in range(3))
    # When every write visited all readers, this took more than a millisecond.
    assert among < alone + 100
    c.call("TWRITE", "log", "tag 77", "e")
    assert readers[77].read()[0][1] == b"tag 77"
    c.call("MULTI")
    c.call("TWRITE", "log", "x", "e")
    c.call("TWRITE", "log", "all", "e")
    c.call("EXEC")
    assert {tuple(readers[n].read()[0][1:]) for n in range(800) if n != 77} == {(b"all", b"e")}


def test_a_reader_by_tag_gets_what_is_not_before_its_offset(server, c, waiting):
    far = waiting("log", "5", "9", "BLOCK", "0", "TAGS", "1", "mine")
    c.call("TWRITE", "log", "ENTRIES", *["mine", "e"] * 4)
    assert is_still_waiting(server, far)
    c.call("TWRITE", "log", "other", "e")
    assert is_still_waiting(server, far)
    c.call("TWRITE", "log", "mine", "e")
    assert far.read() == [[6, b"mine", b"e"]]


def test_a_reader_by_tag_on_a_replica_is_woken_by_its_tag(server, replica, c, waiting):
    reader = waiting("log", "$", "9", "BLOCK", "0", "TAGS", "2", "mine", "yours", to=replica)
    c.call("TWRITE", "log", "other", "e")
    c.call("TWRITE", "log", "ENTRIES", "other", "e", "yours", "e")
    assert reader.read() == [[3, b"yours", b"e"]]
