"""What the overview says that needs a person. Servers of their own where the server itself is in trouble."""

import pathlib

from gateway import Gateway
from server import Server, wait_until
from test_admin_rows import get


def need_of(gateway, kind):
    """Once the overview names a need of this kind: it."""
    return wait_until(lambda: next((need for need in get(gateway, "/overview?history=0")["needs"] if need["kind"] == kind), None),
                      f"the overview says {kind}")


def test_a_subscriber_that_is_far_behind(gateway, c):
    c.call("CHAN.SUBSCRIBE", "news", "ann")
    c.call_all([("CHAN.PUBLISH", "news", f"id{number}", "x") for number in range(1001)])
    need = need_of(gateway, "subscriber-behind")
    assert (need["severity"], need["key"], need["name"], need["text"]) == ("look", "news", "ann", "is 1001 messages behind")


def test_a_worker_that_is_silent(gateway, c):
    c.call("SHARD.SET", "chat", "STALE", 1)
    c.call("SHARD.JOIN", "chat", "w1")
    c.call("SHARD.HEARTBEAT", "chat", "w1")
    c.call("SHARD.PUSH", "chat", "ann", "hello")
    need = need_of(gateway, "worker-stale")
    assert (need["severity"], need["key"], need["name"], need["text"]) == (
        "act", "chat", "w1", "1 worker is silent, and 1 message of the pool is pending")


def test_one_document_and_several_that_an_index_leaves_out(gateway, c):
    for prefix, documents in (("one", 2), ("two", 3)):
        c.call("IDX.CREATE", prefix, "PREFIX", prefix + ":", "FIELD", "mail", "TEXT", "UNIQUE")
        for number in range(documents):
            c.call("HSET", f"{prefix}:{number}", "mail", "a@example.com")
    texts = wait_until(lambda: (found := {need["key"]: need["text"] for need in get(gateway, "/overview?history=0")["needs"]
                                          if need["kind"] == "index-conflicts"}).keys() == {"one", "two"} and found, "both are found")
    assert texts["one"].startswith("1 document is left out of the index: another one has its value")
    assert texts["two"].startswith("2 documents are left out of the index: another one has their value")


def test_a_server_that_is_nearly_full_and_cannot_save_its_data():
    with Server() as server, Gateway(server) as gateway, server.connect() as c:
        c.call("CONFIG", "SET", "maxmemory", 1)
        # A file cannot take the place of a folder, not even if root writes it.
        pathlib.Path(c.call("CONFIG", "GET", "dir")[1].decode(), c.call("CONFIG", "GET", "dbfilename")[1].decode()).mkdir()
        c.call("BGSAVE")
        failed = need_of(gateway, "not-persisted")
        assert (failed["severity"], failed["text"]) == ("act", "the last attempt to save the data failed")
        full = need_of(gateway, "memory-full")
        assert full["severity"] == "act" and full["text"].endswith(" percent of maxmemory is used (noeviction)")
