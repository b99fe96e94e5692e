"""The process dies at a named point while it saves, rewrites or loads; afterwards, what was there before is there
again.

module/runtime/failure_point.h says how. The points are in a module of their own, build/millrace_failing.so.
"""

import pathlib
import re

import pytest

from families import FAMILIES
from server import REPOSITORY, Server, module_path, wait_until

# Every type has a failure point at each part that it saves, loads and rewrites (module/runtime/type_in_parts.cc); some
# have more.
TYPE = re.compile(r'SavedType kSaved\{"[\w ]+", "(\w+)"')
NAMED = re.compile(r'failure_point\("([\w.-]+)"\)')


def found(pattern, files):
    return [name for path in (REPOSITORY / "module").glob(files) for name in pattern.findall(path.read_text())]


POINTS = sorted(
    [f"{name}.{step}" for name in found(TYPE, "*/*_type.h") for step in ("save", "load", "rewrite")]
    + ["log.save-group", "log.load-group"] + found(NAMED, "*/*_type.cc"))


def at(step):
    return [point for point in POINTS if point.split(".")[1].startswith(step)]


@pytest.fixture(autouse=True)
def failing_module(monkeypatch):
    path = pathlib.Path(module_path()).with_name("millrace_failing.so")
    assert path.exists(), "cmake --build build --target millrace_failing"
    monkeypatch.setenv("MILLRACE_MODULE", str(path))


def fail_at(server, point):
    """Sets the failure point; None clears it."""
    file = pathlib.Path(server.directory) / "failure-point"
    file.unlink(missing_ok=True) if point is None else file.write_text(point)


def fill(server):
    for family in FAMILIES:
        family.fill(server.admin, family.name, 1)
    return digests(server)


def append(server):
    for family in FAMILIES:
        family.append(server.admin, family.name)
    return digests(server)


def digests(server):
    return {family.name: server.digest(family.name) for family in FAMILIES}


def test_every_family_has_points_in_all_it_does():
    for family in ("log", "channel", "pool", "lock", "route", "index", "fact", "suggest"):
        assert {f"{family}.save", f"{family}.load", f"{family}.rewrite"} <= set(POINTS)


@pytest.mark.parametrize("point", at("save"))
def test_a_server_that_dies_while_it_saves_has_what_it_saved_before(point):
    with Server() as server:
        saved = fill(server)
        server.admin.call("SAVE")
        append(server)
        fail_at(server, point)
        with pytest.raises(OSError):
            server.admin.call("SAVE")
        server.kill()
        fail_at(server, None)
        server.restart()
        assert digests(server) == saved


@pytest.mark.parametrize("point", at("save"))
def test_a_child_that_dies_while_it_saves_leaves_the_server_and_the_file_alone(point):
    with Server() as server:
        saved = fill(server)
        server.admin.call("SAVE")
        present = append(server)
        fail_at(server, point)
        server.admin.call("BGSAVE")
        wait_until(lambda: server.info("persistence")["rdb_last_bgsave_status"] == "err", "the child has died")
        assert digests(server) == present
        server.kill()
        fail_at(server, None)
        server.restart()
        assert digests(server) == saved


@pytest.mark.parametrize("preamble, point", [("yes", p) for p in at("save")] + [("no", p) for p in at("rewrite")])
def test_a_child_that_dies_while_it_rewrites_the_aof_loses_nothing(preamble, point):
    with Server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble=preamble) as server:
        fill(server)
        wait_until(lambda: server.info("persistence")["aof_rewrite_in_progress"] == "0", "no rewrite is running")
        fail_at(server, point)
        server.admin.call("BGREWRITEAOF")
        wait_until(lambda: server.info("persistence")["aof_last_bgrewrite_status"] == "err", "the child has died")
        present = append(server)
        server.kill()
        fail_at(server, None)
        server.restart()
        assert digests(server) == present
        server.rewrite_aof()
        server.kill()
        server.restart()
        assert digests(server) == present


@pytest.mark.parametrize("point", at("load"))
def test_a_server_that_dies_while_it_loads_loads_everything_the_next_time(point):
    with Server() as server:
        saved = fill(server)
        server.shutdown(save=True)
        fail_at(server, point)
        with pytest.raises(RuntimeError, match="does not start"):
            server.restart()
        fail_at(server, None)
        server.restart()
        assert digests(server) == saved


@pytest.mark.parametrize("point", at("load"))
def test_a_replica_that_dies_while_it_loads_is_whole_when_it_has_come_back(point):
    with Server() as master, Server() as replica:
        present = fill(master)
        fail_at(replica, point)
        replica.admin.call("REPLICAOF", "127.0.0.1", master.port)
        wait_until(lambda: not replica.is_alive(), "the replica has died")
        replica.kill()  # it has died already; this forgets its connections
        fail_at(replica, None)
        replica.restart()
        replica.replicate(master)
        assert digests(replica) == present == digests(master)
