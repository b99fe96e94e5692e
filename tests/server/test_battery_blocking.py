"""Waiting, for every data type with commands that wait: a client that stops waiting leaves no trace, whatever the
reason."""

import pytest

from families import FAMILIES, on
from server import Server, wait_until

pytestmark = pytest.mark.parametrize("way", [way for family in FAMILIES for way in family.waiting], ids=str)


def wait_for_waiting(server, way, count):
    name = way.blocked_counter
    wait_until(lambda: server.counter(name) == count, f"{name} is {count}")
    server.wait_for_blocked(count)


def waiting_client(server, connect, way):
    reader = connect()
    way.prepare(server.admin, "key")
    reader_id = reader.call("CLIENT", "ID")
    already = server.counter(way.blocked_counter)
    reader.send(*on("key", way.command))
    wait_for_waiting(server, way, already + 1)
    return reader, reader_id


def test_a_waiting_client_is_woken_by_a_write(server, c, connect, way):
    reader, _ = waiting_client(server, connect, way)
    way.wake(c, "key")
    assert reader.read() == way.answer
    wait_for_waiting(server, way, 0)
    assert reader.call("PING") == b"PONG"


def test_a_client_that_waits_in_vain_gets_an_answer(server, c, connect, way):
    way.prepare(c, "key")
    reader = connect()
    reader.send(*on("key", way.command_briefly))
    assert reader.read() == way.answer_in_vain
    wait_for_waiting(server, way, 0)


def test_client_unblock_timeout_answers_as_if_the_time_were_over(server, c, connect, way):
    reader, reader_id = waiting_client(server, connect, way)
    assert c.call("CLIENT", "UNBLOCK", reader_id, "TIMEOUT") == 1
    assert reader.read() == way.answer_in_vain
    wait_for_waiting(server, way, 0)
    assert reader.call("PING") == b"PONG"


def test_client_unblock_error_answers_with_the_hosts_error(server, c, connect, way):
    reader, reader_id = waiting_client(server, connect, way)
    assert c.call("CLIENT", "UNBLOCK", reader_id, "ERROR") == 1
    assert str(reader.read()) == "UNBLOCKED client unblocked via CLIENT UNBLOCK"
    wait_for_waiting(server, way, 0)
    assert reader.call("PING") == b"PONG"


def test_a_client_that_disconnects_leaves_no_trace(server, c, connect, way):
    gone, _ = waiting_client(server, connect, way)
    stays, _ = waiting_client(server, connect, way)
    gone.close()
    wait_for_waiting(server, way, 1)
    way.wake(c, "key")
    assert stays.read() == way.answer
    wait_for_waiting(server, way, 0)


def test_a_client_that_is_killed_leaves_no_trace(server, c, connect, way):
    killed, killed_id = waiting_client(server, connect, way)
    stays, _ = waiting_client(server, connect, way)
    assert c.call("CLIENT", "KILL", "ID", killed_id) == 1
    wait_until(killed.is_closed_by_server, "the killed client is gone")
    wait_for_waiting(server, way, 1)
    way.wake(c, "key")
    assert stays.read() == way.answer
    wait_for_waiting(server, way, 0)


def test_clients_killed_right_after_the_write_that_woke_them_leave_no_trace(server, c, connect, way):
    readers = [waiting_client(server, connect, way) for _ in range(5)]
    c.call("MULTI")
    way.wake(c, "key")
    for _, reader_id in readers:
        c.call("CLIENT", "KILL", "ID", reader_id)
    assert len(c.call("EXEC")) == 1 + len(readers)
    wait_for_waiting(server, way, 0)


def test_inside_a_transaction_no_command_waits(server, c, way):
    way.prepare(c, "key")
    c.call("MULTI")
    c.call(*on("key", way.command))
    assert c.call("EXEC") == [way.answer_in_vain]
    wait_for_waiting(server, way, 0)


def test_inside_a_script_no_command_waits(server, c, way):
    way.prepare(c, "key")
    words = on("key", way.command)
    script = "local answer = redis.pcall(unpack(ARGV)) if answer == false then return 'nothing' end return answer"
    c.send("EVAL", script, "1", "key", *words)
    assert c.read() == (b"nothing" if way.answer_in_vain is None else way.answer_in_vain)
    wait_for_waiting(server, way, 0)


def test_a_woken_client_goes_on_with_what_it_had_sent_meanwhile(server, c, connect, way):
    reader, _ = waiting_client(server, connect, way)
    way.prepare(c, "other")
    reader.send("PING")
    reader.send(*on("other", way.command))
    way.wake(c, "key")
    assert reader.read() == way.answer
    assert reader.read() == b"PONG"
    wait_for_waiting(server, way, 1)
    way.wake(c, "other")
    assert reader.read() == way.answer


def is_sent_away(reader, way):
    """True if this way of waiting ends with the key and the reader has got that answer."""
    if way.answer_without_key is None:
        return False
    assert reader.read() == way.answer_without_key("key")
    return True


def test_a_key_of_another_type_does_not_disturb_waiting_clients(server, c, connect, way):
    reader, _ = waiting_client(server, connect, way)
    c.call("SET", "key", "text")
    if is_sent_away(reader, way):
        return
    c.call("LPUSH", "list", "x")
    c.call("RENAME", "list", "key")
    assert c.call("PING") == b"PONG"
    assert not reader.has_answer()
    wait_for_waiting(server, way, 1)
    c.call("DEL", "key")
    way.wake(c, "key")
    assert reader.read() == way.answer


def test_a_server_that_becomes_a_replica_disconnects_waiting_clients(server, way):
    with Server() as other:
        reader = other.connect()
        way.prepare(reader, "key")
        reader.send(*on("key", way.command))
        wait_for_waiting(other, way, 1)
        other.replicate(server)
        assert str(reader.read()).startswith("UNBLOCKED")
        wait_for_waiting(other, way, 0)
        reader.close()


def test_a_server_shuts_down_while_clients_wait(way):
    with Server(appendonly="yes") as other:
        readers = [other.connect() for _ in range(3)]
        way.prepare(other.admin, "key")
        for reader in readers:
            reader.send(*on("key", way.command))
        wait_for_waiting(other, way, 3)
        other.shutdown(save=True)
        assert "crashed" not in other.log()
        other.restart()
        wait_for_waiting(other, way, 0)
        for reader in readers:
            reader.close()


def test_in_a_cluster_a_waiting_client_is_redirected_when_the_slot_moves(way):
    with Server(cluster_enabled="yes") as node, node.connect() as reader:
        node.admin.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        wait_until(lambda: b"cluster_state:ok" in node.admin.call("CLUSTER", "INFO"), "the cluster is up")
        node.admin.call("SET", "other", "slot")
        way.prepare(node.admin, "key")
        reader.send(*on("key", way.command))
        wait_for_waiting(node, way, 1)
        node.admin.call("CLUSTER", "DELSLOTS", node.admin.call("CLUSTER", "KEYSLOT", "key"))
        assert str(reader.read()).startswith("CLUSTERDOWN")
        wait_for_waiting(node, way, 0)


def test_a_flush_and_a_reload_keep_clients_waiting(server, c, connect, way):
    reader, _ = waiting_client(server, connect, way)
    c.call("FLUSHALL")
    if way.waits_for_key_to_go:
        assert reader.read() == way.answer
        return
    if is_sent_away(reader, way):
        return
    c.call("DEBUG", "RELOAD")
    wait_for_waiting(server, way, 1)
    way.wake(c, "key")
    assert reader.read() == way.answer
