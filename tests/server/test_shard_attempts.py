"""Payloads that come again: attempts, NACK, delays, and the log for payloads that are given up."""

import json

from server import Server, wait_until
from shard_words import HOUR, NOTOWNER, NOWORKER, ack, info, is_sound, join, keep, owner, pull, push, stale_after


def pull_with_attempts(c, worker, count=100, key="pool"):
    answer = c.call("SHARD.PULL", key, worker, "COUNT", count, "WITHATTEMPTS")
    return [(recipient.decode(), sequence, payload.decode(), attempts) for recipient, sequence, payload, attempts in answer]


def nack(c, worker, recipient, sequence, *more, key="pool"):
    return c.call("SHARD.NACK", key, worker, recipient, sequence, *more)


def letters(c, log="dead"):
    """(tag as a dict, entry) of each dead letter."""
    if not c.call("EXISTS", log):
        return []
    return [(json.loads(tag), entry.decode()) for _, tag, entry in c.call("TREAD", log, 1, 100)]


def test_attempts_count_each_delivery_of_a_payload(c):
    join(c, "w")
    push(c, "r", "a", "b", "c")
    assert pull_with_attempts(c, "w", 2) == [("r", 1, "a", 1), ("r", 2, "b", 1)]
    join(c, "w")
    assert pull_with_attempts(c, "w", 1) == [("r", 1, "a", 2)]
    join(c, "w")
    assert pull_with_attempts(c, "w") == [("r", 1, "a", 3), ("r", 2, "b", 2), ("r", 3, "c", 1)]
    ack(c, "w", "r", 1)
    join(c, "w")
    assert pull_with_attempts(c, "w") == [("r", 2, "b", 3), ("r", 3, "c", 2)]
    assert c.call("SHARD.PULL", "pool", "w") == [], "without the option an answer has no attempts"


def test_a_payload_that_kills_its_worker_does_not_kill_every_next_one(c):
    c.call("SHARD.SET", "pool", "MAXATTEMPTS", 3, "DEADLETTER", "dead")
    join(c, "heir")
    push(c, "r", "poison", "good", "better")
    for attempt in range(1, 4):
        name = f"w{attempt}"
        join(c, name)
        wait_until(lambda: owner(c, "r") is not None, "it has an owner")
        holder = owner(c, "r")
        assert pull_with_attempts(c, holder)[0] == ("r", 1, "poison", attempt)
        c.call("SHARD.LEAVE", "pool", holder, "NOW")
    assert pull(c, owner(c, "r")) == [("r", 2, "good"), ("r", 3, "better")], "the queue goes on, those behind are not blamed"
    assert letters(c) == [({"why": "attempts", "attempts": 3, "sequence": 1, "recipient": "r", "pool": "pool"}, "poison")]
    assert (info(c)["dead"], info(c)["unsent"]) == (1, 0) and is_sound(c)


def test_by_staleness_it_is_given_up_too(c):
    c.call("SHARD.SET", "pool", "MAXATTEMPTS", 1, "DEADLETTER", "dead")
    join(c, "w", "heir")
    push(c, "r", "poison", "good")
    keep(c, "heir")
    pull(c, "w", 1)
    stale_after(c, 20)
    wait_until(lambda: owner(c, "r") == "heir", "the worker is replaced")
    stale_after(c, HOUR)
    assert [entry for _, entry in letters(c)] == ["poison"]
    assert pull(c, "heir") == [("r", 2, "good")]


def test_without_a_log_it_is_only_counted(c):
    c.call("SHARD.SET", "pool", "MAXATTEMPTS", 1)
    join(c, "w")
    push(c, "r", "poison")
    pull(c, "w")
    join(c, "w")
    assert pull(c, "w") == [] and info(c)["dead"] == 1 and is_sound(c)


# --- NACK ---


def test_nack_gives_the_first_and_all_behind_it_back_in_order(c):
    join(c, "w")
    push(c, "r", "a", "b", "c")
    pull(c, "w", 2)
    assert nack(c, "w", "r", 1) == 2
    assert pull_with_attempts(c, "w") == [("r", 1, "a", 2), ("r", 2, "b", 2), ("r", 3, "c", 1)]
    ack(c, "w", "r", 1)
    assert nack(c, "w", "r", 2) == 2


def test_nack_refuses_what_is_not_the_first_in_hand(server, c):
    join(c, "w", "other")
    push(c, "r", "a", "b", "c")
    refused = "ERR that sequence is not in the worker's hands"
    assert c.error_of("SHARD.NACK", "pool", "w", "r", 1) == refused
    pull(c, "w", 2)
    before = server.digest("pool")
    assert c.error_of("SHARD.NACK", "pool", "w", "r", 2) == (
        "ERR that sequence is not the first of the recipient that is not acknowledged, which is 1")
    assert c.error_of("SHARD.NACK", "pool", "w", "r", 3) == refused
    assert c.error_of("SHARD.NACK", "pool", "other", "r", 1) == NOTOWNER
    assert c.error_of("SHARD.NACK", "pool", "nobody", "r", 1) == NOWORKER
    assert server.digest("pool") == before


def test_a_delay_holds_only_its_recipient_back(c):
    join(c, "w")
    push(c, "r", "a", "b")
    push(c, "s", "x")
    pull(c, "w", 1)
    nack(c, "w", "r", 1, "DELAY", HOUR)
    push(c, "r", "c")
    assert pull(c, "w") == [("s", 1, "x")]
    assert is_sound(c)


def test_after_the_delay_it_is_delivered_to_a_waiting_pull(c):
    join(c, "w")
    push(c, "r", "a", "b")
    pull(c, "w", 1)
    nack(c, "w", "r", 1, "DELAY", 30)
    assert c.call("SHARD.PULL", "pool", "w", "COUNT", 9, "BLOCK", 0) == [[b"r", 1, b"a"], [b"r", 2, b"b"]]


def test_a_delay_moves_with_its_recipient_and_survives_a_restart():
    with Server(appendonly="yes") as server:
        c = server.admin
        join(c, "w", "heir")
        push(c, "r", "a")
        pull(c, "w")
        nack(c, "w", "r", 1, "DELAY", HOUR)
        c.call("SHARD.LEAVE", "pool", "w")
        assert owner(c, "r") == "heir" and pull(c, "heir") == []
        before = server.digest("pool")
        server.rewrite_aof()
        server.kill()
        server.come_back()
        c = server.admin
        assert server.digest("pool") == before and pull(c, "heir") == [] and is_sound(c)


def test_nack_counts_attempts_and_gives_up_in_the_end(c):
    c.call("SHARD.SET", "pool", "MAXATTEMPTS", 2, "DEADLETTER", "dead")
    join(c, "w")
    push(c, "r", "a", "b")
    pull(c, "w")
    assert nack(c, "w", "r", 1) == 2
    pull(c, "w")
    nack(c, "w", "r", 1)
    assert pull_with_attempts(c, "w") == [("r", 2, "b", 3)]
    assert [tag["attempts"] for tag, _ in letters(c)] == [2]


def test_dead_gives_one_payload_up_with_a_reason_and_the_others_stay_in_hand(c):
    c.call("SHARD.SET", "pool", "DEADLETTER", "dead")
    join(c, "w")
    push(c, "r", "a", "b", "c")
    pull(c, "w", 2)
    assert nack(c, "w", "r", 1, "DEAD", 'no "such" address') == 1
    assert letters(c) == [({"why": "dead", "attempts": 1, "sequence": 1, "recipient": "r", "pool": "pool",
                            "reason": 'no "such" address'}, "a")]
    assert pull(c, "w") == [("r", 3, "c")]
    assert ack(c, "w", "r", 3) == 2 and is_sound(c)


# --- where they go ---


def test_a_log_that_cannot_be_written_keeps_nothing_up_and_loses_nothing(c):
    c.call("SHARD.SET", "pool", "DEADLETTER", "dead")
    join(c, "w")
    push(c, "r", "a", "b")
    pull(c, "w")
    c.call("SET", "dead", "a string")
    nack(c, "w", "r", 1, "DEAD", "why")
    assert info(c)["unsent"] == 1
    assert ack(c, "w", "r", 2) == 1, "the queue goes on"
    c.call("DEL", "dead")
    c.call("DEBUG", "RELOAD")  # a pool that was loaded makes its next attempt at once
    wait_until(lambda: info(c)["unsent"] == 0, "it was written")
    assert [entry for _, entry in letters(c)] == ["a"]


def test_a_reader_that_waits_for_the_log_is_woken(server, c, connect):
    c.call("SHARD.SET", "pool", "DEADLETTER", "dead")
    join(c, "w")
    push(c, "r", "a")
    pull(c, "w")
    reader = connect()
    reader.send("TREAD", "dead", 1, 10, "BLOCK", 0)
    wait_until(lambda: server.counter("log_readers_blocked") >= 1, "it waits")
    nack(c, "w", "r", 1, "DEAD", "why")
    assert reader.read()[0][2] == b"a"


def test_the_log_must_be_one_and_writable(server, c, connect):
    c.call("SET", "string", "x")
    assert c.error_of("SHARD.SET", "pool", "DEADLETTER", "string").startswith("WRONGTYPE")
    c.call("ACL", "SETUSER", "worker", "on", "nopass", "~pool", "+@all")
    limited = connect()
    limited.call("AUTH", "worker", "x")
    assert limited.error_of("SHARD.SET", "pool", "DEADLETTER", "dead") == "NOPERM this user may not TWRITE to 'dead'"
    assert c.call("EXISTS", "pool") == 0
    c.call("SHARD.SET", "pool", "DEADLETTER", "dead")
    assert info(c)["deadletter"] == b"dead"
    c.call("SHARD.SET", "pool", "DEADLETTER", "none")
    assert info(c)["deadletter"] is None


def test_a_replica_gets_the_letters_once(server, replica, c):
    c.call("SHARD.SET", "pool", "MAXATTEMPTS", 1, "DEADLETTER", "dead")
    join(c, "w")
    push(c, "r", *map(str, range(5)))
    for _ in range(5):
        pull(c, "w", 1)
        join(c, "w")
    server.wait_for_replica(replica)
    assert replica.digest("pool") == server.digest("pool") and replica.digest("dead") == server.digest("dead")
    assert len(letters(c)) == 5
