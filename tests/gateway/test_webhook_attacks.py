"""Webhooks that lose answers, and whose receivers are hostile."""

import contextlib
import json

from deliverer import Deliverer
from lossy_proxy import LossyProxy
from receiver import Receiver
from server import wait_until
from test_webhooks import QUICK, group, on_channel, seen, wait_for_all_done, webhook


def test_in_order_what_a_lost_answer_had_is_sent_first(server, c):
    with Receiver() as receiver, LossyProxy(server) as network, \
            webhook(network, receiver, "--in-order", takeover="60s"):
        c.call("TWRITE", "orders", "t", "1")
        receiver.wait_for(1)
        server.wait_for_blocked(1)
        network.lose_answer_of("BLOCK")  # of the read after the next message
        c.call("TWRITE", "orders", "t", "2")
        receiver.wait_for(2)
        wait_until(lambda: network.loses_none, "the next read has begun")
        server.wait_for_blocked(1)
        c.call("TWRITE", "orders", "t", "3")
        wait_until(lambda: group(c)["last"] == 3, "the third message is delivered to the network")
        c.call("TWRITE", "orders", "t", "4")
        receiver.wait_for(4)
    assert receiver.bodies() == [1, 2, 3, 4]


def test_in_order_a_message_that_went_to_the_last_deliverer_is_sent_before_the_next(server, c):
    """The last one still reads under the common name when it no longer leads."""
    lease = "60000"
    with Receiver() as receiver:
        with webhook(server, receiver, "--in-order"):
            c.call("TWRITE", "orders", "t", "1")
            wait_for_all_done(c, 1)
        with server.connect() as last:
            last.send("TREAD", "orders", "1", "10", "GROUP", "shop", "RETRY", lease, "0", "CONSUMER", "millrace deliver",
                      "BLOCK", "0")
            server.wait_for_blocked(1)
            with webhook(server, receiver, "--in-order"):
                server.wait_for_blocked(2)
                c.call("TWRITE", "orders", "t", "2")
                assert len(last.read()) == 1
                c.call("TWRITE", "orders", "t", "3")
                receiver.wait_for(3)
    assert receiver.bodies() == [1, 2, 3]


def test_two_webhooks_in_order_never_wait_for_the_same_lock(server, c):
    with Receiver() as one, Receiver() as other, contextlib.ExitStack() as stack:
        for log, name, receiver in (("orders", "eu:shop", one), ("orders:eu", "shop", other)):
            stack.enter_context(Deliverer(server, "--log", log, "--group", name, "--url", receiver.url, "--allow-private",
                                          "--in-order"))
            c.call("TWRITE", log, "t", "1")
        one.wait_for(1)
        other.wait_for(1)


def test_a_message_whose_acknowledgement_is_refused_is_not_sent_again_and_again(server, c):
    c.call("ACL", "SETUSER", "hooks", "on", ">secret", "~*", "&*", "+@all", "-chan.ack")
    try:
        with Receiver() as receiver, on_channel(f"redis://hooks:secret@127.0.0.1:{server.port}", receiver, **QUICK) as deliverer:
            wait_until(lambda: c.call("EXISTS", "room"), "it has subscribed")
            c.call("CHAN.PUBLISH", "room", "a", "1")
            wait_until(lambda: deliverer.output().count("cannot acknowledge: NOPERM") >= 3, "it has tried again")
            assert receiver.bodies() == [1]
            c.call("ACL", "SETUSER", "hooks", "+chan.ack")
            wait_until(lambda: seen(c, "a") == [1], "it is acknowledged")
            assert receiver.bodies() == [1]
    finally:
        c.call("ACL", "DELUSER", "hooks")


def test_a_receiver_that_comes_with_a_message_cannot_hold_back_others(server, c):
    """A day after each attempt: until the first message is given up, only the window behind it is delivered."""
    hostile = Receiver(lambda hook: (503, {"Retry-After": "86400"}))
    with hostile, Receiver() as receiver, \
            Deliverer(server, "--channel", "room", "--subscriber", "bot", "--url-field", "to", "--allow-private",
                      "--attempts", 3, **QUICK):
        wait_until(lambda: c.call("EXISTS", "room"), "it has subscribed")
        for number in range(300):
            to = hostile if number == 0 else receiver
            c.call("CHAN.PUBLISH", "room", number, json.dumps({"to": to.url}))
        receiver.wait_for(299)
    assert len(hostile.got) == 3
