"""Senders and workers under load, on a server that the test kills meanwhile; and what must be true afterwards.

Each recipient has one sender, which numbers its payloads, goes on whatever happens, and notes which payloads were
acknowledged. Workers pull, note and acknowledge. Sometimes a worker dies with payloads in flight, or stalls until it is
stale and comes back too late.
"""

import random
import threading

from resp import RespError
from server import let_pass, wait_until
from shard_words import NOTOWNER, NOWORKER, deliveries, info, is_sound

STALE = 300
RECIPIENTS_EACH = 6
UNREACHABLE = (OSError, ConnectionError)


def join_and_show(connection, name):
    """Executes both commands or neither. If the server died between them, the name would stay: a worker that has never
    shown that it is alive does not become stale."""
    join, show = (("SHARD." + command, "pool", name) for command in ("JOIN", "HEARTBEAT"))
    for answer in connection.call_all([("MULTI",), join, show, ("EXEC",)]):
        if isinstance(answer, RespError):
            raise answer


class Load:
    def __init__(self, server, seed, is_confirmed=None):
        self.server = server  # the current server; the test that kills it sets the next one
        # is_confirmed(connection): whether the last answer on the connection survives a failure. If this is not always
        # true, a worker may have got a payload that was lost with its server, and later another payload with the same
        # sequence number.
        self.unconfirmed_may_be_lost = is_confirmed is not None
        self.is_confirmed = is_confirmed or (lambda connection: True)
        self.rng = random.Random(seed)
        self.promised = {}  # recipient -> numbers that the server acknowledged to the sender
        self.delivered = {}  # recipient -> (sequence, number) in the order in which workers got them
        self.acknowledged = {}  # recipient -> (first, last, worker), as the server confirmed them
        self.problems = []
        self.lock = threading.Lock()
        self.sending, self.working, self.dying = (threading.Event() for _ in range(3))
        self.threads = []

    # --- running it ---

    def run(self, disturb, senders=3, workers=4):
        """Calls disturb() while senders and workers work; then waits until everything is handled, and checks the
        records."""
        for event in (self.sending, self.working, self.dying):
            event.set()
        for number in range(workers):
            self.start(self.work, number)
        self.server.admin.call("SHARD.SET", "pool", "STALE", STALE)
        wait_until(lambda: info(self.server.admin)["workers"], "a worker has joined")
        for number in range(senders):
            self.start(self.send, number)
        try:
            disturb()
            self.dying.clear()
            self.sending.clear()
            self.wait_until_worked_off()
        finally:
            self.sending.clear()
            self.working.clear()
            for thread in self.threads:
                thread.join()
        self.check()

    def wait_until_worked_off(self):
        try:
            wait_until(lambda: info(self.server.admin)["pending"] == 0 or self.problems, "everything is worked off")
        except AssertionError as error:
            raise AssertionError(f"{error}: {info(self.server.admin)}") from None

    def start(self, what, number):
        def guarded():
            try:
                what(number, random.Random(self.rng.random()))
            except BaseException as problem:  # for the main thread: pytest does not see errors of others
                self.problems.append(problem)
                raise

        self.threads.append(threading.Thread(target=guarded, daemon=True))
        self.threads[-1].start()

    def connected(self, event, talk):
        """Calls talk() with a connection to the current server, again and again, while the event is set."""
        while event.is_set():
            try:
                with self.server.connect() as connection:
                    talk(connection)
            except UNREACHABLE:
                let_pass(0.005)
            except RespError as error:
                # The server is starting, or has just become a replica, or is still one.
                if str(error).split()[0] not in ("LOADING", "READONLY", "UNBLOCKED", "MASTERDOWN"):
                    raise
                let_pass(0.005)

    # --- senders ---

    def send(self, number, rng):
        names = [f"s{number}r{n}" for n in range(RECIPIENTS_EACH)]
        following = dict.fromkeys(names, 1)
        for name in names:
            self.promised[name] = []

        def talk(connection):
            while self.sending.is_set():
                name = rng.choice(names)
                numbers = range(following[name], following[name] + rng.randrange(1, 4))
                following[name] = numbers[-1] + 1
                connection.call("SHARD.PUSH", "pool", name, *numbers, "BLOCK", "1000")
                if self.is_confirmed(connection):
                    self.promised[name] += numbers
                let_pass(0.001)  # limits the rate

        self.connected(self.sending, talk)

    # --- workers ---

    def work(self, number, rng):
        lives = 0

        def talk(connection):
            nonlocal lives
            lives += 1
            name = f"w{number}.{lives}"  # a new life has a new name: the old name is dead
            join_and_show(connection, name)
            while self.working.is_set() and self.one_turn(connection, name, rng):
                pass

        self.connected(self.working, talk)

    def one_turn(self, connection, name, rng):
        """False when the worker has died, or the server says that it is dead."""
        try:
            got = deliveries(connection.call("SHARD.PULL", "pool", name, "COUNT", rng.randrange(1, 9), "BLOCK", "50"))
        except RespError as error:
            if str(error) != NOWORKER:
                raise
            return False
        with self.lock:
            for recipient, sequence, payload in got:
                self.delivered.setdefault(recipient, []).append((sequence, int(payload)))
        if got and self.dying.is_set():
            fate = rng.random()
            if fate < 0.01:
                return False  # dies with them in flight
            if fate < 0.015:
                let_pass(1.5 * STALE / 1000)  # stalls, and comes back too late
        last = {recipient: sequence for recipient, sequence, _ in got}
        return all([self.acknowledge(connection, name, recipient, sequence) for recipient, sequence in last.items()])

    def acknowledge(self, connection, name, recipient, sequence):
        try:
            count = connection.call("SHARD.ACK", "pool", name, recipient, sequence)
        except RespError as error:
            if str(error) not in (NOWORKER, NOTOWNER):
                raise
            return str(error) == NOTOWNER
        if count > 0 and self.is_confirmed(connection):
            with self.lock:
                self.acknowledged.setdefault(recipient, []).append((sequence - count + 1, sequence, name))
        return True

    # --- checking the records ---

    def check(self):
        assert not self.problems, self.problems
        assert is_sound(self.server.admin)
        for recipient, promised in self.promised.items():
            got = sorted(set(self.delivered.get(recipient, [])))
            if self.unconfirmed_may_be_lost:
                got = [one for one in got if one[1] in set(promised)]
            assert [sequence for sequence, _ in got] == sorted({sequence for sequence, _ in got}), "one payload a sequence"
            numbers = [number for _, number in got]
            assert numbers == sorted(set(numbers)), f"{recipient}: order as sent"
            assert set(promised) <= set(numbers), f"{recipient}: nothing that was acknowledged to the sender is lost"
            ranges = sorted(self.acknowledged.get(recipient, []))
            for before, after in zip(ranges, ranges[1:]):
                assert before[1] < after[0], f"{recipient}: acknowledged twice, {before} and {after}"
        assert sum(len(numbers) for numbers in self.promised.values()) > 100, "there was a load"
