"""FACT.ADD, FACT.DEL, FACT.FIND, FACT.COUNT and FACT.INFO: facts of a graph, found by any of their names."""

import itertools

import pytest

from fact_family import ANY, found, info
from server import wait_until

FACTS = [("ann", "knows", "bob"), ("ann", "knows", "carl"), ("bob", "knows", "carl"), ("ann", "likes", "tea"), ("carl", "likes", "tea")]


def add(c, facts=FACTS, key="g"):
    return c.call("FACT.ADD", key, *itertools.chain.from_iterable(facts))


def words(facts):
    return [tuple(name.decode() for name in fact) for fact in facts]


def test_adding_answers_how_many_facts_are_new(c):
    assert c.call("FACT.ADD", "g", "ann", "knows", "bob", "ann", "knows", "bob") == 1
    assert c.call("FACT.ADD", "g", "ann", "knows", "bob") == 0
    assert add(c) == len(FACTS) - 1


def test_removing_answers_how_many_facts_were_there(c):
    add(c)
    assert c.call("FACT.DEL", "g", "ann", "knows", "bob", "ann", "hates", "bob", "ann", "knows", "bob") == 1
    assert c.call("FACT.DEL", "missing", "ann", "knows", "bob") == 0
    assert c.call("FACT.COUNT", "g", *ANY) == len(FACTS) - 1


def test_the_key_is_deleted_with_the_last_fact(c):
    add(c)
    for fact in FACTS:
        assert c.call("FACT.DEL", "g", *fact) == 1
    assert c.call("EXISTS", "g") == 0


@pytest.mark.parametrize("asked", list(itertools.product(("ann", "nobody", None), ("knows", "likes", None), ("carl", "tea", None))))
def test_every_pattern_finds_its_facts(c, asked):
    add(c)
    pattern = ["*" if name is None else name for name in asked]
    expected = [fact for fact in FACTS if all(name in (None, part) for name, part in zip(asked, fact))]
    assert sorted(words(found(c, "g", *pattern, limit=2))) == sorted(expected)
    assert c.call("FACT.COUNT", "g", *pattern) == len(expected)


def test_a_literal_star_is_asked_for_behind_an_equals_sign(c):
    facts = [("*", "p", "o"), ("=x", "p", "o"), ("=*", "p", "o"), ("ann", "p", "o")]
    add(c, facts)
    for word, subject in (("=*", "*"), ("==x", "=x"), ("==*", "=*"), ("=ann", "ann"), ("ann", "ann")):
        assert words(found(c, "g", word, "*", "*")) == [(subject, "p", "o")]
    assert found(c, "g", "=x", "*", "*") == [], "the name x"
    assert len(found(c, "g", "*", "*", "*")) == 4


def test_a_page_ends_with_a_cursor_and_the_last_one_with_null(c):
    add(c)
    cursor, first = c.call("FACT.FIND", "g", *ANY, "LIMIT", "3")
    assert len(first) == 3 and cursor is not None
    nothing, rest = c.call("FACT.FIND", "g", *ANY, "LIMIT", "3", "AFTER", cursor)
    assert nothing is None and len(rest) == 2
    assert sorted(words(first + rest)) == sorted(FACTS)
    assert c.call("FACT.FIND", "g", *ANY, "LIMIT", "5")[0] is None


def test_pages_miss_nothing_that_stays_and_have_nothing_twice(c):
    names = [f"s{n}" for n in range(100)]
    add(c, [(name, "p", "o") for name in names])
    seen, cursor = [], None
    for page in range(100):
        cursor, facts = c.call("FACT.FIND", "g", "*", "p", "*", "LIMIT", "7", *(() if cursor is None else ("AFTER", cursor)))
        seen += [fact[0].decode() for fact in facts]
        if cursor is None:
            break
        # Between the pages, every third of the original facts and the last one that was seen are deleted, and others
        # are added.
        c.call("FACT.DEL", "g", seen[-1], "p", "o", f"s{page * 3}", "p", "o")
        c.call("FACT.ADD", "g", f"new{page}", "p", "o")
    assert len(seen) == len(set(seen))
    gone = {f"s{n}" for n in range(0, 100, 3)} | set(seen)
    assert set(names) - gone == set()


def test_a_cursor_goes_on_at_a_replica(server, replica, c):
    add(c, [(f"s{n}", "p", f"o{n % 7}") for n in range(50)])
    c.call("FACT.DEL", "g", "s3", "p", "o3")
    cursor, first = c.call("FACT.FIND", "g", "*", "*", "*", "LIMIT", "20")
    server.wait_for_replica(replica)
    with replica.connect() as there:
        nothing, rest = there.call("FACT.FIND", "g", "*", "*", "*", "AFTER", cursor)
    assert nothing is None
    assert first + rest == found(c, "g")


def test_facts_are_in_the_same_order_after_a_restart(server, c):
    add(c)
    c.call("FACT.DEL", "g", *FACTS[0])
    add(c, [("zoe", "knows", "ann"), ("adam", "knows", "ann")])
    before = found(c, "g")
    assert c.call("DEBUG", "RELOAD") == b"OK"
    assert found(c, "g") == before


def test_names_are_any_bytes(c):
    name = bytes(range(256))
    assert c.call("FACT.ADD", "g", name, b"\r\n", name) == 1
    assert c.call("FACT.FIND", "g", b"=" + name, "*", name) == [None, [[name, b"\r\n", name]]]


def test_info_counts_facts_and_names(c):
    add(c, [("ann", "knows", "bob"), ("bob", "knows", "bob")])
    assert info(c, "g") == {b"facts": 2, b"names": 3, b"name-bytes": len("annbobknows")}
    assert info(c, "missing") == {b"facts": 0, b"names": 0, b"name-bytes": 0}


@pytest.mark.parametrize("command, error", [
    (("FACT.ADD", "g", "a", "b", "c", "d"), "ERR missing predicate"),
    (("FACT.ADD", "g", "a", "b", ""), "ERR the object has 0 bytes, expected 1 to 4096"),
    (("FACT.ADD", "g", "a", "b", "c", "x" * 4097, "b", "c"), "ERR the subject has 4097 bytes, expected 1 to 4096"),
    (("FACT.DEL", "g", "a", "b", "c", "d", "e"), "ERR missing object"),
    (("FACT.FIND", "g", "a", "*", "*", "LIMIT", "1000001"), "ERR invalid LIMIT '1000001': expected an integer from 1 to 1000000"),
    (("FACT.FIND", "g", "a", "*", "*", "AFTER", "x"), "ERR invalid AFTER cursor 'x': expected one that FACT.FIND returned"),
    (("FACT.COUNT", "g", "=", "*", "*"), "ERR the subject has 0 bytes, expected 1 to 4096"),
    (("FACT.APPLY", "g", "FACTS", "bytes"), "ERR facts of a version this module does not know"),
])
def test_what_is_wrong_is_refused_and_changes_nothing(server, c, command, error):
    add(c)
    before = server.digest("g")
    assert c.error_of(*command) == error
    assert server.digest("g") == before


def test_a_large_graph_is_freed_in_slices(server, c):
    for n in range(60):
        add(c, [(f"subject {n} {m}", f"p{m % 5}", f"object {m}") for m in range(1000)])
    assert c.call("DEL", "g") == 1
    wait_until(lambda: server.counter("objects_to_reclaim") == 0, "its memory is given back")
