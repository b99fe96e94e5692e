"""Logs over HTTP: writing, reading and following them."""

import base64
import json

import pytest

from events import Events
from gateway import Gateway
from raw_http import RawConnection
from server import Server, wait_until


def write(gateway, *entries, log="orders", tag="new"):
    for entry in entries:
        status, body = gateway.json("POST", f"/v1/logs/{log}", entry, {"Millrace-Tag": tag})
        assert status == 201, body
    return body["offset"]


def test_an_entry_is_written_and_read(gateway, c):
    assert gateway.json("POST", "/v1/logs/orders", '{"id": 17}', {"Millrace-Tag": "new"}) == (201, {"offset": 1})
    assert c.call("TREAD", "orders", 1, 1) == [[1, b"new", b'{"id": 17}']]
    status, body = gateway.json("GET", "/v1/logs/orders")
    message = body["messages"][0]
    assert status == 200 and message.pop("time") > 1_500_000_000_000
    assert message == {"offset": 1, "tag": "new", "entry": {"id": 17}}
    assert (body["first"], body["last"], body["next"]) == (1, 1, 2)


def test_bytes_that_are_not_json_come_as_base64_or_as_they_are(gateway):
    raw = bytes(range(256))
    write(gateway, raw)
    message = gateway.json("GET", "/v1/logs/orders")[1]["messages"][0]
    assert (message["encoding"], base64.b64decode(message["entry"])) == ("base64", raw)
    answer = gateway.get("/v1/logs/orders?from=1", Accept="application/octet-stream")
    assert (answer.body, answer.headers["Millrace-Offset"], answer.headers["Millrace-Tag"]) == (raw, "1", "new")
    assert gateway.get("/v1/logs/orders?from=2", Accept="application/octet-stream").status == 404


def test_lines_are_written_in_one_step(gateway, c):
    lines = '{"tag":"a","entry":{"n":1.50}}\n\n{"entry":"eA==","encoding":"base64"}\r\n{"tag":"\\u00e9","entry":[]}'
    headers = {"Content-Type": "application/x-ndjson"}
    assert gateway.json("POST", "/v1/logs/l", lines, headers) == (201, {"offset": 1})
    assert c.call("TREAD", "l", 1, 9) == [[1, b"a", b'{"n":1.50}'], [2, b"", b"x"], [3, "é".encode(), b"[]"]]


@pytest.mark.parametrize("lines", ["", "{}", '{"entry":1}\n{"tag":1,"entry":2}', "[1]", '{"entry":1}\nnonsense'])
def test_lines_that_are_wrong_write_nothing(gateway, c, lines):
    status, body = gateway.json("POST", "/v1/logs/l", lines, {"Content-Type": "application/x-ndjson"})
    assert (status, body["code"]) == (400, "invalid")
    assert c.call("EXISTS", "l") == 0


def test_a_read_goes_on_with_next(gateway):
    write(gateway, *(str(n) for n in range(1, 8)))
    seen, at = [], 1
    for _ in range(3):
        body = gateway.json("GET", f"/v1/logs/orders?from={at}&count=3")[1]
        seen += [one["entry"] for one in body["messages"]]
        at = body["next"]
    assert (seen, at) == ([1, 2, 3, 4, 5, 6, 7], 8)


def test_a_read_goes_backwards_to_the_beginning(gateway):
    write(gateway, *(str(n) for n in range(1, 6)))
    seen, at = [], "-1"
    while at is not None:
        body = gateway.json("GET", f"/v1/logs/orders?from={at}&count=2&rev=1")[1]
        seen += [one["entry"] for one in body["messages"]]
        at = body["next"]
    assert seen == [5, 4, 3, 2, 1]


def test_tags_choose_messages(gateway):
    for tag in "abcab":
        write(gateway, f'"{tag}"', tag=tag)
    body = gateway.json("GET", "/v1/logs/orders?tags=a,c")[1]
    assert ([one["offset"] for one in body["messages"]], body["next"]) == ([1, 3, 4], 6)


@pytest.mark.parametrize("query", ["from=0", "from=x", "count=-1", "count=many", "rev=perhaps"])
def test_a_wrong_parameter_is_400(gateway, query):
    status, body = gateway.json("GET", f"/v1/logs/orders?{query}")
    assert (status, body["code"]) == (400, "invalid")


def test_a_key_of_another_type_is_409(gateway, c):
    c.call("SET", "text", "x")
    for method in ("GET", "POST"):
        status, body = gateway.json(method, "/v1/logs/text")
        assert (status, body["code"]) == (409, "wrongtype")


def test_a_name_may_have_any_bytes(gateway, c):
    assert gateway.json("POST", "/v1/logs/a%2Fb%20%ff", "1")[0] == 201
    assert c.call("TREAD", b"a/b \xff", 1, 1) == [[1, b"", b"1"]]


def test_a_stream_carries_what_comes(gateway):
    with Events(gateway, "/v1/logs/orders") as stream:
        assert stream.status == 200 and "Content-Type: text/event-stream" in stream.head
        stream.wait_for_position()
        write(gateway, '{"id": 1}', '"two"')
        first, second = stream.take(2)
        assert (first["offset"], first["tag"], first["entry"]) == (1, "new", {"id": 1})
        assert (second["offset"], second["entry"]) == (2, "two")
        epoch = gateway.json("GET", "/v1/logs/orders")[1]["epoch"]
        assert stream.last_id == f"{epoch}.2"


@pytest.mark.parametrize("query, expected", [
    ("from=-", [1, 2, 3, 4, 5]), ("from=2", [2, 3, 4, 5]), ("from=-2", [4, 5]), ("from=1&tags=a", [1, 3, 5])])
def test_a_stream_begins_at_the_given_position(gateway, query, expected):
    for number in range(1, 6):
        write(gateway, str(number), tag="ab"[(number + 1) % 2])
    with Events(gateway, f"/v1/logs/orders?{query}") as stream:
        assert [one["offset"] for one in stream.take(len(expected))] == expected


@pytest.mark.parametrize("by", ["header", "query"])
def test_a_stream_resumes_exactly_on_any_gateway(gateway, server, by):
    write(gateway, *(str(n) for n in range(1, 4)))
    with Events(gateway, "/v1/logs/orders?from=-") as stream:
        stream.take(2)
        last = stream.last_id
    write(gateway, "4")
    with Gateway(server) as other:
        with (Events(other, "/v1/logs/orders", Last_Event_ID=last) if by == "header" else
              Events(other, f"/v1/logs/orders?last_event_id={last}")) as stream:
            assert [one["offset"] for one in stream.take(2)] == [3, 4]
            write(gateway, "5")
            assert stream.take(1)[0]["offset"] == 5


def test_before_the_first_message_a_stream_can_resume_too(gateway):
    with Events(gateway, "/v1/logs/orders") as stream:
        stream.wait_for_position()
        last = stream.last_id
    write(gateway, "1")
    with Events(gateway, "/v1/logs/orders", Last_Event_ID=last) as stream:
        assert stream.take(1)[0]["offset"] == 1


def test_messages_evicted_meanwhile_are_reported(gateway, c):
    write(gateway, *(str(n) for n in range(1, 6)))
    with Events(gateway, "/v1/logs/orders?from=-") as stream:
        stream.take(1)
        last = stream.last_id
    c.call("TEVICT", "orders", 4)
    first = gateway.json("GET", "/v1/logs/orders")[1]["first"]
    with Events(gateway, "/v1/logs/orders", Last_Event_ID=last) as stream:
        assert stream.next() == ("reset", {"reason": "evicted", "from": 2, "to": first - 1})
        after_reset = stream.last_id
        assert stream.next()[1]["offset"] == first
    # A connection that ended right after the reset has missed nothing.
    with Events(gateway, "/v1/logs/orders", Last_Event_ID=after_reset) as stream:
        assert stream.next()[1]["offset"] == first


def test_a_connection_that_ends_right_after_a_reset_misses_nothing(gateway, c):
    for path, last in (("/v1/logs/orders", "12345.7"), ("/v1/channels/room", "7.0011223344556677")):
        c.call("TWRITE", "orders", "ENTRIES", "t", "1", "t", "2")
        c.call("CHAN.PUBLISH", "room", "m1", "1")
        for _ in range(2):
            with Events(gateway, path, Last_Event_ID=last) as stream:
                assert stream.next() == ("reset", {"reason": "replaced"})
                last = stream.last_id
        with Events(gateway, path, Last_Event_ID=last) as stream:
            assert stream.next()[0] == "reset" and stream.take(1)


def test_a_log_that_was_made_again_is_reported(gateway, c):
    write(gateway, "1", "2", "3")
    with Events(gateway, "/v1/logs/orders?from=-") as stream:
        stream.take(3)
        last = stream.last_id
        c.call("DEL", "orders")
        write(gateway, '"new"')
        assert stream.next() == ("reset", {"reason": "replaced"})
        assert stream.next()[1]["entry"] == "new"
    with Events(gateway, "/v1/logs/orders", Last_Event_ID=last) as stream:
        assert stream.next() == ("reset", {"reason": "replaced"})
        assert stream.next()[1]["entry"] == "new"


@pytest.mark.parametrize("last", ["x", "1.x", "-1", "1.2.3"])
def test_an_invalid_last_event_id_is_400(gateway, last):
    answer = gateway.get("/v1/logs/orders", Accept="text/event-stream", Last_Event_ID=last)
    assert (answer.status, json.loads(answer.body)["code"]) == (400, "bad-position")


def test_a_message_is_read_once_however_many_listen(gateway, server, c):
    streams = [Events(gateway, "/v1/logs/orders") for _ in range(50)]
    for stream in streams:
        stream.wait_for_position()

    def reads():
        calls = [line.split("calls=")[1].split(",")[0] for name, line in server.info("commandstats").items()
                 if name in ("cmdstat_TREAD", "cmdstat_FEED.READ")]
        return sum(map(int, calls))

    server.wait_for_blocked(1)
    before = reads()
    write(gateway, "1")
    for stream in streams:
        assert stream.take(1)[0]["offset"] == 1
        stream.close()
    assert reads() - before < 10


def test_a_slow_reader_gets_everything_and_costs_the_others_nothing(gateway, c):
    payload = json.dumps("x" * 20_000)
    with Events(gateway, "/v1/logs/orders", receive_buffer=4096) as slow, Events(gateway, "/v1/logs/orders") as quick:
        for stream in (slow, quick):
            stream.wait_for_position()
        for number in range(300):
            write(gateway, payload)
        assert [one["offset"] for one in quick.take(300)] == list(range(1, 301))
        assert [one["offset"] for one in slow.take(300)] == list(range(1, 301))


def test_streams_go_on_without_a_gap_when_the_server_comes_back():
    with Server(appendonly="yes") as server, Gateway(server) as gateway:
        with Events(gateway, "/v1/logs/orders") as stream:
            stream.wait_for_position()
            write(gateway, "1")
            assert stream.take(1)[0]["offset"] == 1
            server.kill()
            wait_until(lambda: gateway.get("/probe/readiness").status == 500, "the gateway sees it")
            server.come_back()
            wait_until(lambda: gateway.get("/probe/readiness").status == 200, "the gateway finds it again")
            write(gateway, "2", "3")
            assert [one["offset"] for one in stream.take(2)] == [2, 3]


def test_messages_that_the_server_has_lost_are_reported():
    with Server(save='""') as server, Gateway(server) as gateway:
        write(gateway, "1")
        server.admin.call("SAVE")
        with Events(gateway, "/v1/logs/orders?from=-") as stream:
            write(gateway, "2", "3")
            assert len(stream.take(3)) == 3
            server.kill()
            server.come_back()
            assert stream.next() == ("reset", {"reason": "lost", "from": 2, "to": 3})
            wait_until(lambda: gateway.get("/probe/readiness").status == 200, "the gateway finds it again")
            write(gateway, '"again"')
            assert stream.next()[1]["entry"] == "again"


def test_streams_end_with_a_hint_to_come_again_when_the_gateway_ends(server):
    with Gateway(server) as gateway, Events(gateway, "/v1/logs/orders") as stream:
        stream.wait_for_position()
        gateway.terminate()
        assert stream.next() is None
        assert stream.retry == 1000
        assert gateway.process.wait(60) == 0


def test_a_write_that_is_sent_twice_with_its_key_is_stored_once(gateway, c):
    for _ in range(2):
        assert gateway.json("POST", "/v1/logs/orders", "1", {"Idempotency-Key": "k1"}) == (201, {"offset": 1})
    assert len(c.call("TREAD", "orders", 1, 9)) == 1


def test_a_write_may_come_later(gateway, c):
    status, body = gateway.json("POST", "/v1/logs/orders", "1", {"Millrace-Delay": "1h"})
    assert status == 202 and c.call("TSCHED", "CANCEL", "orders", body["ticket"]) == 1
    assert c.call("TREAD", "orders", 1, 9) == []
    assert gateway.json("POST", "/v1/logs/orders", "1", {"Millrace-Delay": "soon"})[0] == 400


def test_streams_need_no_place_among_the_requests_that_wait(server, c):
    c.call("CONFIG", "RESETSTAT")
    with Gateway(server, "--set", "limits.waiting=1") as gateway, RawConnection(gateway.port) as poll:
        poll.send("POST /v1/logs/jobs/groups/g/take?wait=30s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        server.wait_for_blocked(1)
        with Events(gateway, "/v1/logs/l") as stream:
            stream.wait_for_position()
            for number in range(1, 30):
                c.call("TWRITE", "l", "a", number)
                assert stream.take(1)[0]["entry"] == number
        added = [line for line in c.call("INFO", "commandstats").decode().splitlines() if "feed.add" in line.lower()]
        assert [line.split("calls=")[1].split(",")[0] for line in added] == ["1"]


def test_a_log_is_heard_of_after_the_channel_of_the_same_name_has_been_left(gateway):
    with Events(gateway, "/v1/logs/x?from=-") as log:
        with Events(gateway, "/v1/channels/x?from=-"):
            wait_until(lambda: b"millrace_gateway_streams 2\n" in gateway.get("/metrics").body, "both are followed")
            # The gateway has added both keys to its feed by then: this write is sent behind that on the same
            # connection.
            write(gateway, 1, log="y")
        wait_until(lambda: b"millrace_gateway_streams 1\n" in gateway.get("/metrics").body, "one has left")
        for number in range(1, 4):
            write(gateway, number, log="x")
            assert log.take(1)[0]["entry"] == number


def test_a_stream_with_rare_tags_gets_its_position(server, c):
    with Gateway(server, "--set", "timeouts.keep_alive=50ms") as gateway:
        with Events(gateway, "/v1/logs/l?from=-&tags=rare") as stream:
            c.call("TWRITE", "l", "ENTRIES", "rare", "1", "other", "2", "other", "3")
            assert stream.take(1)[0]["entry"] == 1
            while not stream.last_id.endswith(".3"):
                stream.last_id = None
                stream.wait_for_position()
            last = stream.last_id
        c.call("TWRITE", "l", "rare", "4")
        c.call("TEVICT", "l", 3)
        with Events(gateway, "/v1/logs/l?tags=rare", Last_Event_ID=last) as stream:
            assert stream.next() == ("message", {"offset": 4, "tag": "rare", "entry": 4})
