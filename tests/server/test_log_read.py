"""TREAD without a group and without waiting: each line of the specification's "Reading without a group"."""

import pytest


def message(n):
    return [n, b"t%d" % (n % 3), b"entry %d" % n]


def messages(first, last):
    return [message(n) for n in range(first, last + 1)]


@pytest.fixture
def log(server, c):
    """A connection to a server whose log has the messages 41 to 100, in many blocks."""
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        for n in range(1, 101):
            c.call("TWRITE", "log", *message(n)[1:])
    c.call("TEVICT", "log", "40")
    return c


@pytest.mark.parametrize(
    "offset, count, first, last",
    [(41, 1, 41, 41), (41, 60, 41, 100), (70, 10, 70, 79), (100, 1, 100, 100), (95, 100, 95, 100), (41, 1_000_000, 41, 100)],
)
def test_count_messages_from_the_offset_on(log, offset, count, first, last):
    assert log.call("TREAD", "log", offset, count) == messages(first, last)


def test_every_offset_can_be_read_alone(log):
    for n in range(41, 101):
        assert log.call("TREAD", "log", n, "1") == [message(n)]


@pytest.mark.parametrize("offset", ["101", "102", "1000", "9223372036854775807", "$"])
def test_where_nothing_is_there_is_an_empty_array(log, offset):
    assert log.bytes_of("TREAD", "log", offset, "10") == b"*0\r\n"


def test_a_missing_log_reads_as_an_empty_one_and_stays_missing(c):
    for offset in ("1", "7", "-1", "-10", "$"):
        assert c.bytes_of("TREAD", "missing", offset, "10") == b"*0\r\n"
    assert c.call("TREAD", "missing", "1", "10", "WITHINFO") == [[1, 0]]
    assert c.call("EXISTS", "missing") == 0


def test_a_count_of_0_gives_no_message(log):
    assert log.call("TREAD", "log", "50", "0") == []
    assert log.call("TREAD", "log", "1", "0") == []


# --- evicted offsets ---


def test_an_evicted_offset_in_the_range_comes_back_as_null(log):
    assert log.call("TREAD", "log", "39", "4") == [None, None, message(41), message(42)]


def test_each_evicted_offset_is_one_null(log):
    assert log.call("TREAD", "log", "1", "100") == [None] * 40 + messages(41, 100)
    assert log.call("TREAD", "log", "1", "5") == [None] * 5
    assert log.call("TREAD", "log", "40", "1") == [None]


def test_a_log_emptied_by_eviction_still_has_its_nulls(log):
    log.call("TEVICT", "log", "100")
    assert log.call("TREAD", "log", "99", "10") == [None, None]
    assert log.call("TREAD", "log", "101", "10") == []


@pytest.mark.parametrize("offset", ["1", "39", "40", "41"])
def test_skip_starts_at_the_first_message_that_exists(log, offset):
    assert log.call("TREAD", "log", offset, "3", "SKIP") == messages(41, 43)


def test_skip_changes_nothing_where_nothing_was_evicted(log):
    assert log.call("TREAD", "log", "50", "3", "SKIP") == messages(50, 52)
    assert log.call("TREAD", "log", "101", "3", "SKIP") == []


def test_skip_in_a_log_emptied_by_eviction_gives_nothing(log):
    log.call("TEVICT", "log", "100")
    assert log.call("TREAD", "log", "1", "10", "SKIP") == []


# --- from the end ---


@pytest.mark.parametrize("offset, first", [("-1", 100), ("-2", 99), ("-10", 91), ("-60", 41)])
def test_a_negative_offset_counts_from_the_end(log, offset, first):
    assert log.call("TREAD", "log", offset, "100") == messages(first, 100)


def test_a_negative_offset_that_reaches_evicted_messages_gives_their_nulls(log):
    assert log.call("TREAD", "log", "-62", "4") == [None, None, message(41), message(42)]


def test_a_negative_offset_beyond_the_beginning_starts_at_1(log):
    assert log.call("TREAD", "log", "-1000", "1") == [None]
    assert log.call("TREAD", "log", "-1000", "41") == [None] * 40 + [message(41)]
    assert log.call("TREAD", "log", "-9223372036854775807", "2", "SKIP") == messages(41, 42)


# --- WITHINFO ---


def test_withinfo_puts_first_and_last_before_the_messages(log):
    assert log.call("TREAD", "log", "70", "2", "WITHINFO") == [[41, 100], *messages(70, 71)]
    assert log.call("TREAD", "log", "40", "2", "WITHINFO") == [[41, 100], None, message(41)]


def test_withinfo_with_a_count_of_0_gives_just_the_information(log):
    assert log.call("TREAD", "log", "1", "0", "WITHINFO") == [[41, 100]]
    assert log.call("TREAD", "log", "$", "0", "withinfo") == [[41, 100]]


def test_withinfo_where_nothing_is_gives_the_information_alone(log):
    assert log.call("TREAD", "log", "101", "5", "WITHINFO") == [[41, 100]]


def test_first_is_greater_than_last_when_the_log_is_empty(log):
    log.call("TEVICT", "log", "100")
    assert log.call("TREAD", "log", "1", "0", "WITHINFO") == [[101, 100]]


# --- TAGS ---


def test_tags_returns_only_messages_with_one_of_these_tags(log):
    wanted = [m for m in messages(41, 100) if m[1] in (b"t0", b"t2")]
    assert log.call("TREAD", "log", "41", "1000", "TAGS", "2", "t0", "t2") == wanted


def test_tags_returns_count_of_them(log):
    wanted = [m for m in messages(50, 100) if m[1] == b"t1"]
    assert log.call("TREAD", "log", "50", "4", "TAGS", "1", "t1") == wanted[:4]
    assert log.call("TREAD", "log", "50", "0", "TAGS", "1", "t1") == []


def test_tags_gives_no_nulls_for_evicted_messages(log):
    wanted = [m for m in messages(41, 100) if m[1] == b"t1"]
    assert log.call("TREAD", "log", "1", "3", "TAGS", "1", "t1") == wanted[:3]
    assert log.call("TREAD", "log", "1", "3", "SKIP", "TAGS", "1", "t1") == wanted[:3]


def test_tags_without_messages_give_an_empty_array(log):
    assert log.bytes_of("TREAD", "log", "1", "10", "TAGS", "2", "nobody", "t") == b"*0\r\n"
    assert log.call("TREAD", "log", "1", "10", "WITHINFO", "TAGS", "1", "nobody") == [[41, 100]]
    assert log.call("TREAD", "missing", "1", "10", "WITHINFO", "TAGS", "1", "nobody") == [[1, 0]]


def test_options_may_stand_in_any_order_and_after_the_tags(log):
    wanted = [[41, 100], message(42), message(45)]
    assert log.call("TREAD", "log", "42", "2", "TAGS", "1", "t0", "WITHINFO", "SKIP") == wanted
    assert log.call("TREAD", "log", "42", "2", "SKIP", "WITHINFO", "tags", "1", "t0") == wanted


def test_a_tag_may_be_a_keyword(c):
    c.call("TWRITE", "log", "ENTRIES", "SKIP", "1", "BLOCK", "2", "other", "3")
    assert c.call("TREAD", "log", "1", "9", "TAGS", "2", "BLOCK", "SKIP") == [[1, b"SKIP", b"1"], [2, b"BLOCK", b"2"]]


def test_a_tag_that_is_given_twice_is_found_once(log):
    assert log.call("TREAD", "log", "42", "1", "TAGS", "2", "t0", "t0") == [message(42)]


def test_a_rare_tag_is_found_among_many_blocks(server, c):
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        for n in range(1, 2001):
            c.call("TWRITE", "log", "rare" if n in (777, 1500) else f"t{n % 50}", "x" * 50)
    assert [m[0] for m in c.call("TREAD", "log", "1", "10", "TAGS", "1", "rare")] == [777, 1500]
    assert [m[0] for m in c.call("TREAD", "log", "778", "10", "TAGS", "1", "rare")] == [1500]
    assert [m[0] for m in c.call("TREAD", "log", "1500", "10", "TAGS", "1", "rare")] == [1500]
    assert c.call("TREAD", "log", "1501", "10", "TAGS", "1", "rare") == []


# --- BLOCK where there is no need to wait ---


def test_block_answers_at_once_if_there_is_something(log):
    assert log.call("TREAD", "log", "50", "1", "BLOCK", "0") == [message(50)]
    assert log.call("TREAD", "log", "95", "100", "BLOCK", "0") == messages(95, 100)
    assert log.call("TREAD", "log", "1", "1", "BLOCK", "0", "SKIP") == [message(41)]
    assert log.call("TREAD", "log", "41", "1", "BLOCK", "0", "TAGS", "1", "t0") == [message(42)]


def test_block_answers_at_once_with_nulls_if_greater_offsets_exist(log):
    assert log.call("TREAD", "log", "7", "2", "BLOCK", "0") == [None, None]
