"""CHAN.READ: a channel by position, without a subscriber."""

import re

import pytest

from channel_words import publish, subscribe, take
from rights import user
from server import wait_until

BADPOSITION = "BADPOSITION the channel never was at this position: it belongs to another life of it"
POSITION = re.compile(rb"-?\d+\.[0-9a-f]{16}")


def read(c, position="-", *options, key="ch"):
    """Ids, the position to go on from, more and missed."""
    messages, position, more, missed = c.call("CHAN.READ", key, position, *options)
    return [id.decode() for _, id, _ in messages], position, more, missed


def test_a_read_returns_what_lies_behind_a_position(c):
    publish(c, "a", "b", "c")
    messages, position, more, missed = c.call("CHAN.READ", "ch", "-")
    assert [message[1:] for message in messages] == [[id, b"content of " + id] for id in (b"a", b"b", b"c")]
    assert all(POSITION.fullmatch(message[0]) for message in messages)
    assert (position, more, missed) == (messages[-1][0], 0, 0)
    for number, message in enumerate(messages):
        assert read(c, message[0])[0] == ["a", "b", "c"][number + 1 :]
    assert read(c, position) == ([], position, 0, 0)


def test_max_limits_a_read_and_the_next_one_goes_on(c):
    publish(c, *(f"m{n}" for n in range(70)))
    ids, position, more, missed = read(c)
    assert (ids, more, missed) == ([f"m{n}" for n in range(64)], 1, 0)
    assert read(c, position)[0] == [f"m{n}" for n in range(64, 70)]
    assert [read(c, "-", "MAX", n)[0] for n in (1, 2)] == [["m0"], ["m0", "m1"]]


def test_bytes_end_an_answer_but_never_before_its_first_message(c):
    subscribe(c, "s")
    publish(c, *"abcde")  # 13 bytes each
    assert read(c, "-", "MAXBYTES", 26)[0::2] == (["a", "b"], 1)
    ids, position, more, _ = read(c, "-", "MAX", 4, "MAXBYTES", 1)
    assert (ids, more) == (["a"], 1)
    assert read(c, position, "MAXBYTES", 52)[0::2] == (["b", "c", "d", "e"], 0)
    messages, _, more = c.call("CHAN.FETCH", "ch", "s", "MAXBYTES", 51)
    assert ([id for id, _ in messages], more) == ([b"a", b"b", b"c"], 1)


def test_an_answer_has_no_more_bytes_than_the_setting_says(s):
    subscribe(s, "s")
    publish(s, *"abcde")
    s.call("CONFIG", "SET", "millrace.read-bytes", 30)
    try:
        assert read(s)[0::2] == (["a", "b"], 1)
        messages, _, more = s.call("CHAN.FETCH", "ch", "s")
        assert ([id for id, _ in messages], more) == ([b"a", b"b"], 1)
        assert read(s, "-", "MAXBYTES", 65)[0::2] == (list("abcde"), 0)
    finally:
        s.call("CONFIG", "SET", "millrace.read-bytes", 64 * 1024 * 1024)


def test_the_end_is_where_the_next_publication_is_found(c):
    subscribe(c, "s")
    position = read(c, "$")[1]
    publish(c, "a")
    assert read(c, position)[0] == ["a"]
    assert read(c, "$")[0] == []


def test_a_missing_channel_is_empty_and_has_no_position(c, connect):
    assert read(c) == ([], None, 0, 0)
    assert read(c, "$") == ([], None, 0, 0)
    assert connect(protocol=3).bytes_of("CHAN.READ", "ch", "$") == b"*4\r\n*0\r\n_\r\n:0\r\n:0\r\n"
    assert c.error_of("CHAN.READ", "ch", "0.0000000000000001") == BADPOSITION
    assert c.call("EXISTS", "ch") == 0


def test_what_expired_in_between_is_counted(s, clock):
    s.call("CHAN.SUBSCRIBE", "ch", "keeper", "EXPIRE", 1000)
    start = read(s, "$")[1]
    publish(s, "a", "b")
    behind_a = s.call("CHAN.READ", "ch", "-", "MAX", 1)[1]
    clock.advance(600)
    publish(s, "c")
    clock.advance(401)
    assert read(s, behind_a)[::3] == (["c"], 1)
    assert read(s, start)[::3] == (["c"], 2)
    assert read(s)[::3] == (["c"], 0)
    s.call("CHAN.SUBSCRIBE", "ch", "keeper")
    clock.advance(600)
    assert read(s, behind_a)[::3] == ([], 2)
    assert read(s, read(s, behind_a)[1])[::3] == ([], 0)


def test_a_position_of_another_life_is_bad(c):
    publish(c, "a", "b", "c")
    positions = [message[0] for message in c.call("CHAN.READ", "ch", "-")[0]]
    c.call("DEL", "ch")
    assert c.error_of("CHAN.READ", "ch", positions[0]) == BADPOSITION
    publish(c, "a", "b", "c")
    for position in positions:
        assert c.error_of("CHAN.READ", "ch", position) == BADPOSITION


def test_a_position_outlives_a_rename_and_a_restart_of_its_bytes(c):
    publish(c, "a", "b")
    position = c.call("CHAN.READ", "ch", "-", "MAX", 1)[1]
    c.call("RENAME", "ch", "other")
    assert read(c, position, key="other")[0] == ["b"]
    c.call("RESTORE", "third", 0, c.call("DUMP", "other"))
    assert read(c, position, key="third")[0] == ["b"]


def test_the_beginning_of_a_receipt_is_a_position(c):
    subscribe(c, "s")
    publish(c, "a", "b")
    clock, mark, _ = take(c, "s", "MAX", "1")[1].split(b".")
    assert read(c, clock + b"." + mark)[0] == ["b"]


@pytest.mark.parametrize("wrong", ["", "1", "1.", "x", "1.0000000g", "1.0000000f.0123456789abcdef", "+", "9" * 40])
def test_other_words_are_no_position(c, wrong):
    publish(c, "a")
    assert c.error_of("CHAN.READ", "ch", wrong).startswith("BADPOSITION '")


def test_a_replica_reads_by_the_same_positions(c, connect, replica):
    publish(c, "a", "b")
    position = c.call("CHAN.READ", "ch", "-", "MAX", 1)[1]
    other = connect(to=replica)
    wait_until(lambda: read(other)[0] == ["a", "b"], "the replica has them")
    assert read(other) == read(c)
    assert read(other, position)[0] == ["b"]


def test_reading_changes_nothing_and_keeps_nothing_alive(s, clock):
    s.call("CHAN.SUBSCRIBE", "ch", "keeper", "EXPIRE", 1000)
    publish(s, "a")
    clock.advance(900)
    before = s.call("PEXPIRETIME", "ch")
    read(s)
    assert s.call("PEXPIRETIME", "ch") == before
    clock.advance(101)
    assert s.call("EXISTS", "ch") == 0


def test_a_user_who_may_only_read_the_key_may_read(server, c):
    publish(c, "a")
    with user(server, "%R~ch", "+CHAN.READ") as reader:
        assert read(reader)[0] == ["a"]
        assert reader.error_of("CHAN.READ", "other", "-").startswith("NOPERM")


def test_inside_a_transaction_and_a_script(c):
    publish(c, "a")
    c.call("MULTI")
    c.call("CHAN.READ", "ch", "-")
    [answer] = c.call("EXEC")
    assert answer == c.call("CHAN.READ", "ch", "-")
    assert c.call("EVAL", "return redis.call('CHAN.READ', KEYS[1], '-')", 1, "ch") == answer
