"""Starting and stopping a server."""

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
from typing import Any

import redis

MODULE_PATHS = ("/usr/lib/millrace/millrace.so", "/usr/local/lib/millrace/millrace.so")
_PATIENCE = 60.0  # seconds that a start may take


def _module() -> str:
    named = os.environ.get("MILLRACE_MODULE")
    found = named or next((path for path in MODULE_PATHS if pathlib.Path(path).exists()), None)
    if found is None:
        raise RuntimeError("millrace.so is not found: set MILLRACE_MODULE, or install the package millrace")
    return found


def _server() -> str:
    named = os.environ.get("MILLRACE_SERVER")
    found = named or shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        raise RuntimeError("neither redis-server nor valkey-server is in PATH: set MILLRACE_SERVER")
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class TestServer:
    """Use it as a context manager, or call stop()."""

    __test__ = False  # tells pytest that this is not a class of tests

    def __init__(self, **settings: object) -> None:
        """Settings are the server's own, with _ for -: appendonly="yes"."""
        self.directory = tempfile.mkdtemp(prefix="millrace-")
        self._settings: dict[str, object] = {"bind": "127.0.0.1", "save": '""', "appendonly": "no"}
        self._settings.update({name.replace("_", "-"): value for name, value in settings.items()})
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def client(self, **options: Any) -> Any:
        return redis.Redis(host="127.0.0.1", port=self.port, **options)

    def flush(self) -> None:
        """Stops the server and removes all its files."""
        with self.client() as client:
            client.flushall()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> TestServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self) -> None:
        for _ in range(10):  # another process may take the port first
            self.port = _free_port()
            lines = [f"{name} {value}" for name, value in self._settings.items()]
            lines += [f"port {self.port}", f"dir {self.directory}", f"loadmodule {_module()}"]
            pathlib.Path(self.directory, "server.conf").write_text("\n".join(lines) + "\n")
            with open(pathlib.Path(self.directory, "server.log"), "wb") as log:
                self._process = subprocess.Popen([_server(), "server.conf"], cwd=self.directory, stdout=log, stderr=log)
            if self._is_ready():
                return
        raise RuntimeError("the server does not start:\n" + pathlib.Path(self.directory, "server.log").read_text())

    def _is_ready(self) -> bool:
        assert self._process is not None
        end = time.monotonic() + _PATIENCE
        while self._process.poll() is None and time.monotonic() < end:
            try:
                with self.client() as client:
                    return int(client.info("server")["process_id"]) == self._process.pid
            except redis.ConnectionError:
                time.sleep(0.005)
        return False


def start_server(**settings: object) -> TestServer:
    return TestServer(**settings)
