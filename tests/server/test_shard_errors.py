"""Bad input to the commands of worker pools: one exact error, nothing changed."""

import pytest

from families import KEY, on
from shard_words import HOUR, NOTOWNER, NOWORKER, NOWORKERS, info, join, pull, push, route, stale_after

CENTURY = 3_155_760_000_000
COUNTS = "expected an integer from 1 to 1000000"
TIMES = f"expected an integer from 0 to {2**53 - 1}"
STALES = f"expected an integer from 1 to {CENTURY}"
DONES = f"expected an integer from 1 to {2**32 - 1}"
SEQUENCES = f"expected an integer from 1 to {2**63 - 2}"
CURSORS = f"expected an integer from 0 to {2**64 - 1}"
CLOCKS = f"expected an integer from 0 to {(2**63 - 1) // 2}"
EFFECTS = "CLOCK, SEEN, SETTLE, FORGET, LETTERS, POOL, WORKER, RECIPIENTS, BLOCK, QUEUE, TROUBLE, DEAD or IDS"
LONG = "x" * 513


def arity(name):
    return f"wrong number of arguments for 'SHARD.{name}' command"


def length(what, bytes):
    return f"the {what} has {bytes} bytes, expected 1 to 512"


def found(expected, word):
    return f"syntax error: expected {expected}, found '{word}'"


def expected_nothing_more(word):
    return found("nothing more", word)


ROUTE = ("SHARD.ROUTE", KEY, "r")
PUSH = ("SHARD.PUSH", KEY, "r")
PULL = ("SHARD.PULL", KEY, "w")
SET = ("SHARD.SET", KEY)
RECIPIENTS = ("SHARD.RECIPIENTS", KEY, "w")
APPLY = ("SHARD.APPLY", KEY)
# name of the row: (command, error without its ERR)
ROWS = {
    "join: nobody": (("SHARD.JOIN", KEY), arity("JOIN")),
    "join: two": (("SHARD.JOIN", KEY, "w", "v"), arity("JOIN")),
    "join: empty name": (("SHARD.JOIN", KEY, ""), length("worker", 0)),
    "join: name too long": (("SHARD.JOIN", KEY, LONG), length("worker", 513)),
    "heartbeat: nobody": (("SHARD.HEARTBEAT", KEY), arity("HEARTBEAT")),
    "heartbeat: empty name": (("SHARD.HEARTBEAT", KEY, ""), length("worker", 0)),
    "heartbeat: and more": (("SHARD.HEARTBEAT", KEY, "w", "1"), arity("HEARTBEAT")),
    "leave: nobody": (("SHARD.LEAVE", KEY), arity("LEAVE")),
    "leave: empty name": (("SHARD.LEAVE", KEY, ""), length("worker", 0)),
    "leave: unknown word": (("SHARD.LEAVE", KEY, "w", "SOON"), found("NOW", "SOON")),
    "leave: NOW twice": (("SHARD.LEAVE", KEY, "w", "NOW", "NOW"), expected_nothing_more("NOW")),
    "route: nobody": (("SHARD.ROUTE", KEY), arity("ROUTE")),
    "route: empty name": (("SHARD.ROUTE", KEY, ""), length("recipient", 0)),
    "route: name too long": (("SHARD.ROUTE", KEY, LONG), length("recipient", 513)),
    "route: unknown word": ((*ROUTE, "WAIT", "1"), found("BLOCK", "WAIT")),
    "route: BLOCK without its time": ((*ROUTE, "BLOCK"), "missing BLOCK time"),
    "route: BLOCK negative": ((*ROUTE, "BLOCK", "-1"), f"invalid BLOCK time '-1': {TIMES}"),
    "route: BLOCK no number": ((*ROUTE, "BLOCK", "1s"), f"invalid BLOCK time '1s': {TIMES}"),
    "route: BLOCK too long": ((*ROUTE, "BLOCK", 2**53), f"invalid BLOCK time '{2**53}': {TIMES}"),
    "route: BLOCK twice": ((*ROUTE, "BLOCK", "1", "BLOCK", "1"), expected_nothing_more("BLOCK")),
    "push: no payload": (("SHARD.PUSH", KEY, "r"), arity("PUSH")),
    "push: empty name": (("SHARD.PUSH", KEY, "", "payload"), length("recipient", 0)),
    "push: name too long": (("SHARD.PUSH", KEY, LONG, "payload"), length("recipient", 513)),
    "push: BLOCK no number": ((*PUSH, "payload", "BLOCK", "soon"), f"invalid BLOCK time 'soon': {TIMES}"),
    "push: BLOCK negative": ((*PUSH, "a", "b", "block", "-1"), f"invalid BLOCK time '-1': {TIMES}"),
    "done: nothing": (("SHARD.DONE", KEY, "w"), arity("DONE")),
    "done: empty worker": (("SHARD.DONE", KEY, "", "r"), length("worker", 0)),
    "done: empty recipient": (("SHARD.DONE", KEY, "w", ""), length("recipient", 0)),
    "done: count 0": (("SHARD.DONE", KEY, "w", "r", "0"), f"invalid count '0': {DONES}"),
    "done: count too large": (("SHARD.DONE", KEY, "w", "r", 2**32), f"invalid count '{2**32}': {DONES}"),
    "done: two counts": (("SHARD.DONE", KEY, "w", "r", "1", "1"), expected_nothing_more("1")),
    "owner: nobody": (("SHARD.OWNER", KEY), arity("OWNER")),
    "owner: empty name": (("SHARD.OWNER", KEY, ""), length("recipient", 0)),
    "recipients: of nobody": (("SHARD.RECIPIENTS", KEY), arity("RECIPIENTS")),
    "recipients: empty name": (("SHARD.RECIPIENTS", KEY, ""), length("worker", 0)),
    "recipients: unknown word": ((*RECIPIENTS, "ALL"), found("COUNT or CURSOR", "ALL")),
    "recipients: COUNT without its number": ((*RECIPIENTS, "COUNT"), "missing COUNT"),
    "recipients: COUNT 0": ((*RECIPIENTS, "COUNT", "0"), f"invalid COUNT '0': {COUNTS}"),
    "recipients: COUNT too large": ((*RECIPIENTS, "COUNT", "1000001"), f"invalid COUNT '1000001': {COUNTS}"),
    "recipients: COUNT twice": ((*RECIPIENTS, "COUNT", "1", "count", "1"), "COUNT is given twice"),
    "recipients: CURSOR negative": ((*RECIPIENTS, "CURSOR", "-1"), f"invalid CURSOR '-1': {CURSORS}"),
    "recipients: CURSOR too large": ((*RECIPIENTS, "CURSOR", 2**64), f"invalid CURSOR '{2**64}': {CURSORS}"),
    "pull: nobody": (("SHARD.PULL", KEY), arity("PULL")),
    "pull: empty name": (("SHARD.PULL", KEY, ""), length("worker", 0)),
    "pull: unknown word": ((*PULL, "ALL"), found("COUNT, BLOCK or WITHATTEMPTS", "ALL")),
    "pull: WITHATTEMPTS twice": ((*PULL, "WITHATTEMPTS", "WITHATTEMPTS"), "WITHATTEMPTS is given twice"),
    "pull: COUNT 0": ((*PULL, "COUNT", "0"), f"invalid COUNT '0': {COUNTS}"),
    "pull: COUNT too large": ((*PULL, "COUNT", "1000001"), f"invalid COUNT '1000001': {COUNTS}"),
    "pull: COUNT twice": ((*PULL, "COUNT", "1", "COUNT", "1"), "COUNT is given twice"),
    "pull: BLOCK without its time": ((*PULL, "BLOCK"), "missing BLOCK time"),
    "pull: BLOCK negative": ((*PULL, "BLOCK", "-1"), f"invalid BLOCK time '-1': {TIMES}"),
    "pull: BLOCK twice": ((*PULL, "BLOCK", "1", "BLOCK", "1"), "BLOCK is given twice"),
    "ack: no sequence": (("SHARD.ACK", KEY, "w", "r"), arity("ACK")),
    "ack: two sequences": (("SHARD.ACK", KEY, "w", "r", "1", "2"), arity("ACK")),
    "ack: sequence 0": (("SHARD.ACK", KEY, "w", "r", "0"), f"invalid sequence '0': {SEQUENCES}"),
    "ack: sequence no number": (("SHARD.ACK", KEY, "w", "r", "all"), f"invalid sequence 'all': {SEQUENCES}"),
    "ack: sequence too large": (("SHARD.ACK", KEY, "w", "r", 2**63), f"invalid sequence '{2**63}': {SEQUENCES}"),
    "ack: empty recipient": (("SHARD.ACK", KEY, "w", "", "1"), length("recipient", 0)),
    "rebalance: unknown word": (("SHARD.REBALANCE", KEY, "MOVES", "1"), found("MAXMOVES", "MOVES")),
    "rebalance: MAXMOVES 0": (("SHARD.REBALANCE", KEY, "MAXMOVES", "0"), f"invalid MAXMOVES '0': {COUNTS}"),
    "rebalance: MAXMOVES without its number": (("SHARD.REBALANCE", KEY, "MAXMOVES"), "missing MAXMOVES"),
    "set: nothing": (SET, arity("SET")),
    "set: one word": ((*SET, "STALE"), arity("SET")),
    "set: unknown word": ((*SET, "SPEED", "9"), found("STALE, POLICY, MAXATTEMPTS, DEADLETTER, FORGET or RECIPIENTMAX", "SPEED")),
    "set: MAXATTEMPTS negative": ((*SET, "MAXATTEMPTS", "-1"), "invalid MAXATTEMPTS '-1': expected an integer from 0 to 4294967295"),
    "set: FORGET over a century": ((*SET, "FORGET", CENTURY + 1), f"invalid FORGET time '{CENTURY + 1}': expected an integer from 0 to {CENTURY}"),
    "set: STALE 0": ((*SET, "STALE", "0"), f"invalid STALE time '0': {STALES}"),
    "set: STALE over a century": ((*SET, "STALE", CENTURY + 1), f"invalid STALE time '{CENTURY + 1}': {STALES}"),
    "set: STALE twice": ((*SET, "STALE", "1", "STALE", "1"), "STALE is given twice"),
    "set: POLICY unknown": ((*SET, "POLICY", "best"), found("roundrobin or leastpending behind POLICY", "best")),
    "set: the second is bad": ((*SET, "STALE", "7", "POLICY", "best"), found("roundrobin or leastpending behind POLICY", "best")),
    "set: POLICY twice": ((*SET, "POLICY", "roundrobin", "POLICY", "roundrobin"), "POLICY is given twice"),
    "check: unknown word": (("SHARD.CHECK", KEY, "all"), found("CURSOR or COUNT", "all")),
    "check: COUNT alone": (("SHARD.CHECK", KEY, "COUNT", "5"), "COUNT is for a page: it needs CURSOR"),
    "info: unknown word": (("SHARD.INFO", KEY, "all"), found("COUNT or CURSOR", "all")),
    "nack: nothing": (("SHARD.NACK", KEY, "w", "r"), arity("NACK")),
    "nack: unknown word": (("SHARD.NACK", KEY, "w", "r", "1", "LATER"), found("DELAY or DEAD", "LATER")),
    "nack: both": (("SHARD.NACK", KEY, "w", "r", "1", "DELAY", "1", "DEAD", "x"), "DELAY and DEAD exclude each other"),
    "nack: no reason": (("SHARD.NACK", KEY, "w", "r", "1", "DEAD", ""), length("reason", 0)),
    "forget: nobody": (("SHARD.FORGET", KEY), arity("FORGET")),
    "forget: empty name": (("SHARD.FORGET", KEY, "r", ""), length("recipient", 0)),
    "push: PAYLOADS and none": (("SHARD.PUSH", KEY, "r", "PAYLOADS"), "missing payload behind PAYLOADS"),
    "push: an empty id": (("SHARD.PUSH", KEY, "r", "ID", "", "PAYLOADS", "x"), length("ID", 0)),
    "push: BLOCK no number before PAYLOADS": (("SHARD.PUSH", KEY, "r", "BLOCK", "x", "PAYLOADS", "x"), f"invalid BLOCK time 'x': {TIMES}"),
    "apply: nothing": (APPLY, arity("APPLY")),
    "apply: unknown word": ((*APPLY, "MAGIC"), found(EFFECTS, "MAGIC")),
    "apply: CLOCK beyond the end of time": ((*APPLY, "CLOCK", 2**62), f"invalid CLOCK '{2**62}': {CLOCKS}"),
    "apply: SEEN without a worker": ((*APPLY, "SEEN"), "missing worker"),
    "apply: a head of the wrong length": ((*APPLY, "POOL", b"\x01"), "a pool head of the wrong length"),
    "apply: a head of another version": ((*APPLY, "POOL", b"\x03" + bytes(8)), "a pool of a version this module does not know"),
    "apply: a worker of the wrong length": ((*APPLY, "WORKER", b"\x05w"), "a worker of the wrong length"),
    "apply: a block without its header": ((*APPLY, "BLOCK", b"\x01z", b""), "a block header of the wrong length"),
    "apply: BLOCK without bytes": ((*APPLY, "BLOCK", b"\x01z"), "missing block"),
}


@pytest.fixture
def filled(c):
    join(c, "w", "v")
    stale_after(c, HOUR)
    push(c, "r", "one", "two")
    pull(c, "w", 1)
    route(c, "r", "s")


@pytest.mark.parametrize("row", ROWS)
def test_bad_input_is_refused_and_changes_nothing(server, c, filled, row):
    words, expected = ROWS[row]
    assert_refused(server, c, words, f"ERR {expected}")
    assert c.error_of(*on("missing", words)) == f"ERR {expected}"
    assert c.call("EXISTS", "missing") == 0


def assert_refused(server, c, words, error):
    before, sent = server.digest("pool"), server.info("replication")["master_repl_offset"]
    assert c.error_of(*on("pool", words)) == error
    assert server.digest("pool") == before
    assert server.info("replication")["master_repl_offset"] == sent, "nothing reached the replica"


# Errors that depend on the pool's state: (command, error)
REFUSED = {
    "done: of another worker": (("SHARD.DONE", KEY, "v", "r"), NOTOWNER),
    "done: of nobody": (("SHARD.DONE", KEY, "w", "stranger"), NOTOWNER),
    "done: more than are pending": (("SHARD.DONE", KEY, "w", "r", "2"), "ERR only 1 routed messages of it are pending"),
    "ack: of another worker": (("SHARD.ACK", KEY, "v", "r", "1"), NOTOWNER),
    "ack: of nobody": (("SHARD.ACK", KEY, "w", "stranger", "1"), NOTOWNER),
    "ack: what was not delivered": (("SHARD.ACK", KEY, "w", "r", "2"), "ERR that sequence has not been delivered"),
    "ack: without a queue": (("SHARD.ACK", KEY, "v", "s", "1"), "ERR that sequence has not been delivered"),
}


@pytest.mark.parametrize("row", REFUSED)
def test_what_the_pool_refuses_changes_nothing(server, c, filled, row):
    assert_refused(server, c, *REFUSED[row])


NEED_A_WORKER = {
    "HEARTBEAT": ("SHARD.HEARTBEAT", KEY, "stranger"),
    "LEAVE": ("SHARD.LEAVE", KEY, "stranger"),
    "DONE": ("SHARD.DONE", KEY, "stranger", "r"),
    "RECIPIENTS": ("SHARD.RECIPIENTS", KEY, "stranger"),
    "PULL": ("SHARD.PULL", KEY, "stranger"),
    "PULL BLOCK": ("SHARD.PULL", KEY, "stranger", "BLOCK", "0"),
    "ACK": ("SHARD.ACK", KEY, "stranger", "r", "1"),
}


@pytest.mark.parametrize("name", NEED_A_WORKER)
def test_a_worker_that_has_not_joined_gets_noworker(server, c, filled, name):
    assert_refused(server, c, NEED_A_WORKER[name], NOWORKER)
    assert c.error_of(*on("missing", NEED_A_WORKER[name])) == NOWORKER
    assert c.call("EXISTS", "missing") == 0


@pytest.mark.parametrize("words", [("SHARD.ROUTE", "pool", "r"), ("SHARD.PUSH", "pool", "r", "payload")], ids=lambda w: w[0])
def test_a_pool_without_workers_says_noworkers(c, words):
    assert c.error_of(*words) == NOWORKERS
    assert c.call("EXISTS", "pool") == 0
    stale_after(c, HOUR)
    assert c.error_of(*words) == NOWORKERS
    assert info(c)["recipients"] == 0, "a recipient without a worker is not kept"


# Effects that belong to a pool that exists.
NEED_A_POOL = {
    "CLOCK": (*APPLY, "CLOCK", "1"),
    "SEEN": (*APPLY, "SEEN", "w"),
    "SETTLE": (*APPLY, "SETTLE"),
}


@pytest.mark.parametrize("name", NEED_A_POOL)
def test_an_effect_makes_no_pool(server, c, name):
    sent, refused = server.info("replication")["master_repl_offset"], server.counter("payloads_refused")
    error = "ERR the pool that this effect belongs to is missing"
    assert c.error_of(*on("missing", NEED_A_POOL[name])) == error
    assert c.call("EXISTS", "missing") == 0
    assert server.info("replication")["master_repl_offset"] == sent, "nothing reached the replica"
    assert server.counter("payloads_refused") == refused + 1
    join(c, "w")
    assert c.call(*on("pool", NEED_A_POOL[name])) == b"OK"


def test_a_question_about_a_missing_pool_does_not_make_it(c):
    assert c.call("SHARD.OWNER", "pool", "r") is None
    assert c.call("SHARD.CHECK", "pool") == b"OK"
    assert c.call("SHARD.REBALANCE", "pool") == 0
    assert info(c)["workers"] == []
    assert c.call("EXISTS", "pool") == 0
