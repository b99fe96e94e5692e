"""A network between a client and a server that does harm: it swallows answers, delays, cuts, and goes silent."""

import collections
import contextlib
import pathlib
import socket
import sys
import threading
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

from lossy_proxy import LossyProxy


class FaultProxy(LossyProxy):
    """Harm is counted, so that a test can tell that it was done. Use as a context manager."""

    def __init__(self, port):
        self.swallowed = collections.Counter()  # answers that were lost, by command
        self.accepted = 0  # connections so far
        self._losing = {}  # command -> how many more times, each after how many passed
        self._delay = 0.0
        self._silent = False
        self._voice = threading.Condition()
        super().__init__(collections.namedtuple("Target", "port")(port))

    def redirect(self, port):
        """New connections go to another server."""
        self._server_port = port

    def swallow(self, command, times=1, every=1):
        """The answer of every n-th such command is lost, so many times: the connection is closed in its place."""
        with self._lock:
            self._losing[f"\r\n{command}\r\n".encode()] = [times, every, 0]

    def delay(self, seconds):
        """Each answer comes so much later."""
        self._delay = seconds

    @contextlib.contextmanager
    def silence(self):
        """Nothing arrives, in neither direction, and nothing is closed."""
        self._silent = True
        try:
            yield
        finally:
            with self._voice:
                self._silent = False
                self._voice.notify_all()

    def _pass(self):
        with self._voice:
            self._voice.wait_for(lambda: not self._silent, 60)

    def _requests(self, pair):
        client, server = pair
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                self._pass()
                with self._lock:
                    for command, state in self._losing.items():
                        if command in data and state[0] > 0:
                            state[2] += 1
                            if state[2] % state[1] == 0:
                                state[0] -= 1
                                self._doomed.add(server)
                                self.swallowed[command.decode().strip()] += 1
                server.sendall(data)
        self._close(pair)

    def _answers(self, pair):
        client, server = pair
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                with self._lock:
                    if server in self._doomed:
                        break
                if self._delay:
                    time.sleep(self._delay)
                self._pass()
                client.sendall(data)
        self._close(pair)

    def _accept(self):
        with contextlib.suppress(OSError):  # closed at the end
            while True:
                client, _ = self._listener.accept()
                self.accepted += 1
                try:
                    server = socket.create_connection(("127.0.0.1", self._server_port))
                except OSError:  # it is away: so is the client's connection
                    client.close()
                    continue
                pair = (client, server)
                with self._lock:
                    self._pairs.append(pair)
                threading.Thread(target=self._requests, args=(pair,), daemon=True).start()
                threading.Thread(target=self._answers, args=(pair,), daemon=True).start()
