"""What an index must answer, computed from every key of the database."""

import json
import time

from resp import RespError
from server import let_pass, wait_until

HASHES = "hashes"
DOCUMENTS = "documents"
PREFIX = b"d:"
TOO_LONG = b"x" * 1025  # a text of this length is no value
# One index of hashes and one of JSON, over the same keys: a key is a document of one of them or of none.
CREATE = (
    ("IDX.CREATE", HASHES, "PREFIX", PREFIX, "FIELD", "age", "INTEGER", "FIELD", "height", "NUMBER", "FIELD", "city", "TEXT",
     "NOCASE", "FIELD", "tags", "TEXT", "MANY", ",", "FIELD", "mail", "TEXT", "UNIQUE", "ORDER", "where", "2", "city", "age"),
    ("IDX.CREATE", DOCUMENTS, "PREFIX", PREFIX, "JSON", "FIELD", "age", "INTEGER", "FIELD", "in.city", "TEXT", "FIELD", "tags",
     "TEXT"),
)  # fmt: skip


def create(connection):
    for words in CREATE:
        connection.call(*words)
    wait_until_ready(connection)


def info(connection, index):
    answer = connection.call("IDX.INFO", index)
    return None if answer is None else dict(zip(answer[::2], answer[1::2]))


def wait_until_ready(connection, *indexes):
    for index in indexes or (HASHES, DOCUMENTS):
        wait_until(lambda: info(connection, index)[b"state"] == b"ready", "the index is built")


def found(connection, index, *words):
    """Everything that IDX.FIND finds, a page at a time."""
    listed, after = [], ()
    while True:
        cursor, page = connection.call("IDX.FIND", index, *words, "LIMIT", "7", *after)
        listed += page
        if cursor is None:
            return listed
        after = ("AFTER", cursor)


def check(connection, index, *words):
    while True:
        answer = connection.call("IDX.CHECK", index, *words)
        report = dict(zip(answer[::2], answer[1::2]))
        if report.pop(b"state") == b"done":
            return report


def keys(connection):
    cursor, listed = b"0", set()
    while True:
        cursor, some = connection.call("SCAN", cursor, "MATCH", PREFIX + b"*", "COUNT", "1000")
        listed.update(some)
        if cursor == b"0":
            return listed


def _integer(word):
    try:
        number = int(word)
    except ValueError:
        return None
    plain = word.lstrip(b"-")
    is_plain = plain.isdigit() and -(2**63) <= number < 2**63 and word.count(b"-") <= 1
    return number if is_plain else None


def _number(word):
    try:
        return float(word) if word.strip() == word and b"_" not in word else None
    except ValueError:
        return None


def hashes(connection):
    """key -> the values of its fields, as the index must see them."""
    all_of = {}
    for key in keys(connection):
        try:
            flat = connection.call("HGETALL", key)
        except RespError:
            continue  # of another type
        if not flat:
            continue  # it has expired just now
        words = dict(zip(flat[::2], flat[1::2]))
        all_of[key] = {
            "age": {_integer(words[b"age"])} - {None} if b"age" in words else set(),
            "height": {_number(words[b"height"])} - {None} if b"height" in words else set(),
            "city": {words[b"city"].lower()} if len(words.get(b"city", TOO_LONG)) < len(TOO_LONG) else set(),
            "tags": {tag for tag in words[b"tags"].split(b",") if tag} if b"tags" in words else set(),
            "mail": {words[b"mail"]} if b"mail" in words else set(),
        }
    return all_of


def _flat(value):
    if isinstance(value, list):
        return [inner for one in value for inner in _flat(one)]
    return [] if value is None else [value]


def json_documents(connection):
    all_of = {}
    for key in keys(connection):
        try:
            text = connection.call("GET", key)
        except RespError:
            continue
        if text is None:
            continue
        all_of[key] = {"age": set(), "in.city": set(), "tags": set()}
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if not isinstance(value, dict):
            continue
        all_of[key]["age"] = {one for one in _flat(value.get("age")) if type(one) is int}
        inner = value.get("in")
        if isinstance(inner, dict) and isinstance(inner.get("city"), str):
            all_of[key]["in.city"] = {inner["city"].encode()}
        all_of[key]["tags"] = {str(one).encode() for one in _flat(value.get("tags"))}
    return all_of


def _parsed(field, word):
    return int(word) if field == "age" else float(word) if field == "height" else word


def compare(connection):
    """Compares both indexes of this database, if they exist, with what every key holds. A document may expire between
    two questions, and on a replica an expired one owns its unique value, or waits for it, until the master has removed
    it, about a second later. So a difference counts only if it stays, over several comparisons: on a busy machine each
    takes seconds."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return _compare(connection)
        except (AssertionError, KeyError):  # KeyError: a key that is no longer expected
            if time.monotonic() > deadline:
                raise
            let_pass(0.01)


def _compare(connection):
    if info(connection, HASHES) is None:
        return
    expected = hashes(connection)
    assert set(found(connection, HASHES)) == set(expected)
    assert connection.call("IDX.COUNT", HASHES) == len(expected)
    _compare_unique(connection, expected)
    for field in ("age", "height", "city", "tags"):
        _compare_order(connection, HASHES, field, expected)
    _compare_values(connection, expected)
    report = check(connection, HASHES)
    assert _is_clean(report), ("the index of hashes", report)
    if info(connection, DOCUMENTS) is None:
        return
    expected = json_documents(connection)
    assert set(found(connection, DOCUMENTS)) == set(expected)
    for field in ("age", "in.city", "tags"):
        _compare_order(connection, DOCUMENTS, field, expected)
    report = check(connection, DOCUMENTS)
    assert _is_clean(report), ("the index of JSON documents", report)


def _is_clean(report):
    return not (report[b"missing"] or report[b"stale"] or report[b"wrong"])


def _compare_order(connection, index, field, expected):
    listed = found(connection, index, "ORDER", field, "WITHVALUES")
    assert sorted(key for key, _ in listed) == sorted(key for key, values in expected.items() if values[field])
    values = [_parsed(field, value) for _, value in listed]
    assert values == sorted(values)
    for (key, _), value in zip(listed, values):
        assert value == min(expected[key][field])
    backwards = found(connection, index, "ORDER", field, "REV")
    assert sorted(backwards) == sorted(key for key, _ in listed)


def _compare_unique(connection, expected):
    """Of the documents with the same unique value one owns it, and the others are listed."""
    owners, waiting = {}, set()
    for key, value in found(connection, HASHES, "ORDER", "mail", "WITHVALUES"):
        assert value not in owners
        owners[value] = key
        assert value in expected[key]["mail"]
    for key, field, value, holder in connection.call("IDX.CONFLICTS", HASHES, "COUNT", "10000"):
        assert field == b"mail" and owners.get(value) == holder and key != holder
        assert value in expected[key]["mail"]
        waiting.add(key)
    everybody = {key for key, values in expected.items() if values["mail"]}
    assert everybody == waiting | set(owners.values())


def _compare_values(connection, expected):
    counts = {}
    for values in expected.values():
        for tag in values["tags"]:
            counts[tag] = counts.get(tag, 0) + 1
    assert {value: count for value, count in connection.call("IDX.COMPLETE", HASHES, "tags", "", "LIMIT", "1000", "WITHCOUNTS")} == counts
    for tag in list(counts)[:3]:
        assert connection.call("IDX.COUNT", HASHES, "WHERE", "tags", "=", tag) == counts[tag]
    grown = {key for key, values in expected.items() if any(age >= 3 for age in values["age"])}
    assert set(found(connection, HASHES, "WHERE", "age", ">=", "3")) == grown
    there = {key for key in grown if b"bonn" in expected[key]["city"]}
    assert set(found(connection, HASHES, "WHERE", "city", "=", "BONN", "WHERE", "age", ">=", "3")) == there
