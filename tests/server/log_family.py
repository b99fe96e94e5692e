"""The log in the battery: a varied workload, and everything a client can see of it."""

import random

from log_frames import make_frame
from resp import RespError
from server import wait_until

TAGS = [b"", b"new", b"paid", b"ENTRIES", b"\x00\xff\r\n", "größe".encode(), bytes(range(256)), b"t" * 3000]


def message(rng):
    tag = rng.choice(TAGS) if rng.random() < 0.9 else b"user:%d" % rng.randrange(10**9)
    size = rng.choice([0, 1, 20, 20, 100, 100, 100, 127, 128, 1000, 5000])
    return tag, rng.randbytes(size)


def fill(connection, key, seed):
    rng = random.Random(seed)
    commands = [("TRETAIN", key, "AGE", "3600000", "COUNT", "900")]
    for _ in range(250):
        if rng.random() < 0.7:
            commands.append(("TWRITE", key, *message(rng)))
        else:
            pairs = [part for _ in range(rng.randrange(1, 12)) for part in message(rng)]
            commands.append(("TWRITE", key, "ENTRIES", *pairs))
    commands.append(("TWRITE", key, "large", rng.randbytes(300_000)))
    commands.append(("TEVICT", key, "37"))
    commands.append(("TWRITE", key, "BACKLOG", "700", "ENTRIES", "a", "b", "c", "d"))
    commands.append(("TWRITE", key, "FRAMED", make_frame(*(message(rng) for _ in range(20)))))
    commands.append(("TRETAIN", key, "COUNT", "650", "BYTES", "1000000"))
    # Ids, messages that wait for a date, and deleted ones, the last of the log among them.
    for n in range(30):
        commands.append(("TWRITE", key, "ID", b"id %d" % (n % 20), "ENTRIES", *message(rng)))
        commands.append(("TWRITE", key, "AT", str(DATE + n % 7), "ENTRIES", rng.choice(TAGS[:6]), rng.randbytes(40)))
    commands.append(("TWRITE", key, "ID", "scheduled", "AT", str(DATE), "ENTRIES", "a", "b"))
    commands.append(("TDEL", key, *(str(rng.randrange(1, 900)) for _ in range(20)), "300-330"))
    commands += group_commands(key, rng)
    for command, answer in zip(commands, connection.call_all(commands)):
        assert not isinstance(answer, Exception), (command[:3], answer)
    wait_until(lambda: pending(connection, key, "hasty") == [], "what expires has expired")


ALL = "1-9223372036854775807"
# Messages of the schedule, in the year 2096.
DATE = 4_000_000_000_000
TICKET, OTHER_TICKET = f"{DATE}-1", f"{DATE + 1}-2"
LONG = ("RETRY", "3600000", "0")


def group_commands(key, rng):
    """Groups with messages in every state. Nothing more happens to them by itself for an hour,
    except that the group "hasty" gives up what it holds."""

    def read(group, count, *options):
        return ("TREAD", key, "1", count, "GROUP", group, *options)

    # Held by consumers or without one, with gaps where messages were acknowledged.
    yield read("workers", "130", *LONG, "CONSUMER", "ann")
    yield read("workers", "20", *LONG, "CONSUMER", b"\x00\xff")
    for _ in range(30):
        yield read("workers", rng.randrange(1, 4), "RETRY", 10_000_000 + rng.randrange(1000), 20_000_000)
    for _ in range(60):
        yield ("TACK", key, "workers", rng.randrange(1, 1200))
    # Given back at once and waiting for a reader; given back and delivered again; given back for later.
    yield read("given back", "40", *LONG, "CONSUMER", "bob")
    yield ("TNACK", key, "given back", ALL)
    yield read("given back", "7", "CONSUMER", "carl")
    yield ("TNACK", key, "given back", ALL)
    yield read("delayed", "40", *LONG)
    yield ("TNACK", key, "delayed", "DELAY", "7200000", ALL)
    # Delivered once too often, and written to the dead letters.
    letters = b"{%s}:dead" % key.encode()
    yield read("strict", "3", *LONG)
    yield ("TGROUP", "SET", key, "strict", "MAXATTEMPTS", "1", "PENDINGMAX", "500", "DEADLETTER", letters)
    yield ("TNACK", key, "strict", ALL)
    yield read("strict", "5", *LONG)
    # Held, read again, extended, given back uncounted, and given up.
    yield read("mine", "30", "RETRY", "5400000", "0", "CONSUMER", "mia")
    # Made by TGROUP CREATE, and dropped when it has not been used for long.
    yield ("TGROUP", "CREATE", key, "made", "NEXT", "IDLE", "86400000", "PENDINGMAX", "9")
    # Groups whose messages are done once delivered, a group that was moved back, one at the end, and one that expired.
    yield read("simple", "100")
    yield ("TGROUP", "SEEK", key, "simple", "FIRST")
    yield ("TREAD", key, "1", "10", "TAILGROUP", b"\r\n\x00late", "BLOCK", "1", "WITHINFO")
    yield read("hasty", "70", "RETRY", "3600000", "1")


def pending(connection, key, group):
    """The pending messages, without their times: the digest contains these as dates."""
    try:
        listed = connection.call("TGROUP", "PENDING", key, group, "COUNT", "1000000")
    except RespError as error:
        # A damaged payload may say that the group has not been used for a long time.
        assert str(error).startswith("NOGROUP")
        return None
    return [(offset, attempts, consumer) for offset, attempts, _, _, consumer in listed]


def groups(connection, key):
    listed = [dict(zip(flat[::2], flat[1::2])) for flat in connection.call("TGROUP", "LIST", key)]
    return [(without_ages(group), pending(connection, key, group[b"name"])) for group in listed]


def without_ages(answer):
    """TGROUP LIST's answer without what time changes."""
    if isinstance(answer, dict):
        return {name: None if name == b"oldest-ms" else without_ages(value) for name, value in answer.items()}
    if not isinstance(answer, list):
        return answer
    return [None if at > 0 and answer[at - 1] == b"oldest-ms" else without_ages(one) for at, one in enumerate(answer)]


def read(connection, key):
    limits = connection.call("TRETAIN", key) if not is_replica(connection) else None
    [first, last], *messages = connection.call("TREAD", key, "1", "1000000", "WITHINFO")
    there = [message[0] for message in messages if message]
    assert there == sorted(set(there)) and all(first <= offset <= last for offset in there)
    scheduled = connection.call("TSCHED", "LIST", key, "COUNT", "1000")
    seeks = [connection.call("TSEEK", key, time) for time in times(connection, key)]
    return limits, first, last, messages, seeks, groups(connection, key), scheduled


def is_replica(connection):
    return connection.call("ROLE")[0] == b"slave"


def times(connection, key):
    info = connection.call("TINFO", key)
    fields = dict(zip(info[::2], info[1::2]))
    return [fields[b"first-time"], fields[b"last-time"], fields[b"last-time"] + 1]


def small(connection, key):
    connection.call("TWRITE", key, "ENTRIES", "a", "one", "b", "", "a", "three", "", "four", "b", "x" * 60)
    connection.call("TEVICT", key, "1")
    connection.call("TRETAIN", key, "COUNT", "40", "BYTES", "3000")
    connection.call("TREAD", key, "1", "3", "GROUP", "g", *LONG, "CONSUMER", "ann")
    connection.call("TACK", key, "g", "3")
    connection.call("TREAD", key, "1", "1", "TAILGROUP", "late")
    connection.call("TGROUP", "SET", key, "late", "PENDINGMAX", "7", "DEADLETTER", "letters")
