"""Channels: messages are published once and received in order, and gaps are reported."""

VALUES = [str(number) for number in range(100)]


def test_every_message_is_received_once_and_in_order_though_answers_are_lost(server, proxy, drive):
    driver = drive(proxy.port)
    listen = driver.start("subscribe", channel="news", name="ann")
    listen.wait_for("gap")
    for command in ("CHAN.PUBLISH", "CHAN.FETCH", "CHAN.ACK"):
        proxy.swallow(command, times=8, every=5)
    driver.start("publish", channel="news", values=VALUES).finish()
    listen.wait_for("message", len(VALUES))
    listen.stop()
    assert listen.values("message") == VALUES
    assert len(listen.values("gap")) == 1
    assert proxy.swallowed["CHAN.PUBLISH"] == 8 and proxy.swallowed["CHAN.FETCH"] > 0
    # Everything is acknowledged: the last one by ack().
    assert server.admin.call("CHAN.FETCH", "news", "ann")[0] == []


def test_a_network_that_is_cut_repeats_at_most_what_was_not_acknowledged(server, proxy, drive):
    driver = drive(proxy.port)
    listen = driver.start("subscribe", channel="news", name="ann", batch=10)
    listen.wait_for("gap")
    for part in range(5):
        driver.start("publish", channel="news", values=VALUES[part * 20:part * 20 + 20]).finish()
        proxy.cut()
    listen.wait_for("message", len(VALUES))
    listen.stop()
    assert listen.values("message") == VALUES


def test_a_subscriber_that_was_removed_gets_the_gap(server, proxy, drive):
    driver = drive(proxy.port)
    listen = driver.start("subscribe", channel="news", name="ann")
    listen.wait_for("gap")
    driver.start("publish", channel="news", values=["one"]).finish()
    listen.wait_for("message")
    server.admin.call("CHAN.UNSUBSCRIBE", "news", "ann")
    listen.wait_for("gap", 2)
    driver.start("publish", channel="news", values=["two"]).finish()
    listen.wait_for("message", 2)
    listen.stop()
    assert listen.values("message") == ["one", "two"]


def test_a_channel_that_was_deleted_and_made_again_is_followed(server, drive):
    driver = drive(server.port)
    listen = driver.start("subscribe", channel="news", name="ann")
    listen.wait_for("gap")
    driver.start("publish", channel="news", values=["one"]).finish()
    listen.wait_for("message")
    server.admin.call("DEL", "news")
    listen.wait_for("gap", 2)
    driver.start("publish", channel="news", values=["two"]).finish()
    listen.wait_for("message", 2)
    listen.stop()


def test_what_a_killed_subscriber_had_not_acknowledged_comes_again(server, drive):
    driver = drive(server.port)
    listen = driver.start("subscribe", channel="news", name="ann", hang_at="4")
    listen.wait_for("gap")
    driver.start("publish", channel="news", values=VALUES[:5]).finish()
    listen.wait_for("message", 5)
    driver.kill()
    again = drive(server.port).start("subscribe", channel="news", name="ann")
    again.wait_for("message")
    again.stop()
    assert again.values("message") == ["4"] and not again.values("gap")


def test_a_receipt_that_is_void_costs_nothing_but_another_fetch(server, drive):
    driver = drive(server.port)
    listen = driver.start("subscribe", channel="news", name="ann", pause_at="one")
    listen.wait_for("gap")
    driver.start("publish", channel="news", values=["one"]).finish()
    listen.wait_for("message")
    for command in ("CHAN.UNSUBSCRIBE", "CHAN.SUBSCRIBE"):  # its receipt belongs to a deleted subscriber
        server.admin.call(command, "news", "ann")
    driver.start("publish", channel="news", values=["two"]).finish()
    listen.release()
    listen.wait_for("message", 2)
    listen.stop()
    assert listen.values("message") == ["one", "two"] and len(listen.values("gap")) == 1
