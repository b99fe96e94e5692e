"""Transactions, scripts, protocols, wrong types, memory limits and rights, for every data type."""

import pytest

from families import FAMILIES, name_of, on
from rights import user

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=str)


# --- transactions ---


def test_a_transaction_does_all_its_commands(server, c, family):
    family.fill(c, "plain", 1)
    family.fill(c, "multi", 1)
    c.call("MULTI")
    for command in family.write_commands + family.read_commands:
        assert c.call(*on("multi", command)) == b"QUEUED"
    answers = c.call("EXEC")
    assert len(answers) == len(family.write_commands + family.read_commands)
    for command in family.write_commands:
        c.call(*on("plain", command))
    # Dates may differ by the milliseconds between the writes; the content may not.
    for command in family.read_commands[:2]:
        assert c.call(*on("multi", command)) == c.call(*on("plain", command))


def test_a_discarded_transaction_changes_nothing(server, c, family):
    family.fill(c, "key", 1)
    before = server.digest("key")
    c.call("MULTI")
    for command in family.write_commands:
        c.call(*on("key", command))
    c.call("DISCARD")
    assert server.digest("key") == before


def test_reading_does_not_break_a_watch(c, connect, family):
    family.fill(c, "key", 1)
    for command in family.read_commands:
        c.call("WATCH", "key")
        connect().call(*on("key", command))
        c.call("MULTI")
        c.call("PING")
        assert c.call("EXEC") == [b"PONG"], command


def test_a_refused_command_does_not_break_a_watch(c, connect, family):
    family.fill(c, "key", 1)
    other = connect()
    for command in family.write_commands:
        c.call("WATCH", "key")
        other.error_of(*on("key", command), *family.spoiled_by)
        c.call("MULTI")
        c.call("PING")
        assert c.call("EXEC") == [b"PONG"], command


def test_each_write_breaks_a_watch(c, connect, family):
    other = connect()
    for command in family.write_commands:
        c.call("DEL", "key")
        family.fill(c, "key", 1)
        c.call("WATCH", "key")
        other.call(*on("key", command))
        c.call("MULTI")
        c.call("PING")
        assert c.call("EXEC") is None, command


# --- scripts ---


def test_scripts_read_and_write(server, c, family):
    family.fill(c, "key", 1)
    run = "return redis.call(unpack(ARGV))"
    for command in family.read_commands:
        words = on("key", command)
        assert c.call("EVAL", run, "1", "key", *words) is not None
        if name_of(command) not in family.may_write:
            assert c.call("EVAL_RO", run, "1", "key", *words) is not None
    for command in family.write_commands:
        before = server.digest("key")
        words = on("key", command)
        assert "Write commands are not allowed" in c.error_of("EVAL_RO", run, "1", "key", *words)
        assert server.digest("key") == before
        c.call("EVAL", run, "1", "key", *words)
        assert server.digest("key") != before, command


def test_what_a_script_writes_reaches_the_replica(server, replica, c, family):
    family.fill(c, "key", 1)
    # Some commands can be executed only once.
    script = "redis.call(unpack(ARGV)) for i = 1, 19 do redis.pcall(unpack(ARGV)) end"
    for command in family.write_commands:
        c.call("EVAL", script, "1", "key", *on("key", command))
    server.wait_for_replica(replica)
    assert replica.digest("key") == server.digest("key")


# --- protocols ---


def flattened(answer):
    """A RESP3 answer as RESP2 would have it."""
    if isinstance(answer, dict):
        answer = [part for pair in answer.items() for part in pair]
    return [flattened(part) for part in answer] if isinstance(answer, list) else answer


def test_a_map_is_a_map_in_resp3_and_flat_in_resp2(c, connect, family):
    family.fill(c, "key", 1)
    words = on("key", family.map_command)
    flat = c.call(*words)
    mapped = connect(protocol=3).call(*words)
    assert isinstance(mapped, dict) and len(mapped) > 0
    assert family.steady(flattened(mapped)) == family.steady(flat)


def test_nulls_are_what_each_protocol_says(c, connect, family):
    if family.null_command is None:
        pytest.skip("no command of this family answers with a null")
    family.fill(c, "key", 1)
    words = on("key", family.null_command)
    assert b"$-1\r\n" in c.bytes_of(*words)
    in_resp3 = connect(protocol=3).bytes_of(*words)
    assert b"_\r\n" in in_resp3
    assert b"$-1" not in in_resp3


def test_both_protocols_read_the_same(c, connect, family):
    family.fill(c, "key", 1)
    three = connect(protocol=3)
    for command in family.read_commands:
        in_resp3 = flattened(three.call(*on("key", command)))
        assert family.steady(in_resp3) == family.steady(c.call(*on("key", command)))


def test_an_ordinary_client_library_reads_and_writes(server, c, family):
    family.fill(c, "key", 1)
    with server.client() as library:
        for command in family.read_commands:
            answer = library.execute_command(*on("key", command))
            assert family.steady(answer) == family.steady(c.call(*on("key", command)))
        before = server.digest("key")
        library.execute_command(*on("key", family.write_commands[0]))
        assert server.digest("key") != before


# --- wrong types ---

WRONGTYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"


def test_our_commands_refuse_keys_of_the_host(c, family):
    c.call("SET", "text", "x")
    c.call("XADD", "stream", "1-1", "a", "b")
    for command in family.read_commands + family.write_commands:
        assert c.error_of(*on("text", command)) == WRONGTYPE
        assert c.error_of(*on("stream", command)) == WRONGTYPE
    assert c.call("GET", "text") == b"x"
    assert c.call("XLEN", "stream") == 1


def test_commands_of_the_host_refuse_our_keys(server, c, family):
    family.fill(c, "key", 1)
    before = server.digest("key")
    for words in (("GET", "key"), ("LPUSH", "key", "x"), ("XADD", "key", "*", "a", "b"), ("HGETALL", "key")):
        assert c.error_of(*words) == WRONGTYPE
    assert server.digest("key") == before


def test_families_refuse_each_others_keys(c, family):
    for other in FAMILIES:
        if other is not family:
            theirs = f"key of {other}"
            other.append(c, theirs)
            for command in family.read_commands + family.write_commands:
                assert c.error_of(*on(theirs, command)) == WRONGTYPE


# --- memory limits ---


def test_growing_is_refused_under_maxmemory_and_nothing_changes(server, c, family):
    family.fill(c, "key", 1)
    before = server.digest("key")
    content = family.read(c, "key")
    with server.changed_settings(maxmemory="1", maxmemory_policy="noeviction"):
        for command in family.growing_commands:
            assert c.error_of(*on("key", command)).startswith("OOM "), command
            assert c.error_of(*on("missing", command)).startswith("OOM "), command
        for command in family.read_commands:
            c.call(*on("key", command))
    assert server.digest("key") == before
    assert family.read(c, "key") == content
    assert c.call("EXISTS", "missing") == 0


def test_shrinking_is_allowed_under_maxmemory(server, c, family):
    family.fill(c, "key", 1)
    before = c.call("MEMORY", "USAGE", "key")
    with server.changed_settings(maxmemory="1", maxmemory_policy="noeviction"):
        family.shrink(c, "key")
    assert c.call("MEMORY", "USAGE", "key") < before


# --- rights ---


def has_categories(server):
    """Redis 7.0 has no categories for the commands of modules; later hosts do."""
    return server.info("server")["redis_version"] >= "7.2"


def test_a_user_who_may_only_read_keys_can_inspect_and_not_change(server, c, family):
    family.fill(c, "key", 1)
    before = server.digest("key")
    with user(server, "+@all", "%R~*") as guest:
        for command in family.read_commands:
            answer = guest.call(*on("key", command))
            assert family.steady(answer) == family.steady(c.call(*on("key", command)))
        for command in family.write_commands:
            assert guest.error_of(*on("key", command)).startswith("NOPERM"), command
    assert server.digest("key") == before


def test_a_user_who_may_only_write_keys_can_inspect_nothing(server, c, family):
    family.fill(c, "key", 1)
    with user(server, "+@all", "%W~*") as guest:
        for command in family.read_commands:
            assert guest.error_of(*on("key", command)).startswith("NOPERM"), command


def test_a_user_with_the_read_category_can_inspect_and_not_change(server, c, family):
    if not has_categories(server):
        pytest.skip("this host gives the commands of modules no categories")
    family.fill(c, "key", 1)
    before = server.digest("key")
    with user(server, "+@read", "-@write", "~*") as guest:
        for command in family.read_commands:
            answer = guest.call(*on("key", command))
            assert family.steady(answer) == family.steady(c.call(*on("key", command)))
        for command in family.write_commands:
            assert guest.error_of(*on("key", command)).startswith("NOPERM"), command
    assert server.digest("key") == before


def test_a_user_reaches_only_the_keys_that_are_his(server, c, family):
    family.fill(c, "mine:1", 1)
    family.fill(c, "yours:1", 1)
    before = server.digest("yours:1")
    with user(server, "+@all", "~mine:*") as guest:
        for command in family.read_commands + family.write_commands:
            guest.call(*on("mine:1", command))
            assert guest.error_of(*on("yours:1", command)).startswith("NOPERM"), command
    assert server.digest("yours:1") == before
