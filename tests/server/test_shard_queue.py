"""The queue of a pool: PUSH, PULL, ACK. One recipient's payloads stay in order; recipients take turns."""

import random

from server import Server
from shard_words import ack, info, is_sound, join, pull, push, recipients, route, worker_info


def test_push_answers_with_worker_and_pending(c):
    join(c, "w")
    assert c.call("SHARD.PUSH", "pool", "r", "1") == [b"w", 1]
    assert c.call("SHARD.PUSH", "pool", "r", "2", "3") == [b"w", 3]


def test_pull_answers_with_recipient_sequence_and_payload(c):
    join(c, "w")
    push(c, "r", "1", "2")
    assert c.call("SHARD.PULL", "pool", "w", "COUNT", "5") == [[b"r", 1, b"1"], [b"r", 2, b"2"]]
    assert c.call("SHARD.PULL", "pool", "w") == [], "nothing is delivered twice"


def test_pull_delivers_one_unless_more_are_asked_for(c):
    join(c, "w")
    push(c, "r", "1", "2")
    assert c.call("SHARD.PULL", "pool", "w") == [[b"r", 1, b"1"]]


def test_payloads_are_any_bytes(c):
    join(c, "w")
    payloads = [b"", bytes(range(256)), b"BLOCK", b"COUNT\r\n", random.Random(1).randbytes(300_000)]
    c.call("SHARD.PUSH", "pool", "r", *payloads)
    assert [payload for _, _, payload in c.call("SHARD.PULL", "pool", "w", "COUNT", "9")] == payloads


def test_block_is_an_option_only_as_the_last_word_but_one_behind_a_payload(c):
    join(c, "w")
    assert push(c, "r", "BLOCK", "5") == ("w", 2), "two payloads: an option comes behind one"
    assert push(c, "r", "payload", "BLOCK", "5") == ("w", 3)
    assert push(c, "r", "BLOCK", "BLOCK", "5") == ("w", 4)
    assert push(c, "r", "BLOCK", "5", "payload") == ("w", 7)
    taken = [payload for _, _, payload in pull(c, "w")]
    assert taken == ["BLOCK", "5", "payload", "BLOCK", "BLOCK", "5", "payload"]


def test_a_worker_gets_only_what_its_own_recipients_have(c):
    join(c, "a", "b")
    for n in range(6):
        push(c, f"r{n}", f"p{n}")
    assert [one[0] for one in pull(c, "a")] == ["r0", "r2", "r4"]
    assert [one[0] for one in pull(c, "b")] == ["r1", "r3", "r5"]


def test_pull_serves_recipients_in_turn(c):
    join(c, "w")
    push(c, "busy", *[f"b{n}" for n in range(1, 6)])
    push(c, "quiet", "q1")
    push(c, "other", "o1", "o2")
    turns = [(name, sequence) for name, sequence, _ in pull(c, "w")]
    assert turns == [("busy", 1), ("quiet", 1), ("other", 1), ("busy", 2), ("other", 2), ("busy", 3), ("busy", 4), ("busy", 5)]


def test_turns_go_on_from_one_pull_to_the_next(c):
    join(c, "w")
    push(c, "a", "1", "2", "3")
    push(c, "b", "1", "2", "3")
    assert [one[0] for one in pull(c, "w", 3)] == ["a", "b", "a"]
    push(c, "c", "1")
    assert [one[0] for one in pull(c, "w", 4)] == ["b", "a", "c", "b"]


def test_turns_outlive_a_restart():
    with Server(appendonly="yes") as server:
        with server.connect() as c:
            join(c, "w")
            push(c, "a", "1", "2", "3")
            push(c, "b", "1", "2", "3")
            push(c, "c", "1")
            pull(c, "w", 1)
        server.rewrite_aof()
        server.shutdown(save=False)
        server.restart()
        with server.connect() as c:
            assert [one[0] for one in pull(c, "w")] == ["b", "c", "a", "b", "a", "b"]
            assert is_sound(c)


def test_ack_answers_with_how_many_and_acknowledges_all_up_to_there(c):
    join(c, "w")
    push(c, "r", *"12345")
    pull(c, "w", 4)
    assert ack(c, "w", "r", 3) == 3
    assert (recipients(c, "w"), worker_info(c, "w")["pending"]) == ([("r", 2)], 2)
    assert ack(c, "w", "r", 3) == ack(c, "w", "r", 1) == 0, "again is no error"
    assert ack(c, "w", "r", 4) == 1
    assert c.error_of("SHARD.ACK", "pool", "w", "r", "5") == "ERR that sequence has not been delivered"
    assert pull(c, "w") == [("r", 5, "5")]
    assert ack(c, "w", "r", 5) == 1
    assert info(c)["pending"] == 0


def test_sequences_go_on_when_the_queue_was_empty(c):
    join(c, "w")
    for n in range(1, 4):
        push(c, "r", "payload")
        assert pull(c, "w") == [("r", n, "payload")]
        assert ack(c, "w", "r", n) == 1


def test_each_recipient_has_sequences_of_its_own(c):
    join(c, "w")
    push(c, "a", "1", "2")
    push(c, "b", "1")
    assert [(name, sequence) for name, sequence, _ in pull(c, "w")] == [("a", 1), ("b", 1), ("a", 2)]


def test_routing_and_queueing_one_recipient_go_to_the_same_worker(c):
    join(c, "a", "b", "c")
    push(c, "r", "payload")
    assert route(c, "r", "r") == ["a", "a"]
    assert push(c, "r", "payload") == ("a", 4)


def test_acknowledged_payloads_give_their_memory_back(c):
    join(c, "w")
    empty = c.call("MEMORY", "USAGE", "pool", "SAMPLES", "0")
    push(c, "r", *["x" * 1000] * 500)
    assert c.call("MEMORY", "USAGE", "pool", "SAMPLES", "0") > 500_000
    pull(c, "w")
    ack(c, "w", "r", 500)
    assert c.call("MEMORY", "USAGE", "pool", "SAMPLES", "0") < empty + 1000


def test_under_maxmemory_nothing_is_taken_and_everything_can_be_delivered(server, c):
    join(c, "w")
    push(c, "r", "payload")
    with server.changed_settings(maxmemory="1", maxmemory_policy="noeviction"):
        assert c.error_of("SHARD.PUSH", "pool", "r", "payload").startswith("OOM ")
        assert c.error_of("SHARD.ROUTE", "pool", "r").startswith("OOM ")
        assert c.call("SHARD.HEARTBEAT", "pool", "w") == 1
        assert pull(c, "w") == [("r", 1, "payload")]
        assert ack(c, "w", "r", 1) == 1
