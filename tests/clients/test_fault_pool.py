"""Pools: the payloads of a recipient in order, each handled once, though answers are lost and workers die."""

import collections

from server import wait_until

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


def test_a_killed_worker_s_recipients_move_on(server, drive):
    server.admin.call("SHARD.SET", "mail", "STALE", 1500)
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
