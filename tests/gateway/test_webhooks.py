"""Webhooks: what `millrace deliver` sends, and to which receivers. The receiver is a real HTTP server."""

import base64
import hashlib
import hmac
import json
import signal
import subprocess
import threading
import time

import pytest

from deliverer import Deliverer
from gateway import Gateway
from locked import calls
from receiver import Receiver
from server import DEADLINE, QUIET_PORTS, Server, free_port, let_pass, wait_until
from tool import millrace

QUICK = {"back_off": "1ms", "longest_back_off": "20ms"}
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def webhook(server, receiver, *words, group="shop", **settings):
    return Deliverer(server, "--log", "orders", "--group", group, "--url", receiver.url, "--allow-private", *words, **settings)


def group(c, log="orders"):
    found = c.call("TGROUP", "LIST", log)
    return {} if not found else dict(zip([name.decode() for name in found[0][::2]], found[0][1::2]))


def wait_for_all_done(c, last, log="orders"):
    wait_until(lambda: group(c, log).get("last") == last and group(c, log).get("pending") == 0, "all messages are done")


def dead_letters(c, log="{orders}:dead"):
    return [(json.loads(tag), entry) for _, tag, entry in c.call("TREAD", log, 1, 1000)]


def test_each_message_comes_as_a_request(server, c):
    c.call("TWRITE", "orders", "new", '{"id": 17}')
    with Receiver() as receiver, webhook(server, receiver):
        receiver.wait_for(1)
        c.call("TWRITE", "orders", "a b\n%", b"\xff\x00")
        wait_for_all_done(c, 2)
    [first, second] = receiver.got
    assert (first.path, first.body) == ("/", b'{"id": 17}')
    assert first.headers["Content-Type"] == "application/json" and first.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert (first.headers["Millrace-Log"], first.headers["Millrace-Offset"], first.headers["Millrace-Tag"]) == ("orders", "1", "new")
    assert first.headers["Millrace-Attempt"] == "1" and "webhook-signature" not in first.headers
    assert second.body == b"\xff\x00" and second.headers["Content-Type"] == "application/octet-stream"
    assert second.headers["Millrace-Tag"] == "a%20b%0a%25"
    assert first.headers["webhook-id"] != second.headers["webhook-id"]


def test_requests_are_signed_as_standard_webhooks_are(server, c, tmp_path):
    (tmp_path / "secret").write_text(SECRET + "\nthe old one\n")
    c.call("TWRITE", "orders", "new", '{"id":17}')
    with Receiver() as receiver, webhook(server, receiver, "--secret", tmp_path / "secret"):
        receiver.wait_for(1)
    headers = receiver.got[0].headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + receiver.got[0].body
    wanted = ["v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
              for key in (base64.b64decode(SECRET[6:]), b"the old one")]
    assert headers["webhook-signature"].split() == wanted
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 300


def test_what_fails_comes_again_with_the_same_id_until_it_arrives(server, c):
    c.call("TWRITE", "orders", "new", "1")
    statuses = [500, None, 302, 404, 429, 204]
    with Receiver(lambda hook: statuses[len(receiver.got) - 1]) as receiver, webhook(server, receiver, **QUICK):
        wait_for_all_done(c, 1)
    # If a reused connection is closed, the deliverer cannot know whether the request was handled: it sends the request
    # on a new connection at once, as the same attempt.
    assert [hook.headers["Millrace-Attempt"] for hook in receiver.got] == list("122345")
    assert len({hook.headers["webhook-id"] for hook in receiver.got}) == 1
    assert dead_letters(c) == []


def test_retry_after_is_obeyed(server, c):
    """A receiver that fails without the header is asked again and again; those that sent the header are not asked until
    it is time."""
    c.call("TWRITE", "orders", "new", "1")

    def refuse_with(**headers):
        return Receiver(lambda hook: (503, {name.replace("_", "-"): value for name, value in headers.items()}))

    soon = [(503, {"Retry-After": "1"}), 204]
    with refuse_with(Retry_After="3600") as hour, refuse_with() as plain, \
            Receiver(lambda hook: soon[len(second.got) - 1]) as second, \
            webhook(server, hour, **QUICK), webhook(server, second, group="others", **QUICK):
        hour.wait_for(1)
        with webhook(server, plain, group="rest", **QUICK):
            plain.wait_for(5)
        second.wait_for(2)
        assert len(hour.got) == 1


@pytest.mark.long
def test_the_longest_retry_after_of_several_requests_is_obeyed(server, c):
    """Two requests are under way; the first asks for a pause of three seconds, then the second for one of an hour."""
    c.call("TWRITE", "orders", "ENTRIES", "new", "1", "new", "2", "new", "3")
    before = calls(server, "TNACK")
    answered = threading.Event()

    def wait_until_given_back(count):
        wait_until(lambda: calls(server, "TNACK") == before + count, f"{count} messages are given back")

    def refuse(hook):
        hour.wait_for(2)
        if hook.body == b"1":
            return 503, {"Retry-After": "3"}
        wait_until_given_back(1)
        answered.set()  # from here on only the test asks the server
        return 503, {"Retry-After": "3600"}

    with Receiver(refuse) as hour, webhook(server, hour, "--at-once", 2, **QUICK):
        answered.wait(DEADLINE)
        wait_until_given_back(2)
        let_pass(4)
        assert sorted(hour.bodies()) == [1, 2]


@pytest.mark.parametrize("in_order", [False, True])
def test_hopeless_statuses_and_exhausted_attempts_go_to_the_dead_letters_with_the_reason(server, c, in_order):
    c.call("TWRITE", "orders", "ENTRIES", "gone", "1", "fails", "2", "works", "3")
    statuses = {b"1": 410, b"2": 500, b"3": 200}
    words = ["--attempts", 3] + ["--in-order"] * in_order
    with Receiver(lambda hook: statuses[hook.body]) as receiver, webhook(server, receiver, *words, **QUICK):
        wait_for_all_done(c, 3)
    assert sorted(receiver.bodies()) == [1, 2, 2, 2, 3]
    letters = sorted((tag["tag"], tag["reason"], entry) for tag, entry in dead_letters(c))
    assert letters == [("fails", "HTTP 500, after 3 attempts", b"2"), ("gone", "HTTP 410", b"1")]


def test_without_dead_letters_messages_given_up_are_gone(server, c):
    c.call("TWRITE", "orders", "new", "1")
    with Receiver(lambda hook: 400) as receiver, webhook(server, receiver, "--dead-letters", "none"):
        wait_for_all_done(c, 1)
    assert c.call("KEYS", "*dead*") == []


def test_at_most_so_many_are_under_way_at_once(server, c):
    c.call("TWRITE", "orders", "ENTRIES", *["new", "1"] * 60)
    with Receiver(lambda hook: time.sleep(0.01) or 204) as receiver, webhook(server, receiver, "--at-once", 3):
        wait_for_all_done(c, 60)
    assert len(receiver.got) == 60 and 1 < receiver.at_once <= 3


def test_in_order_a_message_waits_for_those_of_its_tag_alone(server, c):
    entries = [(tag, json.dumps([tag, number])) for number in range(20) for tag in "abc"]
    c.call("TWRITE", "orders", "ENTRIES", *[word for pair in entries for word in pair])
    failures = {"a": 5, "b": 3}
    lock = threading.Lock()
    c_has_come = threading.Event()

    def answer(hook):
        tag, number = json.loads(hook.body)
        if (tag, number) == ("a", 4):  # the tag c does not wait for the others
            c_has_come.wait(DEADLINE)
        with lock:
            if number == 4 and failures.get(tag, 0) > 0:
                failures[tag] -= 1
                return 500
        accepted.append((tag, number))
        if (tag, number) == ("c", 19):
            c_has_come.set()
        return 204

    accepted = []
    with Receiver(answer) as receiver, webhook(server, receiver, "--in-order", **QUICK):
        wait_for_all_done(c, 60)
    for tag in "abc":
        assert [number for one, number in accepted if one == tag] == list(range(20))
    assert accepted.index(("c", 19)) < accepted.index(("a", 19))


@pytest.mark.long
def test_in_order_only_one_deliverer_sends_and_the_next_one_takes_over(server, c):
    hold = threading.Event()

    def deliverer():
        # If the leader does not run for so long, the other one leads, and sends the third message, too.
        return webhook(server, receiver, "--in-order", takeover="8s")

    with Receiver(lambda hook: (hold.wait(60) if hook.body == b"3" else None) and None or 204) as receiver:
        with deliverer() as first, deliverer() as second:
            c.call("TWRITE", "orders", "ENTRIES", *[word for n in range(1, 7) for word in ("t", str(n))])
            receiver.wait_for(3)
            wait_until(lambda: group(c)["pending"] == 4, "the first two messages are acknowledged")
            # The lock says which of them leads.
            owner = c.call("LOCK.INFO", "millrace:webhook:orders:shop")
            assert owner
            for one in (first, second):
                one.kill()
            hold.set()
            with deliverer():
                wait_for_all_done(c, 6)
    assert receiver.bodies() == [1, 2, 3, 3, 4, 5, 6]


@pytest.mark.long
@pytest.mark.parametrize("words", [(), ("--in-order",)], ids=["any order", "in order"])
def test_kill_9_of_the_deliverer_loses_nothing(server, c, words):
    count = 300
    for first in range(0, count, 50):
        c.call("TWRITE", "orders", "ENTRIES", *[word for n in range(first, first + 50) for word in (str(n % 7), str(n))])
    with Receiver(lambda hook: 500 if len(receiver.got) % 11 == 0 else 204) as receiver:
        for kills in range(1, 6):
            with webhook(server, receiver, *words, timeout="1s", takeover="2s", **QUICK) as deliverer:
                receiver.wait_for(kills * 40)
                deliverer.kill()
        with webhook(server, receiver, *words, timeout="1s", takeover="2s", **QUICK):
            wait_for_all_done(c, count)
    accepted = receiver.bodies()
    assert set(accepted) == set(range(count))
    if words:
        for tag in range(7):
            # Without repetitions, each tag came in order.
            ours = list(dict.fromkeys(n for n in accepted if n % 7 == tag))
            assert ours == sorted(ours)


def test_the_end_of_the_server_loses_nothing_and_repeats_nothing_that_was_acknowledged():
    with Server(appendonly="yes", appendfsync="always") as server, Receiver() as receiver:
        with server.connect() as c:
            c.call("TWRITE", "orders", "ENTRIES", *[word for n in range(50) for word in ("t", str(n))])
        with webhook(server, receiver):
            receiver.wait_for(50)
            server.kill()
            server.come_back()
            with server.connect() as c:
                c.call("TWRITE", "orders", "t", "50")
                wait_for_all_done(c, 51)
    assert set(receiver.bodies()) == set(range(51))


def test_sigterm_lets_requests_come_to_their_end(server, c):
    hold = threading.Event()
    c.call("TWRITE", "orders", "new", "1")
    with Receiver(lambda hook: hold.wait(60) and 204) as receiver, webhook(server, receiver) as deliverer:
        receiver.wait_for(1)
        ended = threading.Thread(target=deliverer.terminate)
        ended.start()
        wait_until(lambda: "ends:" in deliverer.output(), "it ends")
        c.call("TWRITE", "orders", "new", "2")
        hold.set()
        ended.join()
        assert deliverer.process.returncode == 0
    # The first message is acknowledged. The second is not sent: if a read that had begun got it, the deliverer gave it
    # back.
    assert receiver.bodies() == [1] and c.call("TACK", "orders", group(c)["name"], 1) == 0
    assert c.call("TREAD", "orders", 1, 10, "GROUP", "shop", "WITHATTEMPTS") == [[2, b"new", b"2", 1]]


def test_a_message_that_a_deliverer_got_while_it_was_ending_is_given_back(server, c):
    c.call("TWRITE", "orders", "new", "1")
    with Receiver() as receiver, webhook(server, receiver) as deliverer:
        wait_for_all_done(c, 1)
        server.wait_for_blocked(1)
        server.suspend()
        try:
            # When the server goes on, it executes this write before it learns that the waiting read has ended.
            c.send("TWRITE", "orders", "new", "2")
            ended = threading.Thread(target=deliverer.terminate)
            ended.start()
            wait_until(lambda: "ends:" in deliverer.output(), "it ends")
        finally:
            server.resume()
        assert c.read() == 2
        ended.join()
    assert receiver.bodies() == [1]
    assert c.call("TREAD", "orders", 1, 10, "GROUP", "shop", "WITHATTEMPTS") == [[2, b"new", b"2", 1]]


@pytest.mark.parametrize("words", [(), ("--in-order",)], ids=["any order", "in order"])
def test_a_message_comes_after_a_deliverer_has_looked_what_it_holds(server, c, words):
    """In one turn of its event loop the server reads: the end of the waiting read, a question of the deliverer, and the
    message. It closes connections only at the end of a turn, so the message still goes to that read."""
    c.call("TWRITE", "orders", "new", "1")
    with Receiver() as receiver, webhook(server, receiver, *words) as deliverer:
        wait_for_all_done(c, 1)
        server.wait_for_blocked(1)
        server.suspend()
        try:
            deliverer.process.send_signal(signal.SIGTERM)
            wait_until(lambda: "ends:" in deliverer.output(), "it ends")
            let_pass(0.3)  # time for a question that the deliverer should not send yet
            c.send("TWRITE", "orders", "new", "2")
        finally:
            server.resume()
        assert c.read() == 2
        assert deliverer.process.wait(60) == 0
        assert receiver.bodies() == [1]
        if not words:
            assert c.call("TREAD", "orders", 1, 10, "GROUP", "shop", "WITHATTEMPTS") == [[2, b"new", b"2", 1]]
            return
        with webhook(server, receiver, *words):
            wait_for_all_done(c, 2)
    assert receiver.bodies() == [1, 2]


def test_a_receiver_that_is_down_uses_up_no_attempts_of_messages_that_wait(server, c):
    port = free_port(QUIET_PORTS)
    count = 200
    c.call("TWRITE", "orders", "ENTRIES", *["new", "1"] * count)
    words = ("--log", "orders", "--group", "shop", "--url", f"http://127.0.0.1:{port}/", "--allow-private", "--attempts", 30)
    with Deliverer(server, *words, back_off="20ms", longest_back_off="40ms") as deliverer:
        wait_until(lambda: "the receiver fails" in deliverer.output(), "it notices")
        with Receiver(port=port) as receiver:
            wait_for_all_done(c, count)
            assert len(receiver.got) == count
        assert "works again" in deliverer.output()
    assert dead_letters(c) == []


def test_the_url_may_come_with_the_message(server, c):
    with Receiver() as one, Receiver() as other:
        urls = [one.url + "a", other.url + "b?c=d"]
        hopeless = ["gopher://x/", "http://user@127.0.0.1/", 17, None]
        for url in urls + hopeless:
            c.call("TWRITE", "orders", "new", json.dumps({"to": url}))
        c.call("TWRITE", "orders", "new", "no JSON")
        with Deliverer(server, "--log", "orders", "--group", "shop", "--url-field", "to", "--allow-private"):
            wait_for_all_done(c, 7)
    assert [hook.path for hook in one.got + other.got] == ["/a", "/b?c=d"]
    assert len(dead_letters(c)) == 5 and all("the URL in 'to' is none" in tag["reason"] for tag, _ in dead_letters(c))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "0x7f.1"])
def test_private_addresses_are_refused(server, c, host):
    with Receiver() as receiver:
        c.call("TWRITE", "orders", "new", json.dumps({"to": f"http://{host}:{receiver.port}/"}))
        with Deliverer(server, "--log", "orders", "--group", "shop", "--url-field", "to", "--attempts", 1):
            wait_for_all_done(c, 1)
    assert receiver.got == []
    [(tag, _)] = dead_letters(c)
    assert "private" in tag["reason"]


def test_redirections_are_not_followed(server, c):
    c.call("TWRITE", "orders", "new", "1")
    with Receiver() as secret, Receiver(lambda hook: (302, {"Location": secret.url})) as receiver:
        with webhook(server, receiver, "--attempts", 1):
            wait_for_all_done(c, 1)
    assert secret.got == [] and len(receiver.got) == 1


def test_a_receiver_with_tls_is_one_whose_certificate_is_trusted(server, c, tmp_path):
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    c.call("TWRITE", "orders", "new", "1")
    with Receiver(certificate=(certificate, key)) as receiver:
        words = ("--log", "orders", "--group", "shop", "--url", f"https://localhost:{receiver.port}/", "--allow-private", "--attempts")
        with Deliverer(server, *words, 1):
            wait_for_all_done(c, 1)
        assert receiver.got == [] and "certificate" in dead_letters(c)[0][0]["reason"]
        c.call("TWRITE", "orders", "new", "2")
        with Deliverer(server, *words, 1, ca=certificate):
            wait_for_all_done(c, 2)
    assert receiver.bodies() == [2]


def test_an_answer_that_does_not_come_is_a_failure(server, c):
    end = threading.Event()
    c.call("TWRITE", "orders", "new", "1")
    with Receiver(lambda hook: end.wait(60) and 204) as receiver, webhook(server, receiver, "--attempts", 1, timeout="200ms"):
        wait_for_all_done(c, 1)
        end.set()
    assert "it took too long" in dead_letters(c)[0][0]["reason"]


# --- channels ---


def on_channel(server, receiver, *words, **settings):
    return Deliverer(server, "--channel", "room", "--subscriber", "bot", "--url", receiver.url, "--allow-private", *words, **settings)


def seen(c, *ids):
    try:
        return c.call("CHAN.SEEN", "room", "bot", *ids)
    except Exception:
        return None


@pytest.mark.parametrize("in_order", [False, True])
def test_the_messages_of_a_channel_come_as_requests(server, c, in_order):
    ids = [f"m{n}" for n in range(40)]
    failures = {"3": 2, "7": 1}

    def answer(hook):
        if failures.get(hook.body.decode(), 0) > 0:
            failures[hook.body.decode()] -= 1
            return 503
        accepted.append(int(hook.body))
        return 204

    accepted = []
    with Receiver(answer) as receiver, on_channel(server, receiver, *["--in-order"] * in_order, **QUICK):
        wait_until(lambda: c.call("EXISTS", "room"), "it has subscribed")
        c.call("CHAN.MPUBLISH", "room", *[word for n, name in enumerate(ids) for word in (name, str(n))])
        wait_until(lambda: seen(c, *ids) == [1] * 40, "all are acknowledged")
    assert sorted(accepted) == list(range(40))
    if in_order:
        assert accepted == list(range(40))
    assert receiver.got[0].headers["Millrace-Channel"] == "room" and receiver.got[0].headers["Millrace-Message"].startswith("m")


def test_a_message_of_a_channel_that_is_given_up_is_a_dead_letter(server, c):
    with Receiver(lambda hook: 410 if hook.body == b"1" else 204) as receiver, on_channel(server, receiver):
        wait_until(lambda: c.call("EXISTS", "room"), "it has subscribed")
        c.call("CHAN.MPUBLISH", "room", "a", "1", "b", "2")
        wait_until(lambda: seen(c, "a", "b") == [1, 1], "both are acknowledged")
    [(tag, entry)] = dead_letters(c, "{room}:dead")
    assert (tag["id"], tag["reason"], tag["subscriber"], entry) == ("a", "HTTP 410", "bot", b"1")


def test_a_duplicate_is_no_second_request(server, c, gateway):
    with Receiver() as receiver, on_channel(server, receiver):
        wait_until(lambda: c.call("EXISTS", "room"), "it has subscribed")
        for name, body in (("a", "1"), ("a", "2"), ("b", "3")):
            assert gateway.request("PUT", f"/channel/room/message/{name}", body).status == 200
        wait_until(lambda: seen(c, "a", "b") == [1, 1], "both are acknowledged")
    assert sorted(receiver.bodies()) == [1, 3]


def test_kill_9_of_the_deliverer_of_a_channel_loses_nothing(server, c):
    c.call("CHAN.SUBSCRIBE", "room", "bot")
    ids = [f"m{n}" for n in range(100)]
    c.call("CHAN.MPUBLISH", "room", *[word for n, name in enumerate(ids) for word in (name, str(n))])
    with Receiver() as receiver:
        with on_channel(server, receiver, "--in-order", takeover="2s") as deliverer:
            receiver.wait_for(30)
            deliverer.kill()
        with on_channel(server, receiver, "--in-order", takeover="2s"):
            wait_until(lambda: seen(c, *ids) == [1] * 100, "all are acknowledged")
    assert list(dict.fromkeys(receiver.bodies())) == list(range(100))


# --- in the configuration of a gateway ---

CONFIG = """
[[webhook]]
log = "orders"
group = "shop"
url = "{url}"
allow_private = true
back_off = "1ms"
"""


def test_a_gateway_delivers_the_webhooks_of_its_configuration_and_counts_them(server, c):
    statuses = [500, 204, 410]
    with Receiver(lambda hook: statuses[len(receiver.got) - 1]) as receiver:
        with Gateway(server, config=CONFIG.format(url=receiver.url)) as gateway:
            gateway.json("POST", "/v1/logs/orders", {"id": 1})
            wait_for_all_done(c, 1)
            gateway.json("POST", "/v1/logs/orders", {"id": 2})
            wait_for_all_done(c, 2)
            figures = gateway.get("/metrics").body.decode()
            for figure, value in (("delivered_total", 1), ("failed_attempts_total", 2), ("given_up_total", 1), ("in_flight", 0)):
                assert f'millrace_webhook_{figure}{{webhook="orders/shop"}} {value}\n' in figures
            gateway.terminate()
            assert gateway.process.wait(60) == 0


WRONG = {
    "no source": (["--url", "http://a.example/"], "needs a log or a channel"),
    "two sources": (["--url", "http://a.example/", "--log", "a", "--channel", "b"], "needs a log or a channel"),
    "no url": (["--log", "a"], "needs a url"),
    "a url that is none": (["--log", "a", "--url", "a.example"], "a url that is none"),
    "a private address": (["--log", "a", "--url", "http://10.0.0.1/"], "private address"),
    "a secret that is not there": (["--log", "a", "--url", "http://a.example/", "--secret", "/nowhere"], "cannot read the secrets"),
    "a setting that there is not": (["--log", "a", "--url", "http://a.example/", "--set", "x=1"], "no setting 'x'"),
    "a takeover that is too short": (["--log", "a", "--url", "http://a.example/", "--set", "takeover=1ms"], "takeover of at least 1s"),
    "a header that is none": (["--log", "a", "--url", "http://a.example/", "--set", "headers=x"], "a header that is none"),
    "a file without webhooks": (["--config", "/dev/null"], "has no [[webhook]]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_is_one_line(name):
    words, expected = WRONG[name]
    done = millrace("deliver", *words, "--check")
    said = done.stderr.decode()
    assert done.returncode == 2 and expected in said and said.count("\n") == 1, said


def test_help_of_deliver_fits_a_screen():
    lines = millrace("deliver", "--help").stdout.decode().splitlines()
    assert len(lines) <= 48 and max(map(len, lines)) <= 100
