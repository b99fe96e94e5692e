"""TREAD … BLOCK: which readers are woken, when, in which order, and with which answer."""

import pytest

from log_waiting import is_still_waiting
from server import wait_until


# --- what wakes ---


def test_a_reader_gets_the_message_it_waited_for(c, waiting):
    reader = waiting("log", "1", "10", "BLOCK", "0")
    c.call("TWRITE", "log", "t", "e")
    assert reader.read() == [[1, b"t", b"e"]]


def test_a_reader_gets_all_of_the_batch_that_woke_it_up_to_its_count(c, waiting):
    many = waiting("log", "1", "10", "BLOCK", "0")
    two = waiting("log", "1", "2", "BLOCK", "0")
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2", "c", "3")
    assert [m[0] for m in many.read()] == [1, 2, 3]
    assert [m[0] for m in two.read()] == [1, 2]


def test_dollar_waits_for_the_next_message_to_be_written(c, waiting):
    c.call("TWRITE", "log", "t", "old")
    reader = waiting("log", "$", "10", "BLOCK", "0")
    c.call("TWRITE", "log", "t", "new")
    assert reader.read() == [[2, b"t", b"new"]]


@pytest.mark.parametrize("start", ["-1", "-100"])
def test_a_reader_from_the_end_of_a_log_that_was_emptied_waits(c, waiting, start):
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2")
    c.call("TEVICT", "log", "2")
    assert c.call("TREAD", "log", start, "1") == []
    reader = waiting("log", start, "1", "BLOCK", "0")
    c.call("TWRITE", "log", "t", "new")
    assert reader.read() == [[3, b"t", b"new"]]


def test_a_reader_waiting_far_ahead_is_not_woken_early(server, c, waiting):
    reader = waiting("log", "5", "10", "BLOCK", "0")
    for n in range(1, 5):
        assert c.call("TWRITE", "log", "t", str(n)) == n
        assert is_still_waiting(server, reader)
    c.call("TWRITE", "log", "t", "5")
    assert reader.read() == [[5, b"t", b"5"]]


def test_a_greater_offset_wakes_too(c, waiting):
    reader = waiting("log", "3", "1", "BLOCK", "0")
    c.call("TWRITE", "log", "ENTRIES", *["t", "e"] * 7)
    assert reader.read() == [[3, b"t", b"e"]]


def test_what_was_evicted_by_the_write_itself_comes_as_nulls(c, waiting):
    plain = waiting("log", "1", "4", "BLOCK", "0")
    skipping = waiting("log", "1", "4", "BLOCK", "0", "SKIP")
    c.call("TWRITE", "log", "BACKLOG", "1", "ENTRIES", "a", "1", "b", "2", "c", "3")
    assert plain.read() == [None, None, [3, b"c", b"3"]]
    assert skipping.read() == [[3, b"c", b"3"]]


def test_a_skipping_reader_waits_on_if_nothing_of_the_write_remains(server, c, waiting):
    reader = waiting("log", "1", "4", "BLOCK", "0", "SKIP")
    c.call("TWRITE", "log", "BACKLOG", "0", "ENTRIES", "a", "1", "b", "2")
    assert is_still_waiting(server, reader)
    c.call("TWRITE", "log", "c", "3")
    assert reader.read() == [[3, b"c", b"3"]]


def test_a_reader_by_tag_is_woken_only_by_its_tag(server, c, waiting):
    reader = waiting("log", "$", "10", "BLOCK", "0", "TAGS", "2", "paid", "late")
    for tag in ("new", "pai", "paid2", ""):
        c.call("TWRITE", "log", tag, "e")
        assert is_still_waiting(server, reader)
    c.call("TWRITE", "log", "ENTRIES", "new", "1", "late", "2", "new", "3", "paid", "4")
    assert reader.read() == [[6, b"late", b"2"], [8, b"paid", b"4"]]


def test_withinfo_tells_the_state_at_the_wake_up(c, waiting):
    reader = waiting("log", "1", "1", "BLOCK", "0", "WITHINFO")
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2")
    assert reader.read() == [[1, 2], [1, b"a", b"1"]]


def test_evicting_wakes_no_reader(server, c, waiting):
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2")
    reader = waiting("log", "$", "1", "BLOCK", "0")
    c.call("TEVICT", "log", "2")
    c.call("TRETAIN", "log", "COUNT", "5")
    assert is_still_waiting(server, reader)


def test_a_refused_write_wakes_no_reader(server, c, waiting):
    reader = waiting("log", "1", "1", "BLOCK", "0")
    c.error_of("TWRITE", "log", "ENTRIES", "a", "1", "b")
    assert is_still_waiting(server, reader)


# --- time ---


def test_a_timeout_is_a_null_array(c):
    assert c.bytes_of("TREAD", "log", "1", "1", "BLOCK", "10") == b"*-1\r\n"
    assert c.bytes_of("TREAD", "log", "$", "1", "BLOCK", "10", "TAGS", "1", "t") == b"*-1\r\n"


def test_a_timeout_is_a_null_in_resp3(connect):
    assert connect(protocol=3).bytes_of("TREAD", "log", "1", "1", "BLOCK", "10") == b"_\r\n"


def test_a_timeout_withinfo_is_the_information_alone(c):
    assert c.call("TREAD", "log", "1", "1", "BLOCK", "10", "WITHINFO") == [[1, 0]]
    c.call("TWRITE", "log", "BACKLOG", "2", "ENTRIES", *["t", "e"] * 5)
    assert c.call("TREAD", "log", "$", "1", "BLOCK", "10", "WITHINFO") == [[4, 5]]


def test_the_information_after_a_timeout_is_that_of_the_end_of_the_wait(still, s, clock, waiting):
    reader = waiting("log", "9", "1", "BLOCK", "600000", "WITHINFO", to=still)
    s.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2")
    s.call("TEVICT", "log", "1")
    clock.pass_time(700_000)
    assert reader.read() == [[2, 2]]


def test_in_a_transaction_block_answers_at_once(c):
    c.call("MULTI")
    c.call("TREAD", "log", "1", "1", "BLOCK", "0")
    c.call("TREAD", "log", "1", "1", "BLOCK", "0", "WITHINFO")
    c.call("TWRITE", "log", "t", "e")
    c.call("TREAD", "log", "1", "1", "BLOCK", "0")
    assert c.bytes_of("EXEC") == b"*4\r\n*-1\r\n*1\r\n*2\r\n:1\r\n:0\r\n:1\r\n*1\r\n*3\r\n:1\r\n$1\r\nt\r\n$1\r\ne\r\n"


# --- order ---


def order_of_service(server, c, waiting, starts, write):
    """Starts readers in turn. Each sends a second command behind its read that records its number. The host executes
    these in the order in which it wakes the readers."""
    readers = []
    for number, words in enumerate(starts):
        readers.append(waiting("log", *words))
        readers[-1].send("RPUSH", "served", number)
    c.call(*write)
    for reader in readers:
        reader.read()
        reader.read()
    return [int(number) for number in c.call("LRANGE", "served", "0", "-1")]


def test_readers_are_woken_in_the_order_in_which_they_came(server, c, waiting):
    starts = [("1", "1", "BLOCK", "0")] * 10
    assert order_of_service(server, c, waiting, starts, ("TWRITE", "log", "t", "e")) == list(range(10))


def test_the_reader_that_came_first_is_served_first_whatever_offset_it_waits_for(server, c, waiting):
    starts = [(str(offset), "1", "BLOCK", "0") for offset in (3, 1, 2, 3, 1)]
    assert order_of_service(server, c, waiting, starts, ("TWRITE", "log", "ENTRIES", *["t", "e"] * 3)) == list(range(5))


def test_two_hundred_readers_at_once_are_all_served(server, c, waiting):
    readers = [waiting("log", "$", "2", "BLOCK", "0") for _ in range(200)]
    server.wait_for_blocked(200)
    c.call("TWRITE", "log", "t", "e")
    for reader in readers:
        assert reader.read() == [[1, b"t", b"e"]]
    wait_until(lambda: server.counter("log_readers_blocked") == 0, "nobody waits")


def test_only_readers_of_this_key_and_database_are_woken(server, c, connect, waiting):
    other_key = waiting("other", "1", "1", "BLOCK", "0")
    elsewhere = connect()
    elsewhere.call("SELECT", "1")
    waiting("log", "1", "1", "BLOCK", "0", connection=elsewhere)
    c.call("TWRITE", "log", "t", "e")
    assert is_still_waiting(server, other_key)
    assert is_still_waiting(server, elsewhere)
    c.call("SELECT", "1")
    c.call("TWRITE", "log", "t", "there")
    assert elsewhere.read() == [[1, b"t", b"there"]]


# --- transactions and scripts ---


def test_a_write_in_a_transaction_wakes_after_exec_with_the_final_state(server, c, waiting):
    reader = waiting("log", "1", "9", "BLOCK", "0", "WITHINFO")
    c.call("MULTI")
    c.call("TWRITE", "log", "a", "1")
    c.call("TWRITE", "log", "b", "2")
    c.call("TEVICT", "log", "1")
    assert is_still_waiting(server, reader)
    c.call("EXEC")
    assert reader.read() == [[2, 2], None, [2, b"b", b"2"]]


def test_a_message_that_does_not_outlive_its_transaction_wakes_no_reader(server, c, waiting):
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call("MULTI")
    c.call("TWRITE", "log", "a", "1")
    c.call("DEL", "log")
    c.call("EXEC")
    assert is_still_waiting(server, reader)
    c.call("TWRITE", "log", "b", "2")
    assert reader.read() == [[1, b"b", b"2"]]


def test_a_script_wakes_when_it_is_over(c, waiting):
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call("EVAL", "for i = 1, 3 do redis.call('TWRITE', KEYS[1], 't', i) end", "1", "log")
    assert [m[2] for m in reader.read()] == [b"1", b"2", b"3"]


@pytest.mark.parametrize("behind", [("TEVICT", "log", "2"), ("DEL", "log"), ("FLUSHALL",), ("RENAME", "log", "x")])
@pytest.mark.parametrize("exists", [True, False])
def test_a_command_right_behind_a_transaction_does_not_come_before_its_readers(c, waiting, behind, exists):
    offset = c.call("TWRITE", "log", "old", "0") + 1 if exists else 1
    reader = waiting("log", offset, "9", "BLOCK", "0")
    c.call_all([("MULTI",), ("TWRITE", "log", "a", "1"), ("EXEC",), behind])
    assert reader.read() == [[offset, b"a", b"1"]]


def test_a_command_right_behind_a_script_does_not_come_before_its_readers(c, waiting):
    reader = waiting("log", "1", "9", "BLOCK", "0")
    c.call_all([("EVAL", "redis.call('TWRITE', KEYS[1], 'a', '1')", "1", "log"), ("DEL", "log")])
    assert reader.read() == [[1, b"a", b"1"]]
