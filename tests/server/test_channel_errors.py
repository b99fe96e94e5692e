"""Bad input to the commands of channels: one exact error, nothing changed."""

import pytest

from channel_words import LARGEST, publish, subscribe
from families import KEY, on

CENTURY = 3_155_760_000_000
EXPIRES = f"expected an integer from 1 to {CENTURY}"
CLOCKS = f"expected an integer from -{LARGEST} to {LARGEST}"
COUNTS = "expected an integer from 1 to 1000000"
TIMES = f"expected an integer from 0 to {LARGEST}"
LONG = "x" * 513


def arity(name):
    return f"wrong number of arguments for 'CHAN.{name}' command"


def length(what, bytes):
    return f"the {what} has {bytes} bytes, expected 1 to 512"


def found(expected, word):
    return f"syntax error: expected {expected}, found '{word}'"


SUBSCRIBE = ("CHAN.SUBSCRIBE", KEY, "s")
FETCH = ("CHAN.FETCH", KEY, "s")
CREATE = ("CHAN.CREATE", KEY)
INFO = ("CHAN.INFO", KEY)
APPLY = ("CHAN.APPLY", KEY)
# name of the row: (command, error without its ERR)
ROWS = {
    "subscribe: nobody": (("CHAN.SUBSCRIBE", KEY), arity("SUBSCRIBE")),
    "subscribe: empty name": (("CHAN.SUBSCRIBE", KEY, ""), length("subscriber", 0)),
    "subscribe: name too long": (("CHAN.SUBSCRIBE", KEY, LONG), length("subscriber", 513)),
    "subscribe: unknown word": ((*SUBSCRIBE, "FOREVER"), found("EXPIRE", "FOREVER")),
    "subscribe: EXPIRE without its time": ((*SUBSCRIBE, "EXPIRE"), "missing EXPIRE time"),
    "subscribe: EXPIRE 0": ((*SUBSCRIBE, "EXPIRE", "0"), f"invalid EXPIRE time '0': {EXPIRES}"),
    "subscribe: EXPIRE negative": ((*SUBSCRIBE, "EXPIRE", "-1"), f"invalid EXPIRE time '-1': {EXPIRES}"),
    "subscribe: EXPIRE no number": ((*SUBSCRIBE, "EXPIRE", "1s"), f"invalid EXPIRE time '1s': {EXPIRES}"),
    "subscribe: EXPIRE over a century": (
        (*SUBSCRIBE, "EXPIRE", CENTURY + 1),
        f"invalid EXPIRE time '{CENTURY + 1}': {EXPIRES}",
    ),
    "subscribe: EXPIRE twice": ((*SUBSCRIBE, "EXPIRE", "1", "EXPIRE", "1"), found("nothing more", "EXPIRE")),
    "unsubscribe: nobody": (("CHAN.UNSUBSCRIBE", KEY), arity("UNSUBSCRIBE")),
    "unsubscribe: two": (("CHAN.UNSUBSCRIBE", KEY, "s", "t"), arity("UNSUBSCRIBE")),
    "unsubscribe: empty name": (("CHAN.UNSUBSCRIBE", KEY, ""), length("subscriber", 0)),
    "publish: nothing": (("CHAN.PUBLISH", KEY), arity("PUBLISH")),
    "publish: no content": (("CHAN.PUBLISH", KEY, "id"), arity("PUBLISH")),
    "publish: two": (("CHAN.PUBLISH", KEY, "id", "x", "id2", "x"), arity("PUBLISH")),
    "publish: empty id": (("CHAN.PUBLISH", KEY, "", "x"), length("id", 0)),
    "publish: id too long": (("CHAN.PUBLISH", KEY, LONG, "x"), length("id", 513)),
    "mpublish: no content": (("CHAN.MPUBLISH", KEY, "id"), arity("MPUBLISH")),
    "mpublish: the last without content": (("CHAN.MPUBLISH", KEY, "id", "x", "id2"), "missing content"),
    "mpublish: the last id empty": (("CHAN.MPUBLISH", KEY, "id", "x", "", "x"), length("id", 0)),
    "mpublish: the last id too long": (("CHAN.MPUBLISH", KEY, "id", "x", LONG, "x"), length("id", 513)),
    "fetch: nobody": (("CHAN.FETCH", KEY), arity("FETCH")),
    "fetch: empty name": (("CHAN.FETCH", KEY, ""), length("subscriber", 0)),
    "fetch: name too long": (("CHAN.FETCH", KEY, LONG), length("subscriber", 513)),
    "fetch: MAX without its count": ((*FETCH, "MAX"), "missing MAX count"),
    "fetch: MAX 0": ((*FETCH, "MAX", "0"), f"invalid MAX count '0': {COUNTS}"),
    "fetch: MAX too large": ((*FETCH, "MAX", "1000001"), f"invalid MAX count '1000001': {COUNTS}"),
    "fetch: MAX twice": ((*FETCH, "MAX", "1", "MAX", "1"), "MAX is given twice"),
    "fetch: BLOCK without its time": ((*FETCH, "BLOCK"), "missing BLOCK time"),
    "fetch: BLOCK negative": ((*FETCH, "BLOCK", "-1"), f"invalid BLOCK time '-1': {TIMES}"),
    "fetch: BLOCK too long": ((*FETCH, "BLOCK", 2**53), f"invalid BLOCK time '{2**53}': {TIMES}"),
    "fetch: BLOCK twice": ((*FETCH, "BLOCK", "1", "block", "1"), "BLOCK is given twice"),
    "fetch: unknown word": ((*FETCH, "ALL"), found("MAX, MAXBYTES or BLOCK", "ALL")),
    "fetch: unknown word behind a good one": ((*FETCH, "MAX", "1", "ALL"), found("MAX, MAXBYTES or BLOCK", "ALL")),
    "ack: no receipt": (("CHAN.ACK", KEY, "s"), arity("ACK")),
    "ack: two receipts": (("CHAN.ACK", KEY, "s", "1", "2"), arity("ACK")),
    "ack: empty name": (("CHAN.ACK", KEY, "", "1"), length("subscriber", 0)),
    "ack: name too long": (("CHAN.ACK", KEY, LONG, "1"), length("subscriber", 513)),
    "seen: no id": (("CHAN.SEEN", KEY, "s"), arity("SEEN")),
    "seen: empty name": (("CHAN.SEEN", KEY, "", "id"), length("subscriber", 0)),
    "seen: the last id empty": (("CHAN.SEEN", KEY, "s", "id", ""), length("id", 0)),
    "seen: the last id too long": (("CHAN.SEEN", KEY, "s", "id", LONG), length("id", 513)),
    "create: nothing": (("CHAN.CREATE",), arity("CREATE")),
    "create: unknown word": ((*CREATE, "AT"), found("EXPIRE or CLOCK", "AT")),
    "create: EXPIRE 0": ((*CREATE, "EXPIRE", "0"), f"invalid EXPIRE time '0': {EXPIRES}"),
    "create: EXPIRE twice": ((*CREATE, "EXPIRE", "1", "EXPIRE", "1"), "EXPIRE is given twice"),
    "create: CLOCK without its number": ((*CREATE, "CLOCK"), "missing CLOCK"),
    "create: CLOCK beyond the largest": ((*CREATE, "CLOCK", LARGEST + 1), f"invalid CLOCK '{LARGEST + 1}': {CLOCKS}"),
    "create: CLOCK below the smallest": ((*CREATE, "CLOCK", -LARGEST - 1), f"invalid CLOCK '{-LARGEST - 1}': {CLOCKS}"),
    "create: CLOCK no number": ((*CREATE, "CLOCK", "1.0"), f"invalid CLOCK '1.0': {CLOCKS}"),
    "create: CLOCK twice": ((*CREATE, "CLOCK", "1", "CLOCK", "1"), "CLOCK is given twice"),
    "info: unknown word": ((*INFO, "ALL"), found("FULL or SUBSCRIBERS", "ALL")),
    "info: FULL twice": ((*INFO, "FULL", "FULL"), found("nothing more", "FULL")),
    "info: COUNT without FULL": ((*INFO, "COUNT", "1"), found("FULL or SUBSCRIBERS", "COUNT")),
    "info: COUNT without its number": ((*INFO, "FULL", "COUNT"), "missing COUNT"),
    "info: COUNT 0": ((*INFO, "FULL", "COUNT", "0"), f"invalid COUNT '0': {COUNTS}"),
    "info: COUNT too large": ((*INFO, "FULL", "COUNT", "1000001"), f"invalid COUNT '1000001': {COUNTS}"),
    "apply: unknown effect": (
        (*APPLY, "MAGIC", "x"),
        found("CREATED, CLOCK, TOUCH, BLOCK, LOGHEAD or SUBSCRIBERS", "MAGIC"),
    ),
    "apply: CLOCK no date": ((*APPLY, "CLOCK", "-1"), f"invalid CLOCK '-1': expected an integer from 0 to {2**63 - 1}"),
    "apply: TOUCH nobody": ((*APPLY, "TOUCH", ""), length("subscriber", 0)),
    "apply: TOUCH two": ((*APPLY, "TOUCH", "s", "t"), found("nothing more", "t")),
    "apply: BLOCK without bytes": ((*APPLY, "BLOCK", "x"), "missing block"),
}


@pytest.mark.parametrize("row", ROWS)
def test_bad_input_is_refused_and_changes_nothing(server, c, row):
    words, expected = ROWS[row]
    subscribe(c, "s")
    publish(c, "a")
    before, sent = server.digest("ch"), server.info("replication")["master_repl_offset"]
    for key in ("ch", "missing"):
        assert c.error_of(*on(key, words)) == f"ERR {expected}"
    assert server.digest("ch") == before
    assert c.call("EXISTS", "missing") == 0
    assert server.info("replication")["master_repl_offset"] == sent, "nothing reached the replica"


MISSING = "the channel that this effect belongs to is missing"
# Effects with bytes that do not decode: (words behind the key, the error, the error for a channel that is missing)
BAD_EFFECTS = {
    "an empty block": (("BLOCK", "", ""), "a block header of the wrong length", MISSING),
    "a block of noise": (("BLOCK", b"\xff\xff", "noise"), "a block header of the wrong length", MISSING),
    "a log head of noise": (("LOGHEAD", "noise"), "a log of a version this module does not know", MISSING),
    "subscribers of noise": (("SUBSCRIBERS", b"\xff\xff\xff\xff"), "subscribers of the wrong length", MISSING),
    "subscribers that are none": (("SUBSCRIBERS", ""), "subscribers of the wrong length", MISSING),
    "a channel of noise": (
        ("CREATED", "noise"),
        "the channel exists already",
        "a channel of a version this module does not know",
    ),
}


@pytest.mark.parametrize("row", BAD_EFFECTS)
def test_a_bad_effect_is_refused_and_counted(server, c, row):
    words, expected, expected_if_missing = BAD_EFFECTS[row]
    subscribe(c, "s")
    publish(c, "a")
    before, refused = server.digest("ch"), server.counter("payloads_refused")
    assert c.error_of("CHAN.APPLY", "ch", *words) == f"ERR {expected}"
    assert c.error_of("CHAN.APPLY", "missing", *words) == f"ERR {expected_if_missing}"
    assert server.counter("payloads_refused") == refused + 2
    assert (server.digest("ch"), c.call("EXISTS", "missing")) == (before, 0)


def test_an_error_quotes_what_it_found_printable_and_short(c):
    assert c.error_of("CHAN.FETCH", b"\x00\r\n" + b"k" * 100, "s\xff") == (
        f"NOSUB no subscriber 's??' of the channel '???{'k' * 37}...'"
    )
