"""Dictionaries of terms for the battery: what fill() puts into one, and everything a client can see of it."""

import random

_TERMS = ["Berlin", "größe", b"\x00\xff\r\n", bytes(range(1, 256)), "x" * 512, "ЗИМА", "日本"]
_LETTERS = "abcABCäÄk"


def _do(connection, commands):
    for command, answer in zip(commands, connection.call_all(commands)):
        assert not isinstance(answer, Exception), (command[:3], answer)


def info(connection, key):
    answer = connection.call("SUG.INFO", key)
    return dict(zip(answer[::2], answer[1::2]))


def scores(connection, key, prefix="", *options):
    """All terms with their scores, the best first."""
    flat = connection.call("SUG.GET", key, prefix, "LIMIT", "10000", "WITHSCORES", *options)
    return list(zip(flat[::2], flat[1::2]))


def fill(connection, key, seed):
    """Adds some thousand terms that share prefixes, lets their scores decay in between, and deletes some."""
    rng = random.Random(seed)
    commands = [("SUG.ADD", key, term, "SCORE", rng.randrange(100)) for term in _TERMS]
    commands += [("SUG.ADD", key, rng.randbytes(rng.randrange(200, 512)), "SCORE", n % 7) for n in range(300)]
    for n in range(1500):
        term = "".join(rng.choices(_LETTERS, k=rng.randrange(1, 6)))
        commands.append(("SUG.ADD", key, term, *rng.choice([(), ("INCR", "0.3"), ("SCORE", rng.randrange(50))])))
        if n % 5 == 0:
            commands.append(("SUG.DEL", key, term))
        if n % 100 == 0:
            commands.append(("SUG.DECAY", key, rng.choice(["10", "33.3", "0.001"])))
    commands.append(("SUG.ADD", key, "first", "SCORE", "1000"))
    _do(connection, commands)


def append(connection, key):
    """Adds one more term, whose name is derived from the number of terms."""
    connection.call("SUG.ADD", key, f"appended {info(connection, key)[b'terms']}")


def shrink(connection, key):
    """Deletes all terms but one."""
    terms = [term for term, _ in scores(connection, key)]
    _do(connection, [("SUG.DEL", key, term) for term in terms[1:]])


def read(connection, key):
    asked = [scores(connection, key, prefix, *options) for prefix, options in (("a", ()), ("Ä", ("NOCASE",)), ("abc", ("FUZZY",)))]
    return scores(connection, key), asked, info(connection, key)


def small(connection, key):
    _do(connection, [
        ("SUG.ADD", key, "tea", "SCORE", "5"),
        ("SUG.ADD", key, "teak"),
        ("SUG.ADD", key, "x" * 60, "INCR", "0.5"),
        ("SUG.ADD", key, "gone"),
        ("SUG.DECAY", key, "10"),
        ("SUG.DEL", key, "gone"),
    ])
