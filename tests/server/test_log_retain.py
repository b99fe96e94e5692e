"""TRETAIN: what a log keeps, by count, bytes and age."""

import pytest

from server import Server, let_pass, wait_until


# The fields that other tests check.
OTHERS = {b"ids": 600_000, b"refuse": b"no"}


def ends(c, key="log"):
    return c.call("TREAD_RO", key, "1", "0", "WITHINFO")[0]  # TREAD waits while writes are paused


def limits(c, key="log"):
    answer = c.call("TRETAIN", key)
    return dict(zip(answer[::2], answer[1::2]))


def write(c, count, size=10, key="log"):
    c.call("TWRITE", key, "ENTRIES", *["tt", "x" * (size - 2)] * count)


# --- setting and showing ---


def test_without_options_it_shows_what_is_kept(c):
    assert limits(c) == {b"count": 0, b"age": 0, b"bytes": 0, b"latest": b"no", b"acked": b"no", **OTHERS}
    assert c.call("EXISTS", "log") == 0, "showing makes no key"
    assert c.call("TRETAIN", "log", "COUNT", "7", "AGE", "8000", "BYTES", "9") == b"OK"
    assert limits(c) == {b"count": 7, b"age": 8000, b"bytes": 9, b"latest": b"no", b"acked": b"no", **OTHERS}


def test_the_limits_are_a_map_in_resp3(connect, c):
    c.call("TRETAIN", "log", "COUNT", "7")
    assert connect(protocol=3).call("TRETAIN", "log") == {b"count": 7, b"age": 0, b"bytes": 0, b"latest": b"no", b"acked": b"no", **OTHERS}


def test_limits_that_are_not_named_stay(c):
    c.call("TRETAIN", "log", "COUNT", "7", "BYTES", "900")
    c.call("TRETAIN", "log", "age", "8000")
    c.call("TRETAIN", "log", "Count", "5")
    assert limits(c) == {b"count": 5, b"age": 8000, b"bytes": 900, b"latest": b"no", b"acked": b"no", **OTHERS}


def test_0_switches_a_limit_off(c):
    c.call("TRETAIN", "log", "COUNT", "2", "BYTES", "900")
    write(c, 5)
    c.call("TRETAIN", "log", "COUNT", "0")
    write(c, 5)
    assert ends(c) == [4, 10]
    assert limits(c) == {b"count": 0, b"age": 0, b"bytes": 900, b"latest": b"no", b"acked": b"no", **OTHERS}


def test_a_policy_may_be_set_before_the_first_message(c):
    assert c.call("TRETAIN", "log", "COUNT", "2") == b"OK"
    assert ends(c) == [1, 0]
    write(c, 5)
    assert ends(c) == [4, 5]


def test_limits_outlive_a_reload_and_copying(c):
    c.call("TRETAIN", "log", "COUNT", "3", "AGE", "7200000", "BYTES", "1000")
    write(c, 2)
    c.call("COPY", "log", "copy")
    c.call("DEBUG", "RELOAD")
    for key in ("log", "copy"):
        assert limits(c, key) == {b"count": 3, b"age": 7200000, b"bytes": 1000, b"latest": b"no", b"acked": b"no", **OTHERS}
        write(c, 5, key=key)
        assert ends(c, key) == [5, 7]


# --- by count ---


def test_a_count_holds_at_once_and_for_every_write(c):
    write(c, 10)
    c.call("TRETAIN", "log", "COUNT", "4")
    assert ends(c) == [7, 10]
    write(c, 1)
    assert ends(c) == [8, 11]
    write(c, 20)
    assert ends(c) == [28, 31]


def test_a_greater_count_brings_nothing_back(c):
    c.call("TRETAIN", "log", "COUNT", "4")
    write(c, 10)
    c.call("TRETAIN", "log", "COUNT", "8")
    assert ends(c) == [7, 10]
    write(c, 4)
    assert ends(c) == [7, 14]


def test_backlog_and_count_hold_both(c):
    c.call("TRETAIN", "log", "COUNT", "4")
    write(c, 10)
    c.call("TWRITE", "log", "BACKLOG", "2", "ENTRIES", "t", "e")
    assert ends(c) == [10, 11]
    c.call("TWRITE", "log", "BACKLOG", "9", "ENTRIES", *["t", "e"] * 5)
    assert ends(c) == [13, 16]


# --- by bytes ---


@pytest.mark.parametrize("bytes_kept, first", [(100, 1), (99, 2), (91, 2), (90, 2), (89, 3), (50, 6), (10, 10), (9, 10), (1, 10)])
def test_bytes_keep_the_newest_whose_tags_and_entries_fit(c, bytes_kept, first):
    write(c, 10, size=10)
    c.call("TRETAIN", "log", "BYTES", bytes_kept)
    assert ends(c) == [first, 10]


def test_bytes_hold_for_every_write(server, c):
    c.call("TRETAIN", "log", "BYTES", "1000")
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        sizes = []
        for n in range(200):
            size = 2 + n * 37 % 150
            write(c, 1, size=size)
            sizes.append(size)
            first, last = ends(c)
            assert last == len(sizes)
            assert sum(sizes[first - 1 :]) <= 1000
            assert first == 1 or sum(sizes[first - 2 :]) > 1000, "no more went than had to"


# --- by age ---


def test_old_messages_go_without_a_write(server, c):
    write(c, 5)
    c.call("TRETAIN", "log", "AGE", "50")
    wait_until(lambda: ends(c) == [6, 5], "all are too old")
    assert c.call("EXISTS", "log") == 1
    assert c.call("TWRITE", "log", "t", "e") == 6
    wait_until(lambda: ends(c) == [7, 6], "so is the one written later")


def test_young_messages_stay(c):
    write(c, 5)
    c.call("TRETAIN", "log", "AGE", "3600000")
    c.call("TRETAIN", "short", "AGE", "30")
    write(c, 5, key="short")
    wait_until(lambda: ends(c, "short") == [6, 5], "those with the short limit are gone")
    assert ends(c) == [1, 5]


def test_messages_older_than_a_new_limit_go_at_once(c):
    write(c, 3)
    written = c.call("TINFO", "log")[9]
    wait_until(lambda: milliseconds(c) > written + 20, "they are 20 milliseconds old")
    write(c, 1)
    c.call("TRETAIN", "log", "AGE", "10")
    first, last = ends(c)
    assert first >= 4 and last == 4


def milliseconds(c):
    seconds, micros = c.call("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


def test_the_replica_follows_what_age_evicts(server, replica, c, connect):
    there = connect(to=replica)
    c.call("TRETAIN", "log", "AGE", "40")
    write(c, 5)
    wait_until(lambda: ends(there) == [6, 5], "the replica lost them too")
    assert replica.digest("log") == server.digest("log")


def test_a_replica_evicts_nothing_by_itself(clock):
    clock.stop_at(2_000_000_000_000)
    with clock.server() as master, clock.server() as late, master.connect() as c, late.connect() as there:
        late.replicate(master)
        write(c, 5)
        c.call("TRETAIN", "log", "AGE", "1000")
        # A paused master sends nothing, so nothing may be evicted on either side.
        c.call("CLIENT", "PAUSE", "60000", "WRITE")
        master.wait_for_replica(late)
        clock.pass_time(1000)
        let_pass(0.25)
        assert ends(c) == ends(there) == [1, 5]
        c.call("CLIENT", "UNPAUSE")
        clock.pass_time(1000)  # the master tries again some milliseconds later
        wait_until(lambda: ends(there) == [6, 5], "when the pause is over they go")


def test_a_promoted_replica_enforces_age_itself(server, c):
    with Server() as heir, heir.connect() as there:
        write(c, 5)
        c.call("TRETAIN", "log", "AGE", "100")
        heir.replicate(server)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        wait_until(lambda: ends(there) == [6, 5], "the heir evicts")


@pytest.mark.parametrize("aof", ["yes", "no"])
def test_age_is_enforced_after_a_restart(aof):
    with Server(appendonly=aof) as server:
        with server.connect() as c:
            write(c, 5)
            c.call("TRETAIN", "log", "AGE", "200")
        server.shutdown(save=aof == "no")
        server.restart()
        with server.connect() as c:
            wait_until(lambda: ends(c) == [6, 5], "they went after the restart")
            before = server.digest("log")
        if aof == "yes":
            server.shutdown(save=False)
            server.restart()
            assert server.digest("log") == before


WAYS = {
    "renamed": [("RENAME", "log", "there")],
    "copied": [("COPY", "log", "there"), ("DEL", "log")],
    "moved": [("MOVE", "log", "1"), ("SELECT", "1"), ("RENAME", "log", "there")],
    "swapped": [("RENAME", "log", "there"), ("SWAPDB", "0", "2"), ("SELECT", "2")],
    "reloaded": [("DEBUG", "RELOAD"), ("RENAME", "log", "there")],
}


@pytest.mark.parametrize("way", WAYS)
def test_age_follows_a_log_wherever_it_goes(c, way):
    write(c, 5)
    c.call("TRETAIN", "log", "AGE", "150")
    c.call_all(WAYS[way])
    assert c.call("EXISTS", "there") == 1
    wait_until(lambda: ends(c, "there") == [6, 5], "they went")


def test_age_follows_a_log_that_is_dumped_and_restored(c):
    write(c, 5)
    c.call("TRETAIN", "log", "AGE", "150")
    payload = c.call("DUMP", "log")
    c.call("DEL", "log")
    c.call("RESTORE", "there", "0", payload)
    wait_until(lambda: ends(c, "there") == [6, 5], "they went")


def test_what_age_evicts_is_announced_and_breaks_a_watch(still, s, clock):
    with still.changed_settings(notify_keyspace_events="Kd"), still.connect() as listener, still.connect() as watching:
        listener.call("SUBSCRIBE", "__keyspace@0__:log")
        write(s, 1)
        s.call("TRETAIN", "log", "AGE", "60")
        watching.call("WATCH", "log")
        clock.advance(60)
        assert [listener.read()[2] for _ in range(3)] == [b"twrite", b"tretain", b"tevict"]
        watching.call("MULTI")
        watching.call("PING")
        assert watching.call("EXEC") is None


def test_a_thousand_logs_that_fall_due_together_are_all_looked_after(c):
    c.call_all([("TRETAIN", f"log{n}", "AGE", "40") for n in range(1000)])
    c.call_all([("TWRITE", f"log{n}", "t", "e") for n in range(1000)])
    wait_until(
        lambda: all(c.call("TREAD", f"log{n}", "1", "0", "WITHINFO") == [[2, 1]] for n in range(1000)), "all lost theirs"
    )


def test_a_long_age_leaves_the_server_asleep():
    # With a timer of more than 35 minutes, the event loop of Redis 7.0 never sleeps.
    with Server() as server, server.connect() as c:
        c.call("TRETAIN", "log", "AGE", "7200000")
        write(c, 5)
        c.call("TRETAIN", "short", "AGE", "1")
        write(c, 5, key="short")
        wait_until(lambda: ends(c, "short") == [6, 5], "a timer has fired")
        before = server.times_slept()
        wait_until(lambda: server.times_slept() >= before + 3, "the server sleeps when it has nothing to do")


def test_a_log_is_not_made_by_its_limits_when_memory_is_full(server, replica, c):
    with server.changed_settings(maxmemory="1"):
        assert c.error_of("TRETAIN", "log", "COUNT", "3") == "OOM command not allowed when used memory > 'maxmemory'."
    assert c.call("EXISTS", "log") == 0
    with replica.changed_settings(maxmemory="1"):
        c.call("TRETAIN", "log", "COUNT", "3")
        server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log"), "a replica does as it is told"


def test_a_limit_can_be_lowered_when_memory_is_full(server, c):
    write(c, 10)
    with server.changed_settings(maxmemory="1"):
        assert c.error_of("TWRITE", "log", "t", "x").startswith("OOM")
        assert c.call("TRETAIN", "log", "COUNT", "3") == b"OK"
    assert ends(c) == [8, 10]
