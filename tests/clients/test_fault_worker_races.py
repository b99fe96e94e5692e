"""Workers whose messages were taken by another worker, or whose log or pool was replaced, while a handler runs or an
outcome is under way."""

import pytest

from counting import calls, wait_until_finished
from server import wait_until


def figures(server):
    flat = server.admin.call("SHARD.INFO", "mail")
    return dict(zip(flat[::2], flat[1::2]))


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_new_pool_s_payload_is_handled_though_one_of_the_old_pool_with_its_number_runs(server, proxy, drive, is_cut):
    job = drive(proxy.port).start("pool-work", pool="mail", name="w1", concurrency=3, handle="held")
    sender = drive(server.port)
    sender.start("push", pool="mail", recipient="ann", values=["old"]).finish()
    job.wait_for("handled")
    server.admin.call("FLUSHALL")
    if is_cut:
        proxy.cut()
    wait_until(lambda: figures(server)[b"waiting"] == 1, "the worker has joined the new pool")
    pulls = calls(server, "SHARD.PULL")
    sender.start("push", pool="mail", recipient="ann", values=["new"]).finish()
    wait_until(lambda: calls(server, "SHARD.PULL") > pulls and figures(server)[b"waiting"] == 1,
               "the worker has the new payload and pulls again")
    job.release()
    job.wait_for("handled", 2, deadline=10)
    wait_until(lambda: figures(server)[b"pending"] == 0, "the new payload is acknowledged")
    job.stop()
    assert job.values("handled") == ["old", "new"]


def test_a_lost_message_that_comes_back_while_its_handler_ends_is_handled_again(server, drive):
    server.admin.call("TWRITE", "orders", "new", "one")
    job = drive(server.port).start("work", key="orders", group="g", consumer="A", concurrency=2, lease=1.2, handle="held")
    job.wait_for("handled")
    asked = calls(server, r"tgroup\|pending")
    for words in (("MULTI",), ("TNACK", "orders", "g", "CONSUMER", "A", 1),
                  ("TREAD", "orders", 1, 1, "GROUP", "g", "CONSUMER", "B", "RETRY", 30_000, 0), ("EXEC",)):
        server.admin.call(*words)
    wait_until(lambda: calls(server, r"tgroup\|pending") > asked, "A has asked which messages it holds")
    server.admin.call("TNACK", "orders", "g", "CONSUMER", "B", 1)
    wait_until(lambda: any(b"A" in row for row in server.admin.call("TGROUP", "PENDING", "orders", "g")), "A has it again")
    job.release()
    job.wait_for("handled", 2, deadline=10)
    wait_until_finished(server, "orders", "g")
    job.stop()
    assert job.values("handled") == ["one", "one"]


def test_an_acknowledgement_that_is_sent_again_does_not_reach_the_log_that_replaced_its_own(server, proxy, drive):
    server.admin.call("TWRITE", "orders", "new", "old")
    proxy.swallow("TACK", times=4)
    job = drive(proxy.port).start("work", key="orders", group="g")
    wait_until(lambda: proxy.swallowed["TACK"] == 4, "the worker acknowledges again and again")
    server.admin.call("DEL", "orders")
    server.admin.call("TWRITE", "orders", "new", "new")
    job.wait_for("handled", 2, deadline=10)
    wait_until_finished(server, "orders", "g")
    job.stop()
    assert job.values("handled") == ["old", "new"]


def test_heartbeats_are_as_frequent_as_the_pool_needs_from_the_beginning(server, drive):
    server.admin.call("SHARD.SET", "mail", "STALE", 1500)
    before = calls(server, "SHARD.HEARTBEAT")
    job = drive(server.port).start("pool-work", pool="mail", name="w1")
    wait_until(lambda: figures(server)[b"waiting"] == 1, "the worker has joined")
    # A worker that did not know STALE would send the first one after five seconds.
    wait_until(lambda: calls(server, "SHARD.HEARTBEAT") >= before + 3, "two more heartbeats than that of joining",
               deadline=4.5)
    job.stop()


def test_a_heartbeat_without_an_answer_does_not_delay_the_next_ones(server, proxy, drive):
    server.admin.call("SHARD.SET", "mail", "STALE", 1500)
    job = drive(proxy.port).start("pool-work", pool="mail", name="w1")
    wait_until(lambda: figures(server)[b"waiting"] == 1, "the worker has joined")
    before = calls(server, "SHARD.HEARTBEAT")
    proxy.delay_answers_of("SHARD.HEARTBEAT", 20)
    # A heartbeat that waited for its answer for five seconds would make this 16 seconds.
    wait_until(lambda: calls(server, "SHARD.HEARTBEAT") >= before + 4, "four heartbeats", deadline=14)
    proxy.delay_answers_of("SHARD.HEARTBEAT", 0)
    job.stop()
