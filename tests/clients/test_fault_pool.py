"""Pools: the payloads of a recipient come in order and each is handled once, although answers are lost and workers
die."""

import collections

import pytest

from counting import stored
from fault_proxy import FaultProxy
from server import Server, wait_until

RECIPIENTS = ("ann", "bob", "eve")
VALUES = [str(number) for number in range(30)]


def push_all(driver, values=VALUES):
    return [driver.start("push", pool="mail", recipient=recipient, values=values) for recipient in RECIPIENTS]


def by_recipient(*jobs):
    found = collections.defaultdict(list)
    for job in jobs:
        for report in job.reports("handled"):
            found[report["recipient"]].append(report["handled"])
    return found


def pending(server):
    flat = server.admin.call("SHARD.INFO", "mail")
    return dict(zip(flat[::2], flat[1::2]))[b"pending"]


def test_each_payload_is_handled_once_and_in_order_though_answers_are_lost(server, proxy, drive):
    driver = drive(proxy.port)
    work = driver.start("pool-work", pool="mail", name="w1", concurrency=3)
    for command in ("SHARD.PUSH", "SHARD.PULL", "SHARD.ACK"):
        proxy.swallow(command, times=5, every=4)
    for job in push_all(driver):
        job.finish()
    work.wait_for("handled", len(VALUES) * len(RECIPIENTS))
    wait_until(lambda: pending(server) == 0, "everything is acknowledged")
    work.stop()
    assert by_recipient(work) == dict.fromkeys(RECIPIENTS, VALUES)
    assert proxy.swallowed["SHARD.PUSH"] == 5 and proxy.swallowed["SHARD.PULL"] > 0


@pytest.mark.long
def test_a_killed_worker_s_recipients_move_on(server, drive):
    server.admin.call("SHARD.SET", "mail", "STALE", 6000)
    first, second = drive(server.port), drive(server.port)
    jobs = [one.start("pool-work", pool="mail", name=f"w{number}") for number, one in enumerate((first, second))]
    wait_until(lambda: server.admin.call("SHARD.INFO", "mail")[1].__len__() == 2, "both have joined")
    sender = drive(server.port)
    pushes = push_all(sender)
    for job in jobs:
        job.wait_for("handled")
    first.kill()
    for push in pushes:
        push.finish()
    more = push_all(sender, ["last"])
    for push in more:
        push.finish()
    wait_until(lambda: pending(server) == 0, "everything is acknowledged")
    jobs[1].stop()
    for recipient, handled in by_recipient(*jobs).items():
        assert list(dict.fromkeys(handled)) == sorted(set(handled), key=[*VALUES, "last"].index), recipient
        assert set(handled) == {*VALUES, "last"}


def test_a_worker_that_leaves_hands_its_recipients_over_at_once(server, drive):
    driver = drive(server.port)
    one = driver.start("pool-work", pool="mail", name="one")
    for job in push_all(driver):
        job.finish()
    other = driver.start("pool-work", pool="mail", name="other")
    wait_until(lambda: pending(server) == 0, "everything is acknowledged")
    one.stop()
    for job in push_all(driver, ["later"]):
        job.finish()
    other.wait_for("handled", len(RECIPIENTS))
    other.stop()
    assert by_recipient(other) == dict.fromkeys(RECIPIENTS, ["later"])


def test_a_payload_whose_handler_fails_comes_again_before_those_behind_it(server, drive):
    driver = drive(server.port)
    work = driver.start("pool-work", pool="mail", name="w1", concurrency=3, handle="fail-once")
    for job in push_all(driver, VALUES[:5]):
        job.finish()
    work.wait_for("handled", 2 * 5 * len(RECIPIENTS))
    wait_until(lambda: pending(server) == 0, "everything is acknowledged")
    work.stop()
    assert by_recipient(work) == dict.fromkeys(RECIPIENTS, [value for value in VALUES[:5] for _ in range(2)])


@pytest.mark.parametrize("late", [0, 0.1])
def test_a_payload_that_is_given_up_lets_those_behind_it_through(server, proxy, drive, late):
    server.admin.call("SHARD.SET", "mail", "DEADLETTER", "dead", "MAXATTEMPTS", 2)
    proxy.delay_answers_of("SHARD.NACK", late)  # pulls that were sent later are answered before it
    driver = drive(proxy.port)
    work = driver.start("pool-work", pool="mail", name="w1", concurrency=3, handle="fail")
    for job in push_all(driver, VALUES[:5]):
        job.finish()
    wait_until(lambda: pending(server) == 0, "everything is given up")
    work.stop()
    for handled in by_recipient(work).values():
        assert handled == sorted(handled) and set(handled) == set(VALUES[:5])  # in order, however often each comes
    assert sorted(stored(server, "dead")) == sorted(VALUES[:5] * len(RECIPIENTS))


def test_a_payload_whose_nack_has_no_answer_comes_again_before_those_behind_it(server, proxy, drive):
    driver = drive(proxy.port)
    work = driver.start("pool-work", pool="mail", name="w1", concurrency=3, handle="fail-once")
    proxy.swallow("SHARD.NACK", times=3, every=2)
    for job in push_all(driver, VALUES[:5]):
        job.finish()
    wait_until(lambda: pending(server) == 0, "everything is acknowledged")
    work.stop()
    for handled in by_recipient(work).values():
        assert handled == sorted(handled) and set(handled) == set(VALUES[:5])
    assert proxy.swallowed["SHARD.NACK"] == 3


def test_a_payload_that_is_rejected_is_a_dead_letter(server, drive):
    server.admin.call("SHARD.SET", "mail", "DEADLETTER", "dead")
    driver = drive(server.port)
    work = driver.start("pool-work", pool="mail", name="w1", handle="reject")
    driver.start("push", pool="mail", recipient="ann", values=VALUES[:5]).finish()
    wait_until(lambda: pending(server) == 0, "everything is given up")
    work.stop()
    assert by_recipient(work) == {"ann": VALUES[:5]} and stored(server, "dead") == VALUES[:5]


def test_what_a_worker_handles_when_it_stops_is_acknowledged_and_the_rest_passes_on(server, drive):
    driver = drive(server.port)
    work = driver.start("pool-work", pool="mail", name="w1", handle="held")
    pushes = push_all(driver)
    work.wait_for("handled")
    work.begin_to_stop()
    work.release()
    work.finish()
    other = driver.start("pool-work", pool="mail", name="w2", concurrency=3)
    for push in pushes:
        push.finish()
    wait_until(lambda: pending(server) == 0, "everything is acknowledged")
    other.stop()
    assert by_recipient(work, other) == dict.fromkeys(RECIPIENTS, VALUES)


@pytest.mark.long
@pytest.mark.parametrize("harm", ["kill", "cut"])
def test_the_order_holds_through_a_server_that_restarts_and_a_network_that_is_cut(drive, harm):
    with Server(appendonly="yes", appendfsync="always") as durable, FaultProxy(durable.port) as proxy:
        driver = drive(proxy.port)
        work = driver.start("pool-work", pool="mail", name="w1", concurrency=3)
        pushes = push_all(driver)
        for handled in (10, 40):
            work.wait_for("handled", handled)
            if harm == "kill":
                durable.kill()
                durable.come_back()
            else:
                proxy.cut()
        for push in pushes:
            push.finish()
        wait_until(lambda: pending(durable) == 0, "everything is acknowledged")
        work.stop()
        # No worker died: a payload that came again was recognised, and only acknowledged again.
        assert by_recipient(work) == dict.fromkeys(RECIPIENTS, VALUES)
