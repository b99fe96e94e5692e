"""SUG.ADD, SUG.DEL, SUG.DECAY and SUG.INFO: terms and their scores."""

import pytest

from server import wait_until
from suggest_family import info, scores


def test_adding_counts_and_answers_the_score(c):
    assert c.call("SUG.ADD", "d", "tea") == b"1"
    assert c.call("SUG.ADD", "d", "tea") == b"2"
    assert c.call("SUG.ADD", "d", "tea", "INCR", "0.5") == b"2.5"
    assert c.call("SUG.ADD", "d", "tea", "SCORE", "7") == b"7"
    assert c.call("SUG.ADD", "d", "coffee", "INCR", "0") == b"0"
    assert scores(c, "d") == [(b"tea", b"7"), (b"coffee", b"0")]


def test_removing_answers_how_many_terms_were_there(c):
    c.call("SUG.ADD", "d", "tea")
    c.call("SUG.ADD", "d", "coffee")
    assert c.call("SUG.DEL", "d", "tea", "tea", "milk") == 1
    assert c.call("SUG.DEL", "missing", "tea") == 0
    assert c.call("SUG.DEL", "d", "coffee") == 1
    assert c.call("EXISTS", "d") == 0


def test_scores_fade_together_and_new_ones_pass_them(c):
    c.call("SUG.ADD", "d", "old", "SCORE", "10")
    c.call("SUG.ADD", "d", "older", "SCORE", "9")
    assert c.call("SUG.DECAY", "d", "10") == 2
    assert scores(c, "d") == [(b"old", b"9"), (b"older", b"8.1")]
    c.call("SUG.DECAY", "d", "50")
    assert c.call("SUG.ADD", "d", "new", "SCORE", "5") == b"5"
    assert c.call("SUG.ADD", "d", "new") == b"6"
    assert scores(c, "d") == [(b"new", b"6"), (b"old", b"4.5"), (b"older", b"4.05")]
    assert c.call("SUG.DECAY", "missing", "10") == 0


def test_scores_stay_exact_however_often_they_fade(server, c):
    c.call("SUG.ADD", "d", "old", "SCORE", "100000000000")
    for _ in range(20):
        c.call_all([("SUG.DECAY", "d", "99.9")] * 20)
        c.call("SUG.ADD", "d", "new", "SCORE", "3")
        assert c.call("SUG.ADD", "d", "new") == b"4"
    assert float(scores(c, "d")[1][1]) < 1e-300
    before = server.digest("d")
    assert c.call("DEBUG", "RELOAD") == b"OK"
    assert server.digest("d") == before


def test_info_counts_terms(c):
    c.call("SUG.ADD", "d", "tea", "SCORE", "2.5")
    c.call("SUG.ADD", "d", "coffee")
    assert info(c, "d") == {b"terms": 2, b"term-bytes": 9, b"best-score": b"2.5"}
    assert info(c, "missing") == {b"terms": 0, b"term-bytes": 0, b"best-score": b"0"}


@pytest.mark.parametrize("command, error", [
    (("SUG.ADD", "d", ""), "ERR the term has 0 bytes, expected 1 to 512"),
    (("SUG.ADD", "d", "x" * 513), "ERR the term has 513 bytes, expected 1 to 512"),
    (("SUG.ADD", "d", "tea", "INCR", "100000000000"), "ERR the score of 'tea' would be above 100000000000"),
    (("SUG.ADD", "d", "tea", "SCORE", "-1"), "ERR invalid SCORE '-1': expected a number from 0 to 100000000000"),
    (("SUG.ADD", "d", "tea", "SCORE", "nan"), "ERR invalid SCORE 'nan': expected a number from 0 to 100000000000"),
    (("SUG.ADD", "d", "tea", "SCORE", "1", "INCR", "1"), "ERR INCR and SCORE can be given once, and exclude each other"),
    (("SUG.DEL", "d", "tea", ""), "ERR the term has 0 bytes, expected 1 to 512"),
    (("SUG.DECAY", "d", "100"), "ERR invalid percent '100': expected a number from 0.001 to 99.999"),
    (("SUG.DECAY", "d", "0"), "ERR invalid percent '0': expected a number from 0.001 to 99.999"),
    (("SUG.GET", "d", "x" * 513), "ERR the prefix has 513 bytes, expected 0 to 512"),
    (("SUG.GET", "d", "t", "LIMIT", "10001"), "ERR invalid LIMIT '10001': expected an integer from 1 to 10000"),
    (("SUG.APPLY", "d", "TERMS", "bytes"), "ERR terms of a version this module does not know"),
])
def test_what_is_wrong_is_refused_and_changes_nothing(server, c, command, error):
    c.call("SUG.ADD", "d", "tea")
    before = server.digest("d")
    assert c.error_of(*command) == error
    assert server.digest("d") == before


def test_a_large_dictionary_is_freed_in_slices(server, c):
    for n in range(20):
        c.call_all([("SUG.ADD", "d", f"term {n} {m}") for m in range(1000)])
    assert c.call("DEL", "d") == 1
    wait_until(lambda: server.counter("objects_to_reclaim") == 0, "its memory is given back")
