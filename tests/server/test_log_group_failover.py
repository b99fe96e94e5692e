"""A server that takes over, or comes back, delivers again exactly what was pending, when it is due."""

import pytest

from log_groups import LONG, about, at_once, numbers, pending, pending_offsets, take, take_later, write
from log_waiting import is_still_waiting, start_waiting
from server import Server, wait_until, wait_until_same


def hand_out(c):
    """Ten messages, seven delivered, two of these acknowledged."""
    write(c, 10)
    answers = at_once(
        c,
        ("TREAD", "log", "1", "5", "GROUP", "g", "RETRY", "150", "0", "CONSUMER", "ann"),
        ("TREAD", "log", "1", "2", "GROUP", "g", *LONG),
    )
    assert [[m[0] for m in delivered] for delivered in answers] == [[1, 2, 3, 4, 5], [6, 7]]
    assert c.call("TACK", "log", "g", "2", "4") == 2


@pytest.fixture
def still_pair(clock):
    """A master, and a server that is to become its replica. Time passes only when the test says so."""
    clock.stop_at(2_000_000_000_000)
    with clock.server() as master, clock.server() as heir:
        yield master, heir


def collect(c, count):
    got = []
    while len(got) < count:
        got += take_later(c, count, *LONG)
    return got


def test_a_promoted_replica_delivers_again_what_was_pending_and_not_what_was_acknowledged(server, c):
    with Server() as heir:
        heir.replicate(server)
        hand_out(c)
        server.wait_for_replica(heir)
        wait_until_same(heir, server, "log")
        heir.admin.call("REPLICAOF", "NO", "ONE")
        with heir.connect() as there:
            assert pending_offsets(there) == [1, 3, 5, 6, 7]
            assert {one[4] for one in pending(there)[:3]} == {b"ann"}
            wait_until(lambda: pending(there)[0][2] == 0, "the time of the first is over")
            assert collect(there, 6) == [1, 3, 5, 8, 9, 10]
            assert numbers(there, "pending", "lag", "redelivered") == [8, 0, 3]


@pytest.mark.parametrize("attached", ["before", "after"])
def test_a_reader_blocked_on_the_new_master_is_woken_by_the_retry_timer(still_pair, clock, attached):
    master, heir = still_pair
    if attached == "before":
        heir.replicate(master)
    write(master.admin)
    take(master.admin, 1, "RETRY", "600000", "0")
    if attached == "after":
        heir.replicate(master)
    master.wait_for_replica(heir)
    heir.admin.call("REPLICAOF", "NO", "ONE")
    with heir.connect() as reader:
        start_waiting(heir, reader, ("log", "1", "5", "BLOCK", "0", "GROUP", "g", *LONG, "WITHATTEMPTS"))
        clock.pass_time(600_000)
        assert reader.read() == [[1, b"t", b"e0", 2]]


def test_a_replica_gives_nothing_up_by_itself_and_a_new_master_does(still_pair, clock):
    master, heir = still_pair
    heir.replicate(master)
    write(master.admin, 2)
    take(master.admin, 2, "RETRY", "3600000", "600000")
    master.wait_for_replica(heir)
    # Cut off: it gets no effects about these messages.
    heir.admin.call("REPLICAOF", "127.0.0.1", "1")
    clock.pass_time(600_000)
    wait_until(lambda: about(master.admin)["expired"] == 2, "the master gave them up")
    for _ in range(2):  # between the two, a turn of its event loop ends
        assert numbers(heir.admin, "pending", "expired") == [2, 0]
    heir.admin.call("REPLICAOF", "NO", "ONE")
    wait_until(lambda: about(heir.admin)["expired"] == 2, "the new master gives them up")


@pytest.mark.parametrize("end", ["kill", "shutdown", "rewrite"])
def test_a_server_that_comes_back_delivers_again_what_was_pending(end):
    with Server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no") as server:
        with server.connect() as c:
            hand_out(c)
            before, due = server.digest("log"), pending(c)
        if end == "rewrite":
            server.rewrite_aof()
        server.shutdown(save=False) if end == "shutdown" else server.kill()
        server.restart()
        assert server.digest("log") == before, "the dates too"
        with server.connect() as c:
            assert [(one[0], one[1], one[4]) for one in pending(c)] == [(one[0], one[1], one[4]) for one in due]
            assert all(now[2] <= then[2] for now, then in zip(pending(c), due)), "deadlines are dates"
            wait_until(lambda: pending(c)[0][2] == 0, "the time of the first is over")
            assert collect(c, 6) == [1, 3, 5, 8, 9, 10]
            assert take(c, 9, *LONG) == []


def test_after_a_restart_a_blocked_reader_is_woken_by_the_retry_timer():
    with Server(appendonly="yes", appendfsync="always") as server:
        with server.connect() as c:
            write(c)
            take(c, 1, "RETRY", "400", "0")
        server.kill()
        server.restart()
        with server.connect() as reader:
            reader.send("TREAD", "log", "1", "5", "BLOCK", "0", "GROUP", "g", *LONG, "WITHATTEMPTS")
            assert reader.read() == [[1, b"t", b"e0", 2]]


def test_clients_paused_for_a_failover_are_given_nothing_meanwhile(server, replica, c, connect):
    write(c)
    take(c, 1, "RETRY", "20", "0")
    reader = connect()
    server.admin.call("CLIENT", "PAUSE", "60000", "WRITE")
    try:
        reader.send("TREAD", "log", "1", "1", "GROUP", "g", *LONG)
        wait_until(lambda: pending(c)[0][2] == 0, "it is due")
        server.wait_for_replica(replica)
        wait_until_same(replica, server, "log")
        assert not reader.has_answer()
    finally:
        server.admin.call("CLIENT", "UNPAUSE")
    assert [m[0] for m in reader.read()] == [1]


def test_a_reader_that_waited_before_the_pause_is_woken_after_it(still, s, clock, waiting):
    write(s)
    take(s, 1, "RETRY", "600000", "0")
    reader = waiting("log", "1", "1", "BLOCK", "0", "GROUP", "g", *LONG, to=still)
    still.admin.call("CLIENT", "PAUSE", "3600000", "WRITE")
    try:
        clock.pass_time(600_000)
        wait_until(lambda: pending(s)[0][2] == 0, "it is due")
        assert is_still_waiting(still, reader)
    finally:
        still.admin.call("CLIENT", "UNPAUSE")
    assert [m[0] for m in reader.read()] == [1]
