"""Routing tables for the battery: what fill() puts into one, and everything a client can see of it."""

import random

from route_words import HOUR, channel, do, filters, get, info, listed, match, text
from server import wait_until

_TRANSPORTS = ("ws", "mqtt", "größe", "http|2")
_CHANNELS = [channel("shop", model, user, id) for model in ("task", "größe") for user in (None, "u1") for id in (None, "i1")]
FIRST, SECOND = "first|ws", "second|mqtt"
NAMED = ("APP", "shop", "MODEL", "task")


def fill(connection, key, seed):
    """Devices of four transports, with and without an expiry, subscribed with and without filters. One device and one
    subscription have expired. Nothing else expires for an hour."""
    rng = random.Random(seed)
    do(connection, _commands(key, rng))
    wait_until(lambda: get(connection, "brief|ws", key=key) is None, "the brief device is gone")
    wait_until(lambda: info(connection, key)["devices"] == len(listed(connection, key=key)), "it is swept, too")
    log = f"{{{key}}}:log"
    change = ("DOC", text({"prio": "high", "n": 5}), "EVENT", "changed", "QUEUES", "ws", log)
    do(connection, [("ROUTE.DISPATCH", key, *NAMED, *change), ("DEL", log)])
    change = ("DOC", text({"prio": "high", "n": 5}), "EVENT", "changed", "ID", "sent once", "QUEUES", "ws", log)
    do(connection, [("ROUTE.DISPATCH", key, *NAMED, *change), ("DEL", log)])


def _commands(key, rng):
    yield ("ROUTE.DEVICE", "SET", key, FIRST, "USER", "u1", "AGENT", b"\x00\xff agent")
    yield ("ROUTE.SUBSCRIBE", key, FIRST, *NAMED)
    yield ("ROUTE.SUBSCRIBE", key, SECOND, *NAMED)
    yield ("ROUTE.SETFILTER", key, "high", '{"prio": "high"}', *NAMED)
    yield ("ROUTE.SETFILTER", key, "nobody's", '{"n": {"$gt": 1}, "$not": {"a.b": 7}}', *NAMED)
    yield ("ROUTE.SUBSCRIBE", key, FIRST, *NAMED, "FILTERID", "high")
    yield ("ROUTE.SUBSCRIBE", key, FIRST, *NAMED, "FILTER", '{"prio": "low"}')
    yield ("ROUTE.SUBSCRIBE", key, FIRST, *NAMED, "FILTER", '{"title": {"$regex": "^a+$"}}')
    for n in range(400):
        name = f"{n}{chr(rng.randrange(32, 0x2000)) * rng.choice([1, 5, 100])}|{rng.choice(_TRANSPORTS)}"
        options = ("TTL", rng.randrange(HOUR, 2 * HOUR)) if rng.random() < 0.5 else ()
        yield ("ROUTE.DEVICE", "SET", key, name, "USER", f"u{rng.randrange(5)}", "AGENT", rng.randbytes(100), *options)
        for about in rng.sample(_CHANNELS, 2):
            options = ("FILTER", text(_some_filter(rng))) if rng.random() < 0.6 else ()
            options += ("TTL", rng.randrange(HOUR, 2 * HOUR)) if rng.random() < 0.3 else ()
            yield ("ROUTE.SUBSCRIBE", key, name, *about, *options)
    # These come last, so that the order of all others does not depend on when these are swept.
    yield ("ROUTE.SUBSCRIBE", key, FIRST, "APP", "ends", "MODEL", "m", "TTL", "3")
    # Subscribed before the device gets its TTL: on a busy machine the device might expire first, and then subscribing
    # would create it again.
    yield ("ROUTE.SUBSCRIBE", key, "brief|ws", *NAMED)
    yield ("ROUTE.DEVICE", "SET", key, "brief|ws", "TTL", "3")


def _some_filter(rng):
    conditions = {
        "prio": rng.choice(["high", "low"]),
        "n": {"$gte": rng.randrange(50), "$lt": 60},
        "user": {"$in": [f"u{rng.randrange(9)}", 7, None]},
        "größe.x": {"$exists": True},
        "title": {"$gt": "a"},
    }
    chosen = {name: conditions[name] for name in rng.sample(sorted(conditions), 2)}
    return {"$or": [chosen, {"n": 3}]} if rng.random() < 0.3 else chosen


def append(connection, key):
    """Adds one more device, whose name is derived from the number of devices."""
    known = info(connection, key)
    count = known["devices"] if known else 0
    connection.call("ROUTE.DEVICE", "SET", key, f"appended {count}|ws")


def shrink(connection, key):
    """Deletes all devices but one, and all names of filters."""
    names = listed(connection, key=key)
    do(connection, [("ROUTE.DEVICE", "DEL", key, name) for name in names[1:]])
    do(connection, [("ROUTE.DELFILTER", key, name, *NAMED) for name in ("high", "nobody's")])


def read(connection, key):
    """First the answers that contain dates, then the others; all without times to live, because the digest contains
    these as dates."""
    devices, seen = [], []
    for name in listed(connection, key=key):
        about = get(connection, name, "FULL", "COUNT", "1000000", key=key)
        subscriptions = [(where, filter, left < 0) for where, filter, left in about.pop("subscribed-to")]
        devices.append((name, about["user"], about["agent"], about["ttl"] < 0, sorted(subscriptions, key=repr)))
        seen.append((about["connected-at"], about["last-seen"]))
        assert about["subscriptions"] == len(subscriptions)
    known = info(connection, key)
    counts = known and [known[name] for name in ("devices", "subscriptions", "filters", "channels")]
    of_channels = [filters(connection, about, key) for about in _CHANNELS]
    documents = [None, {"prio": "high", "n": 55}, {"n": 3, "user": [7], "title": "aaa"}]
    found = [match(connection, doc, about=_CHANNELS[-1], key=key) for doc in documents]
    return seen, devices, counts, found, of_channels


def small(connection, key):
    do(connection, [
        ("ROUTE.DEVICE", "SET", key, "a|ws", "USER", "u", "AGENT", "x" * 60, "TTL", HOUR),
        ("ROUTE.DEVICE", "SET", key, "b|mqtt"),
        ("ROUTE.SUBSCRIBE", key, "a|ws", *NAMED),
        ("ROUTE.SUBSCRIBE", key, "b|mqtt", *NAMED, "USER", "u", "TTL", HOUR),
        ("ROUTE.SUBSCRIBE", key, "b|mqtt", *NAMED, "ID", "i", "FILTER", '{"n": {"$gt": 1.5}, "s": "x"}'),
        ("ROUTE.SETFILTER", key, "high", '{"prio": "high"}', *NAMED),
        ("ROUTE.SUBSCRIBE", key, "a|ws", *NAMED, "FILTERID", "high"),
    ])
