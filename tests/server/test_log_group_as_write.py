"""A read with a group is a write, by either name. The host knows that of TREADGROUP. TREAD is a read for the host, and
asks it what it would answer to TREADGROUP: the same in every case, except where a test says so."""

import pathlib
import subprocess

import pytest

from cluster import Cluster
from log_family import without_ages
from log_groups import LONG, about, pending_offsets, take, write
from rights import user
from server import REPOSITORY, Server, wait_until, wait_until_same

by_either_name = pytest.mark.parametrize("name", ["TREAD", "TREADGROUP"])
READONLY = "READONLY You can't write against a read only replica."
IN_SCRIPT = "return redis.call(unpack(ARGV))"


def with_group(name, *options, key="log"):
    return (name, key, "1", "1", "GROUP", "g", *options)


def plain(name="TREAD", key="log"):
    return (name, key, "1", "1")


def evaluated(*words, by="EVAL", script=IN_SCRIPT):
    return (by, script, "1", "log", *words)


# --- rights ---

RIGHTS_THAT_DO_NOT_DO = {
    "TREAD and reading of keys": ("+tread", "%R~*"),
    "TREAD and TACK": ("+tread", "+tack", "~*"),
    "all commands and reading of keys": ("+@all", "%R~*"),
    "all commands but TREADGROUP": ("+@all", "-treadgroup", "~*"),
    "other keys": ("+@all", "%R~*", "%W~other"),
    "TREADGROUP in a selector for other keys": ("+tread", "~*", "(+treadgroup ~other)"),
    "TREADGROUP in a selector for reading": ("+tread", "%R~*", "(+treadgroup %R~log)"),
}


@by_either_name
@pytest.mark.parametrize("row", RIGHTS_THAT_DO_NOT_DO)
def test_a_user_who_may_not_write_may_read_but_not_with_a_group(server, c, row, name):
    write(c, 2)
    take(c, 0)
    before = server.digest("log")
    with user(server, "+eval", "+multi", "+exec", *RIGHTS_THAT_DO_NOT_DO[row]) as guest:
        assert guest.call(*plain()) == [[1, b"t", b"e0"]]
        for options in ((), LONG, ("BLOCK", "0")):
            assert guest.error_of(*with_group(name, *options)).startswith("NOPERM")
        assert guest.error_of(name, "missing", "1", "1", "TAILGROUP", "g").startswith("NOPERM")
        refused = guest.error_of(*evaluated(*with_group(name)))
        assert "NOPERM" in refused or "ACL failure" in refused or "The user executing the script can't" in refused
    assert (server.digest("log"), c.call("EXISTS", "missing")) == (before, 0)


def test_in_a_transaction_the_rights_to_tread_with_a_group_are_checked_when_it_runs(server, c):
    # The host asks a module nothing about a command that it queues, so it does not know of the group yet.
    write(c, 2)
    take(c, 0)
    before = server.digest("log")
    with user(server, "+@all", "-treadgroup", "~*") as guest:
        _, queued, executed = guest.call_all([("MULTI",), with_group("TREADGROUP"), ("EXEC",)])
        assert str(queued).startswith("NOPERM") and str(executed).startswith("EXECABORT")
        _, queued, executed = guest.call_all([("MULTI",), with_group("TREAD"), ("EXEC",)])
        assert queued == b"QUEUED" and str(executed[0]).startswith("NOPERM")
    assert server.digest("log") == before


@pytest.mark.parametrize("rules", [("+treadgroup", "~log"), ("(+treadgroup ~log)",)])
def test_treadgroup_on_the_key_is_the_right_that_both_need(server, c, rules):
    write(c, 3)
    with user(server, "+tread", "%R~*", "(+tack +eval ~log)", *rules) as guest:
        assert guest.call(*with_group("TREAD", *LONG)) == [[1, b"t", b"e0"]]
        assert guest.call(*evaluated(*with_group("TREAD"))) == [[2, b"t", b"e1"]]
        assert guest.call(*with_group("TREADGROUP")) == [[3, b"t", b"e2"]]
        assert guest.call("TACK", "log", "g", "1") == 1
        for name in ("TREAD", "TREADGROUP"):
            assert guest.error_of(*with_group(name, key="other")).startswith("NOPERM")
    assert (about(c)["last"], pending_offsets(c)) == (3, [])


def test_a_refused_group_read_is_in_the_acl_log(server, c):
    server.admin.call("ACL", "LOG", "RESET")
    with user(server, "+@all", "-treadgroup", "~*") as guest:
        guest.error_of(*with_group("TREAD"))
    [entry] = server.admin.call("ACL", "LOG")
    entry = {key.decode(): value for key, value in zip(entry[::2], entry[1::2])}
    assert (entry["reason"], entry["object"].lower(), entry["username"]) == (b"command", b"treadgroup", b"guest")


# --- names ---


def test_three_names_for_a_read_with_and_without_a_group(c):
    write(c, 2)
    assert c.call(*with_group("TREADGROUP")) == [[1, b"t", b"e0"]]
    assert c.call("tReAd", "log", "1", "1", "withinfo", "tailgroup", "g") == [[1, 2], [2, b"t", b"e1"]]
    assert c.call(*plain("TREAD_RO")) == [[1, b"t", b"e0"]]
    assert c.error_of("TREADGROUP", "log", "1", "1", "WITHINFO", "SKIP") == "ERR TREADGROUP needs GROUP or TAILGROUP"
    assert c.error_of(*with_group("TREAD_RO")) == "ERR TREAD_RO reads without a group"
    assert c.call("TWRITE", "log", "GROUP", "a tag of that name") == 3
    assert c.call("TREAD_RO", "log", "1", "1", "TAGS", "1", "GROUP") == [[3, b"GROUP", b"a tag of that name"]]


def test_a_server_counts_each_group_read_under_treadgroup(server, c):
    write(c, 3)
    server.admin.call("CONFIG", "RESETSTAT")
    c.call(*with_group("TREAD"))
    c.call(*with_group("TREADGROUP"))
    c.call(*plain())
    stats = {key.lower(): value for key, value in server.info("commandstats").items()}
    assert stats["cmdstat_treadgroup"].startswith("calls=2,")


# --- pauses ---


@pytest.fixture
def paused(server):
    server.admin.call("CLIENT", "PAUSE", "60000", "WRITE")
    yield
    server.admin.call("CLIENT", "UNPAUSE")


@by_either_name
def test_while_writes_are_paused_a_group_read_waits_and_is_then_served(server, c, connect, name):
    write(c, 3)
    alone, in_transaction, in_script = connect(), connect(), connect()
    in_transaction.call("MULTI")
    in_transaction.call(*with_group(name))
    before = server.digest("log")
    server.admin.call("CLIENT", "PAUSE", "60000", "WRITE")
    try:
        alone.send(*with_group(name))
        in_transaction.send("EXEC")
        in_script.send(*evaluated(*with_group(name)))
        assert c.call(*plain("TREAD_RO")) == [[1, b"t", b"e0"]]
        assert c.call(*evaluated(*plain("TREAD_RO"), by="EVAL_RO")) == [[1, b"t", b"e0"]]
        assert not any(client.has_answer() for client in (alone, in_transaction, in_script))
        assert server.digest("log") == before
    finally:
        server.admin.call("CLIENT", "UNPAUSE")
    answers = [alone.read(), in_transaction.read()[0], in_script.read()]
    assert sorted(answers) == [[[1, b"t", b"e0"]], [[2, b"t", b"e1"]], [[3, b"t", b"e2"]]]


def test_while_writes_are_paused_plain_tread_waits_as_well(server, c, connect):
    # The host decides by the name. TREAD_RO is for those who cannot wait.
    write(c, 1)
    server.admin.call("CLIENT", "PAUSE", "60000", "WRITE")
    try:
        c.send(*plain())
        assert connect().call(*plain("TREAD_RO")) == [[1, b"t", b"e0"]]
        assert not c.has_answer()
    finally:
        server.admin.call("CLIENT", "UNPAUSE")
    assert c.read() == [[1, b"t", b"e0"]]


@by_either_name
def test_during_a_failover_that_is_given_up_a_group_read_waits(name):
    with Server() as master, Server() as replica, master.connect() as c:
        replica.replicate(master)
        write(c, 2)
        master.wait_for_replica(replica)
        replica.suspend()
        try:
            # The replica must have everything before it takes over, and this write does not reach it.
            write(c, 1)
            master.admin.call("FAILOVER", "TO", "127.0.0.1", replica.port, "TIMEOUT", 60_000)
            c.send(*with_group(name))
            with master.connect() as other:
                assert other.call(*plain("TREAD_RO")) == [[1, b"t", b"e0"]]
            assert not c.has_answer()
            master.admin.call("FAILOVER", "ABORT")
        finally:
            replica.resume()
        assert c.read() == [[1, b"t", b"e0"]]
        wait_until_same(replica, master, "log")


# --- scripts ---

FUNCTIONS = """#!lua name=reads
redis.register_function{function_name='reads', callback=function(keys, words) return redis.call(unpack(words)) end,
                        flags={'no-writes'}}
redis.register_function('writes', function(keys, words) return redis.call(unpack(words)) end)
"""


@by_either_name
def test_a_read_only_script_refuses_a_group_read(server, c, name):
    write(c, 2)
    c.call("FUNCTION", "LOAD", "REPLACE", FUNCTIONS)
    before = server.digest("log")
    group = with_group(name)
    for refused in (
        evaluated(*group, by="EVAL_RO"),
        evaluated(*group, script=f"#!lua flags=no-writes\n{IN_SCRIPT}"),
        ("FCALL_RO", "reads", "1", "log", *group),
        ("FCALL", "reads", "1", "log", *group),
    ):
        assert "Write commands are not allowed from read-only scripts" in c.error_of(*refused)
        served = [*refused[: -len(group)], *plain("TREAD_RO")]
        assert c.call(*served) == [[1, b"t", b"e0"]]
        if name == "TREAD":
            # The host decides by the name.
            assert "Write commands are not allowed" in c.error_of(*refused[: -len(group)], *plain())
    assert server.digest("log") == before


@by_either_name
def test_other_scripts_read_with_a_group_and_replicas_and_the_aof_get_the_effect(name):
    with Server(appendonly="yes") as server, Server() as replica, server.connect() as c:
        replica.replicate(server)
        write(c, 6)
        c.call("FUNCTION", "LOAD", "REPLACE", FUNCTIONS)
        group = with_group(name, *LONG)
        for call in (
            evaluated(*group),
            evaluated(*group, script=f"#!lua\n{IN_SCRIPT}"),
            ("FCALL", "writes", "1", "log", *group),
            group,
        ):
            assert len(c.call(*call)) == 1
        assert len(c.call_all([("MULTI",), group, plain(), ("EXEC",)])[-1]) == 2
        assert pending_offsets(c) == [1, 2, 3, 4, 5]
        server.wait_for_replica(replica)
        assert replica.digest("log") == server.digest("log")
        before = server.digest("log")
        server.kill()
        server.restart()
        assert server.digest("log") == before


# --- replicas, disk, memory ---


@by_either_name
def test_a_group_read_needs_as_many_replicas_as_a_write(server, c, name):
    write(c, 2)
    with server.changed_settings(min_replicas_to_write="3"):
        assert c.error_of(*with_group(name)).startswith("NOREPLICAS Not enough good replicas to write")
        assert c.error_of(*evaluated(*with_group(name))).find("NOREPLICAS") >= 0
        assert c.call(*plain()) == [[1, b"t", b"e0"]]
    assert c.call(*with_group(name)) == [[1, b"t", b"e0"]]


@by_either_name
def test_a_group_read_is_refused_while_the_disk_takes_no_snapshots(name):
    with Server(save="3600 1") as server, server.connect() as c:
        write(c, 2)
        before = server.digest("log")
        in_the_way = pathlib.Path(server.directory) / "dump.rdb"
        in_the_way.mkdir()
        failed = lambda: server.info("persistence")["rdb_last_bgsave_status"] == "err"
        server.admin.call("BGSAVE")
        wait_until(failed, "the snapshot has failed")
        native = c.error_of("TEVICT", "log", "1")
        assert native.startswith("MISCONF") and c.error_of(*with_group(name)) == native
        assert c.call(*plain()) == [[1, b"t", b"e0"]]
        assert server.digest("log") == before
        in_the_way.rmdir()
        server.admin.call("BGSAVE")
        wait_until(lambda: not failed(), "the snapshot is written")
        assert c.call(*with_group(name)) == [[1, b"t", b"e0"]]


@by_either_name
def test_a_replica_refuses_group_reads_and_serves_others(server, replica, c, connect, name):
    write(c, 2)
    take(c, 1, *LONG)
    server.wait_for_replica(replica)
    there = connect(to=replica)
    assert there.error_of(*with_group(name)) == there.error_of(*with_group(name, "BLOCK", "0")) == READONLY
    assert READONLY.split(maxsplit=1)[1] in there.error_of(*evaluated(*with_group(name)))
    for read in ("TREAD", "TREAD_RO"):
        assert there.call(read, "log", "2", "1") == [[2, b"t", b"e1"]]
    assert without_ages(there.call("TGROUP", "LIST", "log")) == without_ages(c.call("TGROUP", "LIST", "log"))
    assert pending_offsets(there) == [1]


@by_either_name
def test_a_replica_that_takes_writes_takes_group_reads(name):
    with Server() as master, Server(replica_read_only="no") as replica, replica.connect() as there:
        replica.replicate(master)
        write(master.admin, 2)
        master.wait_for_replica(replica)
        assert there.call(*with_group(name, *LONG)) == [[1, b"t", b"e0"]]
        assert pending_offsets(there) == [1]


@by_either_name
def test_a_replica_without_its_master_refuses_all_if_it_must_not_serve_old_data(name):
    with Server() as master, Server(replica_serve_stale_data="no", replica_read_only="no") as replica:
        replica.replicate(master)
        master.suspend()
        try:
            replica.admin.call("CLIENT", "KILL", "TYPE", "MASTER")
            wait_until(lambda: replica.info("replication")["master_link_status"] == "down", "it has lost its master")
            with replica.connect() as there:
                for words in (with_group(name), plain(), plain("TREAD_RO")):
                    assert there.error_of(*words).startswith("MASTERDOWN")
        finally:
            master.resume()


@by_either_name
def test_under_maxmemory_reads_that_make_pending_are_refused_and_acknowledging_is_not(server, c, name):
    write(c, 3)
    take(c, 2, *LONG)
    with server.changed_settings(maxmemory="1", maxmemory_policy="noeviction"):
        assert c.error_of(*with_group(name, *LONG)) == "OOM command not allowed when used memory > 'maxmemory'."
        assert c.call("TACK", "log", "g", "1") == 1
        assert c.call(*with_group(name)) == [[3, b"t", b"e2"]]
    assert pending_offsets(c) == [2]


# --- clusters ---


@pytest.fixture(scope="module")
def cluster():
    with Cluster(replicas=1) as cluster:
        yield cluster


def test_in_a_cluster_a_replica_sends_a_group_read_to_the_master(cluster):
    master = cluster.masters[0]
    [replica] = [node for node in cluster.nodes if node.info("replication").get("master_port") == str(master.port)]
    with master.connect() as node, replica.connect() as there:
        [key, *_] = [
            key for key in map(str, range(100)) if cluster.master_of(node.call("CLUSTER", "KEYSLOT", key)) is master]
        write(node, 2, key=key)
        master.wait_for_replica(replica)
        there.call("READONLY")
        assert there.call(*plain(key=key)) == [[1, b"t", b"e0"]]
        moved = there.error_of(*with_group("TREADGROUP", key=key))
        assert moved == f"MOVED {node.call('CLUSTER', 'KEYSLOT', key)} 127.0.0.1:{master.port}"
        assert there.error_of(*with_group("TREAD", key=key)) == moved
        assert there.error_of(*with_group("TREAD", "BLOCK", "0", key=key)) == moved
        assert str(there.call_all([("MULTI",), with_group("TREAD", key=key), ("EXEC",)])[-1][0]) == moved
        for name in ("TREAD", "TREADGROUP"):
            there.error_of("EVAL", IN_SCRIPT, "1", key, *with_group(name, key=key))
        assert node.call(*with_group("TREAD", key=key)) == [[1, b"t", b"e0"]]


def test_in_a_cluster_that_is_down_and_may_be_read_a_group_read_is_refused(cluster):
    master = cluster.masters[0]
    with master.connect() as node:
        key = next(
            key for key in map(str, range(100)) if cluster.master_of(node.call("CLUSTER", "KEYSLOT", key)) is master)
        write(node, 1, key=key)
        lost = next(
            slot for slot in range(16384) if cluster.master_of(slot) is master and slot != node.call("CLUSTER", "KEYSLOT", key))
        node.call("CONFIG", "SET", "cluster-allow-reads-when-down", "yes")
        node.call("CLUSTER", "DELSLOTS", lost)
        try:
            wait_until(lambda: b"cluster_state:fail" in node.call("CLUSTER", "INFO"), "a slot has no owner")
            assert node.call(*plain(key=key)) == [[1, b"t", b"e0"]]
            native = node.error_of(*with_group("TREADGROUP", key=key))
            assert native.startswith("CLUSTERDOWN") and node.error_of(*with_group("TREAD", key=key)) == native
        finally:
            node.call("CLUSTER", "ADDSLOTS", lost)
            node.call("CONFIG", "SET", "cluster-allow-reads-when-down", "no")
            wait_until(lambda: b"cluster_state:ok" in node.call("CLUSTER", "INFO"), "all slots have owners again")


# --- other modules, caches ---


@pytest.fixture(scope="module")
def other_module(tmp_path_factory):
    """A server with another module whose command calls ours."""
    library = tmp_path_factory.mktemp("caller") / "caller.so"
    source = REPOSITORY / "tests" / "server" / "calling_module.c"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    with Server(enable_module_command="yes") as server:
        server.admin.call("MODULE", "LOAD", str(library))
        yield server


@by_either_name
def test_another_module_reads_with_a_group_and_its_user_needs_the_same_rights(other_module, name):
    other_module.admin.call("FLUSHALL")
    with other_module.connect() as c, Server() as replica:
        replica.replicate(other_module)
        write(c, 4)
        assert c.call("CALL.AS", "!", *with_group(name, *LONG)) == [[1, b"t", b"e0"]]
        assert c.call("CALL.AS", "!CS", *with_group(name, *LONG)) == [[2, b"t", b"e1"]]
        with user(other_module, "+@all", "-treadgroup", "~*") as guest:
            refused = guest.error_of("CALL.AS", "!CE", *with_group(name))
            assert "NOPERM" in refused or "acl verification failed" in refused
            # Without C it is not for the user that the module calls.
            assert guest.call("CALL.AS", "!", *with_group(name, *LONG)) == [[3, b"t", b"e2"]]
        assert pending_offsets(c) == [1, 2, 3]
        other_module.wait_for_replica(replica)
        assert replica.digest("log") == other_module.digest("log")


def test_a_client_with_a_cache_is_told_of_the_next_change_whether_it_read_with_a_group_or_not(c, connect):
    # The host remembers the keys of commands that it takes for reads, so TREAD with a group costs one message more.
    write(c, 2)
    cached = connect(protocol=3)
    for words, told in ((plain(), True), (with_group("TREAD"), True), (with_group("TREADGROUP"), False)):
        cached.call("CLIENT", "TRACKING", "ON", "NOLOOP")
        cached.call(*words)
        c.call("TWRITE", "log", "t", "more")
        cached.send("PING")
        answers = [cached.read() for _ in range(2 if told else 1)]
        assert answers[-1] == b"PONG"
        cached.call("CLIENT", "TRACKING", "OFF")
