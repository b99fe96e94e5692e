"""Thousands of gateway clients in one thread. Each follows a log or a channel, by server-sent events or by a WebSocket.
When its connection ends it reconnects to any gateway, with the last position that it got.

The messages of a key are the numbers 1, 2, 3, …, so a stream finds missing and repeated messages by remembering only
the last one.
"""

import contextlib
import errno
import json
import random
import select
import socket
import struct
import threading

from books import now
from raw_http import HANDSHAKE, KEY

PAUSE = 0.05  # seconds before a client comes back
CONNECTING_AT_ONCE = 200  # at most the size of a server's queue of new connections
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Stream:
    """One client: request() is what it sends first, take() is called with the bytes that it receives."""

    def __init__(self, kind, key, may_be_put_back=False):
        self.kind, self.key = kind, key  # "logs" or "channels", and its name
        self.may_be_put_back = may_be_put_back
        self.put_back = 0
        self.position = None  # position of the last message
        self.last = 0  # the number in the last message
        self.wrong = []  # ("lost" or "twice" or "told", sentence)
        self.connection = None
        self._unread = b""
        self._has_begun = False

    def begin(self, connection):
        self.connection = connection
        self._unread = b""
        self._has_begun = False
        connection.send(self.request())

    def take(self, got):
        """Returns false if the gateway cannot serve the stream now, and the client must reconnect."""
        self._unread += got
        if not self._has_begun:
            head, found, rest = self._unread.partition(b"\r\n\r\n")
            if not found:
                return True
            if head.split()[1] not in (b"200", b"101"):
                return False
            self._has_begun, self._unread = True, rest
            self.greet()
        return self.take_events()

    def greet(self):
        """Called once the connection is open; a subclass may send something."""

    def got(self, number, position):
        if number <= self.last:
            self.wrong.append(("twice", f"{self.key}: {number} came after {self.last}"))
        elif number != self.last + 1:
            self.wrong.append(("lost", f"{self.key}: {number} came after {self.last}"))
        self.last, self.position = max(number, self.last), position

    def told(self, event, missing=None, position=None):
        """Called for an event that reports a gap. Faults cause none, but a master may take its last messages with it:
        then the stream goes on from what is left."""
        reason = missing["reason"] if missing else None
        if self.may_be_put_back and reason in ("lost", "replaced"):
            self.last, self.position = (missing["from"] - 1 if reason == "lost" else 0), position
            self.put_back += 1
        else:
            self.wrong.append(("told", f"{self.key}: after {self.last} the stream says {event}"))


class EventStream(Stream):
    def request(self):
        lines = [f"GET /v1/{self.kind}/{self.key}?from=- HTTP/1.1", "Host: localhost", "Accept: text/event-stream"]
        lines += [f"Last-Event-ID: {self.position}"] if self.position else []
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def take_events(self):
        *events, self._unread = self._unread.split(b"\n\n")
        for event in events:
            fields = dict(line.split(b": ", 1) for line in event.split(b"\n") if b": " in line)
            if fields.get(b"event") == b"reset":
                self.told(event, json.loads(fields[b"data"]), fields[b"id"].decode())
            elif b"event" in fields:
                self.told(event)
            elif b"data" in fields:
                message = json.loads(fields[b"data"])
                self.got(message["entry" if self.kind == "logs" else "content"], fields[b"id"].decode())
        return True


class SocketStream(Stream):
    def request(self):
        return HANDSHAKE.format(KEY).encode()

    def greet(self):
        place = {"position": self.position} if self.position else {"from": "-"}
        self._send(TEXT, json.dumps({"id": 1, "type": "follow", self.kind[:-1]: self.key, **place}).encode())

    def _send(self, opcode, payload):
        # A mask of zeroes is a valid mask.
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else struct.pack("!BH", 0xFE, len(payload))
        self.connection.send(bytes([0x80 | opcode]) + length + bytes(4) + payload)

    def take_events(self):
        while (frame := self._next_frame()) is not None:
            opcode, payload = frame
            if opcode == PING:
                self._send(PONG, payload)
            elif opcode == CLOSE:
                return False
            elif opcode == TEXT:
                self._take_text(json.loads(payload))
        return True

    def _next_frame(self):
        if len(self._unread) < 2:
            return None
        size, begin = self._unread[1] & 0x7F, 2
        if size >= 126:
            begin = 4 if size == 126 else 10
            if len(self._unread) < begin:
                return None
            size = int.from_bytes(self._unread[2:begin], "big")
        if len(self._unread) < begin + size:
            return None
        frame = self._unread[0] & 0x0F, self._unread[begin:begin + size]
        self._unread = self._unread[begin + size:]
        return frame

    def _take_text(self, text):
        if text.get("event") == "message":
            self.got(text["entry" if self.kind == "logs" else "content"], text["position"])
        elif text.get("event") != "position" and not text.get("ok"):
            self.told(text, text.get("missing"), text.get("position"))


class Streams(threading.Thread):
    """Keeps streams connected until stop(). `ports` are those of the gateways, one of which may be down."""

    def __init__(self, streams, ports, seed):
        super().__init__(daemon=True)
        self.streams = streams
        self.reconnections = -len(streams)  # the first connection of each is not a reconnection
        self.failure = None
        self._ports = ports
        self._rng = random.Random(seed)
        self._poll = select.epoll()
        self._by_number = {}
        self._away = [(0.0, stream) for stream in streams]  # (when it reconnects, stream), in this order
        self._stops = False

    def run(self):
        try:
            while not self._stops:
                self._bring_back()
                for number, events in self._poll.poll(PAUSE / 5):
                    self._serve(number, events)
        except Exception as error:
            self.failure = error
        finally:
            for connection, _ in self._by_number.values():
                connection.close()
            self._poll.close()

    def stop(self):
        self._stops = True
        self.join()

    def connected(self):
        return len(self._by_number)

    def _bring_back(self):
        began = 0
        while self._away and self._away[0][0] <= now() and began < CONNECTING_AT_ONCE:
            _, stream = self._away.pop(0)
            began += 1
            connection = socket.socket()
            try:
                connection.connect(("127.0.0.1", self._rng.choice(self._ports)))
                connection.setblocking(False)
                stream.begin(connection)
            except OSError:
                connection.close()
                self._away.append((now() + PAUSE, stream))
                continue
            self.reconnections += 1
            self._by_number[connection.fileno()] = connection, stream
            self._poll.register(connection.fileno(), select.EPOLLIN)

    def _serve(self, number, events):
        connection, stream = self._by_number[number]
        try:
            got = connection.recv(1 << 18)
            goes_on = got and stream.take(got)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno not in (errno.ECONNRESET, errno.EPIPE):
                raise
            goes_on = False
        if goes_on:
            return
        with contextlib.suppress(OSError):
            self._poll.unregister(number)
        del self._by_number[number]
        connection.close()
        self._away.append((now() + PAUSE, stream))
