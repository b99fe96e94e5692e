"""A connection to a whole cluster, which goes where a key's slot is and follows MOVED and ASK.

Client libraries send a command again when the connection breaks before its answer, so it is not known how often it was
executed. This one does not: the caller decides what to do without an answer.
"""

from redis.crc import key_slot

from families import CONTAINERS
from resp import Connection, RespError
from server import let_pass

REDIRECTIONS = 50


def slot_of(key):
    return key_slot(key.encode())


class ClusterConnection:
    """Asks any of these ports where the slots are. Use as a context manager."""

    def __init__(self, ports):
        self._connections = {}  # port -> connection
        self._owners = []  # (first slot, last slot, port)
        self._last = None  # the port that answered last: WAIT is sent there
        try:
            self._learn(ports)
        except BaseException:
            self.close()
            raise

    def _learn(self, ports):
        for port in ports:
            try:
                slots = self._to(port).call("CLUSTER", "SLOTS")
            except OSError:
                continue
            self._owners = [(first, last, master[1]) for first, last, master, *_ in slots]
            return
        raise ConnectionError("no node answers")

    def _to(self, port):
        if port not in self._connections:
            self._connections[port] = Connection(port)
        return self._connections[port]

    def port_of(self, key):
        """The node that has the key's slot, as far as is known here."""
        slot = slot_of(key)
        return next((port for first, last, port in self._owners if first <= slot <= last), None)

    def call(self, *words):
        """One command and its answer; an error other than a redirection is raised."""
        if words[0] == "WAIT":
            return self._to(self._last).call(*words)
        key = words[2 if words[0] in CONTAINERS else 1]
        slot, port = slot_of(key), self.port_of(key)
        if port is None:
            raise ConnectionError(f"nobody has the slot {slot}")
        is_asking = False
        for _ in range(REDIRECTIONS):
            self._last = port
            try:
                if is_asking:
                    self._to(port).call("ASKING")
                return self._to(port).call(*words)
            except RespError as error:
                what, *rest = str(error).split()
                if what not in ("MOVED", "ASK", "TRYAGAIN"):
                    raise
                if what == "TRYAGAIN":
                    let_pass(0.002)
                    is_asking = False
                    continue
                port, is_asking = int(rest[1].rsplit(":", 1)[1]), what == "ASK"
                if what == "MOVED":
                    self._owners.insert(0, (slot, slot, port))
        raise ConnectionError(f"{words[0]} was sent from node to node {REDIRECTIONS} times")

    def close(self):
        for connection in self._connections.values():
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
