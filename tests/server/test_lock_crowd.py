"""Ten thousand clients wait for one lock: each hand-over wakes one, in order, and no client polls."""

import random
import resource

import pytest

from locks import HOUR, release, take, token_of, wait_for_waiting
from server import Server, wait_until

COUNT = 10_000


@pytest.fixture(scope="module")
def crowd():
    """A server, a lock that "holder" holds, and ten thousand clients that wait for it: owners 0, 1, 2, ..."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, COUNT + 1000)), hard))
    with Server(maxclients=COUNT + 100) as server:
        take(server.admin, "holder")
        clients = [server.connect() for _ in range(COUNT)]
        for number, client in enumerate(clients):
            client.send("LOCK.ACQUIRE", "lock", str(number), HOUR, "WAIT", HOUR)
            if number % 500 == 499:
                wait_for_waiting(server, number + 1)
        yield server, clients
        for client in clients:
            client.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def calls(server):
    """How often each command was called, without the INFO of these questions."""
    stats = server.info("commandstats")
    counted = {name.lower(): int(row.split("calls=")[1].split(",")[0]) for name, row in stats.items()}
    return {name: number for name, number in counted.items() if name != "cmdstat_info"}


def test_each_hand_over_wakes_one_in_order_and_waiters_send_nothing(crowd):
    server, clients = crowd
    server.admin.call("CONFIG", "RESETSTAT")
    with server.connect() as c:
        owner, last = "holder", 0
        for number in range(200):
            release(c, owner)
            token = token_of(clients[number])
            assert token > last
            owner, last = str(number), token
            assert server.counter("lock_waiting") == COUNT - number - 1
        assert not any(client.has_answer() for client in clients[200:])
        counted = calls(server)
        # Valkey counts a waiting command only when it is answered.
        assert counted.pop("cmdstat_lock.acquire", 0) in (0, 200)
        assert counted == {"cmdstat_lock.release": 200, "cmdstat_config|resetstat": 1}
        # Clients that disconnect leave the line at once, wherever they stand.
        rng = random.Random(7)
        leavers = rng.sample(range(200, COUNT), 5000)
        for number in leavers:
            clients[number].close()
        wait_for_waiting(server, COUNT - 200 - 5000)
        left = [number for number in range(200, COUNT) if number not in set(leavers)]
        for number in left[:50]:
            release(c, owner)
            token_of(clients[number])
            owner = str(number)
        # Deleting the lock serves the next client.
        c.call("DEL", "lock")
        token_of(clients[left[50]])
        wait_until(lambda: server.counter("lock_waiting") == len(left) - 51, "one was served")
