"""`millrace`, the tool, run by the tests as people run it."""

import os
import pathlib
import signal
import subprocess

from server import DEADLINE, REPOSITORY, wait_until

TOOL = os.environ.get("MILLRACE_TOOL", str(REPOSITORY / "build" / "millrace"))


def millrace(*words, input=b"", **more):
    """Runs the tool to its end. Input and output are bytes."""
    return subprocess.run([TOOL, *map(str, words)], input=input, capture_output=True, timeout=DEADLINE * 2, **more)


def load(server, *words, input=b"", status=0, **more):
    """millrace load into a server (or the port of one), which must end with this status."""
    port = getattr(server, "port", server)
    done = millrace("load", "--to", f"127.0.0.1:{port}", *words, input=input, **more)
    assert done.returncode == status, done.stderr.decode() + done.stdout.decode()
    return done


def counts(done):
    """The numbers sent, succeeded and failed of a summary."""
    words = done.stdout.decode().splitlines()[-1].replace(",", "").split()
    assert words[1::2][:3] == ["sent", "succeeded", "failed"], words
    return tuple(int(word) for word in words[0:6:2])


def number_in(checkpoint, name):
    """A number of a checkpoint; 0 before there is one."""
    if not checkpoint.exists():
        return 0
    return int(checkpoint.read_text().split(f"\n{name} ")[1].split("\n")[0])


def is_queueing(server):
    """Whether a client has queued commands of a transaction."""
    clients = server.admin.call("CLIENT", "LIST").decode()
    return any(f" multi={digit}" in clients for digit in range(1, 10))


def cut_connections(server):
    """Makes the server close the connections of all other clients."""
    server.admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")


class Running:
    """The tool while it runs, with what it writes in files."""

    def __init__(self, folder, *words, stdin=subprocess.DEVNULL):
        folder.mkdir(exist_ok=True)
        self._output, self._errors = folder / "stdout", folder / "stderr"
        with open(self._output, "wb") as output, open(self._errors, "wb") as errors:
            self.process = subprocess.Popen([TOOL, *map(str, words)], stdin=stdin, stdout=output, stderr=errors)

    def output(self):
        return self._output.read_text(errors="surrogateescape")

    def errors(self):
        return self._errors.read_text(errors="surrogateescape")

    def wait_for_output(self, text):
        wait_until(lambda: text in self.output() or self.process.poll() is not None, f"it prints {text!r}")
        assert text in self.output(), self.errors()

    def wait_for_errors(self, text):
        wait_until(lambda: text in self.errors() or self.process.poll() is not None, f"it tells {text!r}")
        assert text in self.errors(), self.errors()

    def wait_until_it_waits(self):
        """Waits until the tool waits for something: it sleeps, and is not only without processor time. REQUIRES:
        something keeps it from going on."""
        asleep = 0

        def sleeps():
            nonlocal asleep
            state = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            asleep = asleep + 1 if state == "S" else 0
            return asleep == 10

        wait_until(sleeps, "it waits")

    def write_input(self, lines):
        """Writes to its standard input. REQUIRES: that is a pipe; the tool reads it, or what it has not read yet and
        these lines fit into 64 KB."""
        self.process.stdin.write(lines)
        self.process.stdin.flush()

    def end_input(self, rest=b""):
        """Writes the rest of its standard input, and ends it. REQUIRES: as above."""
        self.write_input(rest)
        self.process.stdin.close()

    def interrupt(self):
        """Sends SIGINT, as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ends_with(self, status):
        self.process.wait(timeout=DEADLINE)
        assert self.process.returncode == status, self.errors() + self.output()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


# The input of loading(). A second run with the same checkpoint must name the same.
COMMANDS = ("--format", "commands", "-")


def loading(folder, server, *words):
    """millrace load into a server (or the URL of one) of the commands that the test writes with write_input(). Before
    end_input() the load does not come to its end, however long the test takes."""
    to = server if isinstance(server, str) else f":{server.port}"
    return Running(folder, "load", "--to", to, *words, *COMMANDS, stdin=subprocess.PIPE)
