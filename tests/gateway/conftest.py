"""The server and the gateway that tests share, empty for each test."""

import pathlib
import sys

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

from gateway import Gateway
from server import Server, wait_until


class SharedServer(Server):
    def blocked(self):
        """How many clients wait, without gateways that wait for orders of other gateways."""
        lines = self.admin.call("CLIENT", "LIST", "TYPE", "normal").decode().splitlines()
        fields = [dict(field.split("=", 1) for field in line.split()) for line in lines]
        return sum("b" in one["flags"] and one["cmd"] != "blpop" for one in fields)

    def wait_for_blocked(self, count):
        """Waits until exactly this many of them wait."""
        wait_until(lambda: self.blocked() == count, f"{count} clients are blocked")


@pytest.fixture(scope="session")
def _server():
    with SharedServer() as server:
        yield server


@pytest.fixture(scope="session")
def _gateway(_server):
    gateways = []
    yield gateways
    for gateway in gateways:
        gateway.stop()


@pytest.fixture
def server(_server):
    """The shared server, empty."""
    _server.admin.call("FLUSHALL")
    return _server


@pytest.fixture
def gateway(server, _gateway):
    """A gateway without a configuration, in front of the shared server."""
    if not _gateway:
        _gateway.append(Gateway(server))
    yield _gateway[0]
    assert _gateway[0].process.poll() is None, "the gateway died:\n" + _gateway[0].output()


@pytest.fixture
def c(server):
    """A connection to the shared server."""
    with server.connect() as connection:
        yield connection
