"""A server with another monotonic clock, as after a reboot or on another machine: there the date of a lease's end
counts. The test makes the other clock by a time namespace."""

import subprocess

import pytest

from locks import HOUR, acquire, dump_of_brief_lock, info, is_refused, take
from server import Server, server_binary, wait_until

OTHER_CLOCK = ["unshare", "--time", "--fork", "--kill-child", "--monotonic"]


def can_have_another_clock():
    try:
        return subprocess.run([*OTHER_CLOCK, "1000", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not can_have_another_clock(), reason="needs unshare --time, and root's rights")


@pytest.fixture(params=[1_000_000, -1], ids=["far ahead", "behind"])
def there(request, tmp_path, monkeypatch):
    """A server whose monotonic clock is some seconds ahead of ours, or a little behind."""
    script = tmp_path / "server"
    script.write_text(f'#!/bin/sh\nexec {" ".join(OTHER_CLOCK)} {request.param} {server_binary()} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("MILLRACE_SERVER", str(script))
    with Server() as server:
        monkeypatch.undo()
        yield server


def time_left(c):
    return info(c)["holders"][0]["ttl"]


@pytest.mark.parametrize("attached", ["before", "after"])
def test_a_replica_with_another_clock_takes_over_with_no_more_time_than_was_left(server, c, there, attached):
    if attached == "before":
        there.replicate(server)
    take(c, "ann", ttl=HOUR)
    if attached == "after":
        there.replicate(server)
    server.wait_for_replica(there)
    assert there.digest("lock") == server.digest("lock")
    before = time_left(c)
    there.admin.call("REPLICAOF", "NO", "ONE")
    # Two clocks are read in milliseconds, each rounded down.
    assert HOUR - 20_000 < time_left(there.admin) <= before + 1


def test_a_lease_that_came_from_another_clock_ends_by_itself(server, c, there):
    there.replicate(server)
    take(c, "ann", ttl=2000)
    server.wait_for_replica(there)
    there.admin.call("REPLICAOF", "NO", "ONE")
    with there.connect() as waiting:
        assert acquire(waiting, "bob", "WAIT", HOUR)[0] == 1


def test_a_dump_goes_there_and_back(server, c, there):
    take(c, "ann", ttl=HOUR)
    before = time_left(c)
    there.admin.call("RESTORE", "lock", "0", c.call("DUMP", "lock"))
    assert is_refused(there.admin, "bob")
    c.call("RESTORE", "lock", "0", there.admin.call("DUMP", "lock"), "REPLACE")
    assert HOUR - 20_000 < time_left(c) <= before + 1


def test_a_dump_that_is_over_is_free_there(server, c, there):
    there.admin.call("RESTORE", "lock", "0", dump_of_brief_lock(c))
    wait_until(lambda: there.admin.call("EXISTS", "lock") == 0, "it is freed although nobody calls")
