"""The protocol itself: what is refused, and that a misbehaving client harms only itself."""

import contextlib
import resource
import select
import socket
import threading

import pytest

from gateway import Gateway
from length import at_length
from raw_http import HANDSHAKE, KEY, RawConnection
from server import DEADLINE, let_pass, wait_until

GET = "GET /probe/readiness HTTP/1.1\r\nHost: localhost\r\n"
POST = "POST /v1/logs/l HTTP/1.1\r\nHost: localhost\r\n"
STREAM = "GET /v1/logs/l HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
TCP_REPAIR = 19

SMUGGLED = {
    "a length and chunks": POST + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and a length": POST + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    "two lengths": POST + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "two equal lengths": POST + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
    "a list of lengths": POST + "Content-Length: 1, 1\r\n\r\na",
    "a signed length": POST + "Content-Length: +1\r\n\r\na",
    "a hexadecimal length": POST + "Content-Length: 0x1\r\n\r\na",
    "an endless length": POST + "Content-Length: 99999999999999999999\r\n\r\na",
    "an unknown encoding": POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "an encoding that is nearly chunked": POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "two encodings": POST + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a blank before a colon": POST + "Content-Length : 1\r\n\r\na",
    "a folded header": GET + "X: a\r\n b\r\n\r\n",
    "a tab that folds": GET + "X: a\r\n\tb\r\n\r\n",
    "a bare LF": "GET / HTTP/1.1\nHost: localhost\n\r\n\r\n",
    "a bare LF in a header": GET + "X: a\nY: b\r\n\r\n",
    "a bare CR": GET + "X: a\rY: b\r\n\r\n",
    "a NUL": GET + "X: a\0b\r\n\r\n",
    "a name with a control character": GET + "X\x01: a\r\n\r\n",
    "no name": GET + ": a\r\n\r\n",
    "no colon": GET + "X\r\n\r\n",
    "two hosts": GET + "Host: y\r\n\r\n",
    "no host": "GET / HTTP/1.1\r\n\r\n",
    "chunks in HTTP/1.0": "POST /v1/logs/l HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk size with a sign": POST + "Transfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n",
    "a chunk size with 0x": POST + "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
    "a chunk size without end": POST + "Transfer-Encoding: chunked\r\n\r\n" + "0" * 100 + "ffffffffffffffff1\r\n",
    "a chunk that ends with a bare LF": POST + "Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
    "a chunk that is longer than it says": POST + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
    "a chunk with an endless extension": POST + "Transfer-Encoding: chunked\r\n\r\n1;" + "x" * 20_000,
    "a target without a slash": "GET probe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a target with a half escape": "GET /%2 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a target with a NUL": "GET /v1/logs/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no version": "GET /\r\nHost: localhost\r\n\r\n",
    "an empty line first": "\r\n" + GET + "\r\n",
    "the bytes of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_a_request_with_two_readings_is_refused_and_ends_the_connection(gateway, c, name):
    with RawConnection(gateway.port) as connection:
        connection.send(SMUGGLED[name])
        connection.send(POST + "Content-Length: 1\r\n\r\n1")
        assert connection.status() == 400
        assert connection.ends() == b""
    assert c.call("EXISTS", "l") == 0


def test_another_version_is_505(gateway):
    with RawConnection(gateway.port) as connection:
        connection.send("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n")
        assert connection.status() in (400, 505)


def test_requests_of_one_connection_are_answered_in_their_order(gateway):
    with RawConnection(gateway.port) as connection:
        connection.send(GET + "\r\n" + "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" + GET + "Connection: close\r\n\r\n")
        assert [connection.status() for _ in range(3)] == [200, 404, 200]
        assert connection.ends() == b""


def test_thousands_of_requests_at_once_are_answered(gateway):
    with RawConnection(gateway.port) as connection:
        connection.send(b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3000)
        assert [connection.status() for _ in range(3000)] == [404] * 3000


def test_a_client_that_reads_no_answers_costs_little_and_gets_them_in_order(server):
    openapi, nothing = ("GET /openapi.json", 200), ("GET /nothing", 404)
    asked = [openapi if i % 3 == 0 or i % 7 == 0 else nothing for i in range(2_500)]
    # More bytes than the gateway and both sockets hold.
    padding = "X: " + "x" * 400
    unsent = memoryview(b"".join(f"{line} HTTP/1.1\r\nHost: localhost\r\n{padding}\r\n\r\n".encode() for line, _ in asked))
    with Gateway(server) as gateway, RawConnection(gateway.port) as connection:
        before = gateway.memory()
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 << 10)
        # Sends as much as possible without reading an answer.
        while unsent and select.select([], [connection.socket], [], 1)[1]:
            unsent = unsent[connection.socket.send(unsent[:10_000]):]
        assert unsent, "the gateway takes requests without an end"
        assert gateway.memory() - before < 32 << 20
        rest = threading.Thread(target=connection.send, args=(bytes(unsent),))
        rest.start()
        assert [connection.status() for _ in asked] == [status for _, status in asked]
        rest.join()
        assert gateway.memory() - before < 32 << 20


def test_a_client_that_has_closed_its_side_gets_the_answers_it_has_asked_for(gateway):
    with RawConnection(gateway.port) as connection:
        connection.send(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000)
        connection.socket.shutdown(socket.SHUT_WR)
        assert [connection.status() for _ in range(1000)] == [200] * 1000
        assert connection.ends() == b""


def test_a_request_in_single_bytes_is_one_request(gateway, c):
    with RawConnection(gateway.port) as connection:
        for byte in POST + "Transfer-Encoding: chunked\r\n\r\n3\r\n123\r\n2;x=y\r\n45\r\n0\r\nTrailer: x\r\n\r\n" + GET + "\r\n":
            connection.send(byte)
        assert [connection.status(), connection.status()] == [201, 200]
    assert c.call("TREAD", "l", 1, 1)[0][2] == b"12345"


def test_trailers_are_not_headers(gateway, c):
    with RawConnection(gateway.port) as connection:
        connection.send(POST + "Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\nMillrace-Tag: sneaked\r\n\r\n")
        assert connection.status() == 201
    assert c.call("TREAD", "l", 1, 1)[0][1] == b""


def test_http_1_0_and_half_closed_connections_are_answered(gateway):
    with RawConnection(gateway.port) as connection:
        connection.send("GET /probe/readiness HTTP/1.0\r\n\r\n")
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.status() == 200
        assert connection.ends() == b""


def test_a_client_that_waits_for_100_continue_gets_it(gateway, c):
    with RawConnection(gateway.port) as connection:
        connection.send(POST + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n")
        assert connection.status() == 100
        connection.send("1")
        assert connection.status() == 201


def test_head_is_get_without_a_body(gateway):
    answer = gateway.request("HEAD", "/probe/readiness")
    assert (answer.status, answer.body, answer.headers["Content-Length"]) == (200, b"", "16")


def test_headers_and_bodies_that_are_too_large_are_refused(gateway):
    with RawConnection(gateway.port) as connection:
        connection.send(GET + "X: " + "x" * 20_000)
        assert connection.status() == 431
    with RawConnection(gateway.port) as connection:
        connection.send(POST + "Content-Length: 1048577\r\n\r\n")
        assert connection.status() == 413
    with RawConnection(gateway.port) as connection:
        connection.send(POST + "Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(3):
            connection.send(b"80000\r\n" + b"x" * 0x80000 + b"\r\n")
        assert connection.status() == 413


QUICK = """
[timeouts]
head = "1500ms"
body = "1500ms"
idle = "1500ms"
write = "1500ms"
"""


@pytest.fixture
def quick(server):
    """A gateway with time-outs that are short, but leave a client the time to send a request."""
    with Gateway(server, config=QUICK) as gateway:
        yield gateway


def test_a_client_that_sends_a_byte_now_and_then_is_ended(quick):
    """The time-out is for the whole head, or the whole body, however many bytes have come."""
    for request in (GET + "X: " + "x" * 10_000, POST + "Content-Length: 10000\r\n\r\n" + "x" * 9000):
        head = 10 if request.startswith("GET") else len(request) - 9000
        with RawConnection(quick.port) as connection:
            connection.send(request[:head])
            for byte in request[head:]:
                let_pass(0.02)
                if select.select([connection.socket], [], [], 0)[0]:
                    break
                connection.send(byte)
            assert connection.status() == 408
            assert connection.ends() == b""


def test_a_connection_without_requests_is_ended(quick):
    with RawConnection(quick.port) as connection:
        assert connection.ends() == b""
    with RawConnection(quick.port) as connection:
        connection.send(GET + "\r\n")
        assert connection.status() == 200
        assert connection.ends() == b""


def test_a_stream_without_traffic_is_not_ended(quick, c):
    from events import Events

    with Events(quick, "/v1/logs/l") as stream:
        stream.wait_for_position()
        with RawConnection(quick.port) as other:
            other.ends()  # longer than any time-out
        c.call("TWRITE", "l", "a", "1")
        assert stream.take(1)[0]["offset"] == 1


def test_a_client_that_takes_nothing_is_ended(quick, c):
    from events import Events

    with Events(quick, "/v1/logs/l", receive_buffer=4096) as stream:
        stream.wait_for_position()
        for _ in range(100):
            c.call("TWRITE", "l", "a", "x" * 100_000)
        wait_until(lambda: b'millrace_gateway_streams 0\n' in quick.get("/metrics").body, "the stream is ended")


def test_beyond_the_limit_connections_are_refused_and_the_others_go_on(server):
    with Gateway(server, "--set", "limits.connections=3") as gateway:
        kept = [RawConnection(gateway.port) for _ in range(3)]
        kept[0].send(GET + "\r\n")
        assert kept[0].status() == 200
        with RawConnection(gateway.port) as refused:
            assert refused.ends() == b""
        kept[1].send(GET + "\r\n")
        assert kept[1].status() == 200
        kept.pop().close()
        wait_until(lambda: _is_served(gateway), "there is room again")
        for connection in kept:
            connection.close()


def _is_served(gateway):
    with RawConnection(gateway.port) as connection:
        try:
            connection.send(GET + "Connection: close\r\n\r\n")
            return connection.status() == 200
        except OSError:
            return False


def test_thousands_of_connections_of_every_kind_do_not_stop_others(server, c):
    """Idle connections, connections within a request, and streams: ./test --all has 10,000 of them."""
    count = at_length(10_000, 1_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count + 200:
        pytest.skip(f"ulimit -Hn is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 200), hard))
    begun = ["", GET, STREAM, HANDSHAKE.format(KEY)]
    with Gateway(server, "--set", "timeouts.head=10m") as gateway, contextlib.ExitStack() as stack:
        for number in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE))
            connection.sendall(begun[number % 4].encode())
            if number % 4 == 3:
                assert connection.recv(12) == b"HTTP/1.1 101"
        wait_until(lambda: b"millrace_gateway_connections %d\n" % (count + 1) in gateway.get("/metrics").body, "all are there")
        wait_until(lambda: b"millrace_gateway_streams %d\n" % (count // 4) in gateway.get("/metrics").body, "all are streams")
        assert gateway.json("POST", "/v1/logs/l", "1") == (201, {"offset": 1})
        assert gateway.json("GET", "/v1/logs/l?from=1")[1]["messages"][0]["entry"] == 1


@pytest.mark.parametrize("kind", ["stream", "socket"])
def test_a_connection_whose_other_side_vanished_is_closed(server, kind):
    """As after a power cut: the connection was not closed, and the other side does not answer."""
    with Gateway(server, "--set", "timeouts.keep_alive=200ms") as gateway, socket.socket() as connection:
        connection.connect(("127.0.0.1", gateway.port))
        connection.sendall((STREAM if kind == "stream" else HANDSHAKE.format(KEY)).encode())
        assert connection.recv(8) == b"HTTP/1.1"
        assert b"millrace_gateway_connections 2\n" in gateway.get("/metrics").body
        try:
            connection.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)  # closed in this mode, the socket sends no packet
        except OSError:
            pytest.skip("only root may close a connection without a word")
        connection.close()
        wait_until(lambda: b"millrace_gateway_connections 1\n" in gateway.get("/metrics").body, "the connection is over")


def test_while_it_ends_a_request_that_is_under_way_is_answered(server):
    with Gateway(server) as gateway:
        with RawConnection(gateway.port) as connection:
            connection.send(POST + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n")
            assert connection.status() == 100
            gateway.terminate()
            wait_until(lambda: "ends" in gateway.output(), "the gateway ends")
            connection.send("1")
            assert connection.status() == 201
            assert connection.ends() == b""
        assert gateway.process.wait(60) == 0


def test_readiness_fails_before_the_listening_ends(server):
    with Gateway(server, "--set", "timeouts.drain_notice=60s") as gateway:
        gateway.terminate()
        wait_until(lambda: gateway.get("/probe/readiness").status == 500, "readiness fails")
        gateway.terminate()  # a second signal ends it at once
        assert gateway.process.wait(60) == 0
