"""kill -9 under load for bench/gateway: two gateways in front of a server with an append-only file; listeners that
reconnect with the last id they got; and a writer that repeats, with the same key, every request without an answer."""

import http.client
import json
import socket
import threading
import time

from gateway_peers import Gateway, Server, request, wait_until

LOG = "/v1/logs/killed"
PATIENCE = 120
BETWEEN = 100  # messages from one kill to the next


class Writer(threading.Thread):
    """Writes 1, 2, 3, … until it is stopped, at any gateway that answers."""

    def __init__(self, gateways):
        super().__init__(daemon=True)
        self._gateways = gateways
        self.written = 0
        self.stopping = False

    def run(self):
        connection, attempt = None, 0
        while not self.stopping:
            number = self.written + 1
            try:
                if connection is None:
                    port = self._gateways[attempt % 2].port
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                connection.request("POST", LOG, str(number), {"Idempotency-Key": f"n{number}"})
                answer = connection.getresponse()
                answer.read()
                if answer.status == 201 or answer.status == 200:
                    self.written = number
                else:
                    time.sleep(0.02)  # 503: the server is down
            except (OSError, http.client.HTTPException):
                connection, attempt = None, attempt + 1
                time.sleep(0.02)


class Follower(threading.Thread):
    """Follows the log as EventSource does; `got` has the numbers in the order in which they came."""

    def __init__(self, gateways, first):
        super().__init__(daemon=True)
        self._gateways, self._turn = gateways, first
        self._last_id = None
        self._socket = None
        self.got = []
        self.stopping = False

    def run(self):
        while not self.stopping:
            try:
                self._follow(self._gateways[self._turn % 2].port)
            except OSError:
                time.sleep(0.02)
            self._turn += 1

    def _follow(self, port):
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as self._socket:
            resume = f"Last-Event-ID: {self._last_id}" if self._last_id else "X-First: yes"
            self._socket.sendall(request("GET", LOG + "?from=-", b"", "Accept: text/event-stream", resume))
            with self._socket.makefile("rb") as lines:
                data, identity = None, None
                for line in lines:
                    name, _, value = line.rstrip(b"\n").partition(b": ")
                    if name == b"id":
                        identity = value.decode()
                    elif name == b"data":
                        data = value
                    elif name == b"event":
                        raise RuntimeError(f"the stream says {line!r}")
                    elif line == b"\n":  # the event is complete: only now its id counts
                        self._last_id = identity or self._last_id
                        if data is not None:
                            self.got.append(json.loads(data)["entry"])
                        data, identity = None, None

    def stop(self):
        self.stopping = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # closed already


def kill_a_gateway(gateways, server, turn):
    one = gateways[turn % 2]
    one.kill()
    one.start()


def kill_the_server(gateways, server, turn):
    server.kill()
    server.come_back()


KILLS = {"a gateway": kill_a_gateway, "the server": kill_the_server}


def run(kill, followers, kills):
    """(missing messages, repeated messages), summed over all listeners."""
    with Server(appendonly="yes") as server, Gateway(server) as first, Gateway(server) as second:
        gateways = [first, second]
        writer = Writer(gateways)
        crowd = [Follower(gateways, number) for number in range(followers)]
        for thread in [*crowd, writer]:
            thread.start()
        for turn in range(kills):
            goal = writer.written + BETWEEN
            wait_until(lambda: writer.written >= goal, "messages are written", PATIENCE)
            kill(gateways, server, turn)
        goal = writer.written + BETWEEN
        wait_until(lambda: writer.written >= goal, "messages are written after the last kill", PATIENCE)
        writer.stopping = True
        writer.join(PATIENCE)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and any(not one.got or one.got[-1] < writer.written for one in crowd):
            time.sleep(0.05)
        for one in crowd:
            one.stop()
        wanted = set(range(1, writer.written + 1))
        lost = sum(len(wanted - set(one.got)) for one in crowd)
        twice = sum(len(one.got) - len(set(one.got)) for one in crowd)
        return lost, twice
