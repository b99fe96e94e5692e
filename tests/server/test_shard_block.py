"""Clients that wait for a pool: workers in PULL, senders in ROUTE and PUSH."""

import pytest

from server import Server, wait_until
from shard_words import (
    HOUR,
    NOWORKER,
    NOWORKERS,
    deliveries,
    info,
    is_still_waiting,
    is_there,
    join,
    keep,
    let_age,
    owner,
    pull,
    push,
    recipients,
    route,
    stale_after,
    start_waiting,
    stop_clock,
    worker_info,
)


@pytest.fixture
def puller(server, connect):
    """Starts a PULL that waits for ever."""
    return lambda worker, *options: start_waiting(server, connect(), "SHARD.PULL", "pool", worker, "BLOCK", "0", *options)


@pytest.fixture
def sender(server, connect):
    """Starts a ROUTE, or with payloads a PUSH, that waits for ever."""

    def start(recipient, *payloads):
        command = "SHARD.PUSH" if payloads else "SHARD.ROUTE"
        return start_waiting(server, connect(), command, "pool", recipient, *payloads, "BLOCK", "0")

    return start


# --- workers ---


def test_a_push_wakes_the_worker_whose_recipient_it_is(server, c, puller):
    join(c, "a", "b")
    a, b = puller("a"), puller("b")
    assert push(c, "r", "payload") == ("a", 1)
    assert deliveries(a.read()) == [("r", 1, "payload")]
    assert is_still_waiting(server, b)
    push(c, "s", "payload")
    assert deliveries(b.read()) == [("s", 1, "payload")]


def test_several_payloads_wake_with_as_many_as_were_asked_for(c, puller):
    join(c, "w")
    waits = puller("w", "COUNT", "2")
    push(c, "r", "1", "2", "3")
    assert deliveries(waits.read()) == [("r", 1, "1"), ("r", 2, "2")]
    assert pull(c, "w") == [("r", 3, "3")]


def test_clients_of_one_worker_are_served_in_the_order_in_which_they_came(c, puller):
    join(c, "w")
    first, second, third = puller("w"), puller("w"), puller("w")
    push(c, "r", "1", "2")
    assert deliveries(first.read()) == [("r", 1, "1")]
    assert deliveries(second.read()) == [("r", 2, "2")]
    first.send("SHARD.PULL", "pool", "w", "BLOCK", "0")
    push(c, "r", "3")
    assert deliveries(third.read()) == [("r", 3, "3")], "who was served goes to the end of the line"
    push(c, "r", "4")
    assert deliveries(first.read()) == [("r", 4, "4")]


def test_a_route_wakes_no_worker(server, c, puller):
    join(c, "w")
    waits = puller("w")
    route(c, "r")
    assert is_still_waiting(server, waits)
    push(c, "r", "payload")
    assert deliveries(waits.read()) == [("r", 1, "payload")]


def test_pull_answers_at_once_if_there_is_something(c):
    join(c, "w")
    push(c, "r", "payload")
    assert deliveries(c.call("SHARD.PULL", "pool", "w", "BLOCK", "0")) == [("r", 1, "payload")]


def test_a_pull_that_waits_in_vain_gets_an_empty_array(c):
    join(c, "w")
    assert c.bytes_of("SHARD.PULL", "pool", "w", "BLOCK", "20") == b"*0\r\n"


def test_what_a_transaction_pushes_comes_when_it_is_over(c, puller):
    join(c, "w")
    waits = puller("w", "COUNT", "9")
    c.call("MULTI")
    c.call("SHARD.PUSH", "pool", "r", "1")
    c.call("SHARD.PUSH", "pool", "s", "2")
    assert c.call("EXEC") == [[b"w", 1], [b"w", 1]]
    assert deliveries(waits.read()) == [("r", 1, "1"), ("s", 1, "2")]


def test_what_a_script_pushes_wakes(c, puller):
    join(c, "w")
    waits = puller("w")
    c.call("EVAL", "return redis.call('SHARD.PUSH', KEYS[1], 'r', 'payload')", "1", "pool")
    assert deliveries(waits.read()) == [("r", 1, "payload")]


def test_inside_a_transaction_and_a_script_no_command_waits(c):
    join(c, "w")
    c.call("MULTI")
    c.call("SHARD.PULL", "pool", "w", "BLOCK", "0")
    assert c.call("EXEC") == [[]]
    script = "return redis.call('SHARD.PULL', KEYS[1], 'w', 'BLOCK', '0')"
    assert c.call("EVAL", script, "1", "pool") == []
    script = "return redis.pcall('SHARD.ROUTE', KEYS[1], 'r', 'BLOCK', '0')"
    assert c.error_of("EVAL", script, "1", "missing") == NOWORKERS


@pytest.mark.parametrize("go", [("DEL", "pool"), ("FLUSHALL",), ("UNLINK", "pool"), ("RENAME", "pool", "other")], ids=lambda w: w[0])
def test_a_waiting_worker_gets_an_answer_when_its_pool_is_deleted(c, puller, go):
    join(c, "w")
    waits = puller("w")
    c.call(*go)
    assert str(waits.read()) == NOWORKER


def test_a_pool_that_comes_by_rename_serves_workers_that_wait_under_that_name(server, c, connect, puller):
    join(c, "w")
    join(c, "w", key="other")
    push(c, "r", "payload", key="other")
    waits = puller("w")
    c.call("RENAME", "other", "pool")
    assert deliveries(waits.read()) == [("r", 1, "payload")]


def test_a_waiting_worker_gets_an_answer_when_it_is_removed(server, c, puller):
    """For example by another process of the same name; a waiting worker is never stale."""
    join(c, "w", "other")
    waits = puller("w")
    c.call("SHARD.LEAVE", "pool", "w", "NOW")
    assert str(waits.read()) == NOWORKER


def test_a_rejoin_delivers_payloads_in_flight_to_a_waiting_pull(c, puller):
    join(c, "w")
    push(c, "r", "payload")
    pull(c, "w")
    waits = puller("w")
    join(c, "w")
    assert deliveries(waits.read()) == [("r", 1, "payload")]


def test_a_client_that_disconnects_gets_nothing(server, c, puller):
    join(c, "w")
    gone = puller("w")
    gone.close()
    wait_until(lambda: server.counter("shard_clients_waiting") == 0, "it has left the line")
    push(c, "r", "payload")
    assert pull(c, "w") == [("r", 1, "payload")]


def test_info_tells_how_many_wait(c, puller, sender):
    sender("r")
    assert info(c)["waiting"] == 1
    join(c, "w")
    puller("w"), puller("w")
    assert info(c)["waiting"] == 2
    push(c, "r", "1", "2")


def test_what_a_waiting_worker_got_is_known_to_the_replica(server, replica, c, puller):
    join(c, "w")
    waits = puller("w", "COUNT", "2")
    push(c, "r", "1", "2", "3")
    waits.read()
    server.wait_for_replica(replica)
    assert replica.digest("pool") == server.digest("pool")


def test_a_worker_that_waits_on_a_busy_pool_keeps_its_turn(c, puller):
    join(c, "w")
    push(c, "busy", "1")
    pull(c, "w")
    waits = puller("w", "COUNT", "9")
    c.call("MULTI")
    c.call("SHARD.PUSH", "pool", "busy", "2", "3")
    c.call("SHARD.PUSH", "pool", "quiet", "4")
    c.call("EXEC")
    assert [one[0] for one in deliveries(waits.read())] == ["busy", "quiet", "busy"]


# --- senders ---


def test_a_join_wakes_senders_in_the_order_in_which_they_came(c, sender):
    first, second, third = sender("r"), sender("r", "payload"), sender("s")
    join(c, "w")
    assert [one.read() for one in (first, second, third)] == [[b"w", 1], [b"w", 2], [b"w", 1]]
    assert recipients(c, "w") == [("r", 2), ("s", 1)]
    assert pull(c, "w") == [("r", 1, "payload")]


def test_a_longer_limit_makes_a_silent_worker_alive_again_for_a_sender_that_waits(server, c, sender):
    """An idle worker is removed only after ten times the limit."""
    stop_clock(c)
    join(c, "w")
    c.call("SHARD.HEARTBEAT", "pool", "w")
    let_age(c, 15_001)
    waits = sender("r")
    assert is_still_waiting(server, waits)
    stale_after(c, HOUR)
    assert waits.read() == [b"w", 1]


def test_a_sender_waits_while_the_last_worker_is_leaving(server, c, sender):
    join(c, "w")
    route(c, "r")
    c.call("SHARD.LEAVE", "pool", "w")
    waits = sender("r", "payload")
    assert is_still_waiting(server, waits)
    join(c, "heir")
    # Payloads in flight stay with the worker that is leaving, and so do later payloads of the same recipient.
    assert waits.read() == [b"w", 2]


@pytest.mark.parametrize("words", [("SHARD.ROUTE", "pool", "r"), ("SHARD.PUSH", "pool", "r", "payload")], ids=lambda w: w[0])
def test_a_sender_that_waits_in_vain_gets_noworkers_and_leaves_nothing(c, words):
    assert c.error_of(*words, "BLOCK", "20") == NOWORKERS
    assert c.call("EXISTS", "pool") == 0
    join(c, "w")
    assert recipients(c, "w") == []


@pytest.mark.parametrize("go", [("DEL", "pool"), ("FLUSHALL",), ("RENAME", "pool", "other")], ids=lambda w: w[0])
def test_a_sender_waits_on_though_the_pool_is_deleted(server, c, sender, go):
    stale_after(c, HOUR)
    waits = sender("r")
    c.call(*go)
    assert is_still_waiting(server, waits)
    join(c, "w")
    assert waits.read() == [b"w", 1]


def test_a_pool_with_workers_that_comes_by_rename_serves_senders(c, sender):
    join(c, "w", key="other")
    waits = sender("r", "payload")
    c.call("RENAME", "other", "pool")
    assert waits.read() == [b"w", 1]


def test_a_sender_and_a_worker_that_wait_for_each_other_meet(server, c, connect, sender):
    waits = sender("r", "payload")
    c.call("MULTI")
    c.call("SHARD.JOIN", "pool", "w")
    c.call("SHARD.PULL", "pool", "w", "BLOCK", "0")
    assert c.call("EXEC") == [1, []]
    assert waits.read() == [b"w", 1]
    assert pull(c, "w") == [("r", 1, "payload")]


@pytest.mark.parametrize("payloads", [("x", "BLOCK", "7"), ("x", "block", "later"), ("BLOCK", "0")])
def test_payloads_that_look_like_the_option_reach_the_replica(server, replica, c, sender, payloads):
    waiting = sender("r", *payloads)
    join(c, "w")
    assert waiting.read() == [b"w", len(payloads)]
    server.wait_for_replica(replica)
    assert replica.digest("pool") == server.digest("pool")
    assert [payload for _, _, payload in pull(c, "w")] == list(payloads)


def test_what_waiting_senders_sent_outlives_a_kill():
    with Server(appendonly="yes", appendfsync="always") as server:
        waits = server.connect()
        start_waiting(server, waits, "SHARD.PUSH", "pool", "r", "1", "2", "BLOCK", "0")
        join(server.admin, "w")
        assert waits.read() == [b"w", 2]
        server.kill()
        server.restart()
        assert pull(server.admin, "w") == [("r", 1, "1"), ("r", 2, "2")]


def test_a_sender_that_left_before_a_worker_came_has_sent_nothing(server, c, sender):
    sender("r", "payload").close()
    wait_until(lambda: server.counter("shard_clients_waiting") == 0, "it has left the line")
    join(c, "w")
    assert (owner(c, "r"), pull(c, "w")) == (None, [])


# --- waiting and being alive ---


def test_a_worker_that_waits_is_not_stale_and_is_when_it_waits_no_longer(server, c, puller):
    join(c, "w", "heir")
    route(c, "r")
    keep(c, "heir")
    stale_after(c, 200)
    waits = puller("w")
    ages = []

    def has_lived_long():
        ages.append(worker_info(c, "w")["age"])
        return sum(1 for before, after in zip(ages, ages[1:]) if after < before) >= 5

    wait_until(has_lived_long, "its last access has been renewed again and again")
    assert (owner(c, "r"), info(c)["failovers"]) == ("w", 0)
    waits.close()
    wait_until(lambda: not is_there(c, "w"), "it is gone and gets replaced")
    assert owner(c, "r") == "heir"
