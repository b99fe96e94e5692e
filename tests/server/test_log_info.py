"""TSEEK and TINFO."""

import pytest

from server import wait_until

FIELDS = (
    "first last messages bytes first-time last-time blocks memory packed-blocks packed-saved retain-count retain-age retain-bytes groups "
    "compacted compaction-offset compaction-superseded epoch "
    "scheduled scheduled-bytes scheduled-next retain-ids ids deleted deleting deleting-offset deleting-end "
    "compaction retain-latest retain-acked retain-refuse tail-held-by tail-held-by-group"
).split()


def info(c, key="log"):
    flat = c.call("TINFO", key)
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2])}


def milliseconds(c):
    seconds, micros = c.call("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


def write_later(c, count=1, key="log"):
    """Writes in a millisecond in which nothing else was written, and returns that millisecond."""
    last = info(c, key)["last-time"]
    wait_until(lambda: milliseconds(c) > last, "the clock has moved on")
    c.call("TWRITE", key, "ENTRIES", *["t", "e"] * count)
    return info(c, key)["last-time"]


# --- TSEEK ---


@pytest.fixture
def dated(c):
    """A connection, and the three times: of message 1, of 2 and 3, and of 4."""
    return c, write_later(c), write_later(c, 2), write_later(c)


def test_tseek_finds_the_first_offset_written_at_or_after_a_time(dated):
    c, one, two, three = dated
    for time, offset in [(one, 1), (one + 1, 2), (two, 2), (two + 1, 4), (three, 4), (three + 1, 5)]:
        assert c.call("TSEEK", "log", time) == offset, time - one


def test_tseek_before_everything_finds_the_first_and_after_everything_the_next(dated):
    c = dated[0]
    assert c.call("TSEEK", "log", "0") == 1
    assert c.call("TSEEK", "log", "9223372036854775807") == 5


def test_tseek_does_not_find_what_was_evicted(dated):
    c, one, two, three = dated
    c.call("TEVICT", "log", "2")
    assert [c.call("TSEEK", "log", time) for time in (0, one, two, two + 1, three)] == [3, 3, 3, 4, 4]
    c.call("TEVICT", "log", "4")
    assert [c.call("TSEEK", "log", time) for time in (0, one, three, three + 1)] == [5, 5, 5, 5]


def test_tseek_in_a_missing_log_finds_the_offset_to_be_written_first(c):
    assert c.call("TSEEK", "missing", "5") == 1
    assert c.call("EXISTS", "missing") == 0


def test_tseek_answers_the_same_after_a_reload_and_on_the_replica(server, replica, dated, connect):
    c, *times = dated
    questions = [("TSEEK", "log", time + step) for time in times for step in (0, 1)]
    before = c.call_all(questions)
    server.wait_for_replica(replica)
    assert connect(to=replica).call_all(questions) == before
    c.call("DEBUG", "RELOAD")
    assert c.call_all(questions) == before


def test_tseek_finds_its_way_through_many_blocks(server, c):
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        times = [write_later(c, 7) for _ in range(30)]
    c.call("TEVICT", "log", "24")
    for number, time in enumerate(times):
        assert c.call("TSEEK", "log", time) == max(25, 1 + 7 * number)


# --- TINFO ---


def test_tinfo_of_a_missing_log_is_that_of_an_empty_one(c):
    answer = info(c, "missing")
    assert (answer["first"], answer["last"], answer["messages"], answer["bytes"]) == (1, 0, 0, 0)
    assert (answer["first-time"], answer["last-time"], answer["blocks"]) == (0, 0, 0)
    assert answer["tail-held-by"] == b"none"
    assert c.call("EXISTS", "missing") == 0


def test_tinfo_is_a_map_with_these_fields(c, connect):
    c.call("TWRITE", "log", "t", "e")
    assert [name.decode() for name in c.call("TINFO", "log")[::2]] == FIELDS
    assert [name.decode() for name in connect(protocol=3).call("TINFO", "log")] == FIELDS


def test_tinfo_counts_messages_and_the_bytes_of_their_tags_and_entries(c):
    c.call("TWRITE", "log", "ENTRIES", "a", "12345", "bb", "", "", "123")
    assert (info(c)["messages"], info(c)["bytes"]) == (3, 11)
    c.call("TEVICT", "log", "1")
    answer = info(c)
    assert [answer[name] for name in ("first", "last", "messages", "bytes")] == [2, 3, 2, 5]
    c.call("TEVICT", "log", "3")
    answer = info(c)
    assert [answer[name] for name in ("first", "last", "messages", "bytes", "blocks")] == [4, 3, 0, 0, 0]


def test_tinfo_tells_when_the_first_and_the_last_were_written(c):
    before = milliseconds(c)
    one = write_later(c)
    two = write_later(c)
    assert before <= one < two <= milliseconds(c)
    assert (info(c)["first-time"], info(c)["last-time"]) == (one, two)
    c.call("TEVICT", "log", "1")
    assert (info(c)["first-time"], info(c)["last-time"]) == (two, two)


def test_tinfo_tells_blocks_and_memory(server, c):
    with server.changed_settings(**{"millrace.block_bytes": "1024"}):
        c.call("TWRITE", "log", "ENTRIES", *["t", "x" * 300] * 30)
    answer = info(c)
    assert answer["blocks"] == 10
    assert 9000 < answer["memory"] < 15000
    assert answer["memory"] <= c.call("MEMORY", "USAGE", "log", "SAMPLES", "0")


def test_tinfo_tells_the_limits(c):
    c.call("TRETAIN", "log", "COUNT", "7", "AGE", "8000", "BYTES", "9")
    answer = info(c)
    assert [answer[name] for name in ("retain-count", "retain-age", "retain-bytes")] == [7, 8000, 9]


# --- what holds the tail ---


def tail_held_by(c):
    return info(c)["tail-held-by"].decode()


def test_without_limits_nothing_holds_the_tail(c):
    c.call("TWRITE", "log", "t", "e")
    assert tail_held_by(c) == "none"


@pytest.mark.parametrize("name, limit", [("COUNT", "100"), ("AGE", "3600000"), ("BYTES", "1000")])
def test_the_only_limit_holds_the_tail(c, name, limit):
    c.call("TWRITE", "log", "t", "e")
    c.call("TRETAIN", "log", name, limit)
    assert tail_held_by(c) == name.lower()
    c.call("TRETAIN", "log", name, "0")
    assert tail_held_by(c) == "none"


def test_the_limit_that_evicts_holds_the_tail(c):
    c.call("TRETAIN", "log", "COUNT", "10", "BYTES", "1000", "AGE", "3600000")
    c.call("TWRITE", "log", "ENTRIES", *["t", "e"] * 20)
    assert tail_held_by(c) == "count"
    c.call("TWRITE", "log", "ENTRIES", *["t", "x" * 300] * 3)
    assert tail_held_by(c) == "count"
    c.call("TWRITE", "log", "ENTRIES", *["t", "x" * 300] * 3)
    assert tail_held_by(c) == "bytes"


def test_age_holds_the_tail_when_it_is_the_tightest(c):
    c.call("TRETAIN", "log", "COUNT", "1000", "AGE", "60000")
    c.call("TWRITE", "log", "t", "e")
    wait_until(lambda: tail_held_by(c) == "age", "more of the age is used up than of the count")
    assert info(c)["messages"] == 1
