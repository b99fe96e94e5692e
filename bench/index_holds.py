"""The rows of bench/holds for indexes, graphs of facts and dictionaries of terms."""

import random

from fact_rows import add, some_facts
from measure import encode, send
from suggest_rows import some_terms

# Work that is done in slices: building, comparing and dropping.
SLICE_MS = 1


def is_ready(client, index):
    return dict(zip(*[iter(client.execute_command("IDX.INFO", index))] * 2))[b"state"] == b"ready"


def is_checked(client, index):
    return dict(zip(*[iter(client.execute_command("IDX.CHECK", index))] * 2))[b"state"] == b"done"


def some_documents(count):
    rng = random.Random(1)
    for n in range(count):
        yield "HSET", f"user:{n}", "age", rng.randrange(100), "points", rng.randrange(10**6), "city", f"city {rng.randrange(500)}", "mail", f"m{n // 2}"


def indexes(page):
    count, client = page.options.documents, page.server.client()
    page.heading(f"an index of {count} documents, half of which have another's unique value")
    send(page.server, (encode(*words) for words in some_documents(count)))
    fields = ("FIELD", "age", "INTEGER", "FIELD", "points", "INTEGER", "FIELD", "city", "TEXT", "FIELD", "mail", "TEXT", "UNIQUE")
    page.command("IDX.CREATE", "IDX.CREATE", "users", "PREFIX", "user:", *fields, rounds=1)
    page.until("a turn while it is built", lambda: is_ready(client, "users"), SLICE_MS)
    page.command("HSET", "HSET", "user:7", "age", 7)
    page.command("IDX.INFO", "IDX.INFO", "users")
    page.command("IDX.FIND of 100 by two conditions", "IDX.FIND", "users", "WHERE", "age", "=", 7, "WHERE", "points", "<", 1000)
    page.command("IDX.FIND of none, by conditions that lead to many", "IDX.FIND", "users", "WHERE", "age", "<", 50, "WHERE", "points", "<", 500_000, "WHERE", "city", "=", "nowhere")
    page.command("IDX.FIND of 100 in an order, that few meet", "IDX.FIND", "users", "WHERE", "age", "=", 7, "WHERE", "city", "=", "city 7", "ORDER", "points")
    page.command("IDX.FIND of 10,000", "IDX.FIND", "users", "ORDER", "city", "LIMIT", 10_000, is_limited=False)
    page.command("IDX.FIND of 10,000 with three fields", "IDX.FIND", "users", "ORDER", "city", "LIMIT", 10_000, "GET", 3, "age", "points", "mail", is_limited=False)
    page.command("IDX.COUNT by one condition", "IDX.COUNT", "users", "WHERE", "age", "<", 50)
    page.command("IDX.COUNT by two that half meet", "IDX.COUNT", "users", "WHERE", "age", "<", 50, "WHERE", "points", "<", 500_000)
    page.command("IDX.SAMPLE of 100 by two that half meet", "IDX.SAMPLE", "users", 100, "WHERE", "age", "<", 50, "WHERE", "points", "<", 500_000)
    page.command("IDX.COMPLETE", "IDX.COMPLETE", "users", "city", "")
    page.command("IDX.COMPLETE of a field of many values", "IDX.COMPLETE", "users", "mail", "")
    page.command("IDX.CONFLICTS", "IDX.CONFLICTS", "users")
    # Proportional to the size of the index, in any case.
    page.command("COPY", "COPY", "users", "copy", rounds=1, is_limited=False)
    page.command("DEL of the copy", "DEL", "copy", rounds=1)
    page.until("a turn while the copy goes", lambda: is_reclaimed(page), SLICE_MS)
    page.until("a turn of IDX.CHECK", lambda: is_checked(client, "users"), SLICE_MS)
    page.command("IDX.ALTER DROP FIELD, with its conflicts", "IDX.ALTER", "users", "DROP", "FIELD", "mail", rounds=1)
    page.until("a turn while the field goes", lambda: is_reclaimed(page), SLICE_MS)
    page.command("IDX.ALTER ADD ORDER", "IDX.ALTER", "users", "ADD", "ORDER", "where", 2, "city", "age", rounds=1)
    page.until("a turn while the order is built", lambda: is_ready(client, "users"), SLICE_MS)
    page.command("DEL", "DEL", "users", rounds=1)
    page.until("a turn while it goes", lambda: is_reclaimed(page), SLICE_MS)


def is_reclaimed(page):
    return page.server.counter("objects_to_reclaim") == 0


def graphs(page):
    count = page.options.documents // 5
    page.heading(f"a graph of {count} facts and a dictionary of {count} terms")
    facts = some_facts(count)
    send(page.server, add("graph", facts))
    page.command("FACT.FIND of 1,000", "FACT.FIND", "graph", "*", "*", "*")
    page.command("FACT.WALK to all that can be reached", "FACT.WALK", "graph", facts[0][0], "*", "LIMIT", 1_000_000, is_limited=False)
    page.command("FACT.WALK to one that cannot", "FACT.WALK", "graph", facts[0][0], "*", "TO", "predicate:1")
    page.command("FACT.COUNT", "FACT.COUNT", "graph", "*", "predicate:1", "*")
    page.command("DEL of the graph", "DEL", "graph", rounds=1)
    page.until("a turn while the graph goes", lambda: is_reclaimed(page))
    send(page.server, (encode("SUG.ADD", "terms", term, "SCORE", score) for term, score in some_terms(count).items()))
    page.command("SUG.GET", "SUG.GET", "terms", "b")
    page.command("SUG.GET NOCASE FUZZY of a prefix that no term has", "SUG.GET", "terms", "bababqba", "NOCASE", "FUZZY", "LIMIT", 1000)
    page.command("SUG.GET of 10,000", "SUG.GET", "terms", "", "LIMIT", 10_000, is_limited=False)
    page.command("SUG.DECAY", "SUG.DECAY", "terms", 10, rounds=1)
    send(page.server, [encode("SUG.DECAY", "terms", 99.999)] * 54)
    page.command("SUG.DECAY that renews all weights", "SUG.DECAY", "terms", 99.999, rounds=1)
    page.command("DEL of the dictionary", "DEL", "terms", rounds=1)
    page.until("a turn while the dictionary goes", lambda: is_reclaimed(page))
