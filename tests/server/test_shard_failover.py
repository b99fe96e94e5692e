"""A worker that is stale with something pending loses its recipients to the living, all of them and at once."""

import pytest

from resp import RespError
from server import Server, let_pass, wait_until
from shard_words import (
    HOUR, NOTOWNER, NOWORKER, NOWORKERS, PAUSE, ack, deliveries, done, info, is_sound, is_there, join, keep, let_age,
    owner, owners, pull, push, recipients, route, stale_after, stale_after_joining, start_waiting, stop_clock,
    wait_until_gone, worker_info)


def shows_itself_and_dies(c, worker, key="pool"):
    """Shows once that the worker is alive; after that it is silent, and soon stale."""
    c.call("SHARD.HEARTBEAT", key, worker)
    stale_after(c, 40, key=key)


# --- what makes it happen ---


@pytest.mark.parametrize("send", [("SHARD.ROUTE", "pool", "r"), ("SHARD.PUSH", "pool", "r", "payload")], ids=lambda w: w[0])
def test_a_message_fails_over_before_it_is_routed(c, send):
    join(c, "dead", "heir")
    route(c, "r")
    c.call("SHARD.HEARTBEAT", "pool", "dead")
    # One transaction, so that the timer cannot run in between.
    c.call("MULTI")
    c.call("SHARD.SET", "pool", "STALE", "40")
    c.call("DEBUG", "SLEEP", "0.1")
    c.call(*send)
    assert c.call("EXEC")[2] == [b"heir", 2]
    assert not is_there(c, "dead")


def test_the_timer_fails_over_without_a_message(c):
    join(c, "dead", "heir")
    route(c, "r")
    keep(c, "heir")
    shows_itself_and_dies(c, "dead")
    wait_until(lambda: owner(c, "r") == "heir", "the recipient has moved; OWNER only reads")
    assert info(c)["failovers"] == 1


@pytest.mark.parametrize("settings", [{"appendonly": "yes", "aof_use_rdb_preamble": "no"}, {"save": '"3600 1"'}], ids=["aof", "rdb"])
def test_the_timer_fails_over_after_a_restart_without_a_command(settings):
    with Server(**settings) as server:
        with server.connect() as c:
            join(c, "dead", "heir")
            stale_after(c, 400)
            route(c, "r")
            c.call("SHARD.HEARTBEAT", "pool", "dead")
        server.shutdown(save="save" in settings)
        server.restart()
        with server.connect() as c:
            wait_until(lambda: owner(c, "r") == "heir", "the recipient has moved")
            assert is_sound(c)


def test_the_timer_fails_over_on_a_promoted_replica_without_a_command(server, c):
    with Server() as heir_of_server:
        heir_of_server.replicate(server)
        join(c, "dead", "heir")
        stale_after(c, HOUR)
        route(c, "r")
        c.call("SHARD.HEARTBEAT", "pool", "dead")
        stale_after(c, 400)
        server.wait_for_replica(heir_of_server)
        heir_of_server.admin.call("REPLICAOF", "NO", "ONE")
        with heir_of_server.connect() as there:
            wait_until(lambda: owner(there, "r") == "heir", "the recipient has moved")


def test_a_replica_does_not_fail_over_by_itself():
    with Server() as master, Server() as replica:
        replica.replicate(master)
        with master.connect() as c:
            join(c, "dead", "heir")
            stale_after(c, 300)
            route(c, "r")
            # In one go, so that the master has no time to fail over before it is killed.
            c.call_all([("SHARD.HEARTBEAT", "pool", "dead"), PAUSE])
            master.wait_for_replica(replica)
        master.kill()
        let_pass(0.6)
        with replica.connect() as there:
            assert (owner(there, "r"), info(there)["failovers"]) == ("dead", 0)


def test_a_stale_worker_with_nothing_pending_keeps_its_recipients_until_a_message_comes(c):
    stop_clock(c)
    join(c, "idle", "other")
    route(c, "r")
    done(c, "idle", "r")
    let_age(c, 15_001)
    assert (owner(c, "r"), worker_info(c, "idle")["stale"], info(c)["failovers"]) == ("idle", 1, 0)
    assert c.call("SHARD.ROUTE", "pool", "r") == [b"other", 1], "a stale worker is never answered"


def test_a_worker_that_is_silent_for_long_is_removed_whether_it_ever_showed_that_it_is_alive_or_not(server, c, connect):
    join(c, "seen", "silent", "other")
    route(c, "r", "s")
    done(c, "seen", "r")
    done(c, "silent", "s")
    c.call("SHARD.JOIN", "pool", "silent")
    start_waiting(server, connect(), "SHARD.PULL", "pool", "other", "BLOCK", "0")  # a worker that waits is alive
    stale_after(c, 5)
    wait_until(lambda: [one["name"] for one in info(c)["workers"]] == [b"other"], "both have left")
    stale_after(c, HOUR)
    assert owners(c, "r", "s") == ["other", "other"]


def test_a_worker_that_never_showed_itself_is_not_stale(c):
    stop_clock(c)
    join(c, "silent", "other")
    route(c, *["r"] * 3)
    push(c, "r", "payload")
    c.call("SHARD.HEARTBEAT", "pool", "other")
    let_age(c, 15_001)
    assert worker_info(c, "other")["stale"] == 1
    assert (owner(c, "r"), worker_info(c, "silent")["stale"]) == ("silent", 0)


def all_become_stale_at_once(c, milliseconds, *workers):
    for worker in workers:
        c.call("SHARD.HEARTBEAT", "pool", worker)
    wait_until(lambda: all(worker_info(c, worker)["age"] > milliseconds for worker in workers), "time has passed")
    stale_after(c, milliseconds)
    assert all(worker_info(c, worker)["stale"] for worker in workers)


def test_if_all_are_stale_everything_stays_until_a_worker_shows_that_it_is_alive(c):
    join(c, "a", "b")
    route(c, "r", "s")
    all_become_stale_at_once(c, 20, "a", "b")
    assert owners(c, "r", "s") == ["a", "b"]
    assert [c.error_of("SHARD.ROUTE", "pool", name) for name in ("r", "new")] == [NOWORKERS] * 2, "nobody is answered"
    join(c, "c")
    wait_until(lambda: owners(c, "r", "s") == ["c"] * 2, "who joins takes over")
    assert [worker["name"] for worker in info(c)["workers"]] == [b"c"]


def test_if_all_are_stale_the_first_worker_that_shows_that_it_is_alive_takes_over(c):
    join(c, "a", "b")
    route(c, "r", "s")
    all_become_stale_at_once(c, 300, "a", "b")
    c.call("SHARD.HEARTBEAT", "pool", "b")
    wait_until(lambda: owners(c, "r", "s") == ["b", "b"], "b has everything")
    assert not is_there(c, "a")


def test_a_shorter_stale_time_counts_at_once(c):
    join(c, "w", "heir")
    route(c, "r")
    keep(c, "heir")
    c.call("SHARD.HEARTBEAT", "pool", "w")
    wait_until(lambda: worker_info(c, "w")["age"] >= 30, "some time has passed")
    assert owner(c, "r") == "w"
    stale_after(c, 20)
    wait_until(lambda: owner(c, "r") == "heir", "it was stale by the new time")


# --- what happens then ---


def test_moved_recipients_bring_their_payloads_in_order(c):
    join(c, "dead", "heir")
    push(c, "r", *[f"p{n}" for n in range(1, 6)])
    push(c, "other", "x")
    pull(c, "dead", 3)
    assert ack(c, "dead", "r", 1) == 1
    stale_after(c, 40)
    wait_until_gone(c, "dead")
    stale_after(c, HOUR)
    assert pull(c, "heir", 1) == [("other", 1, "x")]
    assert pull(c, "heir") == [("r", n, f"p{n}") for n in range(2, 6)], "what was in hand too, but not what is done"
    assert ack(c, "heir", "r", 5) == 4
    push(c, "r", "p6")
    assert pull(c, "heir") == [("r", 6, "p6")], "sequences go on"


def test_a_late_done_or_ack_is_refused_and_changes_nothing(server, c):
    join(c, "slow", "heir")
    push(c, "queued", "1", "2")
    join(c, "third")
    route(c, "x", "y", "routed")
    assert owner(c, "routed") == "slow"
    pull(c, "slow")
    stale_after(c, 40)
    wait_until_gone(c, "slow")
    stale_after(c, HOUR)
    before = server.digest("pool")
    assert c.error_of("SHARD.ACK", "pool", "slow", "queued", "1") == NOWORKER
    assert c.error_of("SHARD.DONE", "pool", "slow", "routed") == NOWORKER
    assert server.digest("pool") == before
    join(c, "slow")
    before = server.digest("pool")
    assert c.error_of("SHARD.ACK", "pool", "slow", "queued", "1") == NOTOWNER
    assert c.error_of("SHARD.DONE", "pool", "slow", "routed") == NOTOWNER
    assert server.digest("pool") == before
    new_owner = owner(c, "queued")
    assert ("queued", 1, "1") in pull(c, new_owner), "the new owner gets what the old one had in hand"


def test_noworker_and_then_join(c):
    join(c, "slow", "heir")
    route(c, "r")
    keep(c, "heir")
    shows_itself_and_dies(c, "slow")
    wait_until_gone(c, "slow")
    stale_after(c, HOUR)
    for words in (
        ("SHARD.HEARTBEAT", "pool", "slow"),
        ("SHARD.PULL", "pool", "slow"),
        ("SHARD.PULL", "pool", "slow", "BLOCK", "0"),
        ("SHARD.LEAVE", "pool", "slow"),
        ("SHARD.RECIPIENTS", "pool", "slow"),
    ):
        assert c.error_of(*words) == NOWORKER
    assert join(c, "slow") == [2]
    assert c.call("SHARD.HEARTBEAT", "pool", "slow") == 1
    assert recipients(c, "slow") == []
    assert "slow" in route(c, *[f"new {n}" for n in range(2)])


def test_a_waiting_worker_gets_what_a_dead_worker_leaves(server, c, connect):
    join(c, "dead", "heir")
    push(c, "r", "payload")
    pull(c, "dead")
    waits = start_waiting(server, connect(), "SHARD.PULL", "pool", "heir", "BLOCK", "0")
    stale_after(c, 40)
    assert deliveries(waits.read()) == [("r", 1, "payload")]


def test_the_living_share_what_the_dead_leaves(c):
    join(c, "dead", "a", "b", "c")
    route(c, *[f"r{n}" for n in range(40)])
    shows_itself_and_dies(c, "dead")
    wait_until_gone(c, "dead")
    assert sorted(worker["recipients"] for worker in info(c)["workers"]) == [13, 13, 14]


def test_several_workers_die_at_once(c):
    join(c, "a", "b", "heir", "c")
    names = [f"r{n}" for n in range(40)]
    route(c, *names)
    for worker in "abc":
        c.call("SHARD.HEARTBEAT", "pool", worker)
    stale_after(c, 40)
    wait_until(lambda: info(c)["failovers"] == 3, "all three have been replaced")
    assert set(owners(c, *names)) == {"heir"}
    assert is_sound(c)


def test_leastpending_spreads_what_the_dead_leaves_by_what_is_pending(c):
    join(c, "dead", "busy", "free")
    c.call("SHARD.SET", "pool", "POLICY", "leastpending")
    route(c, "r", *["b"] * 5)
    assert owners(c, "r", "b") == ["dead", "busy"]
    c.call("SHARD.HEARTBEAT", "pool", "dead")
    stale_after_joining(c, 40, "free")
    wait_until(lambda: owner(c, "r") == "free", "the recipient is with who had nothing to do")


# --- many recipients ---

MANY = 25_000


def test_a_dead_workers_recipients_move_in_slices_and_none_is_ever_without_an_owner(c):
    join(c, "dead", "a", "b")
    names = [f"r{n}" for n in range(MANY)]
    c.call("SHARD.LEAVE", "pool", "a")
    c.call("SHARD.LEAVE", "pool", "b")
    assert all(answer == [b"dead", 1] for answer in c.call_all(("SHARD.ROUTE", "pool", name) for name in names))
    join(c, "a", "b")
    c.call("SHARD.HEARTBEAT", "pool", "dead")
    # The first slice is done by the message that causes the failover; between slices the pool is consistent.
    c.call("MULTI")
    c.call("SHARD.SET", "pool", "STALE", "40")
    c.call("DEBUG", "SLEEP", "0.1")
    c.call("SHARD.ROUTE", "pool", names[-1])
    c.call("SHARD.CHECK", "pool")
    c.call("SHARD.INFO", "pool")
    c.call("SHARD.OWNER", "pool", names[MANY // 2 + 3000])
    c.call("SHARD.HEARTBEAT", "pool", "dead")
    *_, routed, check, between, owner_between, ousted = c.call("EXEC")
    assert (routed[1], check) == (2, b"OK")
    assert routed[0] in (b"a", b"b"), "what waits for its turn to be moved does not wait for a message"
    left = dict(zip(between[1][-1][::2], between[1][-1][1::2]))
    assert (left[b"state"], left[b"recipients"]) == (b"dead", MANY - 10_001)
    assert owner_between == b"dead"
    assert isinstance(ousted, RespError) and str(ousted) == NOWORKER, "its name is free at once"
    slices = 0

    def is_over():
        nonlocal slices
        slices += 1
        assert is_sound(c)
        assert None not in owners(c, *names[::5000])
        return info(c)["moved"] == MANY

    wait_until(is_over, "all have moved")
    assert sorted(worker["recipients"] for worker in info(c)["workers"]) == [MANY // 2, MANY // 2]
    assert info(c)["pending"] == MANY + 1


def test_the_name_of_a_dead_worker_can_join_while_its_recipients_still_move(c):
    join(c, "w")
    assert len(c.call_all(("SHARD.ROUTE", "pool", f"r{n}") for n in range(MANY))) == MANY
    join(c, "heir")
    c.call("SHARD.HEARTBEAT", "pool", "w")
    c.call("MULTI")
    c.call("SHARD.SET", "pool", "STALE", "40")
    c.call("DEBUG", "SLEEP", "0.1")
    c.call("SHARD.ROUTE", "pool", "r0")
    c.call("SHARD.JOIN", "pool", "w")
    c.call("SHARD.RECIPIENTS", "pool", "w")
    c.call("SHARD.CHECK", "pool")
    answers = c.call("EXEC")
    assert answers[3:] == [2, [b"0", []], b"OK"]
    wait_until(lambda: info(c)["moved"] >= MANY, "all have moved")
    assert is_sound(c)
    assert {worker["recipients"] > 0 for worker in info(c)["workers"]} == {True}, "the new w gets its share"
