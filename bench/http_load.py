"""HTTP clients for bench/gateway: requests on connections that stay open, and listeners by the thousand."""

import select
import socket
import struct
import time

MARK = b"~"  # a byte that each message has once, and nothing else that a stream sends
PATIENCE = 60  # seconds without a single byte, after which a benchmark gives up
SO_TIMESTAMPNS = 35  # asks the system when a byte arrived, so that the speed of this program does not count


def request(method, target, body=b"", *headers):
    lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if body or method in ("PUT", "POST"):
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class Client:
    """A connection that stays open: send(), then answer() for each request that was sent."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unread = b""

    def send(self, words):
        self._socket.sendall(words)

    def answer(self):
        """(headers by lower-case name, body); fails unless the status is a success."""
        while b"\r\n\r\n" not in self._unread:
            self._more()
        head, self._unread = self._unread.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        while len(self._unread) < length:
            self._more()
        body, self._unread = self._unread[:length], self._unread[length:]
        if not 200 <= int(first.split()[1]) < 300:
            raise RuntimeError(f"{first}: {body[:200]}")
        return headers, body

    def ask(self, words):
        self.send(words)
        return self.answer()

    def _more(self):
        got = self._socket.recv(65536)
        if not got:
            raise RuntimeError("the connection was closed")
        self._unread += got

    def close(self):
        self._socket.close()


def exchange(clients, requests):
    """Sends a request on each of the clients, then reads their answers."""
    for client, words in zip(clients, requests):
        client.send(words)
    return [client.answer() for client, _ in zip(clients, requests)]


class Listeners:
    """Connections that only listen, each with a request of its own."""

    def __init__(self, port, requests, ready):
        """Returns when each of them has got the bytes `ready`."""
        self._poll = select.epoll()
        self._sockets = {}
        waiting = {}
        for words in requests:
            one = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            one.sendall(words)
            self._sockets[one.fileno()] = one
            self._poll.register(one.fileno(), select.EPOLLIN)
            waiting[one.fileno()] = b""
            if len(self._sockets) % 100 == 0:  # no more than a server's queue of new connections holds
                self._become_ready(waiting, ready)
        self._become_ready(waiting, ready)

    def _become_ready(self, waiting, ready):
        while waiting:
            for number in self._readable():
                known = number in waiting  # a stream that is ready may get more
                got = waiting.pop(number, b"") + self._bytes(self._sockets[number].recv(65536))
                if known and ready not in got:
                    waiting[number] = got

    def _readable(self):
        events = self._poll.poll(PATIENCE)
        if not events:
            raise RuntimeError(f"nothing came in {PATIENCE} seconds")
        return [number for number, _ in events]

    @staticmethod
    def _bytes(got):
        if not got:
            raise RuntimeError("a stream was closed")
        return got

    def wait(self, messages, sent=None):
        """Waits until all listeners together have got this many messages. If the time at which they were sent is given
        (time_ns), returns the milliseconds from then to each arrival."""
        delays = []
        while messages > 0:
            for number in self._readable():
                if sent is None:
                    messages -= self._bytes(self._sockets[number].recv(65536)).count(MARK)
                    continue
                got, notes, _, _ = self._sockets[number].recvmsg(65536, 64)
                count = self._bytes(got).count(MARK)
                messages -= count
                delays += [(arrival(notes) - sent) / 1e6] * count
        if messages < 0:
            raise RuntimeError("more messages came than were published")
        return delays

    def close(self):
        self._poll.close()
        for one in self._sockets.values():
            one.close()


def arrival(notes):
    """The arrival in nanoseconds since 1970; the present time if the system does not report it."""
    for level, kind, value in notes:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = struct.unpack("qq", value)
            return seconds * 1_000_000_000 + nanoseconds
    return time.time_ns()
