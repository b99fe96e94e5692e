"""Worker pools for the battery: what fill() puts into one, and everything a client can see of it.

Nearly all of a full pool's memory is payloads: a client can remove these again, while recipients stay.
"""

import random

import shard_words
from resp import RespError
from server import wait_until
from shard_words import HOUR, NOTOWNER, NOWORKER, NOWORKERS

_WORKERS = ("w0", b"\x00\xff\r\n", "größe", "w3", "leaves", "is leaving", "doomed")


def fill(connection, key, seed):
    """Workers that work, that leave, that have died, and that have never shown that they are alive; messages that are
    routed, queued, in flight and done. Nothing else happens by itself for an hour."""
    rng = random.Random(seed)
    _do(connection, [("SHARD.SET", key, "STALE", HOUR), *[("SHARD.JOIN", key, worker) for worker in _WORKERS]])
    before = shard_words.info(connection, key)
    _do(connection, _that_fails_over(key, before["recipients"]))
    wait_until(lambda: _failovers(connection, key) > before["failovers"], "a worker has died")
    _do(connection, _commands(key, rng))
    for n in range(20):
        owner = connection.call("SHARD.OWNER", key, f"idle {n}")
        _do(connection, [("SHARD.DONE", key, owner, f"idle {n}")])
    _do(connection, [("SHARD.LEAVE", key, "is leaving"), ("SHARD.JOIN", key, "never seen")])


def _do(connection, commands):
    commands = list(commands)
    answers = connection.call_all(commands)
    for command, answer in zip(commands, answers):
        assert not isinstance(answer, Exception), (command[:3], answer)
    return answers


def _failovers(connection, key):
    return shard_words.info(connection, key)["failovers"]


def _that_fails_over(key, known):
    for n in range(2 * len(_WORKERS)):
        yield ("SHARD.ROUTE", key, f"early {known + n}")
    yield ("SHARD.HEARTBEAT", key, "doomed")
    yield ("SHARD.SET", key, "STALE", "5")


def _commands(key, rng):
    yield ("SHARD.SET", key, "STALE", HOUR)
    yield ("SHARD.PUSH", key, "queue", "in hand", "too", "and this", "waits")
    yield from [("SHARD.ROUTE", key, "busy")] * 100
    names = [rng.randbytes(rng.choice([1, 8, 15, 16, 40, 512])) for _ in range(100)]
    yield from [("SHARD.ROUTE", key, name) for name in names]
    for _ in range(300):
        payloads = [rng.randbytes(rng.choice([0, 1, 100, 127, 128, 1000, 5000])) for _ in range(rng.randrange(1, 3))]
        yield ("SHARD.PUSH", key, rng.choice(names), *payloads)
    for worker in _WORKERS[:4]:
        yield ("SHARD.PULL", key, worker, "COUNT", rng.randrange(5, 40))
    yield from [("SHARD.ROUTE", key, f"idle {n}") for n in range(20)]
    # It gets again what it had in flight.
    yield ("SHARD.JOIN", key, "w0")
    for name in names[:30]:
        yield ("SHARD.PUSH", key, name, "ID", name[:500] + b" once", "PAYLOADS", "once")
    yield ("SHARD.SET", key, "MAXATTEMPTS", 9, "FORGET", HOUR, "RECIPIENTMAX", 1_000_000)


def append(connection, key):
    """Pushes one more payload."""
    command = ("SHARD.PUSH", key, "appended", "payload")
    try:
        connection.call(*command)
    except RespError as error:
        if str(error) != NOWORKERS:
            raise
        connection.call("SHARD.JOIN", key, "first")
        connection.call(*command)


def shrink(connection, key):
    """Delivers and acknowledges everything that is queued."""
    for worker in shard_words.info(connection, key)["workers"]:
        if worker["state"] == b"dead":
            continue
        name = worker["name"]
        # It gets again what it has in flight, unless there is no memory left for joining.
        _, delivered = connection.call_all([("SHARD.JOIN", key, name), ("SHARD.PULL", key, name, "COUNT", 1_000_000)])
        if isinstance(delivered, RespError):
            assert str(delivered) == NOWORKER
            continue
        last = {recipient: sequence for recipient, sequence, _ in delivered}
        acks = [("SHARD.ACK", key, name, recipient, sequence) for recipient, sequence in last.items()]
        for answer in connection.call_all(acks):
            assert isinstance(answer, int) or str(answer) in (NOWORKER, NOTOWNER)


def read(connection, key):
    """What can be seen, without the ages of workers: the digest contains these as dates."""
    while True:
        try:
            return _read(connection, key)
        except RespError as error:  # removed meanwhile: in a damaged pool all may be stale
            assert str(error) == NOWORKER


def _read(connection, key):
    known = shard_words.info(connection, key)
    workers = known.pop("workers")
    listed = [
        (one["name"], one["state"], one["pending"], shard_words.recipients(connection, one["name"], key))
        for one in workers
        if one["state"] != b"dead"
    ]
    assert connection.call("SHARD.CHECK", key) == b"OK"
    return known.pop("stale"), known["iterator"], listed, known["recipients"], known["pending"], known


def small(connection, key):
    _do(connection, [("SHARD.SET", key, "STALE", HOUR), *[("SHARD.JOIN", key, name) for name in ("a", "b", "leaves")]])
    _do(connection, [("SHARD.PUSH", key, f"r{n}", "ID", f"push {n}", "PAYLOADS", "one", "", "x" * 60) for n in range(4)])
    _do(connection, [("SHARD.ROUTE", key, f"r{n}") for n in range(5)])
    _do(connection, [("SHARD.PULL", key, "a", "COUNT", "3"), ("SHARD.ACK", key, "a", "r0", "1")])
    _do(connection, [("SHARD.JOIN", key, "a"), ("SHARD.HEARTBEAT", key, "a"), ("SHARD.PULL", key, "a")])
    _do(connection, [("SHARD.LEAVE", key, "leaves"), ("SHARD.HEARTBEAT", key, "b")])


def without_ages(answer):
    """SHARD.INFO's answer without what time changes."""
    if isinstance(answer, dict):
        return {name: None if name == b"age" else without_ages(value) for name, value in answer.items()}
    if not isinstance(answer, list):
        return answer
    return [None if at > 0 and answer[at - 1] == b"age" else without_ages(one) for at, one in enumerate(answer)]
