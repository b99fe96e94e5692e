"""Thousands of streams at two gateways, with publishers that go on: a gateway, the server behind it, or the master of a
slot is killed; every stream reconnects to any gateway, misses nothing and gets nothing twice.

./test --all has 2,000 streams, a short run fewer.
"""

import contextlib
import pathlib
import random
import resource
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "gateway"))

from books import now  # noqa: E402: needs the path set above
from cluster import Cluster  # noqa: E402
from cluster_connection import ClusterConnection  # noqa: E402
from gateway import Gateway  # noqa: E402
from length import at_length  # noqa: E402
from publisher import Publisher  # noqa: E402
from server import QUIET_PORTS, Server, free_port, let_pass, wait_until  # noqa: E402
from streams import EventStream, SocketStream, Streams  # noqa: E402

STREAMS = at_length(2000, 200)
KEYS = [(kind, f"{kind}{number}") for kind in ("logs", "channels") for number in range(at_length(10, 4))]
PUBLISHERS = 4
REST = 0.02  # seconds between two messages of a publisher
BETWEEN = 40  # messages from one fault to the next
LONGEST_PEACE = 0.3
PATIENCE = 120  # seconds within which all streams must have reconnected and caught up
MOST = 10**6


def run(seconds, seed, books):
    books.counts |= {"streams": 0, "reconnections": 0, "delivered": 0, "put back": 0}
    _allow_open_files(2 * STREAMS + 1000)
    end = now() + seconds
    stands = [_OneServer, _ClusterOfSix]
    for number, stand in enumerate(stands, 1):
        rest = max(0, end - now()) / (len(stands) - number + 1)
        _Trial(stand, f"{seed}/{stand.__name__}", books).run(now() + rest)


def _allow_open_files(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count if hard == resource.RLIM_INFINITY else min(count, hard), hard))


class _OneServer:
    """A server with an append-only file. `promises_all`: everything that it has answered is there after each fault."""

    promises_all = True

    def __init__(self, stack):
        self._server = stack.enter_context(Server(appendonly="yes"))
        self.connect = self._server.connect
        self.address = f"127.0.0.1:{self._server.port}"
        self.faults = {"the server": self._kill}

    def _kill(self, rng):
        self._server.kill()
        let_pass(rng.random() * LONGEST_PEACE)
        self._server.come_back()

    def settle(self):
        """Nothing to do: a server that has started has all its data."""


class _ClusterOfSix:
    """Its masters answer before their replicas have the data, so what a killed master loses is not counted. A stream may
    have got a message that is lost with the master, and is told so."""

    promises_all = False

    def __init__(self, stack):
        self._cluster = stack.enter_context(Cluster(replicas=1))
        self.address = f"127.0.0.1:{self._cluster.masters[0].port}"
        self.faults = {"a master": self._kill}

    def connect(self):
        return ClusterConnection([node.port for node in self._cluster.nodes if node.is_alive()])

    def _kill(self, rng):
        master = rng.choice(self._cluster.masters)
        master.kill()
        wait_until(lambda: len(self._cluster.masters) == 3, "the replica has taken over")
        # Restarted only now: it comes back empty, and must not be a master any more.
        master.come_back()

    def settle(self):
        wait_until(self._cluster.is_whole, "every slot has a master and every master a replica that follows it")


class _Trial:
    def __init__(self, stand, seed, books):
        self._stand = stand
        self._seed = seed
        self._books = books
        self._rng = random.Random(seed)

    def run(self, end):
        with contextlib.ExitStack() as stack:
            stand = self._stand(stack)
            stand.settle()
            gateways = [stack.enter_context(Gateway(stand.address, port=free_port(QUIET_PORTS))) for _ in range(2)]
            self._ports = [gateway.port for gateway in gateways]
            streams = self._open_streams(stand, stack)
            publishers = self._start_publishers(stack)
            faults = {**stand.faults, "a gateway": lambda rng: self._kill_gateway(gateways, rng)}
            for name in self._some_faults(faults, end):
                self._wait_for_messages(publishers)
                let_pass(self._rng.random() * LONGEST_PEACE)
                faults[name](self._rng)
                self._books.count("kills")
                self._books.count(f"kills of {name}")
                wait_until(lambda: streams.connected() == STREAMS, "every stream is connected again", PATIENCE)
                stand.settle()
            self._wait_for_messages(publishers)
            for publisher in publishers:
                publisher.stop()
            published = {key: last for publisher in publishers for key, last in publisher.published.items()}
            self._prove(stand, streams, published)
            for thread in (streams, *publishers):
                if thread.failure is not None:
                    self._books.trouble(f"{type(thread).__name__}: {thread.failure!r}")

    def _some_faults(self, faults, end):
        """Each fault once, then faults in random order until the time is over."""
        yield from self._rng.sample(list(faults), len(faults))
        while now() < end and self._books.are_clean:
            yield self._rng.choice(list(faults))

    @staticmethod
    def _kill_gateway(gateways, rng):
        gateway = rng.choice(gateways)
        gateway.kill()
        let_pass(rng.random() * LONGEST_PEACE)
        gateway.start()

    def _open_streams(self, stand, stack):
        made = []
        for number in range(STREAMS):
            kind, name = KEYS[number % len(KEYS)]
            of_this_kind = SocketStream if number // len(KEYS) % 4 == 0 else EventStream
            made.append(of_this_kind(kind, name, may_be_put_back=not stand.promises_all))
        streams = Streams(made, self._ports, f"{self._seed}/streams")
        stack.callback(streams.stop)
        streams.start()
        wait_until(lambda: streams.connected() == STREAMS, "all streams are open", PATIENCE)
        self._books.count("streams", STREAMS)
        return streams

    def _start_publishers(self, stack):
        publishers = []
        for number in range(PUBLISHERS):
            rng = random.Random(f"{self._seed}/publisher/{number}")
            publishers.append(Publisher(KEYS[number::PUBLISHERS], self._ports, rng, REST))
            stack.callback(publishers[-1].stop)
            publishers[-1].start()
        return publishers

    def _wait_for_messages(self, publishers):
        def count():
            return sum(sum(publisher.published.values()) for publisher in publishers)

        goal = count() + BETWEEN
        wait_until(lambda: count() >= goal or any(one.failure for one in publishers), "messages are published", PATIENCE)

    def _prove(self, stand, streams, published):
        self._books.count("operations", sum(published.values()))
        known = self._keys_that_hold_all(stand, published)
        proven = [stream for stream in streams.streams if (stream.kind, stream.key) in known]
        try:
            wait_until(lambda: all(one.last >= published[one.kind, one.key] for one in proven) or streams.failure,
                       "every stream has the last message", PATIENCE)
        except AssertionError:
            pass  # reported for each of them below
        streams.stop()
        for stream in proven:
            last = published[stream.kind, stream.key]
            if stream.last < last:
                self._books.lost(f"{stream.key}: a stream has {stream.last} of {last}")
            for what, sentence in stream.wrong:
                (self._books.repeated if what == "twice" else self._books.lost)(sentence)
        self._books.count("delivered", sum(stream.last for stream in proven))
        self._books.count("reconnections", streams.reconnections)
        self._books.count("put back", sum(stream.put_back for stream in streams.streams))

    def _keys_that_hold_all(self, stand, published):
        """The keys that hold exactly what was acknowledged, in that order."""
        known = set()
        with stand.connect() as c:
            for (kind, name), last in published.items():
                if kind == "logs":
                    there = [int(message[2]) for message in c.call("TREAD", name, 1, MOST, "SKIP")]
                else:
                    there = [int(message[2]) for message in c.call("CHAN.READ", name, "-", "MAX", MOST)[0]]
                if there == list(range(1, last + 1)):
                    known.add((kind, name))
                elif stand.promises_all:
                    self._books.lost(f"{name}: holds {len(there)} messages up to {max(there, default=0)} of {last}")
                else:
                    self._books.count("forgotten")
        if not known:
            self._books.trouble("no key holds what was acknowledged")
        return known
