"""Hostile input: huge and broken documents, filters meant to explode, payloads with wrong numbers. All of it is refused
or bounded, and the server answers the next command."""

import json
import os
import random

import pytest

from payload import damaged, sealed, value_of
from resp import RespError
from route_words import HOUR, TASK, WS, channel, do, filters, get, info, listed, match, subscribe, text

SEED = int(os.environ.get("MILLRACE_SEED", "20260108"))


def refused(c, *words):
    """The error's code; the error must be one line."""
    error = c.error_of(*words)
    assert "\n" not in error and "\r" not in error and len(error) < 1500, error[:2000]
    return error.split()[0]


# --- documents ---


def nested(depth, open="[", close="]"):
    return '{"a": ' + open * (depth - 1) + "1" + close * (depth - 1) + "}"


def test_a_document_may_have_a_mebibyte(c):
    subscribe(c, filter={"end": 1})
    document = json.dumps({"x": "y" * (1024 * 1024 - 30), "end": 1})
    assert len(document) < 1024 * 1024
    assert match(c, document) == [WS]
    for size in (1024 * 1024 + 1, 10_000_000):
        too_large = '{"x": "' + "y" * (size - 9) + '"}'
        assert len(too_large) == size
        for words in (("DOC", too_large), ("DOC", "{}", "OLD", too_large)):
            assert c.error_of("ROUTE.MATCH", "t", *TASK, *words) == f"ERR {words[-2]}: a document larger than 1 MiB"
            queues = ("EVENT", "e", "QUEUES", "ws", "log")
            assert c.error_of("ROUTE.DISPATCH", "t", *TASK, *words, *queues) == f"ERR {words[-2]}: a document larger than 1 MiB"
    assert c.call("EXISTS", "log") == 0
    assert match(c, {"end": 1}) == [WS]


def test_a_document_of_ten_million_fields_or_elements_is_refused(c):
    subscribe(c, filter={"a": 5})
    for document in ('{"a": [' + "5," * 5_000_000 + "5]}", "{" + '"a":5,' * 1_600_000 + '"b":5}'):
        assert refused(c, "ROUTE.MATCH", "t", *TASK, "DOC", document) == "ERR"
    for document in ('{"a": [' + "4," * 9_999 + "5]}", "{" + '"b":4,' * 170_000 + '"a":5}'):
        assert match(c, document) == [WS]


# --- filters that cannot be evaluated (findings, routes 1) do not make others fail ---


def failing(c, key="t"):
    """{filter or field: (reason, failures)}"""
    listed = info(c, key)["failing-filters"]
    return {(each["filter"] or each["field"]).decode(): (each["reason"].decode(), each["failures"]) for each in listed}


def test_a_field_with_too_many_values_fails_the_filters_on_it_and_no_other(server, c):
    before = server.counter("route_filter_failures")
    subscribe(c, "tags|ws", filter={"tags": 5})
    negated = subscribe(c, "not|ws", filter={"$not": {"tags": 5}}).decode()
    subscribe(c, "name|ws", filter={"name": "x"})
    subscribe(c, "there|ws", filter={"tags": {"$exists": True}})
    subscribe(c, "all|ws")
    for document in ('{"name": "x", "tags": [' + "4," * 10_000 + "5]}", '{"name": "x", ' + '"tags":4,' * 100_000 + '"tags":5}'):
        assert match(c, document) == ["all|ws", "name|ws", "there|ws"]
        answer = c.call("ROUTE.DISPATCH", "t", *TASK, "DOC", document, "EVENT", "e", "QUEUES", "ws", "log")
        assert answer[0][:2] == [b"ws", 3]
    assert failing(c) == {"tags": ("too-many-values", 4), negated: ("too-many-values", 4)}
    assert info(c)["filter-failures"] == 8 == server.counter("route_filter_failures") - before
    assert match(c, '{"name": "y", "tags": [' + "4," * 9_998 + "5]}") == ["all|ws", "tags|ws", "there|ws"]


def test_the_field_with_the_most_values_is_the_one_that_is_left_out(c):
    subscribe(c, "long|ws", filter={"long": 1})
    subscribe(c, "short|ws", filter={"short": 1})
    lists = {"long": [1] * 6000, "short": [1] * 5000}
    assert match(c, lists) == ["short|ws"]
    assert list(failing(c)) == ["long"]


def test_a_costly_regular_expression_fails_alone(c):
    """Once, forty of them together made the whole change fail, and no device got it."""
    costly = [subscribe(c, f"costly{i}|ws", filter={"f": {"$regex": f"(?:a?b?){{100}}c{i}"}}).decode() for i in range(40)]
    subscribe(c, "cheap|ws", filter={"f": {"$regex": "^ab.*b$"}})
    subscribe(c, "all|ws")
    assert match(c, {"f": "ab" * 2000}) == ["all|ws", "cheap|ws"]
    assert info(c)["filter-failures"] == 40
    assert len(failing(c)) == 10 and failing(c).items() <= {(id, ("regex-work", 1)) for id in costly}
    assert match(c, {"f": "ab" * 10 + "c7"}) == ["all|ws", "costly7|ws"], "of a short text they are tried"


def test_the_cheap_regular_expressions_are_run_when_all_together_are_too_much(c):
    for i in range(100):
        subscribe(c, f"costly{i:02}|ws", filter={"f": {"$regex": f"(?:a?b?){{50}}c{i}"}})
    for i in range(500):
        subscribe(c, f"cheap{i:03}|ws", filter={"f": {"$regex": f"^ab.*b{'b?' * (i % 4)}$"}, "n": {"$ne": i}})
    found = match(c, {"f": "ab" * 100, "n": -1})
    assert [name for name in found if name.startswith("cheap")] == [f"cheap{i:03}|ws" for i in range(500)]
    assert 0 < info(c)["filter-failures"] < 100


def test_not_does_not_match_what_could_not_be_tried(c):
    """Findings, routes 5: $not of a $regex matched values that are too long to be tried."""
    id = subscribe(c, "not|ws", filter={"a": {"$not": {"$regex": "z"}}}).decode()
    subscribe(c, "or|ws", filter={"$or": [{"a": {"$regex": "z"}}, {"b": 1}]})
    assert match(c, {"a": "y" * 4096}) == ["not|ws"]
    assert match(c, {"a": "y" * 4097, "b": 1}) == ["or|ws"], "what can be evaluated decides, if it does"
    assert failing(c) == {id: ("text-too-long", 1)}


def test_a_deleted_filter_is_no_longer_listed(c):
    id = subscribe(c, filter={"a": {"$regex": "z"}})
    assert match(c, {"a": "z" * 5000}) == []
    assert list(failing(c)) == [id.decode()]
    c.call("ROUTE.DELFILTER", "t", id, *TASK)
    assert failing(c) == {}


@pytest.mark.parametrize("pattern", ["(?i)[" + r"\PL" * 200 + "]", "(?i)" + "[^a]" * 200, "[" + r"\pL" * 300 + "]"])
def test_a_regular_expression_that_takes_long_to_compile_is_refused(c, pattern):
    words = ("ROUTE.SUBSCRIBE", "t", "d|ws", *TASK, "FILTER", json.dumps({"f": {"$regex": pattern}}))
    assert c.error_of(*words) == "BADFILTER f.$regex: a regular expression with too many classes of characters"



def test_a_document_is_64_deep_at_most(c):
    subscribe(c, filter={"a": {"$exists": True}})
    assert match(c, nested(64)) == [WS]
    assert match(c, '{"a":' * 64 + "1" + "}" * 64) == [WS], "findings, routes 5: 64 objects around a value"
    for depth in (65, 100, 10_000, 500_000):
        assert refused(c, "ROUTE.MATCH", "t", *TASK, "DOC", nested(depth)) == "ERR"
        assert refused(c, "ROUTE.MATCH", "t", *TASK, "DOC", '{"a":' * depth + "1" + "}" * depth) == "ERR"
    assert match(c, nested(64)) == [WS]


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\x80", b"\x01", b"\\ud800"])
def test_invalid_text_is_refused_everywhere(c, bad):
    subscribe(c)
    quoted = b'{"a": "' + bad + b'"}'
    assert refused(c, "ROUTE.MATCH", "t", *TASK, "DOC", quoted) == "ERR"
    assert refused(c, "ROUTE.MATCH", "t", *TASK, "OLD", quoted) == "ERR"
    assert refused(c, "ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", quoted) == "BADFILTER"
    assert refused(c, "ROUTE.SETFILTER", "t", "f", b'{"' + bad + b'": 1}', *TASK) == "BADFILTER"


def test_numbers_of_any_size_are_numbers_or_refused(c):
    subscribe(c, filter={"n": {"$gt": 0}})
    for number in ("1e308", "9" * 18, "0." + "3" * 100_000, "1" + "0" * 300 + ".0"):
        assert match(c, f'{{"n": {number}}}') == [WS], number[:30]
    for number in ("1e309", "9" * 100_000, "1" + "0" * 400 + ".5", "+1", "01", "0x1", "Infinity", "-", "1e"):
        assert refused(c, "ROUTE.MATCH", "t", *TASK, "DOC", f'{{"n": {number}}}') == "ERR", number[:30]
        assert refused(c, "ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", f'{{"n": {number}}}') == "BADFILTER", number[:30]


# --- filters ---


def deep(depth, inner='{"x": 1}'):
    return '{"$not": ' * (depth - 2) + inner + "}" * (depth - 2)


def test_a_filter_has_64_kibibytes_at_most(c):
    values = ",".join(f'"{n:05}"' for n in range(8000))
    fits = '{"a": {"$in": [' + values + "]}}"
    assert len(fits) < 64 * 1024
    subscribe(c, filter=fits)
    assert match(c, {"a": "07999"}) == [WS]
    too_long = '{"a": "' + "x" * (64 * 1024 - 8) + '"}'
    error = c.error_of("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", too_long)
    assert error == "BADFILTER the filter has 65537 bytes, expected 65536 at most"
    assert refused(c, "ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", '{"a": "' + "x" * 10_000_000 + '"}') == "BADFILTER"


def test_a_filter_is_32_deep_at_most(c):
    subscribe(c, filter=deep(32))
    assert info(c)["filters"] == 1
    for depth in (34, 100, 3000):
        error = c.error_of("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", deep(depth))
        assert error.startswith("BADFILTER $not.$not.") or error.startswith("BADFILTER not JSON: "), error
    for bomb in ("[" * 60_000, '{"$and":[' * 7000, '{"a":' * 12_000):
        assert refused(c, "ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", bomb) == "BADFILTER"


def grows_deeper(levels):
    """A filter whose normal form is twice as deep."""
    filter = {"a": 1}
    for _ in range(levels):
        filter = {"x": 1, "$or": [filter, {"b": 2}]}
    return filter


def test_what_is_larger_in_its_normal_form_is_saved_and_loaded(server, c):
    subscribe(c, "deep|ws", filter=grows_deeper(30))
    subscribe(c, "wide|ws", filter="{" + ",".join(f'"f{n}":1' for n in range(6000)) + "}")
    subscribe(c, "zeros|ws", filter={"n": {"$in": [float(f"{n}e18") for n in range(1, 9)]}, "$or": [{"a": 1}, {"b": 1}]})
    before = server.digest("t"), [match(c, doc) for doc in ({"a": 1, "x": 1}, {f"f{n}": 1 for n in range(6000)})]
    c.call("DEBUG", "RELOAD")
    assert c.call("RESTORE", "t", "0", c.call("DUMP", "t"), "REPLACE") == b"OK"
    assert (server.digest("t"), [match(c, doc) for doc in ({"a": 1, "x": 1}, {f"f{n}": 1 for n in range(6000)})]) == before
    assert before[1][0] == ["deep|ws"] and before[1][1] == ["wide|ws"]


@pytest.mark.parametrize(
    "filter",
    [
        '{"' + "x" * 32_000 + '": {"$ne": 1, "$gt": 1, "$lt": 9, "$gte": 1, "$lte": 9, "$nin": [1], "$in": [2]}, "$or": [{"a": 1}, {"b": 1}]}',
        '{"' + "a." * 30_000 + 'a": 1}',
        '{"' + "." * 60_000 + '": 1}',
        '{"$and": [' + ",".join(['{"' + "x" * 100 + '": {"$regex": "a"}}'] * 500) + "]}",
    ],
    ids=["a long name said often", "a long path", "dots", "many regular expressions"],
)
def test_a_filter_that_would_grow_is_refused(c, filter):
    assert len(filter) < 64 * 1024
    assert refused(c, "ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", filter) == "BADFILTER"
    assert c.call("EXISTS", "t") == 0


EXPLODING = ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){12}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", ".*.*.*.*.*=.*"]


@pytest.mark.parametrize("regex", EXPLODING)
def test_regular_expressions_meant_to_explode_answer(c, regex):
    """An engine with backtracking would not finish the first of them before the connection's deadline."""
    subscribe(c, filter={"a": {"$regex": regex}})
    for text_of in ("a" * 4000 + "!", "a" * 1_000_000 + "!", "x" * 1_000_000, ["a" * 100 + "!"] * 5000):
        assert match(c, {"a": text_of}) in ([], [WS])
    assert c.call("PING") == b"PONG"


@pytest.mark.parametrize("regex", ["((((a{100}){100}){100}){100}", "(((a{100}){100}){100}){100}", "a{1001}", "(" * 400, "x" * 1025, "[", "\\", "(?<!a)b"])
def test_regular_expressions_that_are_too_much_are_refused(c, regex):
    assert refused(c, "ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", json.dumps({"a": {"$regex": regex}})) == "BADFILTER"


def test_random_words_are_refused_or_obeyed(server, c):
    """Random arguments always get an answer."""
    rng = random.Random(SEED)
    print(f"MILLRACE_SEED={SEED}")
    words = ["APP", "MODEL", "USER", "ID", "DOC", "OLD", "FILTER", "FILTERID", "TTL", "EVENT", "QUEUES", "WITHCHANNELS", "FULL", "COUNT",
             "CURSOR", "TRANSPORT", "ORIGIN", "DATA", "LIMIT", "AFTER", "XX", "OFF", "*", "AGENT", "PART", "CLOCK", "PARTITIONS", "d|ws", "|", "a", "", "0", "-1", "{}", "null", '{"a":1}', "[", b"\xff", "t", "f"]
    commands = ["ROUTE.SUBSCRIBE", "ROUTE.UNSUBSCRIBE", "ROUTE.MATCH", "ROUTE.DISPATCH", "ROUTE.SETFILTER", "ROUTE.DELFILTER",
                "ROUTE.FILTERS", "ROUTE.SUBSCRIBERS", "ROUTE.PRESENCE", "ROUTE.PATTERNS", "ROUTE.PARTITION", "ROUTE.INFO", "ROUTE.APPLY"]
    devices = [("ROUTE.DEVICE", name) for name in ("SET", "GET", "TOUCH", "MOVE", "DEL", "LIST")]
    sent = []
    for _ in range(5000):
        head = rng.choice([(name,) for name in commands] + devices)
        sent.append((*head, "t", *rng.choices(words, k=rng.randrange(0, 12))))
    answers = c.call_all(sent)
    codes = {str(answer).split()[0] for answer in answers if isinstance(answer, RespError)}
    assert codes <= {"ERR", "BADFILTER", "NOFILTER", "WRONGTYPE"}
    assert any(not isinstance(answer, RespError) for answer in answers)


# --- payloads ---


def a_table(c, key="t"):
    do(c, [
        ("ROUTE.DEVICE", "SET", key, "a|ws", "USER", "u", "AGENT", "x", "TTL", HOUR),
        ("ROUTE.SUBSCRIBE", key, "a|ws", *TASK),
        ("ROUTE.SUBSCRIBE", key, "b|mqtt", *channel(user="u"), "FILTER", text(grows_deeper(3)), "TTL", HOUR),
        ("ROUTE.SETFILTER", key, "high", '{"prio": {"$in": ["high", 7, null]}, "t": {"$regex": "^a"}}', *TASK),
        ("ROUTE.SUBSCRIBE", key, "a|ws", *TASK, "FILTERID", "high"),
    ])


def use(c, key):
    """Uses a table that was made from a damaged payload: it must work like any other."""
    for name in listed(c, key=key):
        assert get(c, name, "FULL", key=key) is not None
    info(c, key)
    filters(c, key=key)
    match(c, {"prio": "high", "t": "abc", "x": 1}, {"a": 1, "x": 1}, about=channel(user="u", id="i"), key=key)
    answer = c.call("ROUTE.DISPATCH", key, *TASK, "DOC", "{}", "EVENT", "e", "QUEUES", "ws", "log", "mqtt", "log")
    if any(offset for _, _, offset in answer):
        for _, _, entry in c.call("TREAD", "log", "1", "10"):
            json.loads(entry)
    subscribe(c, "new|ws", filter={"n": 1}, key=key)
    assert "new|ws" in match(c, {"n": 1}, key=key)
    c.call("ROUTE.DEVICE", "DEL", key, "a|ws")
    c.call("DEL", key, "log")


@pytest.mark.parametrize("compression", ["yes", "no"])
def test_damaged_tables_are_refused_or_valid(still, s, compression):
    """The clock stands still, because a device may expire in the next millisecond after damage to its date."""
    rng = random.Random(f"{SEED}/{compression}")
    print(f"MILLRACE_SEED={SEED}")
    with still.changed_settings(rdbcompression=compression):
        a_table(s)
        payload = s.call("DUMP", "t")
    taken = 0
    for number in range(3000):
        value = damaged(value_of(payload), rng)
        s.send("RESTORE", "damaged", "0", sealed(value, payload), "REPLACE")
        answer = s.read()
        try:
            if answer == b"OK":
                taken += 1
                use(s, "damaged")
            else:
                assert str(answer) == "ERR Bad data format"
        except (AssertionError, ConnectionError, RespError, ValueError) as problem:
            raise AssertionError(f"damage {number} of seed {SEED}: {problem!r}; the value was {value.hex()[:4000]}")
    assert 0 < taken < 3000


def test_garbage_in_apply_leaves_the_table_as_it_was(server, c):
    rng = random.Random(SEED)
    a_table(c)
    parts = [b"H\x01\x05", b"D" + b"\x04c|ws\x00\x00\x01\x01\x00", b"T\x05shop\x05task\x00\x00\x00\x00\x00", b"T", b"D", b"", b"H", b"X"]
    before, refusals = server.digest("t"), 0
    for _ in range(3000):
        part = bytearray(rng.choice(parts))
        for _ in range(rng.randrange(0, 4)):
            at = rng.randrange(len(part) + 1)
            part[at : at + rng.randrange(0, 2)] = rng.randbytes(rng.randrange(0, 4))
        c.send("ROUTE.APPLY", "t", "PART", bytes(part))
        answer = c.read()
        if isinstance(answer, RespError):
            refusals += 1
            assert str(answer).startswith("ERR "), answer
            assert server.digest("t") == before, bytes(part)
        else:
            before = server.digest("t")
    assert refusals > 1000
    assert "b|mqtt" in listed(c), "the other may have ended: a head that is good moves the clock"


NO_PARTS = {
    "nothing": (b"", "an empty part of a routing table"),
    "of a kind nobody knows": (b"Z123", "a part of a routing table that this module does not know"),
    "a head of another version": (b"H\x03\x05\x00", "a routing table of a version this module does not know"),
    "half a head": (b"H\x01", "a routing table's head that is none"),
    "half a device": (b"D\x04c|ws", "devices of the wrong length"),
    "a device without a transport": (b"D\x01c\x00\x00\x01\x01\x00", "a device's name that is none"),
    "a device that is no text": (b"D\x04\xff|ws\x00\x00\x01\x01\x00", "a device's name that is none"),
    "a device that is there": (b"D\x04a|ws\x00\x00\x01\x01\x00", "a device that is there twice"),
    "a user that is no text": (b"D\x04c|ws\x01\xff\x00\x01\x01\x00", "a device with a user or agent that is none"),
    "a target that is none": (b"T\x05shop", "a target that is none"),
    "a target of nobody": (b"T\x05shop\x05none\x00\x00\x00", "a target of nobody"),
    "a channel that is no text": (b"T\x02\xff\x05task\x00\x00\x00\x00\x00", "a channel's name that is none"),
    "a device that is not there": (b"T\x05shop\x05task\x00\x00\x00\x63\x00", "a subscription of a device that is not there"),
    "a subscription that is there": (b"T\x05shop\x05task\x00\x00\x00\x00\x00", "a subscription that is there twice"),
    "a saved filter that is none": (b"T\x05shop\x05task\x00\x00\x03" + bytes(8) + b"\x01\x09\x00\x00", "a saved filter that is none"),
    "a saved filter that was damaged": (b"T\x05shop\x05task\x00\x00\x03" + bytes(8) + b"\x03\x00{}\x00\x00", "a filter that is not what was saved"),
    "dispatches of the wrong length": (b"I\x02a", "dispatches of the wrong length"),
    "a dispatch that is none": (b"I\x01a\x01x", "a dispatch that is none"),
    "a dispatch that is there twice": (b"I\x01a\x00\x01a\x00", "a dispatch that is there twice"),
    "a filter that is none": (b"T\x05shop\x05task\x00\x00\x01\x02{]\x00\x00", "a filter that is none"),
    "a filter named like an id": (b"T\x05shop\x05task\x00\x00\x02\x20" + b"0" * 32 + b"\x02{}", "a filter's name that is none"),
}


@pytest.mark.parametrize("row", NO_PARTS)
def test_an_invalid_part_is_refused_with_the_reason(server, c, row):
    part, error = NO_PARTS[row]
    a_table(c)
    before, counted = server.digest("t"), server.counter("payloads_refused")
    assert c.error_of("ROUTE.APPLY", "t", "PART", part) == f"ERR {error}"
    assert server.digest("t") == before
    assert server.counter("payloads_refused") == counted + 1
