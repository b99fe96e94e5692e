"""What each family does in a soak: steps that keep a live set of constant size, whatever is evicted meanwhile."""

import json

from route_words import TASK

KEYS = 4  # objects of each family


def log_step(c, rng):
    key = f"log:{rng.randrange(KEYS)}"
    if rng.random() < 0.02:
        c.call("TRETAIN", key, "COUNT", 500, "AGE", 2000)
    elif rng.random() < 0.5:
        pairs = [word for _ in range(rng.choice([1, 1, 10])) for word in (rng.choice("abc"), "x" * rng.randrange(300))]
        c.call("TWRITE", key, "BACKLOG", 500, "ENTRIES", *pairs)
    else:
        c.call("TREAD", key, -rng.randrange(1, 100), 10, "SKIP", *rng.choice([(), ("TAGS", 1, "a"), ("BLOCK", 1)]))
    if rng.random() < 0.02:
        c.call("TWRITE", f"brief:{rng.randrange(KEYS)}", "tag", "x" * 1000)
        c.call("PEXPIRE", f"brief:{rng.randrange(KEYS)}", rng.randrange(1, 500))


def group_step(c, rng):
    key = f"work:{rng.randrange(KEYS)}"
    c.call("TWRITE", key, "BACKLOG", 500, "ENTRIES", "tag", "x" * rng.randrange(300))
    got = c.call("TREAD", key, 1, rng.randrange(1, 20), "GROUP", "g", "RETRY", rng.randrange(1, 100), 1000, "BLOCK", 1) or []
    if got and rng.random() < 0.8:
        c.call("TACK", key, "g", *[message[0] for message in got])
    elif got and rng.random() < 0.5:
        c.call("TNACK", key, "g", *[message[0] for message in got])


def channel_step(c, rng):
    key, name = f"channel:{rng.randrange(KEYS)}", f"s{rng.randrange(20)}"
    chance = rng.random()
    if chance < 0.1:
        c.call("CHAN.SUBSCRIBE", key, name, "EXPIRE", 1500)
    elif chance < 0.5:
        c.call("CHAN.PUBLISH", key, rng.randrange(10**9), "x" * rng.randrange(300))
    else:
        messages, receipt, _ = c.call("CHAN.FETCH", key, name, "MAX", rng.randrange(1, 64), "BLOCK", 1)
        if messages and rng.random() < 0.8:
            c.call("CHAN.ACK", key, name, receipt)
    if chance > 0.99:
        c.call("CHAN.UNSUBSCRIBE", key, name)


def pool_step(c, rng):
    key, worker = f"pool:{rng.randrange(KEYS)}", f"w{rng.randrange(6)}"
    chance = rng.random()
    if chance < 0.02:
        c.call("SHARD.SET", key, "STALE", 300)
    elif chance < 0.1:
        c.call("SHARD.JOIN", key, worker)
    elif chance < 0.11:
        c.call("SHARD.LEAVE", key, worker)
    elif chance < 0.4:
        c.call("SHARD.PUSH", key, f"r{rng.randrange(100)}", "x" * rng.randrange(300))
    else:
        got = c.call("SHARD.PULL", key, worker, "COUNT", 20, "BLOCK", 1)
        for recipient, sequence, _ in got:
            c.call("SHARD.ACK", key, worker, recipient, sequence)


def lock_step(c, rng):
    number, owner = rng.randrange(KEYS * 10), f"o{rng.randrange(3)}"
    key, how = f"lock:{number}", ((), ("SHARED",), ("LIMIT", 3))[number % 3]
    granted, *_ = c.call("LOCK.ACQUIRE", key, owner, rng.randrange(1, 100), *how, "WAIT", rng.randrange(3))
    if granted and rng.random() < 0.6:
        c.call("LOCK.RENEW", key, owner, 100)
        c.call("LOCK.RELEASE", key, owner)


def route_step(c, rng):
    table = f"{{route:{rng.randrange(KEYS)}}}"
    device, wanted = f"d{rng.randrange(100)}|ws", json.dumps({"n": rng.randrange(20)})
    chance = rng.random()
    if chance < 0.2:
        c.call("ROUTE.DEVICE", "SET", table, device, "TTL", rng.randrange(1, 1000))
    elif chance < 0.4:
        c.call("ROUTE.SUBSCRIBE", table, device, *TASK, "FILTER", wanted, "TTL", rng.randrange(1, 1000))
    elif chance < 0.45:
        c.call("ROUTE.DEVICE", "DEL", table, device)
    elif chance < 0.7:
        c.call("ROUTE.DISPATCH", table, *TASK, "DOC", wanted, "EVENT", "e", "QUEUES", "ws", f"{table}:ws")
    elif chance < 0.72:
        c.call("TRETAIN", f"{table}:ws", "COUNT", 200)
    else:
        c.call("ROUTE.MATCH", table, *TASK, "DOC", wanted)


STEPS = {
    "log": log_step,
    "group": group_step,
    "channel": channel_step,
    "pool": pool_step,
    "lock": lock_step,
    "route": route_step,
}
# Errors that the guides name: something was evicted or has expired, a client is too late, or there is no memory.
NAMED = ("OOM", "NOGROUP", "NOSUB", "BADRECEIPT", "NOWORKER", "NOWORKERS", "NOTOWNER")
