"""The servers tests share, and what must hold after every test that used them."""

import pytest

from clock import Clock, built_shim
from families import FAMILIES
from log_waiting import start_waiting
from lossy_proxy import LossyProxy
from server import Server, wait_until


# By default a master sends its replicas a PING every ten seconds, which would disturb the tests that check that nothing
# was sent.
WITHOUT_PINGS = {"repl_ping_replica_period": 3600, "repl_timeout": 7200}
BLOCKED_COUNTERS = sorted({waiting.blocked_counter for family in FAMILIES for waiting in family.waiting})
STANDS_AT = 2_000_000_000_000  # in the year 2033


@pytest.fixture(scope="session")
def _pair():
    """A master and a replica that follows it through the whole session."""
    servers = []
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture
def server(request, _pair):
    """The shared master, empty. A replica follows it: when the test is over, no client may wait any longer, and both
    must hold the same. Feeds are not keys and cannot be deleted, so they stay. A test with the marker without_feeds
    gets another server if this one has feeds."""
    is_good = bool(_pair) and all(one.is_alive() for one in _pair)
    if is_good and request.node.get_closest_marker("without_feeds"):
        is_good = _pair[0].counter("feeds") == 0
    if not is_good:
        for one in _pair:
            one.stop()
        _pair[:] = [Server(databases=4, **WITHOUT_PINGS) for _ in range(2)]
        _pair[1].replicate(_pair[0])
    master, replica = _pair
    master.admin.call("FLUSHALL", "SYNC")
    yield master
    assert master.is_alive(), "the server died:\n" + master.log()[-4000:]
    assert replica.is_alive(), "the replica died:\n" + replica.log()[-4000:]
    for one in _pair:
        one.wait_for_blocked(0)
        counters = one.counters()
        assert [name for name in BLOCKED_COUNTERS if counters[name] != 0] == []
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
def proxy(server):
    """A proxy between a client and the shared server that loses answers if asked to."""
    with LossyProxy(server) as proxy:
        yield proxy


@pytest.fixture
def waiting(server, connect):
    """Starts a TREAD that waits, on a connection of its own unless one is given."""
    return lambda *words, to=server, connection=None: start_waiting(to, connection or connect(to=to), words)


@pytest.fixture(scope="session")
def clock_shim(tmp_path_factory):
    """The library of each Clock."""
    return built_shim(tmp_path_factory.mktemp("shim"))


@pytest.fixture(scope="module")
def clock(tmp_path_factory, clock_shim):
    """A wall clock that tests can set, for servers that are started with it."""
    return Clock(tmp_path_factory.mktemp("clock"), clock_shim)


@pytest.fixture(scope="module")
def _still_server(clock):
    clock.stop_at(STANDS_AT)
    with clock.server(databases=4) as server:
        yield server


@pytest.fixture
def still(_still_server, clock):
    """A server whose wall clock stands still unless the test moves it; empty."""
    clock.advance(1000)
    _still_server.admin.call("FLUSHALL", "SYNC")
    yield _still_server
    assert _still_server.is_alive(), "the server died:\n" + _still_server.log()[-4000:]


@pytest.fixture
def s(still):
    """A connection to the server whose clock stands still."""
    with still.connect() as connection:
        yield connection
