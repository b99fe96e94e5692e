"""What the clients of all families have in common: each works on objects of its own until the server fails, and then
checks that everything that was acknowledged to it is there."""

import threading

from books import now
from resp import RespError

# Errors of a server that is starting, has become a replica, disconnects its clients, or does not reach its cluster.
GONE = ("LOADING", "READONLY", "UNBLOCKED", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS")


class Unconfirmed(Exception):
    """A command was answered, but no replica has confirmed it."""


def is_transient(error):
    """Whether the error only means that the server, or its replica, is not available for a while."""
    if isinstance(error, RespError):
        return str(error).split()[0] in GONE
    return isinstance(error, (OSError, Unconfirmed))


class Client:
    """The client of one family. A subclass has prepare(c), step(c), prove(c, promise) and finish(c).

    step() records what it is about to do, does it, calls acknowledged(c), and only then records it as done: if the
    server fails in between, the command may have been executed or not. prove() finds out which from what the server
    holds, and corrects the client's records. If the promise allows it, the server may have lost some of what the client
    recorded. prove() can be called again after an interruption. finish() handles what is left and reads everything once
    more.
    """

    def __init__(self, name, rng, books, confirm):
        self.name = name
        self.rng = rng
        self.books = books
        self._confirm = confirm  # (connection) -> whether a failover cannot lose the last answer
        self._thread = None

    def acknowledged(self, c):
        """Returns the time from which the last answer counts. Raises Unconfirmed if it does not count."""
        if not self._confirm(c):
            raise Unconfirmed
        self.books.count("operations")
        return now()

    def start(self, connect, is_over):
        """Runs step() in a thread of its own, on the connection that connect() makes."""
        self._thread = threading.Thread(target=self._go_on, args=(connect, is_over), daemon=True)
        self._thread.start()

    def join(self):
        self._thread.join()

    def _go_on(self, connect, is_over):
        try:
            with connect() as c:
                while not is_over():
                    self.step(c)
        except Exception as error:
            if not is_transient(error):
                self.books.trouble(f"{self.name}: {error!r}")


def some_bytes(rng):
    """Random bytes, of sizes that fill blocks unevenly."""
    return "x" * rng.choice([0, 1, 20, 100, 100, 500, 5000])
