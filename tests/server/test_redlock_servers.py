"""How millrace lock asks its servers: all at the same time, each once, with the given time-out and mode."""

import contextlib

import pytest

from cluster import Cluster
from locked import Locked, calls, lock, shell, wait_for_renewals
from locks import holders, info, release, take, wait_for_waiting
from meeting_proxy import MeetingProxies
from server import Server, wait_until
from tool import millrace


@pytest.fixture
def five():
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Server()) for _ in range(5)]


def to(*ports):
    return [word for port in ports for word in ("--to", f"127.0.0.1:{port}")]


def test_servers_are_asked_at_the_same_time(five):
    with MeetingProxies(five, "LOCK.ACQUIRE") as proxies:
        done = millrace("lock", *to(*proxies.ports), "--ttl", "10m", "--patience", "60s", "lock", *shell("echo ran"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ran\n", b"")


@pytest.mark.long
def test_a_majority_that_answers_is_enough_while_others_are_silent(five, tmp_path):
    five[0].suspend()
    five[1].suspend()
    with Locked(tmp_path, five, "--ttl", "10m", "--patience", "3m") as running:
        running.wait_until_started()
        wait_until(lambda: all(holders(server.admin) for server in five[2:]), "the others have granted it")
    five[0].resume()
    five[1].resume()


# --- one server, two names ---


@pytest.mark.parametrize("plain", [False, True], ids=["LOCK.", "SET NX PX"])
def test_one_server_under_two_names_is_not_two(plain, tmp_path):
    with Server(module=not plain) as one, Server(module=not plain) as two:
        names = ["--to", f"127.0.0.1:{one.port}", "--to", f"localhost:{one.port}", "--to", f"127.0.0.1:{two.port}"]
        two.suspend()
        done = millrace("lock", *names, "--wait", "1h", "--ttl", "1m", "lock", "--", "touch", tmp_path / "ran")
        two.resume()
        assert done.returncode == 2 and b"is a server that is named twice" in done.stderr
        assert not (tmp_path / "ran").exists()
        wait_until(lambda: one.admin.call("EXISTS", "lock") == 0, "and it is given back")


def test_a_user_who_may_not_ask_for_the_identity_of_a_server_can_lock(five):
    for server in five[:3]:
        server.admin.call("ACL", "SETUSER", "locker", "on", ">secret", "~*", "+@all", "-info")
    lock(five[:3], "--user", "locker", "lock", "--", "true", env={"REDISCLI_AUTH": "secret"})


# --- modes ---


@pytest.mark.long
def test_two_readers_run_at_once_and_a_writer_does_not(five, tmp_path):
    with Locked(tmp_path / "first", five, "--shared") as first, Locked(tmp_path / "second", five, "--shared") as second:
        first.wait_until_started()
        second.wait_until_started()
        lock(five, "lock", "--", "true", status=75)
    lock(five, "--wait", "1m", "lock", "--", "true")


def test_with_a_limit_a_majority_of_the_servers_is_not_enough(five):
    """With a limit of 3, five servers have 15 permits. A majority is three servers, so a majority alone would allow
    five holders."""
    for server in five:
        for owner in ("ann", "bob"):
            take(server.admin, owner, "LIMIT", 3)
    for server in five[:2]:
        take(server.admin, "carl", "LIMIT", 3)
    lock(five, "--limit", "3", "lock", "--", "true", status=75)
    release(five[0].admin, "carl")
    lock(five, "--limit", "3", "--wait", "1m", "lock", "--", "true")


def test_one_server_keeps_a_line_for_a_semaphore(server, c, tmp_path):
    take(c, "ann", "LIMIT", 2)
    take(c, "bob", "LIMIT", 2)
    with Locked(tmp_path, [server], "--limit", "2", "--wait", "1m") as running:
        wait_for_waiting(server, 1)
        release(c, "ann")
        running.wait_until_started()
        assert info(c)["permits"] == 2 and len(holders(c)) == 2


@pytest.mark.parametrize("words", [["--shared"], ["--limit", "2"]], ids=["shared", "limit"])
def test_a_server_without_the_module_has_one_holder_only_and_says_so(words):
    with Server(module=False) as plain:
        done = lock([plain], *words, "lock", "--", "true", status=2)
        assert done.stderr.decode() == (
            f"millrace lock: 127.0.0.1:{plain.port} has no Millrace module, without which a lock has one holder at a time\n")
        assert plain.admin.call("EXISTS", "lock") == 0


@pytest.mark.parametrize("words, complaint", [
    (["--shared", "--limit", "2"], b"excludes"), (["--limit", "0"], b"--limit"), (["--patience", "11s"], b"--patience"),
    (["--patience", "soon"], b"soon")])
def test_options_that_make_no_sense_are_refused(server, words, complaint):
    assert complaint in lock([server], *words, "lock", "--", "true", status=2).stderr


# --- a cluster ---


def test_in_a_cluster_any_node_leads_to_the_one_that_keeps_the_lock(tmp_path):
    with Cluster() as cluster:
        slot = cluster.nodes[0].admin.call("CLUSTER", "KEYSLOT", "lock")
        keeper = cluster.master_of(slot)
        wrong, other = [node for node in cluster.nodes if node is not keeper]
        for options in ([], ["--wait", "1m"]):
            assert lock([wrong], *options, "lock", *shell("echo ran")).stdout == b"ran\n"
        with Locked(tmp_path / "holder", [wrong], "--ttl", "10s") as holder:
            holder.wait_until_started()
            with Locked(tmp_path / "waiting", [other], "--wait", "1m") as waiting:
                wait_for_waiting(keeper, 1)
                cluster.move_slot(slot, other)
                wait_for_renewals(other, 2)
                wait_for_waiting(other, 1)
                assert holder.process.poll() is None, "the lock was followed to where it is now"
                holder.interrupt()
                holder.ends_with(130)
                waiting.wait_until_started()
                waiting.interrupt()
                waiting.ends_with(130)
        done = lock([wrong, other], "lock", "--", "true", status=2)
        assert b"is a server that is named twice" in done.stderr, "two nodes of a cluster are one keeper of a lock"
        assert calls(keeper, "LOCK.ACQUIRE") > 0
