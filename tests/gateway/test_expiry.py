"""Streams end when their token does, and the access log follows its level."""

import asyncio
import time

import pytest
import websockets

from events import Events
from gateway import Gateway
from server import wait_until
from test_auth import SECRET, bearer

CONFIG = """
[auth]
leeway = "0s"

[[key]]
algorithm = "HS256"
file = "{file}"
"""


@pytest.fixture
def strict(server, tmp_path):
    (tmp_path / "secret").write_bytes(SECRET if isinstance(SECRET, bytes) else SECRET.encode())
    with Gateway(server, config=CONFIG.format(file=tmp_path / "secret")) as gateway:
        yield gateway


def test_an_event_stream_ends_with_its_token(strict):
    token = bearer({"exp": int(time.time()) + 3})
    with Events(strict, "/v1/logs/orders", **token) as events:
        events.wait_for_position()
        assert events.next() is None
    assert strict.request("GET", "/v1/logs/orders", headers=token).status == 401


def test_a_socket_is_closed_with_its_token(strict):
    async def run():
        headers = bearer({"exp": int(time.time()) + 3})
        async with websockets.connect(f"ws://127.0.0.1:{strict.port}/v1/connect", extra_headers=headers) as socket:
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await asyncio.wait_for(socket.recv(), 60)
            assert closed.value.rcvd.code == 1008

    asyncio.run(run())


def test_the_level_of_the_log_has_an_effect(server):
    with Gateway(server) as gateway:
        gateway.get("/v1/logs/before")
        gateway.request("PUT", "/admin/log/level?category=*&level=INFO")
        gateway.get("/v1/logs/noted")
        wait_until(lambda: "/v1/logs/noted" in gateway.output(), "it is written")
        gateway.request("PUT", "/admin/log/level?category=*&level=ERROR")
        gateway.get("/v1/logs/after")
        gateway.terminate()
        gateway.process.wait(60)
        assert "/v1/logs/before" not in gateway.output() and "/v1/logs/after" not in gateway.output()
