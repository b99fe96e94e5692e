"""Locks on a server that takes over or comes back: held by the same owners, for no longer than before, and with tokens
that still rise."""

import pytest

from locks import HOUR, acquire, holders, info, is_refused, release, start_waiting, take, token_of
from payload import sealed, value_of
from server import Server, wait_until, wait_until_same


def some_locks(c):
    """Makes locks of every mode, and a token whose lock has been released."""
    take(c, "ann", key="exclusive")
    acquire(c, "ann", key="exclusive")
    for reader in ("ann", "bob"):
        take(c, reader, "SHARED", key="shared")
    for owner in ("ann", "bob", "carl"):
        take(c, owner, "LIMIT", 3, key="semaphore", ttl=HOUR // 2)
    greatest = take(c, "ann", key="freed")
    release(c, "ann", key="freed")
    return greatest


KEYS = ("exclusive", "shared", "semaphore")


def seen(server):
    with server.connect() as c:
        return [(key, server.digest(key), [{**h, "ttl": None} for h in info(c, key)["holders"]]) for key in KEYS]


def times_left(c):
    return [holder["ttl"] for key in KEYS for holder in info(c, key)["holders"]]


def check_tokens_rise(c, greatest):
    for key in ("freed", "never seen"):
        token = take(c, "new", key=key)
        assert token > greatest
        greatest = token
    c.call("LOCK.BREAK", "exclusive")
    assert take(c, "new", key="exclusive") > greatest


def test_a_replica_holds_the_same_locks_and_a_promoted_one_goes_on(server, c):
    with Server() as heir:
        heir.replicate(server)
        greatest = some_locks(c)
        before = times_left(c)
        server.wait_for_replica(heir)
        assert seen(heir) == seen(server)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        with heir.connect() as there:
            assert all(0 < now <= then for now, then in zip(times_left(there), before)), "no more than it had"
            assert is_refused(there, "new", key="exclusive")
            assert [release(there, "ann", key="exclusive") for _ in range(2)] == [1, 0]
            check_tokens_rise(there, greatest)


def test_a_replica_ends_no_lease_by_itself_and_a_new_master_does(server, c):
    with Server() as heir:
        heir.replicate(server)
        # While writes are paused, the master does not end the lease.
        c.call_all([("LOCK.ACQUIRE", "lock", "ann", 1000), ("CLIENT", "PAUSE", "60000", "WRITE")])
        try:
            server.wait_for_replica(heir)
            # Cut off: it is not told that the lease is over.
            heir.admin.call("REPLICAOF", "127.0.0.1", "1")
        finally:
            c.call("CLIENT", "UNPAUSE")
        wait_until(lambda: c.call("EXISTS", "lock") == 0, "the master ended it")
        assert heir.admin.call("EXISTS", "lock") == 1
        assert info(heir.admin)["mode"] == b"none", "but who asks is told that its time is over"
        heir.admin.call("REPLICAOF", "NO", "ONE")
        wait_until(lambda: heir.admin.call("EXISTS", "lock") == 0, "the new master ends it although nobody calls")


@pytest.mark.parametrize("attached", ["before", "after"])
def test_a_client_that_waits_on_the_new_master_gets_the_lock_when_the_lease_ends(server, c, attached):
    with Server() as heir:
        if attached == "before":
            heir.replicate(server)
        token = take(c, "ann", ttl=2000)
        if attached == "after":
            heir.replicate(server)
        server.wait_for_replica(heir)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        with heir.connect() as waiting:
            waiting.send("LOCK.ACQUIRE", "lock", "bob", HOUR, "WAIT", HOUR)
            assert token_of(waiting) > token


def test_each_step_of_a_lock_reaches_the_replica(server, replica, c, connect):
    def same():
        server.wait_for_replica(replica)
        return replica.digest("lock") == server.digest("lock")

    take(c, "ann")
    assert same()
    acquire(c, "ann", ttl=5000)
    assert same()
    c.call("LOCK.RENEW", "lock", "ann", HOUR)
    assert same()
    waiting = start_waiting(server, connect(), "bob", "SHARED")
    release(c, "ann")
    assert same()
    release(c, "ann")
    waiting.read()
    assert same() and holders(replica.admin) == ["bob"]
    take(c, "brief", "SHARED", ttl=1)
    wait_until(lambda: holders(c) == ["bob"], "the brief lease is over")
    assert same()
    c.call("LOCK.BREAK", "lock")
    assert same() and replica.admin.call("EXISTS", "lock") == 0


@pytest.mark.parametrize("expiry", ["handed over", "freed"])
def test_a_date_of_the_host_on_the_key_is_the_same_on_the_replica_after_a_hand_over(server, replica, c, connect, expiry):
    take(c, "ann")
    c.call("PEXPIREAT", "lock", "4102444800000")
    if expiry == "handed over":
        waiting = start_waiting(server, connect(), "bob")
    release(c, "ann")
    if expiry == "handed over":
        waiting.read()
    else:
        take(c, "bob")
    server.wait_for_replica(replica)
    assert c.call("PEXPIRETIME", "lock") == (4102444800000 if expiry == "handed over" else -1)
    assert replica.admin.call("PEXPIRETIME", "lock") == c.call("PEXPIRETIME", "lock")


@pytest.mark.parametrize("end", ["kill", "shutdown", "rewrite", "rdb"])
def test_a_server_that_comes_back_has_the_same_locks_and_greater_tokens(end):
    with Server(appendonly="no" if end == "rdb" else "yes", appendfsync="always", aof_use_rdb_preamble="no") as server:
        with server.connect() as c:
            greatest = some_locks(c)
            before = times_left(c)
        as_before = seen(server)
        if end == "rewrite":
            server.rewrite_aof()
        server.shutdown(save=end == "rdb") if end in ("shutdown", "rdb") else server.kill()
        server.restart()
        assert seen(server) == as_before
        with server.connect() as c:
            assert all(0 < now <= then for now, then in zip(times_left(c), before)), "no more than it had"
            check_tokens_rise(c, greatest)


def test_a_kill_while_locks_are_held_and_waited_for_loses_no_grant(server):
    with Server(appendonly="yes", appendfsync="always") as server:
        tokens = []
        for round in range(5):
            with server.connect() as c:
                clients = [server.connect() for _ in range(10)]
                c.call("LOCK.BREAK", "lock")
                tokens.append(take(c, "holder"))
                for i, client in enumerate(clients):
                    start_waiting(server, client, f"waiter {i}")
                owner = "holder"
                for i in range(3 + round):
                    release(c, owner)
                    tokens.append(token_of(clients[i]))
                    owner = f"waiter {i}"
            server.kill()
            for client in clients:
                client.close()
            server.restart()
            assert holders(server.admin) == [owner], "whoever was told that it has the lock has it"
            assert info(server.admin)["holders"][0]["token"] == tokens[-1]
            assert server.counter("lock_waiting") == 0
        assert tokens == sorted(set(tokens)), "always greater, over every kill"


def test_a_lease_that_ended_while_the_server_was_down_is_over_when_it_is_back():
    with Server(appendonly="yes", appendfsync="always") as server:
        take(server.admin, "ann", ttl=1)
        server.kill()
        server.restart()
        wait_until(lambda: server.admin.call("EXISTS", "lock") == 0, "it is freed although nobody calls")


def test_a_client_that_waited_before_a_pause_of_writes_is_served_after_it(server, replica, c, connect):
    take(c, "ann")
    waiting = start_waiting(server, connect(), "bob")
    c.call_all([("LOCK.RENEW", "lock", "ann", 100), ("CLIENT", "PAUSE", "60000", "WRITE")])
    try:
        wait_until(lambda: info(c)["mode"] == b"none", "the lease is over")
        server.wait_for_replica(replica)
        wait_until_same(replica, server, "lock")
        assert not waiting.has_answer(), "nobody decides anything meanwhile"
    finally:
        c.call("CLIENT", "UNPAUSE")
    assert waiting.read()[0] == 1


def test_a_failover_by_the_host_keeps_locks_and_the_new_master_serves(server):
    with Server() as master, Server() as heir:
        heir.replicate(master)
        token = take(master.admin, "ann", ttl=HOUR)
        master.wait_for_replica(heir)
        with master.connect() as waiting:
            start_waiting(master, waiting, "bob")
            master.admin.call("FAILOVER", "TO", "127.0.0.1", heir.port)
            assert str(waiting.read()).startswith("UNBLOCKED"), "it asks the new master"
            wait_until(lambda: heir.info("replication")["role"] == "master", "the heir took over")
        with heir.connect() as there:
            assert is_refused(there, "bob")
            assert release(there, "ann") == 0
            assert take(there, "bob") > token


@pytest.mark.parametrize("has_heard", [True, False], ids=["some heard", "none heard"])
@pytest.mark.parametrize("came_back", [False, True], ids=["master", "master that came back"])
def test_a_new_master_gives_greater_tokens_than_those_it_has_not_heard_of(came_back, has_heard):
    with Server() as master, Server() as heir:
        take(master.admin, "ann", key="other")
        if came_back:
            master.kill()
            master.restart()
        heir.replicate(master)
        if has_heard:
            take(master.admin, "bob", key="another")
            master.wait_for_replica(heir)
        # Cut off: nothing reaches it any more.
        heir.admin.call("REPLICAOF", "127.0.0.1", "1")
        unheard = [take(master.admin, "ann", key=f"lock {i}") for i in range(100)]
        heir.admin.call("REPLICAOF", "NO", "ONE")
        assert take(heir.admin, "bob") > unheard[-1]


def test_a_replica_that_came_after_the_last_grant_of_a_master_that_came_back_gives_greater_tokens():
    with Server() as master, Server() as heir:
        take(master.admin, "ann")
        master.kill()
        master.restart()
        token = take(master.admin, "ann")
        release(master.admin, "ann")
        heir.replicate(master)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        assert take(heir.admin, "bob") > token


def test_a_lock_that_migrates_keeps_its_holder_and_its_token(server):
    with Server(cluster_enabled="no") as source, Server() as target:
        token = take(source.admin, "ann")
        assert source.admin.call("MIGRATE", "127.0.0.1", target.port, "lock", "0", "5000") == b"OK"
        assert info(target.admin)["holders"][0]["token"] == token
        assert is_refused(target.admin, "bob")
        release(target.admin, "ann")
        assert take(target.admin, "bob") > token


def test_a_token_from_far_in_the_future_is_refused():
    """A payload must not push the tokens of the whole server to the largest number."""
    # A server of its own: a shared one may have accepted a damaged payload with a large token before.
    with Server() as server:
        refuse_far_token(server, server.admin)


def refuse_far_token(server, c):
    with Server() as other:
        take(other.admin, "ann")
        good = other.admin.call("DUMP", "lock")
    assert c.call("RESTORE", "lock", "0", good) == b"OK"
    token = info(c)["holders"][0]["token"]
    later = value_of(good).replace(varint(token), varint(token + 51 * 365 * 86_400_000_000))
    assert c.error_of("RESTORE", "late", "0", sealed(later, good)) == "ERR Bad data format"
    assert "far ahead of this server's clock" in server.log()
    assert take(c, "bob", key="other") < token + 86_400_000_000


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(encoded + bytes([number]))
