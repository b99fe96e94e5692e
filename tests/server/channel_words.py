"""Short words for tests of channels. The channel is "ch" and the subscriber "s" unless another is named."""

from channel_family import fields, info  # noqa: F401: used by these tests too
from server import wait_until

LARGEST = 2**53 - 1
EMPTY = [[], None, 0]


def subscribe(c, *subscribers, key="ch", options=()):
    return [c.call("CHAN.SUBSCRIBE", key, subscriber, *options) for subscriber in subscribers]


def publish(c, *ids, key="ch"):
    """Publishes these ids; the contents are derived from them."""
    return c.call("CHAN.MPUBLISH", key, *[word for id in ids for word in (id, content_of(id))])


def content_of(id):
    return "content of " + str(id)


def take(c, subscriber="s", *options, key="ch"):
    """The ids a fetch returns, the receipt, and whether there is more."""
    return taken(c.call("CHAN.FETCH", key, subscriber, *options))


def taken(answer):
    messages, receipt, more = answer
    for id, content in messages:
        assert content == content_of(id.decode()).encode()
    return [id.decode() for id, _ in messages], receipt, more


def ids(c, subscriber="s", *options, key="ch"):
    return take(c, subscriber, *options, key=key)[0]


def ack(c, receipt, subscriber="s", key="ch"):
    return c.call("CHAN.ACK", key, subscriber, receipt)


def nosub(subscriber="s", key="ch"):
    return f"NOSUB no subscriber '{subscriber}' of the channel '{key}'"


BADRECEIPT = "BADRECEIPT the receipt was not issued for what this channel holds and this subscriber, or was altered"


def lists(c, key="ch"):
    """CHAN.INFO … FULL: subscribers by name, messages and ids by clock and id."""
    known = info(c, key, "FULL")
    subscribers = {one["name"].decode(): (one["clock"], one["ttl"]) for one in map(fields, known["subscribers"])}
    stored = [fields(one) for one in known["messages"]]
    messages = [(one["clock"], one["id"].decode(), one["content"].decode(), one["ttl"]) for one in stored]
    seen = [(one["id"].decode(), one["clock"], one["ttl"]) for one in map(fields, known["ids"])]
    return known["clock"], known["ttl"], subscribers, messages, seen


def wait_for_fetch(server, connection, subscriber="s", *options, key="ch", block="0"):
    """Sends a fetch and returns the connection once the server knows that it waits."""
    already = server.counter("channel_fetches_blocked")
    connection.send("CHAN.FETCH", key, subscriber, "BLOCK", block, *options)
    wait_until(lambda: server.counter("channel_fetches_blocked") == already + 1, "the fetch waits")
    return connection


def is_still_waiting(server, connection):
    """True if what the server has done so far has not answered the fetch. The counter is asked
    twice: an answer that the previous command caused has been sent by the second time."""
    server.counter("channel_fetches_blocked")
    return server.counter("channel_fetches_blocked") > 0 and not connection.has_answer()
