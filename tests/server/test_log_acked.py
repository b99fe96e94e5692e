"""TRETAIN … ACKED: messages that every group has finished with are evicted, and TINFO says which group holds the
rest."""

import pytest

from log_groups import ALL, LONG, numbers, take, write
from server import Server, wait_until


def first_and_last(c):
    return c.call("TREAD", "log", "1", "0", "WITHINFO")[0]


def held_by(c):
    flat = c.call("TINFO", "log")
    about = dict(zip(flat[::2], flat[1::2]))
    return about[b"tail-held-by"], about[b"tail-held-by-group"]


@pytest.fixture
def acked(c):
    """A log of ten messages that keeps only the messages that groups still need."""
    write(c, 10)
    assert c.call("TRETAIN", "log", "ACKED", "yes") == b"OK"
    return c


def test_tretain_shows_it_and_switches_it_off(acked):
    assert acked.call("TRETAIN", "log")[8:10] == [b"acked", b"yes"]
    acked.call("TRETAIN", "log", "COUNT", "100")
    assert acked.call("TRETAIN", "log")[8:10] == [b"acked", b"yes"]
    acked.call("TRETAIN", "log", "ACKED", "NO")
    take(acked, 5)
    assert first_and_last(acked) == [1, 10]


def test_a_log_without_groups_keeps_all(acked):
    assert first_and_last(acked) == [1, 10]
    assert held_by(acked) == (b"no group", None)


def test_acknowledged_messages_are_evicted(acked):
    take(acked, 6, *LONG)
    assert first_and_last(acked) == [1, 10]
    acked.call("TACK", "log", "g", "1-4")
    assert first_and_last(acked) == [5, 10]
    acked.call("TACK", "log", "g", "6")
    assert first_and_last(acked) == [5, 10]
    acked.call("TACK", "log", "g", "5")
    assert first_and_last(acked) == [7, 10]
    assert numbers(acked, "pending", "lag", "lost") == [0, 4, 0]


def test_without_retry_delivered_messages_are_evicted(acked):
    assert take(acked, 3) == [1, 2, 3]
    assert first_and_last(acked) == [4, 10]
    assert take(acked, 100) == [4, 5, 6, 7, 8, 9, 10]
    assert first_and_last(acked) == [11, 10]
    assert write(acked) == 11


def test_switched_on_later_it_evicts_at_once(c):
    write(c, 5)
    take(c, 3)
    c.call("TRETAIN", "log", "ACKED", "yes")
    assert first_and_last(c) == [4, 5]


def test_the_slowest_group_holds_the_tail_and_tinfo_names_it(acked):
    take(acked, 9, group="fast")
    assert first_and_last(acked) == [10, 10]
    write(acked, 5)
    take(acked, 2, *LONG, group="slow")
    take(acked, 9, group="fast")
    assert (first_and_last(acked), held_by(acked)) == ([10, 15], (b"group", b"slow"))
    acked.call("TACK", "log", "slow", ALL)
    assert (first_and_last(acked), held_by(acked)) == ([12, 15], (b"group", b"slow"))
    take(acked, 9, group="slow")
    assert first_and_last(acked) == [16, 15]


def test_dropping_the_slowest_group_lets_the_log_shrink(acked):
    take(acked, 0, group="slow")
    take(acked, 7)
    assert first_and_last(acked) == [1, 10]
    acked.call("TGROUP", "DROP", "log", "slow")
    assert first_and_last(acked) == [8, 10]
    acked.call("TGROUP", "DROP", "log", "g")
    assert (first_and_last(acked), held_by(acked)) == ([8, 10], (b"no group", None))


def test_seeking_on_lets_the_log_shrink(acked):
    take(acked, 2, *LONG)
    acked.call("TGROUP", "SEEK", "log", "g", "6")
    assert first_and_last(acked) == [6, 10]
    acked.call("TGROUP", "SEEK", "log", "g", "NEXT")
    assert first_and_last(acked) == [11, 10]


def test_giving_up_lets_the_log_shrink(acked):
    take(acked, 4, "RETRY", "50000", "30")
    wait_until(lambda: first_and_last(acked) == [5, 10], "what expired is gone")
    assert numbers(acked, "expired", "lost") == [4, 0]


@pytest.mark.parametrize("evict", [
    ("TEVICT", "log", "1"),
    ("TEVICT", "log", "-9"),
    ("TRETAIN", "log", "COUNT", "9"),
    ("TWRITE", "log", "BACKLOG", "10", "ENTRIES", "t", "one more"),
], ids=" ".join)
def test_when_the_only_pending_message_is_evicted_finished_ones_behind_it_are_evicted_too(server, replica, acked, evict):
    take(acked, 6, *LONG)
    acked.call("TACK", "log", "g", "2-6")
    assert first_and_last(acked)[0] == 1
    acked.call(*evict)
    assert first_and_last(acked)[0] == 7
    assert (held_by(acked), numbers(acked, "pending", "lost")) == ((b"group", b"g"), [0, 1])
    server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log")


def test_when_the_only_pending_message_is_too_old_finished_ones_behind_it_are_evicted_too(server, replica, c):
    write(c, 1)
    take(c, 1, *LONG)
    c.call("TRETAIN", "log", "ACKED", "yes", "AGE", "300")
    write(c, 9)
    take(c, 5, *LONG)
    c.call("TACK", "log", "g", "2-6")
    wait_until(lambda: first_and_last(c)[0] >= 7, "the first one is too old")

    def are_alike():
        server.wait_for_replica(replica)
        return replica.digest("log") == server.digest("log")

    # The other messages may expire at any moment, also between two digests.
    wait_until(are_alike, "the replica has the same")


def test_a_message_that_is_to_come_again_is_kept(acked):
    take(acked, 3, *LONG)
    acked.call("TACK", "log", "g", "1", "3")
    acked.call("TNACK", "log", "g", "2")
    assert first_and_last(acked) == [2, 10]
    assert take(acked, 1, *LONG) == [2]
    acked.call("TACK", "log", "g", "2")
    assert first_and_last(acked) == [4, 10]


@pytest.mark.parametrize("block", [(), ("BLOCK", "5")])
def test_a_group_born_at_the_end_needs_nothing_on_any_server(server, replica, acked, block):
    acked.call("TREAD", "log", "1", "1", "TAILGROUP", "g", *block)
    assert first_and_last(acked) == [11, 10]
    server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log")


def test_a_waiting_reader_that_is_served_lets_the_log_shrink(acked, waiting):
    take(acked, 100)
    reader = waiting("log", "1", "5", "BLOCK", "0", "GROUP", "g")
    write(acked, 2)
    assert [m[0] for m in reader.read()] == [11, 12]
    assert first_and_last(acked) == [13, 12]


def test_a_read_that_gives_up_and_gets_nothing_lets_the_log_shrink_on_all_servers(server, replica, acked):
    take(acked, 100, *LONG)
    acked.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "1")
    acked.call_all([
        ("MULTI",), ("TNACK", "log", "g", ALL), ("TREAD", "log", "1", "1", "GROUP", "g", *LONG, "BLOCK", "0"), ("EXEC",),
    ])
    assert first_and_last(acked) == [11, 10]
    server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log")


def test_other_limits_hold_beside_it(acked):
    take(acked, 2, *LONG)
    acked.call("TRETAIN", "log", "COUNT", "6")
    assert first_and_last(acked) == [5, 10]
    assert numbers(acked, "lost", "pending", "last") == [4, 0, 4]


def test_replicas_and_restarts_shrink_the_same(server, replica, acked):
    take(acked, 9, *LONG)
    for offset in (2, 1, 5, 4, 3):
        acked.call("TACK", "log", "g", offset)
    assert first_and_last(acked) == [6, 10]
    server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log")
    before = server.digest("log")
    acked.call("DEBUG", "RELOAD")
    assert server.digest("log") == before
    acked.call("TACK", "log", "g", "6")
    assert first_and_last(acked) == [7, 10]


def test_a_rewritten_aof_of_commands_brings_back_what_is_not_acknowledged():
    """The file has one group after the other, each before its pending messages. So no single group shows which messages
    all groups have finished with."""
    with Server(appendonly="yes", aof_use_rdb_preamble="no") as own, own.connect() as c:
        c.call("TRETAIN", "q", "ACKED", "yes")
        for i in range(20):
            c.call("TWRITE", "q", "t", f"m{i}")
        c.call("TREAD", "q", 1, 6, "GROUP", "g1", "RETRY", 60000, 0)
        c.call("TREAD", "q", 1, 3, "GROUP", "g2", "RETRY", 60000, 0)
        before = own.digest("q")
        own.rewrite_aof()
        own.kill()
        own.restart()
        assert own.digest("q") == before
        assert own.counter("payloads_refused") == 0
