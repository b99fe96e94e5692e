"""What every benchmark needs: its options, a server of its own, sending thousands of commands, the server's own
measurement of its time, and a table that compares our figures with the peer's."""

import argparse
import json
import os
import pathlib
import platform
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "server"))

from server import Server  # noqa: E402  (the tests' way to start a real server)


def options_parser(description):
    """A parser with the options that every benchmark has; give its `json` to Table."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the machine and each row to FILE too, a JSON object a line")
    return parser


def encode(*words):
    """A command encoded in the Redis protocol."""
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


def send(server, commands, depth=100):
    pipe = Pipe(server, depth)
    pipe.run(commands)
    pipe.close()


def server_time(server, commands, depth=16, name=None):
    """Microseconds of server time per call, for these commands only, by INFO commandstats."""
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
    """The smallest figure of each measurement. The measurements take turns, because the machine is shared."""
    figures = [[measure() for measure in measurements] for _ in range(rounds)]
    return [min(column) for column in zip(*figures)]


def describe_machine(server):
    """Prints where the figures come from and returns it: cpu, cores, kernel, host."""
    info = server.client().info("server")
    with open("/proc/cpuinfo", encoding="utf-8") as rows:
        model = next((row.split(":")[1].strip() for row in rows if row.startswith("model name")), "unknown")
    machine = {
        "cpu": model,
        "cores": os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release().split('-')[0]}",
        "host": f"Valkey {info['valkey_version']}" if "valkey_version" in info else f"Redis {info['redis_version']}",
    }
    print("machine: {cores} cores, {cpu}, {kernel}; host: {host}".format(**machine))
    return machine


class Table:
    """Rows of: what, the peer's figure, ours, the ratio and what it must be at most.

    A row that begins with spaces belongs to the last row that does not. If there is a file, the machine and each row
    are written to it as JSON, one object per line. The name of an indented row is then "row above / row", and must be
    unique.

    bench/history keeps the rows that can be compared from one day to the next ("kept"): ratios and amounts.
    """

    def __init__(self, machine, file=None):
        # Line buffered: a benchmark that ends early leaves what it has measured.
        self._file = open(file, "w", encoding="utf-8", buffering=1) if file else None
        self._above = ""
        self._names = set()
        self._write(machine)
        print(f"{'what':58} {'peer':>10} {'ours':>10} {'ratio':>7} {'limit':>6}")

    def heading(self, what):
        """A row without figures, for the rows below it."""
        self._above = what
        print(what, flush=True)

    def ratio(self, what, peer, ours, limit=None, kept=True):
        """`kept` is false for a ratio of single moments, which varies between runs."""
        ratio = ours / peer
        verdict = "" if limit is None or ratio <= limit else "  missed"
        shown = "" if limit is None else f"{limit:.2f}"
        print(f"{what:58} {peer:10.3f} {ours:10.3f} {ratio:7.3f} {shown:>6}{verdict}", flush=True)
        self._row(what, peer=peer, ours=ours, ratio=ratio, limit=limit, kept=kept)

    def amount(self, what, ours, limit=None):
        """An amount that does not depend on the speed of the machine: bytes, or a number of things. Less is better."""
        self._alone(what, ours, limit, kept=True)

    def figure(self, what, ours, limit=None):
        """A figure that depends on the machine or describes the input: times, rates, sizes of payloads."""
        self._alone(what, ours, limit, kept=False)

    def _alone(self, what, ours, limit, kept):
        verdict = "" if limit is None or ours <= limit else "  missed"
        shown = "" if limit is None else f"{limit:g}"
        print(f"{what:58} {'':10} {ours:10.3f} {'':7} {shown:>6}{verdict}", flush=True)
        self._row(what, ours=ours, limit=limit, kept=kept)

    def _row(self, what, **row):
        if what.startswith(" "):
            name = f"{self._above} / {what.strip()}"
        else:
            name = self._above = what
        if name in self._names:
            raise ValueError(f"two rows are called {name!r}")
        self._names.add(name)
        self._write({"name": name, **row})

    def _write(self, row):
        if self._file:
            print(json.dumps(row), file=self._file)
