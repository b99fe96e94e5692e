"""How long a server is held: the processor time of the longest turn of its event loop, measured inside the server
(turn_clock.c). What one command or one turn of a timer takes is in it, and so is what the host does in the same turn.

It is processor time, so that other work of the machine does not count."""

import mmap
import pathlib
import resource
import select
import shutil
import socket
import struct
import subprocess
import tempfile

from measure import Server, encode

SOURCE = pathlib.Path(__file__).resolve().parent / "turn_clock.c"


def allow_connections(count):
    """Raises the limit of open files of this process and of those it starts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * count + 500
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


class ClockedServer(Server):
    """A server that measures its turns."""

    def __init__(self, **options):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="millrace-turns-"))
        library, shared = self._folder / "turn_clock.so", self._folder / "turns"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        shared.write_bytes(bytes(16))
        with open(shared, "r+b") as file:
            self._turns = mmap.mmap(file.fileno(), 16)
        super().__init__({"LD_PRELOAD": str(library), "MILLRACE_TURN_CLOCK": str(shared)}, **options)

    def stop(self):
        super().stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def longest_turn(self):
        """Nanoseconds, of the turns that have ended since forget_turns()."""
        return struct.unpack_from("q", self._turns)[0]

    def forget_turns(self):
        struct.pack_into("q", self._turns, 0, 0)


class Holds:
    """Use as a context manager, of a ClockedServer."""

    def __init__(self, server):
        self._server = server
        self._asking = socket.create_connection(("127.0.0.1", server.port))
        self._working = socket.create_connection(("127.0.0.1", server.port))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._asking.close()
        self._working.close()

    def worst_of(self, *words):
        """Milliseconds: the longest turn from sending this command to the first bytes of its answer."""
        worst = self.worst_until(lambda: self._has_answer(0), lambda: self._working.sendall(encode(*words)))
        answer = self._working.recv(1 << 20)
        if answer.startswith(b"-"):
            raise RuntimeError(answer.decode())
        # The rest of a long answer comes in parts.
        while self._has_answer(50):
            self._working.recv(1 << 20)
        return worst

    def worst_until(self, is_over, begin=lambda: None):
        """The longest turn from begin() until is_over() says so, while a client asks all the time."""
        self._end_turn()
        self._server.forget_turns()
        begin()
        while not is_over():
            self._ping()
        self._end_turn()
        return self._server.longest_turn() / 1e6

    def _end_turn(self):
        """Afterwards the turn that went on before has ended: an answer is sent at the end of a turn, so that the second
        question is read in a later turn than the first."""
        self._ping()
        self._ping()

    def _ping(self):
        self._asking.sendall(b"PING\r\n")
        self._asking.recv(64)

    def _has_answer(self, milliseconds):
        waiting = select.poll()
        waiting.register(self._working, select.POLLIN)
        return bool(waiting.poll(milliseconds))
