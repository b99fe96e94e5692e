"""A receiver of webhooks: an HTTP server on 127.0.0.1 that keeps what it gets, and answers as a test wants it to."""

import http.server
import json
import ssl
import threading
from collections import namedtuple

from server import wait_until

Hook = namedtuple("Hook", "path headers body")


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        hook = Hook(self.path, dict(self.headers), body)
        status, headers = self.server.receiver.take(hook)
        if status is None:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        """A connection that ended because the deliverer was killed is not an error."""


class Receiver:
    """`answer(hook)` returns a status, or (status, headers), or None to close the connection without an answer."""

    def __init__(self, answer=lambda hook: 204, port=0, certificate=None):
        self.answer = answer
        self.got = []
        self.at_once = 0  # the largest number of requests at the same time
        self._open = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.receiver = self
        self.port = self._server.server_port
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def take(self, hook):
        with self._lock:
            self.got.append(hook)
            self._open += 1
            self.at_once = max(self.at_once, self._open)
        answer = self.answer(hook)
        with self._lock:
            self._open -= 1
        return answer if isinstance(answer, tuple) else (answer, {})

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def bodies(self):
        return [json.loads(hook.body) for hook in list(self.got)]

    def wait_for(self, count):
        wait_until(lambda: len(self.got) >= count, f"{count} requests have come")
        return self.bodies()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
