"""Indexes (IDX) compared with the recipe: sorted sets that the client writes in the same transaction or script as the
document. Both have the same documents and queries, on one server, in one run. These are rows of bench/indexes."""

import random
import time

from measure import Pipe, encode, send

FIELDS = ("age", "points", "height", "visits")


def writes(prefix, numbers, fields, rng):
    """HSET commands with five fields that all change; the first `fields` are indexed."""
    for number in numbers:
        values = [rng.randrange(10**6) for _ in FIELDS]
        pairs = [part for field, value in zip(FIELDS, values) for part in (field, value)]
        yield number, values[:fields], ("HSET", f"{prefix}{number}", "name", f"user {number}", *pairs)


def plain(prefix, numbers, fields, rng):
    return [encode(*command) for _, _, command in writes(prefix, numbers, fields, rng)]


def in_multi(prefix, numbers, fields, rng):
    made = []
    for number, values, command in writes(prefix, numbers, fields, rng):
        made += [encode("MULTI"), encode(*command)]
        made += [encode("ZADD", f"recipe:{field}", value, number) for field, value in zip(FIELDS, values)]
        made.append(encode("EXEC"))
    return made


def in_lua(client, prefix, numbers, fields, rng):
    """One script for each write: the document and a sorted set for each indexed number."""
    script = client.script_load(
        """redis.call("HSET", KEYS[1], unpack(ARGV, 2))
        for i = 2, #KEYS do redis.call("ZADD", KEYS[i], ARGV[2 * i + 1], ARGV[1]) end"""
    )
    sets = [f"recipe:{field}" for field in FIELDS[:fields]]
    return [
        encode("EVALSHA", script, fields + 1, command[1], *sets, number, *command[2:])
        for number, _, command in writes(prefix, numbers, fields, rng)
    ]


def busy_time(server, commands, count, depth=64):
    """Microseconds of the server's processor time for each of `count` writes, including MULTI and EXEC."""
    client = server.client()

    def used():
        info = client.info("cpu")
        return info["used_cpu_user"] + info["used_cpu_sys"]

    pipe = Pipe(server, depth)
    before = used()
    pipe.run(commands)
    after = used()
    pipe.close()
    return (after - before) * 1e6 / count


def command_time(server, commands, count, depth=64):
    """Microseconds of all commands together, by INFO commandstats, for each of `count` writes."""
    client = server.client()
    client.config_resetstat()
    pipe = Pipe(server, depth)
    pipe.run(commands)
    pipe.close()
    rows = client.info("commandstats")
    skipped = {"cmdstat_info", "cmdstat_config|resetstat", "cmdstat_exec"}  # EXEC would count its commands again
    return sum(row["usec"] for name, row in rows.items() if name not in skipped) / count


def script_time(server, commands, count):
    """Microseconds of each script, by INFO commandstats, including the commands that it calls."""
    client = server.client()
    client.config_resetstat()
    send(server, commands, 64)
    return client.info("commandstats")["cmdstat_evalsha"]["usec"] / count


def wait_until_ready(client, index):
    while dict(zip(*[iter(client.execute_command("IDX.INFO", index))] * 2))[b"state"] != b"ready":
        time.sleep(0.001)


def create(client, index, prefix, fields):
    words = [word for field in FIELDS[:fields] for word in ("FIELD", field, "INTEGER")]
    client.execute_command("IDX.CREATE", index, "PREFIX", prefix, *words)
    wait_until_ready(client, index)


def used(client):
    return client.info("memory")["used_memory"]


def rows(server, table, documents, rounds):
    _write_rows(server, table, documents, rounds)
    _memory_rows(server, table, documents)
    _range_row(server, table, documents, rounds)


def _write_rows(server, table, documents, rounds):
    client = server.client()
    rng = random.Random(1)
    numbers = list(range(documents))
    for fields in (1, 4):
        client.flushall()
        Pipe(server, 64).run(plain("user:", numbers, fields, rng))
        Pipe(server, 64).run(in_multi("user:", numbers, fields, rng))
        some = rng.sample(numbers, min(documents, 20_000))
        recipe = min(command_time(server, in_multi("user:", some, fields, rng), len(some)) for _ in range(rounds))
        recipe_cpu = min(busy_time(server, in_multi("user:", some, fields, rng), len(some)) for _ in range(rounds))
        lua, lua_cpu = (
            min(measure(server, in_lua(client, "user:", some, fields, rng), len(some)) for _ in range(rounds))
            for measure in (script_time, busy_time)
        )
        client.flushall()
        create(client, "index", "user:", fields)
        Pipe(server, 64).run(plain("user:", numbers, fields, rng))
        ours = min(command_time(server, plain("user:", some, fields, rng), len(some)) for _ in range(rounds))
        ours_cpu = min(busy_time(server, plain("user:", some, fields, rng), len(some)) for _ in range(rounds))
        table.ratio(f"HSET, {fields} indexed, all changing, us", recipe, ours, limit={1: 0.60, 4: 0.35}[fields])
        table.ratio("  the same by processor time", recipe_cpu, ours_cpu, kept=False)
        table.ratio(f"  beside the recipe in Lua, {fields} indexed, us", lua, ours)
        table.ratio("  the same in Lua by processor time", lua_cpu, ours_cpu, kept=False)
    other = min(command_time(server, plain("other:", some, 1, rng), len(some)) for _ in range(rounds))
    client.execute_command("DEL", "index")
    alone = min(command_time(server, plain("other:", some, 1, rng), len(some)) for _ in range(rounds))
    table.ratio("HSET of another prefix; peer: no index, us", alone, other, limit=1.10)


def _memory_rows(server, table, documents):
    client = server.client()
    for fields in (1, 4):
        client.flushall()
        rng = random.Random(2)
        Pipe(server, 64).run(plain("user:", range(documents), fields, rng))
        before = used(client)
        rng = random.Random(2)
        commands = []
        for number, values, _ in writes("user:", range(documents), fields, rng):
            commands += [encode("ZADD", f"recipe:{field}", value, f"user:{number}") for field, value in zip(FIELDS, values)]
        Pipe(server, 64).run(commands)
        recipe = (used(client) - before) / documents
        client.delete(*[f"recipe:{field}" for field in FIELDS])
        before = used(client)
        create(client, "index", "user:", fields)
        ours = (used(client) - before) / documents
        table.ratio(f"memory of a document, {fields} indexed, bytes", recipe, ours, limit={1: 0.45, 4: 0.30}[fields])
        table.amount("  by MEMORY USAGE", client.execute_command("MEMORY", "USAGE", "index", "SAMPLES", "0") / documents)
        changed = random.Random(3).sample(range(documents), documents)
        Pipe(server, 64).run(plain("user:", changed, fields, random.Random(4)))
        table.amount("  after each has changed", client.execute_command("MEMORY", "USAGE", "index", "SAMPLES", "0") / documents)
        client.delete("index")


def _range_row(server, table, documents, rounds):
    client = server.client()
    client.flushall()
    rng = random.Random(5)
    Pipe(server, 64).run(in_multi("user:", range(documents), 2, rng))
    create(client, "index", "user:", 2)
    starts = [rng.randrange(9 * 10**5) for _ in range(200)]

    def recipe():
        spent = 0.0
        for start in starts:
            began = time.perf_counter()
            found = client.zrange("recipe:age", start, 10**6, byscore=True, offset=0, num=100)
            pipe = client.pipeline(transaction=False)
            for member in found:
                pipe.hmget(f"user:{int(member)}", "name", "points", "height")
            pipe.execute()
            spent += time.perf_counter() - began
        return spent / len(starts) * 1e6

    def ours():
        began = time.perf_counter()
        for start in starts:
            client.execute_command("IDX.FIND", "index", "WHERE", "age", ">=", start, "ORDER", "age", "LIMIT", "100", "GET", "3", "name", "points", "height")
        return (time.perf_counter() - began) / len(starts) * 1e6

    def recipe_server():
        commands = []
        for start in starts:
            commands.append(encode("ZRANGE", "recipe:age", start, 10**6, "BYSCORE", "LIMIT", 0, 100))
            for member in client.zrange("recipe:age", start, 10**6, byscore=True, offset=0, num=100):
                commands.append(encode("HMGET", f"user:{int(member)}", "name", "points", "height"))
        return command_time(server, commands, len(starts))

    def ours_server():
        return command_time(server, [encode("IDX.FIND", "index", "WHERE", "age", ">=", start, "ORDER", "age", "LIMIT", "100", "GET", "3", "name", "points", "height") for start in starts], len(starts))

    a, b = (min(one() for _ in range(rounds)) for one in (ours, recipe))
    table.ratio("100 in a range, 3 fields of each, client, us", b, a, limit=0.35)
    a, b = (min(one() for _ in range(rounds)) for one in (ours_server, recipe_server))
    table.ratio("  server time", b, a)


def two_conditions(server, table, documents, rounds):
    """Finds 100 of a million documents: by two sorted sets of the recipe and ZINTER, or by IDX.FIND."""
    client = server.client()
    client.flushall()
    rng = random.Random(6)
    pipe = Pipe(server, 256)
    commands, wide = [], 10**6
    for number in range(documents):
        a, b = rng.randrange(wide), rng.randrange(wide)
        commands += [encode("HSET", f"user:{number}", "age", a, "points", b), encode("ZADD", "recipe:age", a, number), encode("ZADD", "recipe:points", b, number)]
    pipe.run(commands)
    began = time.perf_counter()
    create(client, "index", "user:", 2)
    table.figure(f"building over {documents} documents, seconds", time.perf_counter() - began)
    ages = (0, 10_000)

    def recipe():
        def once():
            began = time.perf_counter()
            transaction = client.pipeline()
            transaction.zrangestore("t:age", "recipe:age", *ages, byscore=True)
            transaction.zrangestore("t:points", "recipe:points", 0, 10_000, byscore=True)
            transaction.zinter(["t:age", "t:points"])
            found = transaction.execute()[2]
            return time.perf_counter() - began, len(found)
        return min(once() for _ in range(rounds * 3))

    def ours():
        def once():
            began = time.perf_counter()
            _, found = client.execute_command("IDX.FIND", "index", "WHERE", "age", "BETWEEN", *ages, "WHERE", "points", "BETWEEN", 0, 10_000, "LIMIT", "10000")
            return time.perf_counter() - began, len(found)
        return min(once() for _ in range(rounds * 3))

    (a, count), (b, same) = ours(), recipe()
    assert count == same, (count, same)
    table.ratio(f"two conditions, {count} of {documents}, us", b * 1e6, a * 1e6, limit=0.05)
