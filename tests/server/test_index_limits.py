"""Large and many things: pages of large documents, cursors, many documents with the same unique value, many indexes."""

import json

import pytest

from index_oracle import check, found, info, wait_until_ready
from server import Server, wait_until

REFUSED = "ERR the cursor is of another index, of another server or of before a restart: begin again without it"


@pytest.fixture
def numbers(c):
    """Five documents with the same number, so that only their ids order them."""
    c.call("IDX.CREATE", "numbers", "PREFIX", "n:", "FIELD", "v", "INTEGER")
    c.call_all([("HSET", f"n:{n}", "v", "1") for n in range(5)])
    return c


def test_a_cursor_of_another_server_is_refused(server, replica, numbers, connect):
    cursor, _ = numbers.call("IDX.FIND", "numbers", "ORDER", "v", "LIMIT", "2")
    server.wait_for_replica(replica)
    assert connect(to=replica).error_of("IDX.FIND", "numbers", "ORDER", "v", "AFTER", cursor) == REFUSED
    numbers.call("COPY", "numbers", "other")
    wait_until_ready(numbers, "other")
    assert numbers.error_of("IDX.FIND", "other", "ORDER", "v", "AFTER", cursor) == REFUSED


def test_a_cursor_is_refused_after_the_index_was_loaded_again(numbers):
    cursor, _ = numbers.call("IDX.FIND", "numbers", "LIMIT", "2")
    numbers.call("DEBUG", "RELOAD")
    assert numbers.error_of("IDX.FIND", "numbers", "AFTER", cursor) == REFUSED


def test_an_index_that_is_renamed_onto_one_of_its_documents_does_not_have_it(numbers):
    numbers.call("RENAME", "numbers", "n:0")
    assert sorted(numbers.call("IDX.FIND", "n:0")[1]) == [b"n:%d" % n for n in range(1, 5)]
    assert numbers.call("IDX.COUNT", "n:0") == 4
    numbers.call("RENAME", "n:0", "numbers")
    numbers.call("HSET", "n:0", "v", "1")
    assert numbers.call("IDX.COUNT", "numbers") == 5


def test_a_cursor_goes_on_under_another_name_and_in_another_database(numbers):
    cursor, first = numbers.call("IDX.FIND", "numbers", "LIMIT", "2")
    numbers.call("RENAME", "numbers", "renamed")
    numbers.call("SWAPDB", "0", "1")
    numbers.call("SELECT", "1")
    rest = numbers.call("IDX.FIND", "renamed", "AFTER", cursor)[1]
    assert sorted(first + rest) == [b"n:%d" % n for n in range(5)]
    numbers.call("SWAPDB", "0", "1")
    numbers.call("SELECT", "0")


@pytest.mark.parametrize("documents", ["hashes", "JSON"])
def test_fields_of_large_documents_come_in_several_pages(c, documents):
    is_json = documents == "JSON"
    c.call("IDX.CREATE", "large", "PREFIX", "l:", *(("JSON",) if is_json else ()), "FIELD", "v", "INTEGER")
    text = "x" * 600_000
    for n in range(20):
        if is_json:
            c.call("SET", f"l:{n}", json.dumps({"v": n, "text": text}))
        else:
            c.call("HSET", f"l:{n}", "v", n, "text", text)
    pages, after = [], ()
    while True:
        cursor, page = c.call("IDX.FIND", "large", "ORDER", "v", *after, "GET", "2", "v", "text")
        assert page and all(fields[1] == text.encode() for _, fields in page)
        pages.append([int(fields[0]) for _, fields in page])
        if cursor is None:
            break
        after = ("AFTER", cursor)
    assert sum(pages, []) == list(range(20))
    assert max(len(page) for page in pages) < 10, "four megabytes, and the document that ends it"
    assert len(c.call("IDX.FIND", "large", "ORDER", "v")[1]) == 20, "keys are short"


def test_a_slice_ends_after_a_document_that_takes_as_long_as_a_slice(c):
    """A check begins with a slice, and says how many documents it has looked at. Documents were looked at by sixteen,
    each of which may be parsed for longer than a slice lasts."""
    numbers = json.dumps({"v": 1, "rest": list(range(140_000))})
    c.call("IDX.CREATE", "large", "PREFIX", "l:", "JSON", "FIELD", "v", "INTEGER")
    c.call_all([("SET", f"l:{n}", numbers) for n in range(16)])
    answer = c.call("IDX.CHECK", "large")
    report = dict(zip(answer[::2], answer[1::2]))
    assert report[b"state"] == b"running" and report[b"checked"] < 16
    assert check(c, "large") == {b"checked": 16, b"missing": 0, b"stale": 0, b"wrong": 0, b"repaired": 0}


def test_documents_that_have_expired_are_left_out_of_a_page_of_fields(c):
    c.call("IDX.CREATE", "i", "PREFIX", "d:", "FIELD", "v", "INTEGER")
    c.call_all([("HSET", f"d:{n}", "v", n) for n in range(4)])
    c.call("DEBUG", "SET-ACTIVE-EXPIRE", "0")
    c.call("PEXPIRE", "d:1", "1")
    wait_until(lambda: c.call("PTTL", "d:1") == -2, "it has expired")
    assert c.call("IDX.FIND", "i", "ORDER", "v", "GET", "1", "v")[1] == [[b"d:%d" % n, [b"%d" % n]] for n in (0, 2, 3)]
    c.call("DEBUG", "SET-ACTIVE-EXPIRE", "1")


def test_a_long_line_for_one_value_is_loaded_in_its_order(c):
    c.call("IDX.CREATE", "users", "PREFIX", "u:", "FIELD", "mail", "TEXT", "UNIQUE", "FIELD", "age", "INTEGER")
    c.call_all([("HSET", f"u:{n}", "mail", "", "age", "old" if n % 2 else n) for n in range(2_000)])
    line = c.call("IDX.CONFLICTS", "users", "COUNT", "10000")
    assert [key for key, _, _, holder in line if holder == b"u:0"] == [b"u:%d" % n for n in range(1, 2_000)]
    c.call("DEBUG", "RELOAD")
    assert c.call("IDX.CONFLICTS", "users", "COUNT", "10000") == line
    c.call("DEL", "u:0", "u:1", "u:2")
    assert c.call("IDX.FIND", "users", "WHERE", "mail", "=", "")[1] == [b"u:3"]
    assert info(c, "users")[b"skipped"] == 999
    c.call("IDX.ALTER", "users", "DROP", "FIELD", "mail")
    wait_until(lambda: not any(check(c, "users")[name] for name in (b"missing", b"stale", b"wrong")), "it agrees")
    assert info(c, "users")[b"conflicts"] == 0 and c.call("IDX.CONFLICTS", "users") == []
    c.call("IDX.ALTER", "users", "ADD", "FIELD", "name", "TEXT")
    c.call("IDX.ALTER", "users", "DROP", "FIELD", "age")
    wait_until(lambda: info(c, "users")[b"skipped"] == 0, "what was skipped of a field goes with it")
    assert c.call("IDX.SKIPPED", "users") == []


def test_a_document_with_too_many_keys_for_an_order_is_found_and_reported(c):
    c.call("IDX.CREATE", "i", "PREFIX", "d:", "FIELD", "a", "TEXT", "MANY", ",", "FIELD", "b", "TEXT", "MANY", ",", "ORDER", "both", "2", "a", "b")
    c.call("HSET", "d:1", "a", ",".join(f"a{n}" for n in range(40)), "b", ",".join(f"b{n}" for n in range(40)))
    assert c.call("IDX.FIND", "i", "WHERE", "a", "=", "a1", "WHERE", "b", "=", "b1")[1] == [b"d:1"]
    assert c.call("IDX.SKIPPED", "i") == [[b"d:1", b"both", b"more than 1000 values"]]
    c.call("IDX.ALTER", "i", "DROP", "ORDER", "both")
    wait_until(lambda: info(c, "i")[b"skipped"] == 0, "there is no order that leaves it out")


def test_parts_that_a_client_applies_are_compared_with_the_documents(c):
    c.call("IDX.CREATE", "here", "PREFIX", "d:", "FIELD", "v", "INTEGER")
    c.call("HSET", "d:real", "v", "1")
    # One document, named without the prefix; its field 1 is 2, which is 4 in zigzag encoding.
    c.call("IDX.APPLY", "here", "DOCUMENTS", b"\x05ghost\x11\x04\x00")
    wait_until_ready(c, "here")
    assert found(c, "here") == [b"d:real"]


def test_many_indexes_take_out_what_has_expired():
    with Server() as server, server.connect() as c:
        c.call("DEBUG", "SET-ACTIVE-EXPIRE", "0")
        c.call_all([("IDX.CREATE", f"i:{n}", "PREFIX", "d:", "FIELD", "v", "INTEGER") for n in range(300)])
        c.call_all([("HSET", f"d:{n}", "v", n) for n in range(20)])
        c.call_all([("PEXPIRE", f"d:{n}", "1") for n in range(10)])
        for n in (0, 150, 299):
            wait_until(lambda: c.call("IDX.COUNT", f"i:{n}") == 10, "what has expired is not counted")
        wait_until(lambda: server.counter("indexed_documents") == 300 * 10, "the documents have left all indexes")
        assert c.call("DBSIZE") == 300 + 10
