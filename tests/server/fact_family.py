"""Graphs of facts for the battery: what fill() puts into one, and everything a client can see of it."""

import random

ANY = ("*", "*", "*")
_NAMES = ["ann", "größe", "*", "=x", b"\x00\xff\r\n", bytes(range(256)), "x" * 4096]


def _do(connection, commands):
    for command, answer in zip(commands, connection.call_all(commands)):
        assert not isinstance(answer, Exception), (command[:3], answer)


def info(connection, key):
    answer = connection.call("FACT.INFO", key)
    return dict(zip(answer[::2], answer[1::2]))


def found(connection, key, *asked, limit=97):
    """All facts of a pattern, page by page."""
    facts, cursor = [], None
    while True:
        after = () if cursor is None else ("AFTER", cursor)
        cursor, page = connection.call("FACT.FIND", key, *(asked or ANY), "LIMIT", limit, *after)
        facts += page
        if cursor is None:
            return facts


def fill(connection, key, seed):
    """Adds some thousand facts, with names of every kind, and deletes some of them."""
    rng = random.Random(seed)
    names = _NAMES + [f"user:{n}" for n in range(300)]
    commands = []
    for n in range(700):
        facts = [word for _ in range(rng.randrange(1, 6)) for word in (rng.choice(names), f"p{rng.randrange(6)}", rng.choice(names))]
        commands.append(("FACT.ADD", key, *facts))
        if n % 3 == 0:
            commands.append(("FACT.DEL", key, *facts[:3]))
    commands.append(("FACT.ADD", key, "first", "is", "here", "first", "knows", "second"))
    commands.append(("FACT.WALK", key, "first", "*"))
    _do(connection, commands)


def append(connection, key):
    """Adds one more fact, whose name is derived from the number of facts."""
    connection.call("FACT.ADD", key, f"appended {info(connection, key)[b'facts']}", "is", "here")


def shrink(connection, key):
    """Deletes all facts but one."""
    facts = found(connection, key)
    _do(connection, [("FACT.DEL", key, *fact) for fact in facts[1:]])


def read(connection, key):
    walked = connection.call("FACT.WALK", key, "first", "*", "LIMIT", "1000000")
    counts = [connection.call("FACT.COUNT", key, *asked) for asked in (ANY, ("*", "p1", "*"), ("*", "*", "==x"))]
    return found(connection, key), found(connection, key, "*", "p3", "*"), walked, counts, info(connection, key)


def small(connection, key):
    _do(connection, [
        ("FACT.ADD", key, "ann", "knows", "bob", "bob", "knows", "carl", "x" * 60, "knows", "ann"),
        ("FACT.ADD", key, "gone", "knows", "bob"),
        ("FACT.DEL", key, "gone", "knows", "bob"),
    ])
