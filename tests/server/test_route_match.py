"""ROUTE.MATCH: which devices must get a change."""

import pytest

from route_words import TASK, channel, device, match, subscribe, unsubscribe

FOUR = {"app": channel(), "user": channel(user="u7"), "id": channel(id="t1"), "both": channel(user="u7", id="t1")}


@pytest.fixture
def on_four(c):
    """A device on each of the four channels of one change."""
    for name, about in FOUR.items():
        subscribe(c, f"{name}|ws", about=about)


@pytest.mark.parametrize(
    "about, heard",
    [
        (channel(user="u7", id="t1"), ["app|ws", "both|ws", "id|ws", "user|ws"]),
        (channel(user="u7"), ["app|ws", "user|ws"]),
        (channel(id="t1"), ["app|ws", "id|ws"]),
        (channel(), ["app|ws"]),
        (channel(user="u8", id="t1"), ["app|ws", "id|ws"]),
        (channel(user="u7", id="t2"), ["app|ws", "user|ws"]),
        (channel(user="t1", id="u7"), ["app|ws"]),
        (channel("other"), []),
        (channel(model="other", user="u7", id="t1"), []),
    ],
    ids=lambda about: ":".join(about[1::2]) if isinstance(about, tuple) else None,
)
def test_a_change_is_heard_on_all_its_patterns_and_no_others(c, on_four, about, heard):
    assert match(c, about=about) == heard
    assert match(c, {"a": 1}, about=about) == heard


def test_devices_come_by_transport(c):
    for name in ("d1|ws", "d1|mqtt", "d2|ws", "d3|http"):
        subscribe(c, name)
    answer = c.call("ROUTE.MATCH", "t", *TASK)
    found = {transport: sorted(devices) for transport, devices in answer}
    assert found == {b"ws": [b"d1", b"d2"], b"mqtt": [b"d1"], b"http": [b"d3"]}
    assert len(answer) == 3


def test_a_device_that_matches_several_channels_is_listed_once(c):
    for about in FOUR.values():
        subscribe(c, "d1|ws", about=about)
        subscribe(c, "d1|ws", about=about, filter={"a": 1})
    assert c.call("ROUTE.MATCH", "t", *FOUR["both"], "DOC", '{"a": 1}') == [[b"ws", [b"d1"]]]


def test_withchannels_tells_all_of_them(c):
    for about in FOUR.values():
        subscribe(c, "d1|ws", about=about)
    id = subscribe(c, "d2|mqtt", about=FOUR["id"], filter={"a": 1})
    answer = c.call("ROUTE.MATCH", "t", *FOUR["both"], "DOC", '{"a": 1}', "withchannels")
    everywhere = [
        b"app:shop:model:task",
        b"app:shop:model:task:id:t1",
        b"app:shop:user:u7:model:task",
        b"app:shop:user:u7:model:task:id:t1",
    ]
    everything = [[name, None, None] for name in everywhere]
    assert answer == [[b"ws", [[b"d1", everything]]], [b"mqtt", [[b"d2", [[b"app:shop:model:task:id:t1", id, None]]]]]]


def test_withchannels_and_old_tell_the_meaning_too(c):
    subscribe(c, "d1|ws")
    answer = c.call("ROUTE.MATCH", "t", *TASK, "WITHCHANNELS", "OLD", "{}", "DOC", "{}")
    assert answer == [[b"ws", [[b"d1", b"update", [[b"app:shop:model:task", None, b"update"]]]]]]


def test_without_a_document_only_unfiltered_subscriptions_hear(c):
    subscribe(c, "all|ws")
    subscribe(c, "every|ws", filter={})
    subscribe(c, "some|ws", filter={"a": {"$exists": False}})
    assert match(c) == ["all|ws"]
    assert match(c, {}) == ["all|ws", "every|ws", "some|ws"]


def test_a_null_document_is_no_document(c):
    subscribe(c, "all|ws")
    subscribe(c, "every|ws", filter={})
    assert match(c, "null") == ["all|ws"]
    assert match(c, " \r\n\t null ") == ["all|ws"]


def test_filters_let_through_what_they_say(c):
    subscribe(c, "high|ws", filter={"prio": "high"})
    subscribe(c, "old|ws", filter={"age": {"$gte": 65}})
    subscribe(c, "both|ws", filter={"prio": "high", "age": {"$gte": 65}})
    subscribe(c, "not|ws", filter={"$not": {"prio": "high"}})
    assert match(c, {"prio": "high", "age": 70}) == ["both|ws", "high|ws", "old|ws"]
    assert match(c, {"prio": "low", "age": 70}) == ["not|ws", "old|ws"]
    assert match(c, {"prio": "high"}) == ["high|ws"]
    assert match(c, {}) == ["not|ws"]


def test_a_missing_table_has_no_devices(c):
    assert c.call("ROUTE.MATCH", "t", *TASK, "DOC", "{}") == []
    assert c.call("EXISTS", "t") == 0


@pytest.mark.parametrize("protocol", [2, 3])
def test_the_answer_is_the_same_in_both_protocols(c, connect, protocol):
    subscribe(c, "d1|ws")
    there = connect(protocol)
    assert there.bytes_of("ROUTE.MATCH", "t", *TASK) == b"*1\r\n*2\r\n$2\r\nws\r\n*1\r\n$2\r\nd1\r\n"
    null = b"_\r\n" if protocol == 3 else b"$-1\r\n"
    assert there.bytes_of("ROUTE.MATCH", "t", *TASK, "OLD", "{}", "DOC", "{}") == (
        b"*1\r\n*2\r\n$2\r\nws\r\n*1\r\n*3\r\n$2\r\nd1\r\n$6\r\nupdate\r\n"
        b"*1\r\n*3\r\n$19\r\napp:shop:model:task\r\n" + null + b"$6\r\nupdate\r\n"
    )
    assert there.bytes_of("ROUTE.MATCH", "t", "APP", "x", "MODEL", "y") == b"*0\r\n"


def test_a_device_without_a_subscription_hears_nothing(c):
    device(c)
    assert match(c) == []


def test_a_match_changes_nothing(server, c):
    subscribe(c, filter={"a": 1})
    before, sent = server.digest("t"), server.info("replication")["master_repl_offset"]
    match(c, {"a": 1})
    assert server.digest("t") == before
    assert server.info("replication")["master_repl_offset"] == sent


def test_matches_are_right_between_subscribes_and_unsubscribes(c):
    for n in range(300):
        subscribe(c, f"d{n}|ws", filter={"n": n % 7})
        if n % 3 == 0:
            assert unsubscribe(c, f"d{n}|ws", filter={"n": n % 7}) == 1
        expected = sorted(f"d{m}|ws" for m in range(n + 1) if m % 3 != 0 and m % 7 == n % 7)
        assert match(c, {"n": n % 7}) == expected


BAD = {
    "no JSON": ("nonsense", "the document is not JSON: "),
    "half of one": ('{"a": 1', "the document is not JSON: "),
    "empty": ("", "the document is not JSON: "),
    "an array": ("[]", "the document is not a JSON object"),
    "a number": ("7", "the document is not a JSON object"),
    "no UTF-8": (b'{"a": "\xff"}', "the document is not JSON: "),
    "two": ("{} {}", "the document is not JSON: "),
}


@pytest.mark.parametrize("what", ["DOC", "OLD"])
@pytest.mark.parametrize("row", BAD)
def test_a_document_that_is_not_json_is_refused(server, c, what, row):
    document, error = BAD[row]
    subscribe(c)
    words = ("DOC", "{}", "OLD", document) if what == "OLD" else ("DOC", document, "OLD", "{}")
    for key in ("t", "missing"):
        refused = c.error_of("ROUTE.MATCH", key, *TASK, *words)
        assert refused.startswith(f"ERR {what}: {error}"), refused
        assert "\n" not in refused
        queues = ("EVENT", "e", "QUEUES", "ws", "log")
        assert c.error_of("ROUTE.DISPATCH", key, *TASK, *words, *queues) == refused
    assert c.call("EXISTS", "log") == 0
    assert match(c, {}) == ["d1|ws"], "the one before has left nothing behind"
