"""millrace load: servers that are slow, close its connection, restart, or never come back."""

import subprocess

import pytest

from resp import encoded
from server import QUIET_PORTS, Server, free_port, wait_until
from tool import Running, counts, cut_connections, is_queueing, load, loading, millrace, number_in


@pytest.fixture
def own():
    """A server of the test's own that keeps its data."""
    with Server(appendonly="yes") as server:
        yield server


def numbered(first, end, line=b"RPUSH l %d\n"):
    """The line with each number from the first one up to, and without, the end."""
    return b"".join(line % i for i in range(first, end))


@pytest.mark.long
def test_a_server_that_stands_still_for_a_while_is_waited_for(own, tmp_path):
    with loading(tmp_path, own, "--pipeline", "20") as running:
        running.write_input(numbered(0, 2000))
        wait_until(lambda: own.admin.call("LLEN", "l") > 1000, "it is under way")
        own.suspend()
        running.write_input(numbered(2000, 4000))  # so that the load waits for answers
        told = running.errors().count("records")
        # The progress line that comes every few seconds: the load goes on.
        wait_until(lambda: running.errors().count("records") > told, "it tells how far it is")
        own.resume()
        running.end_input(numbered(4000, 50_000))
        running.ends_with(0)
    assert own.admin.call("LLEN", "l") == 50_000


def test_replies_larger_than_all_buffers_do_not_block_the_load(own):
    own.admin.call("SET", "big", "x" * 500_000)
    commands = encoded(["GET", "big"]) * 300 + encoded(["SET", "big", b"y" * 500_000]) * 50
    assert counts(load(own, "-", input=commands)) == (350, 350, 0)


@pytest.mark.long
def test_a_connection_that_is_cut_is_opened_again_and_nothing_is_missing(own, tmp_path):
    with loading(tmp_path, own, "--pipeline", "50") as running:
        for first in (0, 75_000, 150_000):
            running.write_input(numbered(first, first + 75_000, b"SADD s %d\n"))
            wait_until(lambda: own.admin.call("SCARD", "s") > first + 20_000, "it is under way")
            cut_connections(own)
        running.end_input(numbered(225_000, 300_000, b"SADD s %d\n"))
        running.ends_with(0)
        assert running.errors().count("is back; going on") == 3
    assert own.admin.call("SCARD", "s") == 300_000


def test_a_server_that_is_killed_and_restarted_gets_everything(own, tmp_path):
    own.admin.call("CONFIG", "SET", "appendfsync", "always")
    with loading(tmp_path, own, "--pipeline", "50") as running:
        running.write_input(numbered(0, 50_000, b"SADD s %d\n"))
        wait_until(lambda: own.admin.call("SCARD", "s") > 10_000, "it is under way")
        own.kill()
        running.wait_for_errors("trying to reach it again")
        own.come_back()
        running.end_input(numbered(50_000, 100_000, b"SADD s %d\n"))
        running.ends_with(0)
    assert own.admin.call("SCARD", "s") == 100_000


def test_what_was_answered_is_not_sent_again_after_a_cut(own, tmp_path):
    """After a lost connection, only commands that were in flight can be executed twice: at most the pipeline."""
    with loading(tmp_path, own, "--pipeline", "50") as running:
        running.write_input(numbered(0, 50_000))
        wait_until(lambda: own.admin.call("LLEN", "l") > 10_000, "it is under way")
        cut_connections(own)
        running.end_input(numbered(50_000, 100_000))
        running.ends_with(0)
        assert "is back; going on" in running.errors()
    values = [int(value) for value in own.admin.call("LRANGE", "l", 0, -1)]
    assert sorted(set(values)) == list(range(100_000))
    assert len(values) - 100_000 <= 50


def test_a_transaction_that_is_cut_in_two_is_sent_again_whole(own, tmp_path):
    with loading(tmp_path, own, "--pipeline", "10") as running:
        running.write_input(b"MULTI\n" + b"RPUSH l x\n" * 50_000)
        wait_until(lambda: is_queueing(own), "the transaction is under way")
        cut_connections(own)
        running.end_input(b"SELECT 1\nEXEC\nSET after 1\n")
        running.ends_with(0)
        assert "is back; going on" in running.errors()
    assert own.admin.call("LLEN", "l") == 50_000
    own.admin.call("SELECT", "1")
    assert own.admin.call("GET", "after") == b"1"


def test_a_server_that_does_not_come_back_ends_it_with_status_3(own, tmp_path):
    state = tmp_path / "state"
    with loading(tmp_path, own, "--retry-for", "0", "--checkpoint", state, "--pipeline", "20") as running:
        running.write_input(numbered(0, 20_000))
        wait_until(lambda: own.admin.call("LLEN", "l") > 1000, "it is under way")
        own.kill()
        running.ends_with(3)
        assert "trying to reach it again" in running.errors()
        assert " sent, " in running.output()
    assert "millrace checkpoint" in state.read_text()


def test_no_server_at_all_is_status_3():
    done = millrace("load", "--to", f":{free_port(QUIET_PORTS)}", "-", input=b"SET a 1\n")
    assert done.returncode == 3
    assert b"cannot connect to 127.0.0.1" in done.stderr


def test_a_server_that_answers_nothing_is_given_up_after_the_timeout(own, tmp_path):
    state = tmp_path / "state"
    with loading(tmp_path, own, "--timeout", "1", "--retry-for", "0", "--checkpoint", state) as running:
        running.write_input(numbered(0, 2000))
        # Nothing is in flight then, so the load waits only for answers to what is written after the server has stopped.
        wait_until(lambda: number_in(state, "sent") == 2000, "these are answered")
        own.suspend()
        running.write_input(numbered(2000, 4000))
        running.ends_with(3)
        assert "has not answered for 1 seconds" in running.errors()
        own.resume()


def test_a_server_that_lets_us_in_and_cuts_us_off_each_time_is_given_up(own):
    with own.changed_settings(client_query_buffer_limit="1048576"):
        done = load(own, "--retry-for", "1", "-", input=encoded(["SET", "a", "1"]) + encoded(["SET", "b", b"x" * 3_000_000]), status=3)
    assert b"the connection to 127.0.0.1" in done.stderr
    assert own.admin.call("GET", "a") == b"1"


def test_a_password_comes_from_the_environment_and_a_wrong_one_is_reported(own):
    own.admin.call("ACL", "SETUSER", "loader", "on", ">secret", "~*", "+@all")
    own.admin.call("CONFIG", "SET", "requirepass", "other")
    try:
        words = ("--user", "loader", "--database", "3", "-")
        assert counts(load(own, *words, input=b"SET a 1\n", env={"REDISCLI_AUTH": "secret"})) == (1, 1, 0)
        done = load(own, *words, input=b"SET a 1\n", env={"REDISCLI_AUTH": "wrong"}, status=3)
        assert b"does not let us in: WRONGPASS" in done.stderr
    finally:
        own.admin.call("CONFIG", "SET", "requirepass", "")
    own.admin.call("SELECT", "3")
    assert own.admin.call("GET", "a") == b"1"


def test_a_user_without_a_password_in_the_environment_is_never_silently_the_default_one(own):
    own.admin.call("ACL", "SETUSER", "open", "on", "nopass", "~open:*", "+@all")
    own.admin.call("ACL", "SETUSER", "closed", "on", ">secret", "~*", "+@all")
    lines = b"SET open:a 1\nSET b 1\n"
    done = load(own, "--user", "open", "-", input=lines, env={}, status=1)
    assert counts(done) == (2, 1, 1) and b"NOPERM" in done.stderr
    for user in ("closed", "nobody"):
        done = load(own, "--user", user, "-", input=lines, env={}, status=3)
        assert b"does not let us in: WRONGPASS" in done.stderr
        done = millrace("tail", "--to", f":{own.port}", "--user", user, "log", env={})
        assert done.returncode == 3 and b"does not let us in: WRONGPASS" in done.stderr
        done = millrace("lock", "--to", f":{own.port}", "--user", user, "name", "--", "true", env={})
        assert done.returncode == 3 and b"does not let us in: WRONGPASS" in done.stderr
    assert own.admin.call("EXISTS", "b") == 0


def test_the_rights_the_guide_names_are_enough(own):
    rights = ("+cluster|slots", "+ping", "+set")
    own.admin.call("ACL", "SETUSER", "least", "on", "nopass", "~*", "-@all", *rights)
    assert counts(load(own, "--user", "least", "-", input=b"SET a 1\n", env={})) == (1, 1, 0)
    more = ("+command|info", "+command|getkeys", "+select", "+eval")
    own.admin.call("ACL", "SETUSER", "least", *more)
    lines = b"SET a 2\nEVAL 'return 1' 1 a\n"
    assert counts(load(own, "--user", "least", "--connections", "2", "--database", "1", "-", input=lines, env={})) == (2, 2, 0)


def test_several_connections_keep_the_commands_of_a_key_in_order(own):
    lines = b"".join(b"RPUSH l%d %d\n" % (i % 7, i) for i in range(50_000))
    assert counts(load(own, "--connections", "4", "-", input=lines)) == (50_000, 50_000, 0)
    for k in range(7):
        assert own.admin.call("LRANGE", f"l{k}", 0, -1) == [b"%d" % i for i in range(50_000) if i % 7 == k]
    done = load(own, "--connections", "2", "-", input=b"MULTI\nSET a 1\nEXEC\nSELECT 1\n", status=1)
    assert done.stderr.count(b"needs one connection and no cluster") == 2
    assert done.stderr.count(b"not sent: the MULTI at -:1 was refused") == 2 and own.admin.call("EXISTS", "a") == 0


def test_input_that_trickles_through_a_pipe_is_sent_as_it_comes(own, tmp_path):
    with Running(tmp_path, "load", "--to", f":{own.port}", "-", stdin=subprocess.PIPE) as running:
        running.write_input(b"SET a 1\nSET b")
        wait_until(lambda: own.admin.call("GET", "a") == b"1", "the first command arrives")
        running.write_input(b" 2\n")
        wait_until(lambda: own.admin.call("GET", "b") == b"2", "the second command arrives")
        running.interrupt()
        running.ends_with(130)
        assert running.output().startswith("2 sent, 2 succeeded, 0 failed in ")
