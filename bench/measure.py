"""What every benchmark needs: a server of its own, commands sent by the thousand, the
server's own account of its time, and a table of ours beside the peer's."""

import os
import pathlib
import platform
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "server"))

from server import Server  # noqa: E402  (the tests' way to start a real server)


def encode(*words):
    """A command as the protocol wants it."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        word = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


class Pipe:
    """Sends commands `depth` at a time and reads their replies without keeping them."""

    def __init__(self, server, depth):
        self._socket = socket.create_connection(("127.0.0.1", server.port))
        self._input = self._socket.makefile("rb", buffering=1 << 20)
        self._depth = depth

    def run(self, commands):
        batch = []
        for command in commands:
            batch.append(command)
            if len(batch) == self._depth:
                self.exchange(b"".join(batch), len(batch))
                batch = []
        if batch:
            self.exchange(b"".join(batch), len(batch))

    def exchange(self, commands, count):
        """Sends `count` commands at once and reads their replies."""
        self._socket.sendall(commands)
        for _ in range(count):
            self._skip_reply()

    def _skip_reply(self):
        left = 1
        while left:
            line = self._input.readline()
            left -= 1
            kind = line[:1]
            if kind == b"*":
                left += max(int(line[1:]), 0)
            elif kind == b"$":
                size = int(line[1:])
                if size >= 0:
                    self._input.read(size + 2)
            elif kind == b"-":
                raise RuntimeError(line.decode())

    def close(self):
        self._input.close()
        self._socket.close()


def server_time(server, commands, depth=16, name=None):
    """Microseconds of server time a call, over these commands alone, by INFO commandstats."""
    client = server.client()
    client.config_resetstat()
    pipe = Pipe(server, depth)
    pipe.run(commands)
    pipe.close()
    rows = client.info("commandstats")
    found = {key.removeprefix("cmdstat_").lower(): row for key, row in rows.items()}
    row = found[name.lower()]
    return row["usec"] / row["calls"]


def best_of(rounds, *measurements):
    """The smallest figure of each measurement; they take turns, for the machine is shared."""
    figures = [[measure() for measure in measurements] for _ in range(rounds)]
    return [min(column) for column in zip(*figures)]


def describe_machine(server):
    info = server.client().info("server")
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
    host = info.get("valkey_version") and f"Valkey {info['valkey_version']}" or f"Redis {info['redis_version']}"
    print(f"machine: {os.cpu_count()} cores, {model}, {platform.system()} {platform.release().split('-')[0]}; host: {host}")


class Table:
    """Rows of: what, the peer's figure, ours, the ratio and what it must be at most."""

    def __init__(self):
        print(f"{'what':58} {'peer':>10} {'ours':>10} {'ratio':>7} {'limit':>6}")

    def ratio(self, what, peer, ours, limit=None):
        ratio = ours / peer
        verdict = "" if limit is None else ("" if ratio <= limit else "  missed")
        shown = "" if limit is None else f"{limit:.2f}"
        print(f"{what:58} {peer:10.3f} {ours:10.3f} {ratio:7.3f} {shown:>6}{verdict}", flush=True)

    def figure(self, what, ours, limit=None):
        verdict = "" if limit is None or ours <= limit else "  missed"
        shown = "" if limit is None else f"{limit:g}"
        print(f"{what:58} {'':10} {ours:10.3f} {'':7} {shown:>6}{verdict}", flush=True)
