"""Channels over HTTP: reading by position without a subscriber, and by receipts with one."""

import pytest

from events import Events
from gateway import Gateway
from server import Server, wait_until


def publish(gateway, *contents, channel="room"):
    for content in contents:
        status, body = gateway.json("PUT", f"/v1/channels/{channel}/messages/m{content}", str(content))
        assert status == 201, body


def test_a_message_is_published_once(gateway):
    assert gateway.json("PUT", "/v1/channels/room/messages/a", '{"x": 1}') == (201, {"clock": 1})
    assert gateway.json("PUT", "/v1/channels/room/messages/a", '{"x": 2}') == (200, {"duplicate": True})
    body = gateway.json("GET", "/v1/channels/room")[1]
    position = body["messages"][0].pop("position")
    assert body == {"messages": [{"id": "a", "content": {"x": 1}}], "missed": 0, "more": False, "position": position}
    assert gateway.json("GET", f"/v1/channels/room?from={position}")[1]["messages"] == []


def test_one_message_comes_as_it_is(gateway, c):
    raw = bytes(range(256))
    c.call("CHAN.PUBLISH", "room", "a\n", raw)
    answer = gateway.get("/v1/channels/room", Accept="application/octet-stream")
    assert (answer.status, answer.body, answer.headers["Millrace-Message"]) == (200, raw, "a\\n")
    behind = f"/v1/channels/room?from={answer.headers['Millrace-Position']}"
    assert gateway.get(behind, Accept="application/octet-stream").status == 404


def test_a_stream_carries_what_comes_and_resumes_anywhere(gateway, server):
    publish(gateway, 0)
    with Events(gateway, "/v1/channels/room") as stream:
        stream.wait_for_position()
        publish(gateway, 1, 2)
        assert stream.take(1) == [{"id": "m1", "content": 1}]
        last = stream.last_id
    publish(gateway, 3)
    with Gateway(server) as other, Events(other, "/v1/channels/room", Last_Event_ID=last) as stream:
        assert [one["content"] for one in stream.take(2)] == [2, 3]


def test_a_stream_of_a_channel_that_does_not_exist_yet_gets_its_first_message(gateway, server):
    with Events(gateway, "/v1/channels/room?from=-") as stream:
        publish(gateway, 1)
        assert stream.take(1) == [{"id": "m1", "content": 1}]


def test_a_channel_that_was_made_again_is_reported(gateway, c):
    publish(gateway, 1)
    with Events(gateway, "/v1/channels/room?from=-") as stream:
        stream.take(1)
        last = stream.last_id
    c.call("DEL", "room")
    publish(gateway, 2)
    with Events(gateway, "/v1/channels/room", Last_Event_ID=last) as stream:
        assert stream.next() == ("reset", {"reason": "replaced"})
        assert stream.next()[1]["content"] == 2


def test_messages_that_the_server_has_lost_are_reported_and_no_others_come_again():
    with Server(save='""') as server, Gateway(server) as gateway:
        publish(gateway, 1)
        server.admin.call("SAVE")
        with Events(gateway, "/v1/channels/room?from=-") as stream:
            publish(gateway, 2)
            publish(gateway, 3)
            assert len(stream.take(3)) == 3
            server.kill()
            server.come_back()
            assert stream.next() == ("reset", {"reason": "lost", "from": 2, "to": 3})
            wait_until(lambda: gateway.get("/probe/readiness").status == 200, "the gateway finds it again")
            publish(gateway, 4)
            assert stream.next()[1]["content"] == 4


def test_a_subscriber_gets_messages_until_it_acknowledges_them(gateway):
    path = "/v1/channels/room?subscriber=ann"
    with Events(gateway, path) as stream:
        publish(gateway, 1)
        event, first = stream.next()
        assert (event, first["messages"]) == ("messages", [{"id": "m1", "content": 1}])
        publish(gateway, 2)
        assert stream.next()[1]["messages"] == [{"id": "m2", "content": 2}]
    ack = {"subscriber": "ann", "receipt": first["receipt"]}
    assert gateway.json("POST", "/v1/channels/room/ack", ack) == (200, {"acknowledged": 1})
    with Events(gateway, path) as stream:
        assert stream.next()[1]["messages"] == [{"id": "m2", "content": 2}]


def test_a_window_of_unacknowledged_messages_moves_on_with_acknowledgements(gateway, c):
    c.call("CHAN.SUBSCRIBE", "room", "ann")
    for start in range(0, 600, 100):
        c.call("CHAN.MPUBLISH", "room", *(word for n in range(start, start + 100) for word in (f"m{n}", n)))
    seen = []
    with Events(gateway, "/v1/channels/room?subscriber=ann") as stream:
        while len(seen) < 600:
            _, data = stream.next()
            seen += [one["content"] for one in data["messages"]]
            gateway.json("POST", "/v1/channels/room/ack", {"subscriber": "ann", "receipt": data["receipt"]})
    assert seen == list(range(600))


def test_large_messages_come_a_window_of_bytes_at_a_time(gateway, c):
    large = '"' + "x" * 300_000 + '"'
    c.call("CHAN.SUBSCRIBE", "room", "ann")
    for n in range(20):
        c.call("CHAN.PUBLISH", "room", f"m{n}", large)
    seen = []
    with Events(gateway, "/v1/channels/room?subscriber=ann") as stream:
        while len(seen) < 20:
            _, data = stream.next()
            assert len(data["messages"]) <= 3  # as many as fit into 1 MiB
            seen += [one["id"] for one in data["messages"]]
            gateway.json("POST", "/v1/channels/room/ack", {"subscriber": "ann", "receipt": data["receipt"]})
    assert seen == [f"m{n}" for n in range(20)]
    with Events(gateway, "/v1/channels/room?from=-") as stream:
        assert [len(stream.next()[1]["content"]) for _ in range(20)] == [300_000] * 20


def test_a_subscription_that_is_ended_ends_the_stream(gateway, c):
    with Events(gateway, "/v1/channels/room?subscriber=ann") as stream:
        publish(gateway, 1)
        stream.next()
        c.call("CHAN.UNSUBSCRIBE", "room", "ann")
        assert stream.next()[0] == "error"
        assert stream.next() is None


@pytest.mark.parametrize("body", [None, {}, {"subscriber": "ann"}, {"receipt": "x"}])
def test_an_ack_needs_subscriber_and_receipt(gateway, body):
    assert gateway.json("POST", "/v1/channels/room/ack", body)[0] == 400


def test_an_invalid_receipt_is_400(gateway, c):
    c.call("CHAN.SUBSCRIBE", "room", "ann")
    status, body = gateway.json("POST", "/v1/channels/room/ack", {"subscriber": "ann", "receipt": "x"})
    assert (status, body["code"]) == (400, "badreceipt")
