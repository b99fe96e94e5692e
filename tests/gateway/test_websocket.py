"""/v1/connect, by a client library and by raw frames."""

import asyncio
import contextlib
import json
import os
import struct

import pytest
import websockets

from gateway import Gateway
from raw_http import HANDSHAKE, KEY, RawConnection, raw_socket
from server import DEADLINE, wait_until


class Socket:
    """A connection that pairs requests with their answers and keeps events."""

    def __init__(self, raw):
        self.raw = raw
        self.events = []
        self._next = 0

    async def ask(self, type, **fields):
        self._next += 1
        await self.raw.send(json.dumps({"id": self._next, "type": type, **fields}))
        while True:
            got = await self._receive()
            if got.get("id") == self._next:
                return {name: value for name, value in got.items() if name != "id"}
            self.events.append(got)

    async def event(self, name="message"):
        while True:
            got = self.events.pop(0) if self.events else await self._receive()
            if got.get("event") == name:
                return got

    async def _receive(self):
        return json.loads(await asyncio.wait_for(self.raw.recv(), DEADLINE))


@contextlib.asynccontextmanager
async def connected(gateway, **options):
    async with websockets.connect(f"ws://127.0.0.1:{gateway.port}/v1/connect", ping_interval=None, **options) as raw:
        yield Socket(raw)


def test_a_log_is_followed_and_published_to(gateway):
    async def run():
        async with connected(gateway) as socket:
            assert await socket.ask("follow", log="orders") == {"ok": True}
            await socket.event("position")
            assert await socket.ask("publish", log="orders", tag="new", entry={"n": 1.5}) == {"ok": True, "offset": 1}
            message = await socket.event()
            position = message.pop("position")
            assert message == {"event": "message", "log": "orders", "offset": 1, "tag": "new", "entry": {"n": 1.5}}
            await socket.ask("publish", log="orders", entry=2)
            assert (await socket.event())["entry"] == 2
            assert await socket.ask("unfollow", log="orders") == {"ok": True}
        async with connected(gateway) as socket:
            await socket.ask("follow", log="orders", position=position)
            assert (await socket.event())["entry"] == 2

    asyncio.run(run())


def test_a_channel_is_followed_and_acknowledged(gateway, c):
    async def run():
        async with connected(gateway) as socket:
            await socket.ask("follow", channel="room", **{"from": "-"})
            assert await socket.ask("publish", channel="room", message="m1", content="x") == {"ok": True, "clock": 1}
            assert await socket.ask("publish", channel="room", message="m1", content="x") == {"ok": True, "duplicate": True}
            message = await socket.event()
            assert (message["channel"], message["id"], message["content"]) == ("room", "m1", "x")
            c.call("CHAN.SUBSCRIBE", "room", "ann")
            c.call("CHAN.PUBLISH", "room", "m2", "y")
            receipt = c.call("CHAN.FETCH", "room", "ann")[1].decode()
            done = await socket.ask("ack", channel="room", subscriber="ann", receipt=receipt)
            assert done == {"ok": True, "acknowledged": 1}

    asyncio.run(run())


def test_messages_of_a_group_are_acknowledged(gateway, c):
    c.call("TWRITE", "jobs", "a", "1")
    c.call("TREAD", "jobs", 1, 1, "GROUP", "mail", "RETRY", 60_000, 0)

    async def run():
        async with connected(gateway) as socket:
            done = await socket.ask("ack", log="jobs", group="mail", offsets=[1, "5-9"])
            assert done == {"ok": True, "acknowledged": 1}

    asyncio.run(run())


def test_missing_messages_are_reported(gateway, c):
    c.call("TWRITE", "orders", "ENTRIES", "a", "1", "a", "2", "a", "3")

    async def run():
        async with connected(gateway) as socket:
            await socket.ask("follow", log="orders", **{"from": "1"})
            position = (await socket.event())["position"]
        c.call("TEVICT", "orders", 3)
        async with connected(gateway) as socket:
            await socket.ask("follow", log="orders", position=position)
            reset = await socket.event("reset")
            assert (reset["log"], reset["missing"]["reason"], reset["missing"]["from"]) == ("orders", "evicted", 2)

    asyncio.run(run())


@pytest.mark.parametrize("request_, code", [
    ({"type": "nothing"}, "invalid"), ({"type": "follow"}, "invalid"), ({"type": "follow", "log": "l", "from": "x"}, "invalid"),
    ({"type": "follow", "log": "l", "position": "x"}, "bad-position"), ({"type": "unfollow", "log": "l"}, "not-followed"),
    ({"type": "follow", "log": "l" * 20_000}, "invalid"), ({"type": "publish", "log": "l"}, "invalid"), ({"type": "publish", "channel": "c", "content": 1}, "invalid"),
    ({"type": "ack", "log": "l", "group": "g", "offsets": [1]}, "nogroup")])
def test_a_wrong_request_is_answered_and_ends_nothing(gateway, request_, code):
    async def run():
        async with connected(gateway) as socket:
            assert (await socket.ask(**request_))["error"]["code"] == code
            assert await socket.ask("ping") == {"ok": True}

    asyncio.run(run())


def test_a_text_that_is_no_object_is_answered(gateway):
    async def run():
        async with connected(gateway) as socket:
            await socket.raw.send("[1]")
            assert json.loads(await socket.raw.recv())["error"]["code"] == "invalid"
            pong = await socket.raw.ping()
            await asyncio.wait_for(pong, DEADLINE)

    asyncio.run(run())


def test_a_follow_that_the_server_refuses_is_over(gateway, c):
    c.call("CHAN.PUBLISH", "room", "m1", "x")

    async def run():
        async with connected(gateway) as first, connected(gateway) as second:
            for socket in (first, second):
                assert await socket.ask("follow", log="room", position="0") == {"ok": True}
                assert "WRONGTYPE" in (await socket.event("error"))["error"]
            assert (await second.ask("unfollow", log="room"))["error"]["code"] == "not-followed"
            assert await first.ask("ping") == {"ok": True}
            # The gateway has dropped the topic by now; a client that follows it again makes a new one.
            c.call("DEL", "room")
            assert await first.ask("follow", log="room", position="0") == {"ok": True}
            c.call("TWRITE", "room", "a", "1")
            assert (await first.event())["entry"] == 1

    asyncio.run(run())


def test_rules_hold_for_each_request(server):
    config = '[[allow]]\nto = "log"\npattern = "open"\nrights = ["read"]\nanonymous = true\n'

    async def run(gateway):
        async with connected(gateway) as socket:
            assert await socket.ask("follow", log="open") == {"ok": True}
            assert (await socket.ask("follow", log="other"))["error"]["code"] == "forbidden"
            assert (await socket.ask("publish", log="open", entry=1))["error"]["code"] == "forbidden"
            ack = await socket.ask("ack", log="open", group="g", offsets=[1])
            assert ack["error"]["code"] == "forbidden"

    with Gateway(server, config=config) as gateway:
        asyncio.run(run(gateway))


def test_rules_for_channels_hold_for_each_request(server, c):
    config = ('[[allow]]\nto = "channel"\nanonymous = true\n[[channel]]\npattern = "chat"\n')
    publish = {"message": "m1", "content": 1}

    async def run(gateway):
        async with connected(gateway) as socket:
            assert await socket.ask("follow", channel="chat") == {"ok": True}
            assert await socket.ask("publish", channel="chat", **publish) == {"ok": True, "clock": 1}
            for type, fields in (("follow", {}), ("publish", publish), ("ack", {"subscriber": "s", "receipt": "r"})):
                assert (await socket.ask(type, channel="other", **fields))["error"]["code"] == "invalid-channel"

    with Gateway(server, config=config) as gateway:
        asyncio.run(run(gateway))
    assert c.call("EXISTS", "other") == 0


def test_it_closes_with_1012_when_the_gateway_ends(server):
    async def run(gateway):
        async with connected(gateway) as socket:
            await socket.ask("ping")
            gateway.terminate()
            with pytest.raises(websockets.ConnectionClosed):
                await asyncio.wait_for(socket.raw.recv(), DEADLINE)
            assert socket.raw.close_code == 1012

    with Gateway(server) as gateway:
        asyncio.run(run(gateway))
        assert gateway.process.wait(60) == 0


# --- by bytes ---

def frame(opcode, payload=b"", fin=True, masked=True, rsv=0, length=None):
    size = len(payload) if length is None else length
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    mask = os.urandom(4) if masked else b""
    bit = 0x80 if masked else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size)
    body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)) if masked else payload
    return head + mask + body


PING = b'{"id":1,"type":"ping"}'

BROKEN = {
    "not masked": (frame(1, PING, masked=False), 1002),
    "a reserved bit": (frame(1, PING, rsv=4), 1002),
    "a reserved opcode": (frame(3, PING), 1002),
    "a long control frame": (frame(9, b"x" * 126), 1002),
    "a control frame in pieces": (frame(9, b"x", fin=False), 1002),
    "a continuation of nothing": (frame(0, b"x"), 1002),
    "a new message within another": (frame(1, b"a", fin=False) + frame(1, b"b"), 1002),
    "text that is not UTF-8": (frame(1, b"\xff\xfe"), 1007),
    "binary": (frame(2, b"x"), 1003),
    "too large": (frame(1, b"x", length=2 << 20), 1009),
    "larger than anything": (frame(1, b"", length=1 << 63), 1002),
    "too large in pieces": (frame(1, b"x" * 600_000, fin=False) + frame(0, b"x" * 600_000), 1009),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_frame_that_breaks_the_rules_closes_with_the_reason(gateway, name):
    sent, code = BROKEN[name]
    with raw_socket(gateway) as connection:
        connection.send(sent)
        got = connection.ends()
        assert got[0] == 0x88 and struct.unpack(">H", got[2:4])[0] == code, got[:20]
    assert gateway.get("/probe/readiness").status == 200


def test_a_message_in_pieces_and_single_bytes_is_one(gateway):
    with raw_socket(gateway) as connection:
        whole = frame(1, PING[:5], fin=False) + frame(9, b"hi") + frame(0, PING[5:10], fin=False) + frame(0, PING[10:])
        for i in range(len(whole)):
            connection.send(whole[i:i + 1])
        pong, answer = b"\x8a\x02hi", b'\x81\x12{"id":1,"ok":true}'
        got = b""
        while len(got) < len(pong + answer):
            got += connection.socket.recv(100)
        assert got in (pong + answer, answer + pong)


def next_frame(connection):
    """(opcode, payload) of the next frame, with less than 126 bytes. Nothing else may read from the socket."""
    def take(count):
        got = b""
        while len(got) < count:
            more = connection.socket.recv(count - len(got))
            assert more, "the gateway has ended the connection"
            got += more
        return got

    opcode, size = take(2)
    return opcode & 0x0f, take(size)


def closed_with(got):
    """The code of the close frame at the end of these bytes; the frame has a reason."""
    return struct.unpack(">H", got[got.rindex(b"\x88") + 2:][:2])[0]


def test_a_client_that_reads_no_answers_is_ended(server):
    ping = frame(1, b'{"type":"ping","id":"%s"}' % (b"x" * 500_000))
    with Gateway(server) as gateway, raw_socket(gateway) as connection:
        before = gateway.memory()
        for _ in range(150):
            connection.send(ping)
        wait_until(lambda: b"millrace_gateway_sockets 0\n" in gateway.get("/metrics").body, "the socket is ended")
        assert gateway.memory() - before < 32 << 20
        assert closed_with(connection.ends()) == 1013


def test_a_client_with_too_many_requests_in_flight_is_disconnected(server, c):
    with Gateway(server) as gateway, raw_socket(gateway) as connection:
        c.call("CLIENT", "PAUSE", 60_000, "WRITE")
        try:
            connection.send(frame(1, b'{"type":"publish","log":"l","entry":1}') * 2000)
            assert closed_with(connection.ends()) == 1013
        finally:
            c.call("CLIENT", "UNPAUSE")


def test_the_rate_counts_requests_of_a_socket(server):
    async def run(gateway):
        async with connected(gateway) as socket:
            answers = [await socket.ask("ping") for _ in range(40)]
            assert answers[0] == {"ok": True}
            assert "too-many-requests" in [answer["error"]["code"] for answer in answers if "error" in answer]

    with Gateway(server, "--set", "limits.requests_per_second=5") as gateway:
        asyncio.run(run(gateway))


def test_a_client_between_whose_messages_is_no_pause_stays(server):
    whole = frame(1, PING)
    # The third keep-alive since a message began ends the socket if the message is still incomplete. The test waits for
    # the first one, and then has two seconds for the rest. Four rounds have more than three keep-alives.
    with Gateway(server, "--set", "timeouts.keep_alive=1s") as gateway, raw_socket(gateway) as connection:
        connection.send(whole[:10])
        for _ in range(4):
            connection.send(whole[10:] + whole[:10])
            opcodes = {1: 0, 9: 0}
            while not all(opcodes.values()):
                opcodes[next_frame(connection)[0]] += 1


def test_a_close_is_answered(gateway):
    with raw_socket(gateway) as connection:
        connection.send(frame(8, struct.pack(">H", 1000)))
        assert connection.ends() == b"\x88\x02" + struct.pack(">H", 1000)


@pytest.mark.parametrize("change, status", [
    (("Upgrade: websocket\r\n", ""), 426), (("Version: 13", "Version: 8"), 426), ((KEY, "short"), 400), (("GET", "POST"), 405)])
def test_an_invalid_handshake_is_refused(gateway, change, status):
    with RawConnection(gateway.port) as connection:
        connection.send(HANDSHAKE.format(KEY).replace(*change))
        assert connection.status() == status


def test_a_page_of_another_host_cannot_connect(gateway):
    with RawConnection(gateway.port) as connection:
        connection.send(HANDSHAKE.format(KEY).replace("\r\n\r\n", "\r\nOrigin: https://evil.example\r\n\r\n"))
        assert connection.status() == 401


def test_sockets_that_go_away_leave_nothing(gateway, server):
    with raw_socket(gateway) as connection:
        connection.send(frame(1, b'{"id":1,"type":"follow","log":"l"}'))
        wait_until(lambda: b"millrace_gateway_sockets 1\n" in gateway.get("/metrics").body, "it is connected")
        server.wait_for_blocked(1)
    wait_until(lambda: b"millrace_gateway_sockets 0\n" in gateway.get("/metrics").body, "it is gone")
    server.wait_for_blocked(0)
