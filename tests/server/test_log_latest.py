"""TRETAIN … LATEST yes: only the newest message of each tag stays."""

import random

import pytest

from log_groups import numbers, pending_offsets, take
from server import Server, wait_until


def info(c, key="log"):
    answer = c.call("TINFO", key)
    return dict(zip(answer[::2], answer[1::2]))


def write(c, tags, key="log", entry="entry of "):
    c.call("TWRITE", key, "ENTRIES", *[word for tag in tags for word in (tag, entry + tag)])


def read(c, key="log", start="1", count="1000000"):
    return [(message[0], message[1].decode()) for message in c.call("TREAD", key, start, count)]


def compacted(c, key="log"):
    wait_until(lambda: info(c, key)[b"compaction"] == b"clean", "the log is compact")


def newest_of(tags):
    """The messages that are left after messages with these tags were written from offset 1 on."""
    return sorted((offset, tag) for tag, offset in {tag: n + 1 for n, tag in enumerate(tags)}.items())


# --- what stays ---


def test_only_the_newest_message_of_each_tag_stays(c):
    write(c, "abacba")
    assert c.call("TRETAIN", "log", "LATEST", "yes") == b"OK"
    compacted(c)
    assert read(c) == [(4, "c"), (5, "b"), (6, "a")]


def test_messages_written_later_replace_earlier_ones_without_being_asked(c):
    c.call("TRETAIN", "log", "LATEST", "yes")
    for tag in "abacba":
        write(c, tag)
    compacted(c)
    assert read(c) == [(4, "c"), (5, "b"), (6, "a")]
    assert c.call("TWRITE", "log", "c", "new") == 7
    compacted(c)
    assert read(c) == [(5, "b"), (6, "a"), (7, "c")]


def test_a_log_without_latest_keeps_all(c):
    write(c, "aaa")
    c.call("TRETAIN", "log", "LATEST", "no")
    assert info(c)[b"compaction"] == b"off"
    assert read(c) == [(1, "a"), (2, "a"), (3, "a")]


def test_switching_it_off_brings_nothing_back_and_stops_it(c):
    write(c, "aab")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    c.call("TRETAIN", "log", "LATEST", "no")
    write(c, "bb")
    assert read(c) == [(2, "a"), (3, "b"), (4, "b"), (5, "b")]


def test_tags_are_compared_byte_by_byte_and_may_be_empty(c):
    for tag in (b"", b"\0", b"\0\0", b"A", b"a", b"\0", b""):
        c.call("TWRITE", "log", tag, "e")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert [m[:2] for m in c.call("TREAD", "log", "1", "10")] == [
        [3, b"\0\0"], [4, b"A"], [5, b"a"], [6, b"\0"], [7, b""]]


def test_a_log_of_many_blocks_ends_with_one_message_a_tag(c):
    tags = [f"user:{random.Random(n).randrange(300)}" for n in range(20_000)]
    for start in range(0, len(tags), 1000):
        write(c, tags[start:start + 1000])
    before = c.call("MEMORY", "USAGE", "log", "SAMPLES", "0")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert read(c) == newest_of(tags)
    assert c.call("MEMORY", "USAGE", "log", "SAMPLES", "0") < before / 10


@pytest.mark.parametrize("command", [("TRETAIN", "log", "LATEST", "no"), ("DEL", "log")], ids=lambda words: words[0])
def test_what_was_stored_about_many_tags_is_freed_in_slices(server, c, command):
    tags = [f"user:{n}" for n in range(50_000)]
    with server.changed_settings(**{"millrace.block_bytes": "256"}):
        for start in range(0, len(tags), 1000):
            write(c, tags[start:start + 1000])
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert server.counter("objects_to_reclaim") == 0
    with server.changed_settings(lazyfree_lazy_user_del="no"):
        _, after = c.call_all([("MULTI",), command, ("INFO", "millrace"), ("EXEC",)])[-1]
    assert b"millrace_objects_to_reclaim:1" in after
    wait_until(lambda: server.counter("objects_to_reclaim") == 0, "everything is given back")


# --- reading ---


def test_offsets_that_are_gone_are_not_seen_and_count_counts_messages(c):
    write(c, "abcabd")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert read(c) == [(3, "c"), (4, "a"), (5, "b"), (6, "d")]
    write(c, "a")
    compacted(c)
    assert read(c, start="3", count="2") == [(3, "c"), (5, "b")]
    assert read(c, start="4", count="2") == [(5, "b"), (6, "d")]
    assert c.call("TREAD", "log", "1", "1", "WITHINFO") == [[3, 7], [3, b"c", b"entry of c"]]
    assert c.call("TREAD", "log", "1", "5", "TAGS", "2", "b", "a") == [
        [5, b"b", b"entry of b"], [7, b"a", b"entry of a"]]


def test_evicted_offsets_still_come_back_as_nulls(c):
    write(c, "abcad")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert c.call("TEVICT", "log", "2") == 1
    assert c.call("TREAD", "log", "1", "3") == [None, None, [3, b"c", b"entry of c"]]
    assert c.call("TREAD", "log", "1", "1", "SKIP") == [[3, b"c", b"entry of c"]]


def test_tseek_finds_messages_that_are_there(c):
    write(c, "aab")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert c.call("TSEEK", "log", "0") == 2


def test_other_limits_count_what_is_there(c):
    c.call("TRETAIN", "log", "LATEST", "yes", "COUNT", "3")
    write(c, "aba")
    compacted(c)
    write(c, "c")
    assert read(c) == [(2, "b"), (3, "a"), (4, "c")]
    write(c, "d")
    assert read(c, start="3") == [(3, "a"), (4, "c"), (5, "d")]
    assert c.call("TREAD", "log", "1", "3", "WITHINFO")[:3] == [[3, 5], None, None]
    assert info(c)[b"messages"] == 3


# --- groups ---


def test_a_group_skips_what_is_gone_and_its_lag_is_exact(c):
    write(c, "abcabd")
    c.call("TGROUP", "LIST", "log")
    assert take(c, 1, "RETRY", "60000", "0") == [1]
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert numbers(c, "last", "lag", "pending", "lost") == [2, 4, 0, 1], "1 was pending, 2 was not delivered"
    assert take(c, 2, "RETRY", "60000", "0") == [3, 4]
    write(c, "cad")
    compacted(c)
    assert numbers(c, "lag", "pending", "lost") == [4, 0, 3]
    assert take(c, 10, "RETRY", "60000", "0") == [5, 7, 8, 9]
    assert numbers(c, "last", "lag", "pending") == [9, 0, 4]
    assert pending_offsets(c) == [5, 7, 8, 9]
    assert c.call("TACK", "log", "g", "1-9") == 4


def test_a_group_is_moved_to_what_is_left(c):
    write(c, "abcabcd")
    take(c, 0)
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    write(c, "bx")
    compacted(c)
    assert [offset for offset, _ in read(c)] == [4, 6, 7, 8, 9]
    for to, lag in (("FIRST", 5), ("5", 4), ("6", 4), ("9", 1), ("NEXT", 0)):
        c.call("TGROUP", "SEEK", "log", "g", to)
        assert numbers(c, "lag") == [lag], to
    c.call("TGROUP", "SEEK", "log", "g", "5")
    assert take(c, 2) == [6, 7]


def test_room_that_compaction_makes_wakes_a_reader_of_a_full_group(c, waiting):
    write(c, "ab")
    take(c, 1, "RETRY", "60000", "0")
    c.call("TGROUP", "SET", "log", "g", "PENDINGMAX", "1")
    reader = waiting("log", "1", "1", "GROUP", "g", "RETRY", "60000", "0", "BLOCK", "0")
    c.call("TRETAIN", "log", "LATEST", "yes")
    write(c, "a")
    assert reader.read() == [[2, b"b", b"entry of b"]]


def test_messages_that_all_have_finished_with_are_evicted_although_compaction_removed_what_held_them(c):
    c.call("TRETAIN", "log", "ACKED", "yes", "LATEST", "yes")
    write(c, "ab")
    assert take(c, 2, "RETRY", "60000", "0") == [1, 2]
    c.call("TACK", "log", "g", "2")
    write(c, "a")
    compacted(c)
    assert c.call("TREAD", "log", "1", "0", "WITHINFO") == [[3, 3]]


# --- progress ---


def test_tinfo_says_how_far_it_is(c):
    assert info(c)[b"compaction"] == b"off"
    write(c, "aabb")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    about = info(c)
    assert about[b"retain-latest"] == b"yes"
    assert about[b"compacted"] == 2
    assert about[b"compaction-superseded"] == 0
    assert about[b"messages"] == 2


def test_a_log_without_messages_is_compact(c):
    c.call("TRETAIN", "log", "LATEST", "yes")
    assert info(c)[b"compaction"] == b"clean"


def test_info_counts_what_went(server, c):
    before = server.counter("log_messages_compacted")
    write(c, "aab")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    assert server.counter("log_messages_compacted") == before + 1
    assert server.counter("log_compaction_slices") >= 1


# --- as any key ---


def test_a_replica_has_the_same_messages(server, replica, connect, c):
    c.call("TRETAIN", "log", "LATEST", "yes")
    source = random.Random(5)
    for _ in range(60):
        write(c, [f"tag {source.randrange(40)}" for _ in range(source.randrange(1, 60))])
        take(c, source.randrange(1, 40), "RETRY", "60000", "0")
    compacted(c)
    server.wait_for_replica(replica)
    assert server.digest("log") == replica.digest("log")
    assert read(connect(to=replica)) == read(c)


@pytest.mark.parametrize("options", [{}, {"appendonly": "yes"}, {"appendonly": "yes", "aof_use_rdb_preamble": "no"}])
def test_gaps_survive_a_restart_and_compaction_goes_on(options):
    with Server(**options) as server:
        c = server.connect()
        write(c, "abcabdxyx")
        take(c, 3, "RETRY", "60000", "0")
        c.call("TRETAIN", "log", "LATEST", "yes")
        compacted(c)
        if options.get("aof_use_rdb_preamble") == "no":
            server.rewrite_aof()
        write(c, "dd")
        compacted(c)
        before = (server.digest("log"), read(c), numbers(c, "lag", "pending", "lost"))
        c.close()
        server.shutdown(save=not options)
        server.restart()
        c = server.connect()
        assert (server.digest("log"), read(c), numbers(c, "lag", "pending", "lost")) == before
        write(c, "ab")
        compacted(c)
        assert [tag for _, tag in read(c)] == ["c", "y", "x", "d", "a", "b"]


def test_a_dumped_and_a_copied_log_have_the_same_gaps_and_are_compacted_on(server, c):
    write(c, "abcabd")
    c.call("TRETAIN", "log", "LATEST", "yes")
    compacted(c)
    write(c, "b")
    compacted(c)
    c.call("RESTORE", "restored", "0", c.call("DUMP", "log"))
    c.call("COPY", "log", "copied")
    for key in ("restored", "copied"):
        assert server.digest(key) == server.digest("log")
        write(c, "c", key=key)
        compacted(c, key)
        assert read(c, key) == [(4, "a"), (6, "d"), (7, "b"), (8, "c")]
    c.call("RENAME", "copied", "moved")
    write(c, "d", key="moved")
    compacted(c, "moved")
    assert read(c, "moved") == [(4, "a"), (7, "b"), (8, "c"), (9, "d")]


def test_compaction_is_an_event_of_the_key(server, c, connect):
    with server.changed_settings(**{"notify-keyspace-events": "Kd"}):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:log")
        write(c, "aa")
        c.call("TRETAIN", "log", "LATEST", "yes")
        compacted(c)
        events = [listener.read() for _ in range(3)]
    assert [event[2] for event in events] == [b"twrite", b"tretain", b"tcompact"]


@pytest.mark.parametrize("effect", [b"", b"\x01", b"\x01\x00", b"\x00\x01", b"\x02\x01\x00\x01", b"\x04\x01", b"\xff" * 11])
def test_an_effect_that_does_not_fit_is_refused(c, effect):
    write(c, "abca")
    before = read(c)
    assert c.error_of("TAPPLY", "log", "COMPACTED", effect).startswith("ERR compacted messages")
    assert read(c) == before
