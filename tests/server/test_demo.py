"""millrace demo: it makes everything that it should, and leaves nothing behind."""

import time

import pytest

from cluster import Cluster
from server import Server, wait_until
from tool import Running, millrace

pytestmark = pytest.mark.long
PREFIX = "demo:{shop}:"
LOGS = ["orders", "orders:dead", "reminders", "to:websocket", "to:push", "to:mail", "packing:dead"]


@pytest.fixture(scope="module")
def host():
    """A server for this file alone, so that its counters count only the demo."""
    with Server() as server:
        yield server


@pytest.fixture
def shop(host):
    host.admin.call("FLUSHALL")
    yield host
    assert host.is_alive(), host.log()[-4000:]


def demo(server, *words):
    return millrace("demo", "--to", f"127.0.0.1:{server.port}", *words)


def opened(server, folder, *words):
    """A demo that runs, once it has opened."""
    running = Running(folder, "demo", "--to", f"127.0.0.1:{server.port}", *words)
    running.wait_for_output("The shop is open")
    return running


def keys(server):
    return {key.decode() for key in server.admin.call("KEYS", "*")}


def key(name):
    return PREFIX + name


def fields(answer):
    """A map, as RESP2 has it."""
    return dict(zip((name.decode() for name in answer[::2]), answer[1::2]))


def ask(server, *words):
    return fields(server.admin.call(*words))


def groups(server, log):
    return {one["name"]: one for one in map(fields, server.admin.call("TGROUP", "LIST", key(log)))}


def test_everything_on_the_console_moves(shop, tmp_path):
    with opened(shop, tmp_path, "--rate", "300") as running:
        wait_until(lambda: ask(shop, "LOCK.WAITS")["cycles"], "clients wait for each other, which they do at the beginning")
        for log in LOGS:
            wait_until(lambda log=log: shop.admin.call("EXISTS", key(log)) == 1, f"there is the log {log}")
        wait_until(lambda: ask(shop, "TINFO", key("orders"))["last"] > 300, "orders are written")
        wait_until(lambda: groups(shop, "orders")[b"analysts"]["lag"] > 100, "a group is behind")
        wait_until(lambda: groups(shop, "orders")[b"payment"]["pending"] > 0, "a group has pending messages")
        wait_until(lambda: ask(shop, "TINFO", key("orders:dead"))["last"] > 0, "there are dead letters")
        wait_until(lambda: shop.admin.call("TSCHED", "LIST", key("reminders")), "reminders are scheduled")
        wait_until(lambda: ask(shop, "TINFO", key("reminders"))["last"] > 0, "reminders become due")
        wait_until(lambda: ask(shop, "CHAN.INFO", key("news"))["subscribers"] == 3, "the channel has subscribers")
        wait_until(lambda: ask(shop, "ROUTE.INFO", key("devices"))["filters"] > 10, "there are filters")
        wait_until(lambda: ask(shop, "TINFO", key("to:push"))["last"] > 0, "changes are dispatched")
        wait_until(lambda: len(ask(shop, "SHARD.INFO", key("packing"))["workers"]) >= 4, "the pool has workers")
        wait_until(lambda: ask(shop, "LOCK.WAITS")["waits"], "clients wait for locks")
        wait_until(lambda: shop.admin.call("IDX.COUNT", key("customers")) == 120, "the index has its documents")
        wait_until(lambda: shop.admin.call("SUG.GET", key("searches"), "re"), "there are suggestions")
        running.interrupt()
        running.ends_with(0)
        assert running.errors() == ""
    assert keys(shop) == set()


def test_it_ends_by_itself_and_leaves_what_is_not_its_own(shop):
    shop.admin.call("SET", "mine", "1")
    done = demo(shop, "--for", "1s")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"keys removed" in done.stdout
    assert keys(shop) == {"mine"}


def test_what_a_killed_demo_has_left_is_removed(shop, tmp_path):
    opened(shop, tmp_path).kill()
    assert key("orders") in keys(shop)
    done = demo(shop, "--clean")
    assert done.returncode == 0 and b"keys removed" in done.stdout, done.stderr
    assert keys(shop) == set()
    assert demo(shop, "--clean").stdout == b"0 keys removed.\n"


def test_the_next_start_cleans_what_a_killed_one_has_left(shop, tmp_path):
    with opened(shop, tmp_path, "--rate", "1000") as running:
        wait_until(lambda: ask(shop, "TINFO", key("orders"))["last"] > 200, "orders are written")
        running.kill()
    with opened(shop, tmp_path, "--rate", "1") as running:
        assert ask(shop, "TINFO", key("orders"))["last"] < 100
        running.interrupt()
        running.ends_with(0)
    assert keys(shop) == set()


def test_a_second_demo_is_refused_and_does_not_disturb_the_first(shop, tmp_path):
    with opened(shop, tmp_path) as running:
        with Running(tmp_path / "second", "demo", "--to", f"127.0.0.1:{shop.port}") as second:
            with Running(tmp_path / "clean", "demo", "--to", f"127.0.0.1:{shop.port}", "--clean") as clean:
                for refused in (second, clean):
                    refused.ends_with(1)
                    assert refused.errors() == "millrace demo: another demo runs on this server\n"
        assert key("orders") in keys(shop)
        running.interrupt()
        running.ends_with(0)
    assert keys(shop) == set()


def test_it_does_not_start_where_others_use_such_names(shop):
    shop.admin.call("SET", key("orders"), "mine")
    shop.admin.call("SET", key("of another"), "mine")
    for _ in range(2):
        done = demo(shop, "--for", "1s")
        assert done.returncode == 1
        assert b"was not made by a demo" in done.stderr
    assert demo(shop, "--clean").returncode == 0
    assert keys(shop) == {key("orders"), key("of another")}


def test_a_second_interrupt_does_not_keep_it_from_cleaning(shop, tmp_path):
    with opened(shop, tmp_path) as running:
        # The server is stopped, so that the demo waits for an answer when the signals come.
        shop.suspend()
        running.interrupt()
        end = time.monotonic() + 0.7  # signals that are closer together count as one
        wait_until(lambda: time.monotonic() > end, "time passes")
        running.interrupt()
        shop.resume()
        running.ends_with(0)
    assert keys(shop) == set()


def test_it_goes_on_after_the_server_was_emptied(shop, tmp_path):
    with opened(shop, tmp_path) as running:
        shop.admin.call("FLUSHALL")
        wait_until(lambda: shop.admin.call("EXISTS", key("made")) == 1, "its keys are listed again")
        wait_until(lambda: b"payment" in groups(shop, "orders"), "its groups are there again")
        running.interrupt()
        running.ends_with(0)
    assert keys(shop) == set()


@pytest.mark.parametrize("appendonly", ["yes", "no"], ids=["with its data", "without its data"])
def test_it_goes_on_after_the_server_was_away(tmp_path, appendonly):
    with Server(appendonly=appendonly) as server, opened(server, tmp_path) as running:
        wait_until(lambda: ask(server, "TINFO", key("orders"))["last"] > 0, "orders are written")
        server.kill()
        running.wait_for_errors("trying again until it is back")
        server.come_back()
        wait_until(lambda: server.admin.call("EXISTS", key("made")) == 1, "it has its keys again")
        wait_until(lambda: b"payment" in groups(server, "orders"), "its groups are there again")
        last = ask(server, "TINFO", key("orders"))["last"]
        wait_until(lambda: ask(server, "TINFO", key("orders"))["last"] > last, "orders are written again")
        running.interrupt()
        running.ends_with(0)
        assert keys(server) == set()


def test_a_server_that_is_away_when_it_ends_is_waited_for(tmp_path):
    with Server(appendonly="yes") as server, opened(server, tmp_path) as running:
        server.kill()
        running.interrupt()
        server.come_back()
        running.ends_with(0)
        assert keys(server) == set()


def test_without_the_module_it_says_so():
    with Server(module=False) as server:
        done = demo(server, "--for", "1s")
        assert done.returncode == 1
        assert b"the server has no Millrace module" in done.stderr
        assert keys(server) == set()


def test_wrong_calls_and_servers_that_are_not_there_are_one_line(shop):
    assert demo(shop, "--for", "tomorrow").returncode == 2
    assert demo(shop, "--rate", "0").returncode == 2
    done = millrace("demo", "--to", "127.0.0.1:1")
    assert done.returncode == 3 and done.stderr.count(b"\n") == 1


def test_it_runs_in_a_cluster_through_any_node(tmp_path):
    with Cluster() as cluster:
        for i, node in enumerate(cluster.nodes):
            with opened(node, tmp_path / str(i)) as running:
                assert sorted(count > 0 for count in cluster.keys()) == [False, False, True]
                running.interrupt()
                running.ends_with(0)
                assert running.errors() == ""
            assert sum(cluster.keys()) == 0
