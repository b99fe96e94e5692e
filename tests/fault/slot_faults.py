"""The cluster of cluster_faults.py on a host that moves slots by itself: slots move as a whole while clients go on. Some
moves are given up, and some meet a failover of the node that the slots leave or of the one they go to.
"""

from books import CannotRun
from cluster import Cluster
from cluster_connection import slot_of
from cluster_faults import Trial
from resp import RespError
from server import let_pass, wait_until

MOST_SLOTS = 300  # in one move
LONGEST_HEAD_START = 0.3  # seconds that a move has before something happens to it


def run(seconds, seed, books):
    books.counts.update({"slots moved": 0, "slots given up": 0, "moves refused": 0, "failovers in a move": 0})
    # Each key of a slot takes a while to send, so that something can happen in between.
    with Cluster(replicas=1, appendonly="yes", rdb_key_save_delay=20_000) as cluster:
        if not cluster.moves_slots():
            raise CannotRun("this host moves no slots by itself; MILLRACE_SERVER can name another one")
        _SlotTrial(cluster, f"{seed}/slots", books).run(seconds)


class _SlotTrial(Trial):
    def _faults(self):
        return [self._move, self._move, self._give_up, self._fail_over]

    def _begin(self):
        """A move of the slot of one of our keys and of those behind it; None if the host refuses it, for example because
        it still deletes the keys of an earlier one."""
        first = slot_of(self._rng.choice(self._crew_keys()))
        source = self._cluster.master_of(first)
        target = self._rng.choice([node for node in self._cluster.masters if node is not source])
        [end] = [last for start, last, (_, port, *_), *_ in source.admin.call("CLUSTER", "SLOTS")
                 if start <= first <= last and port == source.port]
        last = min(end, first + self._rng.randrange(MOST_SLOTS))
        try:
            return self._cluster.begin_to_move(first, last, target)
        except RespError:
            self._books.count("moves refused")
            return None

    def _move(self):
        for _ in range(3):
            move = self._begin()
            if move is None:
                continue
            wait_until(move.is_over, "the move is over")
            self._books.count("slots moved" if move.has_succeeded() else "slots given up", move.size())

    def _give_up(self):
        if (move := self._begin()) is None:
            return
        self._give_it_time()
        try:
            move.cancel()
        except RespError:
            pass  # it was over
        wait_until(move.is_over, "the move is over")
        self._books.count("slots moved" if move.has_succeeded() else "slots given up", move.size())

    def _fail_over(self):
        if (move := self._begin()) is None:
            return
        side = self._rng.choice([move.source, move.target])
        replica = next(node for node in self._cluster.nodes if node.info("replication").get("master_port") == str(side.port))
        self._give_it_time()
        self._books.count("failovers in a move")
        if self._rng.random() < 0.5:
            self._kill_master_of(replica)
        else:
            self._hand_over_to(replica)

    def _give_it_time(self):
        let_pass(self._rng.random() * LONGEST_HEAD_START)
