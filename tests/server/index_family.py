"""Indexes for the battery: what fill() puts into one, and everything a client can see of it.

An index's content is derived from the documents of its database. So that a copy in another database is equal, fill()
writes the same documents into the first three databases.
"""

import random

from index_oracle import check, found, info
from server import wait_until

FIELDS = ("FIELD", "city", "TEXT", "NOCASE", "FIELD", "age", "INTEGER", "FIELD", "mail", "TEXT", "UNIQUE", "FIELD", "tags", "TEXT",
          "MANY", ",", "FIELD", "more", "TEXT", "MANY", ",")  # fmt: skip


def prefix_of(connection, key, seed):
    """The same seed gives the same documents; in a cluster they are in the slot of the index."""
    if _databases(connection) == 3:
        return f"documents {seed}:"
    return key + ":" if "{" in key else f"{{{key}}}:"


def _databases(connection):
    return 1 if b"cluster_enabled:1" in connection.call("INFO", "cluster") else 3


def _tags(rng, count):
    return ",".join(f"{rng.randrange(10**20):020}" for _ in range(count))


def _documents(prefix, rng):
    """Few and large, because the battery looks at all keys."""
    large = ("tags", _tags(rng, 900), "more", _tags(rng, 900))
    yield ("HSET", prefix + "1", "city", "Bonn", "age", "41", "mail", "ann", *large)
    yield ("HSET", prefix + "2", "city", "BONN", "age", "no number", "mail", "ann", "tags", _tags(rng, 9))
    yield ("HSET", prefix + "3", "city", "Köln", "age", 2**63 - 1, "mail", "bob", "tags", _tags(rng, 3))
    yield ("PEXPIREAT", prefix + "3", "4102444800000")


def fill(connection, key, seed):
    """Documents with every kind of value: some do not fit the schema, and some claim the same mail address."""
    rng = random.Random(seed)
    prefix = prefix_of(connection, key, seed)
    if connection.call("EXISTS", key):
        return append(connection, key)
    _do(connection, [("IDX.CREATE", key, "PREFIX", prefix, *FIELDS, "ORDER", "both", "2", "tags", "city")])
    chosen = int(dict(part.split(b"=", 1) for part in connection.call("CLIENT", "INFO").split())[b"db"])
    documents = list(_documents(prefix, rng))
    for database in range(_databases(connection)):
        if _databases(connection) > 1:
            connection.call("SELECT", (chosen + database) % 3)
        _do(connection, documents)
    if _databases(connection) > 1:
        connection.call("SELECT", chosen)
    wait_until(lambda: info(connection, key)[b"state"] == b"ready", "the index is built")


def _do(connection, commands):
    commands = list(commands)
    for command, answer in zip(commands, connection.call_all(commands)):
        assert not isinstance(answer, Exception), (command[:3], answer)


def append(connection, key):
    """Adds one more field, whose name is derived from the number of fields."""
    known = info(connection, key)
    if known is None:
        connection.call("IDX.CREATE", key, "PREFIX", "no such document:", "FIELD", "first", "TEXT")
    else:
        connection.call("IDX.ALTER", key, "ADD", "FIELD", f"appended {len(known[b'fields'])}", "TEXT")


def shrink(connection, key):
    """Deletes all orders but one."""
    known = info(connection, key)
    if known is None:
        return
    for order in known[b"orders"]:
        connection.call("IDX.ALTER", key, "DROP", "ORDER", order[1])
    for field in known[b"fields"][1:]:
        connection.call("IDX.ALTER", key, "DROP", "FIELD", field[1])


def read(connection, key):
    """Documents in every order, and those that are left out. Servers may differ in the order of equal documents."""
    if connection.call("TYPE", key) == b"hash":
        return sorted(connection.call("HGETALL", key))
    known = info(connection, key)
    if known is None:
        return None
    wait_until(lambda: info(connection, key)[b"state"] == b"ready", "the index is built")
    known = info(connection, key)
    fields = [field[1] for field in known[b"fields"]]
    orders = [sorted(map(repr, found(connection, key, "ORDER", name, "WITHVALUES"))) for name in fields if name != b"mail"]
    schema = [field[:10] for field in known[b"fields"]], [order[:4] for order in known[b"orders"]]
    texts = [field[1] for field in known[b"fields"] if field[3] == b"TEXT" and field[1] != b"mail"]
    completed = [connection.call("IDX.COMPLETE", key, name, "", "WITHCOUNTS") for name in texts]
    skipped = sorted(map(repr, connection.call("IDX.SKIPPED", key, "COUNT", "1000")))
    with_mail = len(found(connection, key, "ORDER", "mail")) if b"mail" in fields else 0
    report = check(connection, key)
    assert not (report[b"missing"] or report[b"stale"] or report[b"wrong"]), report
    return known[b"prefix"], sorted(found(connection, key)), orders, completed, skipped, with_mail, known[b"conflicts"], schema


def small(connection, key):
    prefix = prefix_of(connection, key, "small")
    _do(connection, [
        ("HSET", prefix + "1", "city", "Bonn", "age", "7", "mail", "a@x", "tags", "a,b"),
        ("HSET", prefix + "2", "city", "Köln", "age", "x", "mail", "a@x", "height", "1.75"),
        ("HSET", prefix + "3", "height", "-3"),
        ("IDX.CREATE", key, "PREFIX", prefix, *FIELDS, "FIELD", "height", "NUMBER", "ORDER", "o", "2", "city", "age"),
    ])  # fmt: skip
    wait_until(lambda: info(connection, key)[b"state"] == b"ready", "the index is built")


def steady(answer):
    """The answer of a reading command, without what is random or depends on the time, and without the order of equal
    documents."""
    if not isinstance(answer, (dict, list)):
        return answer
    changing = {b"bytes"}
    if b"checked" in answer:
        changing |= {b"state", b"checked"}  # a check goes on while it is asked about
    if isinstance(answer, dict):
        return {name: steady(value) for name, value in answer.items() if name not in changing}
    kept = [one for at, one in enumerate(answer) if at == 0 or not _is_one_of(answer[at - 1], changing)]
    return sorted(map(steady, kept), key=repr)


def _is_one_of(name, names):
    return isinstance(name, bytes) and name in names
