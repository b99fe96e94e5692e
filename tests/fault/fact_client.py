"""A graph: every fact that was added is there, in all orders, and no fact that was removed."""

from books import now
from client import Client
from fact_family import found

NAMES = tuple(f"n{n}" for n in range(8))


class FactClient(Client):
    def prepare(self, c):
        self._key = f"fact:{self.name}"
        # fact -> (whether it exists, when that was acknowledged)
        self._known = {}
        self._under_way = {}  # fact -> a change without an answer

    def step(self, c):
        facts = {tuple(self.rng.choice(NAMES) for _ in range(3)) for _ in range(self.rng.randrange(1, 5))}
        is_there = self.rng.random() < 0.6
        self._under_way = {fact: is_there for fact in facts}
        words = [word for fact in facts for word in fact]
        changed = c.call("FACT.ADD" if is_there else "FACT.DEL", self._key, *words)
        when = self.acknowledged(c)
        expected = sum(self._is_there(fact) != is_there for fact in facts)
        if changed != expected:
            self.books.lost(f"{self._key}: {changed} facts were changed and not {expected}")
        self._known.update({fact: (is_there, when) for fact in facts})
        self._under_way = {}

    def _is_there(self, fact):
        return self._known.get(fact, (False, 0.0))[0]

    def prove(self, c, promise):
        there = {tuple(name.decode() for name in fact) for fact in found(c, self._key)}
        for asked in NAMES:
            for place in range(3):
                pattern = ["*"] * 3
                pattern[place] = asked
                if c.call("FACT.COUNT", self._key, *pattern) != sum(fact[place] == asked for fact in there):
                    self.books.lost(f"{self._key}: the orders do not agree about {pattern}")
        for fact in there | self._known.keys() | self._under_way.keys():
            self._prove_fact(fact, fact in there, promise)
        self._under_way = {}

    def _prove_fact(self, fact, is_there, promise):
        state, when = self._known.get(fact, (False, 0.0))
        if is_there == state:
            return
        if self._under_way.get(fact) != is_there:
            if promise.holds(when):
                self.books.lost(f"{self._key}: {fact} is {'' if is_there else 'not '}there")
            else:
                self.books.count("forgotten")
        self._known[fact] = (is_there, now())

    def finish(self, c):
        pass
