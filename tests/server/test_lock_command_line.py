"""millrace lock --wait at one server with the module: it stands in the server's line like any other client."""

import os
import pathlib
import signal

import pytest

from locked import PATIENT, Locked, calls, lock
from locks import HOUR, holders, info, release, start_waiting, take, token_of, wait_for_waiting, waiters
from server import Server, wait_until


@pytest.fixture
def own():
    """A server of its own, whose counters no other test changes."""
    with Server() as server:
        yield server


def failed(server, command):
    """How often the server answered this command with an error."""
    figures = server.info("commandstats").get(f"cmdstat_{command}", "failed_calls=0")
    return int(figures.split("failed_calls=")[1].split(",")[0])


def blocked_clients(server):
    """The ids of the clients that wait at the server."""
    clients = [dict(word.split("=", 1) for word in line.split()) for line in server.admin.call("CLIENT", "LIST").decode().splitlines()]
    return [client["id"] for client in clients if client["flags"] == "b"]


def test_the_tool_that_came_first_is_served_first_and_asked_once(own, tmp_path):
    take(own.admin, "somebody")
    with Locked(tmp_path, [own], "--wait", "1m") as running, own.connect() as later:
        wait_for_waiting(own, 1)
        start_waiting(own, later, "later")
        assert f":{running.process.pid}:" in waiters(own.admin)[0]
        release(own.admin, "somebody")
        running.wait_until_started()
        assert f":{running.process.pid}:" in holders(own.admin)[0]
        assert waiters(own.admin) == ["later"]
        running.process.send_signal(signal.SIGTERM)
        running.ends_with(143)
        token_of(later)
    assert calls(own, "LOCK.ACQUIRE") == 3, "the holder's, the tool's and that of who came later"
    assert (calls(own, "LOCK.RELEASE"), failed(own, "LOCK.RELEASE")) == (2, 0)


def test_a_lock_that_is_free_is_had_at_once_with_one_question(own):
    lock([own], "--wait", "1m", "lock", "--", "true")
    assert [calls(own, name) for name in ("LOCK.ACQUIRE", "LOCK.RENEW", "LOCK.RELEASE")] == [1, 1, 1]


def test_a_wait_that_is_over_ends_with_75_and_leaves_the_line(own):
    take(own.admin, "somebody")
    done = lock([own], "--wait", "300ms", *PATIENT, "lock", "--", "echo", "ran", status=75)
    assert (done.stdout, done.stderr) == (b"", b"millrace lock: somebody else holds the lock lock\n")
    assert (calls(own, "LOCK.ACQUIRE"), calls(own, "LOCK.RELEASE")) == (2, 0)
    assert waiters(own.admin) == [] and holders(own.admin) == ["somebody"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGKILL], ids=lambda number: number.name)
def test_a_tool_that_is_ended_while_it_waits_leaves_the_line(own, tmp_path, number):
    take(own.admin, "somebody")
    with Locked(tmp_path, [own], "--wait", "1h", script="echo ran") as running:
        wait_for_waiting(own, 1)
        running.process.send_signal(number)
        running.ends_with(-number if number == signal.SIGKILL else 128 + number)
    wait_for_waiting(own, 0)
    assert waiters(own.admin) == [] and holders(own.admin) == ["somebody"]
    release(own.admin, "somebody")
    assert own.admin.call("EXISTS", "lock") == 0, "nobody got it"
    assert running.output() == ""


@pytest.mark.long
def test_the_lease_begins_when_the_lock_is_granted_however_long_that_took(own, tmp_path):
    """The wait is longer than several leases: a lease that began with the wait would be over."""
    take(own.admin, "somebody", ttl=5000)
    with Locked(tmp_path, [own], "--ttl", "2s", "--wait", "1m") as running:
        running.wait_until_started()
        assert calls(own, "LOCK.ACQUIRE") == 2
        before = calls(own, "LOCK.RENEW")
        wait_until(lambda: calls(own, "LOCK.RENEW") >= before + 3, "it is renewed")
        assert running.process.poll() is None
        running.process.send_signal(signal.SIGTERM)
        running.ends_with(143)


def test_a_grant_that_is_over_before_the_tool_looks_leads_back_into_the_line(still, s, clock, tmp_path):
    """The tool is stopped while it waits; it is granted the lock, and the lease ends before it goes on."""
    take(s, "somebody")
    with Locked(tmp_path, [still], "--ttl", "1h") as running:
        wait_for_waiting(still, 1)
        running.process.send_signal(signal.SIGSTOP)
        release(s, "somebody")
        assert f":{running.process.pid}:" in holders(s)[0]
        clock.pass_time(HOUR)
        wait_until(lambda: s.call("EXISTS", "lock") == 0, "the lease of the frozen one is over")
        take(s, "another")
        running.process.send_signal(signal.SIGCONT)
        wait_for_waiting(still, 1)
        assert holders(s) == ["another"] and running.output() == ""
        release(s, "another")
        running.wait_until_started()
        [holder] = info(s)["holders"]
        assert holder["holds"] == 1


def test_a_tool_that_loses_its_connection_goes_to_the_end_of_the_line(own, tmp_path):
    take(own.admin, "somebody")
    with Locked(tmp_path, [own], "--wait", "1m") as running, own.connect() as later:
        wait_for_waiting(own, 1)
        [number] = blocked_clients(own)
        start_waiting(own, later, "later")
        own.admin.call("CLIENT", "KILL", "ID", number)
        wait_until(lambda: len(waiters(own.admin)) == 2 and waiters(own.admin)[0] == "later", "it is back")
        own.admin.call("LOCK.BREAK", "lock")
        token_of(later)
        release(own.admin, "later")
        running.wait_until_started()


def test_a_server_that_comes_back_is_asked_again(tmp_path):
    with Server(appendonly="yes", appendfsync="always") as own, Locked(tmp_path / "first", [own]) as holder:
        holder.wait_until_started()
        with Locked(tmp_path / "second", [own], "--wait", "1m") as running:
            wait_for_waiting(own, 1)
            own.kill()
            own.come_back()
            wait_for_waiting(own, 1)
            holder.process.send_signal(signal.SIGTERM)
            holder.ends_with(143)
            running.wait_until_started()


def test_a_waiting_tool_notices_that_the_server_vanished(own, tmp_path):
    """No packet arrives; the operating system sends keepalive probes (timer 2 of /proc/net/tcp)."""
    take(own.admin, "somebody")
    with Locked(tmp_path, [own], "--wait", "1m") as running:
        wait_for_waiting(own, 1)
        sockets = {os.readlink(path) for path in pathlib.Path(f"/proc/{running.process.pid}/fd").iterdir()}
        lines = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        assert [words[5].split(":")[0] for words in lines if f"socket:[{words[9]}]" in sockets] == ["02"]


@pytest.mark.long
def test_a_server_that_does_not_answer_any_more_ends_the_wait_with_3(own, tmp_path):
    take(own.admin, "somebody")
    with Locked(tmp_path, [own], "--wait", "6s") as running:
        wait_for_waiting(own, 1)
        own.suspend()
        running.ends_with(3)
    assert running.errors() == f"millrace lock: 127.0.0.1:{own.port} did not answer in time\n"
