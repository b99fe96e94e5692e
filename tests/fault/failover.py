"""A master and its replica change roles again and again, while a client of each family works on the current master. The
old master is killed, hands over in order, is stopped, or is cut off and goes on serving its clients.

Clients count as acknowledged only what the replica has, according to WAIT: the host guarantees no more for a failover.
"""

import random

from books import now
from crew import Crew, is_on_a_replica
from server import Server, let_pass, wait_until

CHANGES = 8  # changes of one pair, before the next starts empty
LONGEST_REIGN = 0.5  # seconds


def run(seconds, seed, books):
    end = now() + seconds
    number = 0
    while number == 0 or now() < end:
        with Server() as one, Server() as two:
            _Round(one, two, f"{seed}/failover/{number}", books).run(lambda: now() >= end)
        number += 1


class _Round:
    def __init__(self, master, heir, seed, books):
        self._master, self._heir = master, heir
        self._books = books
        self._rng = random.Random(seed)
        self._crew = Crew(seed, books, is_on_a_replica)

    def run(self, is_over):
        self._heir.replicate(self._master)
        self._crew.prepare(self._master.connect)
        for _ in range(CHANGES):
            self._reign_and_fall()
            self._crew.prove(self._master.connect)
            if is_over() or not self._books.are_clean:
                break
        self._crew.finish(self._master.connect)
        self._crew.prove(self._master.connect)
        self._compare()

    def _reign_and_fall(self):
        self._crew.start(self._master.connect)
        let_pass(self._rng.random() * LONGEST_REIGN)
        self._rng.choice([self._killed, self._handed_over, self._standing_still, self._cut_off])()
        self._books.count("failovers")
        self._master, self._heir = self._heir, self._master
        self._heir.replicate(self._master)

    def _promote_heir(self):
        self._heir.admin.call("REPLICAOF", "NO", "ONE")

    def _killed(self):
        self._master.kill()
        self._books.count("kills")
        self._promote_heir()
        self._crew.rest()
        self._master.restart()

    def _handed_over(self):
        """The host's FAILOVER command, which waits until the replica has everything."""
        self._master.admin.call("FAILOVER", "TO", "127.0.0.1", self._heir.port)
        wait_until(lambda: self._heir.info("replication")["role"] == "master", "the heir has taken over")
        self._crew.rest()

    def _standing_still(self):
        """The master is stopped and looks dead. Later it goes on where it was, and does not know that it is no longer
        the master."""
        self._master.suspend()
        self._promote_heir()
        let_pass(self._rng.random() * 0.1)
        self._master.resume()
        self._crew.rest()

    def _cut_off(self):
        """A partition: the master's clients go on writing for a while, and no replica confirms it."""
        self._promote_heir()
        let_pass(self._rng.random() * 0.1)
        self._crew.rest()

    def _compare(self):
        digest = lambda server: server.admin.call("DEBUG", "DIGEST")
        try:
            wait_until(lambda: digest(self._master) == digest(self._heir), "master and replica hold the same")
        except AssertionError as error:
            self._books.trouble(str(error))
