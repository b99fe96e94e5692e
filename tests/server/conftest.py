"""The servers tests share, and what must hold after every test that used them."""

import pytest

from families import FAMILIES
from log_waiting import start_waiting
from server import Server, wait_until


@pytest.fixture(scope="session")
def _pair():
    """A master and a replica that follows it through the whole session."""
    servers = []
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture
def server(_pair):
    """The shared master, empty. A replica follows it: when the test is over, nobody waits
    any longer, and both hold the same, whatever the test did."""
    if not _pair or not all(one.is_alive() for one in _pair):
        for one in _pair:
            one.stop()
        _pair[:] = [Server(databases=4), Server(databases=4)]
        _pair[1].replicate(_pair[0])
    master, replica = _pair
    master.admin.call("FLUSHALL")
    yield master
    assert master.is_alive(), "the server died:\n" + master.log()[-4000:]
    assert replica.is_alive(), "the replica died:\n" + replica.log()[-4000:]
    for one in _pair:
        one.wait_for_blocked(0)
        for family in FAMILIES:
            for waiting in family.waiting:
                assert one.counter(waiting.blocked_counter) == 0
    wait_until(lambda: whole_digest(master) == whole_digest(replica), "the replica holds what its master holds")


def whole_digest(server):
    return server.admin.call("DEBUG", "DIGEST")


@pytest.fixture
def replica(server, _pair):
    """The replica of the shared server."""
    return _pair[1]


@pytest.fixture
def connect(server):
    """Opens connections to the shared server that end with the test."""
    opened = []

    def open_one(protocol=2, to=server):
        opened.append(to.connect(protocol))
        return opened[-1]

    yield open_one
    for connection in opened:
        connection.close()


@pytest.fixture
def c(connect):
    """A connection to the shared server."""
    return connect()


@pytest.fixture
def waiting(server, connect):
    """Starts a TREAD that waits, on a connection of its own unless one is given."""
    return lambda *words, to=server, connection=None: start_waiting(to, connection or connect(to=to), words)
