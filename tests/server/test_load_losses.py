"""millrace load: if a server comes back without what it had confirmed, the load notices and never reports success."""

import re
import subprocess

import pytest

from server import Server, let_pass, wait_until
from tool import COMMANDS, Running, cut_connections, load, loading, number_in

COUNT = 200_000
LINES = [b"SADD s %d\n" % i for i in range(COUNT)]
BEGINNING, REST = b"".join(LINES[:COUNT // 2]), b"".join(LINES[COUNT // 2:])


def begin(server, running):
    """Gives the load the beginning of the lines, and waits until the server has some of them."""
    running.write_input(BEGINNING)
    wait_until(lambda: server.admin.call("SCARD", "s") > 10_000, "it is under way")


def killed_in_the_middle(server, running):
    """Kills the server (kill -9) when the load has begun, and restarts it on the same port. The rest is not written
    yet."""
    begin(server, running)
    server.kill()
    running.wait_for_errors("trying to reach it again")
    server.come_back()


def test_a_server_that_was_restarted_without_persistence_ends_it_with_a_status_of_its_own(tmp_path):
    with Server() as own:
        state = tmp_path / "state"
        with loading(tmp_path, own, "--pipeline", "50", "--checkpoint", state) as running:
            killed_in_the_middle(own, running)
            running.ends_with(5)
            assert f"127.0.0.1:{own.port} lacks what was confirmed up to -:" in running.errors()
            assert "; load everything again, from the beginning of the input" in running.errors()
            assert "0 failed, but lost by the server in " in running.output()
        assert own.admin.call("EXISTS", "s") == 0, "nothing more was sent"
        assert number_in(state, "line") == 1 and number_in(state, "sent") == 0, "the checkpoint is set back"
        load(own, "--checkpoint", state, *COMMANDS, input=BEGINNING + REST)
        assert own.admin.call("SCARD", "s") == COUNT


@pytest.mark.long
def test_a_server_whose_append_only_file_is_always_synced_has_everything(tmp_path):
    with Server(appendonly="yes", appendfsync="always") as own:
        with loading(tmp_path, own, "--pipeline", "50") as running:
            killed_in_the_middle(own, running)
            running.end_input(REST)
            running.ends_with(0)
        assert own.admin.call("SCARD", "s") == COUNT


def test_where_the_last_two_seconds_may_be_missing_it_names_those_lines(tmp_path):
    with Server(appendonly="yes", appendfsync="everysec") as own:
        with loading(tmp_path, own, "--pipeline", "50") as running:
            killed_in_the_middle(own, running)
            running.end_input(REST)
            running.ends_with(5)
            told = rf"127\.0\.0\.1:{own.port} may lack what was confirmed from -:(\d+) to -:(\d+): "
            found = re.search(told, running.errors())
            assert found, running.errors()
            first, last = map(int, found.groups())
            assert first < last <= COUNT // 2 + 1
            # The load notes once per second what is confirmed, and tells its progress every three seconds. Before it
            # has told it, none of its notes is two seconds older than an answer.
            assert first == 1 or "records" in running.errors()[:found.start()]
            assert f"{COUNT} sent, {COUNT} succeeded, 0 failed, some of it perhaps lost by the server in " in running.output()


@pytest.mark.long
def test_lines_that_were_confirmed_long_before_are_not_doubted(tmp_path):
    """The load waits for its input for longer than the append-only file may lag behind."""
    with Server(appendonly="yes", appendfsync="everysec") as own:
        state = tmp_path / "state"
        with loading(tmp_path, own, "--checkpoint", state) as running:
            running.write_input(b"SADD s 1\nSADD s 2\n")
            wait_until(lambda: number_in(state, "sent") == 2, "two are confirmed")
            wait_until_noted(own)
            let_pass(2)  # as long as the append-only file may lag behind
            running.write_input(b"SADD s 3\n")
            wait_until(lambda: number_in(state, "sent") == 3, "the third is confirmed")
            own.kill()
            running.wait_for_errors("trying to reach it again")
            own.come_back()
            running.end_input()
            running.ends_with(5)
        assert "may lack what was confirmed from -:3 to -:4: " in running.errors()


def wait_until_noted(server):
    """Waits until the load has noted what is confirmed, which it does before it asks for INFO, once per second. When it
    asks the second time, it has noted what was confirmed before this call."""
    with server.connect() as watching:
        watching.call("MONITOR")
        for _ in range(2):
            while b'"INFO"' not in watching.read():
                pass


@pytest.mark.long
def test_a_silent_server_is_doubted_from_when_it_was_heard_last_not_from_when_it_was_asked(tmp_path):
    """The server confirms a line, is silent for longer than its append-only file may lag behind, gets another line, and
    dies."""
    with Server(appendonly="yes", appendfsync="everysec") as own:
        with loading(tmp_path, own) as running:
            running.write_input(b"SADD s 1\n")
            wait_until(lambda: own.admin.call("SCARD", "s") == 1, "it is under way")
            running.wait_until_it_waits()
            own.suspend()
            told = running.errors().count("records")
            wait_until(lambda: running.errors().count("records") > told + 1, "some seconds have gone by")
            running.write_input(b"SADD s 2\n")
            running.wait_until_it_waits()
            own.kill()
            running.wait_for_errors("trying to reach it again")
            own.come_back()
            running.end_input()
            running.ends_with(5)
        assert "may lack what was confirmed from -:1 to -:2: " in running.errors()


def test_what_was_confirmed_while_an_earlier_line_waits_for_its_answer_is_not_forgotten(tmp_path):
    with Server() as own:
        lines = b"BLPOP nothing 0\n" + b"".join(b"SADD s%d x\n" % i for i in range(20))
        with Running(tmp_path, "load", "--to", f":{own.port}", "--connections", "2", "-", stdin=subprocess.PIPE) as running:
            running.write_input(lines)
            wait_until(lambda: own.admin.call("DBSIZE") > 0, "the other connection goes on")
            running.wait_until_it_waits()
            own.kill()
            running.wait_for_errors("trying to reach it again")
            own.come_back()
            running.ends_with(5)
        assert "lacks what was confirmed up to -:" in running.errors()


@pytest.mark.long
def test_a_load_whose_user_may_not_ask_does_not_report_success(tmp_path):
    with Server(appendonly="yes", appendfsync="always") as own:
        own.admin.call("ACL", "SETUSER", "default", "-info")
        with loading(tmp_path, own, "--pipeline", "50") as running:
            begin(own, running)
            cut_connections(own)
            running.end_input(REST)
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
            running.end_input(b"SET a 1\n")
            running.ends_with(0)
        assert own.admin.call("GET", "a") == b"1"
