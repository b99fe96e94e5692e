"""TWRITE … AT and DELAY, TSCHED: messages that wait for a date."""

import random

import pytest

from length import at_length
from resp import RespError
from server import Server, wait_until, wait_until_same


def info(connection, key="log"):
    fields = connection.call("TINFO", key)
    return {name.decode(): value for name, value in zip(fields[::2], fields[1::2])}


def entries(connection):
    return [message[2].decode() for message in connection.call("TREAD", "log", "1", "1000", "SKIP")]


def at(connection, date, *names):
    return connection.call("TWRITE", "log", "AT", date, "ENTRIES", *(word for name in names for word in ("t", name)))


def test_messages_come_at_their_date_in_the_order_of_dates_then_of_tickets(s, clock):
    start = clock.now
    assert at(s, start + 300, "third") == f"{start + 300}-1".encode()
    assert at(s, start + 100, "first", "second") == f"{start + 100}-2".encode()
    assert info(s)["scheduled"] == 3 and info(s)["scheduled-next"] == start + 100
    assert info(s)["scheduled-bytes"] == len("tthirdtfirsttsecond")
    assert entries(s) == []
    clock.advance(100)
    wait_until(lambda: entries(s) == ["first", "second"], "two are due")
    clock.advance(200)
    wait_until(lambda: entries(s) == ["first", "second", "third"], "the last is due")
    assert info(s)["scheduled"] == 0 and info(s)["scheduled-next"] == 0
    assert s.call("TREAD", "log", "3", "1", "WITHTIME") == [[3, b"t", b"third", start + 300]]


def test_a_delay_counts_from_now_and_a_date_in_the_past_is_due_now(s, clock):
    assert s.call("TWRITE", "log", "DELAY", "50", "ENTRIES", "t", "later") == f"{clock.now + 50}-1".encode()
    at(s, 0, "at once")
    wait_until(lambda: entries(s) == ["at once"], "the past is now")
    clock.advance(50)
    wait_until(lambda: entries(s) == ["at once", "later"], "the delay is over")


def test_readers_wake_and_retention_counts_when_a_message_is_due(server, c, connect):
    c.call("TRETAIN", "log", "COUNT", "2")
    reader, member = connect(), connect()
    reader.send("TREAD", "log", "3", "1", "BLOCK", "0")
    member.send("TREAD", "log", "1", "1", "GROUP", "g", "BLOCK", "0")
    server.wait_for_blocked(2)
    c.call("TWRITE", "log", "DELAY", "20", "ENTRIES", "t", "1", "t", "2", "t", "3")
    assert member.read()[0][1] == b"t"
    assert reader.read() == [[3, b"t", b"3"]]
    assert info(c)["first"] == 2


def test_the_schedule_is_listed_in_pages(c):
    for date in (3_000_000_000_000, 2_000_000_000_000):
        at(c, date, f"{date} a", f"{date} b")
    listed = c.call("TSCHED", "LIST", "log")
    assert [(date, entry) for _, date, _, entry in listed] == [
        (date, b"%d %s" % (date, name)) for date in (2_000_000_000_000, 3_000_000_000_000) for name in (b"a", b"b")
    ]
    assert c.call("TSCHED", "LIST", "log", "COUNT", "1") == listed[:1]
    assert c.call("TSCHED", "LIST", "log", "FROM", listed[2][0], "COUNT", "5") == listed[2:]
    c.call("TSCHED", "CANCEL", "log", listed[2][0])
    assert c.call("TSCHED", "LIST", "log", "FROM", listed[2][0]) == listed[3:], "the next one"
    assert c.call("TSCHED", "LIST", "missing") == []


def test_what_is_cancelled_never_comes_and_its_ticket_is_never_given_again(s, clock):
    first = at(s, clock.now + 50, "cancelled")
    assert s.call("TSCHED", "CANCEL", "log", first, first) == 1
    assert s.call("TSCHED", "CANCEL", "log", first) == 0
    assert at(s, clock.now + 50, "kept") != first
    clock.advance(50)
    wait_until(lambda: entries(s) == ["kept"], "the other one is due")
    assert s.call("TSCHED", "CANCEL", "missing", first) == 0


def test_now_writes_at_once_in_the_order_of_tickets(c):
    tickets = [at(c, date, str(date)) for date in (4_000_000_000_000, 2_000_000_000_000, 3_000_000_000_000)]
    assert c.call("TSCHED", "NOW", "log", *tickets[:2], tickets[0]) == 2
    assert entries(c) == ["2000000000000", "4000000000000"]
    assert c.call("TSCHED", "NOW", "log", tickets[0]) == 0
    assert info(c)["scheduled"] == 1


@pytest.mark.parametrize("ticket", ["", "1", "1-", "-1", "1-0", "1-1-1", "x-1", "281474976710656-1"])
def test_an_invalid_ticket_is_refused(c, ticket):
    for command in (("TSCHED", "NOW", "log"), ("TSCHED", "CANCEL", "log"), ("TSCHED", "LIST", "log", "FROM")):
        with pytest.raises(RespError, match="ERR invalid ticket"):
            c.call(*command, ticket)


def test_a_restart_a_copy_and_a_restore_keep_the_schedule(c):
    at(c, 2_000_000_000_000, "later")
    c.call("COPY", "log", "copy")
    c.call("RESTORE", "restored", "0", c.call("DUMP", "log"))
    assert c.call("DEBUG", "RELOAD") == b"OK"
    listed = c.call("TSCHED", "LIST", "log")
    assert len(listed) == 1
    assert [c.call("TSCHED", "LIST", key) for key in ("copy", "restored")] == [listed] * 2
    c.call("TSCHED", "NOW", "copy", listed[0][0])
    assert c.call("TSCHED", "LIST", "log") == listed, "each has its own"


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_the_append_only_file_keeps_it_and_what_fell_due_meanwhile_comes(clock, preamble):
    clock.stop_at(1_900_000_000_000)
    with clock.server(appendonly="yes", **{"aof-use-rdb-preamble": preamble}) as own:
        at(own.admin, clock.now + 60_000, "first")
        own.rewrite_aof()
        at(own.admin, clock.now + 60_000, "second")
        before = own.digest("log")
        own.shutdown(save=False)
        own.restart()
        assert own.digest("log") == before
        clock.advance(60_000)
        own.shutdown(save=False)
        own.restart()
        wait_until(lambda: entries(own.admin) == ["first", "second"], "both are due after the restart")


@pytest.mark.long
def test_kills_between_schedule_and_due_lose_nothing_and_keep_the_order(clock):
    """Kills the server once before anything is due, and once when half of it is written."""
    count, soon = at_length(1_000_000, 4000), at_length(10_000, 2000)
    clock.stop_at(1_900_000_000_000)
    with clock.server(appendonly="yes") as own:
        own.patience *= 4  # loading a million messages takes long
        start = clock.now + 60_000
        # Most are due much later; between them, in random order, are those that are due within one second.
        rng = random.Random(3)
        dates = [start + 3_600_000 + rng.randrange(3_600_000) for _ in range(count - soon)]
        dates += [start + rng.randrange(1000) for _ in range(soon)]
        rng.shuffle(dates)
        tickets = own.admin.call_all(("TWRITE", "log", "AT", date, "ENTRIES", "t", n) for n, date in enumerate(dates))
        assert tickets == [b"%d-%d" % (date, n + 1) for n, date in enumerate(dates)]
        order = [str(n) for date, n in sorted((date, n) for n, date in enumerate(dates))]

        own.kill()
        own.restart()
        assert info(own.admin)["scheduled"] == count and info(own.admin)["last"] == 0
        clock.stop_at(start + 500)
        early = sum(date <= clock.now for date in dates)
        wait_until(lambda: info(own.admin)["scheduled"] == count - early, "the first half is written")
        clock.stop_at(start + 1000)
        own.kill()
        own.restart()
        wait_until(lambda: info(own.admin)["scheduled"] == count - soon, "all of that second are written")
        assert [entry.decode() for _, _, entry in own.admin.call("TREAD", "log", "1", count)] == order[:soon]
        listed = own.admin.call("TSCHED", "LIST", "log", "COUNT", count)
        assert [entry.decode() for *_, entry in listed] == order[soon:]


def test_a_message_that_waits_costs_little_beside_its_payload(c):
    """At most 48 bytes, as measured by the server."""
    entry = "x" * 100
    for n in range(200):
        c.call("TWRITE", "log", "AT", 3_000_000_000_000 + n * 7919 % 3_600_000, "ENTRIES", *["t", entry] * 100)
    fields = info(c)
    assert fields["scheduled"] == 20_000 and fields["scheduled-bytes"] == 101 * 20_000
    assert (fields["memory"] - fields["scheduled-bytes"]) / 20_000 <= 48


def test_replicas_hold_the_same_offsets_and_a_promoted_one_goes_on(server, c):
    with Server() as heir:
        heir.replicate(server)
        for n in range(200):
            c.call("TWRITE", "log", "DELAY", str(n % 5), "ENTRIES", "t", str(n))
        at(c, 2_000_000_000_000, "later")
        wait_until(lambda: info(c)["scheduled"] == 1, "all but one are written")
        wait_until_same(server, heir, "log")
        assert entries(heir.admin) == entries(c)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        [[ticket, _, _, _]] = heir.admin.call("TSCHED", "LIST", "log")
        heir.admin.call("TSCHED", "NOW", "log", ticket)
        heir.admin.call("TWRITE", "log", "DELAY", "5", "ENTRIES", "t", "last")
        wait_until(lambda: entries(heir.admin)[-2:] == ["later", "last"], "the new master writes what is due")


def test_many_that_are_due_at_once_come_in_slices_and_in_order(server, c):
    with server.changed_settings(**{"millrace.block_bytes": "1024"}):
        for start in range(0, 20_000, 500):
            c.call("TWRITE", "log", "DELAY", "300", "ENTRIES", *(word for n in range(start, start + 500) for word in ("t", str(n))))
        wait_until(lambda: info(c)["scheduled"] == 0, "all are written")
    assert [message[2] for message in c.call("TREAD", "log", "1", "20000")] == [b"%d" % n for n in range(20_000)]


def test_deleting_the_key_or_replacing_it_forgets_the_schedule(s, clock):
    at(s, clock.now + 10, "gone")
    s.call("DEL", "log")
    s.call("TWRITE", "log", "t", "other")
    clock.advance(1000)
    at(s, 0, "a message that is due later than the other was")
    wait_until(lambda: len(entries(s)) == 2, "it is written")
    assert entries(s)[0] == "other"
