"""Indexes over hashes whose fields expire by themselves: what the host has deleted, no index finds any longer."""

import pytest

from host import skip_without, version_of
from index_oracle import check, wait_until_ready
from server import Server, let_pass, wait_until

LONG = "7200000"
LARGE = "x" * 200  # a hash with such a value is stored in another way


def prepare(connection, *documents):
    skip_without(connection, "HPEXPIRE")
    connection.call("IDX.CREATE", "i", "PREFIX", "d:", "FIELD", "name", "TEXT", "FIELD", "n", "INTEGER")
    for key, *fields in documents:
        connection.call("HSET", key, *fields)


def named(connection, name="ann"):
    return connection.call("IDX.FIND", "i", "WHERE", "name", "=", name)[1]


def count(connection):
    return connection.call("IDX.COUNT", "i")


def is_exact(connection):
    """The index says of every document what the document holds."""
    report = check(connection, "i")
    return not (report[b"missing"] or report[b"stale"] or report[b"wrong"])


@pytest.fixture(params=["small", "large"])
def d(request, c):
    """A document with two indexed fields, as small and as large hashes are stored."""
    prepare(c, ("d:1", "name", "ann", "n", "1", *(("more", LARGE) if request.param == "large" else ())))
    return c


def test_a_field_that_expires_leaves_the_index_and_the_others_stay(server, replica, d):
    assert d.call("HPEXPIRE", "d:1", "20", "FIELDS", "1", "name") == [1]
    wait_until(lambda: named(d) == [], "the field has left the index")
    assert d.call("IDX.FIND", "i", "WHERE", "n", "=", "1")[1] == [b"d:1"]
    assert (count(d), d.call("HEXISTS", "d:1", "name")) == (1, 0)
    with replica.connect() as there:
        wait_until(lambda: named(there) == [], "the field has left the replica's index")
        assert there.call("IDX.FIND", "i", "WHERE", "n", "=", "1")[1] == [b"d:1"]


def test_a_document_whose_fields_have_all_expired_is_gone(server, replica, d):
    fields = d.call("HKEYS", "d:1")
    assert d.call("HPEXPIRE", "d:1", "20", "FIELDS", len(fields), *fields) == [1] * len(fields)
    wait_until(lambda: d.call("EXISTS", "d:1") == 0, "the host has deleted the document")
    assert (count(d), named(d)) == (0, [])
    server.wait_for_replica(replica)
    with replica.connect() as there:
        assert (there.call("EXISTS", "d:1"), count(there)) == (0, 0)


def test_a_field_that_is_read_after_its_time_is_no_longer_found(server, d):
    """The host may delete it when it is read, before its own search for expired fields comes by."""
    d.call("DEBUG", "SET-ACTIVE-EXPIRE", "0")
    try:
        d.call("HPEXPIRE", "d:1", "20", "FIELDS", "1", "name")
        wait_until(lambda: d.call("HGET", "d:1", "name") is None, "the field has expired")
        if version_of(server)[0] == "redis":
            assert named(d) == []
    finally:
        d.call("DEBUG", "SET-ACTIVE-EXPIRE", "1")
    wait_until(lambda: named(d) == [], "the field has left the index")
    assert count(d) == 1


def test_a_field_that_was_given_more_time_is_found_as_long_as_it_is_there(d):
    d.call("HPEXPIRE", "d:1", "100", "FIELDS", "2", "name", "n")
    assert d.call("HPERSIST", "d:1", "FIELDS", "1", "name") == [1]
    wait_until(lambda: d.call("IDX.FIND", "i", "WHERE", "n", "=", "1")[1] == [], "the other field has expired")
    assert named(d) == [b"d:1"]


@pytest.mark.parametrize("command", ["HPEXPIREAT", "HEXPIREAT"])
def test_a_time_that_has_passed_deletes_the_field_at_once(d, command):
    assert d.call(command, "d:1", "1", "FIELDS", "1", "name") == [2]
    assert (named(d), count(d)) == ([], 1)
    fields = d.call("HKEYS", "d:1")
    d.call(command, "d:1", "1", "FIELDS", len(fields), *fields)
    assert (d.call("EXISTS", "d:1"), count(d)) == (0, 0)


def test_hgetdel_takes_fields_out_of_the_index(d):
    skip_without(d, "HGETDEL")
    assert d.call("HGETDEL", "d:1", "FIELDS", "1", "name") == [b"ann"]
    assert (named(d), count(d)) == ([], 1)
    fields = d.call("HKEYS", "d:1")
    d.call("HGETDEL", "d:1", "FIELDS", len(fields), *fields)
    assert (d.call("EXISTS", "d:1"), count(d)) == (0, 0)


def test_hgetex_gives_a_field_an_end(d):
    skip_without(d, "HGETEX")
    assert d.call("HGETEX", "d:1", "PX", "20", "FIELDS", "1", "name") == [b"ann"]
    wait_until(lambda: named(d) == [], "the field has left the index")
    assert count(d) == 1


def test_hsetex_writes_a_field_with_an_end(d):
    skip_without(d, "HSETEX")
    assert d.call("HSETEX", "d:1", "PX", LONG, "FIELDS", "1", "name", "bob") == 1
    assert (named(d), named(d, "bob")) == ([], [b"d:1"])
    assert d.call("HSETEX", "d:2", "PX", "20", "FIELDS", "1", "name", "eve") == 1
    wait_until(lambda: named(d, "eve") == [] and count(d) == 1, "the second document is gone")


def test_a_write_after_the_time_of_a_field_is_indexed(d):
    d.call("HPEXPIRE", "d:1", "20", "FIELDS", "1", "name")
    wait_until(lambda: d.call("HGET", "d:1", "name") is None, "the field has expired")
    d.call("HSET", "d:1", "name", "bob")
    assert (named(d), named(d, "bob")) == ([], [b"d:1"])
    assert is_exact(d)


@pytest.mark.parametrize("aof", ["no", "yes"])
def test_fields_that_expired_while_the_server_was_down_are_not_found(aof):
    with Server(appendonly=aof) as server:
        with server.connect() as c:
            prepare(c, ("d:1", "name", "ann", "n", "1"), ("d:2", "name", "ann"), ("d:3", "name", "ann"))
            c.call("DEBUG", "SET-ACTIVE-EXPIRE", "0")
            c.call("HPEXPIRE", "d:1", "200", "FIELDS", "1", "name")
            c.call("HPEXPIRE", "d:2", "200", "FIELDS", "1", "name")
            c.call("HPEXPIRE", "d:3", LONG, "FIELDS", "1", "name")
        server.shutdown(save=aof == "no")
        let_pass(0.3)  # the two fields have expired now
        server.restart()
        with server.connect() as c:
            wait_until_ready(c, "i")
            wait_until(lambda: named(c) == [b"d:3"], "what has expired is not found")
            wait_until(lambda: count(c) == 2 and c.call("EXISTS", "d:2") == 0, "the empty document is gone")
            assert is_exact(c)


def test_a_replica_that_takes_over_goes_on_with_expiring_fields():
    with Server() as master, Server() as replica:
        replica.replicate(master)
        with master.connect() as c:
            prepare(c, ("d:1", "name", "ann", "n", "1"), ("d:2", "name", "ann"))
            for key in ("d:1", "d:2"):
                c.call("HPEXPIRE", key, "300", "FIELDS", "1", "name")
        master.wait_for_replica(replica)
        master.kill()
        replica.admin.call("REPLICAOF", "NO", "ONE")
        with replica.connect() as c:
            wait_until(lambda: named(c) == [] and count(c) == 1, "the fields have expired there")
            assert c.call("EXISTS", "d:2") == 0
