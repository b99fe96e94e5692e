"""Random histories on a channel and on the design it comes from, side by side on one server whose clock stands
still during each step: equal answers at every step, and the same lines with the same times to live."""

import json
import os
import random

import pytest

from channel_oracle import ChannelOracle, NoSubscriber
from channel_words import BADRECEIPT, LARGEST, lists, nosub
from length import at_length
from resp import RespError

SEED = int(os.environ.get("MILLRACE_SEED", "20260105"))
EXPIRE = 100
SUBSCRIBERS = ("a", "b", "c", "d")


class History:
    """Each step is done to the server and then to the oracle."""

    def __init__(self, rng, connection, clock, near_seam):
        self.rng, self.c, self.clock, self.near_seam = rng, connection, clock, near_seam
        self.oracle = ChannelOracle(connection, "ch", EXPIRE)
        self.receipts = []  # (subscriber, receipt, its clock), the newest last
        self.useless = [b"", b"bad"]  # bad receipts, and later those of other subscribers and channels
        self.published = 0
        self.counts = {}

    def both(self, what, words, expected):
        """Sends words; expected() asks the oracle. Errors of both are compared, too."""
        self.c.send(*words)
        answer = self.c.read()
        try:
            wanted = expected()
        except NoSubscriber:
            wanted = RespError(nosub(words[2]))
        kind = f"{what}: {wanted if isinstance(wanted, (int, RespError, type(None))) else 'more'}"
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return answer, wanted

    def same(self, what, words, expected):
        answer, wanted = self.both(what, words, expected)
        assert answer == wanted, (words, answer, wanted)

    # --- steps ---

    def new_id(self):
        self.published += 1
        return f"m{self.published}"

    def known_id(self):
        return f"m{self.rng.randrange(max(1, self.published - 12), self.published + 2)}"

    def publish(self):
        id = self.new_id()
        self.same("publish", ("CHAN.PUBLISH", "ch", id, "of " + id), lambda: self.oracle.publish(id, "of " + id))

    def duplicate(self):
        id = self.known_id()
        self.same("duplicate", ("CHAN.PUBLISH", "ch", id, "again"), lambda: self.oracle.publish(id, "again"))

    def publish_several(self):
        names = [self.new_id() if self.rng.random() < 0.6 else self.known_id() for _ in range(self.rng.randrange(1, 9))]
        words = [word for id in names for word in (id, "of " + id)]
        self.same(
            "mpublish", ("CHAN.MPUBLISH", "ch", *words), lambda: [self.oracle.publish(id, "of " + id) for id in names]
        )

    def fetch(self):
        subscriber, max = self.rng.choice(SUBSCRIBERS), self.rng.choice([1, 1, 2, 3, 5, 64])
        options = () if max == 64 else ("MAX", max)
        words = ("CHAN.FETCH", "ch", subscriber, *options)
        answer, wanted = self.both("fetch", words, lambda: self.oracle.fetch(subscriber, max))
        if isinstance(wanted, RespError) or wanted[1] is None:
            assert answer == wanted, (words, answer, wanted)
            return
        assert answer[::2] == wanted[::2], (words, answer, wanted)
        self.receipts.append((subscriber, answer[1], wanted[1]))

    def acknowledge(self):
        """With the newest receipt, an old one, or one that was used before."""
        if self.receipts:
            newest = self.rng.random() < 0.6
            subscriber, receipt, clock = self.receipts[-1] if newest else self.rng.choice(self.receipts[-40:])
            words = ("CHAN.ACK", "ch", subscriber, receipt)
            self.same("ack", words, lambda: self.oracle.acknowledge(subscriber, clock))

    def acknowledge_with_anothers(self):
        subscriber, receipt = self.rng.choice(SUBSCRIBERS), self.rng.choice(self.useless)
        foreign = [theirs for other, theirs, _ in self.receipts[-40:] if other != subscriber]
        receipt = self.rng.choice([receipt, *foreign])

        def expected():
            self.oracle.seen(subscriber, [])  # is there such a subscriber?
            return RespError(BADRECEIPT)

        self.same("foreign ack", ("CHAN.ACK", "ch", subscriber, receipt), expected)

    def subscribe(self):
        subscriber = self.rng.choice(SUBSCRIBERS)
        options = ("EXPIRE", EXPIRE)
        words = ("CHAN.SUBSCRIBE", "ch", subscriber, *options)
        self.same("subscribe", words, lambda: self.oracle.subscribe(subscriber))

    def unsubscribe(self):
        subscriber = self.rng.choice(SUBSCRIBERS)
        words = ("CHAN.UNSUBSCRIBE", "ch", subscriber)
        self.same("unsubscribe", words, lambda: self.oracle.unsubscribe(subscriber))

    def seen(self):
        subscriber, names = self.rng.choice(SUBSCRIBERS), [self.known_id() for _ in range(self.rng.randrange(1, 9))]
        self.same("seen", ("CHAN.SEEN", "ch", subscriber, *names), lambda: self.oracle.seen(subscriber, names))

    def pass_time(self):
        self.clock.advance(self.rng.choice([1, 2, 5, 10, 10, 20, 20, 40, EXPIRE - 1]))

    def pass_much_time(self):
        self.clock.advance(self.rng.choice([EXPIRE, EXPIRE + 1, EXPIRE + 2, 5 * EXPIRE]))

    def reload(self):
        self.c.call("DEBUG", "RELOAD")

    STEPS = (
        [publish] * 18
        + [publish_several] * 6
        + [duplicate] * 6
        + [fetch] * 24
        + [acknowledge] * 18
        + [acknowledge_with_anothers] * 4
        + [subscribe] * 8
        + [unsubscribe] * 2
        + [seen] * 6
        + [pass_time] * 14
    )
    RARE = [pass_much_time] * 8 + [reload]

    # --- the whole ---

    def create_if_missing(self):
        """Creates a channel that has expired again; the receipts of the old one are not valid any more."""
        is_there = self.c.call("EXISTS", "ch") == 1
        assert is_there == self.oracle.exists(), "one has expired and the other has not"
        if is_there:
            return
        self.useless += [receipt for _, receipt, _ in self.receipts[-5:]]
        self.receipts.clear()
        start = LARGEST - self.rng.randrange(25) if self.near_seam else self.rng.randrange(-1000, 1000)
        words = ("CHAN.CREATE", "ch", "EXPIRE", EXPIRE, "CLOCK", start)
        self.same("create", words, lambda: b"OK" if self.oracle.create(start) else None)

    def compare_lines(self):
        """Checks that the lists of CHAN.INFO … FULL equal the keys of the oracle."""
        theirs = self.oracle.lines()
        clock, ttl, subscribers, messages, seen = lists(self.c)
        ours = {"clock": (b"%d" % clock, ttl)}
        ours.update({f"r.{name}": (b"%d" % position, ttl) for name, (position, ttl) in subscribers.items()})
        ours.update({f"mid.{id}": (b"%d" % clock, ttl) for id, clock, ttl in seen})
        assert {name: line for name, line in theirs.items() if not name.startswith("m.")} == ours
        stored = {name[2:]: (json.loads(value), ttl) for name, (value, ttl) in theirs.items() if name.startswith("m.")}
        assert stored == {str(clock): ({"id": id, "content": text}, ttl) for clock, id, text, ttl in messages}

    def go(self, steps):
        for number in range(steps):
            self.create_if_missing()
            step = self.rng.choice(self.RARE if self.rng.random() < 0.01 else self.STEPS)
            try:
                step(self)
                if number % 5 == 0:
                    self.create_if_missing()
                    self.compare_lines()
            except AssertionError as problem:
                raise AssertionError(f"step {number}, {step.__name__}, MILLRACE_SEED={SEED}: {problem}")


@pytest.mark.parametrize("near_seam", [True, False], ids=["near the seam", "far from the seam"])
@pytest.mark.parametrize("number", range(at_length(3, quick=1)))
def test_a_random_history_goes_as_the_design_says(still, s, clock, number, near_seam):
    print(f"MILLRACE_SEED={SEED}")
    history = History(random.Random(f"{SEED}/{number}/{near_seam}"), s, clock, near_seam)
    with still.changed_settings(**{"millrace.block_bytes": "256"}), clock.server() as replica:
        replica.replicate(still)
        # Redis 8.6 deletes the oracle's keys by itself in the last millisecond of their life, in which a command still
        # finds them.
        s.call("DEBUG", "SET-ACTIVE-EXPIRE", "0")
        try:
            history.go(1500)
        finally:
            s.call("DEBUG", "SET-ACTIVE-EXPIRE", "1")
        still.wait_for_replica(replica)
        assert replica.digest("ch") == still.digest("ch")
    happened = set(history.counts)
    for kind in ("duplicate: None", "ack: 1", "ack: 0", "fetch: more", "unsubscribe: 1", "unsubscribe: 0"):
        assert kind in happened, f"the history tests nothing: {history.counts}"
    assert f"foreign ack: {BADRECEIPT}" in happened
    assert any(kind.startswith("fetch: NOSUB") for kind in happened)
