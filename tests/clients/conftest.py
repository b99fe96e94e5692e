"""A server, a proxy before it, and drivers of each package."""

import pytest

from drivers import KINDS, Driver
from fault_proxy import FaultProxy
from clock import Clock, built_shim
from length import at_length, length
from server import Server

# A quick run has one for each package. The other one shares its code, except for how it reaches the server.
IN_THIS_RUN = at_length(KINDS, quick=[kind for kind in KINDS if kind.name in ("python-asyncio", "node-redis")])


def pytest_collection_modifyitems(config, items):
    """Tests that are marked `full` run in ./test --all, or if they are selected by that marker."""
    if length() != "full" and "full" not in config.getoption("-m"):
        left_out = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(params=IN_THIS_RUN, ids=lambda kind: kind.name)
def kind(request):
    """Each package, in each way in which it is used."""
    if not request.param.is_there():
        pytest.skip(f"{request.param.name} is not built")
    request.param.prepare()
    return request.param


@pytest.fixture(scope="session")
def _server():
    with Server() as server:
        yield server


@pytest.fixture
def server(_server):
    """The shared server, empty."""
    _server.admin.call("FLUSHALL")
    return _server


@pytest.fixture
def proxy(server):
    with FaultProxy(server.port) as proxy:
        yield proxy


@pytest.fixture(params=["sync", "asyncio"])
def half(request):
    """Each half of the Python package."""
    return request.param


@pytest.fixture
def clocks(tmp_path_factory):
    """The wall clock of a server, and that of a client on another machine."""
    shim = built_shim(tmp_path_factory.mktemp("shim"))
    return [Clock(tmp_path_factory.mktemp("clock"), shim) for _ in range(2)]


@pytest.fixture
def drive(kind):
    """Starts drivers of this kind, for a port or with other arguments. They end with the test, and must not have
    printed errors."""
    started = []

    def start(*words, **more):
        words = (f"redis://127.0.0.1:{words[0]}",) if isinstance(words[0], int) else words
        started.append(Driver(kind, *words, **more))
        return started[-1]

    yield start
    for driver in started:
        driver.__exit__()
    assert [driver.errors() for driver in started] == [""] * len(started)
