"""TWRITE … ID: a write that is sent twice within the window is stored once."""

import pytest

from resp import RespError
from server import Server, wait_until, wait_until_same


def info(connection, key="log"):
    fields = connection.call("TINFO", key)
    return {name.decode(): value for name, value in zip(fields[::2], fields[1::2])}


def write(connection, number, *entries):
    return connection.call("TWRITE", "log", "ID", number, "ENTRIES", *(entries or ("t", "e")))


def test_the_same_id_gets_the_first_answer_and_writes_nothing(server, c):
    before = server.counter("log_writes_repeated")
    assert write(c, "a", "t", "1", "t", "2") == 1
    assert write(c, "b") == 3
    assert write(c, "a", "t", "1", "t", "2") == 1
    assert write(c, "a", "other", "entries") == 1, "the id names the call, whatever it brings"
    assert info(c)["last"] == 3 and info(c)["ids"] == 2
    assert server.counter("log_writes_repeated") == before + 2


def test_ids_are_any_bytes_and_belong_to_one_log(c):
    for number, each in enumerate([b"\x00", b"\xff" * 512, b"ENTRIES", "größe".encode()], start=1):
        assert write(c, each) == number
    assert c.call("TWRITE", "other", "ID", b"\x00", "ENTRIES", "t", "e") == 1
    assert info(c)["last"] == 4


@pytest.mark.parametrize("bad", [b"", b"x" * 513])
def test_an_id_has_1_to_512_bytes(c, bad):
    with pytest.raises(RespError, match="ERR the ID has"):
        write(c, bad)


def test_the_window_is_exact_and_a_setting_unless_the_log_has_its_own(s, still, clock):
    assert info(s, "missing")["retain-ids"] == 600_000
    write(s, "a")
    clock.advance(599_999)
    assert write(s, "a") == 1
    clock.advance(1)
    assert write(s, "a") == 2, "the window begins with the first write, and is over"
    s.call("TRETAIN", "log", "IDS", "50")
    assert write(s, "b") == 3
    clock.advance(50)
    assert write(s, "b") == 4
    s.call("TRETAIN", "log", "IDS", "0")
    with still.changed_settings(**{"millrace.log-ids": "20"}):
        assert write(s, "c") == 5
        clock.advance(20)
        assert write(s, "c") == 6


def test_a_shorter_window_applies_at_once(s, still, clock):
    write(s, "a")
    clock.advance(60)
    s.call("TRETAIN", "log", "IDS", "50")
    assert write(s, "a") == 2
    s.call("TRETAIN", "log", "IDS", "0")
    write(s, "b")
    clock.advance(60)
    with still.changed_settings(**{"millrace.log-ids": "50"}):
        assert write(s, "b") == 4


def test_a_longer_window_brings_nothing_back(s, clock):
    s.call("TRETAIN", "log", "IDS", "100")
    write(s, "a")
    clock.advance(100)
    s.call("TRETAIN", "log", "IDS", "1000")
    assert write(s, "b") == 2
    assert write(s, "a") == 3


def test_the_memory_of_old_ids_is_given_back_without_another_write(still, s, clock):
    s.call("TRETAIN", "log", "IDS", "1000")
    s.call_all([("TWRITE", "log", "ID", f"id {n}", "ENTRIES", "t", "e") for n in range(5000)])
    assert info(s)["ids"] == 5000
    clock.advance(60_000)
    

    def are_forgotten():
        clock.advance(2)  # a thousand ids are forgotten at once
        return info(s)["ids"] == 0

    wait_until(are_forgotten, "all are forgotten")


def test_a_restart_a_copy_and_a_replica_know_the_ids(server, replica, c, connect):
    assert write(c, "a") == 1
    ticket = c.call("TWRITE", "log", "ID", "later", "DELAY", "3600000", "ENTRIES", "t", "e")
    wait_until_same(server, replica, "log")
    assert c.call("DEBUG", "RELOAD") == b"OK"
    c.call("COPY", "log", "copy")
    c.call("RESTORE", "restored", "0", c.call("DUMP", "log"))
    for key in ("log", "copy", "restored"):
        assert c.call("TWRITE", key, "ID", "a", "ENTRIES", "t", "e") == 1
        assert c.call("TWRITE", key, "ID", "later", "DELAY", "3600000", "ENTRIES", "t", "e") == ticket


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_the_append_only_file_knows_them_too(preamble):
    with Server(appendonly="yes", **{"aof-use-rdb-preamble": preamble}) as own:
        c = own.admin
        assert write(c, "a") == 1
        own.rewrite_aof()
        assert write(c, "b") == 2
        before = own.digest("log")
        own.shutdown(save=False)
        own.restart()
        c = own.admin
        assert own.digest("log") == before
        assert [write(c, "a"), write(c, "b"), write(c, "c")] == [1, 2, 3]


def test_a_promoted_replica_answers_as_its_master_did(server, c):
    with Server() as heir:
        heir.replicate(server)
        write(c, "a")
        server.wait_for_replica(heir)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        assert write(heir.admin, "a") == 1
        assert write(heir.admin, "b") == 2


def test_in_a_transaction_and_a_script_a_second_write_is_known(c):
    c.call("MULTI")
    write(c, "a")
    write(c, "a")
    assert c.call("EXEC") == [1, 1]
    script = "return {redis.call('TWRITE', KEYS[1], 'ID', 'a', 'ENTRIES', 't', 'e'), redis.call('TWRITE', KEYS[1], 'ID', 'b', 'ENTRIES', 't', 'e')}"
    assert c.call("EVAL", script, "1", "log") == [1, 2]
