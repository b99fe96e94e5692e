"""Redlock on five real servers that die, freeze, jump in time and lose data, while several programs compete for the
lock: the counter that the lock protects is never wrong."""

import contextlib
import subprocess
import threading

import pytest

from clock import Clock
from fenced_store import Store
from locked import Locked, lock, nodes, shell, wait_for_renewals
from server import DEADLINE, Server, wait_until
from tool import TOOL

pytestmark = pytest.mark.long

CONTENDERS = 4
DURABLE = {"appendonly": "yes", "appendfsync": "always"}


class Contenders:
    """Programs that take the lock again and again until they are stopped."""

    def __init__(self, servers, store, fenced=True, ttl="3s"):
        self._words = [TOOL, "lock", *nodes(*servers), "--ttl", ttl, "--wait", "60s", "counter", "--", *store.command(fenced)]
        self._store = store
        self._changed = threading.Condition()
        self._open, self._enough, self._inside = True, False, 0
        self.statuses = []
        self._threads = [threading.Thread(target=self._contend) for _ in range(CONTENDERS)]

    def _contend(self):
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._open)
                if self._enough:
                    return
                self._inside += 1
            done = subprocess.run(self._words, capture_output=True, timeout=4 * DEADLINE)
            with self._changed:
                self._inside -= 1
                self.statuses.append((done.returncode, done.stderr.decode()))
                self._changed.notify_all()

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        with self._changed:
            self._open = self._enough = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    @contextlib.contextmanager
    def between_turns(self):
        """No program holds the lock or asks for it inside this with block."""
        with self._changed:
            self._open = False
            assert self._changed.wait_for(lambda: self._inside == 0, 2 * DEADLINE)
        yield
        with self._changed:
            self._open = True
            self._changed.notify_all()

    def wait_for_updates(self, more):
        """Waits for this many more updates: the programs make progress in spite of the faults."""
        enough = self._store.updates() + more
        wait_until(lambda: self._store.updates() >= enough or not all(t.is_alive() for t in self._threads), f"{more} more updates")
        assert self._store.updates() >= enough, self.statuses[-4:]


@pytest.fixture
def store():
    with Store() as store:
        yield store


@contextlib.contextmanager
def running(makers):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(make()) for make in makers]


def trouble_comes(servers, contenders, clock=None):
    """Faults at the servers, never at a majority at the same time."""
    one, two, three, _, five = servers
    contenders.wait_for_updates(3)
    one.kill()
    two.kill()
    contenders.wait_for_updates(3)
    one.come_back()
    two.come_back()
    three.suspend()
    contenders.wait_for_updates(3)
    if clock:
        clock.set(3600)
        contenders.wait_for_updates(3)
        five.kill()
        contenders.wait_for_updates(3)
        five.come_back()
        clock.set(-7200)
    three.resume()
    contenders.wait_for_updates(3)
    one.suspend()
    two.kill()
    contenders.wait_for_updates(3)
    one.resume()
    two.come_back()
    contenders.wait_for_updates(3)


def test_servers_die_and_freeze_and_jump_and_no_update_is_lost_and_every_token_is_greater(store, tmp_path, clock_shim):
    clock = Clock(tmp_path, clock_shim)
    with running([*[lambda: Server(**DURABLE)] * 3, lambda: clock.server(**DURABLE), lambda: Server(**DURABLE)]) as servers:
        with Contenders(servers, store) as contenders:
            trouble_comes(servers, contenders, clock)
            with Locked(tmp_path / "killed", servers, "--ttl", "2s", "--wait", "60s", name="counter") as holder:
                holder.wait_until_started()
                holder.kill()
            contenders.wait_for_updates(3)
        assert {status for status, _ in contenders.statuses} == {0}, contenders.statuses
        store.check(fenced=True)
        assert len(store.began()) == store.updates(), "nobody was refused"


def test_servers_that_forget_everything_one_after_another_still_give_greater_tokens(store):
    with running([Server] * 5) as servers, Contenders(servers, store) as contenders:
        for server in servers:
            contenders.wait_for_updates(2)
            with contenders.between_turns():
                server.kill()
                server.come_back()
        contenders.wait_for_updates(2)
        for server in servers[:2]:
            server.kill()
            server.come_back()
            contenders.wait_for_updates(2)
    store.check(fenced=True)


@pytest.mark.parametrize("native", [0, 3], ids=["plain", "mixed"])
def test_without_the_module_two_contenders_never_hold_the_lock_together(store, native):
    with running([lambda i=i: Server(module=i < native, **DURABLE) for i in range(5)]) as servers:
        with Contenders(servers, store, fenced=False, ttl="20s") as contenders:
            trouble_comes(servers, contenders)
        assert {status for status, _ in contenders.statuses} == {0}, contenders.statuses
    store.check(fenced=False)


# --- a majority is needed, and is enough ---


def test_a_minority_of_servers_is_not_enough_and_says_why(tmp_path):
    with running([Server] * 5) as servers:
        for server in servers[:3]:
            server.kill()
        done = lock(servers, "lock", "--", "touch", tmp_path / "ran", status=3)
        assert "cannot connect to" in done.stderr.decode() and not (tmp_path / "ran").exists()
        for server in servers[3:]:
            wait_until(lambda: server.admin.call("EXISTS", "lock") == 0, "what was granted is given back")


def test_a_command_goes_on_while_a_majority_is_there_and_ends_when_it_is_not(tmp_path):
    with running([Server] * 5) as servers:
        with Locked(tmp_path, servers, "--ttl", "6s", "--wait", "20s") as holder:
            holder.wait_until_started()
            servers[0].kill()
            servers[1].suspend()
            wait_for_renewals(servers[4], 4)
            assert holder.process.poll() is None
            servers[2].kill()
            holder.ends_with(76)


# --- a clock that jumps ---


@pytest.mark.parametrize("native", [False, True], ids=["SET NX PX", "LOCK."])
def test_the_story_of_the_clock_that_jumped(tmp_path, clock_shim, native):
    """Client 1 has the lock at A, B and C; D and E did not get its request. C's clock jumps. Client 2 asks C, D and E;
    A and B do not get its request. With SET NX PX both would hold the lock now."""
    clock = Clock(tmp_path, clock_shim)
    plain = {"module": native}
    with running([lambda: Server(**plain)] * 2 + [lambda: clock.server(**plain)] + [lambda: Server(**plain)] * 2) as servers:
        a, b, c, d, e = servers
        d.kill()
        e.kill()
        with Locked(tmp_path / "client 1", servers, "--ttl", "5m", "--wait", "20s") as first:
            first.wait_until_started()
            d.come_back()
            e.come_back()
            a.kill()
            b.kill()
            clock.set(600)
            if native:
                lock(servers, "--wait", "2s", "lock", "--", "true", status=75)
            else:
                lock(servers, "--wait", "20s", "lock", "--", "true")
            assert first.process.poll() is None, "client 1 holds it all the while"


def test_a_clock_that_was_days_ahead_once_does_not_stop_the_lock_after_it_is_corrected(tmp_path, clock_shim):
    """The server that had the wrong clock is needed for a majority, and its tokens stay days ahead."""
    clock = Clock(tmp_path, clock_shim)
    clock.set(2 * 86_400)
    with running([Server, clock.server, Server]) as servers:
        lock([servers[1]], "other", "--", "true")
        clock.set(0)
        servers[2].kill()
        tokens = [int(lock(servers, "--wait", "20s", "lock", *shell("echo $MILLRACE_LOCK_TOKEN")).stdout) for _ in range(3)]
        assert tokens == sorted(set(tokens))


def test_one_clock_that_is_years_ahead_does_not_stop_the_lock(tmp_path, clock_shim):
    clock = Clock(tmp_path, clock_shim)
    clock.set(10 * 365 * 86_400)
    with running([Server, Server, clock.server, Server, Server]) as servers:
        words = ("--wait", "20s", "--ttl", "10m", "--patience", "3m", "lock", *shell("echo $MILLRACE_LOCK_TOKEN"))
        tokens = [int(lock(servers, *words).stdout) for _ in range(5)]
        assert tokens == sorted(set(tokens))
        now = int(servers[0].admin.call("TIME")[0]) * 1_000_000
        assert abs(tokens[-1] - now) < 86_400_000_000, "and it has no say about the token"
