"""What a gateway with many nodes needs: a log for every transport, dispatches that count once, the origin of a change,
devices that move from node to node, and presence."""

import json

import pytest

from rights import user
from route_words import TASK, WS, channel, device, do, get, info, match, subscribe
from server import Server, wait_until


def dispatch(c, *words, event="task.changed", options=(), queues=("QUEUES", "*", "log:"), key="t"):
    return c.call("ROUTE.DISPATCH", key, *TASK, *words, "EVENT", event, *options, *queues)


def entries(c, log):
    return [json.loads(entry) for _, _, entry in c.call("TREAD", log, "1", "1000")]


# --- QUEUES * prefix ---


def test_every_transport_has_a_log_of_its_own(c):
    """Findings, routes 3: a new node missed changes until every sender had it in its list."""
    subscribe(c, "d1|node-1")
    assert dispatch(c) == [[b"node-1", 1, 1]]
    subscribe(c, "d2|node-2")
    assert sorted(dispatch(c)) == [[b"node-1", 1, 2], [b"node-2", 1, 1]]
    assert [each["devices"][0]["device"] for each in entries(c, "log:node-2")] == ["d2"]


def test_a_change_without_devices_makes_no_log(c):
    subscribe(c, filter={"a": 1})
    assert dispatch(c, "DOC", '{"a": 2}') == []
    assert c.call("KEYS", "log:*") == []


def test_one_log_of_another_type_refuses_everything(c):
    subscribe(c, "d1|a")
    subscribe(c, "d1|b")
    c.call("SET", "log:b", "x")
    assert c.error_of("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "QUEUES", "*", "log:").startswith("WRONGTYPE")
    assert c.call("EXISTS", "log:a") == 0


def test_the_logs_of_a_prefix_are_written_with_the_rights_of_the_user(server, c):
    subscribe(c, "d1|ws")
    everything = lambda prefix: f"NOPERM this user may not TWRITE to all logs that begin with '{prefix}'"
    with user(server, "+@all", "~t", "~mine:*") as limited:
        assert dispatch(limited, queues=("QUEUES", "*", "mine:")) == [[b"ws", 1, 1]]
        words = ("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "QUEUES", "*", "theirs:")
        assert limited.error_of(*words) == "NOPERM this user may not TWRITE to 'theirs:ws'"
        assert limited.error_of("ROUTE.PRESENCE", "t", "QUEUES", "*", "theirs:") == everything("theirs:")
        assert limited.call("ROUTE.PRESENCE", "t", "QUEUES", "*", "mine:") == b"mine:"
        assert limited.error_of("ROUTE.PRESENCE", "t", "QUEUES", "*", "t") == everything("t"), "a device t|s would make a log ts"
    assert c.call("EXISTS", "theirs:ws") == 0


# --- ORIGIN and DATA ---


def test_a_device_does_not_get_its_own_change(c):
    for name in ("d1|ws", "d1|mqtt", "d2|ws"):
        subscribe(c, name)
    assert sorted(dispatch(c, options=("ORIGIN", "d1|ws"))) == [[b"mqtt", 1, 1], [b"ws", 1, 1]]
    assert [one["device"] for one in entries(c, "log:ws")[0]["devices"]] == ["d2"]
    assert sorted(dispatch(c, options=("ORIGIN", "unknown|ws"))) == [[b"mqtt", 1, 2], [b"ws", 2, 2]]


def test_data_travels_beside_the_document(c):
    subscribe(c)
    patch = '[ {"op":"replace", "path":"/n", "value":1.0} ]'
    dispatch(c, "DOC", '{"n": 1}', options=("DATA", patch))
    [[_, _, entry]] = c.call("TREAD", "log:ws", "1", "1")
    assert entry.endswith(b',"document":{"n": 1},"data":' + patch.encode() + b"}")
    dispatch(c)
    assert "data" not in entries(c, "log:ws")[1]


@pytest.mark.parametrize("data", ["", "{", "nan", "[1,]", "x" * 1_100_000])
def test_data_that_is_no_json_is_refused(c, data):
    subscribe(c)
    assert c.error_of("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "DATA", data, "QUEUES", "ws", "log").startswith("ERR DATA: ")
    assert c.call("EXISTS", "log") == 0


# --- ID ---


def test_a_dispatch_that_is_sent_again_counts_once(server, c):
    subscribe(c, "d1|ws")
    subscribe(c, "d2|mqtt")
    queues = ("QUEUES", "ws", "log:ws")
    before = server.counter("route_dispatches_repeated")
    first = dispatch(c, options=("ID", "7"), queues=queues)
    subscribe(c, "d3|ws")
    assert dispatch(c, options=("ID", "7"), queues=queues) == first
    assert sorted(first, key=str) == [[b"mqtt", 1, None], [b"ws", 1, 1]]
    assert len(entries(c, "log:ws")) == 1
    assert dispatch(c, options=("ID", "8"), queues=queues)[0][2] == 2
    assert info(c)["dispatch-ids"] == 2
    assert server.counter("route_dispatches_repeated") == before + 1


def test_the_id_before_the_event_is_that_of_the_object(c):
    subscribe(c, about=channel(id="t1"))
    assert c.call("ROUTE.DISPATCH", "t", *TASK, "ID", "t1", "EVENT", "e", "ID", "once", "QUEUES", "*", "log:") == [[b"ws", 1, 1]]
    assert c.call("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "ID", "t1", "QUEUES", "*", "log:") == []


def test_a_dispatch_that_was_refused_or_reached_no_device_can_be_sent_again(c):
    subscribe(c)
    c.call("SET", "log:ws", "x")
    c.error_of("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "ID", "7", "QUEUES", "*", "log:")
    assert c.call("ROUTE.DISPATCH", "t", *TASK, "DOC", "{}", "EVENT", "e", "ID", "8", "QUEUES", "other", "x") == [[b"ws", 1, None]]
    c.call("DEL", "log:ws")
    assert dispatch(c, options=("ID", "7")) == [[b"ws", 1, 1]]
    assert dispatch(c, options=("ID", "8")) == [[b"ws", 1, 2]]


def test_ids_survive_a_restart_and_a_copy_and_are_on_replicas(server, replica, c):
    subscribe(c)
    first = dispatch(c, options=("ID", "7"))
    server.wait_for_replica(replica)
    assert server.digest("t") == replica.digest("t")
    c.call("DEBUG", "RELOAD")
    c.call("COPY", "t", "copy")
    assert dispatch(c, options=("ID", "7")) == dispatch(c, options=("ID", "7"), key="copy") == first
    assert len(entries(c, "log:ws")) == 1


def test_the_oldest_ids_are_forgotten(c):
    subscribe(c)
    do(c, [("ROUTE.DISPATCH", "t", *TASK, "EVENT", "e", "ID", n, "QUEUES", "*", "log:") for n in range(10_001)])
    assert info(c)["dispatch-ids"] == 10_000
    assert dispatch(c, options=("ID", "10000")) == [[b"ws", 1, 10_001]]
    assert dispatch(c, options=("ID", "0")) == [[b"ws", 1, 10_002]], "it is no longer known"


# --- DEVICE MOVE, TOUCH of several, SUBSCRIBE XX ---


def test_a_device_moves_with_everything_it_has(c):
    device(c, "d1|node-1", "USER", "ann", "TTL", "100000")
    id = subscribe(c, "d1|node-1", filter={"a": 1})
    subscribe(c, "d1|node-1")
    before = get(c, "d1|node-1", "FULL")
    assert c.call("ROUTE.DEVICE", "MOVE", "t", "d1|node-1", "d1|node-2") == 2
    assert get(c, "d1|node-1") is None
    after = get(c, "d1|node-2", "FULL")
    assert (after["user"], after["transport"]) == (b"ann", b"node-2")
    assert after["subscribed-to"] == before["subscribed-to"] and after["subscribed-to"][-1][1] in (id, None)
    assert dispatch(c, "DOC", '{"a": 1}') == [[b"node-2", 1, 1]]
    assert info(c)["transports"].keys() == {"node-2"}


def test_a_device_that_is_not_there_does_not_move_and_none_is_overwritten(still, s):
    """The clock stands still because the digest contains the time."""
    device(s, "d1|a")
    device(s, "d1|b")
    before = still.digest("t")
    assert s.call("ROUTE.DEVICE", "MOVE", "t", "d2|a", "d2|b") is None
    assert s.call("ROUTE.DEVICE", "MOVE", "missing", "d2|a", "d2|b") is None
    assert s.error_of("ROUTE.DEVICE", "MOVE", "t", "d1|a", "d1|b") == "ERR there is a device 'd1|b' already"
    assert s.error_of("ROUTE.DEVICE", "MOVE", "t", "d1|a", "d1|a") == "ERR there is a device 'd1|a' already"
    assert still.digest("t") == before


def test_touch_renews_several_and_says_how_many_there_are(s, clock):
    for n in range(3):
        device(s, f"d{n}|ws", "TTL", "100")
    clock.advance(60)
    assert s.call("ROUTE.DEVICE", "TOUCH", "t", "d0|ws", "nobody|ws", "d1|ws") == 2
    clock.advance(60)
    assert [get(s, f"d{n}|ws") is not None for n in range(3)] == [True, True, False]


def test_xx_does_not_make_a_device(s, clock):
    """Findings, routes 5: subscribing after the device had expired made a device that never expires."""
    assert s.call("ROUTE.SUBSCRIBE", "t", WS, *TASK, "XX") is None
    assert s.call("EXISTS", "t") == 0
    device(s, WS, "TTL", "100")
    assert s.call("ROUTE.SUBSCRIBE", "t", WS, *TASK, "XX") == [b"app:shop:model:task", None]
    device(s, "other|ws")
    clock.advance(100)
    assert s.call("ROUTE.SUBSCRIBE", "t", WS, *TASK, "FILTER", "{}", "XX") is None
    assert get(s) is None and match(s, {}) == []


# --- presence ---


def presence_of(c, log="p:ws"):
    return [(each["event"], each["devices"][0]["device"], each["devices"][0]["change"], each.get("document"), each.get("old")) for each in entries(c, log)]


def test_devices_that_come_and_go_are_reported_on_channels_of_presence(s, clock):
    subscribe(s, "watcher|ws", about=("APP", "chat", "MODEL", "$presence"))
    subscribe(s, "ann's friend|ws", about=("APP", "chat", "MODEL", "$presence", "USER", "ann"))
    assert s.call("ROUTE.PRESENCE", "t") is None
    assert s.call("ROUTE.PRESENCE", "t", "QUEUES", "*", "p:") == b"p:"
    device(s, "phone|push", "USER", "ann", "TTL", "1000")
    device(s, "phone|push", "USER", "ann")
    ann = {"device": "phone", "transport": "push", "user": "ann"}
    [came] = entries(s, "p:ws")
    assert (came["event"], came["app"], came["model"], came["user"], came["id"]) == ("route.connected", "chat", "$presence", "ann", "phone")
    assert {one["device"]: one["change"] for one in came["devices"]} == {"watcher": "enter", "ann's friend": "enter"}
    assert (came["document"], came["old"]) == (ann, None)
    clock.advance(1000)
    wait_until(lambda: len(entries(s, "p:ws")) == 2, "its end is told")
    went = entries(s, "p:ws")[1]
    assert (went["event"], went["document"], went["old"]) == ("route.expired", None, ann)
    device(s, "tv|ws")
    s.call("ROUTE.DEVICE", "DEL", "t", "tv|ws")
    told = [(each["event"], [one["device"] for one in each["devices"]]) for each in entries(s, "p:ws")[2:]]
    assert told == [("route.connected", ["watcher"]), ("route.left", ["watcher"])]
    assert s.call("ROUTE.PRESENCE", "t", "OFF") is None
    device(s, "radio|ws")
    assert len(entries(s, "p:ws")) == 4


def test_presence_can_be_filtered_and_is_not_reported_to_the_device_itself(c):
    c.call("ROUTE.PRESENCE", "t", "QUEUES", "*", "p:")
    subscribe(c, "watcher|ws", about=("APP", "chat", "MODEL", "$presence"), filter={"transport": "push"})
    device(c, "a|ws")
    device(c, "b|push")
    assert [(event, document["device"]) for event, _, _, document, _ in presence_of(c)] == [("route.connected", "b")]
    c.call("ROUTE.DEVICE", "MOVE", "t", "b|push", "b|ws")
    assert len(presence_of(c)) == 1, "who moves stays"


def test_a_log_that_cannot_be_written_does_not_keep_a_device_away(c):
    c.call("ROUTE.PRESENCE", "t", "QUEUES", "*", "p:")
    subscribe(c, "watcher|ws", about=("APP", "chat", "MODEL", "$presence"))
    c.call("SET", "p:ws", "x")
    assert device(c, "a|ws") == 1


def test_presence_is_not_written_to_logs_of_another_slot():
    """A table that was restored under another key has the prefix of the old one."""
    with Server(cluster_enabled="yes", cluster_config_file="nodes.conf") as node:
        c = node.admin
        c.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        wait_until(lambda: b"cluster_state:ok" in c.call("CLUSTER", "INFO"), "the slots are served")
        assert c.error_of("ROUTE.PRESENCE", "{a}t", "QUEUES", "*", "{b}p:").startswith("ERR table and logs must be in one hash slot")
        assert c.call("ROUTE.PRESENCE", "{a}t", "QUEUES", "*", "{a}p:") == b"{a}p:"
        c.call("ROUTE.SUBSCRIBE", "{a}t", "watcher|ws", "APP", "chat", "MODEL", "$presence")
        c.call("RESTORE", "{b}t", "0", c.call("DUMP", "{a}t"))
        assert c.call("ROUTE.DEVICE", "SET", "{b}t", "a|ws") == 1
        assert c.call("EXISTS", "{a}p:ws") == 0
        assert c.call("ROUTE.DEVICE", "SET", "{a}t", "a|ws") == 1
        assert c.call("EXISTS", "{a}p:ws") == 1


def test_a_replica_and_a_restart_keep_where_presence_is_reported(server, replica, c):
    c.call("ROUTE.PRESENCE", "t", "QUEUES", "*", "p:")
    subscribe(c, "watcher|ws", about=("APP", "chat", "MODEL", "$presence"))
    device(c, "a|ws")
    server.wait_for_replica(replica)
    assert [server.digest(key) for key in ("t", "p:ws")] == [replica.digest(key) for key in ("t", "p:ws")]
    c.call("DEBUG", "RELOAD")
    device(c, "b|ws")
    assert len(presence_of(c)) == 2
    assert info(c)["presence-queues"] == b"p:"


def test_events_name_the_device(still, s, clock):
    with still.changed_settings(**{"notify-keyspace-events": "Kd"}), still.connect() as listener:
        listener.call("SUBSCRIBE", "__keyspace@0__:t")
        device(s, "stays|ws")
        device(s, "a|ws", "TTL", "100")
        s.call("ROUTE.DEVICE", "MOVE", "t", "a|ws", "a|mqtt")
        clock.advance(100)
        wait_until(lambda: info(s)["devices"] == 1, "it is swept")
        subscribe(s, "b|ws")
        s.call("ROUTE.DEVICE", "DEL", "t", "b|ws")
        expected = [b"route.device-set", b"route.connected stays|ws", b"route.device-set", b"route.connected a|ws"]
        expected += [b"route.device-move", b"route.moved a|mqtt", b"route.sweep", b"route.expired a|mqtt"]
        expected += [b"route.subscribe", b"route.connected b|ws", b"route.device-del", b"route.left b|ws"]
        assert [listener.read()[2] for _ in expected] == expected
