"""Networks between a client and several servers that pass answers on only after all servers were asked. A client that
asks one server after the other waits for ever."""

import contextlib
import socket
import threading

from server import DEADLINE


class MeetingProxies:
    """A port for each server. The answers to `command` pass when every server has got the command. Use as a context
    manager."""

    def __init__(self, servers, command):
        self._word = b"\r\n" + command.encode() + b"\r\n"
        self._everybody = threading.Barrier(len(servers))
        self._met = threading.Event()
        self._listeners = [socket.create_server(("127.0.0.1", 0)) for _ in servers]
        self.ports = [listener.getsockname()[1] for listener in self._listeners]
        for listener, server in zip(self._listeners, servers):
            threading.Thread(target=self._accept, args=(listener, server), daemon=True).start()

    def _accept(self, listener, server):
        with contextlib.suppress(OSError):  # closed at the end
            while True:
                client, _ = listener.accept()
                there = socket.create_connection(("127.0.0.1", server.port))
                threading.Thread(target=self._requests, args=(client, there), daemon=True).start()
                threading.Thread(target=self._answers, args=(there, client), daemon=True).start()

    def _requests(self, client, server):
        with contextlib.suppress(OSError, threading.BrokenBarrierError):
            while data := client.recv(65536):
                if self._word in data and not self._met.is_set():
                    self._everybody.wait(DEADLINE)
                    self._met.set()
                server.sendall(data)
        for end in (client, server):
            end.close()

    @staticmethod
    def _answers(server, client):
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
        for end in (client, server):
            end.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._everybody.abort()
        for listener in self._listeners:
            listener.close()
