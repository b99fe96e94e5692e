"""Bad input is answered with one error that says what was wrong and what was expected, and changes nothing."""

import pytest

from families import KEY, on
from route_words import HOUR, TASK, WS, device, subscribe

CENTURY = 3_155_760_000_000
COUNTS = "expected an integer from 1 to 1000000"
TTLS = f"expected an integer from 0 to {CENTURY}"
CURSORS = f"expected an integer from 0 to {2**32 - 1}"
LONG = "x" * 513
BOTH = "APP and MODEL must be given"
CHANNEL_WORDS = "APP, MODEL, USER or ID"


def arity(name):
    return f"wrong number of arguments for '{name}' command"


def subcommand_arity(name):
    return arity(f"route.device|{name.lower()}")


def found(expected, word):
    return f"syntax error: expected {expected}, found '{word}'"


def length(what, bytes, longest=512):
    return f"the {what} has {bytes} bytes, expected 1 to {longest}"


def not_a_device(word):
    return f"a device is written device-id|transport, not '{word}'"


SET = ("ROUTE.DEVICE", "SET", KEY, WS)
GET = ("ROUTE.DEVICE", "GET", KEY, WS)
LIST = ("ROUTE.DEVICE", "LIST", KEY)
SUBSCRIBE = ("ROUTE.SUBSCRIBE", KEY, WS, *TASK)
UNSUBSCRIBE = ("ROUTE.UNSUBSCRIBE", KEY, WS, *TASK)
MATCH = ("ROUTE.MATCH", KEY, *TASK)
DISPATCH = ("ROUTE.DISPATCH", KEY, *TASK)
EVENT = ("EVENT", "e", "QUEUES", "ws", "log")
SETFILTER = ("ROUTE.SETFILTER", KEY)
DELFILTER = ("ROUTE.DELFILTER", KEY)
APPLY = ("ROUTE.APPLY", KEY)
QUEUES = "EVENT must be given, and QUEUES with a transport and its log as the last words"
# name of the row: (command, error without its ERR)
ROWS = {
    "set: nobody": (("ROUTE.DEVICE", "SET", KEY), subcommand_arity("SET")),
    "set: no transport": (("ROUTE.DEVICE", "SET", KEY, "d1"), not_a_device("d1")),
    "set: empty transport": (("ROUTE.DEVICE", "SET", KEY, "d1|"), not_a_device("d1|")),
    "set: empty id": (("ROUTE.DEVICE", "SET", KEY, "|ws"), not_a_device("|ws")),
    "set: empty": (("ROUTE.DEVICE", "SET", KEY, ""), length("device", 0, 1025)),
    "set: id too long": (("ROUTE.DEVICE", "SET", KEY, f"{LONG}|ws"), "device id and transport have at most 512 bytes each"),
    "set: transport too long": (("ROUTE.DEVICE", "SET", KEY, f"d|{LONG}"), "device id and transport have at most 512 bytes each"),
    "set: all too long": (("ROUTE.DEVICE", "SET", KEY, f"{LONG}|{LONG}"), length("device", 1027, 1025)),
    "set: no UTF-8": (("ROUTE.DEVICE", "SET", KEY, b"\xff|ws"), "device is not UTF-8"),
    "set: unknown word": ((*SET, "NAME", "x"), found("USER, AGENT or TTL", "NAME")),
    "set: USER twice": ((*SET, "USER", "a", "user", "b"), "USER is given twice"),
    "set: USER empty": ((*SET, "USER", ""), length("USER", 0)),
    "set: USER too long": ((*SET, "USER", LONG), length("USER", 513)),
    "set: USER no UTF-8": ((*SET, "USER", b"\xc3"), "USER is not UTF-8"),
    "set: USER without its name": ((*SET, "USER"), "missing USER"),
    "set: AGENT too long": ((*SET, "AGENT", "x" * 4097), length("AGENT", 4097, 4096)),
    "set: TTL negative": ((*SET, "TTL", "-1"), f"invalid TTL '-1': {TTLS}"),
    "set: TTL over a century": ((*SET, "TTL", CENTURY + 1), f"invalid TTL '{CENTURY + 1}': {TTLS}"),
    "set: TTL no number": ((*SET, "TTL", "1s"), f"invalid TTL '1s': {TTLS}"),
    "set: TTL twice": ((*SET, "TTL", "1", "TTL", "1"), "TTL is given twice"),
    "get: no device": (("ROUTE.DEVICE", "GET", KEY), subcommand_arity("GET")),
    "get: unknown word": ((*GET, "ALL"), found("FULL", "ALL")),
    "get: COUNT without FULL": ((*GET, "COUNT", "1"), found("FULL", "COUNT")),
    "get: COUNT 0": ((*GET, "FULL", "COUNT", "0"), f"invalid COUNT '0': {COUNTS}"),
    "get: too much": ((*GET, "FULL", "FULL"), found("COUNT or CURSOR", "FULL")),
    "touch: no device": (("ROUTE.DEVICE", "TOUCH", KEY, "d1"), not_a_device("d1")),
    "touch: a second one that is none": (("ROUTE.DEVICE", "TOUCH", KEY, WS, "x"), not_a_device("x")),
    "move: too few": (("ROUTE.DEVICE", "MOVE", KEY, WS), subcommand_arity("MOVE")),
    "move: to no device": (("ROUTE.DEVICE", "MOVE", KEY, WS, "x"), not_a_device("x")),
    "del: no device": (("ROUTE.DEVICE", "DEL", KEY, "d1"), not_a_device("d1")),
    "del: too much": (("ROUTE.DEVICE", "DEL", KEY, WS, "x"), found("nothing more", "x")),
    "del: unknown word": (("ROUTE.DEVICE", "DEL", KEY, "TRANSPORT", "ws", "x"), found("COUNT", "x")),
    "del: too many": (("ROUTE.DEVICE", "DEL", KEY, "TRANSPORT", "ws", "COUNT", "10001"), "invalid COUNT '10001': expected an integer from 1 to 10000"),
    "list: unknown word": ((*LIST, "MATCH", "x"), found("TRANSPORT, USER, COUNT or CURSOR", "MATCH")),
    "list: COUNT 0": ((*LIST, "COUNT", "0"), f"invalid COUNT '0': {COUNTS}"),
    "list: COUNT too large": ((*LIST, "COUNT", "1000001"), f"invalid COUNT '1000001': {COUNTS}"),
    "list: CURSOR no number": ((*LIST, "CURSOR", "x"), f"invalid CURSOR 'x': {CURSORS}"),
    "list: CURSOR too large": ((*LIST, "CURSOR", 2**32), f"invalid CURSOR '{2**32}': {CURSORS}"),
    "list: TRANSPORT twice": ((*LIST, "TRANSPORT", "a", "TRANSPORT", "a"), "TRANSPORT is given twice"),
    "subscribe: too few": (("ROUTE.SUBSCRIBE", KEY, WS, "APP", "a", "MODEL"), arity("ROUTE.SUBSCRIBE")),
    "subscribe: no MODEL": (("ROUTE.SUBSCRIBE", KEY, WS, "APP", "a", "USER", "m"), BOTH),
    "subscribe: no APP": (("ROUTE.SUBSCRIBE", KEY, WS, "MODEL", "a", "USER", "m"), BOTH),
    "subscribe: no device": (("ROUTE.SUBSCRIBE", KEY, "d1", *TASK), not_a_device("d1")),
    "subscribe: APP empty": (("ROUTE.SUBSCRIBE", KEY, WS, "APP", "", "MODEL", "m"), length("APP", 0)),
    "subscribe: MODEL too long": (("ROUTE.SUBSCRIBE", KEY, WS, "APP", "a", "MODEL", LONG), length("MODEL", 513)),
    "subscribe: ID no UTF-8": ((*SUBSCRIBE, "ID", b"\xfe"), "ID is not UTF-8"),
    "subscribe: APP twice": ((*SUBSCRIBE, "APP", "b"), "APP is given twice"),
    "subscribe: FILTER and FILTERID": ((*SUBSCRIBE, "FILTER", "{}", "FILTERID", "f"), "FILTER and FILTERID exclude each other"),
    "subscribe: FILTER twice": ((*SUBSCRIBE, "FILTER", "{}", "FILTER", "{}"), "FILTER is given twice"),
    "subscribe: FILTER without it": ((*SUBSCRIBE, "FILTER"), "missing filter"),
    "subscribe: TTL negative": ((*SUBSCRIBE, "TTL", "-1"), f"invalid TTL '-1': {TTLS}"),
    "subscribe: unknown word": ((*SUBSCRIBE, "DOC", "{}"), found("APP, MODEL, USER, ID, FILTER, FILTERID, TTL or XX", "DOC")),
    "unsubscribe: TTL": ((*UNSUBSCRIBE, "TTL", "1"), found("APP, MODEL, USER, ID, FILTER or FILTERID", "TTL")),
    "unsubscribe: FILTER and FILTERID": ((*UNSUBSCRIBE, "FILTER", "{}", "FILTERID", "f"), "FILTER and FILTERID exclude each other"),
    "unsubscribe: no MODEL": (("ROUTE.UNSUBSCRIBE", KEY, WS, "APP", "a", "USER", "m"), BOTH),
    "match: no MODEL": (("ROUTE.MATCH", KEY, "APP", "a", "DOC", "{}"), BOTH),
    "match: DOC twice": ((*MATCH, "DOC", "{}", "doc", "{}"), "DOC is given twice"),
    "match: OLD without it": ((*MATCH, "OLD"), "missing OLD"),
    "match: WITHCHANNELS twice": ((*MATCH, "WITHCHANNELS", "WITHCHANNELS"), "WITHCHANNELS is given twice"),
    "match: unknown word": ((*MATCH, "EVENT", "e"), found("APP, MODEL, USER, ID, DOC, OLD, WITHCHANNELS, LIMIT or AFTER", "EVENT")),
    "match: USER empty": ((*MATCH, "USER", ""), length("USER", 0)),
    "dispatch: too few": ((*DISPATCH, "EVENT", "e", "QUEUES", "ws"), arity("ROUTE.DISPATCH")),
    "dispatch: no EVENT": ((*DISPATCH, "USER", "u", "QUEUES", "ws", "log"), QUEUES),
    "dispatch: no QUEUES": ((*DISPATCH, "USER", "u", "EVENT", "e", "ID", "i"), QUEUES),
    "dispatch: a transport without its log": ((*DISPATCH, *EVENT, "mqtt"), "missing log"),
    "dispatch: no queue": ((*DISPATCH, "DOC", "{}", "EVENT", "e", "QUEUES"), "missing transport"),
    "dispatch: a transport twice": ((*DISPATCH, *EVENT, "ws", "other"), "the transport 'ws' has two queues"),
    "dispatch: an empty transport": ((*DISPATCH, *EVENT, "", "other"), length("transport", 0)),
    "dispatch: EVENT empty": ((*DISPATCH, "EVENT", "", "QUEUES", "ws", "log"), length("EVENT", 0)),
    "dispatch: EVENT no UTF-8": ((*DISPATCH, "EVENT", b"\x80", "QUEUES", "ws", "log"), "EVENT is not UTF-8"),
    "dispatch: EVENT twice": ((*DISPATCH, "EVENT", "a", *EVENT), "EVENT is given twice"),
    "dispatch: unknown word": ((*DISPATCH, "TO", *EVENT), found("APP, MODEL, USER, ID, DOC, OLD, EVENT, ORIGIN, DATA, LIMIT, AFTER or QUEUES", "TO")),
    "setfilter: too few": ((*SETFILTER, "f", "{}", "APP", "a"), arity("ROUTE.SETFILTER")),
    "setfilter: empty name": ((*SETFILTER, "", "{}", *TASK), length("filter-id", 0)),
    "setfilter: a name like an id": (
        (*SETFILTER, "0123456789abcdef" * 2, "{}", *TASK),
        "32 hexadecimal digits are the id of a filter without a name, not a name",
    ),
    "setfilter: unknown word": ((*SETFILTER, "f", "{}", *TASK, "TTL", "5"), found(CHANNEL_WORDS, "TTL")),
    "setfilter: no APP": ((*SETFILTER, "f", "{}", "MODEL", "m", "USER", "u"), BOTH),
    "delfilter: too few": ((*DELFILTER, "f", "APP", "a"), arity("ROUTE.DELFILTER")),
    "delfilter: empty name": ((*DELFILTER, "", *TASK), length("filter-id", 0)),
    "delfilter: unknown word": ((*DELFILTER, "f", *TASK, "FILTER", "{}"), found(CHANNEL_WORDS, "FILTER")),
    "filters: no MODEL": (("ROUTE.FILTERS", KEY, "APP", "a", "USER", "u"), BOTH),
    "filters: unknown word": (("ROUTE.FILTERS", KEY, *TASK, "FILTER", "1"), found("APP, MODEL, USER, ID, COUNT or CURSOR", "FILTER")),
    "subscribers: unknown word": (("ROUTE.SUBSCRIBERS", KEY, *TASK, "FILTER", "1"), found("APP, MODEL, USER, ID, FILTERID, COUNT or CURSOR", "FILTER")),
    "subscribers: a cursor that is none": (("ROUTE.SUBSCRIBERS", KEY, *TASK, "CURSOR", "1.2"), "CURSOR must be 0, or what the page before has answered"),
    "presence: unknown word": (("ROUTE.PRESENCE", KEY, "ON"), found("QUEUES or OFF", "ON")),
    "presence: a transport": (("ROUTE.PRESENCE", KEY, "QUEUES", "ws", "log"), found("*", "ws")),
    "presence: no prefix": (("ROUTE.PRESENCE", KEY, "QUEUES", "*", ""), "the prefix is empty"),
    "match: AFTER alone": ((*MATCH, "AFTER", "1"), "AFTER needs LIMIT"),
    "dispatch: two words behind the prefix": ((*DISPATCH, "EVENT", "e", "QUEUES", "*", "p:", "q:"), found("nothing more", "q:")),
    "dispatch: an origin that is none": ((*DISPATCH, "ORIGIN", "x", *EVENT), not_a_device("x")),
    "info: too much": (("ROUTE.INFO", KEY, "all"), arity("ROUTE.INFO")),
    "apply: unknown word": ((*APPLY, "MAGIC", "1"), found("CLOCK, PART, GONE or DISPATCHED", "MAGIC")),
    "apply: CLOCK beyond the end of time": ((*APPLY, "CLOCK", 2**63), f"invalid CLOCK '{2**63}': expected an integer from 0 to {2**63 - 1}"),
    "apply: too much": ((*APPLY, "CLOCK", "1", "2"), found("nothing more", "2")),
}


@pytest.fixture
def filled(c):
    device(c, WS, "USER", "ann", "TTL", HOUR)
    subscribe(c, filter={"a": 1})
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 2}', *TASK)


@pytest.mark.parametrize("row", ROWS)
def test_bad_input_is_refused_and_changes_nothing(server, c, filled, row):
    words, expected = ROWS[row]
    before, sent = server.digest("t"), server.info("replication")["master_repl_offset"]
    assert c.error_of(*on("t", words)) == f"ERR {expected}"
    assert server.digest("t") == before
    assert server.info("replication")["master_repl_offset"] == sent, "nothing reached the replica"
    assert c.error_of(*on("missing", words)) == f"ERR {expected}"
    assert c.call("EXISTS", "missing", "log") == 0


WITHOUT_KEY = {
    "patterns: no MODEL": (("ROUTE.PATTERNS", "APP", "a", "USER", "u"), BOTH),
    "patterns: too few": (("ROUTE.PATTERNS", "APP", "a"), arity("ROUTE.PATTERNS")),
    "patterns: unknown word": (("ROUTE.PATTERNS", *TASK, "DOC", "{}"), found(CHANNEL_WORDS, "DOC")),
    "patterns: APP empty": (("ROUTE.PATTERNS", "APP", "", "MODEL", "m"), length("APP", 0)),
    "partition: nothing": (("ROUTE.PARTITION",), arity("ROUTE.PARTITION")),
    "partition: empty": (("ROUTE.PARTITION", ""), length("channel", 0, 2080)),
    "partition: too long": (("ROUTE.PARTITION", "x" * 2081), length("channel", 2081, 2080)),
    "partition: of 0": (("ROUTE.PARTITION", "x", "PARTITIONS", "0"), f"invalid PARTITIONS '0': expected an integer from 1 to {2**32 - 1}"),
    "partition: unknown word": (("ROUTE.PARTITION", "x", "OF", "7"), found("PARTITIONS", "OF")),
    "partition: too much": (("ROUTE.PARTITION", "x", "PARTITIONS", "7", "8"), found("nothing more", "8")),
    "partition: without its number": (("ROUTE.PARTITION", "x", "PARTITIONS"), "missing PARTITIONS"),
}


@pytest.mark.parametrize("row", WITHOUT_KEY)
def test_bad_words_without_a_key_are_refused(c, row):
    words, expected = WITHOUT_KEY[row]
    assert c.error_of(*words) == f"ERR {expected}"


def test_an_unknown_subcommand_is_the_hosts_error(c):
    assert c.error_of("ROUTE.DEVICE", "FORGET", "t", WS).startswith("ERR unknown subcommand 'FORGET'")
