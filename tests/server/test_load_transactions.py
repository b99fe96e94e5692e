"""millrace load: a transaction of the input is loaded as a whole or not at all, whatever ends the load."""

import gzip
import random
import signal

import pytest

from server import Server, wait_until
from tool import Running, counts, load


@pytest.fixture
def own():
    with Server() as server:
        yield server


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def number_in(state, name):
    """A number of the checkpoint; 0 before there is one."""
    if not state.exists():
        return 0
    return int(state.read_text().split(f"\n{name} ")[1].split("\n")[0])


def is_queueing(server):
    """Whether somebody has queued commands of a transaction."""
    return any(f"multi={i}" in server.admin.call("CLIENT", "LIST").decode() for i in range(1, 10))


@pytest.mark.parametrize("wish", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_transaction_that_a_signal_cuts_in_two_is_sent_again_from_its_multi_on(own, tmp_path, state, wish):
    path = tmp_path / "x.commands"
    path.write_text("SET first 1\nMULTI\n" + "".join(f"RPUSH l {i}\n" for i in range(150_000)) + "EXEC\nSET done 1\n")
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--pipeline", "100", path)
    with Running(tmp_path, *words) as running:
        wait_until(lambda: is_queueing(own), "the transaction is under way")
        running.process.send_signal(wish)
        running.ends_with(130)
        assert running.output().startswith("1 sent, 1 succeeded, 0 failed")
    assert number_in(state, "line") == 2 and number_in(state, "sent") == 1
    assert own.admin.call("EXISTS", "l") == 0
    assert counts(load(own, *words[3:])) == (150_004, 150_004, 0)
    assert own.admin.call("LRANGE", "l", 0, -1) == [b"%d" % i for i in range(150_000)]
    assert own.admin.call("GET", "done") == b"1"


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
    for _ in range(12):
        goal = number_in(state, "sent") + rng.randrange(1, len(lines) // 20)
        with Running(tmp_path, *words) as running:
            wait_until(lambda: number_in(state, "sent") >= goal, "it is under way")
            running.process.send_signal(rng.choice([signal.SIGINT, signal.SIGTERM]))
            running.ends_with(130)
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
    path = tmp_path / "x.commands"
    path.write_text("MULTI\nSET a 1\nSELECT 1\n" + "RPUSH l x\n" * 150_000 + "EXEC\nSET after 1\n")
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--pipeline", "100", path)
    with Running(tmp_path, *words) as running:
        wait_until(lambda: is_queueing(own), "the transaction is under way")
        if trouble == "a signal":
            running.interrupt()
            running.ends_with(130)
            load(own, *words[3:])
        else:
            own.admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            running.ends_with(0)
    assert own.admin.call("GET", "a") == b"1"
    own.admin.call("SELECT", "1")
    assert own.admin.call("GET", "after") == b"1" and own.admin.call("LLEN", "l") == 150_000
    assert own.admin.call("EXISTS", "a") == 0


def test_a_database_selected_within_a_discarded_transaction_is_not_gone_on_in(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("MULTI\nSELECT 1\nDISCARD\nNOSUCH\nSET a 1\n")
    load(own, "--checkpoint", state, "--strict", "--pipeline", "1", path, status=1)
    load(own, "--checkpoint", state, path, status=1)
    assert own.admin.call("GET", "a") == b"1"


def test_where_multi_is_refused_the_commands_behind_it_count_as_they_are_carried_out(own, tmp_path, state):
    own.admin.call("ACL", "SETUSER", "default", "-multi")
    path = tmp_path / "x.commands"
    path.write_text("MULTI\n" + "".join(f"RPUSH l {i}\n" for i in range(100_000)) + "EXEC\n")
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--pipeline", "100", path)
    with Running(tmp_path, *words) as running:
        wait_until(lambda: number_in(state, "sent") > 1000, "it is under way")
        running.interrupt()
        running.ends_with(130)
    assert counts(load(own, *words[3:], status=1)) == (100_002, 100_000, 2)
    assert own.admin.call("LRANGE", "l", 0, -1) == [b"%d" % i for i in range(100_000)]
