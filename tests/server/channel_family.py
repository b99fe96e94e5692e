"""Channels for the battery: what fill() puts into one, and everything a client can see of it.

Nearly all of a full channel's memory is subscribers: a client can remove these again, while messages only expire.
"""

import random
import re

from resp import RespError
from server import wait_until

HOUR = 3_600_000
_IDS = [b"\x00\xff\r\n", "größe".encode(), bytes(range(256)), b"i" * 512, b"1"]


class Receipt:
    """Equal to every receipt, because a test cannot foresee a receipt's content."""

    def __eq__(self, other):
        return isinstance(other, bytes) and re.fullmatch(rb"-?\d+\.[0-9a-f]{8}\.[0-9a-f]{16}", other) is not None

    def __repr__(self):
        return "a receipt"


def info(connection, key, *options):
    """CHAN.INFO as a dict, whatever the protocol; None if there is no such channel."""
    try:
        return fields(connection.call("CHAN.INFO", key, *options))
    except RespError as error:
        assert str(error).startswith("NOSUB")
        return None


def fields(answer):
    pairs = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2])
    return {name.decode(): value for name, value in pairs}


def full(connection, key):
    return info(connection, key, "FULL", "COUNT", "1000000")


def fill(connection, key, seed):
    rng = random.Random(seed)
    _do(connection, _that_expires(key))
    wait_until(lambda: info(connection, key)["messages"] == 0, "the first messages have expired")
    _do(connection, _commands(key, rng))
    for subscriber in ("ann", b"\x00\xff\r\n", "carl"):
        [answer] = _do(connection, [("CHAN.FETCH", key, subscriber, "MAX", rng.randrange(1, 40))])
        _do(connection, [("CHAN.ACK", key, subscriber, answer[1])])
    _do(connection, [("CHAN.FETCH", key, "bob"), ("CHAN.SUBSCRIBE", key, "late"), ("PERSIST", key)])


def _do(connection, commands):
    commands = list(commands)
    answers = connection.call_all(commands)
    for command, answer in zip(commands, answers):
        assert not isinstance(answer, Exception), (command[:3], answer)
    return answers


def _that_expires(key):
    """Adds messages that have expired before the others come. The key itself stays."""
    yield ("MULTI",)
    yield ("CHAN.SUBSCRIBE", key, "forgotten", "EXPIRE", "5")
    yield ("CHAN.MPUBLISH", key, *[word for n in range(10) for word in (f"old {n}", "old")])
    yield ("PERSIST", key)
    yield ("EXEC",)


def _commands(key, rng):
    yield ("CHAN.SUBSCRIBE", key, "ann", "EXPIRE", HOUR)
    for name in (b"\x00\xff\r\n", "bob", "carl", "leaves"):
        yield ("CHAN.SUBSCRIBE", key, name)
    for n in range(60):
        id = rng.choice(_IDS) if rng.random() < 0.2 else b"message:%d" % n
        yield ("CHAN.PUBLISH", key, id, rng.randbytes(rng.choice([0, 1, 20, 100, 127, 128])))
        for _ in range(10):
            yield ("CHAN.SUBSCRIBE", key, rng.randbytes(rng.choice([1, 15, 16, 100, 500, 512])))
    several = [rng.randbytes(rng.choice([1, 30])) for _ in range(40)]
    yield ("CHAN.MPUBLISH", key, *several, "large", rng.randbytes(5000))
    yield ("CHAN.PUBLISH", key, "large", "a duplicate")


def append(connection, key):
    """Publishes one more message. Its id is computed from the clock, so a channel that is created again gets the same
    id."""
    known = info(connection, key)
    connection.call("CHAN.PUBLISH", key, f"after {known['clock'] if known else 0}", "content")


def shrink(connection, key):
    """All subscribers leave."""
    known = full(connection, key)
    names = [fields(one)["name"] for one in known["subscribers"]] if known else []
    _do(connection, [("CHAN.UNSUBSCRIBE", key, name) for name in names])


def read(connection, key):
    """What can be seen, without times to live: the digest contains these, as dates."""
    known = full(connection, key)
    if known is None:
        return ()
    subscribers, messages, ids = (_without_ttl(known[name]) for name in ("subscribers", "messages", "ids"))
    assert [(id["id"], id["clock"]) for id in ids] == [(message["id"], message["clock"]) for message in messages]
    asked = [message["id"] for message in messages[:50]] + [b"unknown"]
    seen = [connection.call("CHAN.SEEN", key, one["name"], *asked) for one in subscribers[:3] + subscribers[-3:]]
    return known["expire"], known["clock"], subscribers, messages, seen


def _without_ttl(entries):
    return [{name: value for name, value in fields(entry).items() if name != "ttl"} for entry in entries]


def small(connection, key):
    _do(connection, _that_expires(key))
    wait_until(lambda: info(connection, key)["messages"] == 0, "the first messages have expired")
    _do(connection, [("CHAN.SUBSCRIBE", key, name, "EXPIRE", HOUR) for name in ("ann", "bob")])
    [_, answer] = _do(connection, [("CHAN.PUBLISH", key, "one", "1"), ("CHAN.FETCH", key, "bob")])
    _do(connection, [("CHAN.ACK", key, "bob", answer[1]), ("CHAN.MPUBLISH", key, "two", "", "three", "x" * 60)])
    connection.call("PERSIST", key)
