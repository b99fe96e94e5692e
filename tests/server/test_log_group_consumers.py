"""CONSUMER: a message is held by one consumer. Giving back uncounted, giving up, extending, reading again."""

import json

import pytest

from log_groups import ALL, LONG, about, at_once, numbers, pending, pending_offsets, read, take, write
from resp import RespError
from server import wait_until


def held(c, consumer):
    return pending_offsets(c, "CONSUMER", consumer)


@pytest.fixture
def passed_on(c):
    """ann was given 1 to 4; 2 and 3 have then passed on to bob."""
    write(c, 4)
    take(c, 4, *LONG, "CONSUMER", "ann")
    c.call("TNACK", "log", "g", "2-3")
    assert take(c, 9, *LONG, "CONSUMER", "bob") == [2, 3]
    return c


def test_a_late_tack_of_one_consumer_leaves_alone_what_another_holds(passed_on):
    c = passed_on
    assert c.call("TACK", "log", "g", "CONSUMER", "ann", ALL) == 2
    assert pending_offsets(c) == held(c, "bob") == [2, 3]
    assert c.call("TACK", "log", "g", "CONSUMER", "bob", "1", "3-9") == 1
    assert c.call("TACK", "log", "g", "CONSUMER", "nobody", ALL) == 0
    assert c.call("TACK", "log", "g", "2") == 1


def test_a_late_tnack_of_one_consumer_leaves_alone_what_another_holds(passed_on):
    c = passed_on
    assert c.call("TNACK", "log", "g", "CONSUMER", "ann", "1-3") == 1
    assert take(c, 9, *LONG) == [1]
    assert held(c, "bob") == [2, 3]


def test_a_message_that_is_given_back_is_held_by_no_consumer(c):
    write(c)
    take(c, 1, *LONG, "CONSUMER", "ann")
    assert c.call("TNACK", "log", "g", "CONSUMER", "ann", "DELAY", "3600000", "1") == 1
    assert pending(c)[0][4] is None
    assert c.call("TNACK", "log", "g", "CONSUMER", "ann", "1") == 0
    assert c.call("TACK", "log", "g", "CONSUMER", "ann", "1") == 0
    assert read(c, 9, "CONSUMER", "ann", "MINE") == []


# --- UNCOUNTED ---


def test_giving_back_at_a_shutdown_costs_no_attempt(c):
    """When each giving back counted, two shutdowns sent messages to the dead letters that no worker had ever tried."""
    write(c)
    take(c, 0)
    c.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "2")
    for _ in range(5):
        assert read(c, 1, "WITHATTEMPTS", *LONG, "CONSUMER", "ann") == [[1, b"t", b"e0", 1]]
        assert c.call("TNACK", "log", "g", "UNCOUNTED", "CONSUMER", "ann", "1") == 1
        assert pending(c)[0][1] == 0
    c.call("DEBUG", "RELOAD")
    assert read(c, 1, "WITHATTEMPTS", *LONG) == [[1, b"t", b"e0", 1]]
    assert numbers(c, "exhausted", "pending") == [0, 1]


# --- DEAD ---


def test_dead_gives_up_now_and_the_reason_is_in_the_dead_letter(c):
    write(c, 3)
    take(c, 3, *LONG, "CONSUMER", "ann")
    c.call("TGROUP", "SET", "log", "g", "DEADLETTER", "dead")
    assert c.call("TNACK", "log", "g", "CONSUMER", "ann", "DEAD", 'not "json"', "1", "3", "9") == 2
    letters = c.call("TREAD", "dead", "1", "9")
    assert [entry for _, _, entry in letters] == [b"e0", b"e2"]
    story = {"why": "dead", "attempts": 1, "offset": 1, "group": "g", "key": "log", "tag": "t", "reason": 'not "json"'}
    assert json.loads(letters[0][1]) == story
    assert (pending_offsets(c), numbers(c, "exhausted")) == ([2], [2])
    assert c.call("TNACK", "log", "g", "DEAD", "again", "1") == 0


def test_dead_leaves_alone_what_another_consumer_holds(passed_on):
    assert passed_on.call("TNACK", "log", "g", "CONSUMER", "ann", "DEAD", "why", ALL) == 2
    assert held(passed_on, "bob") == [2, 3]


def test_dead_letters_that_cannot_be_written_change_nothing(c):
    write(c)
    take(c, 1, *LONG)
    c.call("TGROUP", "SET", "log", "g", "DEADLETTER", "dead")
    c.call("SET", "dead", "a string")
    with pytest.raises(RespError, match="ERR the DEADLETTER cannot be written to now"):
        c.call("TNACK", "log", "g", "DEAD", "why", "1")
    assert pending_offsets(c) == [1]


def test_dead_is_bounded(c):
    write(c, 1001)
    take(c, 1001, *LONG)
    assert c.call("TNACK", "log", "g", "DEAD", "why", ALL) == 1000
    assert pending_offsets(c) == [1001]
    assert [c.call("TNACK", "log", "g", "DEAD", "why", ALL) for _ in range(2)] == [1, 0]


def test_dead_copies_half_a_megabyte_at_a_time(c):
    entry = "x" * 100_000
    c.call("TWRITE", "log", "ENTRIES", *["t", entry] * 13)
    take(c, 13, *LONG, "CONSUMER", "ann")
    c.call("TGROUP", "SET", "log", "g", "DEADLETTER", "dead")
    given_up = [c.call("TNACK", "log", "g", "CONSUMER", "ann", "DEAD", "why", ALL) for _ in range(4)]
    assert given_up == [6, 6, 1, 0], "524,288 bytes, and the message that exceeds them"
    assert [message[0] for message in c.call("TREAD", "dead", "1", "20")] == list(range(1, 14))


@pytest.mark.parametrize(
    "command",
    [("TACK", "log", "g", ALL), ("TGROUP", "SEEK", "log", "g", "1"), ("TGROUP", "DROP", "log", "g"), ("DEL", "log")],
    ids=["all acknowledged", "moved", "dropped", "deleted"],
)
def test_what_a_group_forgets_is_freed_in_slices(server, c, command):
    write(c, 5000)
    c.call_all(("TREAD", "log", "1", "1", "GROUP", "g", *LONG, "CONSUMER", f"worker {n}") for n in range(5000))
    assert about(c)["pending"] == 5000
    with server.changed_settings(lazyfree_lazy_user_del="no"):
        _, after = c.call_all([("MULTI",), command, ("INFO", "millrace"), ("EXEC",)])[-1]
    assert b"millrace_objects_to_reclaim:1" in after
    wait_until(lambda: server.counter("objects_to_reclaim") == 0, "everything is given back")
    if command[0] != "DEL":
        write(c, 1)
        take(c, 1, *LONG)


def test_a_consumer_is_not_looked_for_without_end(c):
    """Looking for a consumer that holds nothing among 100,000 batches of another once took 10 ms, and among a million
    100 ms."""
    count = 101_000
    for _ in range(0, count, 1000):
        c.call("TWRITE", "log", "ENTRIES", *["t", "e"] * 1000)
    c.call("TGROUP", "CREATE", "log", "g", "FIRST")
    for first in range(0, count, 1000):
        # Neighbouring messages have different lease times, so that each message is a batch of its own.
        c.call_all(
            ("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", 3_600_000 + n % 2, "0", "CONSUMER", "bob")
            for n in range(first, first + 1000)
        )
    c.call("TWRITE", "log", "t", "e")
    take(c, 1, *LONG, "CONSUMER", "ann")
    for command, *options in (("TNACK",), ("TNACK", "DEAD", "why"), ("TEXTEND", "1000")):
        with pytest.raises(RespError, match="ERR none of the first 100000 batches pending there is held by the"):
            c.call(command, "log", "g", "CONSUMER", "ann", *options, ALL)
    assert c.call("TEXTEND", "log", "g", "CONSUMER", "bob", "7200000", ALL) == 2000
    assert c.call("TNACK", "log", "g", "CONSUMER", "ann", f"{count}-{count + 1}") == 1


# --- TEXTEND ---


def test_textend_moves_the_retry_deadline(c):
    write(c, 3)
    take(c, 3, "RETRY", "50", "0", "CONSUMER", "ann")
    assert c.call("TEXTEND", "log", "g", "60000", "1", "3-9") == 2
    assert wait_until(lambda: take(c, 9, *LONG), "the one that was not extended is due") == [2]
    assert [50_000 < one[2] <= 60_000 for one in pending(c) if one[0] != 2] == [True, True]
    assert [one[1] for one in pending(c)] == [1, 2, 1]
    assert held(c, "ann") == [1, 3]


def test_textend_of_one_consumer_leaves_alone_what_another_holds(passed_on):
    c = passed_on
    assert c.call("TEXTEND", "log", "g", "CONSUMER", "ann", "7200000", ALL) == 2
    assert [one[0] for one in pending(c) if one[2] > 3600000] == [1, 4]


def test_textend_keeps_the_expiry(c):
    write(c)
    delivery = ("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "40", "80")
    assert at_once(c, delivery, ("TEXTEND", "log", "g", "60000", "1"))[1] == 1
    wait_until(lambda: about(c)["expired"] == 1, "it is given up")


def test_textend_needs_a_group(c):
    write(c)
    with pytest.raises(RespError, match="NOGROUP"):
        c.call("TEXTEND", "log", "g", "1000", "1")


# --- MINE ---


def test_mine_gives_a_consumer_again_what_it_holds_and_counts_no_attempt(passed_on):
    c = passed_on
    for _ in range(3):
        assert read(c, 9, "CONSUMER", "ann", "MINE", "WITHATTEMPTS") == [[1, b"t", b"e0", 1], [4, b"t", b"e3", 1]]
    assert read(c, 9, "CONSUMER", "bob", "MINE", "WITHATTEMPTS") == [[2, b"t", b"e1", 2], [3, b"t", b"e2", 2]]
    assert take(c, 9, "CONSUMER", "carol", "MINE") == []
    assert numbers(c, "redelivered") == [2]


def test_mine_begins_at_the_offset_and_ends_with_the_count(c):
    write(c, 200)
    take(c, 200, *LONG, "CONSUMER", "ann")
    c.call("TACK", "log", "g", "5-99")

    def mine(offset, count):
        answer = c.call("TREAD", "log", offset, count, "GROUP", "g", "CONSUMER", "ann", "MINE")
        return [message[0] for message in answer]

    assert mine(1, 6) == [1, 2, 3, 4, 100, 101]
    assert mine(102, 3) == [102, 103, 104]
    assert mine(200, 9) == [200]
    assert mine(201, 9) == []


def test_mine_with_retry_starts_a_new_interval(c, replica):
    write(c, 2)
    take(c, 2, "RETRY", "60000", "0", "CONSUMER", "ann")
    assert take(c, 1, *LONG, "CONSUMER", "ann", "MINE") == [1]
    assert [one[2] > 60000 for one in pending(c)] == [True, False]
    assert take(c, 9, "CONSUMER", "ann", "MINE") == [1, 2]
    assert [one[2] > 60000 for one in pending(c)] == [True, False], "without RETRY the deadlines stay"


def test_mine_makes_neither_a_log_nor_a_group(c):
    assert read(c, 9, "CONSUMER", "ann", "MINE") == []
    assert c.call("EXISTS", "log") == 0
    write(c)
    assert read(c, 9, "CONSUMER", "ann", "MINE", "WITHINFO") == [[1, 1]]
    assert c.call("TGROUP", "LIST", "log") == []


def test_mine_keeps_within_maxbytes(c):
    c.call("TWRITE", "log", "ENTRIES", *[part for _ in range(5) for part in ("t", "x" * 99)])
    take(c, 5, *LONG, "CONSUMER", "ann")
    assert take(c, 9, "CONSUMER", "ann", "MINE", "MAXBYTES", "250") == [1, 2]
    assert take(c, 9, "CONSUMER", "ann", "MINE", "MAXBYTES", "1") == [1], "one at least"
