"""Other activity on the same server does not damage any data type: memory limits, pauses, loading and unloading."""

import subprocess

import pytest

from families import FAMILIES, name_of, on
from server import Server, module_path, wait_until

every_family = pytest.mark.parametrize("family", FAMILIES, ids=str)

POLICIES = (
    "allkeys-lru", "allkeys-lfu", "allkeys-random",
    "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
)
HOUR = 3_600_000


# --- memory limits ---


def full_keys(server, c, family, count=4):
    """key -> its digest."""
    for seed in range(count):
        family.fill(c, f"key{seed}", seed)
        c.call("PEXPIRE", f"key{seed}", 10 * HOUR)
    return {f"key{seed}": server.digest(f"key{seed}") for seed in range(count)}


def used(server):
    return int(server.info("memory")["used_memory"])


@every_family
@pytest.mark.parametrize("policy", POLICIES)
def test_under_maxmemory_a_key_is_evicted_whole_or_not_at_all(server, replica, c, family, policy):
    if family.follows_keys:
        pytest.skip("it changes with the other keys that are evicted: see test_index_history.py")
    before = full_keys(server, c, family)
    content = sum(c.call("MEMORY", "USAGE", key) for key in before)
    with server.changed_settings(maxmemory_policy=policy, maxmemory=used(server) - content // 2):
        wait_until(lambda: c.call("EXISTS", *before) < len(before), "a key is evicted")
    left = {key for key in before if c.call("EXISTS", key)}  # nothing is evicted any more
    assert {key: server.digest(key) for key in left} == {key: before[key] for key in left}
    for key in before:
        assert (c.call("TYPE", key) == family.type_name.encode()) == (key in left)
        family.append(c, key)
        family.read(c, key)
    server.wait_for_replica(replica)
    assert {key: replica.digest(key) for key in before} == {key: server.digest(key) for key in before}


@every_family
def test_under_noeviction_nothing_is_evicted(server, c, family):
    before = full_keys(server, c, family, count=2)
    with server.changed_settings(maxmemory_policy="noeviction", maxmemory=1):
        for command in family.growing_commands:
            assert c.error_of(*on("key0", command)).startswith("OOM "), command
        assert {key: server.digest(key) for key in before} == before


# --- pauses ---


def postponed(server):
    """How many clients the host holds back."""
    listed = server.admin.call("CLIENT", "LIST", "TYPE", "NORMAL").decode().splitlines()
    return sum("b" in dict(pair.split("=", 1) for pair in line.split())["flags"] for line in listed)


@every_family
def test_while_writes_are_paused_reads_are_answered_and_writes_wait(server, c, connect, family):
    family.fill(c, "key", 1)
    before = server.digest("key")
    writers = [connect() for _ in family.write_commands]
    server.admin.call("CLIENT", "PAUSE", "60000", "WRITE")
    try:
        for writer, command in zip(writers, family.write_commands):
            writer.send(*on("key", command))
        wait_until(lambda: postponed(server) == len(writers), "all of them are held back")
        for command in family.read_commands:
            # A command that can write with some arguments is held back with any arguments: the host decides by its
            # name.
            if name_of(command) not in family.may_write:
                c.call(*on("key", command))
        assert server.digest("key") == before
        assert not any(writer.has_answer() for writer in writers)
    finally:
        server.admin.call("CLIENT", "UNPAUSE")
    for writer in writers:
        writer.read()
    assert server.digest("key") != before


# --- loading and unloading ---


def test_unloading_is_refused_with_a_reason_and_everything_goes_on():
    with Server(enable_module_command="yes") as server, server.connect() as c:
        before = filled(server, c)
        assert "can't unload" in c.error_of("MODULE", "UNLOAD", "millrace")
        check_all_is_there(server, c, before)


def test_a_second_load_is_refused_and_everything_goes_on():
    with Server(enable_module_command="yes") as server, server.connect() as c:
        before = filled(server, c)
        assert c.error_of("MODULE", "LOAD", module_path()).startswith("ERR Error loading the extension")
        check_all_is_there(server, c, before)


def filled(server, c):
    for family in FAMILIES:
        family.fill(c, family.name, 1)
    return {family.name: server.digest(family.name) for family in FAMILIES}


def check_all_is_there(server, c, before):
    """Checks that all keys are there, and that they can be written to, saved and loaded."""
    assert {name: server.digest(name) for name in before} == before
    for family in FAMILIES:
        family.append(c, family.name)
    after = {name: server.digest(name) for name in before}
    assert c.call("DEBUG", "RELOAD") == b"OK"
    assert {name: server.digest(name) for name in before} == after
    assert server.counter("payloads_refused") == 0


# --- other libraries in the process ---


def test_the_module_exports_its_entry_point_only():
    """Valkey lets the libraries of a module look up symbols there first, and they would find our operator new."""
    listed = subprocess.run(["nm", "--dynamic", "--defined-only", module_path()], check=True, capture_output=True, text=True)
    assert [line.split()[-1] for line in listed.stdout.splitlines()] == ["RedisModule_OnLoad"]
