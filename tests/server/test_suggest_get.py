"""SUG.GET: the best terms for a typed prefix."""

import random

import pytest

from length import at_length
from suggest_family import scores

CITIES = {"Berlin": 36, "Bern": 13, "Bergen": 29, "Bonn": 33, "Brno": 38, "bergamo": 12, "Zürich": 42, "ZÜRS": 1, "Basel": 17}


@pytest.fixture
def d(c):
    for city, score in CITIES.items():
        c.call("SUG.ADD", "d", city, "SCORE", score)
    return c


def get(c, prefix, *options):
    return [term.decode() for term in c.call("SUG.GET", "d", prefix, *options)]


def test_the_best_come_first(d):
    assert get(d, "Ber") == ["Berlin", "Bergen", "Bern"]
    assert get(d, "B", "LIMIT", "2") == ["Brno", "Berlin"]
    assert get(d, "", "LIMIT", "3") == ["Zürich", "Brno", "Berlin"]
    assert d.call("SUG.GET", "d", "Bo", "WITHSCORES") == [b"Bonn", b"33"]
    assert get(d, "X") == []
    assert d.call("SUG.GET", "missing", "") == []


def test_equal_scores_are_in_the_order_of_their_bytes(c):
    for term in ("c", "a", "b", "ab"):
        c.call("SUG.ADD", "d", term)
    assert get(c, "") == ["a", "ab", "b", "c"]


def test_the_case_does_not_matter_if_asked(d):
    assert get(d, "ber", "NOCASE") == ["Berlin", "Bergen", "Bern", "bergamo"]
    assert get(d, "zür", "NOCASE") == ["Zürich", "ZÜRS"]
    assert get(d, "zür") == []


@pytest.mark.parametrize("typed", ["Brlin", "Berrlin", "Berkin", "Belrin", "erlin", "Berl"])
def test_one_mistake_is_allowed(d, typed):
    assert "Berlin" in get(d, typed, "FUZZY")
    assert get(d, typed) == (["Berlin"] if typed == "Berl" else [])


def test_two_mistakes_are_not(d):
    assert "Berlin" not in get(d, "Belkn", "FUZZY")


def test_terms_without_a_mistake_come_first(d):
    assert get(d, "Berg", "FUZZY") == ["Bergen", "Berlin", "Bern", "bergamo"]
    assert get(d, "Berg", "FUZZY", "LIMIT", "1") == ["Bergen"]
    assert get(d, "berg", "FUZZY", "NOCASE") == ["Bergen", "bergamo", "Berlin", "Bern"]


def distance_is_one(meant, typed):
    if len(meant) == len(typed):
        differing = [i for i in range(len(meant)) if meant[i] != typed[i]]
        if len(differing) == 1:
            return True
        return len(differing) == 2 and differing[1] == differing[0] + 1 and meant[differing[0]] == typed[differing[1]] and meant[differing[1]] == typed[differing[0]]
    longer, shorter = (meant, typed) if len(meant) > len(typed) else (typed, meant)
    return len(longer) == len(shorter) + 1 and any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))


def naive(known, typed, limit, fuzzy, nocase):
    fold = str.lower if nocase else str
    right, mistaken = [], []
    for term, score in known.items():
        beginnings = [fold(term)[:size] for size in range(len(term) + 1)]
        if fold(typed) in beginnings:
            right.append((-score, term.encode()))
        elif fuzzy and any(distance_is_one(beginning, fold(typed)) for beginning in beginnings):
            mistaken.append((-score, term.encode()))
    return [(term, -score) for score, term in (sorted(right) + sorted(mistaken))[:limit]]


def test_answers_are_those_of_a_naive_search(c):
    for seed in range(at_length(60, 12, quick=3)):
        rng = random.Random(seed)
        letters = rng.choice(["ab", "abAB", "abcäÄ日"])
        known = {}
        for _ in range(300):
            term = "".join(rng.choices(letters, k=rng.randrange(1, 7)))
            if rng.random() < 0.2:
                c.call("SUG.DEL", "d", term)
                known.pop(term, None)
            else:
                known[term] = rng.randrange(20)
                c.call("SUG.ADD", "d", term, "SCORE", known[term])
        for _ in range(40):
            typed = "".join(rng.choices(letters, k=rng.randrange(0, 6)))
            limit, fuzzy, nocase = rng.choice([1, 5, 100]), rng.random() < 0.5, rng.random() < 0.5
            options = ["LIMIT", limit] + ["FUZZY"] * fuzzy + ["NOCASE"] * nocase
            flat = c.call("SUG.GET", "d", typed, "WITHSCORES", *options)
            found = [(term, int(score)) for term, score in zip(flat[::2], flat[1::2])]
            assert found == naive(known, typed, limit, fuzzy, nocase), f"seed {seed}: {typed} {options}"
        assert dict(scores(c, "d")) == {term.encode(): b"%d" % score for term, score in known.items()}
        c.call("DEL", "d")
