"""Which reader gets which message: new messages together with messages that are due again, and several waiting
readers."""

import pytest

from log_groups import ALL, LONG, pending_offsets, read, take, write
from server import wait_until


def test_poison_does_not_starve_good_messages(s, clock):
    """Ten messages that are never acknowledged, read with RETRY 1 and COUNT 10: once, the five good messages came in
    none of 50 reads."""
    write(s, 10)
    assert len(take(s, 10, "RETRY", "1", "0")) == 10
    write(s, 5)
    clock.pass_time(5)
    assert take(s, 10, "RETRY", "1", "0") == [1, 2, 3, 4, 5, 11, 12, 13, 14, 15]


def test_reads_of_one_message_alternate(c, replica):
    write(c, 3)
    take(c, 3, *LONG)
    write(c, 3)
    c.call("TNACK", "log", "g", ALL)
    assert [take(c, 1, *LONG) for _ in range(7)] == [[1], [4], [2], [5], [3], [6], []]


def test_whose_turn_it_is_outlives_a_reload(c):
    write(c, 2)
    take(c, 2, *LONG)
    write(c, 2)
    c.call("TNACK", "log", "g", ALL)
    assert take(c, 1, *LONG) == [1]
    c.call("DEBUG", "RELOAD")
    assert [take(c, 1, *LONG) for _ in range(3)] == [[3], [2], [4]]


def test_without_fresh_messages_all_of_a_read_is_for_those_due(c):
    write(c, 8)
    take(c, 8, *LONG)
    c.call("TNACK", "log", "g", ALL)
    assert take(c, 6, *LONG) == [1, 2, 3, 4, 5, 6]


# --- without RETRY ---


def test_a_read_without_retry_that_gets_a_due_message_has_it_for_good(c):
    write(c)
    take(c, 1, *LONG, "CONSUMER", "ann")
    c.call("TNACK", "log", "g", "1")
    assert read(c, 1, "WITHATTEMPTS") == [[1, b"t", b"e0", 2]]
    assert pending_offsets(c) == []
    assert c.call("TACK", "log", "g", "1") == 0
    assert take(c, 1) == []


def test_messages_done_without_retry_no_longer_hold_the_log(c):
    c.call("TRETAIN", "log", "ACKED", "yes")
    write(c, 2)
    take(c, 2, *LONG)
    c.call("TNACK", "log", "g", ALL)
    assert take(c, 2) == [1, 2]
    assert c.call("TREAD", "log", "1", "0", "WITHINFO") == [[3, 2]]


# --- readers that wait ---


def start_readers(server, connect, count, *options):
    """Starts readers that wait in this order."""
    readers = []
    for _ in range(count):
        readers.append(connect())
        readers[-1].send("TREAD", "log", "1", *options)
        server.wait_for_blocked(len(readers))
    return readers


@pytest.mark.parametrize("retry", [(), LONG], ids=["without RETRY", "with RETRY"])
def test_one_write_is_spread_over_all_readers_that_wait(server, c, connect, retry):
    readers = start_readers(server, connect, 3, "10", "GROUP", "g", "BLOCK", "0", *retry)
    write(c, 9)
    assert [[message[0] for message in reader.read()] for reader in readers] == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_a_remainder_goes_to_the_readers_that_have_waited_longest(server, c, connect):
    readers = start_readers(server, connect, 3, "10", "GROUP", "g", "BLOCK", "0")
    write(c, 7)
    assert [len(reader.read()) for reader in readers] == [3, 2, 2]


def test_a_write_wakes_no_more_readers_than_it_has_messages(server, c, connect):
    readers = start_readers(server, connect, 4, "10", "GROUP", "g", "BLOCK", "0")
    write(c, 2)
    assert [[message[0] for message in reader.read()] for reader in readers[:2]] == [[1], [2]]
    server.wait_for_blocked(2)
    write(c, 9)
    assert [len(reader.read()) for reader in readers[2:]] == [5, 4]


def test_what_is_left_of_a_large_write_goes_to_the_next_read(server, c, connect):
    readers = start_readers(server, connect, 2, "3", "GROUP", "g", "BLOCK", "0")
    write(c, 10)
    assert [[message[0] for message in reader.read()] for reader in readers] == [[1, 2, 3], [4, 5, 6]]
    assert take(c, 10) == [7, 8, 9, 10]


def test_messages_that_become_due_are_shared_among_readers_as_well(server, c, connect):
    write(c, 6)
    take(c, 6, "RETRY", "60000", "0")
    readers = start_readers(server, connect, 3, "10", "GROUP", "g", "BLOCK", "0", *LONG)
    c.call("TNACK", "log", "g", "DELAY", "20", ALL)
    assert [len(reader.read()) for reader in readers] == [2, 2, 2]


def test_readers_of_another_group_get_their_own(server, c, connect):
    mine = start_readers(server, connect, 2, "10", "GROUP", "g", "BLOCK", "0")
    other = connect()
    other.send("TREAD", "log", "1", "10", "GROUP", "other", "BLOCK", "0")
    server.wait_for_blocked(3)
    write(c, 4)
    assert [len(reader.read()) for reader in (*mine, other)] == [2, 2, 4]
    wait_until(lambda: server.counter("log_readers_blocked") == 0, "nobody waits")
