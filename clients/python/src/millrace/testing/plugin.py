"""Fixtures for pytest, which finds them when the package is installed."""

from __future__ import annotations

from typing import Iterator

import pytest

from .server import TestServer, start_server


@pytest.fixture(scope="session")
def _millrace_server() -> Iterator[TestServer]:
    with start_server() as server:
        yield server


@pytest.fixture
def millrace_server(_millrace_server: TestServer) -> TestServer:
    """A server with the module, empty."""
    _millrace_server.flush()
    return _millrace_server
