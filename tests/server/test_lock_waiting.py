"""Waiting for a lock: fair, without polling, and no client is woken in vain."""

import pytest

from locks import HOUR, acquire, dump_of_brief_lock, holders, info, is_refused, release, start_waiting, take, token_of, wait_for_waiting, waiters
from server import wait_until


@pytest.fixture
def wait(server, connect):
    """Starts to wait for the lock on a connection of its own."""
    return lambda owner, *options, to=server, **more: start_waiting(to, connect(to=to), owner, *options, **more)


def is_still_waiting(server, *clients):
    """True if what the server has done so far has woken none of them."""
    server.counter("lock_waiting")
    return server.counter("lock_waiting") >= len(clients) and not any(client.has_answer() for client in clients)


def test_first_come_first_served(server, c, wait):
    last = take(c, "holder")
    clients = [wait(f"waiter {i}") for i in range(20)]
    assert waiters(c) == [f"waiter {i}" for i in range(20)]
    owner = "holder"
    for i, client in enumerate(clients):
        release(c, owner)
        token, owner = token_of(client), f"waiter {i}"
        assert token > last
        last = token
        assert is_still_waiting(server, *clients[i + 1 :]), "only the first is woken"


def test_the_lock_passes_on_when_a_lease_ends_by_itself(server, c, wait):
    take(c, "holder")
    first, second = wait("first", ttl=60), wait("second")
    c.call("LOCK.RENEW", "lock", "holder", 1)
    assert first.read()[0] == 1
    assert second.read()[0] == 1, "nobody gave anything back"
    assert holders(c) == ["second"]


def test_the_lease_of_a_client_that_waited_begins_with_the_grant(c, wait):
    take(c, "holder")
    client = wait("waiter", ttl=HOUR)
    c.call("LOCK.RENEW", "lock", "holder", 1)
    assert client.read()[2] == HOUR
    assert info(c)["holders"][0]["ttl"] > HOUR - 20_000


def test_a_waiter_with_a_smaller_limit_than_came_later_does_not_hold_others_back(server, c, wait):
    take(c, "ann", "LIMIT", 3)
    take(c, "bob", "LIMIT", 3)
    one = wait("one", "LIMIT", 1)
    with server.connect() as later:
        assert acquire(later, "later", "LIMIT", 4, "WAIT", HOUR)[0] == 1
    token_of(one)
    assert sorted(holders(c)) == ["ann", "bob", "later", "one"]


@pytest.mark.parametrize("how", ["DEL", "UNLINK", "LOCK.BREAK"])
def test_a_lock_that_is_deleted_or_broken_goes_to_the_first_in_line(server, c, wait, how):
    before = take(c, "holder")
    clients = [wait("first"), wait("second")]
    c.call(how, "lock")
    assert token_of(clients[0]) > before
    assert is_still_waiting(server, clients[1])


def test_a_lock_that_is_renamed_away_goes_to_the_first_and_the_other_name_is_held(c, wait):
    take(c, "holder")
    old, new = wait("old"), wait("new", key="elsewhere") if take(c, "other", key="elsewhere") else None
    c.call("RENAME", "lock", "elsewhere")
    assert old.read()[0] == 1
    assert holders(c, "elsewhere") == ["holder"]
    assert waiters(c, "elsewhere") == ["new"]
    release(c, "holder", key="elsewhere")
    assert new.read()[0] == 1


@pytest.mark.parametrize("how", [("FLUSHALL",), ("FLUSHDB",), ("SWAPDB", "0", "3"), ("PEXPIRE", "lock", "10"), ("MOVE", "lock", "3")],
                         ids=lambda words: words[0])
def test_whatever_takes_the_lock_away_serves_the_first(server, c, wait, how):
    take(c, "holder")
    client = wait("waiter")
    c.call(*how)
    assert client.read()[0] == 1
    c.call("FLUSHALL")


def test_a_renamed_lock_keeps_its_lease(still, s, clock, wait):
    take(s, "holder", ttl=HOUR)
    s.call("RENAME", "lock", "renamed")
    client = wait("waiter", to=still, key="renamed", wait=2 * HOUR)
    clock.pass_time(HOUR)
    assert client.read()[0] == 1
    assert not holders(s)


@pytest.mark.parametrize("how", ["COPY", "RESTORE"])
def test_a_copied_or_restored_lock_ends_by_itself(s, clock, how):
    take(s, "holder", ttl=HOUR)
    if how == "COPY":
        s.call("COPY", "lock", "copy")
    else:
        s.call("RESTORE", "copy", "0", s.call("DUMP", "lock"))
    assert s.call("DBSIZE") == 2
    clock.pass_time(HOUR)
    wait_until(lambda: s.call("DBSIZE") == 0, "both leases are over")


def test_a_restored_lock_whose_lease_is_over_is_free_at_once(c):
    c.call("RESTORE", "lock", "0", dump_of_brief_lock(c))
    assert c.call("EXISTS", "lock") == 0


def test_a_writer_is_not_starved_by_readers(server, c, wait):
    take(c, "reader 1", "SHARED")
    writer = wait("writer")
    assert is_refused(c, "reader 2", "SHARED"), "it would come before the writer"
    reader = wait("reader 2", "SHARED")
    assert acquire(c, "reader 1", "SHARED")[3] == 2, "who holds it already does not wait for itself"
    assert is_still_waiting(server, writer, reader)
    release(c, "reader 1")
    release(c, "reader 1")
    assert writer.read()[0] == 1
    assert is_still_waiting(server, reader)
    release(c, "writer")
    assert reader.read()[0] == 1


def test_readers_that_stand_together_come_in_together(server, c, wait):
    take(c, "writer")
    readers = [wait(f"reader {i}", "SHARED") for i in range(5)]
    second, late = wait("second writer"), wait("late reader", "SHARED")
    release(c, "writer")
    assert [client.read()[0] for client in readers] == [1] * 5
    assert is_still_waiting(server, second, late)
    for i in range(5):
        release(c, f"reader {i}")
    assert second.read()[0] == 1
    assert is_still_waiting(server, late)


def test_permits_go_to_as_many_as_there_are(server, c, wait):
    for owner in ("ann", "bob"):
        take(c, owner, "LIMIT", 2)
    clients = [wait(f"waiter {i}", "LIMIT", 2) for i in range(3)]
    release(c, "ann")
    assert clients[0].read()[0] == 1
    assert is_still_waiting(server, *clients[1:])
    c.call("LOCK.BREAK", "lock")
    assert [client.read()[0] for client in clients[1:]] == [1, 1]


def test_a_wait_ends_after_its_time_and_leaves_the_line(still, s, clock, wait):
    take(s, "holder", ttl=3 * HOUR)
    first, second = wait("first", to=still, wait=HOUR), wait("second", to=still, wait=2 * HOUR)
    clock.pass_time(HOUR)
    refused, none, ms, nothing = first.read()
    assert (refused, none, nothing) == (0, 0, 0) and 0 < ms <= 2 * HOUR
    assert waiters(s) == ["second"]
    release(s, "holder")
    assert second.read()[0] == 1


@pytest.mark.parametrize("how", [("DEL", "lock"), ("FLUSHALL",), ("SWAPDB", "0", "3"), ("DEBUG", "RELOAD"), ("RENAME", "lock", "other")],
                         ids=lambda words: words[0])
def test_a_wait_ends_after_its_time_whatever_happens_to_all_keys(still, s, clock, wait, how):
    take(s, "holder", ttl=3 * HOUR)
    clients = [wait(owner, to=still, ttl=3 * HOUR, wait=HOUR) for owner in ("first", "second")]
    s.call(*how)
    if how[0] != "DEBUG":  # the lock is gone or has another name
        token_of(clients.pop(0))
    assert is_still_waiting(still, *clients)
    clock.pass_time(HOUR)
    assert {client.read()[0] for client in clients} == {0}


def test_a_client_that_leaves_the_front_lets_the_next_ones_in(still, s, clock, wait):
    take(s, "reader 1", "SHARED", ttl=3 * HOUR)
    wait("writer", to=still, wait=HOUR)
    reader = wait("reader 2", "SHARED", to=still, wait=2 * HOUR)
    clock.pass_time(HOUR)
    assert reader.read()[0] == 1, "when the writer's time is over"
    writer = wait("writer", to=still)
    reader = wait("reader 3", "SHARED", to=still)
    writer.close()
    assert reader.read()[0] == 1, "when the writer is gone"


@pytest.mark.parametrize("how", ["closes", "killed", "unblocked"])
def test_a_client_that_leaves_the_line_is_not_served(server, c, connect, wait, how):
    take(c, "holder")
    leaver = connect()
    number = leaver.call("CLIENT", "ID")
    start_waiting(server, leaver, "leaver")
    stays = wait("stays")
    if how == "closes":
        leaver.close()
    else:
        c.call("CLIENT", *(("KILL", "ID", number) if how == "killed" else ("UNBLOCK", number)))
    wait_for_waiting(server, 1)
    release(c, "holder")
    assert stays.read()[0] == 1
    assert holders(c) == ["stays"]


@pytest.mark.parametrize("how", [("KILL", "ID"), ("UNBLOCK",)], ids=lambda words: words[0])
def test_a_grant_to_a_client_that_disconnects_before_it_gets_the_answer_passes_on(server, replica, c, connect, wait, how):
    before = take(c, "holder")
    gone = connect()
    number = gone.call("CLIENT", "ID")
    start_waiting(server, gone, "gone")
    stays = wait("stays")
    # Both happen in one turn of the server's event loop: the lock is granted, and the client disconnects.
    c.call("MULTI")
    release(c, "holder")
    c.call("LOCK.INFO", "lock")
    c.call("CLIENT", *how, number, *(("ERROR",) if how[0] == "UNBLOCK" else ()))
    _, about, _ = c.call("EXEC")
    assert about[9][0][1] == b"gone", "it had it"
    assert token_of(stays) > before
    assert holders(c) == ["stays"]


def test_a_grant_that_was_lost_is_taken_back_even_if_no_other_client_waits(c, connect, server):
    take(c, "holder")
    gone = connect()
    number = gone.call("CLIENT", "ID")
    start_waiting(server, gone, "gone")
    c.call_all([("MULTI",), ("LOCK.RELEASE", "lock", "holder"), ("CLIENT", "KILL", "ID", number), ("EXEC",)])
    assert is_refused(c, "holder") is False


def test_a_newcomer_does_not_overtake_the_line(server, c, wait):
    take(c, "holder")
    client = wait("waiter")
    c.call("MULTI")
    release(c, "holder")
    acquire(c, "newcomer")
    _, refused = c.call("EXEC")
    assert refused[0] == 0
    assert client.read()[0] == 1


def test_a_transaction_that_deletes_the_lock_serves_the_line(c, wait):
    take(c, "holder")
    client = wait("waiter")
    c.call_all([("MULTI",), ("DEL", "lock"), ("SET", "other", "x"), ("EXEC",)])
    assert client.read()[0] == 1


def test_one_owner_on_two_connections_has_two_holds(server, c, wait):
    take(c, "holder")
    clients = [wait("ann"), wait("ann")]
    release(c, "holder")
    assert [client.read()[3] for client in clients] == [1, 2]
    assert release(c, "ann") == 1


def test_a_client_that_waits_behind_another_type_gets_the_lock_when_that_key_is_deleted(server, c, wait):
    take(c, "holder")
    client = wait("waiter")
    c.call("SET", "lock", "text")
    assert is_still_waiting(server, client)
    c.call("DEL", "lock")
    assert client.read()[0] == 1


def test_a_wait_ends_although_another_type_is_there(still, s, clock, wait):
    take(s, "holder")
    client = wait("waiter", to=still, wait=HOUR)
    s.call("SET", "lock", "text")
    assert is_still_waiting(still, client)
    clock.pass_time(HOUR)
    assert client.read() == [0, 0, 0, 0]


def test_locks_of_different_databases_have_different_lines(server, c, connect, wait):
    take(c, "holder")
    there = connect()
    there.call("SELECT", "2")
    take(there, "holder")
    start_waiting(server, there, "waiter there")
    here = wait("waiter here")
    release(c, "holder")
    assert here.read()[0] == 1
    assert is_still_waiting(server, there)
    c.call("SELECT", "2")
    release(c, "holder")
    assert there.read()[0] == 1


def test_a_thousand_readers_behind_a_writer_all_come_in(server, c, connect):
    take(c, "writer")
    readers = [connect() for _ in range(1200)]
    for i, reader in enumerate(readers):
        reader.send("LOCK.ACQUIRE", "lock", f"reader {i}", HOUR, "SHARED", "WAIT", HOUR)
    wait_for_waiting(server, 1200)
    release(c, "writer")
    assert all(reader.read()[0] == 1 for reader in readers)
    assert info(c)["holding"] == 1200
