"""What the battery must know of each data type. A new family joins by one entry in FAMILIES.

Commands are tuples of words with KEY where the key stands.
"""
# Long because it is one table: an entry for each family.

from dataclasses import dataclass, field
from typing import Any, Callable, Optional

import channel_family
import fact_family
import index_family
import lock_family
import log_family
import route_family
import shard_family
import suggest_family
from log_frames import make_frame, read_frame
from resp import RespError

KEY = object()
CONTAINERS = {"TGROUP", "TSCHED", "ROUTE.DEVICE"}  # commands that have subcommands
# Commands of families whose objects are not keys. The battery tests keys, so these have tests of their own.
WITHOUT_TYPE = {"FEED.ADD", "FEED.DEL", "FEED.READ", "FEED.INFO", "FEED.LIST",  # test_feed*.py
                "MILLRACE.KEYS"}  # test_keys*.py


def on(key, command):
    """The words of a command for this key."""
    return tuple(key if word is KEY else word for word in command)


def name_of(command):
    """The command's name as the host has it: TWRITE, TGROUP|LIST."""
    return "|".join(command[:2]) if command[0] in CONTAINERS else command[0]


@dataclass(frozen=True, repr=False)
class Waiting:
    """One way in which a client of a family waits."""

    name: str
    command: tuple  # blocks for ever, on a key that is missing or as prepare() makes it
    command_briefly: tuple  # the same for a few milliseconds
    wake: Callable  # (connection, key): writes what the command waits for
    answer: Any  # what the woken client gets
    answer_in_vain: Any  # after a timeout, and at once inside MULTI or a script
    blocked_counter: str  # in INFO millrace: how many wait
    prepare: Callable = lambda connection, key: None  # makes what the command needs so that it blocks
    answer_without_key: Optional[Callable] = None  # (key) -> the answer when the key is deleted; None: it waits on
    waits_for_key_to_go: bool = False  # it is answered when the key is deleted

    def __repr__(self):
        return self.name


@dataclass(frozen=True, repr=False)
class Family:
    name: str
    type_name: str  # the name of the module type: nine characters
    fill: Callable  # (connection, key, seed): a varied workload
    append: Callable  # (connection, key): one more thing
    shrink: Callable  # (connection, key): removes something again, if there is anything
    read: Callable  # (connection, key) -> everything a client can see of it
    small: Callable  # (connection, key): a very small object, for payloads that tests damage
    read_commands: tuple
    write_commands: tuple  # each changes what fill() made
    growing_commands: tuple  # those of write_commands that are refused under maxmemory
    effect_command: str  # sent by servers only, never by a person
    map_command: tuple  # a command that is answered with a map
    counters: tuple  # the counters of INFO millrace that fill() and read() increase
    null_command: Optional[tuple] = None  # after fill(), its answer contains nulls
    waiting: tuple = ()  # the ways in which clients wait
    keeps_itself: bool = False  # a write sets again when its key expires
    can_end: bool = False  # what it holds expires, and the key is deleted with the last of it
    steady: Callable = lambda answer: answer  # the answer of a reading command, without what time changes
    spoiled_by: tuple = ("one", "word", "too many")  # words that make every write command wrong
    node_commands: tuple = ()  # commands without a key, which ask a node about itself
    pure_commands: tuple = ()  # commands without a key, answered from their arguments alone
    help_commands: tuple = ()  # HELP of its containers: no key, neither reads nor writes
    follows_keys: bool = False  # its content is derived from other keys of its database
    events: dict = field(default_factory=dict)  # keyspace events that are not named after their command
    ask_for_memory: tuple = ()  # growing commands that ask the host for memory only if they grow
    by_name: tuple = ()  # commands with arguments known only from answers: here by name

    def __repr__(self):
        return self.name

    @property
    def reading(self):
        """The names of the commands that the host treats as reading. Some write when given other arguments; they then
        make the checks that the host makes before a write."""
        return {name_of(command) for command in self.read_commands}

    @property
    def without_key(self):
        """The names of the commands without a key."""
        return {name_of(command) for command in self.node_commands + self.pure_commands + self.help_commands}

    @property
    def may_write(self):
        """The names of the reading commands that write when given other arguments. The host holds them while writes are
        paused, and refuses them in read-only scripts, whatever their arguments."""
        return self.reading & {name_of(command) for command in self.write_commands}

    @property
    def commands(self):
        """Every command of the family, by name."""
        used = self.read_commands + self.write_commands + self.growing_commands
        return {name_of(command) for command in used} | self.without_key | {self.effect_command, *self.by_name}


# --- log ---

class FrameOf:
    """Equal to every frame with these messages, [offset, tag, entry]. Dates and epochs, which a test cannot foresee,
    are ignored."""

    def __init__(self, *messages):
        self._messages = list(messages)

    def __eq__(self, other):
        return isinstance(other, bytes) and [message[:3] for message in read_frame(other).messages] == self._messages

    def __repr__(self):
        return f"a frame of {self._messages}"


def _waiting(name, command, *options):
    return Waiting(
        name=f"log {name}",
        command=(command, KEY, "1", "1", "BLOCK", "0", *options),
        command_briefly=(command, KEY, "1", "1", "BLOCK", "20", *options),
        wake=lambda connection, key: connection.call("TWRITE", key, "tag", "entry"),
        answer=FrameOf([1, b"tag", b"entry"]) if "FRAMED" in options else [[1, b"tag", b"entry"]],
        answer_in_vain=None,
        blocked_counter="log_readers_blocked",
    )


LOG = Family(
    name="log",
    type_name="millr-log",
    fill=log_family.fill,
    append=lambda connection, key: connection.call("TWRITE", key, "tag", "entry"),
    shrink=lambda connection, key: connection.call("TEVICT", key, "-1"),
    read=log_family.read,
    small=log_family.small,
    read_commands=(
        ("TREAD", KEY, "1", "100"),
        ("TREAD", KEY, "-5", "10", "WITHINFO", "SKIP", "TAGS", "1", "a"),
        ("TSEEK", KEY, "0"),
        ("TREAD", KEY, "1", "100", "FRAMED"),
        ("TREAD_RO", KEY, "1", "100", "WITHINFO"),
        ("TSCHED", "LIST", KEY, "COUNT", "5"),
        ("TINFO", KEY),
        ("TGROUP", "LIST", KEY),
        # The times of these commands do not move.
        ("TGROUP", "PENDING", KEY, "given back", "COUNT", "5"),
    ),
    write_commands=(
        ("TREADGROUP", KEY, "1", "10", "GROUP", "workers", *log_family.LONG),
        ("TREADGROUP", KEY, "1", "10", "GROUP", "simple"),
        ("TREAD", KEY, "1", "10", "GROUP", "by tread", *log_family.LONG),
        ("TACK", KEY, "workers", "CONSUMER", "ann", log_family.ALL),
        ("TACK", KEY, "workers", "1-9", log_family.ALL),
        ("TREADGROUP", KEY, "1", "10", "GROUP", "mine", *log_family.LONG, "CONSUMER", "mia", "MINE"),
        ("TEXTEND", KEY, "mine", "CONSUMER", "mia", "7200000", log_family.ALL),
        ("TNACK", KEY, "mine", "CONSUMER", "mia", "UNCOUNTED", "DELAY", "7200000", log_family.ALL),
        ("TNACK", KEY, "mine", "DEAD", "why", log_family.ALL),
        ("TNACK", KEY, "delayed", log_family.ALL),
        ("TGROUP", "SET", KEY, "simple", "PENDINGMAX", "77", "MAXATTEMPTS", "7", "IDLE", "86400000"),
        ("TGROUP", "CREATE", KEY, "another", "FIRST", "MAXATTEMPTS", "3", "IDLE", "86400000"),
        ("TGROUP", "SEEK", KEY, "given back", "NEXT"),
        ("TGROUP", "DROP", KEY, "strict"),
        ("TWRITE", KEY, "tag", "entry"),
        ("TDEL", KEY, "400-5000"),
        ("TWRITE", KEY, "BACKLOG", "3", "ENTRIES", "tag", "entry"),
        ("TWRITE", KEY, "ID", "once", "ENTRIES", "tag", "entry"),
        ("TWRITE", KEY, "FRAMED", make_frame((b"tag", b"entry"), (b"tag", b"other"))),
        ("TWRITE", KEY, "ID", "later", "DELAY", "3600000", "ENTRIES", "tag", "entry"),
        ("TSCHED", "NOW", KEY, log_family.TICKET),
        ("TSCHED", "CANCEL", KEY, log_family.OTHER_TICKET),
        ("TEVICT", KEY, "-1"),
        ("TRETAIN", KEY, "COUNT", "5", "IDS", "1000000", "REFUSE", "yes"),
    ),
    growing_commands=(
        ("TWRITE", KEY, "tag", "entry"),
        ("TWRITE", KEY, "BACKLOG", "3", "ENTRIES", "tag", "entry"),
        ("TWRITE", KEY, "ID", "once", "ENTRIES", "tag", "entry"),
        ("TWRITE", KEY, "FRAMED", make_frame((b"tag", b"entry"))),
        ("TWRITE", KEY, "AT", "4000000000000", "ENTRIES", "tag", "entry"),
        ("TSCHED", "NOW", KEY, log_family.TICKET),
        ("TREADGROUP", KEY, "1", "10", "GROUP", "workers", *log_family.LONG),
        ("TNACK", KEY, "delayed", log_family.ALL),
        ("TEXTEND", KEY, "mine", "7200000", log_family.ALL),
        ("TGROUP", "SET", KEY, "simple", "PENDINGMAX", "77", "MAXATTEMPTS", "7"),
        ("TGROUP", "CREATE", KEY, "another"),
        ("TREDRIVE", KEY),
        ("TAPPLY", KEY, "CLOCK", "1"),
    ),
    effect_command="TAPPLY",
    events={"TREADGROUP": "tread"},
    ask_for_memory=("TREADGROUP",),
    steady=log_family.without_ages,
    by_name=("TREDRIVE",),  # it moves messages of another key
    help_commands=(("TGROUP", "HELP"), ("TSCHED", "HELP")),
    map_command=("TINFO", KEY),
    null_command=("TREAD", KEY, "1", "3"),
    counters=(
        "log_messages_written",
        "log_messages_read",
        "log_messages_evicted",
        "log_messages_redelivered",
        "log_messages_acknowledged",
        "log_messages_given_up",
        "log_dead_letters",
        "log_messages_scheduled",
        "log_messages_deleted",
        "log_writes_repeated",
    ),
    waiting=(
        _waiting("alone", "TREAD"),
        _waiting("in frames", "TREAD_RO", "FRAMED"),
        _waiting("in a group", "TREADGROUP", "GROUP", "g", "RETRY", "60000", "0"),
        _waiting("in a group, by TREAD", "TREAD", "GROUP", "g", "RETRY", "60000", "0"),
    ),
)

# --- channel ---

CHANNEL = Family(
    name="channel",
    type_name="millr-chn",
    fill=channel_family.fill,
    append=channel_family.append,
    shrink=channel_family.shrink,
    read=channel_family.read,
    small=channel_family.small,
    read_commands=(
        ("CHAN.SEEN", KEY, "ann", "1", "message:1", "message:20", "large", "unknown"),
        ("CHAN.SEEN", KEY, b"\x00\xff\r\n", b"\x00\xff\r\n", "message:3"),
        ("CHAN.READ", KEY, "-"),
        ("CHAN.READ", KEY, "$", "MAX", "1"),
        ("CHAN.INFO", KEY),
    ),
    write_commands=(
        # The subscriber is not the last one that was seen: the new order alone is a change.
        ("CHAN.SUBSCRIBE", KEY, "ann"),
        ("CHAN.FETCH", KEY, "bob", "MAX", "3"),
        ("CHAN.SUBSCRIBE", KEY, "new", "EXPIRE", "7200000"),
        ("CHAN.UNSUBSCRIBE", KEY, "leaves"),
        ("CHAN.PUBLISH", KEY, "new", "content"),
        ("CHAN.MPUBLISH", KEY, "newer", "content", "newest", ""),
    ),
    growing_commands=(
        ("CHAN.SUBSCRIBE", KEY, "new"),
        ("CHAN.PUBLISH", KEY, "new", "content"),
        ("CHAN.MPUBLISH", KEY, "newer", "content", "newest", ""),
        ("CHAN.CREATE", KEY),
        ("CHAN.APPLY", KEY, "CLOCK", "1"),
    ),
    effect_command="CHAN.APPLY",
    map_command=("CHAN.INFO", KEY),
    null_command=("CHAN.MPUBLISH", KEY, "large", "a duplicate"),
    counters=(
        "channel_messages_published",
        "channel_duplicates",
        "channel_messages_fetched",
        "channel_acknowledgements",
        "channel_messages_expired",
    ),
    waiting=(
        Waiting(
            name="channel",
            prepare=lambda connection, key: connection.call("CHAN.SUBSCRIBE", key, "s"),
            command=("CHAN.FETCH", KEY, "s", "BLOCK", "0"),
            command_briefly=("CHAN.FETCH", KEY, "s", "BLOCK", "20"),
            wake=lambda connection, key: connection.call("CHAN.PUBLISH", key, "id", "content"),
            answer=[[[b"id", b"content"]], channel_family.Receipt(), 0],
            answer_in_vain=[[], None, 0],
            answer_without_key=lambda key: RespError(f"NOSUB no subscriber 's' of the channel '{key}'"),
            blocked_counter="channel_fetches_blocked",
        ),
    ),
    keeps_itself=True,
    by_name=("CHAN.ACK",),
)

# --- worker pool ---


def _waits_for_a_worker(name, *command):
    return Waiting(
        name=f"shard {name}",
        command=(*command, "BLOCK", "0"),
        command_briefly=(*command, "BLOCK", "20"),
        wake=lambda connection, key: connection.call("SHARD.JOIN", key, "w"),
        answer=[b"w", 1],
        answer_in_vain=RespError(shard_family.NOWORKERS),
        blocked_counter="shard_clients_waiting",
    )


SHARD = Family(
    name="shard",
    type_name="millr-shd",
    fill=shard_family.fill,
    append=shard_family.append,
    shrink=shard_family.shrink,
    read=shard_family.read,
    small=shard_family.small,
    read_commands=(
        ("SHARD.RECIPIENTS", KEY, "w0"),
        ("SHARD.OWNER", KEY, "queue"),
        ("SHARD.RECIPIENTS", KEY, b"\x00\xff\r\n", "COUNT", "3", "CURSOR", "0"),
        ("SHARD.CHECK", KEY),
        ("SHARD.CHECK", KEY, "CURSOR", "0", "COUNT", "100000"),
        ("SHARD.INFO", KEY),
    ),
    write_commands=(
        ("SHARD.HEARTBEAT", KEY, "never seen"),
        ("SHARD.JOIN", KEY, "new"),
        ("SHARD.REBALANCE", KEY, "MAXMOVES", "3"),
        ("SHARD.PULL", KEY, "w3", "COUNT", "2"),
        ("SHARD.ROUTE", KEY, "new"),
        ("SHARD.PUSH", KEY, "queue", "payload"),
        ("SHARD.SET", KEY, "STALE", "7200000", "POLICY", "leastpending"),
        ("SHARD.LEAVE", KEY, "leaves"),
        ("SHARD.FORGET", KEY, "idle 0", "idle 1"),
        # Which worker has these depends on the order in which fill() makes workers and recipients.
        ("SHARD.DONE", KEY, "w3", "busy"),
        ("SHARD.ACK", KEY, "größe", "queue", "1"),
    ),
    growing_commands=(
        ("SHARD.JOIN", KEY, "new"),
        ("SHARD.ROUTE", KEY, "new"),
        ("SHARD.PUSH", KEY, "queue", "payload"),
        ("SHARD.SET", KEY, "STALE", "7200000"),
        ("SHARD.APPLY", KEY, "CLOCK", "1"),
    ),
    effect_command="SHARD.APPLY",
    map_command=("SHARD.INFO", KEY),
    null_command=("SHARD.OWNER", KEY, "nobody"),
    counters=(
        "shard_messages_routed",
        "shard_payloads_pushed",
        "shard_payloads_delivered",
        "shard_workers_failed_over",
        "shard_recipients_moved",
    ),
    waiting=(
        Waiting(
            name="shard pull",
            prepare=lambda connection, key: connection.call("SHARD.JOIN", key, "w"),
            command=("SHARD.PULL", KEY, "w", "BLOCK", "0"),
            command_briefly=("SHARD.PULL", KEY, "w", "BLOCK", "20"),
            wake=lambda connection, key: connection.call("SHARD.PUSH", key, "r", "payload"),
            answer=[[b"r", 1, b"payload"]],
            answer_in_vain=[],
            answer_without_key=lambda key: RespError(shard_family.NOWORKER),
            blocked_counter="shard_clients_waiting",
        ),
        _waits_for_a_worker("route", "SHARD.ROUTE", KEY, "r"),
        _waits_for_a_worker("push", "SHARD.PUSH", KEY, "r", "payload"),
    ),
    steady=shard_family.without_ages,
    spoiled_by=("BLOCK", "x" * 513),
    by_name=("SHARD.NACK",),
)

# --- lock ---

LOCK = Family(
    can_end=True,
    name="lock",
    type_name="millr-lck",
    fill=lock_family.fill,
    append=lock_family.append,
    shrink=lock_family.shrink,
    read=lock_family.read,
    small=lock_family.small,
    # Without the holders, because their remaining time changes.
    read_commands=(("LOCK.INFO", KEY, "COUNT", "0"), ("LOCK.INFO", KEY, "count", "0"), ("LOCK.WATCH", KEY, "TOKEN", "1")),
    write_commands=(
        ("LOCK.ACQUIRE", KEY, "owner", *lock_family.SEMAPHORE),
        ("LOCK.RENEW", KEY, "ann", "7200000"),
        ("LOCK.RELEASE", KEY, "ann"),
        ("LOCK.BREAK", KEY),
    ),
    growing_commands=(("LOCK.ACQUIRE", KEY, "owner", *lock_family.SEMAPHORE), ("LOCK.APPLY", KEY, "changes")),
    effect_command="LOCK.APPLY",
    node_commands=(("LOCK.WAITS",),),
    map_command=("LOCK.INFO", KEY, "COUNT", "0"),
    counters=("lock_grants", "lock_reentries", "lock_releases", "lock_expiries"),
    waiting=(
        Waiting(
            name="lock",
            command=("LOCK.ACQUIRE", KEY, "waiter", lock_family.HOUR, "WAIT", "100000000"),
            command_briefly=("LOCK.ACQUIRE", KEY, "waiter", lock_family.HOUR, "WAIT", "20"),
            prepare=lock_family.hold,
            waits_for_key_to_go=True,
            wake=lambda connection, key: connection.call("LOCK.BREAK", key),
            answer=[1, lock_family.Anything(), int(lock_family.HOUR), 1],
            answer_in_vain=[0, 0, lock_family.Anything(), 0],
            blocked_counter="lock_waiting",
        ),
        Waiting(
            name="lock watch",
            command=("LOCK.WATCH", KEY, "BLOCK", "0"),
            command_briefly=("LOCK.WATCH", KEY, "BLOCK", "20"),
            wake=lambda connection, key: connection.call("LOCK.ACQUIRE", key, "ann", lock_family.HOUR, "VALUE", "10.0.0.7"),
            answer=[b"owner", b"ann", b"token", lock_family.Anything(), b"value", b"10.0.0.7"],
            answer_in_vain=None,
            blocked_counter="lock_waiting",
        ),
    ),
)

# --- routing table ---

_TASK = route_family.NAMED

ROUTE = Family(
    can_end=True,
    name="route",
    type_name="millr-rte",
    fill=route_family.fill,
    append=route_family.append,
    shrink=route_family.shrink,
    read=route_family.read,
    small=route_family.small,
    read_commands=(
        ("ROUTE.MATCH", KEY, *_TASK, "USER", "u1", "DOC", '{"prio": "high", "n": 55}', "OLD", '{"n": 3}', "WITHCHANNELS"),
        ("ROUTE.FILTERS", KEY, *_TASK, "COUNT", "1000"),
        ("ROUTE.SUBSCRIBERS", KEY, *_TASK, "COUNT", "1000"),
        ("ROUTE.DEVICE", "GET", KEY, route_family.FIRST, "FULL"),
        ("ROUTE.DEVICE", "LIST", KEY, "TRANSPORT", "ws", "USER", "u1", "COUNT", "1000"),
        ("ROUTE.INFO", KEY),
    ),
    write_commands=(
        ("ROUTE.DEVICE", "TOUCH", KEY, route_family.FIRST),
        ("ROUTE.DEVICE", "SET", KEY, "new|ws", "USER", "u9"),
        ("ROUTE.SUBSCRIBE", KEY, "new|mqtt", *_TASK, "FILTER", '{"n": 9}', "TTL", "7200000"),
        ("ROUTE.UNSUBSCRIBE", KEY, route_family.FIRST, *_TASK, "FILTER", '{"prio": "low"}'),
        ("ROUTE.SETFILTER", KEY, "new", '{"n": 9}', *_TASK),
        ("ROUTE.DELFILTER", KEY, "nobody's", *_TASK),
        ("ROUTE.DEVICE", "MOVE", KEY, route_family.SECOND, "moved|mqtt"),
        ("ROUTE.PRESENCE", KEY, "QUEUES", "*", KEY),
        ("ROUTE.DEVICE", "DEL", KEY, route_family.FIRST),
        ("ROUTE.DEVICE", "DEL", KEY, "TRANSPORT", "ws", "COUNT", "10"),
    ),
    growing_commands=(
        ("ROUTE.DEVICE", "SET", KEY, "new|ws", "USER", "u9"),
        ("ROUTE.SUBSCRIBE", KEY, "new|mqtt", *_TASK),
        ("ROUTE.SETFILTER", KEY, "new", '{"n": 9}', *_TASK),
        ("ROUTE.PRESENCE", KEY, "QUEUES", "*", KEY),
        # It changes the logs and not the table, so it is not one of the write commands here.
        ("ROUTE.DISPATCH", KEY, *_TASK, "EVENT", "e", "QUEUES", "ws", "log"),
        ("ROUTE.APPLY", KEY, "CLOCK", "1"),
    ),
    effect_command="ROUTE.APPLY",
    pure_commands=(("ROUTE.PATTERNS", *_TASK), ("ROUTE.PARTITION", "app:shop:model:task")),
    help_commands=(("ROUTE.DEVICE", "HELP"),),
    map_command=("ROUTE.INFO", KEY),
    null_command=("ROUTE.DEVICE", "GET", KEY, "nobody|ws"),
    counters=("route_matches", "route_devices_matched", "route_messages_dispatched"),
)

# --- index ---

INDEX = Family(
    name="index",
    type_name="millr-idx",
    fill=index_family.fill,
    append=index_family.append,
    shrink=index_family.shrink,
    read=index_family.read,
    small=index_family.small,
    read_commands=(
        ("IDX.FIND", KEY, "WHERE", "age", ">", "5", "WHERE", "city", "=", "bonn", "ORDER", "age", "GET", "1", "mail", "WITHVALUES"),
        ("IDX.COUNT", KEY, "WHERE", "tags", "PREFIX", "1"),
        ("IDX.COMPLETE", KEY, "city", "b", "WITHCOUNTS"),
        ("IDX.RECENT", KEY, "10"),
        ("IDX.CONFLICTS", KEY, "COUNT", "1000"),
        ("IDX.SKIPPED", KEY),
        ("IDX.SAMPLE", KEY, "5", "WHERE", "mail", "=", "bob"),
        ("IDX.CHECK", KEY),
        ("IDX.INFO", KEY),
    ),
    write_commands=(
        ("IDX.ALTER", KEY, "ADD", "FIELD", "late", "NUMBER"),
        ("IDX.ALTER", KEY, "DROP", "ORDER", "both"),
    ),
    growing_commands=(
        ("IDX.APPLY", KEY, "RECENT", ""),
        ("IDX.CREATE", KEY, "PREFIX", "p", "FIELD", "f", "TEXT"),
        # It changes a document, and through it the index, so it is not one of the write commands here.
        ("IDX.PUT", KEY, "p1", "f", "v"),
    ),
    effect_command="IDX.APPLY",
    steady=index_family.steady,
    follows_keys=True,
    map_command=("IDX.INFO", KEY),
    counters=(),
)

# --- graph of facts ---

FACT = Family(
    name="fact",
    type_name="millr-fct",
    fill=fact_family.fill,
    append=fact_family.append,
    shrink=fact_family.shrink,
    read=fact_family.read,
    small=fact_family.small,
    read_commands=(
        ("FACT.FIND", KEY, "*", "p1", "*"),
        ("FACT.FIND", KEY, "first", "*", "*", "LIMIT", "1"),
        ("FACT.COUNT", KEY, "*", "*", "=*"),
        ("FACT.WALK", KEY, "first", "*", "LIMIT", "100"),
        ("FACT.WALK", KEY, "first", "knows", "TO", "second"),
        ("FACT.INFO", KEY),
    ),
    write_commands=(
        ("FACT.ADD", KEY, "new", "is", "here"),
        ("FACT.DEL", KEY, "first", "is", "here"),
    ),
    growing_commands=(
        ("FACT.ADD", KEY, "new", "is", "here"),
        ("FACT.APPLY", KEY, "FACTS", "bytes"),
    ),
    effect_command="FACT.APPLY",
    map_command=("FACT.INFO", KEY),
    null_command=("FACT.WALK", KEY, "first", "knows", "DEPTH", "1"),
    counters=("fact_added", "fact_removed", "fact_found", "fact_walked"),
    spoiled_by=("one", "word"),
)

# --- dictionary of terms ---

SUGGEST = Family(
    name="suggest",
    type_name="millr-sug",
    fill=suggest_family.fill,
    append=suggest_family.append,
    shrink=suggest_family.shrink,
    read=suggest_family.read,
    small=suggest_family.small,
    read_commands=(
        ("SUG.GET", KEY, "a", "WITHSCORES"),
        ("SUG.GET", KEY, "ab", "FUZZY", "NOCASE", "LIMIT", "100"),
        ("SUG.INFO", KEY),
    ),
    write_commands=(
        ("SUG.ADD", KEY, "first"),
        ("SUG.ADD", KEY, "new", "SCORE", "7"),
        ("SUG.DECAY", KEY, "10"),
        ("SUG.DEL", KEY, "first", "new"),
    ),
    growing_commands=(
        ("SUG.ADD", KEY, "new"),
        ("SUG.APPLY", KEY, "TERMS", "bytes"),
    ),
    effect_command="SUG.APPLY",
    map_command=("SUG.INFO", KEY),
    counters=("suggest_added", "suggest_removed", "suggest_asked", "suggest_found"),
    spoiled_by=("one", ""),
)

FAMILIES = (LOG, CHANNEL, SHARD, LOCK, ROUTE, INDEX, FACT, SUGGEST)
