"""The server, the gateway and the browser that all tests share, and a small shop as data."""

import pathlib
import sys

import pytest

for folder in ("gateway", "server"):
    sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / folder))

from browser import Browser, Console
from gateway import Gateway
from server import Server
from shop import open_shop


@pytest.fixture(scope="session")
def _server():
    with Server() as server:
        yield server


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(scope="session")
def gateway(_server):
    with Gateway(_server) as gateway:
        if b"was built without" in gateway.get("/console/").body:
            pytest.skip("the gateway was built without the console: npm was not to be had")
        yield gateway


@pytest.fixture
def server(_server):
    """The shared server, empty."""
    _server.admin.call("FLUSHALL")
    return _server


@pytest.fixture
def c(server):
    """A connection to the shared server."""
    with server.connect() as connection:
        yield connection


@pytest.fixture
def shop(server, c):
    """A shop with something in every family, and clients that wait."""
    with open_shop(server, c):
        yield c


@pytest.fixture
def console(browser, gateway, server):
    """The console of the shared gateway. A test fails if the browser has reported an error, or has sent a request to
    another host."""
    console = Console(browser, gateway)
    yield console
    assert console.complaints() == []
    assert console.other_hosts() == []
