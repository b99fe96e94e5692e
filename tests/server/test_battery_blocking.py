"""Waiting, for every data type that can: who stops waiting leaves no trace, however he stops."""

import pytest

from families import FAMILIES, on
from server import Server, wait_until

pytestmark = pytest.mark.parametrize("family", [f for f in FAMILIES if f.waiting], ids=str)


def wait_for_waiting(server, family, count):
    name = family.waiting.blocked_counter
    wait_until(lambda: server.counter(name) == count, f"{name} is {count}")
    server.wait_for_blocked(count)


def waiting_client(server, connect, family, command=None):
    reader = connect()
    reader_id = reader.call("CLIENT", "ID")
    already = server.counter(family.waiting.blocked_counter)
    reader.send(*on("key", command or family.waiting.command))
    wait_for_waiting(server, family, already + 1)
    return reader, reader_id


def test_a_waiting_client_is_woken_by_a_write(server, c, connect, family):
    reader, _ = waiting_client(server, connect, family)
    family.waiting.wake(c, "key")
    assert reader.read() == family.waiting.answer
    wait_for_waiting(server, family, 0)
    assert reader.call("PING") == b"PONG"


def test_a_client_that_waits_in_vain_is_told_so(server, connect, family):
    assert connect().call(*on("key", family.waiting.command_briefly)) == family.waiting.answer_in_vain
    wait_for_waiting(server, family, 0)


def test_client_unblock_timeout_answers_as_if_the_time_were_over(server, c, connect, family):
    reader, reader_id = waiting_client(server, connect, family)
    assert c.call("CLIENT", "UNBLOCK", reader_id, "TIMEOUT") == 1
    assert reader.read() == family.waiting.answer_in_vain
    wait_for_waiting(server, family, 0)
    assert reader.call("PING") == b"PONG"


def test_client_unblock_error_answers_with_the_hosts_error(server, c, connect, family):
    reader, reader_id = waiting_client(server, connect, family)
    assert c.call("CLIENT", "UNBLOCK", reader_id, "ERROR") == 1
    assert str(reader.read()) == "UNBLOCKED client unblocked via CLIENT UNBLOCK"
    wait_for_waiting(server, family, 0)
    assert reader.call("PING") == b"PONG"


def test_a_client_that_disconnects_leaves_no_trace(server, c, connect, family):
    gone, _ = waiting_client(server, connect, family)
    stays, _ = waiting_client(server, connect, family)
    gone.close()
    wait_for_waiting(server, family, 1)
    family.waiting.wake(c, "key")
    assert stays.read() == family.waiting.answer
    wait_for_waiting(server, family, 0)


def test_a_client_that_is_killed_leaves_no_trace(server, c, connect, family):
    killed, killed_id = waiting_client(server, connect, family)
    stays, _ = waiting_client(server, connect, family)
    assert c.call("CLIENT", "KILL", "ID", killed_id) == 1
    wait_until(killed.is_closed_by_server, "the killed client is gone")
    wait_for_waiting(server, family, 1)
    family.waiting.wake(c, "key")
    assert stays.read() == family.waiting.answer
    wait_for_waiting(server, family, 0)


def test_clients_killed_right_after_the_write_that_woke_them_leave_no_trace(server, c, connect, family):
    readers = [waiting_client(server, connect, family) for _ in range(5)]
    c.call("MULTI")
    family.waiting.wake(c, "key")
    for _, reader_id in readers:
        c.call("CLIENT", "KILL", "ID", reader_id)
    assert len(c.call("EXEC")) == 1 + len(readers)
    wait_for_waiting(server, family, 0)


def test_inside_a_transaction_nobody_waits(server, c, family):
    c.call("MULTI")
    c.call(*on("key", family.waiting.command))
    assert c.call("EXEC") == [family.waiting.answer_in_vain]
    wait_for_waiting(server, family, 0)


def test_inside_a_script_nobody_waits(server, c, family):
    words = on("key", family.waiting.command)
    script = "local answer = redis.call(unpack(ARGV)) if answer == false then return 'nothing' end return answer"
    assert c.call("EVAL", script, "1", "key", *words) == (family.waiting.answer_in_vain or b"nothing")
    wait_for_waiting(server, family, 0)


def test_a_woken_client_goes_on_with_what_it_had_sent_meanwhile(server, c, connect, family):
    reader, _ = waiting_client(server, connect, family)
    reader.send("PING")
    reader.send(*on("other", family.waiting.command))
    family.waiting.wake(c, "key")
    assert reader.read() == family.waiting.answer
    assert reader.read() == b"PONG"
    wait_for_waiting(server, family, 1)
    family.waiting.wake(c, "other")
    assert reader.read() == family.waiting.answer


def test_a_key_of_another_type_does_not_disturb_who_waits(server, c, connect, family):
    reader, _ = waiting_client(server, connect, family)
    c.call("SET", "key", "text")
    c.call("LPUSH", "list", "x")
    c.call("RENAME", "list", "key")
    assert c.call("PING") == b"PONG"
    assert not reader.has_answer()
    wait_for_waiting(server, family, 1)
    c.call("DEL", "key")
    family.waiting.wake(c, "key")
    assert reader.read() == family.waiting.answer


def test_a_server_that_becomes_a_replica_sends_those_who_wait_away(server, family):
    with Server() as other:
        reader = other.connect()
        reader.send(*on("key", family.waiting.command))
        wait_for_waiting(other, family, 1)
        other.replicate(server)
        assert str(reader.read()).startswith("UNBLOCKED")
        wait_for_waiting(other, family, 0)
        reader.close()


def test_a_server_shuts_down_while_clients_wait(family):
    with Server(appendonly="yes") as other:
        readers = [other.connect() for _ in range(3)]
        for reader in readers:
            reader.send(*on("key", family.waiting.command))
        wait_for_waiting(other, family, 3)
        other.shutdown(save=True)
        assert "crashed" not in other.log()
        other.restart()
        wait_for_waiting(other, family, 0)
        for reader in readers:
            reader.close()


def test_in_a_cluster_who_waits_is_sent_away_when_the_slot_goes(family):
    with Server(cluster_enabled="yes") as node, node.connect() as reader:
        node.admin.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        wait_until(lambda: b"cluster_state:ok" in node.admin.call("CLUSTER", "INFO"), "the cluster is up")
        family.fill(node.admin, "other", 1)
        reader.send(*on("key", family.waiting.command))
        wait_for_waiting(node, family, 1)
        node.admin.call("CLUSTER", "DELSLOTS", node.admin.call("CLUSTER", "KEYSLOT", "key"))
        assert str(reader.read()).startswith("CLUSTERDOWN")
        wait_for_waiting(node, family, 0)


def test_a_flush_and_a_reload_keep_clients_waiting(server, c, connect, family):
    reader, _ = waiting_client(server, connect, family)
    c.call("FLUSHALL")
    c.call("DEBUG", "RELOAD")
    wait_for_waiting(server, family, 1)
    family.waiting.wake(c, "key")
    assert reader.read() == family.waiting.answer
