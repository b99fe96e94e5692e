"""Short words for tests of worker pools. The pool is "pool" unless another is named."""

from resp import RespError
from server import wait_until

NOWORKER = "NOWORKER the worker has not joined the pool, has left it, or was removed while it was stale"
NOWORKERS = "NOWORKERS the pool has no worker that lives"
NOTOWNER = "NOTOWNER the recipient belongs to another worker now, or to none"
HOUR = 3_600_000
STANDS_AT = 10**12  # on a pool's clock, far ahead of that of any server
PAUSE = ("CLIENT", "PAUSE", "60000", "WRITE")  # while it lasts, the time of pools stands still and no timer works


def join(c, *workers, key="pool"):
    return [c.call("SHARD.JOIN", key, worker) for worker in workers]


def stale_after(c, milliseconds, key="pool"):
    c.call("SHARD.SET", key, "STALE", milliseconds)


def route(c, *recipients, key="pool"):
    """Routes one message to each recipient; the workers that get them."""
    return [c.call("SHARD.ROUTE", key, recipient)[0].decode() for recipient in recipients]


def keep(c, worker, key="pool"):
    """Routes a message to a worker that has not shown that it is alive. While the message is pending, the worker is
    neither stale nor removed, however short STALE is. REQUIRES: the worker is the next in turn."""
    assert route(c, "kept", key=key) == [worker]


def push(c, recipient, *payloads, key="pool"):
    worker, pending = c.call("SHARD.PUSH", key, recipient, *payloads)
    return worker.decode(), pending


def pull(c, worker, count=1_000_000, key="pool"):
    """What the worker gets, as (recipient, sequence, payload)."""
    return deliveries(c.call("SHARD.PULL", key, worker, "COUNT", count))


def deliveries(answer):
    return [(recipient.decode(), sequence, payload.decode()) for recipient, sequence, payload in answer]


def ack(c, worker, recipient, sequence, key="pool"):
    return c.call("SHARD.ACK", key, worker, recipient, sequence)


def done(c, worker, recipient, *count, key="pool"):
    return c.call("SHARD.DONE", key, worker, recipient, *count)


def owner(c, recipient, key="pool"):
    worker = c.call("SHARD.OWNER", key, recipient)
    return None if worker is None else worker.decode()


def owners(c, *recipients, key="pool"):
    return [owner(c, recipient, key) for recipient in recipients]


def fields(answer):
    pairs = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2])
    return {name.decode(): value for name, value in pairs}


def info(c, key="pool"):
    """SHARD.INFO as a dict; the workers in it too, in their order."""
    known = fields(c.call("SHARD.INFO", key))
    known["workers"] = [fields(worker) for worker in known["workers"]]
    return known


def worker_info(c, worker, key="pool"):
    """The worker's part of SHARD.INFO, or None."""
    return next((one for one in info(c, key)["workers"] if one["name"] == worker.encode()), None)


def recipients(c, worker, key="pool", page=1000):
    """Everything that SHARD.RECIPIENTS says about a worker, as (recipient, pending)."""
    found, cursor = [], "0"
    while True:
        cursor, flat = c.call("SHARD.RECIPIENTS", key, worker, "COUNT", page, "CURSOR", cursor)
        found += zip(flat[::2], flat[1::2])
        if cursor == b"0":
            return [(recipient.decode(errors="surrogateescape"), pending) for recipient, pending in found]


def is_sound(c, key="pool"):
    return c.call("SHARD.CHECK", key) == b"OK"


def is_there(c, worker, key="pool"):
    """Whether the worker is in the pool; asking does not show that it is alive."""
    try:
        c.call("SHARD.RECIPIENTS", key, worker, "COUNT", 1)
        return True
    except RespError as error:
        assert str(error) == NOWORKER
        return False


def stop_clock(c, key="pool"):
    """Makes a pool whose time stands still, because it is far ahead of that of its server. A stale worker is removed
    after ten times STALE if nothing is pending for it, but not before let_age() has moved the time so far."""
    stale_after(c, 15_000, key)
    c.call("SHARD.APPLY", key, "CLOCK", STANDS_AT)


def let_age(c, milliseconds, key="pool"):
    """Moves the time to so many milliseconds after stop_clock()."""
    c.call("SHARD.APPLY", key, "CLOCK", STANDS_AT + milliseconds)


def stale_after_joining(c, milliseconds, *idle, key="pool"):
    """Sets STALE. Workers that must be idle join again in the same transaction: they are removed only ten times STALE
    later. The pool's time advances at most 200 ms at once, so a worker that is stale before that is replaced first."""
    c.call("MULTI")
    join(c, *idle, key=key)
    stale_after(c, milliseconds, key)
    c.call("EXEC")


def wait_until_gone(c, worker, key="pool"):
    wait_until(lambda: not is_there(c, worker, key), f"{worker} has been removed")


def start_waiting(server, connection, *words):
    """Sends a command and returns its connection once the server knows that it waits."""
    already = server.counter("shard_clients_waiting")
    connection.send(*words)
    wait_until(lambda: server.counter("shard_clients_waiting") == already + 1, "the client waits")
    return connection


def is_still_waiting(server, connection):
    """True if what the server has done so far has not answered the client. The counter is asked
    twice: an answer that the previous command caused has been sent by the second time."""
    server.counter("shard_clients_waiting")
    return server.counter("shard_clients_waiting") > 0 and not connection.has_answer()
