"""millrace load: if a server comes back without what it had confirmed, the load notices and never reports success."""

import subprocess

import pytest

from server import Server, let_pass, wait_until
from tool import Running, load, number_in

COUNT = 300_000


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "x.commands"
    file.write_text("".join(f"SADD s {i}\n" for i in range(COUNT)))
    return file


def killed_in_the_middle(server, running):
    """Kills the server (kill -9) while the load runs, and restarts it on the same port."""
    wait_until(lambda: (server.admin.call("SCARD", "s") or 0) > 10_000, "it is under way")
    server.kill()
    running.wait_for_errors("trying to reach it again")
    server.come_back()


def test_a_server_that_was_restarted_without_persistence_ends_it_with_a_status_of_its_own(tmp_path, path):
    with Server() as own:
        state = tmp_path / "state"
        words = ("load", "--to", f":{own.port}", "--pipeline", "50", "--checkpoint", state, path)
        with Running(tmp_path, *words) as running:
            killed_in_the_middle(own, running)
            running.ends_with(5)
            assert f"127.0.0.1:{own.port} lacks what was confirmed up to {path}:" in running.errors()
            assert "; load everything again, from the beginning of the input" in running.errors()
            assert "0 failed, but lost by the server in " in running.output()
        assert own.admin.call("EXISTS", "s") == 0, "nothing more was sent"
        assert number_in(state, "line") == 1 and number_in(state, "sent") == 0, "the checkpoint is set back"
        load(own, "--checkpoint", state, path)
        assert own.admin.call("SCARD", "s") == COUNT


@pytest.mark.long
def test_a_server_whose_append_only_file_is_always_synced_has_everything(tmp_path, path):
    with Server(appendonly="yes", appendfsync="always") as own:
        with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "50", path) as running:
            killed_in_the_middle(own, running)
            running.ends_with(0)
        assert own.admin.call("SCARD", "s") == COUNT


def test_where_the_last_two_seconds_may_be_missing_it_names_those_lines(tmp_path, path):
    with Server(appendonly="yes", appendfsync="everysec") as own:
        with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "50", path) as running:
            killed_in_the_middle(own, running)
            running.ends_with(5)
            assert f"127.0.0.1:{own.port} may lack what was confirmed from {path}:1 to {path}:" in running.errors()
            assert f"{COUNT} sent, {COUNT} succeeded, 0 failed, some of it perhaps lost by the server in " in running.output()


@pytest.mark.long
def test_lines_that_were_confirmed_long_before_are_not_doubted(tmp_path):
    """The load waits for its input for longer than the append-only file may lag behind."""
    with Server(appendonly="yes", appendfsync="everysec") as own:
        with Running(tmp_path, "load", "--to", f":{own.port}", "-", stdin=subprocess.PIPE) as running:
            def send(lines):
                running.process.stdin.write(lines)
                running.process.stdin.flush()

            send(b"SADD s 1\nSADD s 2\n")
            wait_until(lambda: own.admin.call("SCARD", "s") == 2, "it is under way")
            running.wait_for_errors("2 records")  # the progress line that comes every few seconds: both are confirmed
            let_pass(3.5)
            send(b"SADD s 3\n")
            wait_until(lambda: own.admin.call("SCARD", "s") == 3, "the third has arrived")
            own.kill()
            running.wait_for_errors("trying to reach it again")
            own.come_back()
            running.process.stdin.close()
            running.ends_with(5)
        assert "may lack what was confirmed from -:3 to -:4: " in running.errors()


@pytest.mark.long
def test_a_silent_server_is_doubted_from_when_it_was_heard_last_not_from_when_it_was_asked(tmp_path):
    """The server confirms a line, is silent for longer than its append-only file may lag behind, gets another line, and
    dies."""
    with Server(appendonly="yes", appendfsync="everysec") as own:
        with Running(tmp_path, "load", "--to", f":{own.port}", "-", stdin=subprocess.PIPE) as running:
            def send(lines):
                running.process.stdin.write(lines)
                running.process.stdin.flush()

            send(b"SADD s 1\n")
            wait_until(lambda: own.admin.call("SCARD", "s") == 1, "it is under way")
            running.wait_until_it_waits()
            own.suspend()
            told = running.errors().count("records")
            wait_until(lambda: running.errors().count("records") > told + 1, "some seconds have gone by")
            send(b"SADD s 2\n")
            running.wait_until_it_waits()
            own.kill()
            running.wait_for_errors("trying to reach it again")
            own.come_back()
            running.process.stdin.close()
            running.ends_with(5)
        assert "may lack what was confirmed from -:1 to -:2: " in running.errors()


def test_what_was_confirmed_while_an_earlier_line_waits_for_its_answer_is_not_forgotten(tmp_path):
    with Server() as own:
        lines = b"BLPOP nothing 0\n" + b"".join(b"SADD s%d x\n" % i for i in range(20))
        with Running(tmp_path, "load", "--to", f":{own.port}", "--connections", "2", "-", stdin=subprocess.PIPE) as running:
            running.process.stdin.write(lines)
            running.process.stdin.flush()
            wait_until(lambda: own.admin.call("DBSIZE") > 0, "the other connection goes on")
            running.wait_until_it_waits()
            own.kill()
            running.wait_for_errors("trying to reach it again")
            own.come_back()
            running.ends_with(5)
        assert "lacks what was confirmed up to -:" in running.errors()


@pytest.mark.long
def test_a_load_whose_user_may_not_ask_does_not_report_success(tmp_path, path):
    with Server(appendonly="yes", appendfsync="always") as own:
        own.admin.call("ACL", "SETUSER", "default", "-info")
        with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "50", path) as running:
            wait_until(lambda: (own.admin.call("SCARD", "s") or 0) > 10_000, "it is under way")
            own.admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            running.ends_with(5)
        assert "this user may not ask it (INFO) whether it was restarted" in running.errors()


def test_a_server_that_was_lost_before_it_confirmed_anything_lost_nothing(tmp_path):
    with Server() as own:
        with Running(tmp_path, "load", "--to", f":{own.port}", "-", stdin=subprocess.PIPE) as running:
            wait_until(lambda: own.info("clients")["connected_clients"] == "3", "it is connected")
            running.wait_until_it_waits()
            own.kill()
            running.wait_for_errors("trying to reach it again")
            own.come_back()
            running.process.stdin.write(b"SET a 1\n")
            running.process.stdin.close()
            running.ends_with(0)
        assert own.admin.call("GET", "a") == b"1"
