"""Faults of the design that this family comes from, and of its implementation, that our pools must not have.

The numbers are those of the list of bugs found by reading ACA-Py's redis_events.
"""

import threading
import time

import pytest

from server import Server, let_pass, wait_until
from shard_words import (
    HOUR,
    NOTOWNER,
    NOWORKER,
    PAUSE,
    ack,
    deliveries,
    fields,
    info,
    is_sound,
    join,
    keep,
    let_age,
    owner,
    owners,
    pull,
    push,
    recipients,
    route,
    stale_after,
    start_waiting,
    stop_clock,
    wait_until_gone,
    worker_info,
)


def test_1_a_message_is_not_lost_when_its_worker_dies_between_taking_and_finishing_it(server, c, connect):
    join(c, "dies", "heir")
    push(c, "r", "precious", "and this")
    keep(c, "heir")
    dying = connect()
    assert deliveries(dying.call("SHARD.PULL", "pool", "dies", "COUNT", "9")) == [("r", 1, "precious"), ("r", 2, "and this")]
    dying.close()
    stale_after(c, 40)
    wait_until_gone(c, "dies")
    assert pull(c, "heir") == [("r", 1, "precious"), ("r", 2, "and this")]


def test_1_a_message_is_not_lost_when_the_answer_to_a_pull_is(c, connect):
    join(c, "w")
    push(c, "r", "precious")
    lost = connect()
    lost.send("SHARD.PULL", "pool", "w")
    wait_until(lost.has_answer, "it has been answered")
    lost.close()
    join(c, "w")  # as a restarted process does
    assert pull(c, "w") == [("r", 1, "precious")]


def test_2_assignment_is_atomic_under_concurrent_senders(server, c, connect):
    workers, names, senders = [f"w{n}" for n in range(7)], [f"r{n}" for n in range(300)], 8
    join(c, *workers)
    heard = [{} for _ in range(senders)]

    def send(number):
        connection = connections[number]
        order = names[number * 30 :] + names[: number * 30]
        for start in range(0, len(order), 50):
            part = order[start : start + 50]
            for name, (worker, _) in zip(part, connection.call_all(("SHARD.ROUTE", "pool", name) for name in part)):
                heard[number][name] = worker.decode()

    connections = [connect() for _ in range(senders)]
    threads = [threading.Thread(target=send, args=(number,)) for number in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one == heard[0] for one in heard), "all senders were told the same worker"
    assert heard[0] == dict(zip(names, owners(c, *names)))
    listed = {name: pending for worker in workers for name, pending in recipients(c, worker)}
    assert listed == dict.fromkeys(names, senders), "no update was lost"
    assert {worker["recipients"] for worker in info(c)["workers"]} == {42, 43}
    assert is_sound(c)


def burst(recipient):
    return [("SHARD.PUSH", "pool", recipient, "payload")] * 10 + [("SHARD.ROUTE", "pool", recipient)] * 10


def test_3_an_idle_worker_that_heartbeats_is_not_declared_dead_by_a_burst(c):
    stop_clock(c)
    join(c, "idle", "other")
    push(c, "r", "first")
    pull(c, "idle")
    ack(c, "idle", "r", 1)
    for n in range(1, 5):
        let_age(c, n * 10_000)  # a while in which nothing comes
        c.call("SHARD.HEARTBEAT", "pool", "idle")
    let_age(c, 50_000)
    c.call_all(burst("r"))
    assert (owner(c, "r"), info(c)["failovers"]) == ("idle", 0)


def test_3_an_idle_worker_that_waits_in_pull_is_not_declared_dead_by_a_burst(server, c, connect):
    join(c, "idle", "other")
    push(c, "r", "first")
    keep(c, "other")
    pull(c, "idle")
    ack(c, "idle", "r", 1)
    waits = start_waiting(server, connect(), "SHARD.PULL", "pool", "idle", "BLOCK", "0")
    stale_after(c, 60)
    let_pass(0.2)
    # The server was busy for longer than the STALE time, and then executes the burst before anything else. Its first
    # payload ends the wait, so the worker may be stale soon after that: STALE is long again in the same go.
    c.call_all([("DEBUG", "SLEEP", "0.15"), *[("SHARD.ROUTE", "pool", "r")] * 2, *burst("r"),
                ("SHARD.SET", "pool", "STALE", HOUR)])
    assert deliveries(waits.read())[0][0] == "r"
    assert (owner(c, "r"), info(c)["failovers"]) == ("idle", 0)


def test_3_no_last_access_means_not_stale(c):
    join(c, "new", "other")
    c.call_all(burst("r"))
    keep(c, "other")
    stale_after(c, 1)
    c.call_all(burst("r"))
    assert (owner(c, "r"), worker_info(c, "new")["stale"]) == ("new", 0)


def test_4_failover_needs_no_other_message(c):
    join(c, "dead", "heir")
    push(c, "r", "payload")
    keep(c, "heir")
    pull(c, "dead")
    stale_after(c, 40)
    wait_until(lambda: owner(c, "r") == "heir", "the recipient has moved though nobody sends")


@pytest.mark.parametrize("step", [120, -120], ids=["forwards", "back"])
def test_5_a_clock_that_is_set_makes_no_worker_stale_and_keeps_none_alive(clock, step):
    clock.set(0)
    with clock.server() as server, server.connect() as c:
        join(c, "w", "heir")
        route(c, "r", "s")
        stale_after(c, 10_000)
        c.call("SHARD.HEARTBEAT", "pool", "w")
        clock.set(step)
        c.call("SHARD.HEARTBEAT", "pool", "heir")
        assert route(c, "r") == ["w"]
        assert (info(c)["failovers"], worker_info(c, "w")["age"] < 10_000) == (0, True)
        join(c, "heir")
        stale_after(c, 1000)
        wait_until(lambda: owner(c, "r") == "heir", "its time is over as ever")


def test_5_a_clock_that_was_set_between_two_runs_makes_no_worker_stale(clock):
    clock.set(0)
    with clock.server(appendonly="yes") as server:
        with server.connect() as c:
            join(c, "w", "heir")
            stale_after(c, 10_000)
            route(c, "r", "s")
            c.call("SHARD.HEARTBEAT", "pool", "w")
        server.shutdown(save=False)
        clock.set(86_400)
        with clock.environment():
            server.restart()
        with server.connect() as c:
            assert abs(int(server.admin.call("TIME")[0]) - time.time() - 86_400) < 60
            assert route(c, "r", "s") == ["w", "heir"]
            assert info(c)["failovers"] == 0


def test_6_an_ousted_worker_finds_back(c):
    join(c, "slow", "heir")
    push(c, "r", "payload")
    keep(c, "heir")
    pull(c, "slow")
    stale_after(c, 40)
    wait_until_gone(c, "slow")
    stale_after(c, HOUR)
    assert c.error_of("SHARD.PULL", "pool", "slow", "BLOCK", "0") == NOWORKER, "it is told, and does not wait for ever"
    join(c, "slow")
    assert c.call("SHARD.PULL", "pool", "slow") == []
    assert "slow" in {push(c, f"new {n}", "payload")[0] for n in range(2)}
    assert pull(c, "slow") != []


def test_6_after_a_failover_there_are_not_two_owners(c):
    join(c, "slow", "heir")
    push(c, "r", "1", "2")
    keep(c, "heir")
    pull(c, "slow", 1)
    stale_after(c, 40)
    wait_until_gone(c, "slow")
    stale_after(c, HOUR)
    join(c, "slow")
    assert [name for worker in ("slow", "heir") for name, _ in recipients(c, worker)] == ["kept", "r"]
    assert (owner(c, "r"), pull(c, "slow")) == ("heir", [])
    assert c.error_of("SHARD.ACK", "pool", "slow", "r", "1") == NOTOWNER
    assert pull(c, "heir") == [("r", 1, "1"), ("r", 2, "2")]
    assert ack(c, "heir", "r", 2) == 2


def test_7_a_message_is_delivered_until_it_is_acknowledged_however_often_workers_fail(c):
    push_to = join(c, "w0") and push(c, "r", "stubborn")
    assert push_to == ("w0", 1)
    for n in range(10):
        assert pull(c, f"w{n}") == [("r", 1, "stubborn")]
        join(c, f"w{n + 1}")
        c.call("SHARD.LEAVE", "pool", f"w{n}", "NOW")
    assert pull(c, "w10") == [("r", 1, "stubborn")]


def test_8_recipients_are_not_starved_behind_a_busy_one(c):
    join(c, "w")
    push(c, "busy", *["payload"] * 5000)
    for n in range(100):
        push(c, f"quiet {n}", "payload")
    first = pull(c, "w", 101)
    assert {name for name, _, _ in first} == {"busy"} | {f"quiet {n}" for n in range(100)}


def test_8_what_a_worker_waits_for_does_not_depend_on_how_many_recipients_it_has(server, c, connect):
    """One PULL waits for all recipients: a push for the last of ten thousand serves it directly."""
    join(c, "w")
    c.call_all(("SHARD.ROUTE", "pool", f"r{n}") for n in range(10_000))
    waits = start_waiting(server, connect(), "SHARD.PULL", "pool", "w", "BLOCK", "0")
    push(c, "r9999", "payload")
    assert deliveries(waits.read()) == [("r9999", 1, "payload")]


# --- a server that was away ---


WORKERS = [f"w{n}" for n in range(4)]
SIGNS_OF_LIFE = [("SHARD.HEARTBEAT", "pool", worker) for worker in WORKERS]
# What the server is asked when it goes on, in one go. BLPOP waits for a moment, so that the timer works before the
# workers show that they are alive.
CHECKS = [("SHARD.ROUTE", "pool", "r1"), ("BLPOP", "missing", "0.05"), *SIGNS_OF_LIFE, ("SHARD.INFO", "pool")]


def busy_pool(c, stale=1000):
    """No worker has shown that it is alive, so none can become stale before it does."""
    join(c, *WORKERS)
    stale_after(c, stale)
    route(c, *[f"r{n}" for n in range(20)])


def assert_none_was_stale(answers):
    """REQUIRES: the last answers are those to CHECKS."""
    *checked, known = answers[-len(CHECKS) :]
    assert checked == [[b"w1", 2], None, 1, 1, 1, 1]
    assert fields(known)["failovers"] == 0


def test_a_server_that_was_suspended_makes_no_worker_stale():
    with Server() as server, server.connect() as c, server.connect() as waits:
        busy_pool(c, stale=2000)
        start_waiting(server, waits, "SHARD.PULL", "pool", "w0", "BLOCK", "0")
        c.call_all(SIGNS_OF_LIFE)
        server.suspend()
        let_pass(3)
        # These are the first commands that the server reads when it goes on.
        for words in CHECKS:
            c.send(*words)
        server.resume()
        assert_none_was_stale([c.read() for _ in CHECKS])


# The next tests send everything in one go, so that no time passes before the server is away.


def test_a_server_that_was_busy_with_one_command_makes_no_worker_stale():
    with Server() as server, server.connect() as c, server.connect() as waits:
        busy_pool(c)
        start_waiting(server, waits, "SHARD.PULL", "pool", "w0", "BLOCK", "0")
        assert_none_was_stale(c.call_all([*SIGNS_OF_LIFE, ("DEBUG", "SLEEP", "1.5"), *CHECKS]))


@pytest.mark.parametrize("what", ["WRITE", "ALL"])
def test_a_server_that_held_its_clients_back_makes_no_worker_stale(what):
    with Server() as server, server.connect() as c, server.connect() as waits:
        busy_pool(c)
        start_waiting(server, waits, "SHARD.PULL", "pool", "w0", "BLOCK", "0")
        assert_none_was_stale(c.call_all([*SIGNS_OF_LIFE, ("CLIENT", "PAUSE", 2500, what), *CHECKS]))


@pytest.mark.parametrize("how", ["shutdown", "kill"])
def test_a_server_that_was_restarted_makes_no_worker_stale(clock, how):
    clock.stop_at(2_000_000_000_000)
    with clock.server(appendonly="yes") as server:
        with server.connect() as c:
            busy_pool(c, stale=HOUR)
            c.call_all(SIGNS_OF_LIFE)
        server.kill() if how == "kill" else server.shutdown(save=False)
        # STALE is far longer than the test takes, and the server is down for longer than that.
        clock.pass_time(2 * HOUR)
        server.restart()
        with server.connect() as c:
            assert route(c, "r1") == ["w1"]
            assert info(c)["failovers"] == 0
            assert c.call_all(SIGNS_OF_LIFE) == [1] * 4


def test_a_replica_that_is_promoted_makes_no_worker_stale():
    with Server() as master, Server() as heir:
        heir.replicate(master)
        with master.connect() as c:
            busy_pool(c)
            c.call_all([*SIGNS_OF_LIFE, PAUSE])
        master.wait_for_replica(heir)
        master.kill()
        let_pass(1.2)
        assert_none_was_stale(heir.admin.call_all([("REPLICAOF", "NO", "ONE"), *CHECKS]))
