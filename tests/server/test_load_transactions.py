"""millrace load: a transaction of the input is loaded as a whole or not at all, whatever ends the load."""

import gzip
import random
import signal
import subprocess

import pytest

from server import DEADLINE, Server, wait_until
from tool import COMMANDS, Running, counts, cut_connections, is_queueing, load, loading, number_in

# More than the pipe and the load's buffer hold, so that the load has begun with them when all of them are written.
MANY = 50_000


@pytest.fixture
def own():
    with Server() as server:
        yield server


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


@pytest.mark.long
@pytest.mark.parametrize("wish", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_transaction_that_a_signal_cuts_in_two_is_sent_again_from_its_multi_on(own, tmp_path, state, wish):
    lines = b"SET first 1\nMULTI\n" + b"".join(b"RPUSH l %d\n" % i for i in range(MANY))
    words = ("--checkpoint", state, "--pipeline", "10")
    with loading(tmp_path, own, *words) as running:
        running.write_input(lines)
        wait_until(lambda: is_queueing(own), "the transaction is under way")
        running.process.send_signal(wish)
        running.ends_with(130)
        assert running.output().startswith("1 sent, 1 succeeded, 0 failed")
    assert number_in(state, "line") == 2 and number_in(state, "sent") == 1
    assert own.admin.call("EXISTS", "l") == 0
    done = load(own, *words, *COMMANDS, input=lines + b"EXEC\nSET done 1\n")
    assert counts(done) == (MANY + 4, MANY + 4, 0)
    assert own.admin.call("LRANGE", "l", 0, -1) == [b"%d" % i for i in range(MANY)]
    assert own.admin.call("GET", "done") == b"1"


@pytest.mark.long
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_stopped_again_and_again_among_transactions_it_loads_each_command_once(own, tmp_path, state, pack):
    lines = []
    for i in range(30_000):
        inside = i % 5 == 0
        lines += ["MULTI"] * inside + [f"RPUSH l {i}"] + ["EXEC"] * inside
    path = tmp_path / ("x.commands.gz" if pack is gzip.compress else "x.commands")
    path.write_bytes(pack("\n".join(lines).encode() + b"\n"))
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--pipeline", "7", path)
    rng = random.Random(11)
    stopped = 0
    for _ in range(12):
        goal = number_in(state, "sent") + rng.randrange(1, len(lines) // 20)
        with Running(tmp_path, *words) as running:
            wait_until(lambda: number_in(state, "sent") >= goal or running.process.poll() is not None, "it is under way")
            running.process.send_signal(rng.choice([signal.SIGINT, signal.SIGTERM]))
            if running.process.wait(DEADLINE) == 0:
                break  # the load ended before the signal came
            running.ends_with(130)
            stopped += 1
    assert stopped > 0
    assert counts(load(own, *words[3:])) == (len(lines), len(lines), 0)
    assert own.admin.call("LRANGE", "l", 0, -1) == [b"%d" % i for i in range(30_000)]


def test_a_strict_load_that_ends_within_a_transaction_leaves_the_whole_of_it_to_the_next_run(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text('INCR n\nMULTI\nINCR n\nSET "not closed\nINCR n\nEXEC\n')
    load(own, "--checkpoint", state, "--strict", path, status=1)
    assert own.admin.call("GET", "n") == b"1" and number_in(state, "line") == 2
    path.write_text('INCR n\nMULTI\nINCR n\nSET now closed\nINCR n\nEXEC\n')
    assert counts(load(own, "--checkpoint", state, "--strict", path)) == (6, 6, 0)
    assert own.admin.call("GET", "n") == b"3"


@pytest.mark.parametrize("trouble", ["a signal", "a cut"])
def test_a_database_selected_within_a_transaction_is_selected_when_it_was_carried_out(own, tmp_path, state, trouble):
    lines, rest = b"MULTI\nSET a 1\nSELECT 1\n" + b"RPUSH l x\n" * MANY, b"EXEC\nSET after 1\n"
    words = ("--checkpoint", state, "--pipeline", "10")
    with loading(tmp_path, own, *words) as running:
        running.write_input(lines)
        wait_until(lambda: is_queueing(own), "the transaction is under way")
        if trouble == "a signal":
            running.interrupt()
            running.ends_with(130)
            load(own, *words, *COMMANDS, input=lines + rest)
        else:
            cut_connections(own)
            running.end_input(rest)
            running.ends_with(0)
            assert "is back; going on" in running.errors()
    assert own.admin.call("GET", "a") == b"1"
    own.admin.call("SELECT", "1")
    assert own.admin.call("GET", "after") == b"1" and own.admin.call("LLEN", "l") == MANY
    assert own.admin.call("EXISTS", "a") == 0


def test_a_database_selected_within_a_discarded_transaction_is_not_used_afterwards(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("MULTI\nSELECT 1\nDISCARD\nNOSUCH\nSET a 1\n")
    load(own, "--checkpoint", state, "--strict", "--pipeline", "1", path, status=1)
    load(own, "--checkpoint", state, path, status=1)
    assert own.admin.call("GET", "a") == b"1"


def failures(done):
    """Line and reason of each failure reported on stderr."""
    return [tuple(line.split(":", 3)[2:]) for line in done.stderr.decode().splitlines()]


def test_an_error_inside_a_transaction_names_the_line_of_its_command(server, c):
    done = load(server, "-", input=b"SET a x\nMULTI\nSET b 1\n\nINCR a\nSET b 2\nLPUSH a 1\nEXEC\n", status=1)
    assert counts(done) == (7, 5, 2)
    assert failures(done) == [
        ("5", " ERR value is not an integer or out of range"),
        ("7", " WRONGTYPE Operation against a key holding the wrong kind of value")]
    assert c.call("GET", "b") == b"2"


def test_commands_of_a_transaction_that_exec_refuses_count_as_failed(server, c):
    done = load(server, "-", input=b"MULTI\nSET a 1\nNOSUCH\nSET b 1\nEXEC\nSET c 1\n", status=1)
    assert counts(done) == (6, 2, 4)
    aborted = " EXECABORT Transaction discarded because of previous errors."
    assert [line for line, _ in failures(done)] == ["2", "3", "4", "5"]
    assert [why for _, why in failures(done) if "NOSUCH" not in why] == [aborted] * 3
    assert c.call("EXISTS", "a", "b") == 0 and c.call("GET", "c") == b"1"


def test_a_transaction_of_which_a_watched_key_was_changed_counts_as_failed(server, c, tmp_path):
    with Running(tmp_path, "load", "--to", f":{server.port}", "-", stdin=subprocess.PIPE) as running:
        running.write_input(b"WATCH k\nSET watching 1\n")
        wait_until(lambda: c.call("EXISTS", "watching"), "it watches")
        c.call("SET", "k", "changed")
        running.end_input(b"MULTI\nSET a 1\nEXEC\n")
        running.ends_with(1)
        assert running.output().startswith("5 sent, 3 succeeded, 2 failed")
        assert "-:4: not carried out: a key that its transaction watches was changed" in running.errors()
    assert c.call("EXISTS", "a") == 0


def test_what_the_input_discards_itself_succeeded(server, c):
    assert counts(load(server, "-", input=b"MULTI\nSET a 1\nDISCARD\nSET b 1\n")) == (4, 4, 0)
    assert c.call("EXISTS", "a") == 0 and c.call("GET", "b") == b"1"


def test_a_transaction_that_is_open_at_the_end_of_its_file_is_reported_and_swallows_nothing(server, c, tmp_path, state):
    first, second = tmp_path / "f1.commands", tmp_path / "f2.commands"
    first.write_text("SET f0 1\nMULTI\nSET f1 1\n")
    second.write_text("SET f2 1\nMULTI\n")
    done = load(server, "--checkpoint", state, first, second, status=1)
    assert counts(done) == (5, 2, 3)
    why = "not carried out: its transaction has no EXEC in this file"
    assert done.stderr.decode().splitlines() == [
        f"millrace load: {first}:2: {why}", f"millrace load: {first}:3: {why}", f"millrace load: {second}:2: {why}"]
    assert c.call("EXISTS", "f1") == 0 and c.call("GET", "f2") == b"1"
    assert number_in(state, "file") == 2 and number_in(state, "failed") == 3
