"""Short words for tests of feeds. A feed cannot be deleted, and the server is shared. So the fixture own_feeds gives
each test feed names of its own; its feed is "f" unless the test names another."""

import itertools
import re

import pytest

from server import wait_until

_numbers = itertools.count()
_number = 0
LOG_POSITION = re.compile(rb"\d+\.\d+")


@pytest.fixture(autouse=True)
def own_feeds():
    global _number
    _number = next(_numbers)


def name(feed="f"):
    """The server's name for a feed of this test."""
    return f"{feed} of test {_number}"


def nofeed():
    return f"NOFEED no feed '{name()}', or nobody has read it for 60 seconds: add its keys again"


def add(c, *keys, at="$", feed="f"):
    return [c.call("FEED.ADD", name(feed), key, at) for key in keys]


def read(c, *options, feed="f"):
    """What a read delivers, by key: tags or ids of messages, more, missed; or how the key was lost."""
    return by_key(c.call("FEED.READ", name(feed), *options))


def by_key(answer):
    told = {}
    for key, *rest in answer:
        if len(rest) == 1:
            told[key.decode()] = rest[0].decode()
        else:
            _, messages, more, missed = rest
            told[key.decode()] = ([message[1].decode() for message in messages], more, missed)
    return told


def tags(c, *options, feed="f"):
    """What a read delivers, by key: only the tags or ids of messages."""
    return {key: found if isinstance(found, str) else found[0] for key, found in read(c, *options, feed=feed).items()}


def write(c, key, *names):
    for name in names:
        c.call("TWRITE", key, name, f"entry of {name}")


def publish(c, key, *ids):
    for id in ids:
        c.call("CHAN.PUBLISH", key, id, f"content of {id}")


def info(c, feed="f"):
    answer = c.call("FEED.INFO", name(feed))
    pairs = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2])
    return {name.decode(): value for name, value in pairs}


def wait_for_read(server, connection, *options, feed="f", block="0"):
    """Sends a read and returns the connection once the server knows that it waits."""
    already = server.counter("feed_readers_blocked")
    connection.send("FEED.READ", name(feed), "BLOCK", block, *options)
    wait_until(lambda: server.counter("feed_readers_blocked") == already + 1, "the reader waits")
    return connection


def is_still_waiting(server, connection):
    """True if what the server has done so far has not answered the read."""
    server.counter("feed_readers_blocked")
    return server.counter("feed_readers_blocked") > 0 and not connection.has_answer()
