"""The index of docs/commands has the errors that every command can give, exactly as the server prints them."""

import pytest

from cluster import Cluster
from command_pages import common_errors, is_told
from rights import user
from server import Server, wait_until
from slow_loading import SLOW_TO_LOAD, load_the_rest_at_once

READ = ("TREAD", "key", "1", "1")
WRITE = ("TWRITE", "key", "tag", "entry")


def error_with(connection, *words):
    connection.send(*words)
    return str(connection.read())


def without_the_module(server, c):
    with Server(module=False) as other:
        return error_with(other.admin, *READ)


def when_memory_is_full(server, c):
    with server.changed_settings(maxmemory="1"):
        return error_with(c, *WRITE)


def of_a_user_without_rights(server, c):
    with user(server, "+ping") as guest:
        return error_with(guest, *READ)


def while_a_script_runs(server, c):
    with Server(busy_reply_threshold=1) as other, other.connect() as busy, other.connect() as asking:
        busy.send("EVAL", "while true do end", "0")
        wait_until(lambda: error_with(asking, "PING").startswith("BUSY"), "the script is found to be slow")
        error = error_with(asking, *READ)
        asking.call("SCRIPT", "KILL")
        busy.read()
        return error


def while_it_loads(server, c):
    with Server(**SLOW_TO_LOAD) as other, other.connect() as asking:
        other.admin.call_all([("SET", f"filler:{i}", "x" * 2000) for i in range(100)])
        other.admin.send("DEBUG", "RELOAD")
        error = wait_until(lambda: (found := error_with(asking, *READ)).startswith("LOADING") and found, "it loads")
        load_the_rest_at_once(asking)
        assert other.admin.read() == b"OK"
        return error


def without_its_master(server, c):
    with Server(replica_serve_stale_data="no") as replica:
        replica.admin.call("REPLICAOF", "127.0.0.1", "1")
        return error_with(replica.admin, *READ)


def after_a_save_that_failed(server, c):
    with Server(save="3600 1", dbfilename="no.rdb") as other:
        # A file cannot replace a directory, so the save fails.
        (other._log_path().parent / "no.rdb").mkdir()
        other.admin.call("BGSAVE")
        wait_until(lambda: other.info("persistence")["rdb_last_bgsave_status"] == "err", "the save fails")
        return error_with(other.admin, *WRITE)


def of_a_client_that_is_unblocked(server, c):
    with server.connect() as waiting:
        number = waiting.call("CLIENT", "ID")
        waiting.send(*READ, "BLOCK", "0")
        server.wait_for_blocked(1)
        c.call("CLIENT", "UNBLOCK", number, "ERROR")
        return str(waiting.read())


def wrong_type(server, c):
    c.call("SET", "key", "value")
    return error_with(c, *READ)


def with_too_few_replicas(server, c):
    with server.changed_settings(min_replicas_to_write="9"):
        return error_with(c, *WRITE)


def without_a_password(server, c):
    with Server() as other, other.changed_settings(requirepass="secret"), other.connect() as stranger:
        return error_with(stranger, *READ)


def on_a_node_without_slots(server, c):
    with Server(cluster_enabled="yes") as node:
        return error_with(node.admin, *READ)


PROVOKED = {
    "ERR wrong number of arguments": lambda server, c: error_with(c, "TREAD"),
    "ERR unknown subcommand": lambda server, c: error_with(c, "TGROUP", "NONSENSE", "key"),
    "ERR unknown command": without_the_module,
    "WRONGTYPE": wrong_type,
    "OOM": when_memory_is_full,
    "NOPERM": of_a_user_without_rights,
    "NOAUTH": without_a_password,
    "CLUSTERDOWN": on_a_node_without_slots,
    "LOADING": while_it_loads,
    "MASTERDOWN": without_its_master,
    "NOREPLICAS": with_too_few_replicas,
    "MISCONF": after_a_save_that_failed,
    "BUSY": while_a_script_runs,
    "UNBLOCKED": of_a_client_that_is_unblocked,
}
IN_A_CLUSTER = {"MOVED", "ASK", "TRYAGAIN", "CROSSSLOT"}


def printed(code, error):
    """Whether the index has the error in a row of this code."""
    return is_told(error, [text for text in common_errors() if text.startswith(code)])


@pytest.mark.parametrize("code", PROVOKED)
def test_the_index_prints_an_error_as_the_server_does(server, c, code):
    error = PROVOKED[code](server, c)
    assert printed(code, error), error


def test_the_index_prints_the_error_of_a_write_as_a_replica_does(connect, replica):
    error = error_with(connect(to=replica), *WRITE)
    assert printed("READONLY", error), error


def test_the_index_prints_the_errors_of_a_cluster_as_its_nodes_do():
    dispatch = ("ROUTE.DISPATCH", "key", "APP", "a", "MODEL", "m", "EVENT", "e", "QUEUES", "push")
    with Cluster() as cluster:
        slot = cluster.nodes[0].admin.call("CLUSTER", "KEYSLOT", "key")
        source = cluster.master_of(slot)
        target = next(node for node in cluster.masters if node is not source)
        found = {"MOVED": error_with(target.admin, *READ), "CROSSSLOT": error_with(source.admin, *dispatch, "log")}
        target.admin.call("CLUSTER", "SETSLOT", slot, "IMPORTING", source.admin.call("CLUSTER", "MYID"))
        source.admin.call("CLUSTER", "SETSLOT", slot, "MIGRATING", target.admin.call("CLUSTER", "MYID"))
        found["ASK"] = error_with(source.admin, *READ)
        target.admin.call("ASKING")
        found["TRYAGAIN"] = error_with(target.admin, *dispatch, "{key}log")
    assert found.keys() == IN_A_CLUSTER
    for code, error in found.items():
        assert printed(code, error), error


def test_every_error_of_the_index_is_provoked_here():
    codes = [*PROVOKED, "READONLY", *IN_A_CLUSTER]
    assert common_errors()
    for error in common_errors():
        assert any(error.startswith(code) for code in codes), error
