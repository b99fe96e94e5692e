"""Nothing that was acknowledged to a sender is lost, whatever dies: workers, the server, or a master with a replica.

Order per recipient holds, no payload is acknowledged by two owners, and SHARD.CHECK finds nothing.
"""

import os
import pathlib

import pytest

from server import Server, let_pass, wait_until, wait_until_same
from shard_load import Load
from shard_words import info

SEED = int(os.environ.get("MILLRACE_SEED", "20260106"))


def test_workers_crash_stall_and_come_back_too_late(server, c):
    print(f"MILLRACE_SEED={SEED}")
    load = Load(server, f"{SEED}/workers")

    def disturb():
        wait_until(lambda: info(c)["failovers"] >= 4, "workers have died")

    load.run(disturb)
    c.call("DEL", "pool")


def test_the_server_is_killed_again_and_again():
    print(f"MILLRACE_SEED={SEED}")
    with Server(appendonly="yes", appendfsync="always") as server:
        load = Load(server, f"{SEED}/server")

        def disturb():
            for life in range(4):
                let_pass(0.4)
                if life == 2:
                    server.admin.call("BGREWRITEAOF")
                server.kill()
                server.restart()

        load.run(disturb)


def test_a_replica_is_promoted_under_load():
    """A sender counts as acknowledged only what a replica has confirmed: the host guarantees no more."""
    print(f"MILLRACE_SEED={SEED}")
    with Server() as one, Server() as two:
        two.replicate(one)
        load = Load(one, f"{SEED}/promotion", is_confirmed=lambda connection: connection.call("WAIT", "1", "1000") >= 1)

        def disturb():
            master, heir = one, two
            for _ in range(2):
                let_pass(0.5)
                master.kill()
                heir.admin.call("REPLICAOF", "NO", "ONE")
                load.server = heir
                master.restart()
                master.replicate(heir)
                master, heir = heir, master

        load.run(disturb)
        load.server.wait_for_replica(one if load.server is two else two)
        wait_until_same(one, two, "pool")


def test_a_pool_that_was_killed_while_its_recipients_moved_goes_on_moving():
    many = 25_000
    with Server(appendonly="yes", appendfsync="always") as server:
        with server.connect() as c:
            c.call("SHARD.JOIN", "pool", "dead")
            c.call_all(("SHARD.ROUTE", "pool", f"r{n}") for n in range(many))
            c.call("SHARD.JOIN", "pool", "heir")
            c.call("MULTI")
            c.call("SHARD.LEAVE", "pool", "dead", "NOW")
            c.call("EXEC")
        server.kill()
        server.restart()
        with server.connect() as c:
            moved = info(c)["moved"]
            assert moved >= 10_000
            assert c.call("SHARD.CHECK", "pool") == b"OK"
            wait_until(lambda: info(c)["moved"] == many, "the rest has moved though nobody calls")
            assert c.call("SHARD.CHECK", "pool") == b"OK"
            assert [(worker["name"], worker["recipients"]) for worker in info(c)["workers"]] == [(b"heir", many)]


# --- the first effect of a pool ---


def incremental_aof(server):
    [path] = pathlib.Path(server.directory).glob("appendonlydir/*.incr.aof")
    return path


def commands_in(aof):
    """The commands of an AOF without line breaks in its words."""
    lines = iter(aof.read_bytes().split(b"\r\n"))
    for line in lines:
        if line.startswith(b"*"):
            yield [next(lines) for _ in range(2 * int(line[1:]))][1::2]


MAKE_A_POOL = [("SHARD.JOIN", "pool", "w"), ("SHARD.SET", "pool", "STALE", "1000000")]


@pytest.mark.parametrize("first", MAKE_A_POOL, ids=lambda words: words[0])
def test_a_pool_begins_with_the_command_that_makes_it_for_replicas_and_in_the_aof(clock, first):
    """The first effect is not the pool's time, which needs an existing pool, even if time moves while the command
    runs."""
    with clock.server(appendonly="yes") as server, Server() as replica:
        replica.replicate(server)
        clock.hurry_monotonic()
        with server.connect() as c:
            c.call(*first)
            c.call("SHARD.JOIN", "pool", "w")
            c.call("SHARD.HEARTBEAT", "pool", "w")
            c.call("SHARD.PUSH", "pool", "r", "payload")
            c.call("SHARD.PULL", "pool", "w")
        server.wait_for_replica(replica)
        expected = server.digest("pool")
        assert replica.digest("pool") == expected
        commands = [words for words in commands_in(incremental_aof(server)) if words[0].startswith(b"SHARD.")]
        assert commands[0] == [word.encode() for word in first]
        assert commands[1][:3] == [b"SHARD.APPLY", b"pool", b"CLOCK"], "time moves with the next command"
        server.kill()
        server.restart()
        assert server.digest("pool") == expected


def test_an_aof_of_1_0_0_that_has_the_time_of_a_pool_before_the_pool_is_loaded():
    join, clock = ("SHARD.JOIN", "pool", "w"), ("SHARD.APPLY", "pool", "CLOCK", str(10**12))
    with Server(appendonly="yes") as server:
        server.admin.call(*join)
        server.admin.call(*clock)
        server.admin.call(*join)  # joins again: the time of joining changes
        expected = server.digest("pool")
        server.admin.call("DEL", "pool")
        server.kill()
        with open(incremental_aof(server), "ab") as aof:
            for command in (clock, join):
                aof.write(b"*%d\r\n" % len(command))
                aof.writelines(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in command)
        server.restart()
        assert server.digest("pool") == expected
