"""A work queue over HTTP."""

import threading

import pytest

from gateway import Gateway
from raw_http import RawConnection

GROUP = "/v1/logs/jobs/groups/mail"


def take(gateway, query=""):
    status, body = gateway.json("POST", f"{GROUP}/take{query}")
    assert status == 200, body
    return [(one["offset"], one["entry"], one["attempts"]) for one in body["messages"]]


def test_messages_are_taken_once_and_acknowledged(gateway, c):
    c.call("TWRITE", "jobs", "ENTRIES", "a", "1", "a", "2", "a", "3")
    assert take(gateway) == [(1, 1, 1)]
    assert take(gateway, "?count=5&consumer=ann") == [(2, 2, 1), (3, 3, 1)]
    assert take(gateway) == []
    assert gateway.json("POST", f"{GROUP}/ack?offsets=1") == (200, {"acknowledged": 1})
    assert gateway.json("POST", f"{GROUP}/ack?consumer=bob", {"offsets": ["2-3"]}) == (200, {"acknowledged": 0})
    assert gateway.json("POST", f"{GROUP}/ack?consumer=ann", {"offsets": [2, "3-3"]}) == (200, {"acknowledged": 2})


def test_what_is_given_back_comes_again(gateway, c):
    c.call("TWRITE", "jobs", "a", "1")
    take(gateway)
    assert gateway.json("POST", f"{GROUP}/nack?offsets=1") == (200, {"returned": 1})
    assert take(gateway) == [(1, 1, 2)]
    gateway.json("POST", f"{GROUP}/nack?offsets=1&uncounted=1")
    assert take(gateway) == [(1, 1, 2)]
    gateway.json("POST", f"{GROUP}/nack?offsets=1&delay=1h")
    assert take(gateway) == []


def test_a_user_who_may_only_read_takes_nothing_from_a_group(server, c):
    c.call("TWRITE", "jobs", "a", "1")
    rules = '[[allow]]\nto = "log"\nrights = ["read"]\nanonymous = true\n'
    with Gateway(server, config=rules) as gateway:
        assert gateway.get("/v1/logs/jobs").status == 200
        for what in ("take", "ack?offsets=1", "nack?offsets=1", "extend?offsets=1"):
            assert gateway.json("POST", f"{GROUP}/{what}")[0] == 401
    assert c.call("TGROUP", "LIST", "jobs") == []


def test_a_message_can_be_given_up(gateway, c):
    c.call("TGROUP", "CREATE", "jobs", "mail", "DEADLETTER", "dead")
    c.call("TWRITE", "jobs", "a", "1")
    take(gateway)
    assert gateway.json("POST", f"{GROUP}/nack?offsets=1&dead=no+such+address") == (200, {"returned": 1})
    assert b"no such address" in c.call("TREAD", "dead", 1, 1)[0][1]


def test_a_lease_is_extended(gateway, c):
    c.call("TWRITE", "jobs", "a", "1")
    take(gateway, "?lease=20ms")
    assert gateway.json("POST", f"{GROUP}/extend?lease=1h", {"offsets": [1]}) == (200, {"extended": 1})
    assert take(gateway) == []


def test_after_its_lease_a_message_comes_again(gateway, c):
    c.call("TWRITE", "jobs", "a", "1")
    take(gateway, "?lease=1ms")
    assert take(gateway, "?wait=30s") == [(1, 1, 2)]


def test_a_take_waits_for_a_message(gateway, server, c):
    got = []
    worker = threading.Thread(target=lambda: got.append(take(gateway, "?wait=30s")))
    worker.start()
    server.wait_for_blocked(1)
    c.call("TWRITE", "jobs", "a", '{"n":1}')
    worker.join()
    assert got == [[(1, {"n": 1}, 1)]]


def test_a_worker_that_goes_away_takes_nothing_with_it(gateway, server, c):
    with RawConnection(gateway.port) as connection:
        connection.send(f"POST {GROUP}/take?wait=30s HTTP/1.1\r\nHost: localhost\r\n\r\n")
        server.wait_for_blocked(1)
    server.wait_for_blocked(0)
    c.call("TWRITE", "jobs", "a", "1")
    assert take(gateway) == [(1, 1, 1)]


def test_a_group_that_does_not_exist_is_404(gateway):
    status, body = gateway.json("POST", f"{GROUP}/ack?offsets=1")
    assert (status, body["code"]) == (404, "nogroup")


@pytest.mark.parametrize("action, query, body", [
    ("take", "?count=0", None), ("take", "?lease=0", None), ("take", "?wait=x", None), ("ack", "", None),
    ("ack", "", '{"offsets":[]}'), ("ack", "", '{"offsets":["x"]}'), ("ack", "?offsets=1;2", None), ("extend", "?lease=x", None)])
def test_a_wrong_parameter_is_400(gateway, c, action, query, body):
    c.call("TGROUP", "CREATE", "jobs", "mail")
    status, answer = gateway.json("POST", f"{GROUP}/{action}{query}", body)
    assert (status, answer["code"]) == (400, "invalid")
