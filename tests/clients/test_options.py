"""The options of producers, workers and readers, with each package."""

import pytest

from counting import calls, group, stored, wait_until_finished
from server import Server, let_pass, wait_until

VALUES = [str(number) for number in range(20)]


@pytest.fixture(scope="module")
def replicated():
    """A master with a replica."""
    with Server() as master, Server() as replica:
        replica.replicate(master)
        yield master


def test_a_batch_has_so_many_messages_at_most(server, drive):
    server.admin.call("CONFIG", "RESETSTAT")
    job = drive(server.port).start("produce", key="orders", tag="new", values=VALUES, batch=7, linger=3600)
    assert job.finish()["offsets"] == list(range(1, 21))
    assert calls(server, "TWRITE") == 3


def test_a_batch_has_so_many_bytes_at_most(server, drive):
    server.admin.call("CONFIG", "RESETSTAT")
    values = [letter * 600 for letter in "abcd"]
    drive(server.port).start("produce", key="orders", tag="new", values=values, batch_bytes=1300, linger=3600).finish()
    assert calls(server, "TWRITE") == 2 and stored(server, "orders") == values


def test_a_message_waits_for_others_no_longer_than_linger(server, drive):
    driver = drive(server.port)
    driver.start("produce", key="orders", tag="new", values=["one"], linger=0.01, until_answered=True).finish()
    assert stored(server, "orders") == ["one"]


def test_a_write_that_no_replica_has_is_reported(server, drive):
    job = drive(server.port).start("produce", key="orders", tag="new", values=["one"], replicas=1, retry_for=1)
    assert job.end()["end"] == "NotReplicated"
    assert stored(server, "orders") == ["one"]  # it is in the log, and the error says so


def test_a_write_is_answered_once_a_replica_has_it(replicated, drive):
    replicated.admin.call("FLUSHALL")
    job = drive(replicated.port).start("produce", key="orders", tag="new", values=VALUES, batch=7, replicas=1)
    assert job.finish()["offsets"] == list(range(1, 21))


def test_time_outs_of_the_user_s_client_neither_cut_a_wait_short_nor_send_it_again(server, drive):
    driver = drive("--block", "20", "--hasty", f"redis://127.0.0.1:{server.port}")
    server.admin.call("CONFIG", "RESETSTAT")
    job = driver.start("work", key="orders", group="g")
    server.wait_for_blocked(1)
    waiting = server.waiting_clients()
    let_pass(1)  # longer than the time-out of the user's client, shorter than the wait
    assert server.waiting_clients() == waiting
    # The read with MINE, and perhaps the waiting read: some hosts count it only when it ends.
    assert 1 <= calls(server, "TREADGROUP") <= 2
    driver.start("produce", key="orders", tag="new", values=["one"]).finish()
    job.wait_for("handled")
    job.stop()


def test_a_worker_holds_what_it_handles_and_what_it_fetches_ahead(server, drive):
    driver = drive(server.port)
    driver.start("produce", key="orders", tag="new", values=VALUES).finish()
    job = driver.start("work", key="orders", group="g", concurrency=2, prefetch=3, handle="hang", drain=0)
    job.wait_for("handled", 2)
    wait_until(lambda: group(server, "orders", "g")["pending"] == 5, "it has fetched ahead")
    let_pass(0.3)
    assert group(server, "orders", "g")["pending"] == 5 and len(job.values("handled")) == 2
    job.stop()


def test_a_new_group_begins_at_the_first_message_or_at_the_next(server, drive):
    driver = drive(server.port)
    driver.start("produce", key="orders", tag="new", values=["old"]).finish()
    late = driver.start("work", key="orders", group="late", start="next")
    wait_until(lambda: group(server, "orders", "late"), "the group is there")
    driver.start("produce", key="orders", tag="new", values=["new"]).finish()
    early = driver.start("work", key="orders", group="early", start="first")
    for name in ("late", "early"):
        wait_until_finished(server, "orders", name)
    late.stop()
    early.stop()
    assert late.values("handled") == ["new"] and early.values("handled") == ["old", "new"]


def test_a_reader_begins_at_a_date_and_at_the_end(server, drive):
    driver = drive(server.port)
    driver.start("produce", key="orders", tag="new", values=["one"]).finish()
    seconds, microseconds = server.admin.call("TIME")
    date = int(seconds) + int(microseconds) / 1e6 + 0.005
    let_pass(0.02)
    driver.start("produce", key="orders", tag="new", values=["two"]).finish()
    by_date = driver.start("follow", key="orders", start={"date": date}, until=1)
    by_date.finish()
    at_end = driver.start("follow", key="orders", start="end", until=1)
    at_end.wait_for("position")
    driver.start("produce", key="orders", tag="new", values=["three"]).finish()
    at_end.finish()
    assert by_date.values("message") == ["two"] and at_end.values("message") == ["three"]


def test_a_reader_of_some_tags_gets_no_others(server, drive):
    driver = drive(server.port)
    for tag in ("a", "b", "c", "a"):
        driver.start("produce", key="orders", tag=tag, values=[tag]).finish()
    job = driver.start("follow", key="orders", start="first", tags=["a", "c"], until=3)
    job.finish()
    assert [(report["message"], report["offset"]) for report in job.reports("message")] == [("a", 1), ("c", 3), ("a", 4)]
