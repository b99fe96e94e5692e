"""What the battery must know of each data type. A new family joins by one entry in FAMILIES.

Commands are tuples of words with KEY where the key stands.
"""

import random
from dataclasses import dataclass
from typing import Any, Callable, Optional

KEY = object()


def on(key, command):
    """The words of a command for this key."""
    return tuple(key if word is KEY else word for word in command)


@dataclass(frozen=True)
class Waiting:
    """How a family waits."""

    command: tuple  # blocks on a key that is missing, for ever
    command_briefly: tuple  # the same for a few milliseconds
    wake: Callable  # (connection, key): writes what the command waits for
    answer: Any  # what the woken client gets
    answer_in_vain: Any  # after a timeout, and at once inside MULTI or a script
    blocked_counter: str  # in INFO millrace: how many wait


@dataclass(frozen=True, repr=False)
class Family:
    name: str
    type_name: str  # of the module type: nine characters
    fill: Callable  # (connection, key, seed): a varied workload
    append: Callable  # (connection, key): one more thing
    shrink: Callable  # (connection, key): takes something away again, if there is anything
    read: Callable  # (connection, key) -> everything a client can see of it
    small: Callable  # (connection, key): very little, for payloads that are to be damaged
    read_commands: tuple
    write_commands: tuple  # each changes what fill() made
    growing_commands: tuple  # those of them refused under maxmemory
    effect_command: str  # what only servers send; nothing a person calls
    map_command: tuple  # answers with a map
    null_command: tuple  # answers with nulls inside, after fill()
    counters: tuple  # of INFO millrace that fill() and read() make grow
    waiting: Optional[Waiting] = None

    def __repr__(self):
        return self.name

    @property
    def commands(self):
        """Every command of the family, by name."""
        named = {command[0] for command in self.read_commands + self.write_commands}
        return named | {self.effect_command}


# --- log ---

_TAGS = [b"", b"new", b"paid", b"ENTRIES", b"\x00\xff\r\n", "größe".encode(), bytes(range(256)), b"t" * 3000]


def _message(rng):
    tag = rng.choice(_TAGS) if rng.random() < 0.9 else b"user:%d" % rng.randrange(10**9)
    size = rng.choice([0, 1, 20, 20, 100, 100, 100, 127, 128, 1000, 5000])
    return tag, rng.randbytes(size)


def _fill_log(connection, key, seed):
    rng = random.Random(seed)
    commands = [("TRETAIN", key, "AGE", "3600000", "COUNT", "900")]
    for _ in range(250):
        if rng.random() < 0.7:
            commands.append(("TWRITE", key, *_message(rng)))
        else:
            pairs = [part for _ in range(rng.randrange(1, 12)) for part in _message(rng)]
            commands.append(("TWRITE", key, "ENTRIES", *pairs))
    commands.append(("TWRITE", key, "large", rng.randbytes(300_000)))
    commands.append(("TEVICT", key, "37"))
    commands.append(("TWRITE", key, "BACKLOG", "700", "ENTRIES", "a", "b", "c", "d"))
    commands.append(("TRETAIN", key, "COUNT", "650", "BYTES", "1000000"))
    for command, answer in zip(commands, connection.call_all(commands)):
        assert not isinstance(answer, Exception), (command[:3], answer)


def _read_log(connection, key):
    limits = connection.call("TRETAIN", key) if not _is_replica(connection) else None
    [first, last], *messages = connection.call("TREAD", key, "1", "1000000", "SKIP", "WITHINFO")
    assert [message[0] for message in messages] == list(range(first, last + 1))
    times = [connection.call("TSEEK", key, time) for time in _times(connection, key)]
    return limits, first, last, messages, times


def _is_replica(connection):
    return connection.call("ROLE")[0] == b"slave"


def _times(connection, key):
    info = connection.call("TINFO", key)
    fields = dict(zip(info[::2], info[1::2]))
    return [fields[b"first-time"], fields[b"last-time"], fields[b"last-time"] + 1]


def _small_log(connection, key):
    connection.call("TWRITE", key, "ENTRIES", "a", "one", "b", "", "a", "three", "", "four", "b", "x" * 60)
    connection.call("TEVICT", key, "1")
    connection.call("TRETAIN", key, "COUNT", "40", "BYTES", "3000")


LOG = Family(
    name="log",
    type_name="millr-log",
    fill=_fill_log,
    append=lambda connection, key: connection.call("TWRITE", key, "tag", "entry"),
    shrink=lambda connection, key: connection.call("TEVICT", key, "-1"),
    read=_read_log,
    small=_small_log,
    read_commands=(
        ("TREAD", KEY, "1", "100"),
        ("TREAD", KEY, "-5", "10", "WITHINFO", "SKIP", "TAGS", "1", "a"),
        ("TSEEK", KEY, "0"),
        ("TINFO", KEY),
    ),
    write_commands=(
        ("TWRITE", KEY, "tag", "entry"),
        ("TWRITE", KEY, "BACKLOG", "3", "ENTRIES", "tag", "entry"),
        ("TEVICT", KEY, "-1"),
        ("TRETAIN", KEY, "COUNT", "5"),
    ),
    growing_commands=(
        ("TWRITE", KEY, "tag", "entry"),
        ("TWRITE", KEY, "BACKLOG", "3", "ENTRIES", "tag", "entry"),
        ("TRETAIN", KEY, "COUNT", "5"),
        ("TAPPLY", KEY, "CLOCK", "1"),
    ),
    effect_command="TAPPLY",
    map_command=("TINFO", KEY),
    null_command=("TREAD", KEY, "1", "3"),
    counters=("log_messages_written", "log_messages_read", "log_messages_evicted"),
    waiting=Waiting(
        command=("TREAD", KEY, "1", "1", "BLOCK", "0"),
        command_briefly=("TREAD", KEY, "1", "1", "BLOCK", "20"),
        wake=lambda connection, key: connection.call("TWRITE", key, "tag", "entry"),
        answer=[[1, b"tag", b"entry"]],
        answer_in_vain=None,
        blocked_counter="log_readers_blocked",
    ),
)

FAMILIES = (LOG,)
