"""FEED.READ … BLOCK: readers that wait for a feed."""

import pytest

from feeds import add, by_key, info, is_still_waiting, name, own_feeds, read, tags, wait_for_read, write  # noqa: F401: a fixture
from server import wait_until


@pytest.fixture(autouse=True)
def _watched(c, own_feeds):  # noqa: F811
    add(c, "a", "b")


def test_a_reader_waits_until_something_comes(server, c, connect):
    reader = wait_for_read(server, connect())
    write(c, "other", "x")
    assert is_still_waiting(server, reader)
    write(c, "a", "1")
    assert by_key(reader.read()) == {"a": (["1"], 0, 0)}
    assert read(c) == {}


def test_it_does_not_wait_if_there_is_something(c):
    write(c, "a", "1")
    assert tags(c, "BLOCK", "0") == {"a": ["1"]}


def test_everything_of_one_transaction_comes_together(server, c, connect):
    reader = wait_for_read(server, connect())
    c.call("MULTI")
    for key in "ab":
        c.call("TWRITE", key, "1", "x")
    c.call("EXEC")
    assert by_key(reader.read()) == {"a": (["1"], 0, 0), "b": (["1"], 0, 0)}


@pytest.mark.parametrize("protocol, answer", [(2, b"*0\r\n"), (3, b"*0\r\n")])
def test_a_time_out_is_an_empty_answer(connect, protocol, answer):
    assert connect(protocol).bytes_of("FEED.READ", name(), "BLOCK", "20") == answer


def test_client_unblock_is_an_empty_answer_or_an_error(server, c, connect):
    for how, answer in (("TIMEOUT", b"*0\r\n"), ("ERROR", b"-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n")):
        reader = connect()
        id = reader.call("CLIENT", "ID")
        wait_for_read(server, reader)
        assert c.call("CLIENT", "UNBLOCK", id, how) == 1
        if how == "TIMEOUT":
            assert reader.read() == []
        else:
            assert str(reader.read()).startswith("UNBLOCKED")
        assert reader.call("PING") == b"PONG"


def test_readers_are_served_in_the_order_in_which_they_came(server, c, connect):
    first, second = (wait_for_read(server, connect()) for _ in range(2))
    assert info(c)["waiting"] == 2
    write(c, "a", "1")
    assert by_key(first.read()) == {"a": (["1"], 0, 0)}
    assert is_still_waiting(server, second)
    write(c, "a", "2")
    assert by_key(second.read()) == {"a": (["2"], 0, 0)}


def test_what_the_first_reader_leaves_is_for_the_next(server, c, connect):
    first, second = (wait_for_read(server, connect(), "MAX", "1") for _ in range(2))
    c.call("TWRITE", "a", "ENTRIES", "1", "x", "2", "x")
    assert by_key(first.read()) == {"a": (["1"], 1, 0)}
    assert by_key(second.read()) == {"a": (["2"], 0, 0)}


def test_a_client_that_disconnects_takes_nothing_with_it(server, c, connect):
    leaving = connect()
    wait_for_read(server, leaving)
    leaving.close()
    wait_until(lambda: server.counter("feed_readers_blocked") == 0, "it has left")
    write(c, "a", "1")
    assert tags(c) == {"a": ["1"]}


def test_a_client_that_is_killed_in_the_turn_in_which_it_is_served(server, c, connect):
    leaving, staying = connect(), connect()
    id = leaving.call("CLIENT", "ID")
    wait_for_read(server, leaving)
    wait_for_read(server, staying)
    c.call("MULTI")
    c.call("TWRITE", "a", "1", "x")
    c.call("CLIENT", "KILL", "ID", id)
    c.call("EXEC")
    assert by_key(staying.read()) == {"a": (["1"], 0, 0)}


def test_client_unblock_in_the_turn_in_which_it_is_served(server, c, connect):
    reader = connect()
    id = reader.call("CLIENT", "ID")
    wait_for_read(server, reader)
    c.call("MULTI")
    c.call("TWRITE", "a", "1", "x")
    c.call("CLIENT", "UNBLOCK", id)
    c.call("EXEC")
    found = by_key(reader.read())
    left = read(c)
    assert sorted([found, left], key=len) == [{}, {"a": (["1"], 0, 0)}], "one of them has it"
    assert reader.call("PING") == b"PONG"


def test_a_deleted_key_wakes_a_reader(server, c, connect):
    write(c, "a", "1")
    read(c)
    reader = wait_for_read(server, connect())
    c.call("DEL", "a")
    assert by_key(reader.read()) == {"a": "gone"}


def test_a_key_that_is_added_while_a_reader_waits_is_delivered(server, c, connect):
    write(c, "c", "1")
    reader = wait_for_read(server, connect())
    add(c, "c", at="0")
    assert by_key(reader.read()) == {"c": (["1"], 0, 0)}


def test_a_write_without_new_messages_wakes_no_reader(server, c, connect):
    write(c, "a", "1")
    read(c)
    reader = wait_for_read(server, connect())
    c.call("FEED.ADD", name(), "a", "$")
    c.call("TEVICT", "b", "1")
    assert is_still_waiting(server, reader)
    write(c, "b", "1")
    assert by_key(reader.read()) == {"b": (["1"], 0, 0)}


def test_many_readers_come_and_go(server, c, connect):
    readers = [connect() for _ in range(20)]
    for number, reader in enumerate(readers):
        if number % 3 == 0:
            assert reader.call("FEED.READ", name(), "BLOCK", "1") == []
        else:
            wait_for_read(server, reader)
    for reader in readers[1::3]:
        reader.close()
    waiting = readers[2::3]
    wait_until(lambda: server.counter("feed_readers_blocked") == len(waiting), "the others have left")
    for number, reader in enumerate(waiting):
        write(c, "a", str(number))
        assert by_key(reader.read()) == {"a": ([str(number)], 0, 0)}
