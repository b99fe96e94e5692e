"""A dictionary: every term has the score that was acknowledged."""

from books import now
from client import Client
from suggest_family import scores

TERMS = tuple(f"term {n}" for n in range(20))
HALVED_BELOW = 1024


class SuggestClient(Client):
    """Scores are whole numbers. The client makes odd ones even before they are halved, so that they stay whole."""

    def prepare(self, c):
        self._key = f"suggest:{self.name}"
        # term -> (score, when that was acknowledged); 0: the term does not exist
        self._known = {term: (0, 0.0) for term in TERMS}
        self._under_way = {}  # term -> the score of a change without an answer

    def step(self, c):
        term, chance = self.rng.choice(TERMS), self.rng.random()
        score = self._known[term][0]
        if chance < 0.2 and score:
            self._change(c, {term: 0}, 1, "SUG.DEL", self._key, term)
        elif chance < 0.6:
            wanted = self.rng.randrange(1, HALVED_BELOW)
            self._change(c, {term: wanted}, b"%d" % wanted, "SUG.ADD", self._key, term, "SCORE", wanted)
        elif chance < 0.95:
            self._change(c, {term: score + 1}, b"%d" % (score + 1), "SUG.ADD", self._key, term)
        elif any(known for known, _ in self._known.values()) and not any(known % 2 for known, _ in self._known.values()):
            halved = {one: known // 2 for one, (known, _) in self._known.items()}
            self._change(c, halved, sum(known > 0 for known, _ in self._known.values()), "SUG.DECAY", self._key, "50")
        else:
            self._make_even(c)

    def _make_even(self, c):
        """Makes one odd score even."""
        odd = [term for term, (score, _) in self._known.items() if score % 2]
        if odd:
            score = self._known[odd[0]][0] + 1
            self._change(c, {odd[0]: score}, b"%d" % score, "SUG.ADD", self._key, odd[0])

    def _change(self, c, wanted, expected, *command):
        self._under_way = wanted
        answer = c.call(*command)
        when = self.acknowledged(c)
        if answer != expected:
            self.books.lost(f"{self._key}: {command} answers {answer} and not {expected}")
        self._known.update({term: (score, when) for term, score in wanted.items()})
        self._under_way = {}

    def prove(self, c, promise):
        there = {term.decode(): float(score) for term, score in scores(c, self._key)}
        for term in TERMS:
            self._prove_score(term, there.get(term, 0), promise)
        self._under_way = {}

    def _prove_score(self, term, found, promise):
        score, when = self._known[term]
        if found == score:
            return
        if self._under_way.get(term) != found:
            if promise.holds(when):
                self.books.lost(f"{self._key}: {term} has {found} and not {score}")
            else:
                self.books.count("forgotten")
        self._known[term] = (int(found), now())

    def finish(self, c):
        pass
