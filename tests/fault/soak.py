"""A mixed load of all families for a long time, with settings that change, keys that expire and are evicted, rewrites
and connections that come and go: memory does not grow, and the guides name every answer that comes."""

import random
import threading
import time

from books import now
from resp import RespError
from server import Server, let_pass, wait_until
from soak_load import NAMED, STEPS

STEPS_A_CONNECTION = 300
SAMPLES = 50_000
POLICIES = ("noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random",
            "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl")
# After this many operations everything has its full size, however long a busy machine needs for them. Memory is
# compared from then on.
WARM_UP_OPERATIONS = 220_000
WARM_UP_SECONDS = 300  # the longest warm-up
# Memory under load says nothing about growth: part of the live set ends by time, so it is twice as large on a quiet
# machine as on a busy one, and what was evicted comes back as fast as the machine allows. Memory is compared at rest:
# after so many operations without eviction, with the same settings, and then without a load until nothing is left whose
# time ends.
REFILL_OPERATIONS = 30_000
REST_SECONDS = 3  # longer than TRETAIN AGE and all leases and TTLs of the load
AT_REST = {
    "millrace.block-bytes": 4096,
    "millrace.compress": "no",
    "millrace.compress-cache": 0,
    "millrace.pending-max": 1_000_000,
    "millrace.channel-expire": 1000,
}
MAY_GROW = 1.2  # at rest, because of what is random in the load
MAY_STAY = 2_000_000  # bytes that an emptied server may hold beyond what it had when it was new
SETTINGS = {
    "millrace.block-bytes": (256, 4096, 14336),
    "millrace.compress": ("yes", "no"),
    "millrace.compress-age": (0, 100, 60_000),
    "millrace.compress-level": (1, 9),
    "millrace.compress-cache": (0, 100_000, "16mb"),
    "millrace.pending-max": (10, 1_000_000),
    "millrace.channel-expire": (500, 2000),
    "appendfsync": ("everysec", "always", "no"),
    "hz": (10, 100),
    "lazyfree-lazy-user-del": ("yes", "no"),
}


def run(seconds, seed, books):
    with Server(appendonly="yes", appendfsync="everysec") as server:
        _Soak(server, f"{seed}/soak", books).run(seconds)


class _Soak:
    def __init__(self, server, seed, books):
        self._server = server
        self._books = books
        self._rng = random.Random(seed)
        self._took = {family: [] for family in STEPS}  # durations, in seconds, of a sample of the family's steps
        self._rngs = {family: random.Random(f"{seed}/{family}") for family in STEPS}
        self._is_loading = False

    def run(self, seconds):
        before = self._memory()
        warm = now() + WARM_UP_SECONDS
        early = self._play(lambda: self._operations() < WARM_UP_OPERATIONS and now() < warm)
        end = now() + seconds
        late = self._play(lambda: now() < end)
        self._note_latencies()
        self._look_at_memory(before, early, late)

    def _play(self, goes_on):
        """The load, disturbed while goes_on() is true; returns the memory in use at rest after it."""
        self._is_loading = True
        threads = [threading.Thread(target=self._load, args=(family,), daemon=True) for family in STEPS]
        for thread in threads:
            thread.start()
        self._disturb(goes_on)
        self._refill()
        self._is_loading = False
        for thread in threads:
            thread.join()
        let_pass(REST_SECONDS)
        return self._memory()

    def _refill(self):
        for name, value in AT_REST.items():
            self._server.admin.call("CONFIG", "SET", name, value)
        enough = self._operations() + REFILL_OPERATIONS
        wait_until(lambda: self._operations() >= enough or self._books.troubles, "the load goes on", WARM_UP_SECONDS)

    # --- the load ---

    def _operations(self):
        return self._books.counts["operations"]

    def _load(self, family):
        rng = self._rngs[family]
        try:
            while self._is_loading:
                with self._server.connect() as c:
                    for _ in range(STEPS_A_CONNECTION):
                        self._step(c, family, rng)
        except Exception as error:
            self._books.trouble(f"{family}: {error!r}")

    def _step(self, c, family, rng):
        began = time.perf_counter()
        try:
            STEPS[family](c, rng)
        except RespError as error:
            code = str(error).split()[0]
            if code not in NAMED:
                raise
            self._books.count(f"answered {code}")
        self._books.count("operations")
        self._sample(self._took[family], time.perf_counter() - began, rng)

    @staticmethod
    def _sample(took, seconds, rng):
        """Keeps a sample of constant size: later steps replace earlier ones."""
        if len(took) < SAMPLES:
            took.append(seconds)
        else:
            took[rng.randrange(SAMPLES)] = seconds

    def _note_latencies(self):
        """Records how long steps take for clients in one Python process: they wait more for each other than for the
        server."""
        for family, took in self._took.items():
            took.sort()
            at = lambda share: took[min(len(took) - 1, int(share * len(took)))] * 1000
            self._books.note(f"{family}: a step took {at(0.5):.2f} ms in the middle, 99 % below {at(0.99):.2f}, "
                             f"99.9 % below {at(0.999):.2f}, at most {took[-1] * 1000:.2f}")

    # --- disturbing the server ---

    def _disturb(self, goes_on):
        """Disturbs the server while goes_on() is true."""
        while goes_on():
            chance = self._rng.random()
            if chance < 0.8:
                name = self._rng.choice(list(SETTINGS))
                self._server.admin.call("CONFIG", "SET", name, self._rng.choice(SETTINGS[name]))
                self._books.count("settings")
            elif chance < 0.9:
                self._squeeze()
            else:
                self._server.rewrite_aof()
                self._books.count("rewrites")
            let_pass(0.05)

    def _squeeze(self):
        """Sets maxmemory below the memory in use for a moment: the host evicts whole keys, or refuses writes that
        grow."""
        admin = self._server.admin
        admin.call("CONFIG", "SET", "maxmemory-policy", self._rng.choice(POLICIES))
        admin.call("CONFIG", "SET", "maxmemory", int(self._memory() * 0.95))
        let_pass(0.05)
        admin.call("CONFIG", "SET", "maxmemory", 0)
        self._books.count("squeezes")

    # --- memory ---

    def _memory(self):
        return int(self._server.info("memory")["used_memory"])

    def _look_at_memory(self, before, early, late):
        self._books.note(f"memory at rest: {before:,} bytes when new, {early:,} after the warm-up, {late:,} at the end")
        if late > early * MAY_GROW:
            self._books.trouble(f"memory grew from {early:,} to {late:,} bytes at a constant live set")
        self._server.admin.call("FLUSHALL")
        try:
            wait_until(lambda: self._memory() < before + MAY_STAY, "the memory of all that is gone comes back")
        except AssertionError:
            self._books.trouble(f"{self._memory():,} bytes are in use after FLUSHALL, {before:,} were when it was new")
