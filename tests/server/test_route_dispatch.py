"""ROUTE.DISPATCH: a change is matched, and each transport's log gets one message with everything in it."""

import json

import pytest

from log_waiting import start_waiting
from rights import user
from route_words import TASK, channel, device, info, match, subscribe
from server import wait_until

QUEUES = ("QUEUES", "ws", "log:ws", "mqtt", "log:mqtt")


def dispatch(c, *words, about=TASK, event="task.changed", queues=QUEUES, key="t"):
    return c.call("ROUTE.DISPATCH", key, *about, *words, "EVENT", event, *queues)


def entries(c, log="log:ws"):
    """[(tag, entry), ...] of a log."""
    return [(tag.decode(), json.loads(entry)) for _, tag, entry in c.call("TREAD", log, "1", "1000")]


def log_info(c, key):
    words = c.call("TINFO", key)
    return dict(zip(words[::2], words[1::2]))


# --- what is written ---


def test_each_transport_gets_one_message(c):
    for name in ("d1|ws", "d2|ws", "d3|mqtt"):
        subscribe(c, name)
    assert sorted(dispatch(c)) == [[b"mqtt", 1, 1], [b"ws", 2, 1]]
    assert sorted(dispatch(c)) == [[b"mqtt", 1, 2], [b"ws", 2, 2]]
    assert len(entries(c, "log:mqtt")) == 2


def test_the_entry_has_the_event_the_devices_and_the_documents(c):
    about = channel(user="u7", id="t1")
    subscribe(c, "d1|ws")
    subscribe(c, "d1|ws", about=about)
    id = subscribe(c, "d2|ws", about=channel(id="t1"), filter={"prio": "high"}).decode()
    assert dispatch(c, "DOC", '{"prio":"high"}', "OLD", '{"prio":"low"}', about=about) == [[b"ws", 2, 1]]
    [(tag, entry)] = entries(c)
    assert tag == "task.changed"
    assert entry == {
        "event": "task.changed",
        "app": "shop",
        "model": "task",
        "user": "u7",
        "id": "t1",
        "devices": [
            {
                "device": "d1",
                "change": "update",
                "channels": ["app:shop:model:task", "app:shop:user:u7:model:task:id:t1"],
                "subscriptions": [["app:shop:model:task", None, "update"], ["app:shop:user:u7:model:task:id:t1", None, "update"]],
            },
            {
                "device": "d2",
                "change": "enter",
                "channels": ["app:shop:model:task:id:t1"],
                "subscriptions": [["app:shop:model:task:id:t1", id, "enter"]],
            },
        ],
        "document": {"prio": "high"},
        "old": {"prio": "low"},
    }


def test_parts_that_were_not_given_are_not_in_the_message(c):
    subscribe(c)
    dispatch(c)
    [(_, entry)] = entries(c)
    assert entry == {
        "event": "task.changed",
        "app": "shop",
        "model": "task",
        "devices": [{"device": "d1", "channels": ["app:shop:model:task"], "subscriptions": [["app:shop:model:task", None, None]]}],
    }


def test_a_deletion_is_dispatched_to_devices_that_had_the_document(c):
    subscribe(c, "all|ws")
    subscribe(c, "high|ws", filter={"prio": "high"})
    subscribe(c, "low|ws", filter={"prio": "low"})
    dispatch(c, "OLD", '{"prio": "high"}', event="task.deleted")
    [(_, entry)] = entries(c)
    assert {one["device"]: one["change"] for one in entry["devices"]} == {"all": "delete", "high": "delete"}
    assert entry["old"] == {"prio": "high"} and "document" not in entry


def test_the_document_is_as_it_came(c):
    subscribe(c)
    document = '{ "n": 1.000e0,\t"b": [1,  2], "ä": "\\u00e4", "twice": 1, "twice": 2 }'
    dispatch(c, "DOC", document)
    [[_, _, entry]] = c.call("TREAD", "log:ws", "1", "1")
    assert entry.endswith(b',"document":' + document.encode() + b"}")
    json.loads(entry)


def test_names_are_escaped_as_json_wants(c):
    name, part = 'a"\\\n\u0001ä', 'x"\ty😀'
    subscribe(c, f"{name}|ws", about=channel(part, part, part, part))
    dispatch(c, about=channel(part, part, part, part), event=part)
    [(tag, entry)] = entries(c)
    assert tag == entry["event"] == entry["app"] == entry["model"] == entry["user"] == entry["id"] == part
    whole = f"app:{part}:user:{part}:model:{part}:id:{part}"
    assert entry["devices"] == [{"device": name, "channels": [whole], "subscriptions": [[whole, None, None]]}]


# --- which devices get it ---


def test_a_transport_without_a_queue_is_named_with_null(c, connect):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|http")
    assert sorted(dispatch(c), key=str) == [[b"http", 1, None], [b"ws", 1, 1]]
    words = ("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "QUEUES", "mqtt", "log")
    assert b"_\r\n" in connect(protocol=3).bytes_of(*words)
    assert b"$-1\r\n" in c.bytes_of(*words)
    assert c.call("EXISTS", "log") == 0


def test_a_transport_without_devices_gets_nothing(c):
    subscribe(c, "d1|ws", filter={"prio": "high"})
    assert dispatch(c, "DOC", '{"prio": "low"}') == []
    assert c.call("EXISTS", "log:ws", "log:mqtt") == 0


def test_a_missing_table_has_no_device_to_dispatch_to(c):
    assert dispatch(c, "DOC", "{}") == []
    assert c.call("KEYS", "*") == []


def test_two_transports_may_share_a_log(c):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|mqtt")
    answer = dispatch(c, queues=("QUEUES", "ws", "log", "mqtt", "log"))
    assert sorted(offset for _, _, offset in answer) == [1, 2]
    assert len(entries(c, "log")) == 2


def test_a_transport_may_be_called_as_a_keyword(c):
    subscribe(c, "d1|EVENT")
    assert dispatch(c, queues=("QUEUES", "EVENT", "log")) == [[b"EVENT", 1, 1]]


# --- effects on other keys ---


def test_the_table_is_not_changed(server, c):
    subscribe(c)
    before = server.digest("t")
    dispatch(c)
    assert server.digest("t") == before
    assert info(c)["matches"] == 1


def test_a_log_of_another_type_refuses_everything(server, c):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|mqtt")
    c.call("SET", "text", "x")
    for queues in (("QUEUES", "ws", "log", "mqtt", "text"), ("QUEUES", "mqtt", "text", "ws", "log"), ("QUEUES", "ws", "t")):
        assert c.error_of("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", *queues).startswith("WRONGTYPE")
    assert c.call("EXISTS", "log") == 0


def test_a_log_of_another_type_refuses_everything_though_no_device_was_found_for_it(c):
    subscribe(c, "d1|ws")
    c.call("SET", "text", "x")
    for queues in (("QUEUES", "ws", "log", "mqtt", "text"), ("QUEUES", "mqtt", "text")):
        assert c.error_of("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", *queues).startswith("WRONGTYPE")
    assert c.error_of("ROUTE.DISPATCH", "none", *TASK, "EVENT", "e", "QUEUES", "ws", "text").startswith("WRONGTYPE")
    assert c.call("EXISTS", "log") == 0


def test_a_dispatch_that_is_refused_is_not_counted(server, c):
    subscribe(c, "d1|ws")
    c.call("SET", "text", "x")
    names = ("route_matches", "route_devices_matched", "route_messages_dispatched")
    known, counted = info(c), [server.counter(name) for name in names]
    c.error_of("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "QUEUES", "ws", "text")
    assert info(c) == known
    assert [server.counter(name) for name in names] == counted
    dispatch(c)
    assert (info(c)["matches"], info(c)["transports"]["ws"]["matched"]) == (1, 1)
    assert [each["changes"] for each in info(c)["top-channels"]] == [1]


def test_readers_that_wait_are_served(server, c, connect):
    subscribe(c)
    reader = start_waiting(server, connect(), ("log:ws", "1", "1", "BLOCK", "0"))
    worker = start_waiting(server, connect(), ("log:ws", "1", "1", "GROUP", "g", "BLOCK", "0"))
    dispatch(c, "DOC", "{}")
    assert [reader.read()[0][:2], worker.read()[0][:2]] == [[1, b"task.changed"]] * 2


def test_inside_a_transaction_the_readers_are_served_after_it(server, c, connect):
    subscribe(c)
    reader = start_waiting(server, connect(), ("log:ws", "1", "10", "BLOCK", "0"))
    c.call("MULTI")
    for _ in range(2):
        c.call("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", *QUEUES)
    assert c.call("EXEC") == [[[b"ws", 1, 1]], [[b"ws", 1, 2]]]
    assert [message[0] for message in reader.read()] == [1, 2]


def test_scripts_dispatch(c):
    subscribe(c)
    script = "return redis.call('ROUTE.DISPATCH', KEYS[1], 'APP', 'shop', 'MODEL', 'task', 'EVENT', 'e', 'QUEUES', 'ws', KEYS[2])"
    assert c.call("EVAL", script, "2", "t", "log") == [[b"ws", 1, 1]]


def test_the_logs_retention_holds(c):
    subscribe(c)
    c.call("TRETAIN", "log:ws", "COUNT", "2")
    for _ in range(5):
        dispatch(c)
    assert [offset for offset, *_ in c.call("TREAD", "log:ws", "1", "10", "SKIP")] == [4, 5]


def test_a_log_without_offsets_left_refuses_everything(c):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|mqtt")
    # A log head as servers send it: version, first, next, clock, four limits, blocks, groups. The log has no offset
    # left.
    varint = b"\xff" * 8 + b"\x7f"
    c.call("TAPPLY", "log:ws", "HEAD", b"\x01" + varint + varint + b"\x00" * 7)
    error = c.error_of("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", *QUEUES)
    assert error == "ERR the log 'log:ws' has no room for these messages"
    assert c.call("EXISTS", "log:mqtt") == 0


def test_replicas_get_what_was_written(server, replica, c):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|mqtt")
    for n in range(20):
        dispatch(c, "DOC", json.dumps({"n": n}))
    server.wait_for_replica(replica)
    for key in ("log:ws", "log:mqtt", "t"):
        assert replica.digest(key) == server.digest(key)
    with replica.connect() as there:
        assert entries(there) == entries(c)


def test_a_reader_that_waits_at_the_log_gets_the_dispatch(server, c, connect):
    subscribe(c)
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:log:ws")
        dispatch(c)
        assert listener.read() == [b"message", b"__keyspace@0__:log:ws", b"twrite"]
    c.call("WATCH", "log:ws")
    dispatch(connect())
    c.call("MULTI")
    assert c.call("EXEC") is None


# --- keys and rights ---

WORDS = ("ROUTE.DISPATCH", "t", *TASK, "DOC", "{}", "EVENT", "QUEUES", "QUEUES", "ws", "log:ws", "mqtt", "log:mqtt")


def test_getkeys_finds_the_table_and_the_logs(c):
    assert c.call("COMMAND", "GETKEYS", *WORDS) == [b"t", b"log:ws", b"log:mqtt"]
    keys = c.call("COMMAND", "GETKEYSANDFLAGS", *WORDS)
    assert keys[0][0] == b"t" and b"RO" in keys[0][1]
    assert [key for key, flags in keys if b"RW" in flags] == [b"log:ws", b"log:mqtt"]


@pytest.mark.parametrize(
    "rules, allowed",
    [
        (("~t", "~log:*"), True),
        (("%R~t", "%RW~log:*"), True),
        (("~t", "~log:ws"), False),
        (("~log:*",), False),
        (("~t",), False),
        (("%R~*",), False),
        (("~t", "%R~log:*"), False),
    ],
    ids=str,
)
def test_a_user_needs_the_table_to_read_and_every_log_to_write(server, c, rules, allowed):
    subscribe(c)
    with user(server, "+@all", *rules) as guest:
        if allowed:
            assert guest.call(*WORDS) == [[b"ws", 1, 1]]
        else:
            assert guest.error_of(*WORDS).startswith("NOPERM")
            assert c.call("EXISTS", "log:ws") == 0


def test_it_is_refused_under_maxmemory_with_nothing_written(server, c):
    subscribe(c)
    with server.changed_settings(maxmemory="1", maxmemory_policy="noeviction"):
        assert c.error_of(*WORDS).startswith("OOM ")
    assert c.call("EXISTS", "log:ws") == 0


def test_a_replica_refuses_it(server, replica, c, connect):
    subscribe(c)
    device(c, "d2|ws")
    server.wait_for_replica(replica)
    there = connect(to=replica)
    assert there.error_of(*WORDS).startswith("READONLY")
    assert match(there) == ["d1|ws"]


def test_it_is_counted(server, c):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|ws")
    before = [server.counter(f"route_{name}") for name in ("matches", "devices_matched", "messages_dispatched")]
    dispatch(c)
    after = [server.counter(f"route_{name}") for name in ("matches", "devices_matched", "messages_dispatched")]
    assert [new - old for new, old in zip(after, before)] == [1, 2, 1]


# --- the log afterwards ---


def test_the_logs_are_compacted_without_other_writes(c):
    subscribe(c, "d1|ws")
    c.call("TRETAIN", "log:ws", "LATEST", "yes")
    for _ in range(5):
        dispatch(c)
    wait_until(lambda: log_info(c, "log:ws")[b"messages"] == 1, "the newest message of the event is left")


def test_the_logs_are_packed_without_other_writes(server, c):
    subscribe(c, "d1|ws")
    with server.changed_settings(**{"millrace.compress_age": "0", "millrace.block_bytes": "1024"}):
        for _ in range(100):
            dispatch(c, "DOC", json.dumps({"text": "the same again " * 10}))
        wait_until(lambda: log_info(c, "log:ws")[b"packed-blocks"] > 10, "its full blocks are packed")
