"""A real cluster on loopback, made by the host's command line."""

import subprocess
import time

from host import command_line
from resp import RespError
from server import Server, wait_until


class Cluster:
    """Three masters, or with replicas=1 six nodes. Use as a context manager."""

    # Milliseconds. Six servers and their clients share two busy cores: with one second, nodes considered each other
    # dead.
    NODE_TIMEOUT = 3000

    def __init__(self, replicas=0, **more):
        """`more` are additional settings of every node."""
        settings = {
            "cluster_enabled": "yes", "cluster_config_file": "nodes.conf", "cluster_node_timeout": self.NODE_TIMEOUT, **more}
        self.nodes = []
        try:
            for _ in range(3 * (1 + replicas)):
                self.nodes.append(Server(**settings))
            addresses = [f"127.0.0.1:{node.port}" for node in self.nodes]
            subprocess.run(
                [command_line(), "--cluster", "create", *addresses, "--cluster-replicas", str(replicas), "--cluster-yes"],
                check=True, capture_output=True, timeout=60)
            for node in self.nodes:
                wait_until(lambda: node.info("cluster")["cluster_enabled"] == "1" and self._is_up(node), "the cluster is up")
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def _is_up(node):
        state = node.admin.call("CLUSTER", "INFO").decode()
        return "cluster_state:ok" in state and "cluster_slots_ok:16384" in state

    @property
    def masters(self):
        return [node for node in self.nodes if node.is_alive() and node.info("replication")["role"] == "master"]

    def keys(self):
        """How many keys each master has."""
        return [node.admin.call("DBSIZE") for node in self.masters]

    def master_of(self, slot):
        """The master that says of itself that it serves the slot."""
        return wait_until(lambda: self._who_serves(slot), f"somebody serves slot {slot}")

    def _who_serves(self, slot):
        for node in self.masters:
            for first, last, (_, port, *_), *_ in node.admin.call("CLUSTER", "SLOTS"):
                if first <= slot <= last and port == node.port:
                    return node
        return None

    def move_slot(self, slot, target, databases=1):
        """Moves the slot and its keys, one after the other, to another master; clients go on meanwhile."""
        source = self.master_of(slot)
        name = lambda node: node.admin.call("CLUSTER", "MYID")
        target.admin.call("CLUSTER", "SETSLOT", slot, "IMPORTING", name(source))
        source.admin.call("CLUSTER", "SETSLOT", slot, "MIGRATING", name(target))
        for database in range(databases):
            source.admin.call("SELECT", database)
            while keys := source.admin.call("CLUSTER", "GETKEYSINSLOT", slot, 1):
                source.admin.call("MIGRATE", "127.0.0.1", target.port, keys[0], database, 30_000)
        source.admin.call("SELECT", 0)
        # The target first: otherwise no node would have the slot for a moment.
        for node in [target, source, *self.masters]:
            node.admin.call("CLUSTER", "SETSLOT", slot, "NODE", name(target))

    def moves_slots(self):
        """Whether the host moves whole slots by itself."""
        help_text = b" ".join(self.nodes[0].admin.call("CLUSTER", "HELP"))
        return b"MIGRATION" in help_text or b"MIGRATESLOTS" in help_text

    def begin_to_move(self, first, last, target):
        """The host begins to move the slots from `first` to `last`, which one master has, to another one."""
        return SlotMove(self, self.master_of(first), target, first, last)

    def hand_over_to(self, replica):
        """Makes the replica take over, by a command that the host answers before it is done. The replica gives up when
        the machine is busy, or when a master whose view of the slots is old refuses its vote; it begins the next
        election only four node timeouts later."""
        wait_until(self.is_whole, "the cluster is whole before a replica takes over")
        asked_at = 0.0

        def has_taken_over():
            nonlocal asked_at
            if replica.info("replication")["role"] == "master":
                return True
            if time.monotonic() > asked_at + 6:
                asked_at = time.monotonic()
                replica.admin.call("CLUSTER", "FAILOVER")
            return False

        wait_until(has_taken_over, "the replica has taken over")

    def is_whole(self):
        """Every node sees a master for every slot, and every master has a replica that follows it and has all of its
        data."""
        try:
            return self._looks_whole()
        except RespError as error:
            if str(error).startswith("LOADING"):
                return False  # a node that loads the copy of its master answers INFO, but no CLUSTER command
            raise

    def _looks_whole(self):
        masters = self.masters
        if len(masters) != 3 or not all(self._is_up(node) for node in self.nodes) or not self._is_of_one_mind():
            return False
        written = {str(master.port): int(master.info("replication")["master_repl_offset"]) for master in masters}
        states = [node.info("replication") for node in self.nodes if node not in masters]
        followed = {
            state["master_port"] for state in states
            if state.get("master_link_status") == "up"
            and int(state["slave_repl_offset"]) >= written.get(state["master_port"], 0)}
        return followed == written.keys()

    def _is_of_one_mind(self):
        """Every node says the same about which node serves which slots, and since which epoch."""
        return len({self._slots_seen_by(node) for node in self.nodes}) == 1

    @staticmethod
    def _slots_seen_by(node):
        lines = [line.split() for line in node.admin.call("CLUSTER", "NODES").decode().splitlines()]
        return frozenset((name, epoch, *slots) for name, _, _, _, _, _, epoch, _, *slots in lines if slots)

    def stop(self):
        for node in self.nodes:
            node.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class SlotMove:
    """Slots that the host moves by itself: CLUSTER MIGRATION of Redis 8.4, CLUSTER MIGRATESLOTS of Valkey 9."""

    def __init__(self, cluster, source, target, first, last):
        self._cluster = cluster
        self.source = source
        self.target = target
        self._first = first
        self._last = last
        self._is_redis = b"MIGRATESLOTS" not in b" ".join(source.admin.call("CLUSTER", "HELP"))
        if self._is_redis:
            self._job = target.admin.call("CLUSTER", "MIGRATION", "IMPORT", first, last)
        else:
            known = {job[b"name"] for job in self._jobs()}
            source.admin.call(
                "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", first, last, "NODE", target.admin.call("CLUSTER", "MYID"))
            [self._job] = {job[b"name"] for job in self._jobs()} - known

    def _jobs(self):
        return [dict(zip(job[::2], job[1::2])) for job in self.source.admin.call("CLUSTER", "GETSLOTMIGRATIONS")]

    def state(self):
        """As the host says it: completed or success, failed, canceled or cancelled, or what it is doing."""
        if self._is_redis:
            [job] = self.target.admin.call("CLUSTER", "MIGRATION", "STATUS", "ID", self._job)
            return dict(zip(job[::2], job[1::2]))[b"state"].decode()
        return next(job[b"state"].decode() for job in self._jobs() if job[b"name"] == self._job)

    def size(self):
        """How many slots move."""
        return self._last - self._first + 1

    def has_succeeded(self):
        return self.state() in ("completed", "success")

    def is_over(self):
        return self.has_succeeded() or self.state() in ("failed", "canceled", "cancelled")

    def cancel(self):
        if self._is_redis:
            self.target.admin.call("CLUSTER", "MIGRATION", "CANCEL", "ID", self._job)
        else:
            self.source.admin.call("CLUSTER", "CANCELSLOTMIGRATIONS")

    def wait(self):
        """Waits until the target has the slots, every node knows it, and the source has none of their keys."""
        wait_until(self.is_over, "the slots have moved")
        assert self.has_succeeded(), f"the slots have not moved, but {self.state()}"
        wait_until(lambda: all(self._is_known_to(node) for node in self._cluster.nodes if node.is_alive()), "all nodes know it")
        self.wait_until_gone_from(self.source)

    def _is_known_to(self, node):
        return any(
            first <= self._first and self._last <= last and port == self.target.port
            for first, last, (_, port, *_), *_ in node.admin.call("CLUSTER", "SLOTS"))

    def wait_until_gone_from(self, node):
        slots = range(self._first, self._last + 1)
        wait_until(lambda: not any(node.admin.call("CLUSTER", "COUNTKEYSINSLOT", slot) for slot in slots),
                   "the node has no keys of the slots")
