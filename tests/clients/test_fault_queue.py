"""Producers and workers over a network that loses and delays answers, closes connections, and goes silent."""

import pytest

from counting import assert_each_handled, calls, group, stored, wait_until_finished
from server import wait_until

VALUES = [str(number) for number in range(400)]


def test_a_batch_whose_answer_is_lost_is_stored_once(server, proxy, drive):
    proxy.swallow("TWRITE", times=5, every=2)
    job = drive(proxy.port).start("produce", key="orders", tag="new", values=VALUES, batch=20)
    assert job.finish()["offsets"] == list(range(1, 401))
    assert stored(server, "orders") == VALUES
    assert proxy.swallowed["TWRITE"] == 5


def test_every_message_is_handled_once_though_answers_are_lost(server, proxy, drive):
    drive(server.port).start("produce", key="orders", tag="new", values=VALUES).finish()
    for command in ("TREADGROUP", "TACK"):
        proxy.swallow(command, times=5, every=3)
    job = drive(proxy.port).start("work", key="orders", group="g", concurrency=4)
    wait_until_finished(server, "orders", "g")
    job.stop()
    # MINE returns messages whose delivery was lost with an answer, and a lost acknowledgement is repeated: nothing is
    # handled twice.
    assert not assert_each_handled(job.values("handled"), VALUES)
    assert set(job.values("attempts")) == {1}  # no message had to wait for the end of a lease
    assert proxy.swallowed["TREADGROUP"] == 5 and proxy.swallowed["TACK"] >= 1


def test_what_is_acknowledged_while_a_read_is_answered_is_not_handled_again(server, proxy, drive):
    """The server executes MINE before the acknowledgement, and its answer comes after that of the acknowledgement."""
    drive(server.port).start("produce", key="orders", tag="new", values=VALUES[:4]).finish()
    job = drive(proxy.port).start("work", key="orders", group="g", concurrency=8, handle="held")
    job.wait_for("handled", 4)
    wait_until(lambda: server.waiting_clients() != [], "the worker waits for more")
    executed = reads(server)
    proxy.delay_answers_of("TREADGROUP", 1)
    proxy.cut()
    wait_until(lambda: reads(server) >= executed + 1, "the server has executed MINE")
    job.release()
    wait_until_finished(server, "orders", "g")
    wait_until(lambda: reads(server) > executed + 1, "the worker has the answer and reads on")
    job.stop()
    assert not assert_each_handled(job.values("handled"), VALUES[:4])


def reads(server):
    return calls(server, "TREADGROUP")


def test_nothing_is_lost_on_a_network_that_is_cut_again_and_again(server, proxy, drive):
    driver = drive(proxy.port)
    work = driver.start("work", key="orders", group="g", concurrency=4)
    jobs = []
    for part in range(8):
        jobs.append(driver.start("produce", key="orders", tag="new", values=VALUES[part * 50:part * 50 + 50], batch=5))
        work.wait_for("handled", part * 30 + 1)
        proxy.cut()
    for job in jobs:
        job.finish()
    wait_until_finished(server, "orders", "g")
    work.stop()
    assert sorted(stored(server, "orders")) == sorted(VALUES)
    assert_each_handled(work.values("handled"), VALUES)


def test_a_slow_network_only_takes_longer(server, proxy, drive):
    proxy.delay(0.05)
    driver = drive(proxy.port)
    driver.start("produce", key="orders", tag="new", values=VALUES, batch=100).finish()
    job = driver.start("work", key="orders", group="g", concurrency=50)
    wait_until_finished(server, "orders", "g")
    job.stop()
    assert stored(server, "orders") == VALUES
    assert not assert_each_handled(job.values("handled"), VALUES)


@pytest.mark.long
def test_a_server_that_answers_nothing_is_asked_again(server, proxy, drive):
    driver = drive("--hasty", f"redis://127.0.0.1:{proxy.port}")
    work = driver.start("work", key="orders", group="g")
    driver.start("produce", key="orders", tag="new", values=VALUES[:10]).finish()
    work.wait_for("handled", 10)
    with proxy.silence():
        job = driver.start("produce", key="orders", tag="new", values=VALUES[10:20])
        # The worker's wait and the write time out; both connections are closed, and new ones are opened.
        wait_until(lambda: proxy.accepted >= 5, "the package has connected again")
    job.finish()
    wait_until_finished(server, "orders", "g")
    work.stop()
    assert stored(server, "orders") == VALUES[:20]
    assert_each_handled(work.values("handled"), VALUES[:20])


def test_a_full_buffer_and_a_full_log_hold_the_producer_back(server, proxy, drive):
    server.admin.call("TRETAIN", "orders", "COUNT", 50, "REFUSE", "yes")
    server.admin.call("TREAD", "orders", 1, 0, "GROUP", "g")
    driver = drive(proxy.port)
    # With this linger, batches are always full. After a smaller batch the next full one would not fit into the log.
    produce = driver.start("produce", key="orders", tag="new", values=VALUES[:200], batch=10, buffer=20, linger=3600)
    wait_until(lambda: server.admin.call("TINFO", "orders")[3] == 50, "the log is full")
    assert not produce.reports("end")
    work = driver.start("work", key="orders", group="g", concurrency=4)
    produce.finish()
    wait_until_finished(server, "orders", "g")
    work.stop()
    assert not assert_each_handled(work.values("handled"), VALUES[:200])


def test_a_reader_goes_on_exactly_where_it_was(server, proxy, drive):
    driver = drive(proxy.port)
    first = driver.start("follow", key="orders", start="first", until=150)
    for part in range(4):
        driver.start("produce", key="orders", tag="new", values=VALUES[part * 50:part * 50 + 50]).finish()
        proxy.cut()
    first.finish()
    # Another process continues from the position that the first one stored.
    second = drive(server.port).start("follow", key="orders", start=first.reports("message")[-1]["position"], until=50)
    second.finish()
    assert first.values("message") + second.values("message") == VALUES[:200]
    assert [report["offset"] for report in second.reports("message")] == list(range(151, 201))


def test_a_reader_gets_a_gap_for_evicted_messages(server, drive):
    driver = drive(server.port)
    driver.start("produce", key="orders", tag="new", values=VALUES[:20]).finish()
    server.admin.call("TEVICT", "orders", 5)
    job = driver.start("follow", key="orders", start="1", until=15)
    job.finish()
    assert job.values("gap") == [[1, 6]]
    assert job.values("message") == VALUES[5:20]


def test_a_message_that_is_never_handled_goes_to_the_dead_letters(server, drive):
    driver = drive(server.port)
    driver.start("produce", key="{orders}", tag="new", values=["a", "b"]).finish()
    job = driver.start("work", key="{orders}", group="g", handle="reject", dead_letter="{orders}:dead")
    wait_until_finished(server, "{orders}", "g")
    job.stop()
    assert stored(server, "{orders}:dead") == ["a", "b"]
    assert group(server, "{orders}", "g")["pending"] == 0
