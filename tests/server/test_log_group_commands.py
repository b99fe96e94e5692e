"""TGROUP LIST, PENDING, SEEK, DROP and SET."""

import pytest

from log_groups import ALL, LONG, about, numbers, pending, pending_offsets, read, take, write
from server import wait_until

# --- LIST ---


def test_list_tells_position_pending_lag_and_settings(c):
    write(c, 7)
    take(c, 4, *LONG)
    entry = about(c)
    assert 0 <= entry.pop("oldest-ms") < 10_000
    assert entry == {
        "name": b"g", "last": 4, "pending": 4, "lag": 3, "lost": 0, "expired": 0, "exhausted": 0, "redelivered": 0,
        "pending-max": 1000000, "max-attempts": 0, "idle": 0,
        "dead-letter": None,
    }
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "50", "MAXATTEMPTS", "3", "DEADLETTER", "dead")
    entry = about(c)
    assert (entry["pending-max"], entry["max-attempts"], entry["dead-letter"]) == (50, 3, b"dead")


def test_list_of_a_log_without_groups_or_without_key_is_empty(c):
    write(c)
    assert c.call("TGROUP", "LIST", "log") == c.call("TGROUP", "LIST", "missing") == []
    assert c.call("EXISTS", "missing") == 0


def test_list_comes_in_pages(c):
    write(c, 1)
    names = [b"g%02d" % n for n in range(25)]
    for name in reversed(names):
        c.call("TREAD", "log", "1", "0", "GROUP", name)

    def page(*words):
        return [entry[entry.index(b"name") + 1] for entry in c.call("TGROUP", "LIST", "log", *words)]

    assert page() == names
    seen = page("COUNT", "10")
    while len(found := page("AFTER", seen[-1], "COUNT", "10")) > 0:
        assert len(found) <= 10
        seen += found
    assert seen == names
    assert page("AFTER", "g03x", "COUNT", "1") == [b"g04"]
    assert page("AFTER", "zzz") == []


def test_lag_is_exact_whatever_happens(c):
    write(c, 10)
    take(c, 3)
    assert about(c)["lag"] == 7
    c.call("TEVICT", "log", "2")
    assert about(c)["lag"] == 7
    c.call("TEVICT", "log", "5")
    assert about(c)["lag"] == 5
    c.call("TWRITE", "log", "BACKLOG", "3", "ENTRIES", "a", "1", "b", "2")
    assert about(c)["lag"] == 3
    c.call("TEVICT", "log", "99")
    assert numbers(c, "lag", "last") == [0, 12]
    write(c, 2)
    assert about(c)["lag"] == 2


def test_what_was_evicted_before_the_group_saw_it_is_skipped_and_lost(c):
    write(c, 10)
    take(c, 2)
    c.call("TEVICT", "log", "6")
    assert numbers(c, "lost", "last", "lag") == [4, 6, 4]
    assert take(c, 9) == [7, 8, 9, 10]


def test_what_is_evicted_while_pending_is_lost_and_pending_no_longer(c):
    write(c, 10)
    take(c, 6, *LONG)
    c.call("TACK", "log", "g", "2")
    c.call("TEVICT", "log", "4")
    assert numbers(c, "lost", "pending") == [3, 2]
    assert pending_offsets(c) == [5, 6]
    assert c.call("TACK", "log", "g", "1-4") == 0
    c.call("TNACK", "log", "g", ALL)
    assert take(c, 9, *LONG) == [5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize("limit", [("COUNT", "2"), ("BYTES", "6"), ("AGE", "1")])
def test_retention_takes_messages_out_of_pending_as_well(c, limit):
    write(c, 5)
    take(c, 4, *LONG)
    c.call("TRETAIN", "log", *limit)
    left = 0 if limit[0] == "AGE" else 2
    wait_until(lambda: c.call("TINFO", "log")[5] == left, "the limit is enforced")
    assert numbers(c, "lost", "pending", "lag") == ([5, 0, 0] if left == 0 else [3, 1, 1])


# --- PENDING ---


def test_pending_tells_offset_attempts_times_and_consumer(c):
    write(c, 3)
    take(c, 1, "RETRY", "50000", "70000", "CONSUMER", "ann")
    take(c, 1, "RETRY", "90000", "0")
    one, two = pending(c)
    assert (one[:2], one[4]) == ([1, 1], b"ann") and 40000 < one[2] <= 50000 and 60000 < one[3] <= 70000
    assert (two[:2], two[3], two[4]) == ([2, 1], -1, None) and 80000 < two[2] <= 90000


def test_consumer_names_are_bytes_and_follow_the_last_delivery(c):
    write(c, 3)
    take(c, 3, *LONG, "CONSUMER", b"\x00\xff")
    c.call("TNACK", "log", "g", "2-3")
    take(c, 1, *LONG, "CONSUMER", "")
    take(c, 1, *LONG)
    assert [(one[0], one[4]) for one in pending(c)] == [(1, b"\x00\xff"), (2, b""), (3, None)]


def test_pending_can_be_asked_for_one_consumer_from_an_offset_and_for_a_few(c):
    write(c, 100)
    for consumer in ("ann", "bob") * 5:
        take(c, 10, *LONG, "CONSUMER", consumer)
    assert pending_offsets(c, "CONSUMER", "bob", "FROM", "35", "COUNT", "8") == [35, 36, 37, 38, 39, 40, 51, 52]
    assert pending_offsets(c, "FROM", "98") == [98, 99, 100]
    assert pending_offsets(c, "COUNT", "3") == [1, 2, 3]
    assert pending_offsets(c, "FROM", "101") == pending_offsets(c, "CONSUMER", "carl") == []


def test_pending_shows_a_hundred_by_default(c):
    write(c, 300)
    take(c, 300, *LONG)
    assert pending_offsets(c) == list(range(1, 101))
    assert pending_offsets(c, "COUNT", "1000000") == list(range(1, 301))


# --- SEEK ---


@pytest.mark.parametrize("where, gets", [("FIRST", [3, 4]), ("first", [3, 4]), ("NEXT", []), ("5", [5, 6]), ("1", [3, 4]), ("8", [])])
def test_seek_goes_to_the_first_the_next_or_an_offset(c, where, gets):
    write(c, 7)
    c.call("TEVICT", "log", "2")
    take(c, 4)
    assert c.call("TGROUP", "SEEK", "log", "g", where) == b"OK"
    assert take(c, 2) == gets
    assert about(c)["lost"] == 0


def test_seek_clears_what_is_pending(c):
    write(c, 6)
    take(c, 4, *LONG, "CONSUMER", "ann")
    c.call("TGROUP", "SEEK", "log", "g", "3")
    assert pending(c) == []
    assert numbers(c, "last", "lag", "pending") == [2, 4, 0]
    assert read(c, 9, "WITHATTEMPTS", *LONG)[0] == [3, b"t", b"e2", 1]


def test_seek_beyond_the_next_message_is_refused(server, c):
    write(c, 3)
    take(c, 1)
    before = server.digest("log")
    assert c.error_of("TGROUP", "SEEK", "log", "g", "5") == "ERR the offset is beyond the next one of the log, 4"
    assert server.digest("log") == before


# --- DROP and SET ---


def test_drop_removes_a_group_and_what_it_had_pending(c):
    write(c, 3)
    take(c, 3, *LONG)
    assert c.call("TGROUP", "DROP", "log", "g") == 1
    assert c.call("TGROUP", "DROP", "log", "g") == c.call("TGROUP", "DROP", "missing", "g") == 0
    assert c.call("TGROUP", "LIST", "log") == []
    assert take(c, 9) == [1, 2, 3]


def test_set_changes_only_what_it_names(c):
    take(c, 0)
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "5", "MAXATTEMPTS", "6", "DEADLETTER", "dead")
    assert c.call("TGROUP", "SET", "log", "g", "maxattempts", "7") == b"OK"
    assert numbers(c, "pending-max", "max-attempts", "dead-letter") == [5, 7, b"dead"]
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "0", "DEADLETTER", "none", "MAXATTEMPTS", "0")
    assert numbers(c, "pending-max", "max-attempts", "dead-letter") == [1000000, 0, None]
