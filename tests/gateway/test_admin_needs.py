"""The overview's list of things that need a person. If the server itself must be in trouble, the test starts its
own."""

import pathlib
import re
import time

import pytest

from clock import Clock, built_shim
from gateway import Gateway
from server import Server, wait_until
from test_admin_rows import get


def need_of(gateway, kind):
    """Waits until the overview has a need of this kind, and returns it."""
    return wait_until(lambda: next((need for need in get(gateway, "/overview?history=0")["needs"] if need["kind"] == kind), None),
                      f"the overview says {kind}")


def test_a_subscriber_that_is_far_behind(gateway, c):
    c.call("CHAN.SUBSCRIBE", "news", "ann")
    c.call_all([("CHAN.PUBLISH", "news", f"id{number}", "x") for number in range(1001)])
    need = need_of(gateway, "subscriber-behind")
    assert (need["severity"], need["key"], need["name"], need["text"]) == ("look", "news", "ann", "is 1001 messages behind")


def test_a_worker_that_is_silent(gateway, c):
    c.call("SHARD.JOIN", "chat", "w1")
    c.call("SHARD.HEARTBEAT", "chat", "w1")
    c.call("SHARD.PUSH", "chat", "ann", "hello")
    c.call("SHARD.SET", "chat", "STALE", 1)
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
        # A file cannot replace a folder, so even root's save fails.
        pathlib.Path(c.call("CONFIG", "GET", "dir")[1].decode(), c.call("CONFIG", "GET", "dbfilename")[1].decode()).mkdir()
        c.call("BGSAVE")
        failed = need_of(gateway, "not-persisted")
        assert (failed["severity"], failed["text"]) == ("act", "the last attempt to save the data failed")
        full = need_of(gateway, "memory-full")
        assert full["severity"] == "act" and full["text"].endswith(" percent of maxmemory is used (noeviction)")


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    """A clock for servers that tests start."""
    folder = tmp_path_factory.mktemp("clock")
    return Clock(folder, built_shim(folder))


def test_groups_that_are_stuck_and_messages_that_are_due_and_refused(clock):
    with clock.server() as server, Gateway(server) as gateway, server.connect() as c:
        for log, ago in (("old", 400), ("slow", 90), ("quick", 20)):
            clock.set(-ago)
            c.call("TWRITE", log, "ENTRIES", *["t", "e"] * 3)
            c.call("TREAD", log, 1, 2, "GROUP", "billing", "RETRY", 600_000, 0, "CONSUMER", "w1")
        clock.set(-120)
        c.call("TWRITE", "full", "t", "e")
        c.call("TGROUP", "CREATE", "full", "reader")
        c.call("TRETAIN", "full", "COUNT", 1, "REFUSE", "yes")
        c.call("TWRITE", "full", "DELAY", 1, "ENTRIES", "t", "late")
        clock.set(0)
        # What the first sweep finds is shown at once, and is explained when it ends.
        overview = wait_until(lambda: (now := get(gateway, "/overview?history=0"))["sweep"]["age"] is not None and now, "it ended")
        needs = {(need["kind"], need["key"]): need for need in overview["needs"]}
        assert set(needs) == {("group-stuck", "old"), ("group-stuck", "slow"), ("group-stuck", "full"), ("schedule-refused", "full")}
        old, slow, refused = (needs[one] for one in (("group-stuck", "old"), ("group-stuck", "slow"), ("schedule-refused", "full")))
        assert (old["severity"], old["name"], old["text"]) == (
            "act", "billing", "has not finished a message for 6 minutes: w1 holds message 1 in attempt 1")
        assert abs(time.time() * 1000 - old["since"] - 400_000) < 60_000
        assert (slow["severity"], slow["name"]) == ("look", "billing")
        assert needs["group-stuck", "full"]["text"].endswith(": no worker holds a message, is one running?")
        assert refused["severity"] == "look" and refused["text"].startswith("messages that have been due for ")
        c.call("TACK", "old", "billing", "1-2")
        c.call("TREAD", "old", 1, 2, "GROUP", "billing")
        wait_until(lambda: ("group-stuck", "old") not in {(need["kind"], need["key"]) for need in get(gateway, "/overview?history=0")["needs"]},
                   "a group that has finished needs nobody")


@pytest.mark.long
def test_an_owner_that_waits_long_for_a_lock(clock):
    clock.stop_at(int(time.time() * 1000))
    with clock.server() as server, Gateway(server) as gateway, server.connect() as c, server.connect() as waiting:
        c.call("LOCK.ACQUIRE", "report", "ann", 600_000)
        waiting.send("LOCK.ACQUIRE", "report", "bob", 600_000, "WAIT", 600_000)
        server.wait_for_blocked(1)
        clock.pass_time(45_000)
        need = need_of(gateway, "lock-waits")
        assert (need["severity"], need["key"], need["name"]) == ("look", "report", "bob")
        assert re.fullmatch(r"has waited for the lock for \d+ seconds", need["text"])


@pytest.mark.long
def test_a_replica_that_is_behind_or_alone_and_a_server_that_is_away():
    with Server() as master, Server() as replica, Gateway(master) as gateway, Gateway(replica) as beside:
        replica.replicate(master)
        replica.suspend()
        with master.connect() as c:
            for _ in range(17):
                c.call("TWRITE", "orders", "t", bytes(1 << 20))
        behind = need_of(gateway, "replica-behind")
        assert behind["severity"] == "look" and behind["name"] == f"127.0.0.1:{master.port}"
        assert f"the replica 127.0.0.1:{replica.port} is " in behind["text"] and behind["text"].endswith(" bytes behind (online)")
        replica.resume()
        master.kill()
        away = need_of(gateway, "server-away")
        assert (away["severity"], away["name"], away["text"]) == ("act", f"127.0.0.1:{master.port}", "the server does not answer")
        alone = need_of(beside, "replica-behind")
        assert (alone["severity"], alone["text"]) == ("act", "the replica has lost its master")
