"""TEVICT: evicts exactly what was asked for, and does not change offsets."""

import pytest

from server import wait_until


@pytest.fixture
def ten(c):
    """A connection to a server whose log has ten messages."""
    c.call("TWRITE", "log", "ENTRIES", *[word for n in range(1, 11) for word in (f"t{n % 3}", f"e{n}")])
    return c


def ends(c):
    return c.call("TREAD", "log", "1", "0", "WITHINFO")[0]


@pytest.mark.parametrize(
    "offset, evicted, first",
    [("0", 0, 1), ("1", 1, 2), ("4", 4, 5), ("9", 9, 10), ("10", 10, 11), ("11", 10, 11), ("9223372036854775807", 10, 11)],
)
def test_an_offset_evicts_up_to_and_with_it(ten, offset, evicted, first):
    assert ten.call("TEVICT", "log", offset) == evicted
    assert ends(ten) == [first, 10]
    assert [message[0] for message in ten.call("TREAD", "log", "1", "99", "SKIP")] == list(range(first, 11))


@pytest.mark.parametrize(
    "offset, evicted, first", [("-1", 9, 10), ("-3", 7, 8), ("-10", 0, 1), ("-11", 0, 1), ("-9223372036854775807", 0, 1)]
)
def test_a_negative_number_keeps_that_many(ten, offset, evicted, first):
    assert ten.call("TEVICT", "log", offset) == evicted
    assert ends(ten) == [first, 10]


def test_evicting_again_evicts_nothing(ten):
    assert ten.call("TEVICT", "log", "4") == 4
    assert ten.call("TEVICT", "log", "4") == 0
    assert ten.call("TEVICT", "log", "3") == 0
    assert ten.call("TEVICT", "log", "6") == 2


def test_a_missing_log_has_nothing_to_evict_and_stays_missing(c):
    assert c.call("TEVICT", "missing", "5") == 0
    assert c.call("TEVICT", "missing", "-5") == 0
    assert c.call("EXISTS", "missing") == 0


def test_offsets_are_never_reused_after_everything_was_evicted(ten):
    assert ten.call("TEVICT", "log", "10") == 10
    assert ends(ten) == [11, 10], "first > last means empty"
    assert ten.call("EXISTS", "log") == 1
    assert ten.call("TWRITE", "log", "t", "e") == 11
    assert ten.call("TREAD", "log", "11", "1") == [[11, b"t", b"e"]]


def test_an_emptied_log_remembers_its_offsets_through_a_reload(ten):
    ten.call("TEVICT", "log", "10")
    ten.call("DEBUG", "RELOAD")
    assert ends(ten) == [11, 10]
    assert ten.call("TWRITE", "log", "t", "e") == 11


def test_an_eviction_of_nothing_sends_no_event_and_no_effect(server, ten, connect):
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:log")
        sent = server.info("replication")["master_repl_offset"]
        assert ten.call("TEVICT", "log", "0") == 0
        assert ten.call("TEVICT", "log", "-10") == 0
        assert server.info("replication")["master_repl_offset"] == sent
        assert not listener.has_answer()


def test_the_same_offset_means_the_same_message_before_and_after(server, c):
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        for n in range(1, 401):
            c.call("TWRITE", "log", f"t{n % 4}", f"entry {n}")
    for first in (2, 50, 51, 200, 399, 400):
        c.call("TEVICT", "log", first - 1)
        assert c.call("TREAD", "log", "1", "1", "SKIP") == [[first, b"t%d" % (first % 4), b"entry %d" % first]]
        assert c.call("TREAD", "log", "400", "1") == [[400, b"t0", b"entry 400"]]


def test_evicted_messages_are_counted(server, ten):
    before = server.counter("log_messages_evicted")
    ten.call("TEVICT", "log", "3")
    ten.call("TEVICT", "log", "-2")
    assert server.counter("log_messages_evicted") == before + 8


def test_thousands_of_blocks_are_freed_in_slices(server, c):
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        for _ in range(40):
            c.call("TWRITE", "log", "ENTRIES", *["t", "x" * 250] * 200)
    before = int(server.info("memory")["used_memory"])
    content = c.call("MEMORY", "USAGE", "log")
    assert c.call("TINFO", "log")[13] == 8000, "each message has a block to itself"
    assert c.call("TEVICT", "log", "7999") == 7999
    assert c.call("MEMORY", "USAGE", "log") < content / 10
    wait_until(lambda: server.counter("blocks_to_reclaim") == 0, "all blocks are freed")
    wait_until(lambda: before - int(server.info("memory")["used_memory"]) > content * 0.8, "the memory came back")
