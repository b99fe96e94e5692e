"""If one write concerns hundreds of clients, they are served over several turns of the event loop, so that the write
does not block the server until all are answered (issue 18)."""

import pytest

from server import Server, wait_until

COUNT = 600
# How many clients the module serves in one turn, for logs, channels and pools.
PER_TURN = 120

CROWDS = {
    "readers of a log": (
        "log_readers_blocked",
        lambda n: ("TREAD", "key", "$", 1, "BLOCK", 0),
        ("TWRITE", "key", "tag", "entry"),
        [[1, b"tag", b"entry"]],
    ),
    "readers of a log by one tag": (
        "log_readers_blocked",
        lambda n: ("TREAD", "key", "$", 1, "BLOCK", 0, "TAGS", 1, "tag"),
        ("TWRITE", "key", "tag", "entry"),
        [[1, b"tag", b"entry"]],
    ),
    "readers of groups": (
        "log_readers_blocked",
        lambda n: ("TREAD", "key", 1, 1, "GROUP", f"group {n}", "BLOCK", 0),
        ("TWRITE", "key", "tag", "entry"),
        [[1, b"tag", b"entry"]],
    ),
    "senders to a pool without workers": (
        "shard_clients_waiting",
        lambda n: ("SHARD.ROUTE", "key", f"recipient {n}", "BLOCK", 0),
        ("SHARD.JOIN", "key", "worker"),
        [b"worker", 1],
    ),
}


@pytest.fixture(scope="module")
def server():
    with Server(maxclients=COUNT + 100) as running:
        yield running


def counter_of(info, name):
    return int(dict(line.split(":", 1) for line in info.decode().splitlines() if ":" in line)[f"millrace_{name}"])


@pytest.mark.parametrize("crowd", CROWDS)
def test_a_crowd_is_served_in_turns_and_no_client_is_forgotten(server, crowd):
    counter, waits, event, answer = CROWDS[crowd]
    server.admin.call("FLUSHALL")
    clients = [server.connect() for _ in range(COUNT)]
    try:
        for number, client in enumerate(clients):
            client.send(*waits(number))
        wait_until(lambda: server.counter(counter) == COUNT, "all wait")
        # Both commands are in one packet, so in one turn of the event loop: INFO shows how many clients the write left
        # waiting.
        _, info = server.admin.call_all([event, ("INFO", "millrace")])
        assert counter_of(info, counter) == COUNT - PER_TURN
        assert [client.read() for client in clients] == [answer] * COUNT
    finally:
        for client in clients:
            client.close()


def test_fetches_from_a_channel_are_served_in_turns_too(server):
    server.admin.call("FLUSHALL")
    clients = [server.connect() for _ in range(COUNT)]
    try:
        for number, client in enumerate(clients):
            server.admin.call("CHAN.SUBSCRIBE", "key", f"s{number}")
            client.send("CHAN.FETCH", "key", f"s{number}", "BLOCK", 0)
        wait_until(lambda: server.counter("channel_fetches_blocked") == COUNT, "all wait")
        _, info = server.admin.call_all([("CHAN.PUBLISH", "key", "id", "content"), ("INFO", "millrace")])
        assert counter_of(info, "channel_fetches_blocked") == COUNT - PER_TURN
        assert all(b"content" in str(client.read()).encode() for client in clients)
    finally:
        for client in clients:
            client.close()
