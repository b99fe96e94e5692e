"""TREDRIVE: dead letters go back to the logs they came from."""

import pytest

from log_groups import LONG, numbers, read, take, write
from resp import RespError
from server import Server, wait_until, wait_until_same


def make_letters(c, count=3, key="log", letters="dead"):
    """Writes this many messages, and gives all of them up."""
    first = write(c, count, key=key)
    c.call("TGROUP", "CREATE", key, "g", "DEADLETTER", letters)
    take(c, count, *LONG, key=key)
    assert c.call("TNACK", key, "g", "DEAD", "why", f"{first}-{first + count - 1}") == count


def entries(c, key):
    return [(tag, entry) for _, tag, entry in c.call("TREAD", key, "1", "1000", "SKIP")]


def test_dead_letters_go_back_with_their_own_tags(c, replica):
    make_letters(c)
    c.call("TREAD", "log", "1", "9", "TAILGROUP", "late")
    assert c.call("TREDRIVE", "dead") == 3
    assert entries(c, "dead") == []
    assert entries(c, "log")[3:] == [(b"t", b"e0"), (b"t", b"e1"), (b"t", b"e2")]
    assert take(c, 9, *LONG) == take(c, 9, group="late") == [4, 5, 6], "they are new messages, to all groups"
    assert numbers(c, "exhausted") == [3]
    assert c.call("TREDRIVE", "dead") == 0


@pytest.mark.parametrize("tag", [b"", b"\x00\xff\r\n", "größe".encode(), b'","key":"other"', b"\\u00e9"], ids=repr)
def test_tags_and_keys_of_any_bytes_come_back_as_they_were(c, tag):
    key = b"log " + tag
    c.call("TWRITE", key, tag, "entry")
    c.call("TGROUP", "CREATE", key, "g", "DEADLETTER", "dead")
    c.call("TREAD", key, "1", "1", "GROUP", "g", *LONG)
    c.call("TNACK", key, "g", "DEAD", tag + b".", "1")
    assert c.call("TREDRIVE", "dead") == 1
    assert entries(c, key)[1] == (tag, b"entry")


def test_the_oldest_go_first_and_no_more_than_the_count(c):
    make_letters(c, 5)
    assert c.call("TREDRIVE", "dead", "COUNT", "2") == 2
    assert [entry for _, entry in entries(c, "log")[5:]] == [b"e0", b"e1"]
    assert [entry for _, entry in entries(c, "dead")] == [b"e2", b"e3", b"e4"]
    assert c.call("TREDRIVE", "dead") == 3


def test_letters_of_several_logs_go_back_to_each(c):
    for key in ("a", "b", "a"):
        make_letters(c, 2, key=key)
    assert c.call("TREDRIVE", "dead") == 6
    assert (len(entries(c, "a")), len(entries(c, "b"))) == (8, 4)


def test_to_sends_all_to_another_log(c):
    make_letters(c, 2)
    assert c.call("TREDRIVE", "dead", "TO", "other", "COUNT", "9") == 2
    assert entries(c, "other") == [(b"t", b"e0"), (b"t", b"e1")]
    assert len(entries(c, "log")) == 2


def test_it_ends_at_a_message_that_is_not_a_dead_letter(c):
    make_letters(c, 2)
    c.call("TWRITE", "dead", "a tag", "from somebody")
    make_letters(c, 1, key="more")
    assert c.call("TREDRIVE", "dead") == 2
    assert c.call("TREDRIVE", "dead") == 0
    assert entries(c, "dead")[0] == (b"a tag", b"from somebody")
    first, _ = c.call("TREAD", "dead", "1", "0", "WITHINFO")[0]
    c.call("TEVICT", "dead", first)
    assert c.call("TREDRIVE", "dead") == 1


def test_large_letters_go_in_several_calls(c):
    c.call("TWRITE", "log", "ENTRIES", *[part for _ in range(5) for part in ("t", "x" * 2_000_000)])
    c.call("TGROUP", "CREATE", "log", "g", "DEADLETTER", "dead")
    take(c, 5, *LONG)
    # One call stops giving up after the message that exceeds 512 KiB.
    assert [c.call("TNACK", "log", "g", "DEAD", "why", "1-5") for _ in range(6)] == [1, 1, 1, 1, 1, 0]
    assert [c.call("TREDRIVE", "dead") for _ in range(3)] == [3, 2, 0]


def test_where_they_cannot_go_is_an_error_and_changes_nothing(c):
    make_letters(c, 2)
    c.call("SET", "text", "x")
    with pytest.raises(RespError, match="WRONGTYPE"):
        c.call("TREDRIVE", "dead", "TO", "text")
    with pytest.raises(RespError, match="ERR dead letters cannot go back to the log they are in"):
        c.call("TREDRIVE", "dead", "TO", "dead")
    assert len(entries(c, "dead")) == 2


def test_it_ends_before_a_log_that_cannot_be_written(c):
    make_letters(c, 2, key="a")
    make_letters(c, 2, key="b")
    c.call("SET", "b", "a string")
    assert c.call("TREDRIVE", "dead") == 2
    with pytest.raises(RespError, match="WRONGTYPE"):
        c.call("TREDRIVE", "dead")
    assert len(entries(c, "dead")) == 2


def test_a_user_needs_the_right_to_write_there(server, c, connect):
    make_letters(c, 2)
    c.call("ACL", "SETUSER", "limited", "on", "nopass", "+@all", "~dead")
    limited = connect()
    limited.call("AUTH", "limited", "x")
    with pytest.raises(RespError, match="NOPERM this user may not TWRITE to "):
        limited.call("TREDRIVE", "dead")
    c.call("ACL", "DELUSER", "limited")


def test_in_a_cluster_they_go_to_logs_in_the_same_slot_only():
    with Server(cluster_enabled="yes") as node, node.connect() as c:
        c.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        wait_until(lambda: b"cluster_state:ok" in c.call("CLUSTER", "INFO"), "the cluster is up")
        make_letters(c, 2, key="{a}log", letters="{a}dead")
        # After RESTORE in another slot, the tags name a log that may be on another node.
        c.call("RESTORE", "{b}dead", "0", c.call("DUMP", "{a}dead"))
        refused = "ERR both logs must be in one hash slot: give their keys the same {tag}"
        before = node.digest("{a}dead"), node.digest("{b}dead")
        assert c.error_of("TREDRIVE", "{a}dead", "TO", "{b}log") == refused
        assert c.error_of("TREDRIVE", "{b}dead") == refused
        assert (node.digest("{a}dead"), node.digest("{b}dead")) == before
        assert c.call("EXISTS", "{b}log") == 0
        assert c.call("TREDRIVE", "{b}dead", "TO", "{b}log") == 2
        assert entries(c, "{b}log") == [(b"t", b"e0"), (b"t", b"e1")]
        assert c.call("TREDRIVE", "{a}dead") == 2


def test_a_missing_key_has_no_dead_letters(c):
    assert c.call("TREDRIVE", "dead") == 0
    assert c.call("EXISTS", "dead") == 0


@pytest.mark.parametrize(
    "words, error",
    [
        (("COUNT", "0"), "ERR invalid COUNT '0': expected an integer from 1 to 10000"),
        (("COUNT",), "ERR missing COUNT"),
        (("TO",), "ERR missing TO key"),
        (("FROM", "x"), "ERR syntax error: expected COUNT or TO"),
    ],
)
def test_wrong_words_are_refused(c, words, error):
    with pytest.raises(RespError, match=error):
        c.call("TREDRIVE", "dead", *words)


def test_both_halves_are_one_step_in_the_aof():
    with Server(appendonly="yes", appendfsync="always") as server:
        with server.connect() as c:
            make_letters(c, 3)
            assert c.call("TREDRIVE", "dead") == 3
            before = (entries(c, "log"), entries(c, "dead"))
        server.kill()
        server.restart()
        with server.connect() as c:
            assert (entries(c, "log"), entries(c, "dead")) == before


def test_a_replica_holds_the_same(server, replica, c):
    make_letters(c, 3)
    c.call("TREDRIVE", "dead", "COUNT", "2")
    wait_until_same(replica, server, "log", "dead")
    assert read(c, 9, *LONG) == [[4, b"t", b"e0"], [5, b"t", b"e1"]]
