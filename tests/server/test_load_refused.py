"""millrace load: commands that depend on a refused SELECT or MULTI are refused too, and commands that can harm the
whole server are sent only if that is allowed."""

import pytest

from server import Server, wait_until
from tool import COMMANDS, counts, load, loading, number_in


@pytest.fixture
def own():
    with Server(databases=4) as server:
        yield server


def told(done):
    """Line and reason of each failure reported on stderr."""
    return [tuple(line.split(": -:", 1)[1].split(": ", 1)) for line in done.stderr.decode().splitlines()]


def test_behind_a_select_that_is_refused_nothing_is_sent_until_one_is_accepted(own):
    lines = b"SET a 0\nSELECT 99\nSET b 0\nMULTI\nSET c 0\nEXEC\nSELECT 1\nSET d 1\nSELECT x\nSET e 1\n"
    done = load(own, "-", input=lines, status=1)
    assert counts(done) == (5, 3, 2)
    selects = ["not sent: the SELECT at -:2 was refused", "not sent: the SELECT at -:9 was refused"]
    multi = "not sent: the MULTI at -:4 was refused"
    assert told(done) == [
        ("2", "ERR DB index is out of range"), ("3", selects[0]), ("4", selects[0]), ("5", multi), ("6", multi),
        ("9", "ERR value is not an integer or out of range"), ("10", selects[1])]
    assert own.admin.call("KEYS", "*") == [b"a"]
    own.admin.call("SELECT", 1)
    assert own.admin.call("KEYS", "*") == [b"d"]


def test_a_select_that_is_refused_holds_in_the_next_file_and_in_the_next_run(own, tmp_path):
    first, second, state = tmp_path / "1.commands", tmp_path / "2.commands", tmp_path / "state"
    first.write_text("SET a 0\nSELECT 99\nSET b 0\n")
    second.write_text("SET c 0\n")
    load(own, "--checkpoint", state, "--strict", first, second, status=1)
    done = load(own, "--checkpoint", state, first, second, status=3)
    assert b"does not let us in: ERR DB index is out of range" in done.stderr
    assert own.admin.call("KEYS", "*") == [b"a"]
    assert counts(load(own, first, second, status=1)) == (2, 1, 1)
    assert own.admin.call("KEYS", "*") == [b"a"]


def test_behind_a_multi_that_is_refused_nothing_is_executed_up_to_its_exec(own):
    own.admin.call("ACL", "SETUSER", "default", "-multi")
    done = load(own, "-", input=b"SET a 1\nMULTI\nSET b 1\nSET c 1\nEXEC\nSET d 1\n", status=1)
    assert counts(done) == (3, 2, 1)
    why = "not sent: the MULTI at -:2 was refused"
    assert told(done)[1:] == [("3", why), ("4", why), ("5", why)] and "NOPERM" in told(done)[0][1]
    assert sorted(own.admin.call("KEYS", "*")) == [b"a", b"d"]


def test_a_refused_transaction_ends_with_its_file(own, tmp_path):
    own.admin.call("ACL", "SETUSER", "default", "-multi")
    first, second, state = tmp_path / "1.commands", tmp_path / "2.commands", tmp_path / "state"
    first.write_text("MULTI\nSET a 1\n")
    second.write_text("SET b 1\n")
    load(own, "--checkpoint", state, first, second, status=1)
    assert own.admin.call("KEYS", "*") == [b"b"] and number_in(state, "file") == 2


def test_a_checkpoint_stays_before_a_refused_multi_until_it_is_over(own, tmp_path):
    """A second run that started behind the MULTI would send its commands outside any transaction."""
    own.admin.call("ACL", "SETUSER", "default", "-multi")
    state = tmp_path / "state"
    lines = b"SET a 1\nMULTI\nRPUSH l 1\n"
    with loading(tmp_path, own, "--checkpoint", state) as running:
        running.write_input(lines)
        wait_until(lambda: number_in(state, "line") == 2, "it is in the transaction")
        running.wait_until_it_waits()
        running.interrupt()
        running.ends_with(130)
    assert number_in(state, "line") == 2
    own.admin.call("ACL", "SETUSER", "default", "+multi")
    assert counts(load(own, "--checkpoint", state, *COMMANDS, input=lines + b"RPUSH l 2\nEXEC\n")) == (5, 5, 0)
    assert own.admin.call("LRANGE", "l", 0, -1) == [b"1", b"2"]


def test_a_transaction_in_which_a_select_is_refused_is_not_carried_out_in_part(own):
    done = load(own, "-", input=b"MULTI\nSET a 0\nSELECT 99\nSET b 99\nEXEC\nSET c 99\nSELECT 0\nSET d 0\n", status=1)
    broken, refused = "not carried out: a SELECT in its transaction was refused", "not sent: the SELECT at -:3 was refused"
    assert told(done) == [("1", broken), ("2", broken), ("3", "ERR DB index is out of range"), ("4", refused),
                          ("5", refused), ("6", refused)]
    assert own.admin.call("KEYS", "*") == [b"d"]


DANGEROUS = ["SHUTDOWN NOSAVE", "FLUSHALL", "flushdb", "DEBUG SLEEP 0", "SWAPDB 0 1", "CONFIG SET maxmemory 1", "REPLICAOF no one",
             "CLIENT KILL TYPE normal", "ACL DELUSER ann", "MODULE UNLOAD millrace", "CLUSTER RESET", "SCRIPT FLUSH"]


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_can_harm_the_whole_server_is_not_sent(own, command):
    own.admin.call("SET", "kept", 1)
    done = load(own, "-", input=f"SET a 1\n{command}\nSET b 1\nCONFIG GET maxmemory\n".encode(), status=1)
    assert counts(done) == (3, 3, 0)
    assert told(done) == [("2", "this command can harm the whole server: it is loaded only with --allow-dangerous")]
    assert sorted(own.admin.call("KEYS", "*")) == [b"a", b"b", b"kept"] and own.is_alive()


def test_what_can_harm_the_whole_server_is_sent_if_it_is_allowed(own):
    own.admin.call("SET", "gone", 1)
    assert counts(load(own, "--allow-dangerous", "-", input=b"FLUSHALL\nSET a 1\n")) == (2, 2, 0)
    assert own.admin.call("KEYS", "*") == [b"a"]


def test_a_server_that_the_input_shuts_down_is_not_shut_down_again(own, tmp_path):
    path = tmp_path / "x.commands"
    path.write_text("SET a 1\nSHUTDOWN NOSAVE\n")
    assert counts(load(own, "--allow-dangerous", path)) == (2, 2, 0)
    wait_until(lambda: not own.is_alive(), "it is shut down")
