"""Servers whose instructions callgrind counts."""

import os
import pathlib
import shutil
import subprocess

from measure import Pipe, Server, encode
from server import process_id, server_binary  # a module of the tests: measure puts their folder on the path

BENCH = pathlib.Path(__file__).resolve().parent


def is_missing():
    return shutil.which("callgrind_control") is None


def build_clock(folder):
    """The library with clocks that move by equal steps: counts do not depend on how slowly the server runs."""
    clock = folder / "step_clock.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", clock, BENCH / "step_clock.c"], check=True)
    return clock


def _watched(binary, folder):
    """The text of a program that runs this server under callgrind."""
    callgrind = f"exec valgrind --tool=callgrind --callgrind-out-file={folder}/out.%p --log-file={folder}/valgrind.log"
    path = pathlib.Path(shutil.which(binary) or binary)
    head = path.read_bytes()[:2]
    # A host of tests/hosts is a script that ends in exec.
    if head == b"#!":
        return path.read_text().replace("exec ", callgrind + " ", 1)
    return f'#!/bin/sh\n{callgrind} {path} "$@"\n'


class Counter:
    """A server that callgrind watches; module=None: without ours. `folder` is its own. Servers with the same seed have
    keys of the same name in the same places."""

    def __init__(self, module, folder, clock=None, seed=1):
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        wrapper = folder / "server"
        wrapper.write_text(_watched(server_binary(), folder))
        wrapper.chmod(0o755)
        environment = {"LD_PRELOAD": str(clock), "HASH_SEED": str(seed)} if clock else {}
        kept = {name: os.environ.get(name) for name in ("MILLRACE_SERVER", "MILLRACE_MODULE")}
        os.environ["MILLRACE_SERVER"] = str(wrapper)
        if module is not None:
            os.environ["MILLRACE_MODULE"] = str(module)
        try:
            self.server = Server(environment=environment, module=module is not None)
        finally:
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
        self._process = process_id(self.server.admin)

    def _control(self, flag):
        subprocess.run(["callgrind_control", flag, str(self._process)], check=True, capture_output=True)

    def begin(self):
        self._control("-z")

    def end(self):
        """The file with what was counted since begin()."""
        before = set(self._folder.glob("out.*"))
        self._control("-d")
        (file,) = set(self._folder.glob("out.*")) - before
        return file

    def count(self, before, counted):
        """The file with what these commands cost, after the others."""
        pipe = Pipe(self.server, 100)
        pipe.run(encode(*command) for command in before)
        self.begin()
        pipe.run(encode(*command) for command in counted)
        file = self.end()
        pipe.close()
        return file


def total(file):
    """All instructions of the process."""
    for line in file.read_text().splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1])
    raise SystemExit(f"no total in {file}")


def inclusive(file, function):
    """Instructions of a call of this function, with all that it calls."""
    calls, cost = calls_of(file, function)
    return cost / calls


def calls_of(file, function):
    """How often this function was called, and the instructions of these calls with all that they call."""
    names, calls, cost, is_it, cost_follows = {}, 0, 0, False, False
    for line in file.read_text().splitlines():
        if line.startswith("cfn="):
            number, _, name = line[4:].partition(" ")
            if name:
                names[number] = name
            is_it = names[number] == function
        elif line.startswith("fn="):
            number, _, name = line[3:].partition(" ")
            if name:
                names[number] = name
        elif line.startswith("calls=") and is_it:
            calls += int(line[6:].split()[0])
            cost_follows = True
        elif cost_follows:
            cost += int(line.split()[1])
            cost_follows = is_it = False
    if calls == 0:
        raise SystemExit(f"{function} was not called")
    return calls, cost
