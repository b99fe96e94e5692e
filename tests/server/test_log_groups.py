"""Groups: how they are created, which reader gets which message, TACK, and the pending limit."""

import pytest

from log_family import without_ages
from log_groups import ALL, LONG, about, numbers, pending, pending_offsets, read, take, write
# --- creation ---


def test_group_starts_at_the_first_message_there_is(c):
    write(c, 5)
    c.call("TEVICT", "log", "2")
    assert take(c, 2) == [3, 4]
    assert about(c)["lost"] == 0


def test_tailgroup_starts_after_the_last_message(c):
    write(c, 5)
    assert c.call("TREAD", "log", "1", "9", "TAILGROUP", "g") == []
    write(c, 2)
    assert c.call("TREAD", "log", "1", "9", "TAILGROUP", "g") == [[6, b"t", b"e0"], [7, b"t", b"e1"]]


def test_for_a_group_that_exists_both_are_the_same(c):
    write(c, 5)
    assert take(c, 1) == [1]
    assert c.call("TREAD", "log", "1", "1", "TAILGROUP", "g") == [[2, b"t", b"e1"]]
    assert take(c, 1) == [3]


def test_a_missing_key_is_created_by_a_read(c):
    assert take(c, 1) == []
    assert c.call("TYPE", "log") == b"millr-log"
    assert numbers(c, "last", "pending", "lag", "lost") == [0, 0, 0, 0]


@pytest.mark.parametrize("birth", ["GROUP", "TAILGROUP"])
def test_a_worker_may_wait_before_the_first_producer_writes(c, waiting, birth):
    worker = waiting("log", "1", "5", "BLOCK", "0", birth, "g")
    assert c.call("EXISTS", "log") == 1
    write(c)
    assert worker.read() == [[1, b"t", b"e0"]]


def test_a_read_of_nothing_makes_the_group_too(c):
    write(c, 3)
    assert take(c, 0) == []
    assert numbers(c, "last", "lag") == [0, 3]


def test_a_group_is_created_on_replicas_and_in_the_aof_as_well(server, replica, c):
    write(c, 3)
    c.call("TREAD", "log", "1", "5", "TAILGROUP", "late")
    take(c, 0, group="early")
    server.wait_for_replica(replica)
    assert without_ages(replica.admin.call("TGROUP", "LIST", "log")) == without_ages(c.call("TGROUP", "LIST", "log"))


# --- delivery ---


def test_each_message_goes_to_one_reader(c, connect):
    write(c, 30)
    readers = [connect() for _ in range(3)]
    got = [offset for _ in range(5) for reader in readers for offset in take(reader, 2)]
    assert got == list(range(1, 31))


def test_every_group_gets_every_message(c):
    write(c, 4)
    assert [take(c, 9, group=name) for name in ("a", "b", b"\x00\xff", b"")] == [[1, 2, 3, 4]] * 4


@pytest.mark.parametrize("offset", ["0", "$", "1", "-1", "99", "9223372036854775807"])
def test_the_offset_is_ignored(c, offset):
    write(c, 2)
    assert c.call("TREAD", "log", offset, "9", "GROUP", "g") == [[1, b"t", b"e0"], [2, b"t", b"e1"]]


def test_nothing_new_is_an_empty_array(c):
    write(c)
    take(c, 5)
    assert c.bytes_of("TREAD", "log", "1", "5", "GROUP", "g") == b"*0\r\n"


def test_withinfo_goes_before_the_messages(c):
    write(c, 3)
    assert read(c, 1, "WITHINFO") == [[1, 3], [1, b"t", b"e0"]]
    assert read(c, 9, "WITHINFO")[0] == [1, 3]
    assert read(c, 9, "WITHINFO") == [[1, 3]]


def test_any_client_can_read_anywhere_without_a_group(c):
    write(c, 3)
    take(c, 3, *LONG)
    assert [m[0] for m in c.call("TREAD", "log", "1", "9")] == [1, 2, 3]
    assert numbers(c, "pending", "lag") == [3, 0]


def test_without_retry_a_message_is_done_once_delivered(c):
    write(c, 3)
    take(c, 2)
    assert pending(c) == []
    assert numbers(c, "last", "pending", "lag") == [2, 0, 1]


def test_withattempts_adds_the_number_of_deliveries(c):
    write(c, 3)
    assert read(c, 2, "WITHATTEMPTS", *LONG) == [[1, b"t", b"e0", 1], [2, b"t", b"e1", 1]]
    c.call("TNACK", "log", "g", "2")
    assert read(c, 5, "WITHATTEMPTS", *LONG) == [[2, b"t", b"e1", 2], [3, b"t", b"e2", 1]]
    c.call("TNACK", "log", "g", "2")
    assert read(c, 5, "WITHATTEMPTS") == [[2, b"t", b"e1", 3]]


# --- acknowledging ---


def test_tack_counts_what_was_pending(c):
    write(c, 10)
    take(c, 8, *LONG)
    assert c.call("TACK", "log", "g", "3") == 1
    assert c.call("TACK", "log", "g", "3") == 0
    assert c.call("TACK", "log", "g", "1-4", "8", "9", "3") == 4
    assert pending_offsets(c) == [5, 6, 7]
    assert c.call("TACK", "log", "g", ALL) == 3
    assert numbers(c, "pending", "last", "lag") == [0, 8, 2]


def test_tack_and_tnack_of_what_is_not_pending_count_0_and_change_nothing(server, c):
    write(c, 4)
    take(c, 2)
    before, sent = server.digest("log"), server.info("replication")["master_repl_offset"]
    for words in (("1",), ("3",), ("99",), ("1-2", "3-99"), (ALL,)):
        assert c.call("TACK", "log", "g", *words) == 0
        assert c.call("TNACK", "log", "g", *words) == 0
    assert server.digest("log") == before
    assert server.info("replication")["master_repl_offset"] == sent


def test_what_is_acknowledged_in_any_order_never_comes_again(c):
    write(c, 200)
    take(c, 200, *LONG)
    for offset in range(1, 201, 3):
        assert c.call("TACK", "log", "g", offset) == 1
    left = [n for n in range(1, 201) if n % 3 != 1]
    assert pending_offsets(c, "COUNT", "1000") == left
    assert c.call("TNACK", "log", "g", ALL) == len(left)
    assert take(c, 500, *LONG) == left


def test_one_groups_acknowledgement_is_nothing_to_another(c):
    write(c, 2)
    take(c, 2, *LONG)
    take(c, 2, *LONG, group="h")
    c.call("TACK", "log", "g", "1-2")
    assert (pending_offsets(c), pending_offsets(c, group="h")) == ([], [1, 2])


# --- the pending limit ---


def test_beyond_pendingmax_only_redeliveries_come(c):
    write(c, 9)
    take(c, 0)
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "4")
    assert take(c, 9, *LONG) == [1, 2, 3, 4]
    assert take(c, 9, *LONG) == []
    assert about(c)["lag"] == 5
    c.call("TNACK", "log", "g", "2-3")
    assert take(c, 9, *LONG) == [2, 3]
    c.call("TACK", "log", "g", "1", "4")
    assert take(c, 9, *LONG) == [5, 6]


def test_the_default_limit_is_a_setting(server, c):
    write(c, 9)
    with server.changed_settings(**{"millrace.pending_max": "3"}):
        assert take(c, 9, *LONG) == [1, 2, 3]
        assert about(c)["pending-max"] == 3
        assert take(c, 9, *LONG) == []
    assert take(c, 9, *LONG) == [4, 5, 6, 7, 8, 9]


def test_a_lower_limit_takes_nothing_back(c):
    write(c, 9)
    take(c, 6, *LONG)
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "2")
    assert (take(c, 9, *LONG), about(c)["pending"]) == ([], 6)
    c.call("TACK", "log", "g", "1-5")
    assert take(c, 9, *LONG) == [7]


# --- transactions and scripts ---


def test_a_group_read_inside_a_transaction(server, replica, c):
    write(c, 4)
    c.call("MULTI")
    c.call("TREAD", "log", "1", "2", "GROUP", "g", *LONG)
    c.call("TACK", "log", "g", "1")
    c.call("TREAD", "log", "1", "9", "GROUP", "g", "BLOCK", "0")
    c.call("TREAD", "log", "1", "9", "GROUP", "g", "BLOCK", "0")
    one, acked, two, nothing = c.call("EXEC")
    assert ([m[0] for m in one], acked, [m[0] for m in two], nothing) == ([1, 2], 1, [3, 4], None)
    server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log")


def test_a_group_read_inside_a_script(server, replica, c):
    write(c, 4)
    script = """
      local got = redis.call('TREAD', KEYS[1], 1, 3, 'GROUP', 'g', 'RETRY', 3600000, 0)
      for _, message in ipairs(got) do redis.call('TACK', KEYS[1], 'g', message[1]) end
      redis.call('TREAD', KEYS[1], 1, 3, 'GROUP', 'g', 'RETRY', 3600000, 0, 'BLOCK', 0)
      return #got
    """
    assert c.call("EVAL", script, "1", "log") == 3
    assert numbers(c, "last", "pending") == [4, 1]
    server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log")
