"""A real Sentinel that watches a master and its replicas."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile

from resp import Connection, RespError
from server import QUIET_PORTS, free_port, server_binary, wait_until


class Sentinel:
    """One sentinel, which is enough for a failover: the quorum is 1. The constructor returns when it knows this many
    replicas. It notices the end of the master after `down_after` milliseconds of silence: tests that do not wait for
    that give it more, so that a master that pauses stays the master. Use as a context manager."""

    def __init__(self, service, master, replicas=1, down_after=1000):
        self.directory = tempfile.mkdtemp(prefix="millrace-test-")
        self.port = free_port(QUIET_PORTS)
        config = pathlib.Path(self.directory) / "sentinel.conf"
        config.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.directory}\n"
            f"sentinel monitor {service} 127.0.0.1 {master.port} 1\n"
            f"sentinel down-after-milliseconds {service} {down_after}\n"
            f"sentinel failover-timeout {service} 5000\n")
        with open(pathlib.Path(self.directory) / "sentinel.log", "wb") as log:
            self._process = subprocess.Popen([server_binary(), str(config), "--sentinel"], stdout=log, stderr=log)
        try:
            wait_until(lambda: self._knows_replicas(service, replicas), "the sentinel knows the master and its replicas")
        except BaseException:
            self.stop()
            raise

    def _knows_replicas(self, service, count):
        try:
            return len(self.call("SENTINEL", "REPLICAS", service)) == count
        except OSError:
            return False

    def call(self, *words):
        with Connection(self.port) as connection:
            return connection.call(*words)

    def fail_over(self, service):
        """Begins a failover. A sentinel that has not looked at the replica yet has no replica to promote."""
        def begins():
            with contextlib.suppress(RespError):
                return self.call("SENTINEL", "FAILOVER", service)
            return None

        wait_until(begins, "the sentinel begins a failover")

    def stop(self):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
