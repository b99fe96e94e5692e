"""Feeds: one connection that gets the messages of many keys."""

import pytest

from feeds import add, info, LOG_POSITION, name, nofeed, own_feeds, publish, read, tags, wait_for_read, write  # noqa: F401: a fixture
from rights import user
from server import wait_until


# --- what comes ---


def test_a_feed_hands_out_what_its_keys_have_got(c):
    write(c, "log", "before")
    publish(c, "channel", "before")
    assert add(c, "log", "channel") == [1, 1]
    assert read(c) == {}
    write(c, "log", "a", "b")
    publish(c, "channel", "m")
    write(c, "other", "nobody watches it")
    assert read(c) == {"log": (["a", "b"], 0, 0), "channel": (["m"], 0, 0)}
    assert read(c) == {}


def test_the_answer_of_a_log_has_its_position_and_its_messages(c):
    add(c, "log")
    write(c, "log", "a")
    [[key, position, messages, more, missed]] = c.call("FEED.READ", name())
    assert (key, messages, more, missed) == (b"log", [[1, b"a", b"entry of a"]], 0, 0)
    assert LOG_POSITION.fullmatch(position)
    write(c, "log", "b")
    assert c.call("FEED.ADD", name("g"), "log", position) == 1
    assert tags(c, feed="g") == {"log": ["b"]}


def test_the_answer_of_a_channel_is_that_of_a_read_by_position(c):
    add(c, "channel")
    publish(c, "channel", "m", "n")
    [[key, position, messages, more, missed]] = c.call("FEED.READ", name())
    assert [messages, position, more, missed] == c.call("CHAN.READ", "channel", "-")
    publish(c, "channel", "o")
    assert c.call("FEED.ADD", name("g"), "channel", position) == 1
    assert tags(c, feed="g") == {"channel": ["o"]}


def test_it_is_the_same_in_resp3(connect, c):
    add(c, "log")
    three = connect(protocol=3)
    write(c, "log", "a")
    [[_, position, *_]] = c.call("FEED.READ", name())
    add(c, "log", at="0")
    assert three.call("FEED.READ", name()) == [[b"log", position, [[1, b"a", b"entry of a"]], 0, 0]]
    assert three.bytes_of("FEED.READ", name()) == b"*0\r\n"
    assert three.call("FEED.INFO", name())[b"keys"] == 1


@pytest.mark.parametrize("at, found", [("0", ["a", "b", "c"]), ("-", ["a", "b", "c"]), ("1", ["b", "c"]), ("3", None)])
def test_a_log_is_read_behind_an_offset(c, at, found):
    write(c, "log", "a", "b", "c")
    add(c, "log", at=at)
    assert tags(c).get("log") == found


def test_an_offset_of_another_life_is_bad(c):
    write(c, "log", "a", "b")
    add(c, "log", at="1")
    [[_, position, *_]] = c.call("FEED.READ", name())
    c.call("DEL", "log")
    assert c.error_of("FEED.ADD", name(), "log", position).startswith("BADPOSITION there is no log or channel")
    write(c, "log", "a", "b")
    assert c.error_of("FEED.ADD", name(), "log", position).startswith("BADPOSITION the position is of another life")
    assert c.error_of("FEED.ADD", name(), "log", "3").startswith("BADPOSITION the log does not reach this offset")


def test_a_position_of_another_life_of_a_channel_is_bad(c):
    publish(c, "channel", "m")
    position = c.call("CHAN.READ", "channel", "-")[1]
    c.call("DEL", "channel")
    publish(c, "channel", "m")
    assert c.error_of("FEED.ADD", name(), "channel", position).startswith("BADPOSITION the channel never was")
    assert c.error_of("FEED.ADD", name(), "channel", "1").startswith("BADPOSITION the key holds a channel")
    assert c.error_of("FEED.READ", name()) == nofeed(), "nothing was made"


def test_a_key_that_is_not_there_yet_is_watched_from_its_beginning(c):
    add(c, "log", "channel", at="$")
    assert read(c) == {}
    write(c, "log", "a")
    c.call("CHAN.SUBSCRIBE", "channel", "s")
    assert tags(c) == {"log": ["a"]}
    publish(c, "channel", "m")
    assert tags(c) == {"channel": ["m"]}


def test_a_notice_comes_without_messages(c):
    write(c, "log", "a")
    c.call("FEED.ADD", name(), "log", "NOTICE")
    assert read(c) == {}
    write(c, "log", "b", "c")
    [[key, position, messages, more, missed]] = c.call("FEED.READ", name())
    assert (key, messages, more, missed) == (b"log", [], 0, 0)
    assert position.endswith(b".3")
    assert read(c) == {}


def test_changes_other_than_messages_are_not_delivered(c):
    write(c, "log", "a")
    publish(c, "channel", "m")
    add(c, "log", "channel")
    c.call("FEED.ADD", name("g"), "log", "NOTICE")
    c.call("TRETAIN", "log", "COUNT", "10")
    c.call("TREAD", "log", "1", "1", "GROUP", "workers")
    c.call("CHAN.SUBSCRIBE", "channel", "s")
    c.call("CHAN.PUBLISH", "channel", "m", "a duplicate")
    assert info(c)["dirty"] == info(c, "g")["dirty"] == 0


def test_dead_letters_and_dispatches_are_delivered_too(c):
    add(c, "dead", "queue")
    c.call("ROUTE.SUBSCRIBE", "table", "device|push", "APP", "todo", "MODEL", "task")
    write(c, "log", "a")
    c.call("TREADGROUP", "log", "1", "1", "GROUP", "g", "RETRY", "1000", "0")
    c.call("TGROUP", "SET", "log", "g", "DEADLETTER", "dead")
    c.call("TNACK", "log", "g", "DEAD", "why", "1-1")
    document = ("DOC", "{}", "OLD", "null", "EVENT", "saved", "QUEUES", "push", "queue")
    c.call("ROUTE.DISPATCH", "table", "APP", "todo", "MODEL", "task", *document)
    assert list(read(c)) == ["dead", "queue"]


def test_a_deleted_end_holds_up_no_other_key(server, c, connect):
    write(c, "a", "1", "2", "3")
    add(c, "a", "b", at="0")
    c.call("TDEL", "a", "3")
    write(c, "b", "1")
    assert read(c) == {"a": (["1", "2"], 0, 0), "b": (["1"], 0, 0)}
    write(c, "a", "4")
    c.call("TDEL", "a", "4")
    write(c, "b", "2")
    assert read(c) == {"b": (["2"], 0, 0)}
    assert info(c)["dirty"] == 0
    add(c, "a", at="-", feed="g")
    assert read(c, feed="g") == {"a": (["1", "2"], 0, 0)}
    c.call("TDEL", "a", "1-2")
    waiting = wait_for_read(server, connect(), feed="g")
    write(c, "a", "5")
    [[key, _, messages, *_]] = waiting.read()
    assert (key, [message[1] for message in messages]) == (b"a", [b"5"])


# --- in turn ---


def test_max_counts_messages_and_keys_come_in_turn(c):
    add(c, "a", "b")
    write(c, "a", *"123456")
    write(c, "b", "1")
    assert read(c, "MAX", "4") == {"a": (list("1234"), 1, 0)}
    assert read(c, "MAX", "2") == {"b": (["1"], 0, 0), "a": (["5"], 1, 0)}
    assert read(c, "MAX", "2") == {"a": (["6"], 0, 0)}


def test_bytes_end_an_answer_but_never_before_its_first_message(c):
    add(c, "a", "b")
    for key in "ab":
        for tag in "12":
            c.call("TWRITE", key, tag, "x" * 99)
    assert read(c, "BYTES", "350") == {"a": (["1", "2"], 0, 0), "b": (["1"], 1, 0)}
    assert read(c, "BYTES", "1") == {"b": (["2"], 0, 0)}


def test_what_was_evicted_before_it_was_read_is_counted(c):
    add(c, "log")
    write(c, "log", *"abcd")
    c.call("TEVICT", "log", "3")
    assert read(c) == {"log": (["d"], 0, 3)}


def test_what_expired_before_it_was_read_is_counted(s, clock):
    s.call("CHAN.SUBSCRIBE", "channel", "keeper", "EXPIRE", "1000")
    add(s, "channel")
    publish(s, "channel", "a", "b")
    clock.advance(600)
    publish(s, "channel", "c")
    clock.advance(401)
    assert read(s) == {"channel": (["c"], 0, 2)}


def test_a_slow_reader_makes_nothing_grow(c):
    add(c, "log")
    write(c, "log", "a")
    before = info(c)
    write(c, "log", *map(str, range(100)))
    after = info(c)
    assert (after["dirty"], after["keys"], after["memory"]) == (1, 1, before["memory"])


def test_many_keys_and_many_feeds(c):
    keys = [f"k{n}" for n in range(500)]
    add(c, *keys)
    add(c, *keys, feed="g")
    c.call_all([("TWRITE", key, "tag", "entry") for key in keys])
    for feed in "fg":
        seen = {}
        while found := tags(c, "MAX", "70", feed=feed):
            assert not seen.keys() & found.keys()
            seen |= found
        assert seen == {key: ["tag"] for key in keys}


# --- keys of a feed ---


def test_adding_again_replaces_the_position(c):
    write(c, "log", "a", "b")
    assert add(c, "log", at="0") == [1]
    assert add(c, "log", at="1") == [0]
    assert tags(c) == {"log": ["b"]}
    assert c.call("FEED.ADD", name(), "log", "NOTICE") == 0
    write(c, "log", "c")
    assert tags(c) == {"log": []}


def test_a_key_that_was_removed_comes_no_more(c):
    add(c, "a", "b")
    write(c, "a", "1")
    assert c.call("FEED.DEL", name(), "a", "b", "unknown", "a") == 2
    write(c, "a", "2")
    write(c, "b", "2")
    assert read(c) == {}
    assert info(c)["keys"] == 0


def test_what_is_neither_log_nor_channel_cannot_be_watched(c):
    c.call("SET", "string", "x")
    assert c.error_of("FEED.ADD", name(), "string", "$").startswith("WRONGTYPE")
    c.call("LOCK.ACQUIRE", "lock", "me", "60000")
    assert c.error_of("FEED.ADD", name(), "lock", "NOTICE").startswith("WRONGTYPE")


def test_feeds_are_listed_and_described(c):
    ours = {name().encode(), name("g").encode()}
    assert not ours & set(c.call("FEED.LIST"))
    add(c, "log", "missing")
    add(c, "log", feed="g")
    assert ours <= set(c.call("FEED.LIST"))
    write(c, "log", "a")
    known = info(c)
    assert known.pop("memory") > 0 and known.pop("idle-ms") >= 0
    assert known == {"user": b"default", "keys": 2, "dirty": 1, "missing": 1, "waiting": 0, "messages": 0}
    read(c)
    assert info(c)["messages"] == 1


def test_a_feed_belongs_to_a_database(c):
    add(c, "log")
    c.call("SELECT", "1")
    assert c.error_of("FEED.READ", name()) == nofeed()
    assert name().encode() not in c.call("FEED.LIST")
    add(c, "log")
    write(c, "log", "in 1")
    c.call("SELECT", "0")
    assert read(c) == {}
    c.call("SELECT", "1")
    assert tags(c) == {"log": ["in 1"]}
    c.call("SELECT", "0")


def test_a_feed_that_was_never_made(c):
    for command in (("FEED.READ", name()), ("FEED.DEL", name(), "k"), ("FEED.INFO", name())):
        assert c.error_of(*command) == nofeed()


@pytest.mark.parametrize("setting, error", [("feeds", "as many feeds as millrace.feeds allows"),
                                            ("feed-keys", "as many keys as millrace.feed-keys allows")])
def test_there_are_only_so_many(server, c, setting, error):
    add(c, "k")
    with server.changed_settings(**{f"millrace.{setting}": 1 if setting == "feed-keys" else 0}):
        feed = "f" if setting == "feed-keys" else "one more"
        assert error in c.error_of("FEED.ADD", name(feed), "k2", "$")
        assert add(c, "k") == [0]


# --- how long it lives ---


def test_a_feed_expires_a_minute_after_its_last_use(s, still, clock):
    add(s, "k")
    for _ in range(3):  # 30 s each, and real time passes too; the engine's tests are exact
        clock.pass_time(30_000)
        assert read(s) == {}
    clock.pass_time(60_000)
    assert s.error_of("FEED.READ", name()) == nofeed()
    assert s.call("FEED.LIST") == []
    clock.pass_time(1000)
    wait_until(lambda: still.counter("feeds") == 0, "it is freed")
    write(s, "k", "a")
    add(s, "k", at="0")
    assert tags(s) == {"k": ["a"]}, "nothing is missed"


def test_a_feed_with_a_waiting_reader_stays(still, s, clock):
    add(s, "k")
    with still.connect() as reader:
        reader.send("FEED.READ", name(), "BLOCK", "0")
        wait_until(lambda: still.counter("feed_readers_blocked") == 1, "the reader waits")
        clock.pass_time(120_000)
        write(s, "k", "a")
        assert reader.read()[0][0] == b"k"
    assert read(s) == {}


def test_a_feed_is_neither_saved_nor_replicated(server, c, replica, connect):
    offset = server.info("replication")["master_repl_offset"]
    add(c, "log")
    read(c)
    c.call("FEED.DEL", name(), "log")
    assert server.info("replication")["master_repl_offset"] == offset
    assert connect(to=replica).error_of("FEED.READ", name()) == nofeed()


# --- access rights ---


def test_a_feed_belongs_to_the_user_that_made_it(server, c):
    add(c, "log")
    with user(server, "~*", "+@all") as guest:
        for command in (("FEED.READ", name()), ("FEED.DEL", name(), "log"), ("FEED.INFO", name()), ("FEED.ADD", name(), "log", "$")):
            assert guest.error_of(*command) == f"NOPERM the feed '{name()}' belongs to another user"
        assert name().encode() not in guest.call("FEED.LIST")
        add(guest, "log", feed="g")
        assert name("g").encode() in guest.call("FEED.LIST")
        assert info(guest, "g")["user"] == b"guest"


def test_every_read_checks_the_rights_on_each_key(server, c):
    with user(server, "%R~mine:*", "+FEED.ADD", "+FEED.READ") as guest:
        add(guest, "mine:1", "mine:2")
        assert guest.error_of("FEED.ADD", name(), "yours", "$").startswith("NOPERM")
        write(c, "mine:1", "a")
        write(c, "mine:2", "a")
        server.admin.call("ACL", "SETUSER", "guest", "resetkeys", "%R~mine:2")
        assert tags(guest) == {"mine:1": "gone", "mine:2": ["a"]}
        assert guest.error_of("FEED.ADD", name(), "mine:1", "$").startswith("NOPERM")


# --- transactions and scripts ---


def test_inside_a_transaction_and_a_script_it_does_not_wait(c):
    add(c, "log")
    c.call("MULTI")
    c.call("FEED.READ", name(), "BLOCK", "0")
    c.call("TWRITE", "log", "a", "entry")
    c.call("FEED.READ", name(), "BLOCK", "0")
    before, _, after = c.call("EXEC")
    assert before == [] and after[0][0] == b"log"
    assert c.call("EVAL", "return redis.call('FEED.READ', ARGV[1], 'BLOCK', 0)", 0, name()) == []
    c.call("EVAL", "redis.call('TWRITE', KEYS[1], 'b', 'x')", 1, "log")
    assert tags(c) == {"log": ["b"]}
    assert c.call("EVAL", "return redis.call('FEED.ADD', ARGV[1], KEYS[1], '$')", 1, "log", name("g")) == 1


# --- replicas ---


def test_a_replica_has_feeds_of_its_own(c, replica, connect):
    other = connect(to=replica)
    write(c, "log", "before")
    publish(c, "channel", "before")
    wait_until(lambda: other.call("EXISTS", "log", "channel") == 2, "the replica has both")
    add(other, "log", "channel", "unborn")
    other.call("FEED.ADD", name("notices"), "log", "NOTICE")
    write(c, "log", "a")
    publish(c, "channel", "m")
    write(c, "unborn", "b")
    found = {}
    wait_until(lambda: (found.update(tags(other)), len(found) == 3)[1], "all of it arrives")
    assert found == {"log": ["a"], "channel": ["m"], "unborn": ["b"]}
    assert tags(other, feed="notices") == {"log": []}
    c.call("DEL", "log")
    wait_until(lambda: tags(other) == {"log": "gone"}, "the replica says that it is gone")


def test_a_reader_on_a_replica_waits(server, c, replica, connect):
    other = connect(to=replica)
    add(other, "log")
    other.send("FEED.READ", name(), "BLOCK", "0")
    wait_until(lambda: replica.counter("feed_readers_blocked") == 1, "the reader waits")
    write(c, "log", "a")
    assert other.read()[0][2] == [[1, b"a", b"entry of a"]]
