"""`millrace serve`, started for a test and stopped after it."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
from collections import namedtuple

import pytest

from server import DEADLINE, wait_until
from tool import TOOL

Answer = namedtuple("Answer", "status headers body")
LISTENS = re.compile(r"listens at (https?)://127\.0\.0\.1:(\d+)")


class Gateway:
    """Starts when made. Use as a context manager, or call stop()."""

    def __init__(self, server, *words, config="", threads=1, port=0):
        """`server` is one of tests/server, or an address; `config` the text of a configuration file. A gateway that is
        killed and started again needs a `port` of QUIET_PORTS: the system may give others to outgoing connections."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="millrace-gateway-"))
        self._to = server if isinstance(server, str) else f"127.0.0.1:{server.port}"
        self._words = list(words)
        (self.folder / "gateway.toml").write_text(f"threads = {threads}\n{config}")
        self.port = port
        self.process = None
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        """Starts it, again on the same port if it had one."""
        words = [TOOL, "serve", "--to", self._to, "--listen", f"127.0.0.1:{self.port}",
                 "--config", str(self.folder / "gateway.toml"), *map(str, self._words)]
        (self.folder / "output").write_text("")
        with open(self.folder / "output", "wb") as output:
            self.process = subprocess.Popen(words, stdout=output, stderr=output)
        wait_until(lambda: LISTENS.search(self.output()) or self.process.poll() is not None, "the gateway listens")
        found = LISTENS.search(self.output())
        assert found, self.output()
        self.port = int(found[2])

    def output(self):
        return (self.folder / "output").read_text(errors="replace")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        """Asks it to shut down; wait for that by `process`."""
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # --- requests ---

    def request(self, method, target, body=None, headers=None):
        """One request on a connection of its own; the answer as a whole."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)) as connection:
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())

    def get(self, target, **headers):
        return self.request("GET", target, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def json(self, method, target, body=None, headers=None):
        """(status, body as a value)"""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        answer = self.request(method, target, body, headers)
        return answer.status, json.loads(answer.body) if answer.body else None

    def sockets(self):
        """The number of sockets that the process has."""
        def is_socket(link):
            try:
                return os.readlink(link).startswith("socket:")
            except FileNotFoundError:  # closed after it was listed
                return False

        return sum(map(is_socket, pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def memory(self):
        """Bytes of the process that are in memory."""
        if "MILLRACE_SANITIZED" in os.environ:
            pytest.skip("sanitizers keep freed memory")
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024
