"""Locks for the battery: what fill() makes of one, and everything a client can see of it."""

import itertools
import random

from server import wait_until


class Anything:
    """Equal to everything: for numbers that differ from call to call."""

    def __eq__(self, other):
        return True

    def __repr__(self):
        return "anything"


HOUR = "3600000"
SEMAPHORE = (HOUR, "LIMIT", "1000000")
_new_owners = itertools.count()


def fill(connection, key, seed):
    """Makes a semaphore with hundreds of holders, some with several holds; one was released, and one lease has
    expired."""
    rng = random.Random(seed)
    owners = [rng.randbytes(rng.choice([1, 8, 40, 300, 700, 1024])) for _ in range(400)]
    commands = [("LOCK.ACQUIRE", key, owner, *SEMAPHORE) for owner in owners]
    commands += [("LOCK.ACQUIRE", key, rng.choice(owners), 3_000_000 + rng.randrange(1000), *SEMAPHORE[1:]) for _ in range(80)]
    commands += [("LOCK.ACQUIRE", key, "ann", *SEMAPHORE)] * 30
    commands += [("LOCK.ACQUIRE", key, owner, *SEMAPHORE, "VALUE", rng.randbytes(rng.choice([1, 100, 3000]))) for owner in owners[:40]]
    commands.append(("LOCK.ACQUIRE", key, "brief", "1", *SEMAPHORE[1:]))
    commands += [("LOCK.RELEASE", key, "ann"), ("LOCK.RENEW", key, owners[0], 5_000_000)]
    for command, answer in zip(commands, connection.call_all(commands)):
        assert not isinstance(answer, Exception), (command[:3], answer)
    wait_until(lambda: b"brief" not in holders(connection, key), "the brief lease is over")


def _info(connection, key):
    info = connection.call("LOCK.INFO", key, "COUNT", "1000000")
    return dict(zip(info[::2], info[1::2]))


def holders(connection, key):
    return [holder[1] for holder in _info(connection, key)[b"holders"]]


def read(connection, key):
    """What can be seen, without the remaining time. Tokens are replaced, because no two keys have the same."""
    info = _info(connection, key)
    holders = [dict(zip(holder[::2], holder[1::2])) for holder in info[b"holders"]]
    tokens = [holder[b"token"] for holder in holders]
    return tokens, info[b"mode"], info[b"permits"], info[b"holding"], [(h[b"owner"], h[b"holds"]) for h in holders], \
        [h[b"value"] for h in holders]


def append(connection, key):
    connection.call("LOCK.ACQUIRE", key, f"owner {next(_new_owners)}", *SEMAPHORE)


def shrink(connection, key):
    """Lets all leases but one end."""
    others = holders(connection, key)[1:]
    connection.call_all([("LOCK.RENEW", key, owner, "1") for owner in others])
    wait_until(lambda: len(holders(connection, key)) <= 1, "the others are gone")


def small(connection, key):
    for owner in ("ann", "bob", "bob", b"\x00\xff"):
        connection.call("LOCK.ACQUIRE", key, owner, *SEMAPHORE, "VALUE", "about " + repr(owner))


def hold(connection, key):
    connection.call("LOCK.RENEW", key, "holder", HOUR) or connection.call("LOCK.ACQUIRE", key, "holder", HOUR)
