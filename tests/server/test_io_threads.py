"""A host that reads and writes its connections on several threads (io-threads): waiting, answers that are sent later,
and connections that end."""

import threading

import pytest

from families import FAMILIES, on
from resp import RespError
from server import Server, wait_until

WAYS = [way for family in FAMILIES for way in family.waiting]
CLIENTS = 40


@pytest.fixture(scope="module")
def threaded():
    with Server(io_threads=4, hz=100) as server:
        if b"io-threads-do-reads" in server.admin.call("CONFIG", "GET", "io-threads-do-reads"):
            server.settings["io-threads-do-reads"] = "yes"
            server.shutdown(save=False)
            server.restart()
        yield server
        assert server.is_alive(), server.log()[-4000:]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_clients_that_wait_are_served_or_end_without_a_trace(threaded, way):
    key = f"key of {way}"
    way.prepare(threaded.admin, key)
    readers = [threaded.connect() for _ in range(CLIENTS)]
    for reader in readers:
        reader.send(*on(key, way.command))
    wait_until(lambda: threaded.counter(way.blocked_counter) == CLIENTS, "all wait")
    for reader in readers[::2]:
        reader.close()
    staying = readers[1::2]
    wait_until(lambda: threaded.counter(way.blocked_counter) == len(staying), "those that ended wait no longer")

    def all_are_served():
        way.wake(threaded.admin, key)
        return all(reader.has_answer() for reader in staying)

    wait_until(all_are_served, "every other one is served")
    for reader in staying:
        assert not isinstance(reader.read(), RespError)
        assert reader.call("PING") == b"PONG"
        reader.close()
    wait_until(lambda: threaded.counter(way.blocked_counter) == 0, "none waits")


def test_pipelines_of_many_clients_are_answered_in_order(threaded):
    """While others write in bulk, so that the host uses its threads."""
    failures = []

    def work(number):
        try:
            with threaded.connect() as connection:
                key = f"log {number}"
                for start in range(1, 2001, 100):
                    writes = [("TWRITE", key, "tag", f"{n} {'x' * 500}") for n in range(start, start + 100)]
                    assert connection.call_all(writes) == list(range(start, start + 100))
                    [read] = connection.call_all([("TREAD", key, start, "100")])
                    assert [message[0] for message in read] == list(range(start, start + 100))
        except Exception as error:  # the test's own thread reports it
            failures.append((number, error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
