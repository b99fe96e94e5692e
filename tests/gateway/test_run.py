"""./run starts the gateway beside the server."""

import http.client

import pytest

from server import QUIET_PORTS, free_port, wait_until
from test_run_script import Running, refused

pytestmark = pytest.mark.long


def readiness(port):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/probe/readiness")
        return connection.getresponse().status
    except OSError:
        return None


def test_the_gateway_begins_and_ends_with_the_server(tmp_path):
    port = free_port(QUIET_PORTS)
    http_port = free_port([other for other in QUIET_PORTS if other != port])
    with Running(tmp_path / "log", "--port", port, "--dir", tmp_path / "data", "--http", http_port, gateway=True) as run:
        with run.connect(port) as connection:
            wait_until(lambda: readiness(http_port) == 200, "the gateway serves")
            assert f"http://127.0.0.1:{http_port}" in run.output()
            connection.send("SHUTDOWN", "NOSAVE")
            run.process.wait(60)
        wait_until(lambda: readiness(http_port) is None, "the gateway ends")


def test_without_a_gateway_none_is_started(tmp_path):
    port = free_port(QUIET_PORTS)
    with Running(tmp_path / "log", "--port", port, "--dir", tmp_path / "data", "--no-gateway", gateway=True) as run:
        with run.connect(port):
            assert "The gateway is at" not in run.output()
            assert not (tmp_path / "data" / "gateway.pid").exists()


@pytest.mark.parametrize("word", ["0", "x", "65536"])
def test_an_invalid_port_is_refused(tmp_path, word):
    assert refused("--dir", tmp_path, "--http", word) == f"run: --http must be a number from 1 to 65535, not {word}"
