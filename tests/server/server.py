"""A real server with the module loaded, started for a test and stopped after it.

Nothing here sleeps for a fixed time: wait_until() asks again until a condition holds or a
generous deadline has passed.
"""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import redis

from resp import Connection, RespError

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DEADLINE = 60


def module_path():
    return os.environ.get("MILLRACE_MODULE", str(REPOSITORY / "build" / "millrace.so"))


def server_binary():
    named = os.environ.get("MILLRACE_SERVER")
    found = named or shutil.which("redis-server") or shutil.which("valkey-server")
    if found is None:
        raise RuntimeError("neither redis-server nor valkey-server is installed; MILLRACE_SERVER can name one")
    return found


def settings_of_all_servers():
    """Those of MILLRACE_SETTINGS: "io-threads 4, hz 100"."""
    named = os.environ.get("MILLRACE_SETTINGS", "")
    return dict(setting.split(maxsplit=1) for setting in named.split(",") if setting.strip())


def wait_until(condition, what, deadline=DEADLINE):
    """Asks until condition() is true and returns what it returned. The longer it waits, the longer the pauses, up to
    10 ms: asking takes processor time from the tests that run beside."""
    began = time.monotonic()
    while True:
        answer = condition()
        if answer:
            return answer
        waited = time.monotonic() - began
        if waited > deadline:
            raise AssertionError(f"waited {deadline} seconds in vain: {what}")
        time.sleep(min(max(0.002, waited / 20), 0.01))


def let_pass(seconds):
    """Waits, for tests that something does not happen meanwhile."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(left)


# These ports, and the ports 10,000 above that cluster nodes also use, are below the range from which the system takes
# ports for outgoing connections: a server that is killed and restarted must find its port free.
PORTS = range(10_000, 22_000)
# For programs that are given a port, cannot try another one, and do not listen on it at once.
QUIET_PORTS = range(7_000, 10_000)


def free_port(ports=PORTS):
    """A port that nothing listens on. Another test may take it before the caller does: Server then tries another."""
    choice = random.SystemRandom()
    while True:
        port = choice.choice(ports)
        with contextlib.suppress(OSError), socket.socket() as probe, socket.socket() as bus:
            probe.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + 10_000))
            return port


def process_id(connection):
    """The process id of the server at the other end."""
    return int(connection.call("INFO", "server").split(b"\r\nprocess_id:")[1].split()[0])


def parent_of(process):
    with contextlib.suppress(OSError):
        return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def wait_until_same(one, other, *keys):
    """Waits until two servers hold the same. Timers run meanwhile, so the master may change between two questions."""
    wait_until(lambda: [one.digest(key) for key in keys] == [other.digest(key) for key in keys],
               f"both servers hold the same in {', '.join(keys)}")


class Server:
    """Starts when made. Use as a context manager, or call stop()."""

    DEFAULTS = {
        "bind": "127.0.0.1",
        "save": '""',
        "appendonly": "no",
        # By default the host delays writing the AOF by up to two seconds while it waits for the disk.
        "appendfsync": "always",
        "enable-debug-command": "yes",
        # Through a file: a replica that is loaded through a socket gets no writes in its first second.
        "repl-diskless-sync": "no",
    }

    def __init__(self, environment=None, module=True, **options):
        """Options are the server's settings with _ for -: appendonly="yes". `environment` is added to ours. With
        module=False it is an ordinary server."""
        self._module = module
        self._environment = {**os.environ, **(environment or {})}
        self.directory = tempfile.mkdtemp(prefix="millrace-test-")
        given = {name.replace("_", "-"): str(value) for name, value in options.items()}
        self.settings = {**self.DEFAULTS, **settings_of_all_servers(), **given}
        self.port = None
        self.patience = DEADLINE  # how long a start may take, with all that it loads
        self._process = None
        self._pool = None
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    # --- life ---

    def start(self):
        for _ in range(20):
            self.port = free_port()
            self._launch()
            if self._gets_ready():
                return
        raise RuntimeError("the server does not start:\n" + self.log()[-3000:])

    def _launch(self):
        lines = [f"{name} {value}" for name, value in self.settings.items()]
        lines += [f"port {self.port}", f"dir {self.directory}"]
        lines += [f"loadmodule {module_path()}"] if self._module else []
        (pathlib.Path(self.directory) / "server.conf").write_text("\n".join(lines) + "\n")
        with open(self._log_path(), "ab") as output:
            self._process = subprocess.Popen(
                [server_binary(), "server.conf"],
                cwd=self.directory,
                stdout=output,
                stderr=output,
                env=self._environment,
            )

    def _gets_ready(self):
        def looked():
            if self._process.poll() is not None:
                return "gone"
            try:
                with Connection(self.port) as connection:
                    connection.call("PING")
                    # Another test's server may have taken the port; then ours is about to fail.
                    return "ready" if self._is_ours(process_id(connection)) else None
            except (OSError, RespError):
                return None

        return wait_until(looked, "the server answers PING", self.patience) == "ready"

    def _is_ours(self, process):
        """Whether this is the process that was started, or a child of it: some are started by another program."""
        return self._process.pid in (process, parent_of(process))

    def is_alive(self):
        return self._process is not None and self._process.poll() is None

    def kill(self):
        """kill -9: nothing is saved, nothing is flushed."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self.forget_clients()

    def suspend(self):
        """Stops the process until resume(), and returns when it has stopped. The server does not notice."""
        self._process.send_signal(signal.SIGSTOP)
        wait_until(lambda: "\nState:\tT" in self._process_status(), "the process is stopped")

    def resume(self):
        self._process.send_signal(signal.SIGCONT)

    def shutdown(self, save):
        """Shuts the server down, with or without saving an RDB file."""
        # The host refuses to shut down while it writes its first AOF.
        wait_until(self._no_rewrite_left, "no rewrite is running")
        with Connection(self.port) as connection:
            connection.send("SHUTDOWN", "SAVE" if save else "NOSAVE")
            self._process.wait(timeout=DEADLINE)
        self.forget_clients()

    def restart(self):
        """Starts again on the same directory. REQUIRES: killed or shut down."""
        assert not self.is_alive()
        self.start()

    def come_back(self):
        """Starts again on the same port, for clients that wait there."""
        assert not self.is_alive()
        self._launch()
        assert self._gets_ready(), self.log()[-3000:]

    def stop(self):
        """Ends the process this object started, and no other, and removes its directory."""
        if self.is_alive() and "MILLRACE_COVERAGE" in os.environ:
            self._end_with_figures()
        if self.is_alive():
            self._process.kill()
            self._process.wait()
        self.forget_clients()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _end_with_figures(self):
        """For tools/coverage: a process that is killed does not write the record of the lines that it executed."""
        self.resume()
        self._process.terminate()
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # --- talking ---

    def connect(self, protocol=2):
        """A raw connection; the caller closes it."""
        return Connection(self.port, protocol)

    def client(self):
        """A redis-py client."""
        return redis.Redis(host="127.0.0.1", port=self.port)

    @property
    def admin(self):
        """A connection for questions beside the test's own traffic."""
        if self._pool is None:
            self._pool = Connection(self.port)
        return self._pool

    def forget_clients(self):
        """Forgets the connection of `admin`, which was cut; the next use opens a new one."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    # --- looking ---

    def log(self):
        return self._log_path().read_text(errors="replace")

    def _log_path(self):
        return pathlib.Path(self.directory) / "server.log"

    def info(self, section):
        lines = self.admin.call("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def counters(self):
        """What INFO millrace counts, by names without their prefix."""
        fields = self.info("millrace").items()
        return {name.removeprefix("millrace_"): int(value) for name, value in fields if value.isdecimal()}

    def counter(self, name):
        """A counter of INFO millrace."""
        return self.counters()[name]

    def digest(self, key):
        return self.admin.call("DEBUG", "DIGEST-VALUE", key)[0]

    def times_slept(self):
        """How often the process has gone to sleep voluntarily."""
        return int(self._process_status().split("\nvoluntary_ctxt_switches:")[1].split()[0])

    def _process_status(self):
        return pathlib.Path(f"/proc/{self._process.pid}/status").read_text()

    def wait_for_blocked(self, count):
        """Waits until exactly this many clients wait."""
        wait_until(lambda: self.info("clients")["blocked_clients"] == str(count), f"{count} clients are blocked")

    def waiting_clients(self):
        """The ids of the connections that wait."""
        lines = self.admin.call("CLIENT", "LIST").decode().splitlines()
        fields = [dict(field.split("=", 1) for field in line.split()) for line in lines]
        return [one["id"] for one in fields if "b" in one["flags"]]

    def changed_settings(self, **settings):
        """Changes settings for the length of a with block."""
        return _ChangedSettings(self.admin, {name.replace("_", "-"): value for name, value in settings.items()})

    # --- persistence and replication ---

    def rewrite_aof(self):
        """Rewrites the AOF and waits until that is done."""
        wait_until(self._no_rewrite_left, "no rewrite is running")
        self.admin.call("BGREWRITEAOF")
        wait_until(self._no_rewrite_left, "the rewrite is over")
        assert self.info("persistence")["aof_last_bgrewrite_status"] == "ok"

    def _no_rewrite_left(self):
        state = self.info("persistence")
        return state["aof_rewrite_in_progress"] == "0" and state["aof_rewrite_scheduled"] == "0"

    def replicate(self, master):
        """Becomes the master's replica and waits until the first copy is complete."""
        self.admin.call("REPLICAOF", "127.0.0.1", master.port)
        wait_until(lambda: self.info("replication").get("master_link_status") == "up", "the replica is attached")

    def wait_for_replica(self, replica):
        """Waits until the replica has everything that this server has sent."""
        sent = int(self.info("replication")["master_repl_offset"])
        wait_until(
            lambda: int(replica.info("replication").get("slave_repl_offset", -1)) >= sent, "the replica has caught up"
        )


class _ChangedSettings:
    def __init__(self, admin, settings):
        self._admin = admin
        self._settings = settings

    def __enter__(self):
        self._before = {name: self._admin.call("CONFIG", "GET", name)[1] for name in self._settings}
        for name, value in self._settings.items():
            self._admin.call("CONFIG", "SET", name, value)

    def __exit__(self, *_):
        for name, value in self._before.items():
            self._admin.call("CONFIG", "SET", name, value)
