"""Random histories: the messages that a reader of a feed collects are those that the keys have held, none lost and none
twice."""

import random

import pytest

from feeds import name, own_feeds  # noqa: F401: a fixture
from length import at_length

KEYS = [f"log:{n}" for n in range(4)] + [f"channel:{n}" for n in range(4)]


class Reader:
    """Follows all keys by one feed. It keeps positions, and starts from the beginning for a key that was deleted."""

    def __init__(self, c, rng):
        self._c, self._rng = c, rng
        self._feed = 0
        self.read = {}  # by key: the messages of its present life
        self._positions = {}
        for key in KEYS:
            self._begin(key)

    def _name(self):
        return name(f"feed {self._feed}")

    def _begin(self, key):
        self.read[key], self._positions[key] = [], "-"
        self._c.call("FEED.ADD", self._name(), key, "-")

    def take(self, *options):
        """One read; false if nothing came."""
        answer = self._c.call("FEED.READ", self._name(), *options)
        for key, *rest in answer:
            key = key.decode()
            if rest == [b"gone"]:
                self._begin(key)
                continue
            position, messages, _, missed = rest
            assert missed == 0
            self._positions[key] = position
            self.read[key] += [message[1].decode() for message in messages]
        return bool(answer)

    def lose_the_feed(self):
        """As if the feed had expired: makes a new one, from the positions that were kept."""
        self._feed += 1
        for key, position in self._positions.items():
            answer = self._c.call_all([("FEED.ADD", self._name(), key, position)])[0]
            if answer != 1:  # BADPOSITION: another life
                assert str(answer).startswith("BADPOSITION"), answer
                self._begin(key)

    def catch_up(self):
        while self.take("MAX", self._rng.choice(["1", "3", "1000"])):
            pass


class History:
    """Writes to keys and changes them in other ways, and records what each holds."""

    def __init__(self, c, rng):
        self._c, self._rng, self._count = c, rng, 0
        self.held = {key: [] for key in KEYS}

    def step(self):
        key = self._rng.choice(KEYS)
        kind = self._rng.random()
        if kind < 0.8:
            self._write(key)
        elif kind < 0.85:
            self._c.call("DEL", key)
            self.held[key] = []
        elif kind < 0.9:
            self._rename(key)
        elif kind < 0.93:
            self._c.call("SWAPDB", "0", "1")
            self._c.call("SWAPDB", "0", "1")
        elif kind < 0.96:
            self._c.call("DEBUG", "RELOAD")
        else:
            self._c.call("FLUSHALL")
            self.held = {key: [] for key in KEYS}

    def _write(self, key):
        self._count += 1
        message = f"m{self._count}"
        if key.startswith("log"):
            self._c.call("TWRITE", key, message, "entry")
        else:
            self._c.call("CHAN.PUBLISH", key, message, "content")
        self.held[key].append(message)

    def _rename(self, key):
        other = self._rng.choice([one for one in KEYS if one != key and one[:3] == key[:3]])
        if self.held[key]:
            self._c.call("RENAME", key, other)
            self.held[other], self.held[key] = self.held[key], []


@pytest.mark.parametrize("seed", range(at_length(40, 4, quick=1)))
def test_a_reader_puts_together_what_the_keys_hold(c, seed):
    rng = random.Random(seed)
    history, reader = History(c, rng), Reader(c, rng)
    for _ in range(150):
        history.step()
        if rng.random() < 0.4:
            reader.take("MAX", rng.choice(["1", "2", "100"]), "BYTES", rng.choice(["1", "50", "10000"]))
        if rng.random() < 0.03:
            reader.lose_the_feed()
        if rng.random() < 0.2:
            reader.catch_up()
            assert reader.read == history.held
    reader.catch_up()
    assert reader.read == history.held
