"""millrace load: servers that are slow, close its connection, restart, or never come back."""

import subprocess

import pytest

from resp import encoded
from server import QUIET_PORTS, Server, free_port, wait_until
from tool import Running, counts, is_queueing, load, millrace


@pytest.fixture
def own():
    """A server of the test's own that keeps its data."""
    with Server(appendonly="yes") as server:
        yield server


def numbered(path, count, line="RPUSH l {}\n"):
    path.write_text("".join(line.format(i) for i in range(count)))
    return path


def connections(server):
    """The ids of all clients but the one that asks."""
    own = server.admin.call("CLIENT", "ID")
    lines = server.admin.call("CLIENT", "LIST").decode().splitlines()
    return [id_ for id_ in (int(line.split()[0].split("=")[1]) for line in lines) if id_ != own]


@pytest.mark.long
def test_a_server_that_stands_still_for_a_while_is_waited_for(own, tmp_path):
    path = numbered(tmp_path / "x.commands", 200_000)
    with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "20", path) as running:
        wait_until(lambda: own.admin.call("LLEN", "l") > 1000, "it is under way")
        own.suspend()
        running.wait_for_errors("records")  # the progress line that comes every few seconds: the load goes on
        own.resume()
        running.ends_with(0)
    assert own.admin.call("LLEN", "l") == 200_000


def test_replies_larger_than_all_buffers_do_not_block_the_load(own):
    own.admin.call("SET", "big", "x" * 500_000)
    commands = encoded(["GET", "big"]) * 300 + encoded(["SET", "big", b"y" * 500_000]) * 50
    assert counts(load(own, "-", input=commands)) == (350, 350, 0)


@pytest.mark.long
def test_a_connection_that_is_cut_is_opened_again_and_nothing_is_missing(own, tmp_path):
    path = numbered(tmp_path / "x.commands", 300_000, "SADD s {}\n")
    with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "50", path) as running:
        for share in (20_000, 100_000, 200_000):
            wait_until(lambda: own.admin.call("SCARD", "s") > share, "it is under way")
            for id_ in connections(own):
                own.admin.call("CLIENT", "KILL", "ID", id_)
        running.ends_with(0)
        assert running.errors().count("is back; going on") >= 1
    assert own.admin.call("SCARD", "s") == 300_000


def test_a_server_that_is_killed_and_restarted_gets_everything(own, tmp_path):
    own.admin.call("CONFIG", "SET", "appendfsync", "always")
    path = numbered(tmp_path / "x.commands", 100_000, "SADD s {}\n")
    with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "50", path) as running:
        wait_until(lambda: own.admin.call("SCARD", "s") > 10_000, "it is under way")
        own.kill()
        running.wait_for_errors("trying to reach it again")
        own.come_back()
        running.ends_with(0)
    assert own.admin.call("SCARD", "s") == 100_000


def test_what_was_answered_is_not_sent_again_after_a_cut(own, tmp_path):
    """After a lost connection, only commands that were in flight can be executed twice: at most the pipeline."""
    path = numbered(tmp_path / "x.commands", 100_000)
    with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "50", path) as running:
        wait_until(lambda: own.admin.call("LLEN", "l") > 10_000, "it is under way")
        for id_ in connections(own):
            own.admin.call("CLIENT", "KILL", "ID", id_)
        running.ends_with(0)
    values = [int(value) for value in own.admin.call("LRANGE", "l", 0, -1)]
    assert sorted(set(values)) == list(range(100_000))
    assert len(values) - 100_000 <= 50


def test_a_transaction_that_is_cut_in_two_is_sent_again_whole(own, tmp_path):
    lines = "MULTI\n" + "RPUSH l x\n" * 150_000 + "SELECT 1\nEXEC\nSET after 1\n"
    path = tmp_path / "x.commands"
    path.write_text(lines)
    with Running(tmp_path, "load", "--to", f":{own.port}", "--pipeline", "10", path) as running:
        wait_until(lambda: is_queueing(own), "the transaction is under way")
        for id_ in connections(own):
            own.admin.call("CLIENT", "KILL", "ID", id_)
        running.ends_with(0)
    assert own.admin.call("LLEN", "l") == 150_000
    own.admin.call("SELECT", "1")
    assert own.admin.call("GET", "after") == b"1"


def test_a_server_that_does_not_come_back_ends_it_with_status_3(own, tmp_path):
    path = numbered(tmp_path / "x.commands", 300_000)
    state = tmp_path / "state"
    with Running(tmp_path, "load", "--to", f":{own.port}", "--retry-for", "0", "--checkpoint", state, "--pipeline", "20", path) as running:
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
    path = numbered(tmp_path / "x.commands", 300_000)
    with Running(tmp_path, "load", "--to", f":{own.port}", "--timeout", "1", "--retry-for", "0", path) as running:
        wait_until(lambda: own.admin.call("LLEN", "l") > 1000, "it is under way")
        own.suspend()
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
        running.process.stdin.write(b"SET a 1\nSET b")
        running.process.stdin.flush()
        wait_until(lambda: own.admin.call("GET", "a") == b"1", "the first command arrives")
        running.process.stdin.write(b" 2\n")
        running.process.stdin.flush()
        wait_until(lambda: own.admin.call("GET", "b") == b"2", "the second command arrives")
        running.interrupt()
        running.ends_with(130)
        assert running.output().startswith("2 sent, 2 succeeded, 0 failed in ")
