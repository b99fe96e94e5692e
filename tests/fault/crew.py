"""A client for each family, at work on one server after another."""

import random

from books import EVERYTHING, now
from channel_client import ChannelClient
from client import is_transient
from fact_client import FactClient
from feed_client import FeedClient
from group_client import GroupClient
from index_client import IndexClient
from later_client import LaterClient
from lock_client import LockClient
from log_client import LogClient
from once_client import OnceClient
from pool_client import PoolClient
from resp import RespError
from route_client import RouteClient
from server import let_pass
from suggest_client import SuggestClient

PATIENCE = 60  # seconds within which a server or a cluster must be available again
FAMILIES = {
    "log": LogClient,
    "once": OnceClient,
    "later": LaterClient,
    "group": GroupClient,
    "channel": ChannelClient,
    "feed": FeedClient,
    "pool": PoolClient,
    "lock": LockClient,
    "route": RouteClient,
    "index": IndexClient,
    "fact": FactClient,
    "suggest": SuggestClient,
}


def is_answered(connection):
    """Without a replica, an answer is the only confirmation."""
    return True


def is_on_a_replica(connection):
    """Whether a replica has confirmed: more is not guaranteed by the host for a failover."""
    try:
        return connection.call("WAIT", "1", "500") >= 1
    except RespError as error:
        if not str(error).startswith("ERR WAIT cannot be used with replica"):
            raise
        return False


class Crew:
    """The clients of one seed, `each` of every family."""

    def __init__(self, seed, books, confirm=is_answered, each=1):
        names = [(family, n) for family in FAMILIES for n in range(each)]
        self.clients = [
            FAMILIES[family](f"{family}{n}", random.Random(f"{seed}/{family}/{n}"), books, confirm) for family, n in names
        ]
        self._books = books
        self._is_over = False

    def prepare(self, connect):
        self._all(connect, lambda client, c: client.prepare(c))

    def start(self, connect):
        """Starts each client on a connection of its own, until rest() is called or its server fails."""
        self._is_over = False
        for client in self.clients:
            client.start(connect, lambda: self._is_over)

    def rest(self):
        """Each client finishes its current step."""
        self._is_over = True
        for client in self.clients:
            client.join()

    def prove(self, connect, promise=EVERYTHING):
        self._all(connect, lambda client, c: client.prove(c, promise))

    def finish(self, connect):
        """A client that is interrupted first calls prove() again."""

        def prove_and_finish(client, c):
            client.prove(c, EVERYTHING)
            client.finish(c)

        self._all(connect, prove_and_finish)

    def _all(self, connect, what):
        """Runs all clients, even if one has trouble. On a busy machine a node may be so late that its cluster considers
        it dead, or a replica too late for WAIT; a client that sees this begins again."""
        deadline = now() + PATIENCE
        for client in self.clients:
            while (interruption := self._interruption_of(connect, client, what)) is not None:
                self._books.count("interrupted proofs")
                if now() > deadline:
                    self._books.trouble(f"{client.name}: {interruption!r}, for {PATIENCE} seconds")
                    break
                let_pass(0.1)

    def _interruption_of(self, connect, client, what):
        try:
            with connect() as c:
                what(client, c)
        except Exception as error:
            if is_transient(error):
                return error
            self._books.trouble(f"{client.name}: {error!r}")
        return None
