"""Bad input to the commands of groups: one exact error, nothing changed."""

import pytest

from families import KEY, on
from log_groups import LONG, take, write

INT_MAX = "9223372036854775807"
COUNTS = f"expected an integer from 0 to {INT_MAX}"
OFFSETS = f"expected an integer from 1 to {INT_MAX}"
READS = "expected an integer from 1 to 1000000"
RETRIES = "expected an integer from 1 to 4294967295"
ATTEMPTS = "expected an integer from 0 to 65535"
RANGES = f"expected an offset or start-end, from 1 to {INT_MAX}, start not above end"
TIMES = f"expected an integer from 0 to {2**47}"
SET_WORDS = "syntax error: expected PENDINGMAX, MAXATTEMPTS, DEADLETTER or IDLE, found"
PENDING_WORDS = "syntax error: expected CONSUMER, FROM or COUNT, found"


def arity(name):
    return f"wrong number of arguments for '{name}' command"


def ranges(word):
    return f"invalid offsets '{word}': {RANGES}"


READ = ("TREAD", KEY, "1", "1")
SET = ("TGROUP", "SET", KEY, "g")
PENDING = ("TGROUP", "PENDING", KEY, "g")
# name of the row: (command, error without its ERR)
ROWS = {
    # --- TREAD ---
    "read: GROUP without its name": ((*READ, "GROUP"), "missing group name"),
    "read: TAILGROUP without its name": ((*READ, "TAILGROUP"), "missing group name"),
    "read: GROUP twice": ((*READ, "GROUP", "g", "GROUP", "g"), "GROUP is given twice"),
    "read: GROUP and TAILGROUP": ((*READ, "GROUP", "g", "TAILGROUP", "g"), "GROUP and TAILGROUP exclude each other"),
    "read: CONSUMER without a group": ((*READ, "CONSUMER", "ann"), "CONSUMER needs GROUP or TAILGROUP"),
    "read: RETRY without a group": ((*READ, "RETRY", "1", "1"), "RETRY needs GROUP or TAILGROUP"),
    "read: WITHATTEMPTS without a group": ((*READ, "WITHATTEMPTS"), "WITHATTEMPTS needs GROUP or TAILGROUP"),
    "read: CONSUMER without its name": ((*READ, "GROUP", "g", "CONSUMER"), "missing consumer name"),
    "read: CONSUMER twice": ((*READ, "GROUP", "g", "CONSUMER", "a", "CONSUMER", "b"), "CONSUMER is given twice"),
    "read: RETRY without times": ((*READ, "GROUP", "g", "RETRY"), "missing RETRY time"),
    "read: RETRY without its expiry": ((*READ, "GROUP", "g", "RETRY", "1"), "missing RETRY expiry"),
    "read: RETRY 0": ((*READ, "GROUP", "g", "RETRY", "0", "0"), f"invalid RETRY time '0': {RETRIES}"),
    "read: RETRY negative": ((*READ, "GROUP", "g", "RETRY", "-1", "0"), f"invalid RETRY time '-1': {RETRIES}"),
    "read: RETRY too long": (
        (*READ, "GROUP", "g", "RETRY", "4294967296", "0"),
        f"invalid RETRY time '4294967296': {RETRIES}",
    ),
    "read: RETRY expiry negative": ((*READ, "GROUP", "g", "RETRY", "1", "-1"), f"invalid RETRY expiry '-1': {TIMES}"),
    "read: RETRY expiry beyond 64 bits": (
        (*READ, "GROUP", "g", "RETRY", "1", "99999999999999999999"),
        f"invalid RETRY expiry '99999999999999999999': {TIMES}",
    ),
    "read: RETRY twice": ((*READ, "GROUP", "g", "RETRY", "1", "1", "RETRY", "1", "1"), "RETRY is given twice"),
    "read: TAGS with a group": ((*READ, "GROUP", "g", "TAGS", "1", "t"), "TAGS does not go with a group"),
    "read: SKIP with a group": (
        (*READ, "SKIP", "GROUP", "g"),
        "SKIP does not go with a group, which never delivers evicted messages",
    ),
    "read: BLOCK with a group and count 0": (
        ("TREAD", KEY, "1", "0", "GROUP", "g", "BLOCK", "1"),
        "BLOCK needs a count of at least 1: with 0 there is nothing to wait for",
    ),
    "read: the offset of a group is checked all the same": (
        ("TREAD", KEY, "one", "1", "GROUP", "g"),
        "invalid offset 'one': offsets are 1 to 9223372036854775807; -n means n from the end, $ the next one, "
        "epoch.offset one of that epoch",
    ),
    # --- TACK and TNACK ---
    "ack: no offset": (("TACK", KEY, "g"), arity("TACK")),
    "ack: offset 0": (("TACK", KEY, "g", "0"), ranges("0")),
    "ack: no number": (("TACK", KEY, "g", "one"), ranges("one")),
    "ack: negative": (("TACK", KEY, "g", "-1"), ranges("-1")),
    "ack: no end": (("TACK", KEY, "g", "1-"), ranges("1-")),
    "ack: start above end": (("TACK", KEY, "g", "2-1"), ranges("2-1")),
    "ack: three ends": (("TACK", KEY, "g", "1-2-3"), ranges("1-2-3")),
    "ack: too large": (("TACK", KEY, "g", "1-9223372036854775808"), ranges("1-9223372036854775808")),
    "ack: the last is bad": (("TACK", KEY, "g", "1", "2", "x"), ranges("x")),
    "nack: no offset": (("TNACK", KEY, "g"), arity("TNACK")),
    "nack: only a delay": (("TNACK", KEY, "g", "DELAY", "5"), "missing offset or start-end"),
    "nack: DELAY negative": (("TNACK", KEY, "g", "DELAY", "-5", "1"), f"invalid DELAY '-5': {TIMES}"),
    "nack: DELAY behind the offsets": (("TNACK", KEY, "g", "1", "DELAY", "5"), ranges("DELAY")),
    "nack: the last is bad": (("TNACK", KEY, "g", "1", "2", "0"), ranges("0")),
    # --- TGROUP ---
    "group: LIST and more": (("TGROUP", "LIST", KEY, "g"), "syntax error: expected AFTER or COUNT, found 'g'"),
    "group: SEEK nowhere": (("TGROUP", "SEEK", KEY, "g"), arity("tgroup|seek")),
    "group: SEEK to 0": (("TGROUP", "SEEK", KEY, "g", "0"), f"invalid offset '0': {OFFSETS}"),
    "group: SEEK to the end": (("TGROUP", "SEEK", KEY, "g", "LAST"), f"invalid offset 'LAST': {OFFSETS}"),
    "group: DROP nothing": (("TGROUP", "DROP", KEY), arity("tgroup|drop")),
    "group: DROP two": (("TGROUP", "DROP", KEY, "g", "h"), arity("tgroup|drop")),
    "group: PENDING of nothing": (("TGROUP", "PENDING", KEY), arity("tgroup|pending")),
    "group: PENDING unknown word": ((*PENDING, "OF", "ann"), f"{PENDING_WORDS} 'OF'"),
    "group: PENDING FROM 0": ((*PENDING, "FROM", "0"), f"invalid FROM offset '0': {OFFSETS}"),
    "group: PENDING COUNT 0": ((*PENDING, "COUNT", "0"), f"invalid COUNT '0': {READS}"),
    "group: PENDING COUNT too large": ((*PENDING, "COUNT", "1000001"), f"invalid COUNT '1000001': {READS}"),
    "group: PENDING COUNT twice": ((*PENDING, "COUNT", "1", "COUNT", "1"), "COUNT is given twice"),
    "group: PENDING CONSUMER without its name": ((*PENDING, "CONSUMER"), "missing consumer name"),
    "group: SET nothing": (SET, arity("tgroup|set")),
    "group: SET unknown word": ((*SET, "SPEED", "9"), f"{SET_WORDS} 'SPEED'"),
    "group: SET PENDINGMAX negative": ((*SET, "PENDINGMAX", "-1"), f"invalid PENDINGMAX '-1': {COUNTS}"),
    "group: SET MAXATTEMPTS too large": ((*SET, "MAXATTEMPTS", "65536"), f"invalid MAXATTEMPTS '65536': {ATTEMPTS}"),
    "group: SET the second is bad": ((*SET, "PENDINGMAX", "1", "MAXATTEMPTS", "x"), f"invalid MAXATTEMPTS 'x': {ATTEMPTS}"),
    "group: SET twice": ((*SET, "PENDINGMAX", "1", "PENDINGMAX", "1"), "PENDINGMAX is given twice"),
    "group: SET DEADLETTER without its key": ((*SET, "DEADLETTER"), "missing DEADLETTER key"),
    "group: SET DEADLETTER empty": ((*SET, "DEADLETTER", ""), "DEADLETTER needs a key that is not empty, or NONE"),
    # --- TRETAIN ---
    "retain: ACKED without yes or no": (("TRETAIN", KEY, "ACKED"), "syntax error: expected yes or no behind ACKED, found nothing more"),
    "retain: ACKED maybe": (("TRETAIN", KEY, "ACKED", "maybe"), "syntax error: expected yes or no behind ACKED, found 'maybe'"),
    "retain: ACKED twice": (("TRETAIN", KEY, "ACKED", "no", "ACKED", "no"), "ACKED is given twice"),
}


@pytest.mark.parametrize("row", ROWS)
def test_bad_input_is_refused_and_changes_nothing(server, c, row):
    words, expected = ROWS[row]
    write(c, 3)
    take(c, 2, *LONG)
    before, sent = server.digest("log"), server.info("replication")["master_repl_offset"]
    for key in ("log", "missing"):
        assert c.error_of(*on(key, words)) == f"ERR {expected}"
    assert server.digest("log") == before
    assert c.call("EXISTS", "missing") == 0
    assert server.info("replication")["master_repl_offset"] == sent, "nothing reached the replica"


NEED_A_GROUP = {
    "TACK": ("TACK", KEY, "nobody", "1"),
    "TNACK": ("TNACK", KEY, "nobody", "1"),
    "SEEK": ("TGROUP", "SEEK", KEY, "nobody", "FIRST"),
    "SET": ("TGROUP", "SET", KEY, "nobody", "PENDINGMAX", "1"),
    "PENDING": ("TGROUP", "PENDING", KEY, "nobody"),
}


@pytest.mark.parametrize("name", NEED_A_GROUP)
def test_without_key_or_group_it_is_nogroup(server, c, name):
    write(c, 1)
    take(c, 1, *LONG)
    before = server.digest("log")
    for key in ("log", "missing"):
        assert c.error_of(*on(key, NEED_A_GROUP[name])) == f"NOGROUP no group 'nobody' in the log '{key}'"
    assert (server.digest("log"), c.call("EXISTS", "missing")) == (before, 0)
