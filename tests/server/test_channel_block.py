"""CHAN.FETCH … BLOCK: a publication wakes all waiting subscribers, and a waiting subscriber does not expire."""

import pytest

from channel_words import (
    EMPTY,
    ack,
    ids,
    info,
    is_still_waiting,
    lists,
    nosub,
    publish,
    subscribe,
    take,
    taken,
    wait_for_fetch,
)
from server import Server, wait_until


@pytest.fixture
def waiting(server, connect):
    """Starts a fetch that waits, on a connection of its own."""
    return lambda *words, **named: wait_for_fetch(server, connect(), *words, **named)


def test_a_fetch_waits_for_the_first_message(c, waiting):
    subscribe(c, "s")
    reader = waiting()
    publish(c, "a")
    got, receipt, more = taken(reader.read())
    assert (got, more) == (["a"], 0)
    assert ack(c, receipt) == 1


def test_a_fetch_that_has_something_does_not_wait(c):
    subscribe(c, "s")
    publish(c, "a", "b")
    assert take(c, "s", "BLOCK", "0", "MAX", "1")[::2] == (["a"], 1)


def test_a_woken_fetch_respects_its_max_and_reports_more(c, waiting):
    subscribe(c, "s")
    plain, limited = waiting(), waiting("s", "MAX", "2")
    publish(c, "a", "b", "c")
    assert taken(plain.read())[::2] == (["a", "b", "c"], 0)
    assert taken(limited.read())[::2] == (["a", "b"], 1)


def test_a_publication_wakes_all_waiting_fetches(server, c, waiting):
    names = [f"s{n}" for n in range(30)]
    subscribe(c, *names)
    readers = [waiting(name) for name in names]
    woken = server.counter("channel_fetches_woken")
    publish(c, "a")
    answers = [taken(reader.read()) for reader in readers]
    assert [got for got, _, _ in answers] == [["a"]] * 30
    assert [ack(c, receipt, name) for name, (_, receipt, _) in zip(names, answers)] == [1] * 30
    assert server.counter("channel_fetches_woken") == woken + 30


def test_they_are_woken_in_the_order_in_which_they_came(server, c, waiting):
    # Being woken is a sign of life: the subscriber that was woken last is last in the list.
    names = ["d", "b", "e", "a", "c"]
    subscribe(c, *sorted(names))
    readers = [waiting(name) for name in names]
    publish(c, "m")
    assert [taken(reader.read())[0] for reader in readers] == [["m"]] * 5
    assert list(lists(c)[2]) == names


def test_a_duplicate_wakes_no_fetch(server, c, waiting):
    subscribe(c, "s")
    publish(c, "a")
    ack(c, take(c)[1])
    reader = waiting()
    publish(c, "a")
    assert is_still_waiting(server, reader)
    publish(c, "a", "b")
    assert taken(reader.read())[0] == ["b"]


def test_other_commands_wake_no_fetch(server, c, waiting):
    subscribe(c, "s", "other")
    reader = waiting()
    subscribe(c, "third")
    ids(c, "other")
    c.call("CHAN.UNSUBSCRIBE", "ch", "third")
    publish(c, "a", key="another channel")
    assert is_still_waiting(server, reader)
    publish(c, "a")
    assert taken(reader.read())[0] == ["a"]


def test_a_transaction_wakes_with_all_it_published(c, waiting):
    subscribe(c, "s")
    reader = waiting()
    published = [("CHAN.PUBLISH", "ch", id, f"content of {id}") for id in ("a", "b")]
    c.call_all([("MULTI",), *published, ("EXEC",)])
    assert taken(reader.read())[0] == ["a", "b"]


def test_a_script_wakes_when_it_is_over(c, waiting):
    subscribe(c, "s")
    reader = waiting()
    script = "for _, id in ipairs({'a', 'b'}) do redis.call('CHAN.PUBLISH', KEYS[1], id, 'content of ' .. id) end"
    c.call("EVAL", script, "1", "ch")
    assert taken(reader.read())[0] == ["a", "b"]


def test_a_publication_and_a_deletion_in_one_transaction_leave_nothing_to_give(c, waiting):
    subscribe(c, "s")
    reader = waiting()
    c.call_all([("MULTI",), ("CHAN.PUBLISH", "ch", "a", "x"), ("DEL", "ch"), ("EXEC",)])
    assert str(reader.read()) == nosub()


@pytest.mark.parametrize("protocol, null", [(2, b"$-1"), (3, b"_")])
def test_a_fetch_in_vain_answers_as_an_empty_one(c, connect, protocol, null):
    subscribe(c, "s")
    reader = connect(protocol=protocol)
    assert reader.bytes_of("CHAN.FETCH", "ch", "s", "BLOCK", "1") == b"*3\r\n*0\r\n" + null + b"\r\n:0\r\n"
    assert c.call("CHAN.FETCH", "ch", "s", "BLOCK", "1") == EMPTY


def test_a_woken_fetch_answers_in_its_own_protocol(server, c, connect):
    subscribe(c, "s")
    reader = wait_for_fetch(server, connect(protocol=3))
    publish(c, "a")
    assert taken(reader.read())[0] == ["a"]


# --- a waiting subscriber does not expire ---


def wait_for_sign(s, due):
    wait_until(lambda: s.call("PEXPIRETIME", "ch") == due, "the subscriber that waits has shown itself")


def test_a_waiting_subscriber_is_kept_alive_longer_than_its_expiry(still, s, clock):
    subscribe(s, "s", "idle", options=("EXPIRE", "90"))
    with still.connect() as reader:
        wait_for_fetch(still, reader)
        for _ in range(6):
            clock.advance(30)
            wait_for_sign(s, clock.now + 90)
        assert lists(s)[2] == {"s": (0, 90)}, "the other has expired"
        publish(s, "a")
        assert taken(reader.read())[0] == ["a"]


def test_several_waiting_subscribers_are_kept_alive_and_no_longer_than_they_wait(still, s, clock):
    names = [f"s{n}" for n in range(5)]
    subscribe(s, *names, options=("EXPIRE", "90"))
    readers = [still.connect() for _ in names]
    for reader, name in zip(readers, names):
        wait_for_fetch(still, reader, name)
    clock.advance(60)
    wait_until(lambda: {ttl for _, ttl in lists(s)[2].values()} == {90}, "all have shown themselves")
    readers[0].close()
    wait_until(lambda: info(s, "ch")["waiting"] == 4, "one has gone")
    clock.advance(60)
    wait_until(lambda: sorted(ttl for _, ttl in lists(s)[2].values()) == [30, 90, 90, 90, 90], "the others again")
    clock.advance(31)
    assert sorted(lists(s)[2]) == names[1:]
    publish(s, "a")
    assert [taken(reader.read())[0] for reader in readers[1:]] == [["a"]] * 4
    for reader in readers:
        reader.close()


def test_a_shorter_expiry_does_not_end_a_waiting_subscriber(still, s, clock):
    subscribe(s, "s", "idle", options=("EXPIRE", "10000"))
    with still.connect() as reader:
        wait_for_fetch(still, reader)
        clock.advance(1000)
        subscribe(s, "new", options=("EXPIRE", "90"))
        assert lists(s)[2] == {"s": (0, 90), "new": (0, 90)}
        for _ in range(3):
            clock.advance(30)
            wait_for_sign(s, clock.now + 90)
        publish(s, "a")
        assert taken(reader.read())[0] == ["a"]


def test_a_waiting_subscriber_lives_on_the_replica_too(still, s, clock):
    with clock.server() as heir:
        heir.replicate(still)
        subscribe(s, "s", options=("EXPIRE", "90"))
        with still.connect() as reader:
            wait_for_fetch(still, reader)
            for _ in range(4):
                clock.advance(30)
                wait_for_sign(s, clock.now + 90)
            still.wait_for_replica(heir)
            assert heir.digest("ch") == still.digest("ch")
            heir.admin.call("REPLICAOF", "NO", "ONE")
            assert subscribe(heir.admin, "s") == [0]
            publish(heir.admin, "a")
            assert ids(heir.admin) == ["a"]


def test_a_woken_subscriber_is_alive_from_then_on(still, s, clock):
    subscribe(s, "s", options=("EXPIRE", "90"))
    with still.connect() as reader:
        wait_for_fetch(still, reader)
        clock.advance(20)
        publish(s, "a")
        reader.read()
        assert lists(s)[2] == {"s": (0, 90)}


# --- replicas ---


def test_a_fetch_on_a_promoted_replica_waits_and_is_woken(server, c):
    subscribe(c, "s")
    with Server() as heir:
        heir.replicate(server)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        with heir.connect() as reader:
            wait_for_fetch(heir, reader)
            publish(heir.admin, "a")
            assert taken(reader.read())[0] == ["a"]


def test_a_fetch_that_waits_on_a_writable_replica_is_served_when_it_is_promoted(server, c):
    subscribe(c, "s")
    with Server(replica_read_only="no") as heir:
        heir.replicate(server)
        with heir.connect() as reader:
            wait_for_fetch(heir, reader)
            publish(c, "a")
            server.wait_for_replica(heir)
            assert is_still_waiting(heir, reader), "a replica decides nothing"
            heir.admin.call("REPLICAOF", "NO", "ONE")
            assert taken(reader.read())[0] == ["a"]


def test_a_replica_does_not_let_fetches_wait(server, replica, c, connect):
    subscribe(c, "s")
    server.wait_for_replica(replica)
    assert connect(to=replica).error_of("CHAN.FETCH", "ch", "s", "BLOCK", "0").startswith("READONLY")


def test_a_fetch_that_waits_and_one_that_is_woken_reach_the_replica_as_signs_of_life(server, replica, c, waiting):
    subscribe(c, "s", "other")
    reader = waiting()
    server.wait_for_replica(replica)
    assert replica.digest("ch") == server.digest("ch")
    publish(c, "a")
    assert taken(reader.read())[0] == ["a"]
    server.wait_for_replica(replica)
    assert replica.digest("ch") == server.digest("ch")


def test_clients_paused_for_a_failover_are_given_nothing_meanwhile(server, c, connect, waiting):
    subscribe(c, "s")
    reader = waiting()
    publisher = connect()
    server.admin.call("CLIENT", "PAUSE", "60000", "WRITE")
    try:
        publisher.send("CHAN.PUBLISH", "ch", "a", "content of a")
        assert is_still_waiting(server, reader)
        assert not publisher.has_answer()
    finally:
        server.admin.call("CLIENT", "UNPAUSE")
    assert publisher.read() == 1
    assert taken(reader.read())[0] == ["a"]
