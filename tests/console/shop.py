"""A small shop: a log of orders with groups, one of them in trouble; channels, a pool, locks, routes, an index."""

import contextlib
import json

CUSTOMERS = ["ann", "bob", "carol", "dave", "eve"]
LEASE = 600_000  # in milliseconds: longer than any test of the shop


def _orders(c):
    for number in range(1, 121):
        order = {"order": number, "customer": CUSTOMERS[number % 5], "items": [{"sku": f"lamp-{number % 7}", "count": 1 + number % 3}],
                 "total": round(9.9 * (1 + number % 9), 2), "paid": number % 4 == 0}
        c.call("TWRITE", "orders", "paid" if number % 4 == 0 else "new", json.dumps(order))
    c.call("TGROUP", "CREATE", "orders", "billing", "DEADLETTER", "orders:dead", "MAXATTEMPTS", 5)
    c.call("TREAD", "orders", 1, 40, "GROUP", "billing", "RETRY", LEASE, 0, "CONSUMER", "worker-1")
    c.call("TACK", "orders", "billing", *range(1, 37))
    c.call("TNACK", "orders", "billing", "DEAD", "card declined: 51 insufficient funds", 37)
    c.call("TNACK", "orders", "billing", "DEAD", "no such customer", 38)
    c.call("TREAD", "orders", 1, 6, "GROUP", "billing", "RETRY", LEASE, 0, "CONSUMER", "worker-3")
    for group in ("shipping", "analytics"):
        c.call("TREAD", "orders", 1, 120, "GROUP", group)
    c.call("TWRITE", "orders", "DELAY", 3600000, "ENTRIES", "remind", '{"customer":"ann","about":"her basket"}')
    c.call("TWRITE", "orders", "DELAY", 86400000, "ENTRIES", "report", '{"kind":"daily"}')


def _rest(c):
    for name in ("mailer", "search"):
        c.call("CHAN.SUBSCRIBE", "prices", name)
    for number in range(12):
        c.call("CHAN.PUBLISH", "prices", f"p{number}", json.dumps({"sku": f"lamp-{number % 7}", "price": 19 + number}))
    for worker in ("chat-1", "chat-2"):
        c.call("SHARD.JOIN", "chat", worker)
    for customer in CUSTOMERS * 3:
        c.call("SHARD.PUSH", "chat", customer, "hello")
    for device, user, wanted in (("laptop|websocket", "ann", '{"total": {"$gt": 50}}'), ("phone|push", "bob", '{"customer": "bob"}')):
        c.call("ROUTE.DEVICE", "SET", "{shop}", device, "USER", user)
        c.call("ROUTE.SUBSCRIBE", "{shop}", device, "APP", "shop", "MODEL", "order", "FILTER", wanted)
    c.call("ROUTE.MATCH", "{shop}", "APP", "shop", "MODEL", "order", "DOC", '{"total": 5}')
    c.call("IDX.CREATE", "customers", "PREFIX", "customer:", "FIELD", "city", "TEXT", "FIELD", "age", "INTEGER", "FIELD", "mail", "TEXT", "UNIQUE")
    for number, customer in enumerate(CUSTOMERS):
        c.call("HSET", f"customer:{number}", "city", ["Bonn", "Kiel"][number % 2], "age", 20 + 7 * number, "mail", f"{customer}@example.com")
    c.call("HSET", "customer:9", "mail", "ann@example.com", "age", "unknown")
    c.call("FACT.ADD", "friends", "ann", "knows", "bob", "bob", "knows", "carol")
    for term, score in (("lamp", 40), ("lampshade", 12), ("ladder", 7)):
        c.call("SUG.ADD", "words", term, "SCORE", score)
    c.call("LOCK.ACQUIRE", "stock", "cashier-1", LEASE, "VALUE", "till 4")


@contextlib.contextmanager
def open_shop(server, c):
    """Fills the shop. Clients wait for a lock that is held; two of them each wait for what the other holds."""
    _orders(c)
    _rest(c)
    c.call("LOCK.ACQUIRE", "left", "ann", LEASE)
    c.call("LOCK.ACQUIRE", "right", "bob", LEASE)
    with contextlib.ExitStack() as waiting:
        for key, owner in (("stock", "cashier-2"), ("stock", "cashier-3"), ("right", "ann"), ("left", "bob")):
            client = waiting.enter_context(server.connect())
            client.send("LOCK.ACQUIRE", key, owner, LEASE, "WAIT", LEASE)
        yield c
