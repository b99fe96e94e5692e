"""Facts compared with the recipe of docs/recipes.md, which adds each fact six times to one sorted set, once for each
order."""

import itertools
import random

from measure import best_of, encode, send, server_time

ORDERS = list(itertools.permutations("spo"))


def some_facts(count, seed=3):
    """Different facts: friendships by ten predicates, among a fifth as many users."""
    rng = random.Random(seed)
    users = max(count // 5, 2)
    seen = set()
    while len(seen) < count:
        seen.add((f"user:{rng.randrange(users)}", f"predicate:{rng.randrange(10)}", f"user:{rng.randrange(users)}"))
    return sorted(seen, key=lambda _: rng.random())


def members(fact):
    """As the recipe has them: spo:ann:knows:bob, sop:ann:bob:knows and so on."""
    parts = dict(zip("spo", fact))
    return [":".join(["".join(order), *(parts[name] for name in order)]) for order in ORDERS]


def add(key, facts):
    return [encode("FACT.ADD", key, *fact) for fact in facts]


def zadd(key, facts):
    return [encode("ZADD", key, *itertools.chain.from_iterable((0, member) for member in members(fact))) for fact in facts]


def measure_facts(server, table, count, rounds):
    client = server.client()
    facts = some_facts(count + 1000 * rounds)
    first, later = facts[:count], facts[count:]

    def grown_by(commands):
        before = client.info("memory")["used_memory"]
        send(server, commands)
        return (client.info("memory")["used_memory"] - before) / count

    table.ratio(f"a fact among {count}, bytes", grown_by(zadd("recipe", first)), grown_by(add("graph", first)), 0.15)
    slices = [later[i * 1000 : (i + 1) * 1000] for i in range(rounds)]
    peer, ours = iter(slices), iter(slices)
    times = best_of(
        rounds,
        lambda: server_time(server, zadd("recipe", next(peer)), name="ZADD"),
        lambda: server_time(server, add("graph", next(ours)), name="FACT.ADD"),
    )
    table.ratio("  FACT.ADD beside one ZADD of six members, µs", *times, 0.4)
    measure_questions(server, table, first, rounds)
    client.delete("recipe", "graph")


def measure_questions(server, table, facts, rounds):
    """All facts with a subject and a predicate. Our answer has separate names; the recipe's members must be split by
    the client."""
    asked = random.Random(7).sample(facts, 2000)
    ours = [encode("FACT.FIND", "graph", subject, predicate, "*") for subject, predicate, _ in asked]
    peer = [encode("ZRANGE", "recipe", f"[spo:{s}:{p}:", f"(spo:{s}:{p};", "BYLEX") for s, p, _ in asked]
    times = best_of(
        rounds,
        lambda: server_time(server, peer, name="ZRANGE"),
        lambda: server_time(server, ours, name="FACT.FIND"),
    )
    table.ratio("  FACT.FIND s p * beside ZRANGE BYLEX, µs", *times)
    counted = [encode("FACT.COUNT", "graph", "*", predicate, "*") for _, predicate, _ in asked]
    by_lex = [encode("ZLEXCOUNT", "recipe", f"[pos:{p}:", f"(pos:{p};") for _, p, _ in asked]
    times = best_of(
        rounds,
        lambda: server_time(server, by_lex, name="ZLEXCOUNT"),
        lambda: server_time(server, counted, name="FACT.COUNT"),
    )
    table.ratio("  FACT.COUNT * p * beside ZLEXCOUNT, µs", *times)
