"""Random histories, compared with the design that routing tables come from, over the host's own sets and hashes: the
same answers at every step, while time passes, exact to the millisecond, and after a reload and a restored dump.
Replicas are tested by tests/model/route_replication_test.cc, and a real replica by the battery."""

import os
import random

import pytest

from length import at_length
from route_filters import some_document, some_filter
from route_oracle import EVERYTHING, Oracle
from route_words import channel, changed, filters, get, listed, text
from server import wait_until

SEED = int(os.environ.get("MILLRACE_SEED", "20260107"))
DEVICES = [f"d{n}|{transport}" for n in range(6) for transport in ("ws", "mqtt")]
ABOUTS = [("a", model, user, id) for model in ("m", "n") for user in (None, "u") for id in (None, "i")]
NAMES = ("first", "second")
TTLS = (None, None, 0, 1, 30, 100, 250)


class History:
    def __init__(self, rng, connection, oracle, clock):
        self.rng, self.c, self.oracle, self.clock = rng, connection, oracle, clock
        self.known = [some_filter(rng) for _ in range(12)]
        self.matched = 0

    # --- words ---

    def _ttl(self):
        ttl = self.rng.choice(TTLS)
        return ttl, ("TTL", ttl) if ttl is not None else ()

    def _place(self):
        device, about = self.rng.choice(DEVICES), self.rng.choice(ABOUTS)
        return device, about, Oracle.channel_name(*about)

    def _target(self, name):
        """A filter as arguments, its id in the oracle, and its text if it has one."""
        roll = self.rng.random()
        if roll < 0.3:
            return (), EVERYTHING, None
        if roll < 0.5:
            named = self.rng.choice(NAMES)
            return ("FILTERID", named), named, None
        filter = self.rng.choice(self.known)
        id = self._id_of(filter)
        return ("FILTER", text(filter)), id, text(filter)

    def _id_of(self, filter):
        """The server's id of a filter, found without the table under test."""
        id = self.c.call("ROUTE.SUBSCRIBE", "aside", "x|y", "APP", "a", "MODEL", "m", "FILTER", text(filter))[1].decode()
        return id

    # --- steps ---

    def set_device(self):
        device = self.rng.choice(DEVICES)
        user = self.rng.choice([None, "ann", "bob"])
        ttl, words = self._ttl()
        words += ("USER", user) if user else ()
        assert self.c.call("ROUTE.DEVICE", "SET", "t", device, *words) == self.oracle.set_device(device, user, ttl)

    def touch(self):
        device = self.rng.choice(DEVICES)
        assert self.c.call("ROUTE.DEVICE", "TOUCH", "t", device) == self.oracle.touch(device)

    def delete_device(self):
        device = self.rng.choice(DEVICES)
        assert self.c.call("ROUTE.DEVICE", "DEL", "t", device) == self.oracle.delete_device(device)

    def subscribe(self):
        device, about, name = self._place()
        words, id, filter = self._target(name)
        ttl, options = self._ttl()
        self.c.send("ROUTE.SUBSCRIBE", "t", device, *channel(*about), *words, *options)
        answer = self.c.read()
        if self.oracle.subscribe(device, name, id, filter, ttl):
            assert answer == [name.encode(), id.encode() or None]
        else:
            assert str(answer).startswith("NOFILTER")

    def unsubscribe(self):
        device, about, name = self._place()
        words, id, _ = self._target(name)
        answer = self.c.call("ROUTE.UNSUBSCRIBE", "t", device, *channel(*about), *words)
        assert answer == self.oracle.unsubscribe(device, name, id)

    def set_filter(self):
        _, about, name = self._place()
        filter, named = self.rng.choice(self.known), self.rng.choice(NAMES)
        self.oracle.set_filter(name, named, text(filter))
        assert self.c.call("ROUTE.SETFILTER", "t", named, text(filter), *channel(*about)) == b"OK"

    def delete_filter(self):
        _, about, name = self._place()
        id = self.rng.choice([*NAMES, self._id_of(self.rng.choice(self.known))])
        assert self.c.call("ROUTE.DELFILTER", "t", id, *channel(*about)) == self.oracle.delete_filter(name, id)

    def new_filter(self):
        self.known[self.rng.randrange(len(self.known))] = some_filter(self.rng)

    def let_time_pass(self):
        self.clock.advance(self.rng.choice([1, 10, 29, 30, 50, 100]))
        self.oracle.now = self.clock.now

    def ask(self):
        about = self.rng.choice(ABOUTS)
        document = self.rng.choice([None, False, some_document(self.rng), some_document(self.rng)])
        old = self.rng.choice([None, None, False, some_document(self.rng), some_document(self.rng)])
        answer = self.c.call("ROUTE.MATCH", "t", *channel(*about), *changed(document, old), "WITHCHANNELS")
        found = {f"{one[0].decode()}|{transport.decode()}": one[1:] for transport, devices in answer for one in devices}
        expected = self.oracle.match(about, document, old)
        assert sorted(found) == sorted(expected), (about, document, old)
        for device, (now, before, channels) in expected.items():
            *meaning, told = found[device]
            assert {name.decode() for name, _, _ in told} == channels, device
            assert meaning == ([] if old is None else [Oracle.meaning(now, before, document, old).encode()]), device
        self.matched += len(expected)

    STEPS = (
        [set_device] * 8 + [touch] * 8 + [delete_device] * 2 + [subscribe] * 30 + [unsubscribe] * 8
        + [set_filter] * 5 + [delete_filter] * 2 + [new_filter] * 2 + [let_time_pass] * 10 + [ask] * 25
    )

    # --- comparing everything ---

    def compare(self):
        assert listed(self.c) == sorted(self.oracle.devices())
        for device in self.oracle.devices():
            known, ours = self.oracle.device(device), get(self.c, device, "FULL", "COUNT", "1000")
            assert (ours["user"] or b"").decode() == known["user"]
            assert (ours["connected-at"], ours["last-seen"]) == (int(known["connected"]), int(known["seen"]))
            places = [(where.decode(), (filter or b"").decode()) for where, filter, _ in ours["subscribed-to"]]
            assert sorted(places) == sorted(self.oracle.subscriptions(device)), device
        for about in ABOUTS:
            expected = sorted(self.oracle.filters(Oracle.channel_name(*about)))
            # Filters whose last subscription has expired are removed by the next sweep.
            wait_until(lambda: sorted(filters(self.c, channel(*about))) == expected, f"{about} has {expected}")

    def go(self, steps):
        self.oracle.now = self.clock.now
        for number in range(steps):
            step = self.rng.choice(self.STEPS)
            try:
                step(self)
                if number % 20 == 0:
                    self.compare()
            except AssertionError as problem:
                raise AssertionError(f"step {number}, {step.__name__}, MILLRACE_SEED={SEED}: {problem}")
        self.compare()


@pytest.mark.parametrize("number", range(at_length(4, quick=1)))
def test_a_random_history_has_the_answers_of_the_original(still, s, clock, number):
    print(f"MILLRACE_SEED={SEED}")
    with still.connect() as beside:
        beside.call("SELECT", "1")
        history = History(random.Random(f"{SEED}/{number}"), s, Oracle(beside), clock)
        history.go(700)
        assert history.matched > 100, "somebody heard something"
        s.call("DEBUG", "RELOAD")
        history.compare()
        s.call("RESTORE", "t", "0", s.call("DUMP", "t"), "REPLACE")
        history.go(100)
