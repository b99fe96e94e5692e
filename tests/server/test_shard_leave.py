"""Workers that leave, and recipients that move to balance the load: only recipients with nothing in flight move."""

from server import wait_until
from shard_words import (
    HOUR, NOTOWNER, NOWORKER, NOWORKERS, ack, deliveries, done, info, is_sound, is_there, join, keep, let_age, owner,
    owners, pull, push, recipients, route, stale_after, start_waiting, stop_clock, wait_until_gone, worker_info)


def leave(c, worker, *options):
    return c.call("SHARD.LEAVE", "pool", worker, *options)


def test_leave_answers_with_how_many_moved_and_the_worker_is_gone(c):
    join(c, "w", "heir")
    for n in range(6):
        push(c, f"r{n}", "payload")
    assert leave(c, "w") == 3, "what is merely queued moves at once"
    assert not is_there(c, "w")
    assert len(pull(c, "heir")) == 6
    assert leave(c, "heir") == 0, "there is nobody to move to"


def test_payloads_in_flight_stay_with_a_leaving_worker_until_they_are_done(c):
    join(c, "w", "heir")
    push(c, "queued", "1", "2")
    route(c, "x", "routed", "y", "idle")
    assert owners(c, "queued", "routed", "idle") == ["w"] * 3
    done(c, "w", "idle")
    pull(c, "w", 1)
    assert leave(c, "w") == 1
    assert (owners(c, "idle", "routed", "queued"), worker_info(c, "w")["state"]) == (["heir", "w", "w"], b"leaving")
    assert done(c, "w", "routed") == 0
    assert owner(c, "routed") == "heir"
    assert ack(c, "w", "queued", 1) == 1
    assert (owner(c, "queued"), is_there(c, "w")) == ("heir", False), "with the last one it has gone"
    assert pull(c, "heir") == [("queued", 2, "2")]


def test_a_leaving_worker_gets_nothing_new(c):
    join(c, "w", "other")
    route(c, "r")
    leave(c, "w")
    assert set(route(c, *[f"new {n}" for n in range(4)])) == {"other"}
    assert c.error_of("SHARD.PULL", "pool", "w") == NOWORKER
    assert c.call("SHARD.HEARTBEAT", "pool", "w") == 1, "it may show that it is alive"


def test_messages_of_a_recipient_with_payloads_in_flight_still_go_to_its_leaving_worker(c):
    """For the sake of order: payloads in flight must be done before another worker gets the rest."""
    join(c, "w", "other")
    push(c, "r", "1")
    pull(c, "w")
    leave(c, "w")
    assert push(c, "r", "2") == ("w", 2)
    assert ack(c, "w", "r", 1) == 1
    assert pull(c, "other") == [("r", 2, "2")]


def test_a_worker_that_leaves_and_joins_again_stays(c):
    join(c, "w", "other")
    push(c, "r", "1", "2")
    pull(c, "w", 1)
    leave(c, "w")
    assert join(c, "w") == [2]
    assert (owner(c, "r"), worker_info(c, "w")["state"]) == ("w", b"working")
    assert pull(c, "w") == [("r", 1, "1"), ("r", 2, "2")], "it starts anew"


def test_a_leaving_worker_that_becomes_stale_is_replaced(c):
    join(c, "w", "heir")
    push(c, "r", "1", "2")
    keep(c, "heir")
    pull(c, "w", 1)
    leave(c, "w")
    stale_after(c, 40)
    wait_until_gone(c, "w")
    assert pull(c, "heir") == [("r", 1, "1"), ("r", 2, "2")]


def test_leave_now_lets_go_of_everything(c):
    join(c, "w", "heir")
    push(c, "r", "1", "2")
    route(c, "x", "s")
    pull(c, "w", 1)
    assert leave(c, "w", "NOW") == 2
    assert not is_there(c, "w")
    assert pull(c, "heir") == [("r", 1, "1"), ("r", 2, "2")]
    assert c.error_of("SHARD.ACK", "pool", "w", "r", "1") == NOWORKER
    join(c, "w")
    assert c.error_of("SHARD.ACK", "pool", "w", "r", "1") == NOTOWNER


def test_leave_now_after_leave_lets_go_of_the_rest(c):
    join(c, "w", "heir")
    route(c, "r")
    assert leave(c, "w") == 0
    assert leave(c, "w", "now") == 1
    assert owner(c, "r") == "heir"


def test_the_last_worker_keeps_its_recipients_until_another_one_joins(c):
    join(c, "w")
    push(c, "r", "1")
    assert leave(c, "w") == 0
    assert (owner(c, "r"), worker_info(c, "w")["state"]) == ("w", b"leaving")
    assert c.error_of("SHARD.ROUTE", "pool", "r") == NOWORKERS
    join(c, "heir")
    wait_until(lambda: owner(c, "r") == "heir", "the recipient has moved by itself")
    assert pull(c, "heir") == [("r", 1, "1")]
    assert not is_there(c, "w")


def test_a_waiting_worker_gets_what_a_leaving_worker_hands_over(server, c, connect):
    join(c, "w", "heir")
    push(c, "r", "1")
    waits = start_waiting(server, connect(), "SHARD.PULL", "pool", "heir", "BLOCK", "0")
    leave(c, "w")
    assert deliveries(waits.read()) == [("r", 1, "1")]


def test_a_waiting_worker_that_leaves_gets_an_answer(server, c, connect):
    join(c, "w", "other")
    waits = start_waiting(server, connect(), "SHARD.PULL", "pool", "w", "BLOCK", "0")
    leave(c, "w")
    assert str(waits.read()) == NOWORKER


def test_leaving_with_many_recipients_is_done_in_slices(c):
    join(c, "w")
    many = 25_000
    c.call_all(("SHARD.PUSH", "pool", f"r{n}", "payload") for n in range(many))
    join(c, "heir")
    c.call("MULTI")
    leave(c, "w")
    c.call("SHARD.CHECK", "pool")
    assert c.call("EXEC") == [10_000, b"OK"]
    wait_until(lambda: not is_there(c, "w"), "all have moved")
    assert (worker_info(c, "heir")["recipients"], info(c)["moved"], is_sound(c)) == (many, many, True)


# --- rebalancing ---


def test_rebalance_moves_idle_recipients_to_workers_with_few(c):
    join(c, "a", "b")
    names = [f"r{n}" for n in range(20)]
    for name, worker in zip(names, route(c, *names)):
        done(c, worker, name)
    join(c, "new")
    assert c.call("SHARD.REBALANCE", "pool") == 6
    assert sorted(worker["recipients"] for worker in info(c)["workers"]) == [6, 7, 7]
    assert c.call("SHARD.REBALANCE", "pool") == 0
    assert is_sound(c)


def test_rebalance_leaves_alone_what_has_anything_pending(c):
    join(c, "a")
    route(c, "routed", *[f"r{n}" for n in range(4)])
    push(c, "queued", "payload")
    for n in range(4):
        done(c, "a", f"r{n}")
    join(c, "new")
    assert c.call("SHARD.REBALANCE", "pool") == 3
    assert owners(c, "routed", "queued") == ["a", "a"]
    route(c, "r0", "r1", "r2", "r3")
    join(c, "newer")
    assert c.call("SHARD.REBALANCE", "pool") == 0


def test_rebalance_moves_no_more_than_asked(c):
    join(c, "a")
    names = [f"r{n}" for n in range(20)]
    route(c, *names)
    for name in names:
        done(c, "a", name)
    join(c, "new")
    assert c.call("SHARD.REBALANCE", "pool", "MAXMOVES", "4") == 4
    assert (len(recipients(c, "a")), len(recipients(c, "new"))) == (16, 4)
    assert c.call("SHARD.REBALANCE", "pool", "maxmoves", "1000000") == 6


def test_rebalance_gives_nothing_to_the_stale(c):
    stop_clock(c)
    join(c, "a")
    names = [f"r{n}" for n in range(10)]
    route(c, *names)
    for name in names:
        done(c, "a", name)
    join(c, "a", "stale")
    c.call("SHARD.HEARTBEAT", "pool", "stale")
    let_age(c, 15_001)
    assert worker_info(c, "stale")["stale"] == 1
    assert c.call("SHARD.REBALANCE", "pool") == 0
    c.call("MULTI")
    c.call("SHARD.SET", "pool", "STALE", HOUR)
    c.call("SHARD.REBALANCE", "pool")
    assert c.call("EXEC")[1] == 5
