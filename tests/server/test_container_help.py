"""HELP of every command that has subcommands: what it answers, and where it is allowed."""

import sys

import pytest

from families import FAMILIES
from rights import user
from server import REPOSITORY, Server, wait_until
from slow_loading import SLOW_TO_LOAD, load_the_rest_at_once

sys.path.append(str(REPOSITORY / "tools"))
from command_docs import plain, syntax  # noqa: E402

pytestmark = pytest.mark.parametrize("container", [words[0] for family in FAMILIES for words in family.help_commands])


def help_of(connection, container):
    return [line.decode() for line in connection.call(container, "HELP")]


# --- the answer ---


def test_it_begins_and_ends_as_the_hosts_own_help_does(c, container):
    ours, hosts = help_of(c, container), help_of(c, "XGROUP")
    assert ours[0] == hosts[0].replace("XGROUP", container)
    # Redis 7.0 has "Prints"; Redis 7.2 and Valkey have the same text as ours.
    assert ours[-2:] == ["HELP", "    Print this help."]
    assert hosts[-2:] in (ours[-2:], ["HELP", "    Prints this help."])


def test_it_lists_every_subcommand_with_syntax_and_summary_as_command_docs_has_them(connect, container):
    c = connect(protocol=3)
    described = plain(c.call("COMMAND", "DOCS", container))[container.lower()]["subcommands"]
    expected = {
        f"{name.split('|')[1].upper()} {syntax(doc['arguments'])}": f"    {doc['summary']}"
        for name, doc in described.items()
        if not name.endswith("|help")
    }
    lines = help_of(c, container)[1:-2]
    assert dict(zip(lines[::2], lines[1::2])) == expected
    assert len(lines) == 2 * len(expected), "none is listed twice"


def test_it_is_an_array_of_simple_strings_in_both_protocols(c, connect, container):
    answer = c.bytes_of(container, "HELP")
    lines = answer.split(b"\r\n")
    assert lines[0] == b"*%d" % (len(lines) - 2)
    assert all(line.startswith(b"+") for line in lines[1:-1])
    assert connect(protocol=3).bytes_of(container, "HELP") == answer


def test_its_name_is_understood_in_any_case(c, container):
    assert c.bytes_of(container.lower(), "hElP") == c.bytes_of(container, "HELP")


def test_it_takes_no_further_word(c, container):
    error = c.error_of(container, "HELP", "LIST")
    assert error.upper() == f"ERR WRONG NUMBER OF ARGUMENTS FOR '{container}|HELP' COMMAND"


def test_the_error_of_an_unknown_subcommand_leads_to_it(c, container):
    error = c.error_of(container, "NONSENSE")
    assert error == f"ERR unknown subcommand 'NONSENSE'. Try {container} HELP."


# --- where it is allowed ---


def test_it_has_the_flags_of_the_hosts_own_help_and_no_key(c, container):
    [ours, hosts] = c.call("COMMAND", "INFO", f"{container}|HELP", "XGROUP|HELP")
    assert set(ours[2]) == {*hosts[2], b"module"}
    assert ours[1] == hosts[1] and ours[3:6] == hosts[3:6] == [0, 0, 0] and ours[8] == []
    assert "no key arguments" in c.error_of("COMMAND", "GETKEYS", container, "HELP")


def test_a_transaction_a_script_and_a_replica_answer_the_same(c, connect, replica, container):
    lines = help_of(c, container)
    c.call("MULTI")
    assert c.call(container, "HELP") == b"QUEUED"
    assert c.call("EXEC") == [[line.encode() for line in lines]]
    for run in ("EVAL", "EVAL_RO"):
        answer = c.call(run, "return redis.call(ARGV[1], 'HELP')", "0", container)
        assert answer == [line.encode() for line in lines]
    assert help_of(connect(to=replica), container) == lines


def test_it_is_not_a_change(server, c, connect, container):
    dirty = server.info("persistence")["rdb_changes_since_last_save"]
    sent = server.info("replication")["master_repl_offset"]
    c.call("WATCH", "key")
    help_of(connect(), container)
    c.call("MULTI")
    assert c.call("EXEC") == []
    assert server.info("persistence")["rdb_changes_since_last_save"] == dirty
    assert server.info("replication")["master_repl_offset"] == sent


def test_a_user_needs_the_right_to_run_it_and_to_no_key(server, c, container):
    with user(server, f"+{container}|HELP") as guest:
        assert help_of(guest, container) == help_of(c, container)
        assert guest.error_of(container, "LIST", "key").startswith("NOPERM")
    with user(server, f"+{container}") as guest:
        assert help_of(guest, container) == help_of(c, container)
    with user(server, "+@all", "~*", f"-{container}|HELP") as guest:
        assert guest.error_of(container, "HELP").startswith("NOPERM")
        guest.call(container, "LIST", "key")


def test_a_node_of_a_cluster_that_serves_no_slot_answers(c, container):
    with Server(cluster_enabled="yes") as node:
        assert node.admin.error_of(container, "LIST", "key").startswith("CLUSTERDOWN")
        assert help_of(node.admin, container) == help_of(c, container)


def test_a_replica_that_must_not_serve_stale_data_answers(c, container):
    with Server(replica_serve_stale_data="no") as replica:
        replica.admin.call("REPLICAOF", "127.0.0.1", "1")
        assert replica.admin.error_of(container, "LIST", "key").startswith("MASTERDOWN")
        assert help_of(replica.admin, container) == help_of(c, container)


def test_a_server_that_loads_its_data_set_answers(c, container):
    fill = [("SET", f"filler:{i}", "x" * 2000) for i in range(100)]
    fill += [("TWRITE", f"log:{i}", "tag", "x" * 2000) for i in range(100)]
    with Server(**SLOW_TO_LOAD) as server:
        server.admin.call_all(fill)
        with server.connect() as other:

            def is_loading():
                other.send(container, "LIST", "key")
                return str(other.read()).startswith("LOADING")

            server.admin.send("DEBUG", "RELOAD")
            wait_until(is_loading, "the server is loading")
            assert help_of(other, container) == help_of(c, container)
            assert is_loading(), "the answer came while it was loading"
            load_the_rest_at_once(other)
            assert server.admin.read() == b"OK"
            assert help_of(other, container) == help_of(c, container)
