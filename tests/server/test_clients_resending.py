"""What a second sending of the same command does, as the table of docs/clients.md says. A client that resends by itself
does no more than this."""

import pytest

from resp import RespError

LOG = [("TWRITE", "log", "ENTRIES", "tag", "one", "tag", "two")]
GROUP = ("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "60000", "0")
CHANNEL = [("CHAN.SUBSCRIBE", "channel", "s")]
POOL = [("SHARD.JOIN", "pool", "w"), ("SHARD.HEARTBEAT", "pool", "w")]
TABLE = [("ROUTE.DEVICE", "SET", "table", "phone|push"), ("ROUTE.SUBSCRIBE", "table", "phone|push", "APP", "a", "MODEL", "m")]

# name: (the commands before, the command, what the answer to the first sending shows, and to the second)
CASES = {
    "TWRITE is stored twice": ([], ("TWRITE", "log", "tag", "entry"), 1, 2),
    "TREAD gives the same": (LOG, ("TREAD", "log", "1", "1"), [[1, b"tag", b"one"]], [[1, b"tag", b"one"]]),
    "TREAD GROUP gives the next messages": (LOG, GROUP, [[1, b"tag", b"one"]], [[2, b"tag", b"two"]]),
    "TACK does nothing": ([*LOG, GROUP], ("TACK", "log", "g", "1"), 1, 0),
    "TNACK gives back what is pending": ([*LOG, GROUP], ("TNACK", "log", "g", "1"), 1, 1),
    "CHAN.PUBLISH finds the id": (CHANNEL, ("CHAN.PUBLISH", "channel", "id", "content"), 1, None),
    "SHARD.PUSH queues twice": (POOL, ("SHARD.PUSH", "pool", "ann", "payload"), [b"w", 1], [b"w", 2]),
    "SHARD.ROUTE counts twice": (POOL, ("SHARD.ROUTE", "pool", "ann"), [b"w", 1], [b"w", 2]),
    "SHARD.PULL gives what is not in hand": (
        [*POOL, ("SHARD.PUSH", "pool", "ann", "one")], ("SHARD.PULL", "pool", "w"), [[b"ann", 1, b"one"]], []),
    "SHARD.ACK does nothing": (
        [*POOL, ("SHARD.PUSH", "pool", "ann", "one"), ("SHARD.PULL", "pool", "w")],
        ("SHARD.ACK", "pool", "w", "ann", "1"), 1, 0),
    "LOCK.RELEASE finds the lock free": (
        [("LOCK.ACQUIRE", "lock", "ann", "60000")], ("LOCK.RELEASE", "lock", "ann"), 0, "error"),
    "ROUTE.SUBSCRIBE renews": (TABLE[:1], TABLE[1], [b"app:a:model:m", None], [b"app:a:model:m", None]),
    "ROUTE.DISPATCH writes twice": (
        TABLE, ("ROUTE.DISPATCH", "table", "APP", "a", "MODEL", "m", "EVENT", "e", "QUEUES", "push", "queue"),
        [[b"push", 1, 1]], [[b"push", 1, 2]]),
}


def answer_of(c, *words):
    c.send(*words)
    answer = c.read()
    return "error" if isinstance(answer, RespError) else answer


@pytest.mark.parametrize("case", CASES)
def test_a_command_that_is_sent_twice(c, case):
    before, command, first, second = CASES[case]
    for words in before:
        c.call(*words)
    assert [answer_of(c, *command), answer_of(c, *command)] == [first, second]


def test_an_acquisition_that_is_sent_twice_counts_twice_and_a_renewal_once(c):
    assert [c.call("LOCK.ACQUIRE", "lock", "ann", 60_000)[3] for _ in range(2)] == [1, 2]
    assert [c.call("LOCK.RENEW", "lock", "ann", 60_000) for _ in range(2)] == [1, 1]
    assert [answer_of(c, "LOCK.RELEASE", "lock", "ann") for _ in range(3)] == [1, 0, "error"]


def test_a_fetch_that_is_sent_twice_gives_the_same_and_an_acknowledgement_counts_once(c):
    c.call("CHAN.SUBSCRIBE", "channel", "s")
    c.call("CHAN.PUBLISH", "channel", "id", "content")
    first, second = (c.call("CHAN.FETCH", "channel", "s") for _ in range(2))
    assert first == second
    assert [c.call("CHAN.ACK", "channel", "s", first[1]) for _ in range(2)] == [1, 0]


def test_a_group_read_without_retry_that_is_sent_twice_loses_what_the_first_delivered(c):
    c.call("TWRITE", "log", "ENTRIES", "tag", "one", "tag", "two")
    assert [c.call("TREAD", "log", 1, 1, "GROUP", "g")[0][2] for _ in range(2)] == [b"one", b"two"]
    assert c.call("TGROUP", "PENDING", "log", "g") == []


def test_what_a_lost_answer_to_a_pull_delivered_comes_again_when_the_worker_joins_again(c):
    for words in POOL:
        c.call(*words)
    c.call("SHARD.PUSH", "pool", "ann", "one")
    assert [len(c.call("SHARD.PULL", "pool", "w")) for _ in range(2)] == [1, 0]
    for words in POOL:
        c.call(*words)
    assert c.call("SHARD.PULL", "pool", "w") == [[b"ann", 1, b"one"]]
