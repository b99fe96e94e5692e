"""The host's own key commands work on every data type."""

import pytest

from families import FAMILIES
from host import skip_if_move_changes_the_client
from server import wait_until

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=str)


def test_type_names_the_module_type(c, family):
    family.fill(c, "key", 1)
    assert c.call("TYPE", "key") == family.type_name.encode()
    c.call("SET", "text", "x")
    found = c.call("SCAN", "0", "TYPE", family.type_name)[1]
    assert b"key" in found and b"text" not in found


def test_a_copy_is_equal_and_leads_a_life_of_its_own(server, c, family):
    family.fill(c, "key", 1)
    before = server.digest("key")
    assert c.call("COPY", "key", "copy") == 1
    assert server.digest("copy") == before
    assert family.read(c, "copy") == family.read(c, "key")
    family.append(c, "copy")
    assert server.digest("key") == before
    changed = server.digest("copy")
    assert changed != before
    family.append(c, "key")
    family.shrink(c, "key")
    assert server.digest("copy") == changed
    c.call("DEL", "key")
    assert server.digest("copy") == changed


def test_a_copy_to_another_database_is_equal(server, c, family):
    family.fill(c, "key", 1)
    content, digest = family.read(c, "key"), server.digest("key")
    assert c.call("COPY", "key", "key", "DB", "1") == 1
    c.call("SELECT", "1")
    assert family.read(c, "key") == content
    assert c.call("DEBUG", "DIGEST-VALUE", "key") == [digest]


def test_a_restored_dump_is_equal(server, c, family):
    family.fill(c, "key", 1)
    payload = c.call("DUMP", "key")
    assert c.call("RESTORE", "again", "0", payload) == b"OK"
    assert server.digest("again") == server.digest("key")
    assert family.read(c, "again") == family.read(c, "key")
    assert c.call("DUMP", "again") == payload
    family.append(c, "again")
    assert server.digest("again") != server.digest("key")


def test_a_restore_replaces_what_is_there(server, c, family):
    family.fill(c, "key", 1)
    family.fill(c, "old", 2)
    assert c.error_of("RESTORE", "old", "0", c.call("DUMP", "key")).startswith("BUSYKEY")
    assert c.call("RESTORE", "old", "0", c.call("DUMP", "key"), "REPLACE") == b"OK"
    assert server.digest("old") == server.digest("key")


def test_rename_keeps_the_content(server, c, family):
    family.fill(c, "key", 1)
    content, digest = family.read(c, "key"), server.digest("key")
    family.append(c, "other")
    assert c.call("RENAME", "key", "other") == b"OK"
    assert c.call("EXISTS", "key") == 0
    assert family.read(c, "other") == content
    assert server.digest("other") == digest
    assert c.call("RENAMENX", "other", "key") == 1
    assert server.digest("key") == digest


def test_move_and_swapdb_keep_the_content(server, c, family):
    skip_if_move_changes_the_client(server)
    family.fill(c, "key", 1)
    content, digest = family.read(c, "key"), server.digest("key")
    assert c.call("MOVE", "key", "2") == 1
    assert c.call("EXISTS", "key") == 0
    assert c.call("SWAPDB", "0", "2") == b"OK"
    assert family.read(c, "key") == content
    assert server.digest("key") == digest


def test_an_expired_key_is_gone(c, family):
    family.fill(c, "key", 1)
    assert c.call("PEXPIRE", "key", "60000") == 1
    if not family.keeps_itself:
        family.append(c, "key")
        assert 0 <= c.call("PTTL", "key") <= 60000, "a write keeps the expiry"
    assert c.call("PEXPIRE", "key", "20") == 1
    wait_until(lambda: c.call("EXISTS", "key") == 0, "the key has expired")
    family.append(c, "key")
    assert family.keeps_itself or c.call("PTTL", "key") == -1


@pytest.mark.parametrize("how", ["DEL", "UNLINK"])
def test_a_deleted_key_is_gone_and_starts_afresh(server, c, family, how):
    family.append(c, "fresh")
    family.fill(c, "key", 1)
    assert c.call(how, "key") == 1
    assert c.call("EXISTS", "key") == 0
    family.append(c, "key")
    without_times = slice(1, 4)
    assert family.read(c, "key")[without_times] == family.read(c, "fresh")[without_times]


def test_unlinked_and_flushed_memory_comes_back(server, c, family):
    def used():
        return int(server.info("memory")["used_memory"])

    for seed in range(20):
        family.fill(c, f"key{seed}", seed)
    full = used()
    content = sum(c.call("MEMORY", "USAGE", f"key{seed}") for seed in range(20))
    assert content > 2_000_000
    c.call("UNLINK", *[f"key{seed}" for seed in range(10)])
    c.call("FLUSHALL", "ASYNC")
    wait_until(lambda: full - used() > content * 0.8, "the memory has been given back")


def usage(c, key):
    return c.call("MEMORY", "USAGE", key, "SAMPLES", "0")


def usage_of_all_keys(c):
    """Those that a family keeps beside the key, too: the documents of an index, in each database that it may go to."""
    total = 0
    for database in (2, 1, 0):
        c.call("SELECT", database)
        total += sum(usage(c, key) for key in c.call("KEYS", "*"))
    return total


def used_without_replication(server):
    memory = server.info("memory")
    return int(memory["used_memory"]) - int(memory["mem_total_replication_buffers"])


def test_memory_usage_follows_the_content(server, c, family):
    family.append(c, "small")
    small = usage(c, "small")
    assert 0 < small < 1600  # a pool with one worker is the largest
    before, used_before = usage_of_all_keys(c), used_without_replication(server)
    keys = [f"key{seed}" for seed in range(4)]
    for seed, key in enumerate(keys):
        family.fill(c, key, seed)
    each = [usage(c, key) for key in keys]
    told, taken = usage_of_all_keys(c) - before, used_without_replication(server) - used_before
    assert min(each) > 100 * small
    # The difference is buffers of connections, and what the host does not count of large hashes.
    assert 0.5 * taken < told < 1.3 * taken, (told, taken)
    family.append(c, "key0")
    family.shrink(c, "key0")
    assert usage(c, "key0") < each[0] / 10


def test_object_tells_encoding_and_idle_time(server, c, family):
    family.fill(c, "key", 1)
    assert c.call("OBJECT", "ENCODING", "key") == b"raw"
    assert c.call("OBJECT", "REFCOUNT", "key") == 1
    assert c.call("OBJECT", "IDLETIME", "key") < 30


def test_object_tells_frequency_and_reading_raises_it(server, c, family):
    with server.changed_settings(maxmemory_policy="allkeys-lfu", lfu_log_factor="0"):
        family.append(c, "key")
        before = c.call("OBJECT", "FREQ", "key")
        family.read(c, "key")
        assert c.call("OBJECT", "FREQ", "key") > before


def test_the_digest_tells_different_content_apart(server, c, family):
    family.fill(c, "key", 1)
    digests = {server.digest("key")}
    for _ in range(3):
        family.append(c, "key")
        digests.add(server.digest("key"))
    family.shrink(c, "key")
    digests.add(server.digest("key"))
    assert len(digests) == 5
