"""The interface of DSPS, line by line."""

import contextlib
import http.client
import json
import threading

import pytest

from gateway import Gateway
from raw_http import RawConnection
from server import DEADLINE, Server, wait_until

COMMON = {
    "X-Frame-Options": "deny",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache, no-store, max-age=0, must-revalidate",
    "Pragma": "no-cache",
    "Expires": "0",
}
POLLING = "/channel/c/subscription/polling/s"


def subscribe(gateway, path=POLLING):
    assert gateway.json("PUT", path) == (200, {"channelID": "c", "subscriberID": "s"})


def test_a_message_is_published_fetched_and_acknowledged(gateway):
    subscribe(gateway)
    published = gateway.request("PUT", "/channel/c/message/m1", '{"a": 1.50}')
    assert (published.status, published.body) == (200, b'{"channelID":"c","messageID":"m1"}\n')
    assert published.headers["Content-Type"] == "application/json"
    fetched = gateway.get(POLLING + "?timeout=30s&max=64&_=1-2").body
    handle = json.loads(fetched)["ackHandle"]
    assert fetched == (f'{{"ackHandle":"{handle}","channelID":"c","messages":[{{"content":{{"a":1.50}},"messageID":"m1"}}],'
                       '"moreMessages":false}\n').encode()
    acknowledged = gateway.request("DELETE", f"{POLLING}/message?ackHandle={handle}")
    assert (acknowledged.status, acknowledged.body) == (204, b"")
    assert gateway.get(POLLING).body == b'{"channelID":"c","messages":[],"moreMessages":false}\n'
    again = gateway.request("DELETE", f"{POLLING}/message?ackHandle={handle}")
    assert again.status == 204


def test_every_answer_has_the_headers_of_dsps(gateway):
    subscribe(gateway)
    for method, target in (("GET", POLLING), ("GET", "/nothing"), ("PUT", "/channel/C/message/m"), ("POST", POLLING)):
        answer = gateway.request(method, target)
        assert {name: answer.headers[name] for name in COMMON} == COMMON


def test_a_duplicate_is_answered_like_a_new_message_and_not_delivered_twice(gateway):
    subscribe(gateway)
    for body in ("1", "2"):
        assert gateway.json("PUT", "/channel/c/message/m", body) == (200, {"channelID": "c", "messageID": "m"})
    assert gateway.json("GET", POLLING)[1]["messages"] == [{"content": 1, "messageID": "m"}]


def test_subscribing_again_changes_nothing(gateway):
    subscribe(gateway)
    gateway.request("PUT", "/channel/c/message/m", "1")
    subscribe(gateway)
    assert len(gateway.json("GET", POLLING)[1]["messages"]) == 1


def test_a_subscription_is_deleted_whether_there_is_one_or_not(gateway):
    subscribe(gateway)
    for _ in range(2):
        assert gateway.json("DELETE", POLLING) == (200, {"channelID": "c", "subscriberID": "s"})
    assert gateway.json("GET", POLLING)[0] == 404


def test_max_bounds_the_messages_and_says_that_more_follow(gateway):
    subscribe(gateway)
    for number in range(70):
        gateway.request("PUT", f"/channel/c/message/m{number}", str(number))
    usual = gateway.json("GET", POLLING)[1]
    assert (len(usual["messages"]), usual["moreMessages"]) == (64, True)
    few = gateway.json("GET", POLLING + "?max=2")[1]
    assert ([one["content"] for one in few["messages"]], few["moreMessages"]) == ([0, 1], True)


def test_a_poll_waits_for_a_message(gateway, server):
    subscribe(gateway)
    got = []
    poll = threading.Thread(target=lambda: got.append(gateway.json("GET", POLLING + "?timeout=30s&max=32")))
    poll.start()
    server.wait_for_blocked(1)
    gateway.request("PUT", "/channel/c/message/m", '"hello"')
    poll.join()
    assert got[0][1]["messages"] == [{"content": "hello", "messageID": "m"}]


@pytest.fixture
def crowded(server):
    """A gateway whose requests may not wait at the server themselves, so that polls wait by its feed."""
    # A feed of a gateway that was killed stays for a minute.
    others = set(server.admin.call("FEED.LIST"))
    with Gateway(server, "--set", "limits.waiting=0") as gateway:
        gateway.other_feeds = others
        yield gateway


@contextlib.contextmanager
def polled(gateway, subscriber, timeout="30s"):
    """Sends a poll; its answer is read by answer()."""
    with RawConnection(gateway.port) as connection:
        connection.send(f"GET /channel/c/subscription/polling/{subscriber}?timeout={timeout} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        yield connection


def watched_keys(gateway, c):
    """The number of keys of the gateway's feed; a feed that expires between the two commands counts as none."""
    described = c.call_all([("FEED.INFO", feed) for feed in c.call("FEED.LIST") if feed not in gateway.other_feeds])
    return sum(info[info.index(b"keys") + 1] for info in described if isinstance(info, list))


def wait_for_a_feed(gateway, c):
    wait_until(lambda: watched_keys(gateway, c) > 0, "a feed watches the channel")


def test_more_polls_than_may_wait_at_the_server_wait_by_the_feed(crowded, server, c):
    names = [f"s{number}" for number in range(50)]
    for name in names:
        assert crowded.request("PUT", f"/channel/c/subscription/polling/{name}").status == 200
    with contextlib.ExitStack() as stack:
        polls = [stack.enter_context(polled(crowded, name)) for name in names]
        wait_for_a_feed(crowded, c)
        c.call("CHAN.PUBLISH", "c", "m", "1")  # as through another gateway
        answers = [poll.answer() for poll in polls]
        assert [(status, json.loads(body)["messages"]) for status, body in answers] == [
            (200, [{"content": 1, "messageID": "m"}])] * 50
        again = [stack.enter_context(polled(crowded, name)) for name in names] # what was not acknowledged comes at once
        assert [json.loads(poll.answer()[1])["messages"][0]["messageID"] for poll in again] == ["m"] * 50
    assert server.blocked() <= 1  # the feed's reader


def test_a_poll_by_the_feed_ends_with_its_time_its_subscriber_and_its_gateway(crowded, server, c):
    subscribe(crowded)
    with polled(crowded, "s", timeout="50ms") as poll:
        assert poll.answer() == (200, b'{"channelID":"c","messages":[],"moreMessages":false}\n')
    with polled(crowded, "nobody") as poll:
        assert poll.status() == 404
    with polled(crowded, "s") as poll:
        wait_for_a_feed(crowded, c)
        crowded.request("DELETE", POLLING)
        assert poll.status() == 404
    subscribe(crowded)
    with polled(crowded, "s"):
        wait_for_a_feed(crowded, c)
    wait_until(lambda: watched_keys(crowded, c) == 0, "nobody waits any longer")
    with polled(crowded, "s") as poll:
        wait_for_a_feed(crowded, c)
        crowded.terminate()
        assert poll.status() == 503
        assert crowded.process.wait(60) == 0


def test_a_poll_that_finds_nothing_answers_an_empty_list_after_its_time(gateway):
    subscribe(gateway)
    assert gateway.json("GET", POLLING + "?timeout=50ms") == (
        200, {"channelID": "c", "messages": [], "moreMessages": False})


def test_a_poll_waits_no_longer_than_the_longest_allowed(server):
    with Gateway(server, "--set", "timeouts.poll=50ms") as gateway:
        subscribe(gateway)
        connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=DEADLINE)  # below the poll's time
        connection.request("GET", POLLING + "?timeout=1h")
        assert json.loads(connection.getresponse().read())["messages"] == []
        connection.close()


def test_a_poll_ends_when_its_subscriber_is_deleted(gateway, server):
    subscribe(gateway)
    got = []
    poll = threading.Thread(target=lambda: got.append(gateway.json("GET", POLLING + "?timeout=30s")))
    poll.start()
    server.wait_for_blocked(1)
    gateway.request("DELETE", POLLING)
    poll.join()
    assert (got[0][0], got[0][1]["code"]) == (404, "dsps.storage.subscription-not-found")


def test_a_client_that_disconnects_leaves_no_wait_at_the_server(gateway, server):
    subscribe(gateway)
    with RawConnection(gateway.port) as connection:
        connection.send(f"GET {POLLING}?timeout=30s HTTP/1.1\r\nHost: localhost\r\n\r\n")
        server.wait_for_blocked(1)
    server.wait_for_blocked(0)


def test_polls_end_with_503_and_not_with_an_empty_list_when_the_gateway_ends(server):
    with Gateway(server) as gateway:
        subscribe(gateway)
        got = []
        poll = threading.Thread(target=lambda: got.append(gateway.get(POLLING + "?timeout=30s").status))
        poll.start()
        server.wait_for_blocked(1)
        gateway.terminate()
        poll.join()
        assert got == [503]
        assert gateway.process.wait(60) == 0


INVALID = [
    ("PUT", "/channel/C/message/m", "channelID"),
    ("PUT", "/channel/_c/message/m", "channelID"),
    ("PUT", "/channel/c/message/M", "messageID"),
    ("PUT", f"/channel/{'c' * 64}/message/m", "channelID"),
    ("PUT", "/channel/c/subscription/polling/s%20", "subscriberID"),
    ("DELETE", "/channel/c/subscription/polling/S", "subscriberID"),
    ("GET", POLLING + "?timeout=30", "timeout"),
    ("GET", POLLING + "?timeout=-1s", "timeout"),
    ("GET", POLLING + "?timeout=soon", "timeout"),
    ("GET", POLLING + "?max=0", "max"),
    ("GET", POLLING + "?max=many", "max"),
]


def test_an_id_has_up_to_63_letters(gateway):
    name = "0_-" + "z" * 60
    assert gateway.json("PUT", f"/channel/{name}/message/{name}", "1") == (200, {"channelID": name, "messageID": name})


@pytest.mark.parametrize("method, target, name", INVALID)
def test_an_invalid_parameter_is_named(gateway, method, target, name):
    assert gateway.json(method, target, "1") == (400, {"error": f'Invalid "{name}" parameter'})


@pytest.mark.parametrize("timeout", ["0", "0s", "1ms", "1h30m", "1.5s", "250ms", "1m0.5s"])
def test_a_timeout_is_a_duration_of_go(gateway, timeout):
    subscribe(gateway)
    gateway.request("PUT", "/channel/c/message/m", "1")
    assert gateway.get(f"{POLLING}?timeout={timeout}").status == 200


NOT_JSON = ["", "{", "{} {}", "'a'", "01", "1.", "nul", '"\t"', '{"a":1,}', "[1,]", b'"\xff"', "[" * 600]


@pytest.mark.parametrize("body", NOT_JSON)
def test_a_body_that_is_not_json_is_refused(gateway, body):
    assert gateway.json("PUT", "/channel/c/message/m", body) == (400, {"error": "Request body is not JSON"})


JSON = ["null", "12345678901234567890123", "-0.5E+10", '"\\ud83d\\ude00 \\u00e9 é"', "[[], {}, [{}]]", ' {"b" : 1, "a":[ ] } ',
        '"<script>"', "1.50"]


@pytest.mark.parametrize("body", JSON)
def test_json_is_delivered_as_it_was_written(gateway, body):
    subscribe(gateway)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert gateway.request("PUT", "/channel/c/message/m", body.encode(), headers).status == 200
    compact = body if body.startswith('"') else body.replace(" ", "")
    assert f'"content":{compact},'.encode() in gateway.get(POLLING).body


def test_an_ack_needs_a_handle_that_was_given_for_it(gateway):
    subscribe(gateway)
    assert gateway.json("DELETE", POLLING + "/message") == (400, {"error": 'Missing "ackHandle" parameter'})
    status, body = gateway.json("DELETE", POLLING + "/message?ackHandle=nonsense")
    assert (status, body["code"]) == (400, "dsps.storage.ack-handle-malformed")
    gateway.request("PUT", "/channel/c/message/m", "1")
    gateway.request("PUT", "/channel/c/subscription/polling/t")
    handle = gateway.json("GET", POLLING)[1]["ackHandle"]
    status, body = gateway.json("DELETE", f"/channel/c/subscription/polling/t/message?ackHandle={handle}")
    assert (status, body["code"]) == (400, "dsps.storage.ack-handle-malformed")


@pytest.mark.parametrize("method, target", [("GET", POLLING), ("DELETE", POLLING + "/message?ackHandle=1.e690a71a.7d44")])
def test_without_a_subscription_it_is_404_with_the_code_that_clients_know(gateway, method, target):
    status, body = gateway.json(method, target)
    assert (status, body["code"]) == (404, "dsps.storage.subscription-not-found")


@pytest.mark.parametrize("path", ["/nothing", POLLING + "/", "/channel//message/m", "/channel/c", "//", "/probe/liveness/"])
def test_an_unknown_path_is_404_as_text(gateway, path):
    answer = gateway.get(path)
    assert (answer.status, answer.body) == (404, b"404 page not found")
    assert answer.headers["Content-Type"].startswith("text/plain")


def test_a_wrong_method_is_405_with_those_that_are_allowed(gateway):
    answer = gateway.request("POST", POLLING)
    assert (answer.status, sorted(answer.headers["Allow"].split(", "))) == (405, ["DELETE", "GET", "PUT"])


def test_probes_say_that_the_server_can_be_reached(gateway):
    for path in ("/probe/liveness", "/probe/readiness"):
        status, body = gateway.json("GET", path)
        assert status == 200 and isinstance(body, dict)


def test_below_a_prefix_it_is_the_same(server):
    with Gateway(server, "--dsps-prefix", "/dsps/v1") as gateway:
        subscribe(gateway, "/dsps/v1" + POLLING)
        assert gateway.get(POLLING).status == 404
        assert gateway.get("/probe/readiness").status == 200


def test_while_the_server_is_gone_requests_answer_503_and_probes_500():
    with Server(appendonly="yes") as server, Gateway(server) as gateway:
        subscribe(gateway)
        with polled(gateway, "s") as poll:
            server.wait_for_blocked(2)  # the poll, and the gateway, which waits for orders
            server.kill()
            assert poll.status() == 503  # and not an empty list, after which clients would sleep
        wait_until(lambda: gateway.get("/probe/readiness").status == 500, "the gateway sees that the server is gone")
        assert [gateway.get(f"/probe/{name}").body for name in ("readiness", "liveness")] == [b"", b""]
        answer = gateway.get(POLLING)
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
        server.come_back()
        wait_until(lambda: gateway.get("/probe/readiness").status == 200, "the gateway finds the server again")
        assert gateway.get(POLLING).status == 200


def test_a_poll_is_answered_after_the_server_has_closed_idle_connections():
    with Server() as server, Gateway(server) as gateway:
        subscribe(gateway)
        gateway.request("PUT", "/channel/c/message/m1", "1")
        assert len(gateway.json("GET", POLLING + "?timeout=30s")[1]["messages"]) == 1
        server.admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        wait_until(lambda: gateway.get("/probe/readiness").status == 200, "the gateway is connected again")
        assert gateway.json("GET", POLLING + "?timeout=30s")[0] == 200
