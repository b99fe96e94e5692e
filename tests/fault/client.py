"""What the clients of all families have in common: each works on objects of its own until the server goes, and proves
afterwards that what was acknowledged to it is there."""

import threading

from books import now
from resp import RespError

# A server that comes up, that is a replica now, that sends its clients away, or that does not reach its cluster.
GONE = ("LOADING", "READONLY", "UNBLOCKED", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS")


class Unconfirmed(Exception):
    """What was done has an answer, but no replica has said that it has it."""


def is_transient(error):
    """Whether it says no more than that the server is not there, or not with its replica, for a while."""
    if isinstance(error, RespError):
        return str(error).split()[0] in GONE
    return isinstance(error, (OSError, Unconfirmed))


class Client:
    """One family's. A subclass has prepare(c), step(c), prove(c, promise) and finish(c).

    step() notes what it is about to do, does it, calls acknowledged(c), and only then writes it into its books: when
    the server goes in between, what was under way may have happened or not. prove() settles which, from what the server
    holds, and starts from there: it may be called with the server's books shorter than the client's, if the promise
    allows it, and begin again when it was interrupted. finish() works off what is left and reads everything once more.
    """

    def __init__(self, name, rng, books, confirm):
        self.name = name
        self.rng = rng
        self.books = books
        self._confirm = confirm  # (connection) -> whether what was just answered cannot be lost by a failover
        self._thread = None

    def acknowledged(self, c):
        """When the last answer counted. Raises Unconfirmed if it does not."""
        if not self._confirm(c):
            raise Unconfirmed
        self.books.count("operations")
        return now()

    def start(self, connect, is_over):
        """Works in a thread of its own on the connection that connect() makes."""
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
    """Of sizes that fill blocks unevenly."""
    return "x" * rng.choice([0, 1, 20, 100, 100, 500, 5000])
