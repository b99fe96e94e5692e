"""Short words for tests of locks."""

from server import wait_until

HOUR = 3_600_000


def acquire(c, owner, *options, key="lock", ttl=HOUR):
    """The whole answer: [1, token, ttl, holds], or [0, 0, ms, 0]."""
    return c.call("LOCK.ACQUIRE", key, owner, ttl, *options)


def take(c, owner, *options, key="lock", ttl=HOUR):
    """The token; fails if the lock is refused."""
    granted, token, its_ttl, _ = acquire(c, owner, *options, key=key, ttl=ttl)
    assert (granted, its_ttl) == (1, ttl)
    return token


def dump_of_brief_lock(c):
    """A payload of a lock whose lease has ended since, so that the lock is gone."""
    *_, [_, dump] = c.call_all([("MULTI",), ("LOCK.ACQUIRE", "lock", "holder", 1), ("DUMP", "lock"), ("EXEC",)])
    wait_until(lambda: c.call("EXISTS", "lock") == 0, "the lease is over")
    return dump


def is_refused(c, owner, *options, key="lock"):
    return acquire(c, owner, *options, key=key)[0] == 0


def release(c, owner, key="lock"):
    return c.call("LOCK.RELEASE", key, owner)


def named(flat):
    """A flattened map, with text for names."""
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2])}


def info(c, key="lock"):
    about = named(c.call("LOCK.INFO", key))
    return {**about, "holders": [named(one) for one in about["holders"]], "waiters": [named(one) for one in about["waiters"]]}


def holders(c, key="lock"):
    return [one["owner"].decode() for one in info(c, key)["holders"]]


def waiters(c, key="lock"):
    return [one["owner"].decode() for one in info(c, key)["waiters"]]


def wait_for_waiting(server, count):
    wait_until(lambda: server.counter("lock_waiting") == count, f"{count} wait")


def start_waiting(server, connection, owner, *options, key="lock", ttl=HOUR, wait=HOUR):
    """Sends the command and returns once the server knows that it waits."""
    already = server.counter("lock_waiting")
    connection.send("LOCK.ACQUIRE", key, owner, ttl, *options, "WAIT", wait)
    wait_for_waiting(server, already + 1)
    return connection


def token_of(connection):
    """The token that a waiting client is granted now."""
    granted, token, _, _ = connection.read()
    assert granted == 1
    return token
