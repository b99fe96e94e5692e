"""The seam: after the largest clock, 2^53 - 1, comes the smallest, -(2^53 - 1). Channels behave there as anywhere else.

Each test runs with the seam before, between and behind the messages, and far away: ten messages across the seam
behave like any ten.
"""

import pytest

from channel_words import BADRECEIPT, EMPTY, LARGEST
from channel_words import ack, ids, info, lists, publish, subscribe, take, taken, wait_for_fetch
from server import Server

NAMES = [f"m{n}" for n in range(10)]
# The numbers of publications before the seam at which a channel starts.
BEFORE = [0, 1, 2, 5, 9, 10, 11, 1_000_000]


def after(clock, steps):
    """The clock this many publications later."""
    count = 2 * LARGEST + 1
    return (clock + LARGEST + steps) % count - LARGEST


@pytest.fixture(params=BEFORE)
def start(request, c):
    """Makes a channel with the subscriber "s"; returns the clock at which it starts."""
    clock = LARGEST - request.param
    c.call("CHAN.CREATE", "ch", "CLOCK", clock)
    assert subscribe(c, "s") == [clock]
    return clock


def test_ten_messages_are_published_and_fetched(c, start):
    clocks = [after(start, n) for n in range(1, 11)]
    assert all(-LARGEST <= clock <= LARGEST for clock in clocks)
    assert publish(c, *NAMES) == clocks
    assert info(c, "ch")["clock"] == clocks[-1]
    assert take(c)[::2] == (NAMES, 0)
    assert [message[:2] for message in lists(c)[3]] == list(zip(clocks, NAMES))
    assert [id[:2] for id in lists(c)[4]] == list(zip(NAMES, clocks))


@pytest.mark.parametrize("step", [1, 3, 4, 10])
def test_they_are_acknowledged_in_steps(c, start, step):
    publish(c, *NAMES)
    got, position = [], start
    while len(got) < 10:
        some, receipt, more = take(c, "s", "MAX", step)
        assert more == (len(got) + len(some) < 10)
        assert (ack(c, receipt), ack(c, receipt)) == (1, 0)
        got += some
        position = after(position, len(some))
        assert subscribe(c, "s") == [position]
    assert got == NAMES
    assert c.call("CHAN.FETCH", "ch", "s") == EMPTY


def test_old_receipts_are_retries_and_new_ones_advance(c, start):
    publish(c, *NAMES)
    receipts = [take(c, "s", "MAX", n)[1] for n in range(1, 11)]
    assert len(set(receipts)) == 10
    assert ack(c, receipts[4]) == 1
    assert [ack(c, receipt) for receipt in receipts[:5]] == [0] * 5
    assert ids(c) == NAMES[5:]
    assert [ack(c, receipt) for receipt in receipts[5:]] == [1] * 5


def test_foreign_receipts_are_bad(c, start):
    subscribe(c, "other")
    publish(c, *NAMES)
    receipt = take(c, "other")[1]
    assert c.error_of("CHAN.ACK", "ch", "s", receipt) == BADRECEIPT
    clock, stamp = receipt.split(b".", 1)
    for forged in {start, LARGEST, -LARGEST, int(clock) - 1} - {int(clock)}:
        assert c.error_of("CHAN.ACK", "ch", "other", b"%d.%s" % (forged, stamp)) == BADRECEIPT
    assert ids(c) == NAMES


def test_a_receipt_from_the_other_side_of_a_restored_past_is_bad(server, c, start):
    publish(c, *NAMES[:3])
    earlier = c.call("DUMP", "ch")
    publish(c, *NAMES[3:])
    receipt = take(c)[1]
    c.call("RESTORE", "ch", "0", earlier, "REPLACE")
    assert c.error_of("CHAN.ACK", "ch", "s", receipt) == BADRECEIPT
    assert ids(c) == NAMES[:3]


def test_ids_are_deduplicated_and_seen(c, start):
    publish(c, *NAMES)
    assert publish(c, *NAMES) == [None] * 10
    ack(c, take(c, "s", "MAX", "4")[1])
    assert c.call("CHAN.SEEN", "ch", "s", *NAMES) == [1] * 4 + [0] * 6
    assert publish(c, "new") == [after(start, 11)]


def test_a_subscriber_far_behind_before_the_seam_gets_everything(c, start):
    subscribe(c, "behind")
    for n in range(0, 10, 2):
        publish(c, *NAMES[n : n + 2])
        ack(c, take(c)[1])
    assert take(c, "behind", "MAX", "9")[::2] == (NAMES[:9], 1)
    assert (ids(c), ids(c, "behind")) == ([], NAMES)
    assert lists(c)[2]["behind"][0] == start


def test_a_waiting_subscriber_is_woken(server, c, connect, start):
    reader = wait_for_fetch(server, connect())
    publish(c, *NAMES)
    got, receipt, _ = taken(reader.read())
    assert got == NAMES
    assert ack(c, receipt) == 1


def test_a_subscriber_that_joins_in_the_middle_gets_the_rest(c, start):
    for n, name in enumerate(NAMES):
        assert subscribe(c, f"since {n}") == [after(start, n)]
        publish(c, name)
    assert [ids(c, f"since {n}") for n in range(10)] == [NAMES[n:] for n in range(10)]


def test_it_is_saved_and_copied(server, replica, c, start):
    publish(c, *NAMES[:6])
    receipt = take(c, "s", "MAX", "3")[1]
    before, messages = lists(c)[0], [message[:3] for message in lists(c)[3]]
    server.admin.call("DEBUG", "RELOAD")
    assert (lists(c)[0], [message[:3] for message in lists(c)[3]]) == (before, messages)
    assert ack(c, receipt) == 1
    publish(c, *NAMES[6:])
    c.call("COPY", "ch", "copy")
    assert ids(c) == ids(c, key="copy") == NAMES[3:]


def test_messages_expire_across_the_seam(s, clock):
    s.call("CHAN.CREATE", "ch", "EXPIRE", "100", "CLOCK", LARGEST - 4)
    subscribe(s, "s")
    for name in NAMES:
        publish(s, name)
        ids(s)
        clock.advance(20)
    # Messages live 100 ms: the first of those that are left was published less than 100 ms ago, the last one 20 ms ago.
    assert take(s)[::2] == (NAMES[5:], 0)
    assert publish(s, *NAMES) == [after(LARGEST - 4, n) for n in range(11, 16)] + [None] * 5


def test_a_kill_and_a_failover_at_the_seam_lose_nothing():
    with Server(appendonly="yes", appendfsync="always", aof_use_rdb_preamble="no") as server, Server() as heir:
        heir.replicate(server)
        with server.connect() as c:
            c.call("CHAN.CREATE", "ch", "CLOCK", LARGEST - 5)
            subscribe(c, "s")
            publish(c, *NAMES[:5])
            receipt = take(c, "s", "MAX", "3")[1]
            server.wait_for_replica(heir)
            heir.admin.call("REPLICAOF", "NO", "ONE")
        server.kill()
        server.restart()
        for one in (server, heir):
            with one.connect() as c:
                assert publish(c, *NAMES) == [None] * 5 + [after(LARGEST, n) for n in range(1, 6)]
                assert ack(c, receipt) == 1
                assert ids(c) == NAMES[3:]
