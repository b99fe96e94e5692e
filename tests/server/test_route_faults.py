"""Servers that die, replicas that take over, and work that is too large for one slice."""

import json
import threading

import pytest

from route_words import HOUR, TASK, WS, channel, device, do, get, info, listed, match, subscribe
from server import Server, wait_until

MANY = 100_000


def some_table(c, count=200, key="t"):
    do(c, [("ROUTE.DEVICE", "SET", key, f"d{n}|{'ws' if n % 2 else 'mqtt'}", "USER", f"u{n % 9}", "TTL", HOUR) for n in range(count)])
    do(c, [("ROUTE.SUBSCRIBE", key, f"d{n}|{'ws' if n % 2 else 'mqtt'}", *TASK, "FILTER", json.dumps({"n": n % 50})) for n in range(count)])
    c.call("ROUTE.SETFILTER", key, "named", '{"n": {"$gte": 25}}', *TASK)
    do(c, [("ROUTE.SUBSCRIBE", key, f"d{n}|ws", *TASK, "FILTERID", "named", "TTL", HOUR) for n in range(1, count, 4)])


def seen(c, key="t"):
    return listed(c, key=key), [match(c, {"n": n}, key=key) for n in range(50)]


# --- killed ---


def test_a_kill_loses_nothing_that_was_acknowledged():
    with Server(appendonly="yes", appendfsync="always") as server:
        with server.connect() as c:
            some_table(c)
            before = seen(c), server.digest("t")
        server.kill()
        server.restart()
        with server.connect() as c:
            assert (seen(c), server.digest("t")) == before


@pytest.mark.parametrize("how", ["rdb", "aof"])
def test_what_has_expired_while_the_server_was_down_is_gone(clock, how):
    clock.stop_at(2_000_000_000_000)
    settings = {"appendonly": "yes", "appendfsync": "always"} if how == "aof" else {}
    with clock.server(**settings) as server:
        with server.connect() as c:
            device(c, "stays|ws")
            device(c, WS, "TTL", "5000")
            subscribe(c)
            subscribe(c, "stays|ws", options=("TTL", "6000"))
        server.shutdown(save=how == "rdb")
        clock.advance(5000)
        with clock.environment():
            server.restart()
        with server.connect() as c:
            assert listed(c) == ["stays|ws"]
            assert match(c) == ["stays|ws"]
            wait_until(lambda: info(c)["devices"] == 1, "it is swept, too")
            clock.advance(1000)
            assert match(c) == []


def test_no_acknowledged_dispatch_is_missing_after_a_kill():
    with Server(appendonly="yes", appendfsync="always") as server:
        with server.connect() as c:
            some_table(c, 20)
            subscribe(c, "all|ws")
            subscribe(c, "all|mqtt")
        acknowledged = []

        def dispatch():
            with server.connect() as c:
                try:
                    for n in range(1_000_000):
                        words = ("DOC", json.dumps({"n": n % 50, "serial": n}), "EVENT", "e", "QUEUES", "ws", "log:ws", "mqtt", "log:mqtt")
                        answer = c.call("ROUTE.DISPATCH", "t", *TASK, *words)
                        acknowledged.append((n, {transport.decode(): offset for transport, _, offset in answer}))
                except (ConnectionError, OSError):
                    pass

        sender = threading.Thread(target=dispatch)
        sender.start()
        wait_until(lambda: len(acknowledged) > 300, "some have been dispatched")
        server.kill()
        sender.join()
        server.restart()
        with server.connect() as c:
            logs = {}
            for transport in ("ws", "mqtt"):
                messages = c.call("TREAD", f"log:{transport}", "1", "1000000")
                logs[transport] = {offset: json.loads(entry)["document"]["serial"] for offset, _, entry in messages}
            for serial, offsets in acknowledged:
                for transport, offset in offsets.items():
                    assert logs[transport][offset] == serial, "every acknowledged message is where its offset says"
            assert all(list(log.values()) == list(range(len(log))) for log in logs.values())
            assert len(logs["ws"]) == len(logs["mqtt"]), "what was dispatched at once is there at once"


# --- replicas ---


def test_a_promoted_replica_goes_on_with_expiry(clock):
    clock.stop_at(2_000_000_000_000)
    with clock.server() as master, clock.server() as heir:
        heir.replicate(master)
        with master.connect() as c:
            device(c, "stays|ws")
            device(c, WS, "TTL", "5000")
            subscribe(c)
            subscribe(c, "stays|ws", options=("TTL", "7000"))
            c.call("ROUTE.SUBSCRIBE", "gone", "d|ws", *TASK)
            c.call("ROUTE.DEVICE", "SET", "gone", "d|ws", "TTL", "5000")
        master.wait_for_replica(heir)
        master.kill()
        heir.admin.call("REPLICAOF", "NO", "ONE")
        with heir.connect() as c:
            assert match(c) == [WS, "stays|ws"]
            clock.advance(5000)
            assert match(c) == ["stays|ws"]
            wait_until(lambda: info(c)["devices"] == 1, "the heir sweeps")
            wait_until(lambda: c.call("EXISTS", "gone") == 0, "and removes tables that have nothing left")
            clock.advance(2000)
            assert match(c) == []
            wait_until(lambda: info(c)["subscriptions"] == 0, "the subscription is swept, too")


def test_a_replica_ends_nothing_of_its_own_accord(clock):
    clock.stop_at(2_000_000_000_000)
    with clock.server() as master, clock.server() as replica:
        replica.replicate(master)
        with master.connect() as c, replica.connect() as there:
            device(c, WS, "TTL", "5000")
            device(c, "stays|ws")
            master.wait_for_replica(replica)
            replica_digest = replica.digest("t")
            master.suspend()
            try:
                clock.advance(6000)
                assert get(there) is None, "whoever asks sees the present"
                assert replica.digest("t") == replica_digest
            finally:
                master.resume()
            wait_until(lambda: master.digest("t") == replica.digest("t") != replica_digest, "the master says so")


def test_a_table_that_ends_by_itself_ends_on_the_replica(clock):
    clock.stop_at(2_000_000_000_000)
    with clock.server() as master, clock.server() as replica:
        replica.replicate(master)
        with master.connect() as c:
            device(c, WS, "TTL", "5000")
        master.wait_for_replica(replica)
        assert replica.admin.call("EXISTS", "t") == 1
        clock.advance(5000)
        wait_until(lambda: replica.admin.call("EXISTS", "t") == 0, "the table is gone there, too")


# --- large ---


def fill_channels(c, name, count=MANY):
    for begin in range(0, count, 10_000):
        do(c, [("ROUTE.SUBSCRIBE", "t", name, *channel(model=f"m{n}")) for n in range(begin, begin + 10_000)])


def fill_devices(c, count=MANY):
    for begin in range(0, count, 10_000):
        do(c, [("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *TASK, "FILTERID", "f") for n in range(begin, begin + 10_000)])


def used(server):
    return int(server.info("memory")["used_memory"])


def test_a_device_with_very_many_subscriptions_goes_in_slices(server, replica, c):
    subscribe(c, "stays|ws", about=channel(model="m7"))
    before = used(server)
    fill_channels(c, WS)
    full = used(server)
    assert c.call("ROUTE.DEVICE", "DEL", "t", WS) == MANY
    assert get(c) is None
    for n in (0, 7, MANY - 1):
        assert match(c, about=channel(model=f"m{n}")) == (["stays|ws"] if n == 7 else [])
    known = info(c)
    assert (known["devices"], known["subscriptions"]) == (1, 1), "they are gone for whoever asks"
    assert device(c, WS) == 1
    assert get(c)["subscriptions"] == 0
    subscribe(c, WS, about=channel(model="m9"))
    assert match(c, about=channel(model="m9")) == [WS]
    wait_until(lambda: info(c)["channels"] == 2, "all slices are done")
    # The copy for replicas and the clients' buffers are freed too.
    wait_until(lambda: used(server) - before < (full - before) / 4, "the memory comes back")
    wait_until(lambda: server.digest("t") == replica.digest("t"), "the replica holds the same")


def test_a_filter_with_very_many_devices_goes_in_slices(server, replica, c):
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    fill_devices(c)
    assert len(match(c, {"a": 1})) == MANY
    full = c.call("MEMORY", "USAGE", "t", "SAMPLES", "0")
    assert c.call("ROUTE.DELFILTER", "t", "f", *TASK) == MANY
    assert match(c, {"a": 1}) == []
    assert info(c)["subscriptions"] == 0
    assert c.error_of("ROUTE.SUBSCRIBE", "t", "d1|ws", *TASK, "FILTERID", "f").startswith("NOFILTER")
    c.call("ROUTE.SETFILTER", "t", "f", '{"a": 1}', *TASK)
    subscribe(c, "d1|ws", options=("FILTERID", "f"))
    assert match(c, {"a": 1}) == ["d1|ws"]
    # A subscription takes 20 bytes itself, and 20 more in the lists that contain it.
    wait_until(lambda: c.call("MEMORY", "USAGE", "t", "SAMPLES", "0") < full - 24 * MANY, "the slices give memory back")
    assert info(c)["devices"] == MANY, "the devices stay"
    wait_until(lambda: server.digest("t") == replica.digest("t"), "the replica holds the same")


def test_very_many_devices_that_end_at_once_are_swept_in_slices(clock):
    clock.stop_at(2_000_000_000_000)
    count = 30_000
    with clock.server() as server, clock.server() as replica, server.connect() as c:
        replica.replicate(server)
        device(c, "stays|ws")
        do(c, [("ROUTE.DEVICE", "SET", "t", f"d{n}|ws", "TTL", "5000") for n in range(count)])
        do(c, [("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *TASK) for n in range(count)])
        full = c.call("MEMORY", "USAGE", "t", "SAMPLES", "0")
        clock.advance(5000)
        assert match(c) == []
        wait_until(lambda: info(c)["devices"] == 1, "all slices are done")
        assert info(c)["subscriptions"] == 0
        wait_until(lambda: replica.digest("t") == server.digest("t"), "the replica holds the same")
        with replica.connect() as there:
            wait_until(lambda: info(there)["devices"] == 1, "and has swept as much")
        assert c.call("MEMORY", "USAGE", "t", "SAMPLES", "0") < full / 5


def test_a_table_saved_in_the_middle_of_its_slices_is_whole(server, c):
    subscribe(c, "stays|ws")
    fill_channels(c, WS, 50_000)
    c.call("MULTI")
    c.call("ROUTE.DEVICE", "DEL", "t", WS)
    c.call("DUMP", "t")
    c.call("COPY", "t", "copy")
    deleted, dump, copied = c.call("EXEC")
    assert (deleted, copied) == (50_000, 1)
    assert c.call("RESTORE", "restored", "0", dump) == b"OK"
    for key in ("copy", "restored"):
        counts = lambda: [info(c, key)[name] for name in ("devices", "subscriptions", "channels")]
        assert counts()[:2] == [1, 1]
        wait_until(lambda: counts()[2] == 1, "the copy is swept, too")
        assert match(c, key=key) == ["stays|ws"]
