"""A network between a client and a server that loses answers: the server executes a command, and the client does not
get the answer."""

import contextlib
import socket
import threading


class LossyProxy:
    """Listens on a port of its own and passes everything on. Use as a context manager."""

    def __init__(self, server):
        self._server_port = server.port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._pairs = []  # (client's side, server's side), open ones
        self._doomed = set()  # server's sides whose next answer is lost
        self._lose = None
        self.accepted = 0  # connections so far
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_answer_of(self, command):
        """The next time this command comes, the connection is closed instead of answered. REQUIRES: the command is not
        pipelined."""
        self._lose = b"\r\n" + command.encode() + b"\r\n"

    @property
    def loses_none(self):
        """Whether the command whose answer is lost has come, or there is none."""
        return self._lose is None

    def cut(self):
        """Closes every connection there is; new ones are accepted."""
        with self._lock:
            pairs = list(self._pairs)
        for pair in pairs:
            self._close(pair)

    def _accept(self):
        with contextlib.suppress(OSError):  # closed at the end
            while True:
                client, _ = self._listener.accept()
                self.accepted += 1
                try:
                    pair = (client, socket.create_connection(("127.0.0.1", self._server_port)))
                except OSError:  # the server is down, so the client's connection is closed
                    client.close()
                    continue
                with self._lock:
                    self._pairs.append(pair)
                threading.Thread(target=self._requests, args=(pair,), daemon=True).start()
                threading.Thread(target=self._answers, args=(pair,), daemon=True).start()

    def _requests(self, pair):
        client, server = pair
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if self._loses_answer_of(data, server):
                    with self._lock:
                        self._doomed.add(server)
                server.sendall(data)
        self._close(pair)

    def _loses_answer_of(self, data, server):
        with self._lock:
            if self._lose is None or self._lose not in data:
                return False
            self._lose = None
            return True

    def _hold_answer(self, server):
        """Called before each piece of an answer from this side; a subclass may delay it here."""

    def _answers(self, pair):
        client, server = pair
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                with self._lock:
                    if server in self._doomed:
                        break
                self._hold_answer(server)
                client.sendall(data)
        self._close(pair)

    def _close(self, pair):
        with self._lock:
            if pair in self._pairs:
                self._pairs.remove(pair)
            self._doomed.discard(pair[1])
        for side in pair:
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)  # close() alone would not wake the reading thread
            side.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
