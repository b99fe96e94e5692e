"""Readers of a group that wait: what wakes them, in which turn, and what does not."""

import pytest

from log_groups import ALL, LONG, SHORT, about, numbers, pending, pending_offsets, read, take, write
from log_waiting import is_still_waiting
from server import wait_until


@pytest.fixture
def worker(waiting):
    """Starts a reader of the group g that waits for ever."""
    return lambda count, *options, **where: waiting("log", "1", count, "BLOCK", "0", "GROUP", "g", *options, **where)


# --- what wakes ---


def test_a_write_wakes_with_what_was_written(c, worker):
    reader = worker(5, *LONG, "WITHATTEMPTS", "WITHINFO", "CONSUMER", "ann")
    write(c, 2)
    assert reader.read() == [[1, 2], [1, b"t", b"e0", 1], [2, b"t", b"e1", 1]]
    assert [one[4] for one in pending(c)] == [b"ann", b"ann"]


def our_calls(server):
    """How often each of our commands was called, except reads: Valkey counts a waiting command only when it is
    answered."""
    ours = (item for item in server.info("commandstats").items() if item[0].startswith("cmdstat_T"))
    return {name: row.split(",")[0] for name, row in ours if not name.startswith("cmdstat_TREAD")}


def test_a_retry_that_falls_due_wakes_without_any_other_command(still, s, clock, worker):
    write(s)
    take(s, 1, "RETRY", "600000", "0")
    reader = worker(5, *LONG, "WITHATTEMPTS", to=still)
    calls = our_calls(still)
    clock.pass_time(600_000)
    assert reader.read() == [[1, b"t", b"e0", 2]]
    assert our_calls(still) == calls, "nobody called"
    assert numbers(s, "redelivered", "pending") == [1, 1]


def test_a_retry_is_not_early(still, s, clock, worker):
    write(s)
    take(s, 1, "RETRY", "3600000", "0")
    reader = worker(5, *LONG, to=still)
    clock.pass_time(3_500_000)  # the group's time also goes on by itself, with the monotonic clock
    assert is_still_waiting(still, reader)
    clock.pass_time(100_000)
    assert [m[0] for m in reader.read()] == [1]


def test_tnack_wakes_at_once_and_after_its_delay(c, worker):
    write(c)
    take(c, 1, *LONG)
    reader = worker(1, *LONG)
    c.call("TNACK", "log", "g", "1")
    assert [m[0] for m in reader.read()] == [1]
    worker(1, *LONG, connection=reader)
    c.call("TNACK", "log", "g", "DELAY", "30", "1")
    assert [m[0] for m in reader.read()] == [1]


def test_seek_wakes(c, worker):
    write(c, 2)
    take(c, 2)
    reader = worker(5)
    c.call("TGROUP", "SEEK", "log", "g", "FIRST")
    assert [m[0] for m in reader.read()] == [1, 2]


def test_a_log_put_under_the_key_wakes(c, worker):
    reader = worker(5)
    write(c, 2, key="source")
    c.call("RENAME", "source", "log")
    assert [m[0] for m in reader.read()] == [1, 2]


def test_a_dead_letter_wakes_the_reader_that_waits_for_it(c, waiting):
    write(c)
    c.call("TGROUP", "CREATE", "log", "g", "DEADLETTER", "dead")
    alone = waiting("dead", "1", "1", "BLOCK", "0")
    group = waiting("dead", "1", "1", "BLOCK", "0", "GROUP", "undertakers")
    take(c, 1, "RETRY", "50000", "30")
    assert alone.read()[0][2] == group.read()[0][2] == b"e0"


# --- the pending limit ---


@pytest.fixture
def full(c, worker):
    """A group at its pending limit, new messages, and a reader that waits."""
    write(c, 5)
    take(c, 0)
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "2")
    assert take(c, 9, *LONG) == [1, 2]
    return worker(9, *LONG)


def test_the_pending_limit_blocks_although_there_are_new_messages(server, c, full):
    assert about(c)["lag"] == 3
    write(c, 1)
    assert is_still_waiting(server, full)
    assert c.call("TREAD", "log", "1", "1", "BLOCK", "20", "GROUP", "g", *LONG) is None
    c.call("TACK", "log", "g", ALL)
    assert [m[0] for m in full.read()] == [3, 4]


def test_tack_that_makes_room_wakes(c, full):
    c.call("TACK", "log", "g", "2")
    assert [m[0] for m in full.read()] == [3]


def test_a_higher_limit_wakes(c, full):
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "3")
    assert [m[0] for m in full.read()] == [3]


def test_a_redelivery_passes_the_limit(c, full):
    c.call("TNACK", "log", "g", "1")
    assert [m[0] for m in full.read()] == [1]


@pytest.mark.parametrize("command", [("TEVICT", "log", "1"), ("TRETAIN", "log", "COUNT", "4")])
def test_eviction_of_what_is_pending_makes_room_and_wakes(c, full, command):
    c.call(*command)
    assert [m[0] for m in full.read()] == [3]


def test_expiry_makes_room_and_wakes(still, s, clock, worker):
    write(s, 3)
    s.call("TGROUP", "CREATE", "log", "g", "PENDINGMAX", "2")
    take(s, 2, "RETRY", "3600000", "600000")
    reader = worker(9, *LONG, to=still)
    clock.pass_time(600_000)
    assert [m[0] for m in reader.read()] == [3]


# --- turns ---


def test_ten_readers_are_served_in_turn_ten_messages_each(c, worker):
    readers = [worker(1, *LONG) for _ in range(10)]
    got = {number: [] for number in range(10)}
    for offset in range(1, 101):
        assert write(c) == offset
        number = (offset - 1) % 10
        got[number] += [m[0] for m in readers[number].read()]
        worker(1, *LONG, connection=readers[number])
    assert got == {number: list(range(number + 1, 101, 10)) for number in range(10)}
    assert about(c)["pending"] == 100
    for reader in readers:
        reader.close()


def test_a_write_of_n_messages_wakes_n_clients_at_most(server, c, worker):
    readers = [worker(1, *LONG) for _ in range(10)]
    woken = server.counter("log_readers_woken")
    write(c, 3)
    assert [reader.read()[0][0] for reader in readers[:3]] == [1, 2, 3]
    assert server.counter("log_readers_woken") == woken + 3
    assert server.counter("log_readers_blocked") == 7
    assert not any(reader.has_answer() for reader in readers[3:])
    write(c, 7)
    assert [reader.read()[0][0] for reader in readers[3:]] == [4, 5, 6, 7, 8, 9, 10]


def test_a_reader_that_asks_for_few_gets_no_more_and_the_others_share_the_rest(server, c, worker):
    few, many, last = worker(1), worker(5), worker(5)
    write(c, 6)
    assert [m[0] for m in few.read()] == [1]
    assert [m[0] for m in many.read()] == [2, 3, 4]
    assert [m[0] for m in last.read()] == [5, 6]


def test_groups_and_readers_without_one_do_not_take_turns_with_each_other(c, waiting):
    readers = [waiting("log", "1", "1", "BLOCK", "0", "GROUP", name) for name in ("a", "b", "a")]
    alone = waiting("log", "1", "1", "BLOCK", "0")
    write(c)
    assert [reader.read()[0][0] for reader in (readers[0], readers[1], alone)] == [1, 1, 1]
    write(c)
    assert readers[2].read()[0][0] == 2


def test_redeliveries_are_served_in_turn_too(c, worker):
    write(c, 3)
    take(c, 3, *LONG)
    readers = [worker(1, *LONG) for _ in range(3)]
    c.call("TNACK", "log", "g", "2-3")
    assert [reader.read()[0][0] for reader in readers[:2]] == [2, 3]
    c.call("TNACK", "log", "g", "1")
    assert readers[2].read()[0][0] == 1


def test_a_wake_up_that_finds_nothing_does_not_restart_the_timeout(still, s, clock, waiting):
    write(s, 3)
    s.call("TGROUP", "CREATE", "log", "g", "PENDINGMAX", "1")
    take(s, 1, *LONG)
    reader = waiting("log", "1", "1", "BLOCK", "600000", "GROUP", "g", *LONG, to=still)
    for _ in range(5):
        clock.pass_time(100_000)
        write(s)  # it visits the waiting readers
        assert is_still_waiting(still, reader)
    clock.pass_time(200_000)
    assert reader.read() is None


# --- what ends a wait ---


def test_drop_dismisses_the_readers_of_the_group_and_no_others(server, c, worker, waiting):
    dismissed = [worker(1, *LONG), worker(1)]
    stays = waiting("log", "1", "1", "BLOCK", "0", "GROUP", "other")
    c.call("TGROUP", "DROP", "log", "g")
    for reader in dismissed:
        assert str(reader.read()) == "NOGROUP the group was dropped while you waited for it"
    assert is_still_waiting(server, stays)
    write(c)
    assert stays.read() == [[1, b"t", b"e0"]]
    assert about(c) is None


def test_a_timeout_is_null_and_withinfo_the_information_alone(c):
    write(c, 2)
    take(c, 2)
    assert c.bytes_of("TREAD", "log", "1", "1", "BLOCK", "10", "GROUP", "g") == b"*-1\r\n"
    assert c.call("TREAD", "log", "1", "1", "BLOCK", "10", "GROUP", "g", "WITHINFO") == [[1, 2]]


@pytest.mark.parametrize("birth", ["GROUP", "TAILGROUP"])
@pytest.mark.parametrize("way", [("DEL", "log"), ("FLUSHALL",), ("RENAME", "log", "elsewhere")])
def test_a_log_that_is_made_again_serves_readers_that_waited_all_the_time(server, c, waiting, birth, way):
    write(c, 3)
    take(c, 3)
    reader = waiting("log", "1", "5", "BLOCK", "0", birth, "g")
    c.call(*way)
    assert is_still_waiting(server, reader)
    write(c)
    assert reader.read() == [[1, b"t", b"e0"]]


def test_a_client_that_left_gets_nothing_and_no_message_is_lost_by_it(server, c, worker):
    gone, stays = worker(1, *LONG), worker(1, *LONG)
    gone.close()
    wait_until(lambda: server.counter("log_readers_blocked") == 1, "it is gone")
    write(c)
    assert [m[0] for m in stays.read()] == [1]


def test_what_a_client_was_given_as_it_disconnected_comes_again(c, connect, worker):
    # The server may learn of the disconnection before or after the write; in both cases nothing is lost.
    for offset in range(1, 21):
        worker(1, *SHORT).close()
        write(c)
        assert connect().call("TREAD", "log", "1", "1", "BLOCK", "0", "GROUP", "g", *LONG)[0][0] == offset
        c.call("TACK", "log", "g", offset)
    assert numbers(c, "pending", "lag", "lost") == [0, 0, 0]


def test_what_a_client_took_right_before_it_died_comes_again(c, connect):
    write(c)
    dying = connect()
    dying.send("TREAD", "log", "1", "1", "GROUP", "g", *SHORT)
    wait_until(lambda: pending_offsets(c) == [1] if about(c) else False, "it was delivered")
    dying.close()
    # It may be due already, so this read need not wait.
    assert read(connect(), 1, *LONG, "WITHATTEMPTS", "BLOCK", "0") == [[1, b"t", b"e0", 2]]
    c.call("TACK", "log", "g", "1")
    assert about(c)["pending"] == 0


# --- transactions ---


def test_a_write_in_a_transaction_wakes_after_exec(server, c, worker):
    reader = worker(9, *LONG)
    c.call("MULTI")
    for n in range(3):
        c.call("TWRITE", "log", "t", n)
    c.call("TEVICT", "log", "1")
    assert is_still_waiting(server, reader)
    c.call("EXEC")
    assert [m[0] for m in reader.read()] == [2, 3]
    assert about(c)["lost"] == 1


@pytest.mark.parametrize("behind", [("TEVICT", "log", "2"), ("TGROUP", "DROP", "log", "g")])
def test_a_command_of_ours_right_behind_a_transaction_does_not_come_before_its_readers(c, worker, behind):
    reader = worker(9)
    c.call_all([("MULTI",), ("TWRITE", "log", "a", "1"), ("EXEC",), behind])
    assert reader.read() == [[1, b"a", b"1"]]


def test_a_group_read_behind_a_transaction_does_not_overtake_waiting_readers(c, worker):
    reader = worker(9)
    *_, answer = c.call_all([("MULTI",), ("TWRITE", "log", "a", "1"), ("EXEC",), ("TREAD", "log", "1", "9", "GROUP", "g")])
    assert (reader.read(), answer) == ([[1, b"a", b"1"]], [])
