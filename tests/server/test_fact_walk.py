"""FACT.WALK: what can be reached from a node, and how."""

import random
from collections import deque

import pytest

from length import at_length

FRIENDS = ("ann knows bob", "bob knows carl", "carl knows dora", "ann knows eve", "eve knows dora", "ann likes tea")


@pytest.fixture
def g(c):
    for fact in FRIENDS:
        c.call("FACT.ADD", "g", *fact.split())
    return c


def walk(c, *words):
    stop, nodes = c.call("FACT.WALK", "g", *words)
    return stop, [(name.decode(), distance) for name, distance in nodes]


def path(c, *words):
    stop, facts = c.call("FACT.WALK", "g", *words)
    return stop, facts and [" ".join(name.decode() for name in fact) for fact in facts]


def test_nodes_come_with_their_distance_the_nearest_first(g):
    assert walk(g, "ann", "knows") == (None, [("bob", 1), ("eve", 1), ("carl", 2), ("dora", 2)])
    assert walk(g, "ann", "*", "DEPTH", "1") == (None, [("bob", 1), ("eve", 1), ("tea", 1)])
    assert walk(g, "dora", "knows", "REV", "DEPTH", "1") == (None, [("carl", 1), ("eve", 1)])


def test_a_limit_that_ends_it_is_reported(g):
    assert walk(g, "ann", "knows", "LIMIT", "3") == (b"limit", [("bob", 1), ("eve", 1), ("carl", 2)])
    assert walk(g, "ann", "knows", "LIMIT", "4")[0] is None


def test_a_path_is_the_facts_that_lead_there(g):
    assert path(g, "ann", "*", "TO", "dora") == (None, ["ann knows eve", "eve knows dora"])
    assert path(g, "dora", "*", "REV", "TO", "ann") == (None, ["eve knows dora", "ann knows eve"])
    assert path(g, "ann", "*", "TO", "ann") == (None, [])


def test_no_path_is_null(g):
    assert path(g, "dora", "*", "TO", "ann") == (None, None)
    assert path(g, "ann", "*", "DEPTH", "1", "TO", "dora") == (None, None)
    assert path(g, "ann", "*", "TO", "nobody") == (None, None)


def test_a_node_that_is_not_there_leads_nowhere(g):
    assert walk(g, "nobody", "*") == (None, [])
    assert walk(g, "ann", "hates") == (None, [])
    assert g.call("FACT.WALK", "missing", "ann", "*") == [None, []]


def test_the_work_of_one_walk_is_bounded_by_a_setting(server, g):
    with server.changed_settings(**{"millrace.fact-walk-facts": "2"}):
        assert walk(g, "ann", "knows") == (b"work", [("bob", 1), ("eve", 1)])
        assert path(g, "ann", "knows", "TO", "dora") == (b"work", None)
    assert path(g, "ann", "knows", "TO", "dora")[0] is None


@pytest.mark.parametrize("words, error", [
    (("*", "knows"), "ERR the start must be one name; the name * is written =*"),
    (("ann", "knows", "TO", "*"), "ERR the end must be one name; the name * is written =*"),
    (("ann", "knows", "DEPTH", "0"), "ERR invalid DEPTH '0': expected an integer from 1 to 4294967295"),
    (("ann", "knows", "TO", "bob", "LIMIT", "1"), "ERR LIMIT and TO exclude each other"),
])
def test_what_is_wrong_is_refused(g, words, error):
    assert g.error_of("FACT.WALK", "g", *words) == error


def test_distances_are_those_of_a_naive_search(c):
    for seed in range(at_length(100, 15, quick=3)):
        rng = random.Random(seed)
        edges = {(rng.randrange(40), rng.randrange(40)) for _ in range(70)}
        c.call("DEL", "g")
        for start, end in edges:
            c.call("FACT.ADD", "g", start, "to", end)
        start = min(edges)[0]
        distance, queue = {start: 0}, deque([start])
        while queue:
            here = queue.popleft()
            for one, other in edges:
                if one == here and other not in distance:
                    distance[other] = distance[here] + 1
                    queue.append(other)
        stop, nodes = walk(c, start, "to")
        assert stop is None, f"seed {seed}"
        assert {int(name): far for name, far in nodes} == {node: far for node, far in distance.items() if node != start}
