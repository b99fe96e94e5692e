"""The design that routing tables come from: its examples, and the defects that ours lacks."""

import zlib

import pytest

from route_words import device, filters, get, info, match, subscribe, unsubscribe

TASKS = ("APP", "myapp", "MODEL", "task")
EXAMPLES = {
    b"app:myapp:model:task": TASKS,
    b"app:myapp:user:user123:model:task": (*TASKS, "USER", "user123"),
    b"app:myapp:model:task:id:task-456": (*TASKS, "ID", "task-456"),
    b"app:myapp:user:user123:model:task:id:task-456": (*TASKS, "USER", "user123", "ID", "task-456"),
}
ALL_FOUR = EXAMPLES[b"app:myapp:user:user123:model:task:id:task-456"]
HIGH = {"priority": {"$eq": "high"}}
DEVICE = "device-123|websockets-transport"


# --- its examples ---


@pytest.mark.parametrize("name", EXAMPLES)
def test_channels_are_written_as_it_writes_them(c, name):
    assert c.call("ROUTE.SUBSCRIBE", "t", DEVICE, *EXAMPLES[name])[0] == name
    assert c.call("ROUTE.PATTERNS", *EXAMPLES[name])[-1] == name


def test_generate_subscription_patterns(c):
    assert c.call("ROUTE.PATTERNS", *ALL_FOUR) == [
        b"app:myapp:model:task",
        b"app:myapp:model:task:id:task-456",
        b"app:myapp:user:user123:model:task",
        b"app:myapp:user:user123:model:task:id:task-456",
    ]


def test_subscribe_to_high_priority_tasks_only(c):
    subscribe(c, DEVICE, TASKS, HIGH)
    assert match(c, {"priority": "high"}, about=ALL_FOUR) == [DEVICE]
    assert match(c, {"priority": "low"}, about=ALL_FOUR) == []


def test_store_get_and_delete_filters(c):
    assert c.call("ROUTE.SETFILTER", "t", "filter-abc123", '{"priority": {"$eq": "high"}}', *TASKS) == b"OK"
    assert c.call("ROUTE.SETFILTER", "t", "filter-def456", '{"done": false}', *TASKS) == b"OK"
    assert filters(c, TASKS) == {"filter-abc123": HIGH, "filter-def456": {"done": {"$eq": False}}}
    assert c.call("ROUTE.DELFILTER", "t", "filter-abc123", *TASKS) == 0
    assert list(filters(c, TASKS)) == ["filter-def456"]


def test_a_device_has_what_its_hash_had(c):
    device(c, DEVICE, "USER", "user-456", "AGENT", "Mozilla/5.0...")
    known = get(c, DEVICE)
    assert (known["user"], known["transport"], known["agent"]) == (b"user-456", b"websockets-transport", b"Mozilla/5.0...")
    assert known["connected-at"] > 1_700_000_000_000


@pytest.mark.parametrize("name", EXAMPLES)
def test_partitions_are_crc32_of_the_channel_0_to_1023(c, name):
    assert c.call("ROUTE.PARTITION", name) == zlib.crc32(name) % 1024
    assert c.call("ROUTE.PARTITION", name, "PARTITIONS", "1") == 0


# --- its "coming soon" ---


def test_subscriptions_expire(s, clock):
    device(s, DEVICE)
    subscribe(s, DEVICE, TASKS, options=("TTL", "1000"))
    clock.advance(1000)
    assert match(s, about=TASKS) == []


def test_device_activity_is_tracked(s, clock):
    device(s, DEVICE)
    clock.advance(77)
    s.call("ROUTE.DEVICE", "TOUCH", "t", DEVICE)
    assert get(s, DEVICE)["last-seen"] - get(s, DEVICE)["connected-at"] == 77


def test_there_are_analytics(c):
    subscribe(c, DEVICE, TASKS)
    match(c, about=TASKS)
    known = info(c)
    assert (known["matches"], known["transports"]["websockets-transport"]["matched"]) == (1, 1)
    assert known["top-channels"][0]["channel"] == b"app:myapp:model:task"


def test_a_deleted_device_leaves_nothing_behind(c):
    device(c, "other|ws")
    for about in EXAMPLES.values():
        subscribe(c, DEVICE, about)
        subscribe(c, DEVICE, about, HIGH)
    assert c.call("ROUTE.DEVICE", "DEL", "t", DEVICE) == 8
    known = info(c)
    assert [known[name] for name in ("devices", "subscriptions", "filters", "channels")] == [1, 0, 0, 0]


def test_subscriptions_outlive_a_restart(server, c):
    subscribe(c, DEVICE, TASKS, HIGH)
    c.call("DEBUG", "RELOAD")
    assert match(c, {"priority": "high"}, about=TASKS) == [DEVICE]


# --- its defects (issue 7); that every event evaluates every filter is engine/filter/filter_index_test.cc's ---


def test_one_device_leaving_does_not_take_a_shared_filter_from_the_others(c):
    subscribe(c, "d1|ws", TASKS, HIGH)
    subscribe(c, "d2|ws", TASKS, HIGH)
    subscribe(c, "d3|ws", TASKS, HIGH)
    assert unsubscribe(c, "d1|ws", TASKS, HIGH) == 1
    assert match(c, {"priority": "high"}, about=TASKS) == ["d2|ws", "d3|ws"]
    c.call("ROUTE.DEVICE", "DEL", "t", "d2|ws")
    assert match(c, {"priority": "high"}, about=TASKS) == ["d3|ws"]


def test_filtered_subscribers_hear_of_deletions(c):
    subscribe(c, "high|ws", TASKS, HIGH)
    subscribe(c, "low|ws", TASKS, {"priority": "low"})
    assert match(c, None, {"priority": "high"}, about=ALL_FOUR) == {"high|ws": "delete"}
    answer = c.call("ROUTE.DISPATCH", "t", *ALL_FOUR, "OLD", '{"priority": "high"}', "EVENT", "deleted", "QUEUES", "ws", "log")
    assert answer == [[b"ws", 1, 1]]


def test_a_creation_with_filters_registered_is_heard(c):
    subscribe(c, "all|ws", TASKS)
    subscribe(c, "high|ws", TASKS, HIGH)
    c.call("ROUTE.SETFILTER", "t", "named", '{"done": {"$ne": true}}', *TASKS)
    subscribe(c, "open|ws", TASKS, options=("FILTERID", "named"))
    created = {"priority": "high", "done": False}
    assert match(c, created, about=ALL_FOUR) == ["all|ws", "high|ws", "open|ws"]
    assert match(c, created, False, about=ALL_FOUR) == {"all|ws": "enter", "high|ws": "enter", "open|ws": "enter"}
