"""Handlers that raise, hang, are cancelled or take long, and workers that stop or are killed."""

import pytest

from counting import assert_each_handled, calls, group, stored, wait_until_finished
from server import wait_until

VALUES = [str(number) for number in range(20)]


@pytest.fixture
def driver(server, drive):
    driver = drive(server.port)
    driver.start("produce", key="{orders}", tag="new", values=VALUES).finish()
    return driver


@pytest.mark.parametrize("handle", ["fail-once", "cancel-once"])
def test_a_handler_that_fails_gets_the_message_again(server, driver, handle):
    job = driver.start("work", key="{orders}", group="g", concurrency=4, handle=handle)
    wait_until_finished(server, "{orders}", "g")
    job.stop()
    assert assert_each_handled(job.values("handled"), VALUES) == dict.fromkeys(VALUES, 2)
    assert {report["attempts"] for report in job.reports("handled")} == {1, 2}
    # The id is the same in every delivery.
    assert len({report["id"] for report in job.reports("handled")}) == len(VALUES)


def test_a_handler_that_hangs_is_ended_by_its_time_limit(server, driver):
    job = driver.start("work", key="{orders}", group="g", concurrency=20, handle="hang-once", time_limit=0.5)
    wait_until_finished(server, "{orders}", "g")
    job.stop()
    assert set(assert_each_handled(job.values("handled"), VALUES)) == set(VALUES)


def test_after_its_last_attempt_a_message_is_a_dead_letter(server, driver):
    job = driver.start("work", key="{orders}", group="g", concurrency=20, handle="hang", time_limit=0.1,
                       max_attempts=2, dead_letter="{orders}:dead")
    wait_until_finished(server, "{orders}", "g")
    job.stop()
    assert sorted(stored(server, "{orders}:dead")) == sorted(VALUES)


@pytest.mark.long
def test_a_lease_is_extended_while_a_handler_runs(server, driver):
    server.admin.call("CONFIG", "RESETSTAT")
    job = driver.start("work", key="{orders}", group="g", concurrency=20, lease=9, handle="held")
    job.wait_for("handled", len(VALUES))
    # Another worker asks all the time, and gets nothing.
    other = driver.start("work", key="{orders}", group="g", lease=9)
    wait_until(lambda: calls(server, "TEXTEND") >= 4, "more than a lease has passed")
    job.release()
    wait_until_finished(server, "{orders}", "g")
    job.stop()
    other.stop()
    handled = job.reports("handled") + other.reports("handled")
    assert not assert_each_handled([report["handled"] for report in handled], VALUES)
    assert group(server, "{orders}", "g")["redelivered"] == 0


def test_a_worker_that_stops_finishes_and_gives_the_rest_back_uncounted(server, driver):
    job = driver.start("work", key="{orders}", group="g", concurrency=2, prefetch=10, handle="held")
    job.wait_for("handled", 2)
    wait_until(lambda: group(server, "{orders}", "g")["pending"] == 12, "it has fetched ahead")
    job.begin_to_stop()
    # Messages that it has not started are available to other workers at once, while its handlers still run, and no
    # attempt is counted.
    other = driver.start("work", key="{orders}", group="g", concurrency=20)
    other.wait_for("handled", len(VALUES) - 2)
    assert not job.reports("end")
    job.release()
    job.finish()
    wait_until_finished(server, "{orders}", "g")
    other.stop()
    assert not assert_each_handled(job.values("handled") + other.values("handled"), VALUES)
    assert {report["attempts"] for report in other.reports("handled")} == {1}


def test_what_is_not_finished_when_the_drain_is_over_is_given_back(server, driver):
    job = driver.start("work", key="{orders}", group="g", concurrency=2, handle="hang", drain=0.2)
    job.wait_for("handled", 2)
    job.stop()
    other = driver.start("work", key="{orders}", group="g", concurrency=20)
    wait_until_finished(server, "{orders}", "g")
    other.stop()
    assert_each_handled(other.values("handled"), VALUES)
    assert {report["attempts"] for report in other.reports("handled")} == {1}


def test_a_worker_that_is_killed_gets_what_it_held_first_when_it_comes_back(server, driver, drive):
    job = driver.start("work", key="{orders}", group="g", consumer="ann", concurrency=3, prefetch=2, handle="hang")
    job.wait_for("handled", 3)
    wait_until(lambda: group(server, "{orders}", "g")["pending"] == 5, "it has read ahead")
    driver.kill()
    again = drive(server.port).start("work", key="{orders}", group="g", consumer="ann")
    wait_until_finished(server, "{orders}", "g")
    again.stop()
    assert again.values("handled") == VALUES  # the first five are those that the killed worker held
    assert {report["attempts"] for report in again.reports("handled")} == {1}


def test_what_a_killed_worker_held_passes_on_after_its_lease(server, driver, drive):
    job = driver.start("work", key="{orders}", group="g", concurrency=5, lease=1, handle="hang")
    job.wait_for("handled", 5)
    driver.kill()
    other = drive(server.port).start("work", key="{orders}", group="g", concurrency=5)
    wait_until_finished(server, "{orders}", "g")
    other.stop()
    assert_each_handled(other.values("handled"), VALUES)


def test_a_group_that_is_dropped_is_made_again(server, driver):
    job = driver.start("work", key="{orders}", group="g", concurrency=4)
    wait_until_finished(server, "{orders}", "g")
    server.admin.call("TGROUP", "DROP", "{orders}", "g")
    driver.start("produce", key="{orders}", tag="new", values=["late"]).finish()
    job.wait_for("handled", 2 * len(VALUES) + 1)  # the new group starts at the first message
    wait_until_finished(server, "{orders}", "g")
    job.stop()
    assert_each_handled(job.values("handled"), [*VALUES, "late"])
