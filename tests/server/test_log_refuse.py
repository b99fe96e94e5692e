"""TRETAIN … REFUSE yes: a write that would evict what a group has not finished is refused."""

import pytest

from resp import RespError
from server import wait_until, wait_until_same


def info(connection, key="log"):
    fields = connection.call("TINFO", key)
    return {name.decode(): value for name, value in zip(fields[::2], fields[1::2])}


def write(connection, *entries):
    return connection.call("TWRITE", "log", "ENTRIES", *(word for entry in entries or ("e",) for word in ("t", entry)))


def refused(connection, *entries):
    with pytest.raises(RespError) as refusal:
        write(connection, *entries)
    return str(refusal.value)


@pytest.fixture
def full(c):
    """A log that keeps three messages and has three; one of them was delivered to the group."""
    c.call("TRETAIN", "log", "COUNT", "3", "REFUSE", "yes")
    write(c, "1", "2", "3")
    c.call("TREAD", "log", "1", "1", "GROUP", "slow", "RETRY", "60000", "0")
    return c


def test_a_full_log_names_the_group_and_nothing_changes(server, full):
    before = server.counter("log_writes_refused")
    digest = server.digest("log")
    assert refused(full) == "FULL the group 'slow' has not finished what this write would evict"
    assert server.digest("log") == digest
    assert server.counter("log_writes_refused") == before + 1
    full.call("TACK", "log", "slow", "1")
    assert write(full) == 4
    assert refused(full).startswith("FULL")


def test_what_is_pending_counts_and_what_is_acknowledged_does_not(full):
    full.call("TREAD", "log", "1", "2", "GROUP", "slow", "RETRY", "60000", "0")
    assert refused(full).startswith("FULL")
    full.call("TACK", "log", "slow", "2-3")
    assert refused(full).startswith("FULL"), "the first is still pending"
    full.call("TACK", "log", "slow", "1")
    assert write(full, "4", "5", "6") == 4
    assert refused(full, "7", "8", "9", "10").startswith("FULL"), "more than the log keeps at all"


def test_without_a_group_or_without_refuse_the_oldest_go(c):
    c.call("TRETAIN", "log", "COUNT", "2", "REFUSE", "yes")
    assert [write(c) for _ in range(5)] == [1, 2, 3, 4, 5]
    c.call("TREAD", "log", "1", "0", "GROUP", "g")
    assert refused(c).startswith("FULL")
    c.call("TRETAIN", "log", "REFUSE", "no")
    assert write(c) == 6


def test_bytes_count_too_and_a_single_message_always_fits_an_empty_queue(c):
    c.call("TRETAIN", "log", "BYTES", "100", "REFUSE", "yes")
    c.call("TREAD", "log", "1", "0", "GROUP", "g")
    assert write(c, "x" * 500) == 1
    assert refused(c).startswith("FULL")
    c.call("TREAD", "log", "1", "1", "GROUP", "g")
    assert write(c, "x" * 50) == 2
    assert refused(c, "x" * 60).startswith("FULL")


def test_backlog_and_evict_are_not_refused(full):
    assert full.call("TEVICT", "log", "1") == 1
    assert write(full) == 4


def test_a_known_id_is_answered_though_the_log_is_full(c):
    c.call("TRETAIN", "log", "COUNT", "1", "REFUSE", "yes")
    c.call("TWRITE", "log", "ID", "a", "ENTRIES", "t", "e")
    c.call("TREAD", "log", "1", "0", "GROUP", "g")
    assert c.call("TWRITE", "log", "ID", "a", "ENTRIES", "t", "e") == 1
    with pytest.raises(RespError, match="FULL"):
        c.call("TWRITE", "log", "ID", "b", "ENTRIES", "t", "e")


def test_scheduled_messages_wait_until_there_is_room(server, full, replica):
    full.call("TWRITE", "log", "DELAY", "0", "ENTRIES", "t", "scheduled")
    ticket = full.call("TSCHED", "LIST", "log")[0][0]
    with pytest.raises(RespError, match="FULL"):
        full.call("TSCHED", "NOW", "log", ticket)
    assert info(full)["last"] == 3 and info(full)["scheduled"] == 1
    full.call("TACK", "log", "slow", "1")
    wait_until(lambda: info(full)["scheduled"] == 0, "it is written")
    assert full.call("TREAD", "log", "4", "1") == [[4, b"t", b"scheduled"]]
    wait_until_same(server, replica, "log")


def test_a_dispatch_to_a_full_queue_is_refused_and_writes_to_no_other(c):
    for device in ("d|ws", "d|mqtt"):
        c.call("ROUTE.DEVICE", "SET", "t", device)
        c.call("ROUTE.SUBSCRIBE", "t", device, "APP", "shop", "MODEL", "task")
    c.call("TRETAIN", "full", "COUNT", "1", "REFUSE", "yes")
    c.call("TREAD", "full", "1", "0", "GROUP", "g")
    dispatch = ("ROUTE.DISPATCH", "t", "APP", "shop", "MODEL", "task", "EVENT", "e", "QUEUES", "mqtt", "full", "ws", "free")
    assert len(c.call(*dispatch)) == 2
    with pytest.raises(RespError, match="FULL"):
        c.call(*dispatch)
    assert info(c, "free")["last"] == 1
