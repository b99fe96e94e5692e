"""Bad input to the commands of groups: one exact error, nothing changed. Also access rights."""

import pytest

from families import KEY, on
from log_family import without_ages
from log_groups import LONG, about, pending_offsets, take, write
from rights import user

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


# --- rights ---


WITH_GROUP = ("TREAD", "log", "1", "1", "GROUP", "g")
RIGHTS_THAT_DO_NOT_DO = {
    "TREAD and reading of keys": ("+tread", "%R~*"),
    "TREAD and TACK": ("+tread", "+tack", "~*"),
    "all commands and reading of keys": ("+@all", "%R~*"),
    "all commands but TREADGROUP": ("+@all", "-treadgroup", "~*"),
    "other keys": ("+@all", "%R~*", "%W~other"),
}


@pytest.mark.parametrize("row", RIGHTS_THAT_DO_NOT_DO)
def test_a_user_who_may_not_write_may_read_but_not_with_a_group(server, c, row):
    write(c, 2)
    take(c, 0)
    before = server.digest("log")
    with user(server, "+eval", "+multi", "+exec", *RIGHTS_THAT_DO_NOT_DO[row]) as guest:
        assert guest.call("TREAD", "log", "1", "1") == [[1, b"t", b"e0"]]
        for options in ((), LONG, ("BLOCK", "0")):
            assert guest.error_of(*WITH_GROUP, *options).startswith("NOPERM")
        assert guest.error_of("TREAD", "missing", "1", "1", "TAILGROUP", "g").startswith("NOPERM")
        guest.call("MULTI")
        assert guest.error_of(*WITH_GROUP).startswith("NOPERM")
        assert guest.error_of("EXEC").startswith("EXECABORT")
    assert (server.digest("log"), c.call("EXISTS", "missing")) == (before, 0)


def test_a_script_does_not_get_around_the_rights(server, c):
    write(c, 2)
    take(c, 0)
    before = server.digest("log")
    script = "return redis.call('TREAD', KEYS[1], 1, 1, 'GROUP', 'g')"
    with user(server, "+@all", "-treadgroup", "~*") as guest:
        assert guest.call("EVAL", script.replace(", 'GROUP', 'g'", ""), "1", "log") == [[1, b"t", b"e0"]]
        refused = guest.error_of("EVAL", script, "1", "log")
        assert "NOPERM" in refused or "ACL failure" in refused or "can't run this command" in refused
    assert server.digest("log") == before


def test_treadgroup_on_the_key_is_enough(server, c):
    write(c, 2)
    with user(server, "+treadgroup", "+tack", "+eval", "~log") as guest:
        assert guest.call(*WITH_GROUP, *LONG) == [[1, b"t", b"e0"]]
        assert guest.call("EVAL", "return #redis.call('TREAD', KEYS[1], 1, 1, 'GROUP', 'g')", "1", "log") == 1
        assert guest.call("TACK", "log", "g", "1") == 1
        assert guest.error_of("TREAD", "other", "1", "1", "GROUP", "g").startswith("NOPERM")
    assert (about(c)["last"], pending_offsets(c)) == (2, [])


# --- what the host itself refuses ---


def test_treadgroup_is_what_tread_with_a_group_is(c):
    write(c, 2)
    assert c.call("TREADGROUP", "log", "1", "1", "GROUP", "g") == [[1, b"t", b"e0"]]
    assert c.call("tReAd", "log", "1", "1", "withinfo", "tailgroup", "g") == [[1, 2], [2, b"t", b"e1"]]
    assert c.error_of("TREADGROUP", "log", "1", "1", "WITHINFO", "SKIP") == "ERR TREADGROUP needs GROUP or TAILGROUP"


def test_words_that_only_look_like_a_group_are_a_plain_read(c):
    c.call("TWRITE", "log", "GROUP", "e")
    assert c.call("EVAL_RO", "return redis.call(unpack(ARGV))", "1", "log", "TREAD", "log", "1", "1", "TAGS", "1", "GROUP") == [
        [1, b"GROUP", b"e"]
    ]


def test_a_plain_read_is_answered_while_writes_are_paused_and_a_group_read_waits(server, c, connect):
    write(c, 2)
    with_group, in_transaction = connect(), connect()
    in_transaction.call("MULTI")
    in_transaction.call(*WITH_GROUP)
    server.admin.call("CLIENT", "PAUSE", "60000", "WRITE")
    try:
        with_group.send(*WITH_GROUP)
        in_transaction.send("EXEC")
        assert c.call("TREAD", "log", "1", "1") == [[1, b"t", b"e0"]]
        assert c.call("EVAL_RO", "return redis.call('TREAD', KEYS[1], 2, 1)", "1", "log") == [[2, b"t", b"e1"]]
        assert not with_group.has_answer()
        assert not in_transaction.has_answer()
    finally:
        server.admin.call("CLIENT", "UNPAUSE")
    answers = [with_group.read(), in_transaction.read()[0]]
    assert sorted(answers) == [[[1, b"t", b"e0"]], [[2, b"t", b"e1"]]]


def test_a_group_read_is_refused_in_a_read_only_script(server, c):
    write(c, 2)
    before = server.digest("log")
    assert "Write commands are not allowed" in c.error_of(
        "EVAL_RO", "return redis.call('TREAD', KEYS[1], 1, 1, 'GROUP', 'g')", "1", "log"
    )
    assert server.digest("log") == before


def test_a_group_read_needs_as_many_replicas_as_a_write(server, c):
    write(c, 2)
    with server.changed_settings(min_replicas_to_write="3"):
        assert c.error_of(*WITH_GROUP).startswith("NOREPLICAS")
        assert c.call("TREAD", "log", "1", "1") == [[1, b"t", b"e0"]]
    assert c.call(*WITH_GROUP) == [[1, b"t", b"e0"]]


def test_a_replica_refuses_group_reads_and_serves_others(server, replica, c, connect):
    write(c, 2)
    take(c, 1, *LONG)
    server.wait_for_replica(replica)
    there = connect(to=replica)
    readonly = "READONLY You can't write against a read only replica."
    assert there.error_of(*WITH_GROUP) == there.error_of(*WITH_GROUP, "BLOCK", "0") == readonly
    assert there.call("TREAD", "log", "2", "1") == [[2, b"t", b"e1"]]
    assert without_ages(there.call("TGROUP", "LIST", "log")) == without_ages(c.call("TGROUP", "LIST", "log"))
    assert pending_offsets(there) == [1]


def test_under_maxmemory_reads_that_make_pending_are_refused_and_acknowledging_is_not(server, c):
    write(c, 3)
    take(c, 2, *LONG)
    with server.changed_settings(maxmemory="1", maxmemory_policy="noeviction"):
        assert c.error_of(*WITH_GROUP, *LONG) == "OOM command not allowed when used memory > 'maxmemory'."
        assert c.call("TACK", "log", "g", "1") == 1
        assert take(c, 1) == [3]
    assert pending_offsets(c) == [2]
