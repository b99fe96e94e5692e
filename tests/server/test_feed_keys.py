"""What a feed delivers when something other than a write happens to its keys: each event once."""

import pytest

from feeds import add, name, own_feeds, publish, read, tags, write  # noqa: F401: a fixture
from server import Server, wait_until


@pytest.fixture(params=["log", "channel"])
def kind(request):
    return {"log": write, "channel": publish}[request.param]


@pytest.fixture
def watched(c, kind, own_feeds):  # noqa: F811
    """A key "k" with one message, which a feed has read."""
    kind(c, "k", "a")
    add(c, "k", at="-")
    assert tags(c) == {"k": ["a"]}


def gone_once(c):
    return read(c) == {"k": "gone"} and read(c) == {}


@pytest.mark.parametrize("command", [("DEL", "k"), ("UNLINK", "k"), ("SET", "k", "x"), ("RENAME", "k", "elsewhere"),
                                     ("PEXPIREAT", "k", "1"), ("FLUSHALL",), ("FLUSHDB", "ASYNC"), ("MOVE", "k", "1"),
                                     ("SWAPDB", "0", "1"), ("LPUSH", "list", "x")], ids=" ".join)
def test_a_key_that_is_deleted_or_replaced_is_reported_as_gone(c, kind, watched, command):
    c.call(*command)
    if command[0] == "LPUSH":
        c.call("RENAME", "list", "k")
    assert gone_once(c)
    c.call("SELECT", "0")
    c.call("DEL", "k")
    kind(c, "k", "b")
    assert read(c) == {}, "the feed watches it no longer"


def test_a_key_that_was_made_again_is_reported_as_gone_too(c, kind, watched):
    c.call("DEL", "k")
    kind(c, "k", "b")
    assert gone_once(c)


def test_unread_messages_of_a_deleted_key_are_gone(c, kind, watched):
    kind(c, "k", "b")
    c.call("DEL", "k")
    assert gone_once(c)


def test_a_key_that_comes_back_unchanged_is_the_same(c, kind, watched):
    c.call("RENAME", "k", "away")
    c.call("RENAME", "away", "k")
    assert read(c) == {}
    kind(c, "k", "b")
    assert tags(c) == {"k": ["b"]}


@pytest.mark.parametrize("swaps", [1, 2])
def test_databases_that_are_swapped(c, kind, watched, swaps):
    for _ in range(swaps):
        c.call("SWAPDB", "0", "1")
    if swaps == 1:
        assert gone_once(c)
    else:
        kind(c, "k", "b")
        assert tags(c) == {"k": ["b"]}


@pytest.mark.parametrize("way", ["rename", "copy", "restore", "move", "swapdb"])
def test_a_key_that_appears_without_a_write_is_news(c, kind, way):
    add(c, "k")
    if way in ("move", "swapdb"):
        c.call("SELECT", "1")
    name = "k" if way in ("move", "swapdb") else "source"
    kind(c, name, "a")
    {"rename": lambda: c.call("RENAME", "source", "k"),
     "copy": lambda: c.call("COPY", "source", "k"),
     "restore": lambda: c.call("RESTORE", "k", "0", c.call("DUMP", "source")),
     "move": lambda: c.call("MOVE", "k", "0"),
     "swapdb": lambda: c.call("SWAPDB", "0", "1")}[way]()
    c.call("SELECT", "0")
    assert tags(c) == {"k": ["a"]}
    kind(c, "k", "b")
    assert tags(c) == {"k": ["b"]}, "and it is watched from then on"


def test_a_data_set_that_is_loaded_again_is_the_same(c, kind, watched):
    c.call("DEBUG", "RELOAD")
    assert read(c) == {}
    kind(c, "k", "b")
    assert tags(c) == {"k": ["b"]}


def test_a_replica_that_takes_its_data_set_over_again_loses_nothing(kind):
    with Server() as master, Server() as replica:
        replica.replicate(master)
        kind(master.admin, "k", "a")
        wait_until(lambda: replica.admin.call("EXISTS", "k"), "the replica has it")
        add(replica.admin, "k", at="-")
        assert tags(replica.admin) == {"k": ["a"]}
        replica.admin.call("REPLICAOF", "NO", "ONE")
        replica.admin.call("DEBUG", "CHANGE-REPL-ID")
        kind(master.admin, "k", "b")
        replica.replicate(master)
        wait_until(lambda: tags(replica.admin) == {"k": ["b"]}, "it goes on")


def test_feeds_leave_no_trace_in_keys_that_are_not_watched_any_more(server, c, kind, watched):
    c.call("FEED.DEL", name(), "k")
    kind(c, "k", "b")
    add(c, "k")
    kind(c, "k", "c")
    assert tags(c) == {"k": ["c"]}
