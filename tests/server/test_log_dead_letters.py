"""Dead letters: a message that is given up goes to another log, in one step, and the tag there says why."""

import json
import pathlib

import pytest

from log_groups import LONG, about, at_once, numbers, pending, pending_offsets, take, write
from server import Server, wait_until

COMMANDS = (b"MULTI", b"EXEC", b"TWRITE", b"GIVENUP")


def give_up_soon(c, *behind, key="log", group="g", letters="dead", expiry="30"):
    """Delivers all messages with an expiry so short that they are given up soon. The commands `behind` are executed
    before that; returns their answers."""
    take(c, 0, group=group, key=key)
    c.call("TGROUP", "SET", key, group, "DEADLETTER", letters)
    return at_once(c, ("TREAD", key, "1", "1000", "GROUP", group, "RETRY", "50000", expiry), *behind)[1:]


def letters(c, count, key="dead"):
    """Waits for this many dead letters; returns their decoded tags and their entries."""
    wait_until(lambda: len(c.call("TREAD", key, "1", "1000000")) >= count, f"{count} dead letters")
    return [(json.loads(tag), entry) for _, tag, entry in c.call("TREAD", key, "1", "1000000")]


# --- what a dead letter says ---


def test_an_expired_message_becomes_a_dead_letter(c):
    c.call("TWRITE", "log", "ENTRIES", "new", "one", "paid", b"\x00two\xff")
    give_up_soon(c)
    story = {"why": "expired", "attempts": 1, "group": "g", "key": "log"}
    assert letters(c, 2) == [
        ({**story, "offset": 1, "tag": "new"}, b"one"),
        ({**story, "offset": 2, "tag": "paid"}, b"\x00two\xff"),
    ]
    assert numbers(c, "expired", "pending") == [2, 0]


def test_a_message_that_was_tried_too_often_becomes_a_dead_letter(c):
    write(c)
    take(c, 0)
    c.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "2", "DEADLETTER", "dead")
    take(c, 1, *LONG)
    c.call("TNACK", "log", "g", "1")
    assert take(c, 1, "RETRY", "30", "0") == [1]
    [(story, entry)] = letters(c, 1)
    assert story == {"why": "attempts", "attempts": 2, "offset": 1, "group": "g", "key": "log", "tag": "t"}
    assert (entry, numbers(c, "exhausted", "expired", "pending")) == (b"e0", [1, 0, 0])


def test_the_tag_is_written_as_the_specification_says(c):
    c.call("TWRITE", "orders", "new", "entry")
    take(c, 0, key="orders")
    c.call("TGROUP", "SET", "orders", "g", "MAXATTEMPTS", "1", "DEADLETTER", "dead")
    take(c, 1, *LONG, key="orders")
    c.call("TNACK", "orders", "g", "1")
    wait_until(lambda: c.call("EXISTS", "dead"), "it is given up")
    tag = b'{"why":"attempts","attempts":1,"offset":1,"group":"g","key":"orders","tag":"new"}'
    assert c.call("TREAD", "dead", "1", "1") == [[1, tag, b"entry"]]


NAMES = {
    "quotes and backslashes": (b'say "\\hi\\"', 'say "\\hi\\"'),
    "control characters": (b"\x00\x01\r\n\t\x1f\x7f", "\x00\x01\r\n\t\x1f\x7f"),
    "UTF-8": ("größe 漢字 😀".encode(), "größe 漢字 😀"),
    "bytes that are no UTF-8": (b"\xff\xfe\x80a", "\xff\xfe\x80a"),
    "UTF-8 cut short": (b"gr\xc3", "gr\xc3"),
    "not the shortest form": (b"\xc0\xaf\xe0\x80\xaf", "\xc0\xaf\xe0\x80\xaf"),
    "a surrogate": (b"\xed\xa0\x80", "\xed\xa0\x80"),
    "beyond the last code point": (b"\xf4\x90\x80\x80", "\xf4\x90\x80\x80"),
    "nothing": (b"", ""),
}


@pytest.mark.parametrize("row", NAMES)
def test_whatever_bytes_the_names_hold_the_tag_is_json(c, row):
    name, expected = NAMES[row]
    c.call("TWRITE", b"k" + name, name, name)
    give_up_soon(c, key=b"k" + name, group=name)
    [(story, entry)] = letters(c, 1)
    assert (story["group"], story["key"], story["tag"], entry) == (expected, "k" + expected, expected, name)


def test_only_what_is_not_acknowledged_becomes_a_dead_letter(c):
    write(c, 200)
    assert give_up_soon(c, ("TACK", "log", "g", "1-90", "95", "110-199")) == [181]
    assert [story["offset"] for story, _ in letters(c, 19)] == [*range(91, 95), *range(96, 110), 200]
    assert about(c)["expired"] == 19


def test_without_a_dead_letter_key_it_is_only_counted(c):
    write(c)
    take(c, 1, "RETRY", "50000", "20")
    wait_until(lambda: about(c)["expired"] == 1, "it is given up")
    assert c.call("KEYS", "*") == [b"log"]


def test_dead_letters_are_a_log_like_any_other(c):
    c.call("TRETAIN", "dead", "COUNT", "2")
    write(c, 5)
    give_up_soon(c)
    wait_until(lambda: about(c)["expired"] == 5, "all are given up")
    assert [m[0] for m in c.call("TREAD", "dead", "1", "9", "SKIP")] == [4, 5]
    assert take(c, 9, *LONG, key="dead", group="undertakers") == [4, 5]


def test_two_groups_may_share_their_dead_letters(c):
    write(c, 2)
    give_up_soon(c, group="a")
    give_up_soon(c, group="b")
    stories = [story for story, _ in letters(c, 4)]
    assert sorted((story["group"], story["offset"]) for story in stories) == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


def test_the_first_reader_to_ask_gives_up_what_is_over(c):
    write(c)
    take(c, 0)
    c.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "1", "DEADLETTER", "dead")
    take(c, 1, *LONG)
    c.call("MULTI")
    c.call("TNACK", "log", "g", "1")
    c.call("TREAD", "log", "1", "1", "GROUP", "g", *LONG)
    c.call("TREAD", "dead", "1", "0", "WITHINFO")
    assert c.call("EXEC") == [1, [], [[1, 1]]]


# --- in one step, everywhere ---


def test_a_replica_gets_the_dead_letters_and_gives_up_the_same(server, replica, c):
    write(c, 3)
    give_up_soon(c)
    letters(c, 3)
    server.wait_for_replica(replica)
    for key in ("log", "dead"):
        assert replica.digest(key) == server.digest(key)
    assert about(replica.admin)["expired"] == 3


def test_the_move_is_one_transaction_in_the_aof():
    with Server(appendonly="yes", appendfsync="always") as server, server.connect() as c:
        write(c, 3)
        give_up_soon(c)
        letters(c, 3)
        [aof] = pathlib.Path(server.directory).glob("appendonlydir/*.incr.aof")
        words = [line for line in aof.read_bytes().split(b"\r\n") if line in COMMANDS]
        assert words[-4:] == [b"MULTI", b"TWRITE", b"GIVENUP", b"EXEC"]


def test_dead_letters_outlive_a_kill_and_none_is_written_twice():
    with Server(appendonly="yes", appendfsync="always") as server:
        with server.connect() as c:
            write(c, 50)
            give_up_soon(c)
            before = letters(c, 50)
            digests = [server.digest(key) for key in ("log", "dead")]
        server.kill()
        server.restart()
        assert [server.digest(key) for key in ("log", "dead")] == digests
        with server.connect() as c:
            assert letters(c, 50) == before
            assert numbers(c, "expired", "pending") == [50, 0]


def test_what_expired_while_the_server_was_down_is_given_up_when_it_is_back():
    with Server(appendonly="yes", appendfsync="always") as server:
        with server.connect() as c:
            write(c, 2)
            give_up_soon(c, expiry="100")
        server.kill()
        server.restart()
        with server.connect() as c:
            assert [story["offset"] for story, _ in letters(c, 2)] == [1, 2]


# --- what may be a dead letter key ---


def times_refused(server):
    """How often the server could not write dead letters. Other tests may have caused some of it."""
    return server.log().count("dead letters cannot be written")


def test_a_log_cannot_be_its_own(server, c):
    take(c, 0)
    before = server.digest("log")
    words = ("TGROUP", "SET", "log", "g", "PENDINGMAX", "5", "DEADLETTER", "log")
    assert c.error_of(*words) == "ERR a log cannot be its own DEADLETTER"
    assert server.digest("log") == before


def test_a_key_of_another_type_is_refused(server, c):
    take(c, 0)
    c.call("SET", "text", "x")
    before = server.digest("log")
    error = c.error_of("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "5", "DEADLETTER", "text")
    assert error == "WRONGTYPE Operation against a key holding the wrong kind of value"
    assert server.digest("log") == before


def test_if_the_key_is_of_another_type_by_then_the_message_stays(server, replica, c):
    write(c, 2)
    take(c, 0)
    c.call("TGROUP", "SET", "log", "g", "DEADLETTER", "dead")
    c.call("SET", "dead", "text")
    before = times_refused(server)
    take(c, 2, "RETRY", "50000", "30")
    wait_until(lambda: times_refused(server) > before, "it was tried")
    assert (c.call("GET", "dead"), pending_offsets(c), about(c)["expired"]) == (b"text", [1, 2], 0)
    retry, expiry = pending(c)[0][2:4]
    assert 50000 < retry <= 60000 and 50000 < expiry <= 60000, "tried again in a minute"
    assert c.call("TACK", "log", "g", "1") == 1
    server.wait_for_replica(replica)
    assert replica.digest("log") == server.digest("log")


def test_a_log_renamed_to_its_dead_letter_key_keeps_its_messages(server, c):
    write(c, 100)
    give_up_soon(c, ("RENAME", "log", "dead"))
    wait_until(lambda: pending(c, key="dead")[0][2] > 50000, "it was tried")
    assert numbers(c, "pending", "expired", key="dead") == [100, 0]
    assert c.call("TREAD", "dead", "1", "0", "WITHINFO") == [[1, 100]]


def test_a_deleted_dead_letter_key_is_made_again(c):
    write(c)
    c.call("TWRITE", "dead", "old", "old")
    give_up_soon(c, ("DEL", "dead"))
    assert [story["offset"] for story, _ in letters(c, 1)] == [1]


def test_in_a_cluster_it_must_be_in_the_same_slot():
    with Server(cluster_enabled="yes") as node, node.connect() as c:
        c.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        wait_until(lambda: b"cluster_state:ok" in c.call("CLUSTER", "INFO"), "the cluster is up")
        c.call("TWRITE", "{a}log", "t", "e")
        take(c, 0, key="{a}log")
        before = node.digest("{a}log")
        for other in ("dead", "{b}dead", "a}dead", "{}a"):
            error = c.error_of("TGROUP", "SET", "{a}log", "g", "MAXATTEMPTS", "3", "DEADLETTER", other)
            assert error == "ERR both logs must be in one hash slot: give their keys the same {tag}"
        assert node.digest("{a}log") == before
        give_up_soon(c, key="{a}log", letters="x{a}")
        assert letters(c, 1, key="x{a}")[0][0]["key"] == "{a}log"
        # A log restored elsewhere does not write to a slot that another node may have.
        c.call("TWRITE", "{a}log", "t", "e")
        payload, _ = give_up_soon(c, ("DUMP", "{a}log"), ("DEL", "{a}log"), key="{a}log", letters="x{a}")
        c.call("RESTORE", "{b}log", "0", payload)
        wait_until(lambda: "in another slot" in node.log(), "it was tried")
        assert (pending_offsets(c, key="{b}log"), len(letters(c, 1, key="x{a}"))) == ([2], 1)


def test_a_user_who_sets_it_must_be_allowed_to_write_there(server, c):
    take(c, 0)
    server.admin.call("ACL", "SETUSER", "guest", "reset", "on", "nopass", "+@all", "~log", "~mine", "%R~read")
    try:
        with server.connect() as guest:
            guest.call("AUTH", "guest", "any")
            for key in ("other", "read"):
                error = guest.error_of("TGROUP", "SET", "log", "g", "DEADLETTER", key)
                assert error == f"NOPERM this user may not TWRITE to '{key}'"
            assert about(c)["dead-letter"] is None
            assert guest.call("TGROUP", "SET", "log", "g", "DEADLETTER", "mine") == b"OK"
    finally:
        server.admin.call("ACL", "DELUSER", "guest")
