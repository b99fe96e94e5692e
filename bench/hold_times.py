"""How long a server is held: a client asks all the time, and the processor time of the server's main thread is measured
from one answer to the next. In between is what one command, or one turn of a timer, takes.

It is processor time, so that other work of the machine does not count."""

import collections
import pathlib
import re
import resource
import select
import socket

from measure import encode


def allow_connections(count):
    """Raises the limit of open files of this process and of those it starts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * count + 500
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


# Of the server's main thread: processor time in nanoseconds, and how often it has slept.
Moment = collections.namedtuple("Moment", "busy slept")


class Holds:
    """Use as a context manager."""

    def __init__(self, server):
        pid = server.client().info("server")["process_id"]
        self._task = pathlib.Path(f"/proc/{pid}/task/{pid}")
        self._asking = socket.create_connection(("127.0.0.1", server.port))
        self._working = socket.create_connection(("127.0.0.1", server.port))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._asking.close()
        self._working.close()

    def worst_of(self, *words):
        """Milliseconds: the longest hold from sending this command to the first bytes of its answer."""
        worst = self.worst_until(lambda: self._has_answer(0), lambda: self._working.sendall(encode(*words)))
        answer = self._working.recv(1 << 20)
        if answer.startswith(b"-"):
            raise RuntimeError(answer.decode())
        # The rest of a long answer comes in parts.
        while self._has_answer(50):
            self._working.recv(1 << 20)
        return worst

    def worst_until(self, is_over, begin=lambda: None):
        """The longest hold from begin() until is_over() says so."""
        worst, over = 0, False
        before = self._moment()
        begin()
        while not over:
            for ask in (is_over, self._ping):
                over = bool(ask()) or over
                now = self._moment()
                # If the server slept more than once, this program was late and the time is that of several turns: the
                # average of one counts.
                worst = max(worst, (now.busy - before.busy) / max(1, now.slept - before.slept))
                before = now
        return worst / 1e6

    def _ping(self):
        self._asking.sendall(b"PING\r\n")
        self._asking.recv(64)

    def _has_answer(self, milliseconds):
        waiting = select.poll()
        waiting.register(self._working, select.POLLIN)
        return bool(waiting.poll(milliseconds))

    def _moment(self):
        busy = int((self._task / "schedstat").read_text().split()[0])
        slept = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (self._task / "status").read_text(), re.MULTILINE)
        return Moment(busy, int(slept.group(1)))
