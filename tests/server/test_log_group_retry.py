"""RETRY: when and in which order messages come again, to which reader, and when they are given up."""

import pytest

from log_groups import ALL, LONG, SHORT, about, numbers, pending, pending_offsets, read, take, take_later, write
from server import wait_until


def milliseconds(c):
    seconds, micros = c.call("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


def test_a_message_comes_again_after_the_retry_time_and_not_before(c):
    write(c, 2)
    before = milliseconds(c)
    assert take(c, 9, "RETRY", "60", "0") == [1, 2]
    assert take_later(c, 9, "RETRY", "60", "0") == [1, 2]
    assert milliseconds(c) - before >= 60
    assert numbers(c, "redelivered", "pending", "lag") == [2, 2, 0]


def test_it_is_delivered_again_to_any_reader_that_asks(c, connect):
    write(c)
    take(c, 1, *SHORT, "CONSUMER", "ann")
    assert take_later(connect(), 1, *LONG, "CONSUMER", "bob") == [1]
    assert pending(c)[0][4] == b"bob"


def test_an_acknowledged_message_is_not_delivered_again(c):
    write(c, 3)
    take(c, 3, *SHORT)
    c.call("TACK", "log", "g", "1", "3")
    assert take_later(c, 9, *LONG) == [2]
    assert take(c, 9, *LONG) == []


def test_what_is_due_comes_first_and_then_what_is_new(c):
    write(c, 2)
    take(c, 2, *LONG)
    write(c, 2)
    c.call("TNACK", "log", "g", "1-2")
    assert take(c, 4, *LONG) == [1, 2, 3, 4]


def test_the_oldest_deadline_comes_first(s, clock):
    write(s, 4)
    for offset, retry in ((1, 90_000), (2, 30_000), (3, 60_000), (4, 10_000)):
        assert take(s, 1, "RETRY", retry, "0") == [offset]
    clock.pass_time(90_000)
    assert take(s, 9, *LONG) == [4, 2, 3, 1]


def test_a_redelivery_starts_a_new_interval(c):
    write(c)
    take(c, 1, *SHORT)
    assert take_later(c, 1, "RETRY", "50000", "0") == [1]
    assert take(c, 1) == []
    assert 40000 < pending(c)[0][2] <= 50000


def test_the_expiry_stays_where_the_first_delivery_put_it(c):
    write(c)
    take(c, 1, "RETRY", "40", "50000")
    assert take_later(c, 1, "RETRY", "60000", "90000") == [1]
    [[_, attempts, retry, expiry, _]] = pending(c)
    assert attempts == 2 and 50000 < retry <= 60000 and 40000 < expiry <= 50000


def test_after_its_expiry_a_message_is_given_up_without_a_read(c):
    write(c, 3)
    take(c, 2, "RETRY", "50000", "30")
    wait_until(lambda: about(c)["expired"] == 2, "both are given up")
    assert numbers(c, "pending", "expired", "lost", "lag") == [0, 2, 0, 1]
    assert take(c, 9, *LONG) == [3]
    assert c.call("TACK", "log", "g", "1-2") == 0


def test_a_due_message_that_was_not_fetched_expires_too(c):
    write(c)
    take(c, 1, "RETRY", "10", "60")
    wait_until(lambda: about(c)["expired"] == 1, "it is given up")
    assert take(c, 1) == []


def test_expiry_0_is_never(c):
    write(c)
    take(c, 1, "RETRY", "10", "0")
    for attempt in range(2, 6):
        [[_, _, _, attempts]] = wait_until(lambda: read(c, 1, "WITHATTEMPTS", "RETRY", "10", "0"), "again")
        assert attempts == attempt
    assert pending(c)[0][3] == -1


def test_after_the_last_attempt_a_message_is_given_up_when_it_would_be_due(s, clock):
    write(s)
    s.call("TGROUP", "CREATE", "log", "g", "MAXATTEMPTS", "2")
    take(s, 1, "RETRY", "600000", "0")
    clock.pass_time(600_000)
    assert take(s, 1, "RETRY", "600000", "0") == [1]
    clock.pass_time(500_000)
    assert pending_offsets(s) == [1]
    clock.pass_time(100_000)
    wait_until(lambda: about(s)["exhausted"] == 1, "it is given up")
    assert (take(s, 1), numbers(s, "pending", "expired", "redelivered")) == ([], [0, 0, 1])


# --- TNACK ---


def test_tnack_makes_messages_due_at_once(c):
    write(c, 5)
    take(c, 4, *LONG)
    assert c.call("TNACK", "log", "g", "1", "3-4", "9") == 3
    assert [one[2] for one in pending(c) if one[0] != 2] == [0, 0, 0]
    assert take(c, 9, *LONG) == [1, 3, 4, 5]


def test_tnack_counts_a_message_once_however_often_it_is_named(c):
    write(c, 5)
    take(c, 4, *LONG)
    assert c.call("TNACK", "log", "g", "3", "1", "1-2", "1", "2-3") == 3
    assert [one[0] for one in pending(c) if one[2] == 0] == [1, 2, 3]


def test_tnack_with_a_delay_makes_them_due_after_it(c):
    write(c, 2)
    take(c, 2, *LONG)
    before = milliseconds(c)
    assert c.call("TNACK", "log", "g", "DELAY", "50", "2") == 1
    assert take_later(c, 9, *LONG) == [2]
    assert milliseconds(c) - before >= 50


def test_a_delay_may_be_longer_than_the_retry_time(c):
    write(c)
    take(c, 1, *SHORT)
    c.call("TNACK", "log", "g", "DELAY", "60000", "1")
    assert 50000 < pending(c)[0][2] <= 60000


def test_tnack_does_not_reset_the_number_of_attempts(c):
    write(c)
    for attempt in range(1, 6):
        assert read(c, 1, "WITHATTEMPTS", *LONG) == [[1, b"t", b"e0", attempt]]
        c.call("TNACK", "log", "g", "1")
    c.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "6")
    assert read(c, 1, "WITHATTEMPTS", *LONG)[0][3] == 6
    c.call("TNACK", "log", "g", "1")
    wait_until(lambda: about(c)["exhausted"] == 1, "it is given up")


def test_a_message_given_back_keeps_its_expiry(c):
    write(c)
    take(c, 1, "RETRY", "50000", "50")
    c.call("TNACK", "log", "g", "DELAY", "50000", "1")
    wait_until(lambda: about(c)["expired"] == 1, "it is given up")


def test_given_back_messages_come_in_the_order_in_which_they_were_given_back(c):
    write(c, 3)
    take(c, 3, *LONG)
    for offset in (3, 1, 2):
        c.call("TNACK", "log", "g", offset)
        now = milliseconds(c)
        wait_until(lambda: milliseconds(c) > now, "the clock has moved on")
    assert [take(c, 1, *LONG) for _ in range(3)] == [[3], [1], [2]]


def test_a_setting_of_the_attempts_holds_for_what_is_due_already(c):
    write(c)
    take(c, 1, *LONG)
    c.call("TNACK", "log", "g", "1")
    wait_until(lambda: pending(c)[0][2] == 0, "it is due")
    c.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "1")
    assert take(c, 1, *LONG) == []
    wait_until(lambda: about(c)["exhausted"] == 1, "it is given up")


# --- large batches ---


@pytest.mark.parametrize("size", [1, 63, 64, 65, 1000])
def test_a_batch_comes_again_as_a_whole_whatever_its_size(c, size):
    write(c, size)
    take(c, size, *SHORT)
    got = []
    while len(got) < size:
        got += take_later(c, size, *LONG)
    assert got == list(range(1, size + 1))


def test_a_count_cuts_what_is_due_and_the_rest_stays_due(c):
    write(c, 100)
    take(c, 100, *LONG)
    c.call("TACK", "log", "g", "10-20")
    c.call("TNACK", "log", "g", ALL)
    got = [take(c, 7, *LONG) for _ in range(13)]
    assert [offset for part in got for offset in part] == [*range(1, 10), *range(21, 101)]
    assert all(len(part) == 7 for part in got[:12])


# --- the key moves ---


@pytest.mark.parametrize("how", ["RENAME", "COPY", "RESTORE", "MOVE", "SWAPDB", "RELOAD"])
def test_times_go_with_the_key(c, how):
    write(c, 2)
    take(c, 2, "RETRY", "50000", "60")
    key = "other" if how in ("RENAME", "COPY", "RESTORE") else "log"
    if how == "RESTORE":
        c.call("RESTORE", "other", "0", c.call("DUMP", "log"))
    else:
        c.call(*{"MOVE": ("MOVE", "log", "1"), "SWAPDB": ("SWAPDB", "0", "1"), "RELOAD": ("DEBUG", "RELOAD")}.get(
            how, (how, "log", "other")
        ))
    if how in ("MOVE", "SWAPDB"):
        c.call("SELECT", "1")
    wait_until(lambda: about(c, key=key)["expired"] == 2, "both are given up")
