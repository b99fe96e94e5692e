"""Bad input: one error that says what was wrong and what was expected, and nothing is changed."""

import pytest

INT_MAX = "9223372036854775807"
OFFSETS = f"expected an integer from -{INT_MAX} to {INT_MAX}"
COUNTS = f"expected an integer from 0 to {INT_MAX}"
TIMES = "expected an integer from 0 to 9007199254740991"
READS = "expected an integer from 0 to 1000000"
TAGS = "expected an integer from 1 to 1000"
READ_WORDS = (
    "syntax error: expected BLOCK, GROUP, TAILGROUP, CONSUMER, RETRY, WITHINFO, WITHATTEMPTS, "
    "WITHTIME, MAXBYTES, REV, MINE, SKIP, TAGS or FRAMED, found"
)
RETAIN_WORDS = "syntax error: expected COUNT, AGE, BYTES, LATEST, ACKED, IDS or REFUSE, found"
EFFECTS = (
    "syntax error: expected CLOCK, EPOCH, BLOCK, HEAD, MORE, IDS, SCHEDULED, DELETED, DELETING, GROUP, PENDING, DELIVERED, "
    "FINISHED, GIVENUP, GIVENBACK, REPEATED, USED, DROPPED, COMPACTED, DUE or TAGSDELETED, found"
)
FORMS = "offsets are 1 to 9223372036854775807; -n means n from the end, $ the next one, epoch.offset one of that epoch"
ZERO = f"invalid offset '0': {FORMS}"

# name of the row: (command without its key, error without its ERR)
ROWS = {
    # --- TWRITE ---
    "write: no entry": (("TWRITE", "tag"), "wrong number of arguments for 'TWRITE' command"),
    "write: no tag": (("TWRITE",), "wrong number of arguments for 'TWRITE' command"),
    "write: three words": (("TWRITE", "a", "b", "c"), "syntax error: expected BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED, found 'a'"),
    "write: pairs without ENTRIES": (
        ("TWRITE", "a", "b", "c", "d"),
        "syntax error: expected BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED, found 'a'",
    ),
    "write: a tag without an entry": (
        ("TWRITE", "ENTRIES", "a", "1", "b"),
        "ENTRIES needs an entry for every tag: the last tag has none",
    ),
    "write: BACKLOG without ENTRIES": (
        ("TWRITE", "BACKLOG", "5", "a"),
        "syntax error: expected BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED, found 'a'",
    ),
    "write: BACKLOG and nothing behind it": (
        ("TWRITE", "BACKLOG", "5", "ENTRIES"),
        "ENTRIES needs at least one tag and entry",
    ),
    "write: BACKLOG with one tag": (
        ("TWRITE", "BACKLOG", "5", "ENTRIES", "a"),
        "ENTRIES needs an entry for every tag: the last tag has none",
    ),
    "write: BACKLOG twice": (
        ("TWRITE", "BACKLOG", "5", "backlog", "6", "ENTRIES", "a", "1"),
        "BACKLOG is given twice",
    ),
    "write: BACKLOG negative": (
        ("TWRITE", "BACKLOG", "-1", "ENTRIES", "a", "1"),
        f"invalid BACKLOG count '-1': {COUNTS}",
    ),
    "write: BACKLOG no number": (
        ("TWRITE", "BACKLOG", "five", "ENTRIES", "a", "1"),
        f"invalid BACKLOG count 'five': {COUNTS}",
    ),
    "write: BACKLOG beyond 63 bits": (
        ("TWRITE", "BACKLOG", "9223372036854775808", "ENTRIES", "a", "1"),
        f"invalid BACKLOG count '9223372036854775808': {COUNTS}",
    ),
    "write: BACKLOG beyond 64 bits": (
        ("TWRITE", "BACKLOG", "18446744073709551617", "ENTRIES", "a", "1"),
        f"invalid BACKLOG count '18446744073709551617': {COUNTS}",
    ),
    "write: BACKLOG without its number": (
        ("TWRITE", "BACKLOG", "ENTRIES", "a", "1"),
        f"invalid BACKLOG count 'ENTRIES': {COUNTS}",
    ),
    # --- TREAD ---
    "read: no count": (("TREAD", "1"), "wrong number of arguments for 'TREAD' command"),
    "read: offset 0": (("TREAD", "0", "1"), ZERO),
    "read: offset no number": (("TREAD", "one", "1"), f"invalid offset 'one': {FORMS}"),
    "read: offset empty": (("TREAD", "", "1"), f"invalid offset '': {FORMS}"),
    "read: offset with a blank": (("TREAD", " 1", "1"), f"invalid offset ' 1': {FORMS}"),
    "read: offset with a plus": (("TREAD", "+1", "1"), f"invalid offset '+1': {FORMS}"),
    "read: offset with two fractions": (("TREAD", "1.5.5", "1"), f"invalid offset '1.5.5': {FORMS}"),
    "read: offset too large": (("TREAD", "9223372036854775808", "1"), f"invalid offset '9223372036854775808': {FORMS}"),
    "read: offset too small": (("TREAD", "-9223372036854775808", "1"), f"invalid offset '-9223372036854775808': {FORMS}"),
    "read: offset beyond 64 bits": (
        ("TREAD", "99999999999999999999", "1"),
        f"invalid offset '99999999999999999999': {FORMS}",
    ),
    "read: offset unprintable and long": (
        ("TREAD", b"\r\n\x00" + b"x" * 50, "1"),
        f"invalid offset '???{'x' * 37}...': {FORMS}",
    ),
    "read: count negative": (("TREAD", "1", "-1"), f"invalid count '-1': {READS}"),
    "read: count no number": (("TREAD", "1", "ten"), f"invalid count 'ten': {READS}"),
    "read: count too large": (("TREAD", "1", "1000001"), f"invalid count '1000001': {READS}"),
    "read: count beyond 64 bits": (("TREAD", "1", "18446744073709551616"), f"invalid count '18446744073709551616': {READS}"),
    "read: unknown word": (("TREAD", "1", "1", "NOW"), f"{READ_WORDS} 'NOW'"),
    "read: BLOCK without its time": (("TREAD", "1", "1", "BLOCK"), "missing BLOCK timeout"),
    "read: BLOCK negative": (("TREAD", "9", "1", "BLOCK", "-1"), f"invalid BLOCK timeout '-1': {TIMES}"),
    "read: BLOCK no number": (("TREAD", "9", "1", "BLOCK", "1s"), f"invalid BLOCK timeout '1s': {TIMES}"),
    "read: BLOCK too long": (
        ("TREAD", "9", "1", "BLOCK", "9007199254740992"),
        f"invalid BLOCK timeout '9007199254740992': {TIMES}",
    ),
    "read: BLOCK twice": (("TREAD", "9", "1", "BLOCK", "1", "BLOCK", "1"), "BLOCK is given twice"),
    "read: BLOCK with count 0": (
        ("TREAD", "9", "0", "BLOCK", "1"),
        "BLOCK needs a count of at least 1: with 0 there is nothing to wait for",
    ),
    "read: WITHINFO twice": (("TREAD", "1", "1", "WITHINFO", "withinfo"), "WITHINFO is given twice"),
    "read: SKIP twice": (("TREAD", "1", "1", "SKIP", "WITHINFO", "SKIP"), "SKIP is given twice"),
    "read: TAGS without a number": (("TREAD", "1", "1", "TAGS"), "missing number of TAGS"),
    "read: TAGS 0": (("TREAD", "1", "1", "TAGS", "0"), f"invalid number of TAGS '0': {TAGS}"),
    "read: TAGS negative": (("TREAD", "1", "1", "TAGS", "-1", "a"), f"invalid number of TAGS '-1': {TAGS}"),
    "read: TAGS no number": (("TREAD", "1", "1", "TAGS", "a", "b"), f"invalid number of TAGS 'a': {TAGS}"),
    "read: TAGS more than there are": (
        ("TREAD", "1", "1", "TAGS", "3", "a", "b"),
        "TAGS says 3 tags, but only 2 arguments follow",
    ),
    "read: TAGS far more than there may be": (
        ("TREAD", "1", "1", "TAGS", INT_MAX, "a"),
        f"invalid number of TAGS '{INT_MAX}': {TAGS}",
    ),
    "read: TAGS fewer than there are": (("TREAD", "1", "1", "TAGS", "1", "a", "b"), f"{READ_WORDS} 'b'"),
    "read: MAXBYTES 0": (("TREAD", "1", "1", "MAXBYTES", "0"), f"invalid MAXBYTES '0': expected an integer from 1 to {INT_MAX}"),
    "read: MAXBYTES without a number": (("TREAD", "1", "1", "MAXBYTES"), "missing MAXBYTES"),
    "read: REV with BLOCK": (
        ("TREAD", "1", "1", "REV", "BLOCK", "5"),
        "REV does not go with BLOCK: what is written later is not behind the offset",
    ),
    "read: TAGS twice": (("TREAD", "1", "1", "TAGS", "1", "a", "TAGS", "1", "b"), "TAGS is given twice"),
    # --- TEVICT ---
    "evict: no offset": (("TEVICT",), "wrong number of arguments for 'TEVICT' command"),
    "evict: two offsets": (("TEVICT", "1", "2"), "wrong number of arguments for 'TEVICT' command"),
    "evict: no number": (("TEVICT", "all"), f"invalid offset 'all': {OFFSETS}"),
    "evict: the next one": (("TEVICT", "$"), f"invalid offset '$': {OFFSETS}"),
    "evict: too large": (("TEVICT", "9223372036854775808"), f"invalid offset '9223372036854775808': {OFFSETS}"),
    "evict: too small": (("TEVICT", "-9223372036854775808"), f"invalid offset '-9223372036854775808': {OFFSETS}"),
    # --- TRETAIN ---
    "retain: unknown word": (("TRETAIN", "LATER", "1"), f"{RETAIN_WORDS} 'LATER'"),
    "retain: COUNT without its number": (("TRETAIN", "COUNT"), "missing COUNT"),
    "retain: COUNT negative": (("TRETAIN", "COUNT", "-1"), f"invalid COUNT '-1': {COUNTS}"),
    "retain: COUNT no number": (("TRETAIN", "COUNT", "few"), f"invalid COUNT 'few': {COUNTS}"),
    "retain: COUNT too large": (("TRETAIN", "COUNT", "9223372036854775808"), f"invalid COUNT '9223372036854775808': {COUNTS}"),
    "retain: COUNT twice": (("TRETAIN", "COUNT", "1", "COUNT", "2"), "COUNT is given twice"),
    "retain: AGE negative": (("TRETAIN", "AGE", "-1"), f"invalid AGE '-1': {TIMES}"),
    "retain: AGE too long": (("TRETAIN", "AGE", "9007199254740992"), f"invalid AGE '9007199254740992': {TIMES}"),
    "retain: AGE twice": (("TRETAIN", "AGE", "1", "AGE", "2"), "AGE is given twice"),
    "retain: BYTES negative": (("TRETAIN", "BYTES", "-1"), f"invalid BYTES '-1': {COUNTS}"),
    "retain: BYTES with a unit": (("TRETAIN", "BYTES", "1mb"), f"invalid BYTES '1mb': {COUNTS}"),
    "retain: BYTES twice": (("TRETAIN", "BYTES", "1", "BYTES", "2"), "BYTES is given twice"),
    "retain: the second option is bad": (("TRETAIN", "COUNT", "1", "AGE", "x"), f"invalid AGE 'x': {TIMES}"),
    # --- TSEEK ---
    "seek: no time": (("TSEEK",), "wrong number of arguments for 'TSEEK' command"),
    "seek: two times": (("TSEEK", "1", "2"), "wrong number of arguments for 'TSEEK' command"),
    "seek: negative": (("TSEEK", "-1"), f"invalid time in unix milliseconds '-1': {COUNTS}"),
    "seek: no number": (("TSEEK", "now"), f"invalid time in unix milliseconds 'now': {COUNTS}"),
    "seek: too large": (
        ("TSEEK", "9223372036854775808"),
        f"invalid time in unix milliseconds '9223372036854775808': {COUNTS}",
    ),
    # --- TINFO ---
    "info: one word too many": (("TINFO", "x"), "wrong number of arguments for 'TINFO' command"),
    # --- TAPPLY ---
    "apply: nothing": (("TAPPLY",), "wrong number of arguments for 'TAPPLY' command"),
    "apply: unknown effect": (("TAPPLY", "UNDO", "1"), f"{EFFECTS} 'UNDO'"),
    "apply: CLOCK no number": (("TAPPLY", "CLOCK", "noon"), f"invalid CLOCK 'noon': {COUNTS}"),
    "apply: CLOCK negative": (("TAPPLY", "CLOCK", "-1"), f"invalid CLOCK '-1': {COUNTS}"),
    "apply: CLOCK and more": (("TAPPLY", "CLOCK", "1", "2"), "syntax error: expected nothing more, found '2'"),
    "apply: BLOCK without its bytes": (("TAPPLY", "BLOCK", "x"), "missing block"),
    "apply: BLOCK of nonsense": (("TAPPLY", "BLOCK", "x", "y"), "a block header of the wrong length"),
    "apply: BLOCK without messages": (("TAPPLY", "BLOCK", b"\x04\x00\x00", ""), None),
    "apply: HEAD of nonsense": (("TAPPLY", "HEAD", "x"), None),
    "apply: HEAD empty": (("TAPPLY", "HEAD", ""), None),
}


@pytest.mark.parametrize("row", ROWS)
def test_bad_input_is_refused_and_changes_nothing(server, c, row):
    (name, *words), expected = ROWS[row]
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2", "c", "3")
    c.call("TRETAIN", "log", "COUNT", "100")
    before = server.digest("log")
    sent = server.info("replication")["master_repl_offset"]
    for key in ("log", "missing"):
        error = c.error_of(name, key, *words)
        if expected is None:
            assert error.startswith("ERR a ")
        else:
            assert error == f"ERR {expected}"
    assert server.digest("log") == before
    assert c.call("EXISTS", "missing") == 0
    assert server.info("replication")["master_repl_offset"] == sent, "nothing reached the replica"


@pytest.mark.parametrize("name", ["TWRITE", "TREAD", "TEVICT", "TRETAIN", "TSEEK", "TINFO", "TAPPLY", "TACK", "TNACK", "TGROUP"])
def test_a_command_without_a_key_is_refused(c, name):
    # The host lists subcommands in lower case, and so do we.
    listed = name.lower() if name == "TGROUP" else name
    assert c.error_of(name) == f"ERR wrong number of arguments for '{listed}' command"


def test_errors_inside_a_transaction_undo_nothing_and_stop_nothing(c):
    c.call("MULTI")
    c.call("TWRITE", "log", "a", "1")
    c.call("TEVICT", "log", "x")
    c.call("TWRITE", "log", "b", "2")
    one, error, two = c.call("EXEC")
    assert (one, str(error), two) == (1, f"ERR invalid offset 'x': {OFFSETS}", 2)


def test_a_log_that_has_used_up_its_offsets_refuses_writes(server, c):
    # A log head as servers send it: version, first, next, clock, four limits, blocks, groups.
    last = 2**63 - 2  # so that the next one is a number too
    varint = b"\xfe" + b"\xff" * 7 + b"\x7f"
    c.call("TAPPLY", "log", "HEAD", b"\x01" + varint + varint + b"\x00" * 7)
    assert c.call("TREAD", "log", "1", "0", "WITHINFO") == [[last, last - 1]]
    before = server.digest("log")
    assert c.error_of("TWRITE", "log", "ENTRIES", *["t", "e"] * 2) == "ERR the log has used up its offsets"
    assert server.digest("log") == before
    assert c.call("TWRITE", "log", "t", "last") == last
    assert c.call("TREAD", "log", "-1", "5") == [[last, b"t", b"last"]]
    assert c.call("TREAD", "log", "$", "5") == []
    before = server.digest("log")
    assert c.error_of("TWRITE", "log", "t", "e") == "ERR the log has used up its offsets"
    assert server.digest("log") == before
