"""Every data type on a replica: the same digest at whatever moment it was attached, and when promoted."""

import pytest

from families import FAMILIES, on
from server import Server, wait_until

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=str)


def test_a_replica_attached_before_the_writes_has_them(server, replica, c, family):
    for seed in range(5):
        family.fill(c, f"key{seed}", seed)
    server.wait_for_replica(replica)
    for seed in range(5):
        assert replica.digest(f"key{seed}") == server.digest(f"key{seed}")
    with replica.connect() as there:
        assert family.read(there, "key0")[1:] == family.read(c, "key0")[1:]


def test_a_replica_attached_after_the_writes_has_them_and_follows_on(server, c, family):
    family.fill(c, "key", 1)
    with Server() as late:
        late.replicate(server)
        assert late.digest("key") == server.digest("key")
        family.fill(c, "key", 2)
        family.append(c, "new")
        server.wait_for_replica(late)
        assert late.digest("key") == server.digest("key")
        assert late.digest("new") == server.digest("new")


@pytest.mark.parametrize("load", ["disabled", "swapdb"])
def test_a_replica_fed_without_files_has_the_same(server, c, family, load):
    family.fill(c, "key", 1)
    with server.changed_settings(repl_diskless_sync="yes", repl_diskless_sync_delay="0"):
        with Server(repl_diskless_load=load) as late:
            with late.connect() as there:
                family.fill(there, "key", 5)
            late.replicate(server)
            assert late.digest("key") == server.digest("key")
            family.append(c, "key")
            wait_until(lambda: late.digest("key") == server.digest("key"), "it follows on")


def test_a_replica_of_a_replica_has_the_same(server, replica, c, family):
    with Server() as second:
        second.replicate(replica)
        family.fill(c, "key", 1)
        wait_until(lambda: second.digest("key") == server.digest("key"), "the second replica has it too")


def test_a_replica_that_reconnects_catches_up(server, replica, c, family):
    family.fill(c, "key", 1)
    server.admin.call_all([("CLIENT", "KILL", "TYPE", "replica")])
    family.fill(c, "key", 2)
    wait_until(lambda: replica.digest("key") == server.digest("key"), "the replica has caught up")


def test_a_promoted_replica_goes_on_where_its_master_was(server, c, family):
    family.fill(c, "key", 1)
    with Server(appendonly="yes") as heir:
        heir.replicate(server)
        family.append(c, "key")
        server.wait_for_replica(heir)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        with heir.connect() as there:
            assert family.read(there, "key") == family.read(c, "key")
            family.append(there, "key")
            family.fill(there, "key", 2)
            before = family.read(there, "key"), heir.digest("key")
            heir.shutdown(save=False)
        heir.restart()
        with heir.connect() as there:
            assert (family.read(there, "key"), heir.digest("key")) == before


def test_a_replica_refuses_writes_of_clients_and_serves_reads(server, replica, c, connect, family):
    family.fill(c, "key", 1)
    server.wait_for_replica(replica)
    there = connect(to=replica)
    before = replica.digest("key")
    for command in family.write_commands:
        assert there.error_of(*on("key", command)).startswith("READONLY")
    for command in family.read_commands:
        # The map also contains the memory used, which depends on the object's history.
        if command != family.map_command:
            assert family.steady(there.call(*on("key", command))) == family.steady(c.call(*on("key", command)))
    assert replica.digest("key") == before


def test_a_master_that_becomes_a_replica_takes_over_what_the_new_master_has(server, c, family):
    family.fill(c, "key", 1)
    with Server() as other:
        with other.connect() as there:
            family.fill(there, "key", 2)
            family.fill(there, "mine", 3)
        other.replicate(server)
        assert other.digest("key") == server.digest("key")
        assert other.admin.call("EXISTS", "mine") == 0
