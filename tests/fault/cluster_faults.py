"""A cluster of three masters and three replicas, with objects of every family spread over its slots: replicas take over
by a command or because their master is killed, and slots move from node to node, while clients go on.

Clients count as acknowledged only what a replica has, according to WAIT.
"""

import random

from books import now
from cluster import Cluster
from cluster_connection import ClusterConnection, slot_of
from crew import Crew, is_on_a_replica
from library_client import LibraryClient
from server import let_pass, wait_until

EACH = 2  # clients of every family
LONGEST_PEACE = 0.5  # seconds


def run(seconds, seed, books):
    books.counts["slots moved"] = 0
    with Cluster(replicas=1) as cluster:
        Trial(cluster, f"{seed}/cluster", books).run(seconds)


class Trial:
    def __init__(self, cluster, seed, books):
        self._cluster = cluster
        self._books = books
        self._rng = random.Random(seed)
        self._crew = Crew(seed, books, is_on_a_replica, EACH)
        self._crew.clients.append(LibraryClient("library", random.Random(f"{seed}/library"), books, self._ports))

    def _ports(self):
        return [node.port for node in self._cluster.nodes if node.is_alive()]

    def _connect(self):
        return ClusterConnection(self._ports())

    def run(self, seconds):
        self._settle()
        self._crew.prepare(self._connect)
        # Counted from here, because on a busy machine the start of six nodes may take as long as a short run.
        end = now() + seconds
        while now() < end and self._books.are_clean:
            self._crew.start(self._connect)
            let_pass(self._rng.random() * LONGEST_PEACE)
            self._rng.choice(self._faults())()
            let_pass(self._rng.random() * LONGEST_PEACE)
            self._crew.rest()
            self._settle()
            self._crew.prove(self._connect)
        self._crew.finish(self._connect)
        self._crew.prove(self._connect)

    def _settle(self):
        wait_until(self._cluster.is_whole, "every slot has a master and every master a replica that follows it")

    # --- faults ---

    def _faults(self):
        return [self._hand_over, self._kill, self._move_slots, self._move_slots]

    def _some_replica(self):
        masters = {node.port for node in self._cluster.masters}
        return self._rng.choice([node for node in self._cluster.nodes if node.port not in masters])

    def _master_of(self, replica):
        port = int(replica.info("replication")["master_port"])
        return next(node for node in self._cluster.nodes if node.port == port)

    def _hand_over(self):
        self._hand_over_to(self._some_replica())

    def _hand_over_to(self, replica):
        self._cluster.hand_over_to(replica)
        self._books.count("failovers")

    def _kill(self):
        self._kill_master_of(self._some_replica())

    def _kill_master_of(self, replica):
        master = self._master_of(replica)
        master.kill()
        self._books.count("kills")
        wait_until(lambda: self._is_master(replica), "the replica has taken over")
        self._books.count("failovers")
        # Restarted only now: it comes back empty, and must not be a master any more.
        master.come_back()

    @staticmethod
    def _is_master(node):
        return node.info("replication")["role"] == "master"

    def _move_slots(self):
        """Moves some slots that our keys are in. A table and its log move one after the other; in between, commands for
        both are answered with TRYAGAIN."""
        for key in self._rng.sample(self._crew_keys(), 3):
            slot = slot_of(key)
            source = self._cluster.master_of(slot)
            self._cluster.move_slot(slot, self._rng.choice([node for node in self._cluster.masters if node is not source]))
            self._books.count("slots moved")

    def _crew_keys(self):
        return [key.decode() for node in self._cluster.masters for key in node.admin.call("KEYS", "*")]
