"""A client that disconnects while it waits, exactly when the server serves it."""

import pytest

from gateway import Gateway
from raw_http import RawConnection
from server import wait_until

TAKE = "/v1/logs/jobs/groups/mail/take?wait=30s"


def wait_over_http(gateway, server, target):
    """A client that waits at the server."""
    connection = RawConnection(gateway.port)
    connection.send(f"POST {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.wait_for_blocked(1)
    return connection


def leave_as_the_server_serves(gateway, server, c, target, *command):
    """Makes the server execute the command, which serves the waiting client, and learn in the same turn of its event
    loop that the client is gone."""
    with wait_over_http(gateway, server, target):
        server.suspend()
        c.send(*command)
    try:
        # The gateway handles its events in order: when this is answered, it has noticed that the client is gone.
        assert gateway.get("/openapi.json").status == 200
    finally:
        server.resume()
    return c.read()


def test_a_message_that_came_while_its_worker_went_away_is_given_back(gateway, server, c):
    assert leave_as_the_server_serves(gateway, server, c, TAKE, "TWRITE", "jobs", "a", "1") == 1
    read = ("TREAD", "jobs", 1, 1, "GROUP", "mail", "WITHATTEMPTS")
    wait_until(lambda: c.call(*read) == [[1, b"a", b"1", 1]], "it is given back, and counts no attempt")


def test_a_lock_that_came_while_its_owner_went_away_is_released(gateway, server, c):
    c.call("LOCK.ACQUIRE", "report", "ann", 600_000)
    target = "/v1/locks/report?owner=bob&ttl=10m&wait=30s"
    assert leave_as_the_server_serves(gateway, server, c, target, "LOCK.RELEASE", "report", "ann") == 0
    wait_until(lambda: c.call("LOCK.ACQUIRE", "report", "eve", 600_000)[0] == 1, "the lock is free")


@pytest.mark.parametrize("rights", ["-client", "+client -client|unblock"])
def test_without_the_right_to_unblock_a_wait_ends_with_its_connection(server, c, rights):
    c.call("ACL", "SETUSER", "door", "on", ">secret", "~*", "&*", "+@all", *rights.split())
    try:
        with Gateway(f"redis://door:secret@127.0.0.1:{server.port}") as gateway:
            wait_over_http(gateway, server, TAKE).close()
            server.wait_for_blocked(0)
            c.call("TWRITE", "jobs", "a", "1")
            assert gateway.json("POST", TAKE)[1]["messages"][0]["attempts"] == 1
    finally:
        c.call("ACL", "DELUSER", "door")
