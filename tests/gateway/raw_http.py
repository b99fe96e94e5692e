"""Requests as bytes, for what no client would send."""

import base64
import contextlib
import socket

from server import DEADLINE

HANDSHAKE = ("GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
             "Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n")
KEY = base64.b64encode(b"0123456789abcdef").decode()


class RawConnection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self._unread = b""

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())

    def status(self):
        """Reads the next answer as a whole and returns its status; 0 if the connection ended instead."""
        status, _ = self.answer()
        return status

    def answer(self):
        """(status, body)"""
        while b"\r\n\r\n" not in self._unread:
            if not self._more():
                return 0, b""
        head, self._unread = self._unread.split(b"\r\n\r\n", 1)
        length = 0
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(self._unread) < length and self._more():
            pass
        body, self._unread = self._unread[:length], self._unread[length:]
        return int(head.split()[1]), body

    def ends(self):
        """Reads up to the end of the connection; returns what came."""
        while self._more():
            pass
        return self._unread

    def _more(self):
        try:
            got = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self._unread += got
        return bool(got)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@contextlib.contextmanager
def raw_socket(gateway, **headers):
    """A WebSocket after its handshake."""
    more = "".join(f"\r\n{name}: {value}" for name, value in headers.items())
    with RawConnection(gateway.port) as connection:
        connection.send(HANDSHAKE.format(KEY).replace("\r\n\r\n", more + "\r\n\r\n"))
        assert connection.status() == 101
        yield connection
