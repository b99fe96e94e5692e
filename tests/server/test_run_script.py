"""./run in a fresh clone."""

import contextlib
import os
import signal
import socket
import subprocess

import pytest

from resp import Connection
from server import QUIET_PORTS, REPOSITORY, free_port, process_id, wait_until

pytestmark = pytest.mark.long

# Long, because ./run may have to build first.
BUILD_DEADLINE = 900


def refused(*options, **more):
    """The one line that a call prints which must fail at once."""
    done = subprocess.run([REPOSITORY / "run", *options], capture_output=True, text=True, timeout=60, **more)
    assert done.returncode != 0
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


class Running:
    """./run, until the with block ends; without the gateway, unless it is asked for."""

    def __init__(self, log, *options, gateway=False, **more):
        self._log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [REPOSITORY / "run", *([] if gateway else ["--no-gateway"]), *map(str, options)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                # A shell cannot trap a signal that was ignored when it started, and background processes start with
                # Ctrl-C ignored.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)

    def output(self):
        return self._log.read_text()

    def connect(self, port):
        """A connection, as soon as the server answers."""
        def connected():
            assert self.process.poll() is None, self.output()
            with contextlib.suppress(OSError):
                return Connection(port)

        try:
            return wait_until(connected, "./run starts a server", BUILD_DEADLINE)
        except AssertionError as failure:
            raise AssertionError(f"{failure}:\n{self.output()}") from failure

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # ./run may still be building, so the signal goes to the whole process group, which is ours.
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def port():
    return free_port(QUIET_PORTS)


@pytest.fixture
def taken_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.fixture
def data(tmp_path):
    return tmp_path / "a directory with spaces"


@pytest.fixture
def log(tmp_path):
    return tmp_path / "output"


def test_a_message_is_read_again_after_kill_9(port, data, log):
    with Running(log, "--port", port, "--dir", data) as running:
        with running.connect(port) as connection:
            assert connection.call("TWRITE", "events", "weather", "sunny") == 1
            before = connection.call("TREAD", "events", "1", "10")
            # While the host waits for the disk it delays writing to the AOF for up to two seconds, and a killed process
            # loses what it has not written.
            wait_until(lambda: b"\r\naof_buffer_length:0\r\n" in connection.call("INFO", "persistence"),
                       "the AOF is written")
        running.process.kill()
        running.process.wait()
    with Running(log, "--port", port, "--dir", data) as running, running.connect(port) as connection:
        wait_until(lambda: connection.call("INFO", "persistence").find(b"\nloading:0") >= 0, "the data is loaded")
        assert connection.call("TREAD", "events", "1", "10") == before


# Finding 2 of "Trying it": the README kills by this file, and not by a port that another server may have.
def test_the_file_with_its_process_id_names_the_server_it_started(port, data, log):
    with Running(log, "--port", port, "--dir", data) as running, running.connect(port) as connection:
        assert (data / "server.pid").read_text().strip() == str(process_id(connection)) == str(running.process.pid)


def test_it_prints_three_commands_that_work(port, data, log):
    with Running(log, "--port", port, "--dir", data) as running, running.connect(port) as connection:
        commands = [line.strip() for line in running.output().splitlines() if line.startswith("  ")]
        assert len(commands) == 3
        write, read, wait = commands
        assert all(f"-cli -p {port} T" in command for command in commands)
        assert subprocess.check_output(write, shell=True).strip() == b"1"
        assert b"celsius" in subprocess.check_output(read, shell=True)
        with subprocess.Popen(wait, shell=True, stdout=subprocess.PIPE) as waiting:
            wait_until(lambda: b"\nblocked_clients:1" in connection.call("INFO", "clients"), "the reader waits")
            connection.call("TWRITE", "events", "weather", "rain")
            assert b"rain" in waiting.communicate(timeout=30)[0]


def test_ctrl_c_stops_the_server_cleanly(port, data, log):
    with Running(log, "--port", port, "--dir", data) as running:
        with running.connect(port) as connection:
            # The host ignores the signal while it writes its first AOF.
            wait_until(lambda: b"\r\naof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0\r\n"
                       in connection.call("INFO", "persistence"), "the first AOF is written")
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(timeout=30) == 0
        assert "bye bye" in running.output()


def test_with_a_demo_ctrl_c_removes_its_keys_before_the_server_stops(port, data, log):
    with Running(log, "--port", port, "--dir", data, "--demo") as running:
        with running.connect(port) as connection:
            wait_until(lambda: "The shop is open" in running.output(), "the demo is played")
            assert connection.call("EXISTS", "demo:{shop}:orders") == 1
            wait_until(lambda: b"\r\naof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0\r\n"
                       in connection.call("INFO", "persistence"), "the first AOF is written")
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(timeout=60) == 0
        assert "keys removed" in running.output() and "bye bye" in running.output()
    with Running(log, "--port", port, "--dir", data) as running, running.connect(port) as connection:
        wait_until(lambda: connection.call("INFO", "persistence").find(b"\nloading:0") >= 0, "the data is loaded")
        assert connection.call("DBSIZE") == 0


def test_options_behind_two_dashes_go_to_the_server(port, data, log):
    with Running(log, "--port", port, "--dir", data, "--", "--maxmemory", "100mb", "--appendonly", "no") as running:
        with running.connect(port) as connection:
            assert connection.call("CONFIG", "GET", "maxmemory")[1] == b"104857600"
            assert connection.call("CONFIG", "GET", "appendonly")[1] == b"no"


def test_it_runs_from_any_directory_and_takes_dir_from_there(port, log, tmp_path):
    with Running(log, f"--port={port}", "--dir=here", cwd=tmp_path) as running, running.connect(port) as connection:
        assert connection.call("CONFIG", "GET", "dir")[1].decode() == str(tmp_path / "here")


def test_without_a_port_it_takes_a_free_one_and_says_which(data, log):
    with Running(log, "--dir", data) as running:
        said = wait_until(lambda: "listens on port " in running.output() and running.output(), "a port is named",
                          BUILD_DEADLINE)
        port = int(said.split("listens on port ")[1].split(",")[0].split(" ")[0])
        assert port >= 6379
        assert (port != 6379) == ("6379 is in use" in said)
        with running.connect(port) as connection:
            assert connection.call("CONFIG", "GET", "dir")[1].decode() == str(data)


def test_a_port_in_use_gets_one_clear_line(taken_port, data):
    assert refused("--port", str(taken_port), "--dir", str(data)) == f"run: port {taken_port} is in use"


@pytest.mark.parametrize("bad", ["abc", "0", "70000", "-1", "65536", "6379x", "99999999999999999999"])
def test_a_bad_port_gets_one_clear_line(bad):
    assert refused("--port", bad) == f"run: --port must be a number from 1 to 65535, not {bad}"


@pytest.mark.parametrize("options, line", [
    (["--port"], "run: --port needs a number; ./run --help shows the options"),
    (["--dir"], "run: --dir needs a directory; ./run --help shows the options"),
    (["--frob"], "run: unknown option --frob; ./run --help shows the options"),
    (["frob"], "run: unknown option frob; ./run --help shows the options"),
    (["--dir", "/dev/null/x"], "run: cannot write to the directory /dev/null/x"),
])
def test_bad_options_get_one_clear_line(options, line):
    assert refused(*options) == line


def test_two_servers_never_share_a_directory(port, data, log):
    with Running(log, "--port", port, "--dir", data) as running:
        running.connect(port).close()
        said = refused("--port", str(free_port(QUIET_PORTS)), "--dir", str(data))
        assert said == f"run: another server keeps its data in {data}; give this one its own with --dir"


def test_help_shows_the_options():
    shown = subprocess.check_output([REPOSITORY / "run", "--help"], text=True)
    assert all(option in shown for option in ("--port", "--dir", "--help", "-- "))


# --- machines that lack something: a PATH with only what the test puts there ---

@pytest.fixture
def machine(tmp_path):
    """Makes an environment whose PATH has the tools of a bare system and the scripts given."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in ("bash", "env", "dirname", "readlink", "mkdir", "flock", "cat", "sed"):
        (programs / tool).symlink_to(subprocess.check_output(["which", tool], text=True).strip())

    def make(**scripts):
        for name, script in scripts.items():
            program = programs / name.replace("_", "-").replace("gxx", "g++")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
        return {"PATH": str(programs)}

    return make


TO_BUILD = (
    "g++ cmake ninja-build make libboost-dev libcli11-dev libsodium-dev libhiredis-dev libre2-dev libsimdjson-dev "
    "libssl-dev libtomlplusplus-dev libwslay-dev libzstd-dev zlib1g-dev"
)


def test_without_rights_it_says_what_to_install(machine, data):
    said = refused("--dir", str(data), env=machine(id="echo 1000", apt_get="exit 1"))
    assert said == (
        "run: needs packages that only root may install; as root, run: apt-get update && apt-get install --yes "
        f"--no-install-recommends {TO_BUILD} redis-server")


def test_only_what_is_missing_is_named(machine, data):
    without_zlib = 'case "$(cat)" in *zlib*) exit 1 ;; esac'
    there = dict(id="echo 1000", apt_get="exit 1", gxx=without_zlib, cmake="exit 0", ninja="exit 0", make="exit 0")
    said = refused("--dir", str(data), env=machine(**there, valkey_server="exit 0", sudo="exit 1"))
    assert said.endswith("apt-get install --yes --no-install-recommends zlib1g-dev")


def test_without_apt_get_it_names_the_packages(machine, data):
    said = refused("--dir", str(data), env=machine(id="echo 0", redis_server="exit 0"))
    assert said == f"run: needs, and cannot install without apt-get: {TO_BUILD} (the names of Debian's packages)"


def test_a_compiler_that_is_too_old_is_named(machine, data):
    old = 'case "$*" in *-dump*) echo 11.4.0 ;; *c++23*) exit 1 ;; esac'
    there = dict(gxx=old, cmake="exit 0", ninja="exit 0", make="exit 0", redis_server="exit 0")
    said = refused("--dir", str(data), env=machine(**there))
    assert said.startswith("run: g++ 11.4.0 is too old, g++ 12 or later is needed")


def test_a_server_that_is_too_old_is_named(machine, data):
    there = dict(gxx="exit 0", cmake="exit 0", ninja="exit 0", make="exit 0",
                 redis_server="echo Redis server v=6.0.16 sha=0")
    said = refused("--dir", str(data), env=machine(**there))
    assert said.endswith("redis-server is version 6.0.16, but Redis 7.0 or Valkey 7.2 or later is needed")
