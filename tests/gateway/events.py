"""A stream of server-sent events, read as a browser reads it."""

import json
import socket
import time

from server import DEADLINE


class Events:
    """Opens the stream; use as a context manager."""

    def __init__(self, gateway, target, receive_buffer=None, **headers):
        self.last_id = None
        self.retry = None
        self._unread = b""
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(("127.0.0.1", gateway.port))
        lines = [f"GET {target} HTTP/1.1", "Host: localhost", "Accept: text/event-stream",
                 *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = self._until(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode()
        assert self.status == 200, head

    def _until(self, mark):
        while mark not in self._unread:
            got = self.socket.recv(65536)
            if not got:
                return None
            self._unread += got
        found, self._unread = self._unread.split(mark, 1)
        return found

    def next(self):
        """(event, decoded data) of the next event with data; None at the end of the stream."""
        # Keep-alive comments come for ever, so a time-out of the socket would never end the wait.
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            block = self._until(b"\n\n")
            if block is None:
                return None
            event, data = "message", []
            for line in block.decode().split("\n"):
                name, _, value = line.partition(": ")
                if name == "id":
                    self.last_id = value
                elif name == "event":
                    event = value
                elif name == "data":
                    data.append(value)
                elif name == "retry":
                    self.retry = int(value)
            if data:
                return event, json.loads("\n".join(data))
        raise TimeoutError(f"no event came in {DEADLINE} seconds, and the stream did not end")

    def take(self, count):
        return [self.next()[1] for _ in range(count)]

    def wait_for_position(self):
        """Waits until the stream has reported its position: everything that is written from now on comes."""
        while self.last_id is None:
            block = self._until(b"\n\n")
            assert block is not None, "the stream ended"
            if block.startswith(b"id: "):
                self.last_id = block.decode().split("\n")[0][4:]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
