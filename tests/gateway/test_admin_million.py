"""Which commands the console sends to a server: to one with very many keys, and to one whose console is not open. In
./test --all there are a million keys. bench/keys measures times; here commands are counted."""

import json
import time

from gateway import Gateway
from length import at_length
from server import Server, let_pass, wait_until
from test_admin_rows import get, pages

KEYS = at_length(1_000_000, 30_000)


def calls(c):
    """How often each command was called since CONFIG RESETSTAT, without the test's own calls."""
    lines = c.call("INFO", "commandstats").decode().splitlines()
    found = {line.split(":")[0].removeprefix("cmdstat_"): int(line.split("calls=")[1].split(",")[0]) for line in lines if "calls=" in line}
    return {name: count for name, count in found.items() if not name.startswith("config")}


def test_very_many_keys_are_shown_at_once_and_never_scanned_in_one_go():
    with Server() as server, Gateway(server) as gateway, server.connect() as c:
        for begin in range(0, KEYS // 2, 1000):
            c.call_all([("TWRITE", f"log:{number:07}", "t", "x") for number in range(begin, begin + 1000)])
        c.call("DEBUG", "POPULATE", KEYS // 2, "session", 4)
        began = time.monotonic()
        c.call("CONFIG", "RESETSTAT")
        first = get(gateway, "/keys")
        # The first page contains names that are known already, and says that there are more.
        assert 0 < len(first["items"]) <= 100 and first["total"] > 0
        asked = calls(c)
        # This page, and the calls of the sweeps that began meanwhile, one each second.
        sweeps = 2 + int(time.monotonic() - began)
        assert asked["MILLRACE.KEYS"] <= 50 + 50 * sweeps
        if KEYS == 1_000_000:
            assert first["building"]["done"] < KEYS <= first["building"]["of"]  # which counts the gateway's own keys, too
            overview = get(gateway, "/overview?history=0")
            assert overview["sweep"]["age"] is None and overview["totals"]["dead"] is None
        wait_until(lambda: get(gateway, "/keys?count=1")["building"] is None, "all names are known")
        assert get(gateway, "/keys?count=1")["total"] == KEYS // 2
        # Counts of keys do not wait for the sweep over their figures.
        wait_until(lambda: get(gateway, "/overview?history=0")["totals"]["keys"]["log"] == KEYS // 2, "they are counted")
        c.call("CONFIG", "RESETSTAT")
        page = get(gateway, "/keys?search=0012345&count=1000")
        assert [item["key"] for item in page["items"]] in ([], ["log:0012345"]) and len(json.dumps(page)) < 2000
        items = pages(gateway, "/keys?search=log%3A00123&type=log", 1000)
        assert [item["key"] for item in items] == [f"log:{number:07}" for number in range(12_300, 12_400)]
        assert not {"scan", "keys", "type"} & calls(c).keys()


def wait_until_begun(server, c, gateways):
    """Until the last gateway that was started has sent what gateways send only at their beginning. REQUIRES: CONFIG
    RESETSTAT before that start."""
    wait_until(lambda: {"cluster|slots", "set", "sadd"} <= calls(c).keys()
               and server.info("clients")["blocked_clients"] == str(gateways),
               "the gateway has registered, and all of them wait for orders")


def assert_few_commands(c, gateways):
    began = time.monotonic()
    c.call("CONFIG", "RESETSTAT")
    let_pass(2.5)
    found = calls(c)
    # INFO every five seconds, two commands every ten, and one every twenty.
    most = gateways * (5 + (time.monotonic() - began) / 2)
    assert set(found) <= {"info", "sadd", "set", "blpop"} and sum(found.values()) <= most, found


def test_a_server_whose_console_is_not_open_gets_few_commands():
    with Server() as server, Gateway(server) as one, server.connect() as c:
        wait_until_begun(server, c, 1)
        assert_few_commands(c, 1)
        c.call("CONFIG", "RESETSTAT")
        with Gateway(server) as two:
            wait_until_begun(server, c, 2)
            assert_few_commands(c, 2)
            assert one.process.poll() is None and two.process.poll() is None
