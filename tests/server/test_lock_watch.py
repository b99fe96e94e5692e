"""Leader election: which owner holds a lock, what it says about itself, and which one takes over, without polling."""

import resource

import pytest

from locks import HOUR, acquire, holders, info, named, release, start_waiting, take, wait_for_waiting
from server import wait_until


def watch(c, *words, key="lock"):
    answer = c.call("LOCK.WATCH", key, *words)
    return answer and named(answer)


@pytest.fixture
def watching(server, connect):
    """Starts to watch on a connection of its own."""

    def start(*words, key="lock"):
        already = server.counter("lock_waiting")
        client = connect()
        client.send("LOCK.WATCH", key, *words, "BLOCK", HOUR)
        wait_for_waiting(server, already + 1)
        return client

    return start


def told(client):
    return named(client.read())["owner"].decode()


def test_it_names_the_holder_of_the_lock_with_token_and_value(c):
    assert watch(c) is None
    token = take(c, "ann", "VALUE", "10.0.0.7:80")
    assert watch(c) == {"owner": b"ann", "token": token, "value": b"10.0.0.7:80"}
    assert watch(c, "TOKEN", token) is None, "nobody that the client does not know of"
    assert watch(c, "TOKEN", token - 1)["owner"] == b"ann"
    release(c, "ann")
    assert watch(c) is None


def test_a_value_stays_with_the_hold_and_is_replaced_by_another(c):
    take(c, "ann", "VALUE", "one")
    acquire(c, "ann")
    assert watch(c)["value"] == b"one" == info(c)["holders"][0]["value"]
    acquire(c, "ann", "VALUE", b"two \x00\xff")
    assert watch(c)["value"] == b"two \x00\xff"
    c.call("LOCK.RENEW", "lock", "ann", HOUR)
    assert watch(c)["value"] == b"two \x00\xff"
    acquire(c, "ann", "VALUE", "")
    assert watch(c)["value"] == b""
    c.call("LOCK.BREAK", "lock")
    take(c, "ann")
    assert watch(c)["value"] == b"", "of an earlier hold nothing is left"


def test_all_watchers_get_the_next_holder_once(server, c, watching):
    first = take(c, "ann")
    clients = [watching("TOKEN", first) for _ in range(20)]
    release(c, "ann")
    server.counter("lock_waiting")
    assert not any(client.has_answer() for client in clients), "that it is free is no other holder"
    second = take(c, "bob", "VALUE", "bob's")
    for client in clients:
        assert named(client.read()) == {"owner": b"bob", "token": second, "value": b"bob's"}


def test_a_hand_over_to_a_waiting_client_is_reported(server, c, connect, watching):
    first = take(c, "ann")
    client = watching("TOKEN", first)
    start_waiting(server, connect(), "bob", "VALUE", "b")
    c.call("LOCK.RENEW", "lock", "ann", 1)
    assert named(client.read())["value"] == b"b"


def test_a_renewal_and_a_second_hold_are_no_other_holder(server, c, watching):
    first = take(c, "ann")
    client = watching("TOKEN", first)
    c.call("LOCK.RENEW", "lock", "ann", HOUR)
    acquire(c, "ann")
    server.counter("lock_waiting")
    assert not client.has_answer()
    c.call("LOCK.BREAK", "lock")
    take(c, "bob")
    assert told(client) == "bob"


def test_of_several_holders_the_newest_is_reported(c):
    for owner in ("zoe", "ann", "mia"):
        take(c, owner, "SHARED")
    assert watch(c)["owner"] == b"mia"
    release(c, "mia")
    assert watch(c)["owner"] == b"ann"


def test_a_watcher_does_not_stand_in_line(server, c, watching):
    client = watching()
    take(c, "ann")
    assert told(client) == "ann"
    watching("TOKEN", 2**53 - 1)
    assert info(c)["waiting"] == 0
    release(c, "ann")
    take(c, "bob")
    assert holders(c) == ["bob"], "nobody waits for the lock itself"


def test_a_replica_tells_it_too(server, replica, c):
    first = take(c, "ann")
    with replica.connect() as there:
        wait_until(lambda: watch(there) is not None, "the replica has it")
        already = replica.counter("lock_waiting")
        there.send("LOCK.WATCH", "lock", "TOKEN", first, "BLOCK", HOUR)
        wait_for_waiting(replica, already + 1)
        release(c, "ann")
        take(c, "bob", "VALUE", "next")
        assert named(there.read())["value"] == b"next"


def test_a_replica_tells_more_of_them_than_it_serves_in_one_turn(server, replica, c):
    count = 1200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, count + 1000)), hard))
    first = take(c, "ann")
    wait_until(lambda: replica.admin.call("LOCK.WATCH", "lock") is not None, "the replica has it")
    already = replica.counter("lock_waiting")
    clients = [replica.connect() for _ in range(count)]
    try:
        for client in clients:
            client.send("LOCK.WATCH", "lock", "TOKEN", first, "BLOCK", HOUR)
        wait_for_waiting(replica, already + count)
        release(c, "ann")
        take(c, "bob")
        assert {told(client) for client in clients} == {"bob"}
    finally:
        for client in clients:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_values_survive_restart_dump_and_rewrite(server, c):
    take(c, "ann", "VALUE", "kept")
    dump = c.call("DUMP", "lock")
    c.call("DEL", "lock")
    c.call("RESTORE", "lock", 0, dump)
    assert watch(c)["value"] == b"kept"
    c.call("DEBUG", "RELOAD")
    assert watch(c)["value"] == b"kept"
