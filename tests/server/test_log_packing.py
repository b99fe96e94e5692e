"""Cold blocks of logs are packed: how much memory that saves, and that answers stay the same."""

import random

import pytest

from payload import damaged, sealed, value_of
from resp import RespError
from server import Server, wait_until

# Small blocks that are cold at once, so that all blocks but the newest are packed.
COLD = {"millrace.block_bytes": "1024", "millrace.compress_age": "0"}
MESSAGES = 500


def info(c, key="log"):
    flat = c.call("TINFO", key)
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2])}


def fill(c, key="log", first=1, count=MESSAGES):
    words = [word for i in range(first, first + count) for word in (f"tag{i // 50}", f"message {i} " + "x" * 80)]
    c.call("TWRITE", key, "ENTRIES", *words)


def wait_until_packed(c, key="log"):
    """Waits until all blocks but the newest are packed."""
    wait_until(lambda: info(c, key)["packed-blocks"] == info(c, key)["blocks"] - 1, "all full blocks are packed")


def read_all(c, key="log"):
    return c.call("TREAD", key, 1, 1_000_000, "SKIP")


@pytest.fixture
def cold(server, c):
    """A connection to the shared server, whose logs are packed at once."""
    with server.changed_settings(**COLD):
        yield c


@pytest.fixture
def packed(cold):
    """The same with a log that has been packed."""
    fill(cold)
    wait_until_packed(cold)
    return cold


def test_full_blocks_are_packed_once_they_are_cold(server, c):
    with server.changed_settings(**{**COLD, "millrace.compress_age": "3600000"}):
        fill(c)
        before = info(c)
        assert before["blocks"] > 10 and before["packed-blocks"] == 0
        c.call("CONFIG", "SET", "millrace.compress-age", "0")
        wait_until_packed(c)
    after = info(c)
    assert after["packed-saved"] > 0
    assert after["memory"] <= before["memory"] - after["packed-saved"]
    assert (after["messages"], after["bytes"], after["blocks"]) == (before["messages"], before["bytes"], before["blocks"])


def test_readers_of_every_kind_see_the_same_messages(server, c):
    questions = [
        ("TREAD", "log", 1, 1_000_000),
        ("TREAD", "log", 77, 10),
        ("TREAD", "log", -3, 10),
        ("TREAD", "log", 1, 1000, "TAGS", 2, "tag3", "tag7"),
        ("TREAD", "log", 1, 0, "WITHINFO"),
        ("TSEEK", "log", 0),
        ("TSEEK", "log", 2**60),
        ("TREAD", "log", 0, 100, "GROUP", "g", "RETRY", 1, 0),
        ("TREAD", "log", 0, 100, "GROUP", "h"),
    ]
    with server.changed_settings(**{**COLD, "millrace.compress": "no"}):
        fill(c)
        plain = c.call_all(questions)
        c.call("TGROUP", "DROP", "log", "g")
        c.call("TGROUP", "DROP", "log", "h")
        assert info(c)["packed-blocks"] == 0
        c.call("CONFIG", "SET", "millrace.compress", "yes")
        wait_until_packed(c)
        assert c.call_all(questions) == plain


def test_messages_of_packed_blocks_are_redelivered_and_become_dead_letters(packed):
    packed.call("TREAD", "log", 0, 1, "GROUP", "g")
    packed.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", 1, "DEADLETTER", "dead")
    first = packed.call("TREAD", "log", 0, 3, "GROUP", "g", "RETRY", 1, 0)
    wait_until(lambda: info(packed, "dead")["messages"] == 3, "they are given up")
    assert [entry for _, _, entry in read_all(packed, "dead")] == [entry for _, _, entry in first]


def test_without_a_cache_to_speak_of_everything_can_be_read(server, packed):
    with server.changed_settings(**{"millrace.compress_cache": "0"}):
        offsets = [offset for offset, _, _ in read_all(packed)]
        assert offsets == list(range(1, MESSAGES + 1))
        for offset in random.Random(1).choices(offsets, k=200):
            assert packed.call("TREAD", "log", offset, 1)[0][2].startswith(b"message %d " % offset)
        assert server.counter("log_cache_blocks") == 1


def test_reading_on_unpacks_a_block_once(server, packed):
    with server.changed_settings(**{"millrace.compress_cache": "0"}):
        pass  # the cache of unpacked blocks then keeps only one block
    before = server.counter("log_cache_misses")
    for offset in range(1, MESSAGES + 1, 5):
        packed.call("TREAD", "log", offset, 5)
    assert server.counter("log_cache_misses") - before <= info(packed)["packed-blocks"]
    assert server.counter("log_cache_hits") > 0
    assert 0 < server.counter("log_cache_bytes") <= 16 * 1024 * 1024


def test_a_log_of_packed_blocks_is_written_and_evicted_like_any_other(packed):
    fill(packed, first=MESSAGES + 1, count=100)
    for up_to in (1, 2, 30, 31, 250):
        packed.call("TEVICT", "log", up_to)
        assert packed.call("TREAD", "log", up_to + 1, 1)[0][2].startswith(b"message %d " % (up_to + 1))
    packed.call("TRETAIN", "log", "BYTES", 5000)
    fill(packed, first=MESSAGES + 101, count=1)
    assert info(packed)["bytes"] <= 5000
    assert read_all(packed)[-1][0] == MESSAGES + 101
    packed.call("TRETAIN", "log", "BYTES", 0, "AGE", 1)
    wait_until(lambda: info(packed)["messages"] == 0, "age evicts packed blocks too")


def test_what_does_not_get_smaller_stays_and_is_not_tried_again(server, cold):
    rng = random.Random(2)
    left = server.counter("log_blocks_left_unpacked")
    cold.call("TWRITE", "log", "ENTRIES", *[word for _ in range(100) for word in ("t", rng.randbytes(100))])
    full = info(cold)["blocks"] - 1
    wait_until(lambda: server.counter("log_blocks_left_unpacked") == left + full, "all were tried")
    assert info(cold)["packed-blocks"] == 0
    fill(cold, "other")
    wait_until_packed(cold, "other")
    assert server.counter("log_blocks_left_unpacked") == left + full


def test_switching_it_off_leaves_packed_what_is_packed(server, packed):
    before = info(packed)["packed-blocks"]
    with server.changed_settings(**{"millrace.compress": "no"}):
        fill(packed, first=MESSAGES + 1)
        fill(packed, "other")
        assert info(packed)["packed-blocks"] == before
    wait_until_packed(packed)
    wait_until_packed(packed, "other")


def test_a_log_that_is_gone_is_not_in_line_any_more(server, c):
    with server.changed_settings(**{**COLD, "millrace.compress": "no"}):
        keys = [f"log{i}" for i in range(10)]
        for key in keys:
            fill(c, key, count=100)
        assert server.counter("log_packing_waiting") == len(keys)
        c.call("DEL", "log0")
        c.call("UNLINK", "log1")
        c.call("SET", "log2", "overwritten")
        c.call("RENAME", "log3", "log4")
        assert server.counter("log_packing_waiting") == len(keys) - 4
        c.call("PEXPIRE", "log5", 1)
        wait_until(lambda: server.counter("log_packing_waiting") == len(keys) - 5, "it has expired")
        c.call("FLUSHALL")
        assert server.counter("log_packing_waiting") == 0


def test_a_log_is_packed_wherever_it_has_come_to(server, connect, c):
    with server.changed_settings(**{**COLD, "millrace.compress": "no"}):
        for key in ("renamed", "moved", "copied", "restored", "reloaded"):
            fill(c, key)
        c.call("RENAME", "renamed", "new-name")
        c.call("COPY", "copied", "copy")
        c.call("MOVE", "moved", "1")
        c.call("RESTORE", "restored-here", "0", c.call("DUMP", "restored"))
        c.call("DEBUG", "RELOAD")
        c.call("SWAPDB", "0", "2")
        swapped, other = connect(), connect()
        swapped.call("SELECT", "2")
        other.call("SELECT", "1")
        c.call("CONFIG", "SET", "millrace.compress", "yes")
        for key in ("new-name", "copied", "copy", "restored", "restored-here", "reloaded"):
            wait_until_packed(swapped, key)
        wait_until_packed(other, "moved")


def test_nothing_of_it_is_replicated_and_a_replica_packs_for_itself(server, replica, packed, connect):
    on_replica = connect(to=replica)
    server.wait_for_replica(replica)
    assert info(on_replica)["packed-blocks"] == 0, "its own settings hold"
    with replica.changed_settings(**{"millrace.compress_age": "0"}):
        wait_until_packed(on_replica)
    assert server.digest("log") == replica.digest("log")
    assert read_all(on_replica) == read_all(packed)


def test_a_full_copy_carries_packed_blocks_as_they_are(server, packed):
    with Server() as other, other.connect() as c:
        other.replicate(server)
        assert info(c)["packed-blocks"] == info(packed)["packed-blocks"]
        assert other.digest("log") == server.digest("log")


@pytest.mark.parametrize("way", ["rdb", "aof", "rewritten aof", "rewritten aof without preamble"])
def test_a_restart_brings_packed_blocks_back(way):
    settings = {} if way == "rdb" else {"appendonly": "yes", "aof_use_rdb_preamble": "no" if "without" in way else "yes"}
    with Server(**settings) as server:
        with server.connect() as c:
            for name, value in COLD.items():
                c.call("CONFIG", "SET", name.replace("_", "-"), value)
            fill(c)
            wait_until_packed(c)
            before = info(c)
            messages, digest = read_all(c), server.digest("log")
            if "rewritten" in way:
                server.rewrite_aof()
            if way == "rdb":
                c.call("SAVE")
        server.kill()
        server.restart()  # with default settings: only blocks that were saved packed are packed
        with server.connect() as c:
            assert read_all(c) == messages and server.digest("log") == digest
            if way != "aof":
                assert info(c)["packed-blocks"] == before["packed-blocks"]
                assert info(c)["packed-saved"] == before["packed-saved"]
            fill(c, first=MESSAGES + 1, count=10)
            assert read_all(c)[-1][0] == MESSAGES + 10


def test_dump_and_copy_keep_blocks_packed(server, packed):
    packed.call("RESTORE", "restored", "0", packed.call("DUMP", "log"))
    packed.call("COPY", "log", "copied")
    for key in ("restored", "copied"):
        assert info(packed, key)["packed-blocks"] == info(packed)["packed-blocks"]
        assert server.digest(key) == server.digest("log")
        assert read_all(packed, key) == read_all(packed)


def test_a_damaged_packed_block_is_refused_with_a_reason(server, packed):
    payload = packed.call("DUMP", "log")
    value = bytearray(value_of(payload))
    at = value.index(b"\x28\xb5\x2f\xfd") + 40  # inside the first packed block
    value[at] ^= 0xFF
    refused = server.counter("payloads_refused")
    with pytest.raises(RespError):
        packed.call("RESTORE", "damaged", "0", sealed(bytes(value), payload))
    assert server.counter("payloads_refused") == refused + 1
    assert "refused to load a log: a packed block that does not unpack" in server.log()
    assert packed.call("EXISTS", "damaged") == 0


def test_damage_anywhere_in_a_packed_log_is_refused_or_sound(server, packed):
    rng = random.Random(3)
    with server.changed_settings(rdbcompression="no"):
        payload = packed.call("DUMP", "log")
    for _ in range(500):
        try:
            packed.call("RESTORE", "damaged", "0", sealed(damaged(value_of(payload), rng), payload), "REPLACE")
        except RespError:
            continue
        packed.call("TREAD", "damaged", "1", "1000000", "SKIP")
        packed.call("TEVICT", "damaged", info(packed, "damaged")["first"] + 3)
        packed.call("DEL", "damaged")
    assert server.is_alive()


def test_a_large_log_that_is_deleted_is_given_back_in_slices(server, c):
    # By default, Valkey's DEL frees the key in another thread.
    with server.changed_settings(**{"millrace.block_bytes": "256", "lazyfree_lazy_user_del": "no"}):
        for first in range(1, 20_001, 1000):
            fill(c, first=first, count=1000)
        assert info(c)["blocks"] > 5000
        _, after = c.call_all([("MULTI",), ("DEL", "log"), ("INFO", "millrace"), ("EXEC",)])[-1]
        assert b"millrace_blocks_to_reclaim:0" not in after
        wait_until(lambda: server.counter("blocks_to_reclaim") == 0, "everything is given back")
    assert c.call("EXISTS", "log") == 0


def test_a_full_server_gets_the_memory_of_a_key_it_evicts_at_once():
    """Otherwise the host would go on and evict more keys than necessary."""
    # By default, Valkey frees what it evicts in another thread, and does not wait for it.
    with Server(maxmemory_policy="allkeys-random", lazyfree_lazy_eviction="no") as server, server.connect() as own:
        own.call("CONFIG", "SET", "millrace.block-bytes", "256")
        for key in ("one", "two"):
            for first in range(1, 20_001, 1000):
                fill(own, key, first=first, count=1000)
        used = int(server.info("memory")["used_memory"])
        own.call("CONFIG", "SET", "maxmemory", used - 100_000)
        own.call("SET", "small", "x")
        wait_until(lambda: int(server.info("memory")["used_memory"]) < used - 100_000, "it has made room")
        assert own.call("EXISTS", "one", "two") == 1
        assert server.counter("blocks_to_reclaim") == 0
