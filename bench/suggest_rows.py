"""Suggestions compared with the recipe of docs/recipes.md: terms with their frequency as members of one sorted set. The
client reads all members with a prefix, and sorts them."""

import random

from measure import best_of, encode, send, server_time

SYLLABLES = [first + second for first in "bcdfghklmnprstvz" for second in ("a", "e", "i", "o", "u", "an", "er", "in")]
LENGTHS = (0, 1, 2, 3, 5)


def some_terms(count, seed=11):
    """Different terms of two to five syllables, with scores of which few are large."""
    rng = random.Random(seed)
    terms = {}
    while len(terms) < count:
        terms["".join(rng.choices(SYLLABLES, k=rng.randrange(2, 6)))] = int(rng.paretovariate(0.8))
    return {term: min(score, 10**9) for term, score in terms.items()}


def measure_suggestions(server, table, count, rounds):
    client = server.client()
    scores = some_terms(count)
    terms = list(scores)

    def grown_by(commands):
        before = client.info("memory")["used_memory"]
        send(server, commands)
        return (client.info("memory")["used_memory"] - before) / count

    peer = grown_by(encode("ZADD", "recipe", 0, f"{term}:{score}") for term, score in scores.items())
    ours = grown_by(encode("SUG.ADD", "dictionary", term, "SCORE", score) for term, score in scores.items())
    table.ratio(f"a term among {count}, bytes", peer, ours)
    rng = random.Random(5)
    for length in LENGTHS:
        prefixes = [rng.choice(terms)[:length] for _ in range(1000)]
        found = measure_prefixes(server, prefixes, (), rounds)
        # For short prefixes the peer's client gets a large part of the dictionary.
        few = prefixes[: (1, 5, 100, 1000, 1000)[LENGTHS.index(length)]]
        by_lex = [encode("ZRANGE", "recipe", f"[{prefix}", b"[" + prefix.encode() + b"\xff", "BYLEX") for prefix in few]
        table.ratio(f"  SUG.GET of 10, prefix of {length}, beside ZRANGE BYLEX, µs", server_time(server, by_lex, 1, "ZRANGE"), found, kept=False)
        table.figure(f"    it alone, prefix of {length}, µs", found, 20)
    prefixes = [rng.choice(terms)[:5] for _ in range(1000)]
    table.figure("  the same with NOCASE, prefix of 5, µs", measure_prefixes(server, prefixes, ("NOCASE",), rounds))
    table.figure("  the same with FUZZY, prefix of 5, µs", measure_prefixes(server, prefixes[:200], ("FUZZY",), rounds))
    some = rng.choices(terms, k=10_000)
    adding = [encode("SUG.ADD", "dictionary", term) for term in some]
    counting = [encode("ZINCRBY", "counts", 1, term) for term in some]
    send(server, (encode("ZADD", "counts", score, term) for term, score in scores.items()))
    times = best_of(rounds, lambda: server_time(server, counting, name="ZINCRBY"), lambda: server_time(server, adding, name="SUG.ADD"))
    table.ratio("  SUG.ADD of a known term beside ZINCRBY, µs", *times)
    client.delete("recipe", "dictionary", "counts")


def measure_prefixes(server, prefixes, options, rounds):
    commands = [encode("SUG.GET", "dictionary", prefix, *options) for prefix in prefixes]
    return best_of(rounds, lambda: server_time(server, commands, name="SUG.GET"))[0]
