"""The checks detect a server that loses data: so a run that reports no losses has looked for them."""

import random

import pytest

from books import EVERYTHING, Books, Promise, now
from crew import FAMILIES, Crew
from resp import Connection, RespError
from server import Server, wait_until


def work(crew, books, server, operations):
    """Lets all clients work until they have done this many more operations together, and none is in flight."""
    enough = books.counts["operations"] + operations
    crew.start(server.connect)
    wait_until(lambda: books.counts["operations"] >= enough or not books.are_clean, "enough is done")
    crew.rest()


class Sender(random.Random):
    """A random generator with which clients only send, because that is the first choice in each step."""

    def random(self):
        return 0.0


def leave_something_open(crew, server):
    """Leaves messages that no reader has read."""
    with server.connect() as c:
        for client in crew.clients:
            client.rng, usual = Sender(), client.rng
            for _ in range(10):
                client.step(c)
            client.rng = usual


def forgetful(promise_of):
    """The findings when a server comes back with an old saved file, checked against promise_of(time of the save)."""
    books = Books()
    crew = Crew("forgetful", books)
    with Server() as server:
        crew.prepare(server.connect)
        work(crew, books, server, 3000)
        leave_something_open(crew, server)
        saved_at = now()
        server.admin.call("SAVE")
        work(crew, books, server, 3000)
        crew.finish(server.connect)
        leave_something_open(crew, server)
        assert books.are_clean, (books.losses, books.duplicates, books.troubles)
        server.kill()
        server.restart()
        crew.prove(server.connect, promise_of(saved_at))
    return books


@pytest.fixture(scope="module")
def found():
    """The findings when everything was promised."""
    return forgetful(lambda saved_at: EVERYTHING)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_was_acknowledged_and_is_missing_is_found(found, family):
    assert [sentence for sentence in found.losses if f"{family}0" in sentence]


@pytest.mark.parametrize("family", ["group", "channel", "pool"])
def test_what_was_acknowledged_by_its_reader_and_comes_again_is_found(found, family):
    assert [sentence for sentence in found.duplicates if f"{family}0" in sentence]


def test_what_was_not_promised_may_be_missing_and_is_no_loss():
    books = forgetful(Promise)
    assert books.are_clean, (books.losses, books.duplicates, books.troubles)
    assert books.counts["forgotten"] > 0


class Interrupting:
    """Connections to a server; on the first ones, errors say after some answers that the cluster is down."""

    def __init__(self, server, times, answers):
        self._server = server
        self._left = times
        self._answers = answers

    def connect(self):
        if self._left == 0:
            return self._server.connect()
        self._left -= 1
        return _Interrupted(self._server.port, self._answers)


class _Interrupted(Connection):
    def __init__(self, port, answers):
        super().__init__(port)
        self._answers = answers

    def call(self, *words):
        if self._answers == 0:
            raise RespError("CLUSTERDOWN The cluster is down")
        self._answers -= 1
        return super().call(*words)


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("what", ["prove", "finish"])
@pytest.mark.parametrize("answers", range(5))
def test_a_client_that_is_interrupted_begins_again_and_nothing_is_missing(server, family, what, answers):
    server.admin.call("FLUSHALL")
    books = Books()
    crew = Crew("interrupted", books)
    crew.clients = [client for client in crew.clients if client.name == f"{family}0"]
    crew.prepare(server.connect)
    work(crew, books, server, 300)
    getattr(crew, what)(Interrupting(server, 2, answers).connect)
    crew.finish(server.connect)
    assert books.are_clean, (books.losses, books.duplicates, books.troubles)


def test_a_server_that_stays_away_is_trouble(server, monkeypatch):
    monkeypatch.setattr("crew.PATIENCE", 0)
    books = Books()
    Crew("away", books).prepare(Interrupting(server, 10**6, 0).connect)
    assert books.troubles and not books.losses
