"""A gateway behind nginx or Caddy, with the lines that the guide gives."""

import asyncio
import http.client
import json
import re

import pytest
import websockets

from events import Events
from gateway import Gateway
from proxies import Caddy, Nginx
from server import DEADLINE, wait_until

ANYBODY = '[[allow]]\nto = "any"\npattern = ".*"\nanonymous = true\n'


@pytest.fixture(scope="module", params=[Nginx, Caddy], ids=lambda proxy: proxy.name)
def program(request):
    return request.param


@pytest.fixture(scope="module")
def _proxied(_server, program, tmp_path_factory):
    with Gateway(_server, config=ANYBODY) as gateway, program(gateway.port, tmp_path_factory.mktemp(program.name)) as proxy:
        yield gateway, proxy


@pytest.fixture
def proxied(server, _proxied):
    """(the gateway, the proxy in front of it), with an empty server"""
    return _proxied


def ask(port, method, target, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    connection.request(method, target, body, headers or {})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text


def test_requests_and_long_polls_go_through(proxied, server):
    _, proxy = proxied
    assert ask(proxy.port, "POST", "/v1/logs/orders", "17", {"Millrace-Tag": "new"}) == (201, b'{"offset":1}\n')
    assert ask(proxy.port, "PUT", "/channel/c/subscription/polling/s")[0] == 200
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=DEADLINE)
    connection.request("GET", "/channel/c/subscription/polling/s?timeout=30s")
    server.wait_for_blocked(1)
    assert ask(proxy.port, "PUT", "/channel/c/message/m", "1")[0] == 200
    assert json.loads(connection.getresponse().read())["messages"] == [{"content": 1, "messageID": "m"}]
    connection.close()


def test_each_event_of_a_stream_comes_through_at_once_and_a_stream_resumes(proxied):
    gateway, proxy = proxied
    with Events(proxy, "/v1/logs/orders?from=-") as stream:
        for number in range(3):  # each is written after the previous one has arrived: the proxy does not buffer
            gateway.request("POST", "/v1/logs/orders", str(number))
            assert stream.next()[1]["entry"] == number
        last = stream.last_id
    gateway.request("POST", "/v1/logs/orders", "3")
    with Events(proxy, "/v1/logs/orders", Last_Event_ID=last) as stream:
        assert stream.next()[1]["entry"] == 3


def test_when_a_client_disconnects_its_stream_ends_at_the_gateway(proxied):
    gateway, proxy = proxied

    def streams():
        [line] = re.findall(r"^millrace_gateway_streams (\d+)$", gateway.get("/metrics").body.decode(), re.MULTILINE)
        return int(line)

    with Events(proxy, "/v1/logs/orders?from=-"):
        wait_until(lambda: streams() == 1, "the stream is open")
    wait_until(lambda: streams() == 0, "the stream is over")


def test_a_websocket_goes_through(proxied):
    async def talk(port):
        async with websockets.connect(f"ws://127.0.0.1:{port}/v1/connect", ping_interval=None) as socket:
            await socket.send('{"id":1,"type":"publish","log":"orders","tag":"new","entry":5}')
            answer = json.loads(await asyncio.wait_for(socket.recv(), DEADLINE))
            await socket.send('{"id":2,"type":"follow","log":"orders","from":"-"}')
            while True:
                got = json.loads(await asyncio.wait_for(socket.recv(), DEADLINE))
                if got.get("event") == "message":
                    return answer, got["entry"]

    assert asyncio.run(talk(proxied[1].port)) == ({"id": 1, "ok": True, "offset": 1}, 5)


def test_a_client_behind_the_proxy_is_not_one_of_this_machine(server, program, tmp_path):
    with Gateway(server) as gateway, program(gateway.port, tmp_path) as proxy:
        assert ask(proxy.port, "POST", "/v1/logs/orders", "1")[0] in (401, 403)
        assert ask(gateway.port, "POST", "/v1/logs/orders", "1")[0] == 201
