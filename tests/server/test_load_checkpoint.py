"""millrace load --checkpoint: killed and resumed loads end with exactly the right data."""

import gzip
import random
import signal

import pytest

from server import Server, let_pass, wait_until
from tool import COMMANDS, Running, counts, load, loading, number_in

pytestmark = pytest.mark.long

COUNT = 200_000


@pytest.fixture
def own():
    with Server() as server:
        yield server


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def table(path, pack=False):
    """A table whose records have embedded line ends, so that lines and records differ."""
    text = b"id,value\n" + b"".join(b'%d,"value\n%d"\n' % (i, i) for i in range(COUNT))
    path.write_bytes(gzip.compress(text, 1) if pack else text)
    return path


def check_table(server):
    values = server.admin.call("HGETALL", "h")
    assert dict(zip(values[::2], values[1::2])) == {b"%d" % i: b"value\n%d" % i for i in range(COUNT)}


@pytest.mark.parametrize("pack", [False, True], ids=["plain", "gzip"])
def test_killed_again_and_again_it_ends_with_exactly_the_right_data(own, tmp_path, state, pack):
    path = table(tmp_path / "x.csv", pack)
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--pipeline", "20", "--as", "HSET h {id} {value}", path)
    rng = random.Random(5)
    for _ in range(4):
        before = number_in(state, "sent")
        with Running(tmp_path, *words) as running:
            goal = before + rng.randrange(1000, COUNT // 6)
            wait_until(lambda: number_in(state, "sent") >= goal, "it is under way")
            running.kill()
    assert number_in(state, "sent") < COUNT, "it was killed before its end each time"
    done = load(own, *words[3:])
    assert counts(done) == (COUNT, COUNT, 0)
    assert number_in(state, "file") == 1
    check_table(own)


def test_after_a_kill_nothing_is_sent_twice_that_was_answered(own, tmp_path, state):
    path = tmp_path / "x.commands"
    count = COUNT // 10
    path.write_text("".join(f"RPUSH l {i}\n" for i in range(count)))
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--pipeline", "20", path)
    for round in (1, 2, 3):
        with Running(tmp_path, *words) as running:
            wait_until(lambda: number_in(state, "sent") > round * count // 10, "it is under way")
            running.kill()
    load(own, *words[3:])
    values = [int(value) for value in own.admin.call("LRANGE", "l", 0, -1)]
    assert sorted(set(values)) == list(range(count))
    # Only commands in flight at one of the three kills are repeated: they were sent, but their answers were not read.
    assert len(values) - count <= 3 * 20
    repeated = [b - a for a, b in zip(values, values[1:]) if b != a + 1]
    assert len(repeated) <= 3 and all(-20 <= step <= 0 for step in repeated)


def test_ctrl_c_ends_with_a_summary_a_checkpoint_and_130_and_repeats_nothing(own, tmp_path, state):
    lines = [b"RPUSH l %d\n" % i for i in range(COUNT)]
    words = ("--checkpoint", state, "--pipeline", "10")
    with loading(tmp_path, own, *words) as running:
        running.write_input(b"".join(lines[:COUNT // 2]))
        wait_until(lambda: number_in(state, "sent") > 1000, "it is under way")
        running.interrupt()
        running.ends_with(130)
        sent = int(running.output().split()[0])
    assert 1000 < sent < COUNT
    assert own.admin.call("LLEN", "l") == sent == number_in(state, "sent")
    done = load(own, *words, *COMMANDS, input=b"".join(lines))
    assert counts(done) == (COUNT, COUNT, 0)
    assert b"an earlier run included" in done.stdout
    assert own.admin.call("LRANGE", "l", 0, -1) == [b"%d" % i for i in range(COUNT)]


def wait_until_it_waits_for_answers(own, running, state):
    """Suspends the server and gives the load another thousand commands."""
    running.write_input(b"RPUSH l x\n" * 1000)
    wait_until(lambda: number_in(state, "sent") == 1000, "it is under way")
    own.suspend()
    running.write_input(b"RPUSH l x\n" * 1000)
    running.wait_until_it_waits()


def test_one_ctrl_c_may_come_as_two_signals_and_counts_once(own, tmp_path, state):
    """timeout(1) sends its signal to the command and to the command's process group."""
    with loading(tmp_path, own, "--checkpoint", state) as running:
        try:
            wait_until_it_waits_for_answers(own, running, state)
            # Both come when it goes on, so at the same time. Two equal signals would become one.
            for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
                running.process.send_signal(number)
        finally:
            own.resume()
        running.ends_with(130)
    assert own.admin.call("LLEN", "l") == number_in(state, "sent") == 2000


def test_a_second_ctrl_c_ends_a_load_whose_server_hangs(own, tmp_path, state):
    with loading(tmp_path, own, "--checkpoint", state) as running:
        try:
            wait_until_it_waits_for_answers(own, running, state)
            running.interrupt()
            let_pass(1)  # two signals within half a second count as one
            running.interrupt()
            running.ends_with(-signal.SIGINT)
        finally:
            own.resume()


def test_a_run_that_came_to_its_end_has_nothing_left_to_do(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("INCR n\n\n")
    load(own, "--checkpoint", state, path)
    load(own, "--checkpoint", state, path)
    assert own.admin.call("GET", "n") == b"1"


def test_errors_of_both_runs_are_in_the_file_once(own, tmp_path, state):
    errors = tmp_path / "errors"
    lines = [b"INCRBY n %s\n" % (b"x" if i % 1000 == 0 else b"1") for i in range(COUNT)]
    words = ("--checkpoint", state, "--errors", errors, "--pipeline", "10")
    with loading(tmp_path, own, *words) as running:
        running.write_input(b"".join(lines[:COUNT // 2]))
        wait_until(lambda: number_in(state, "sent") > COUNT // 4, "it is under way")
        running.interrupt()
        running.ends_with(130)
    done = load(own, *words, *COMMANDS, input=b"".join(lines), status=1)
    assert counts(done) == (COUNT, COUNT - COUNT // 1000, COUNT // 1000)
    assert errors.read_text().splitlines() == [
        f"-:{i + 1}: ERR value is not an integer or out of range" for i in range(0, COUNT, 1000)]


def test_failures_behind_the_checkpoint_of_several_connections_are_counted_once(own, tmp_path, state):
    """Answers come in another order than the commands; the counts are those of the input before the checkpoint."""
    errors = tmp_path / "errors"
    path = tmp_path / "x.commands"
    path.write_text("".join(f"INCRBY n{i} x\n" if i % 10 == 0 else '"\n' if i % 10 == 5 else f"INCR n{i}\n" for i in range(COUNT)))
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--errors", errors, "--connections", "3", "--pipeline", "5", path)
    for share in (COUNT // 8, COUNT // 4):
        with Running(tmp_path, *words) as running:
            wait_until(lambda: number_in(state, "sent") > share, "it is under way")
            running.kill()
        line = number_in(state, "line")
        assert (number_in(state, "failed"), number_in(state, "bad")) == ((line + 8) // 10, (line + 3) // 10)
    done = load(own, *words[3:], status=1)
    assert counts(done) == (COUNT * 9 // 10, COUNT * 8 // 10, COUNT // 10)
    assert f", {COUNT // 10} bad records left out" in done.stdout.decode()
    lines = [int(line.split(":")[1]) for line in errors.read_text().splitlines()]
    assert sorted(set(lines)) == list(range(1, COUNT, 5))
    # The lines are in the order of the input. Only those that were written after the last checkpoint before a kill come
    # again.
    assert sum(b <= a for a, b in zip(lines, lines[1:])) <= 2


def test_standard_input_goes_on_too_if_it_is_given_again(own, state):
    lines = b"".join(b"RPUSH l %d\n" % i for i in range(1000))
    assert counts(load(own, "--checkpoint", state, "-", input=lines[: lines.index(b"RPUSH l 500")])) == (500, 500, 0)
    text = state.read_text().replace("\nfile 1\n", "\nfile 0\n")  # as if the first run had been stopped there
    text = text.replace("\noffset 0\n", f"\noffset {lines.index(b'RPUSH l 500')}\n").replace("\nline 1\n", "\nline 501\n")
    state.write_text(text.replace("\nbeginning 0\nbefore 0\n", "\n"))  # as an older version wrote it
    load(own, "--checkpoint", state, "-", input=lines)
    assert own.admin.call("LRANGE", "l", 0, -1) == [b"%d" % i for i in range(1000)]


def test_the_database_that_the_input_selected_is_selected_again(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("SELECT 2\n" + "".join(f"SADD s {i}\n" for i in range(COUNT)))
    words = ("load", "--to", f":{own.port}", "--checkpoint", state, "--pipeline", "100", path)
    with Running(tmp_path, *words) as running:
        wait_until(lambda: number_in(state, "sent") > 1000, "it is under way")
        running.kill()
    load(own, *words[3:])
    assert own.admin.call("DBSIZE") == 0
    own.admin.call("SELECT", "2")
    assert own.admin.call("SCARD", "s") == COUNT


def test_a_start_that_failed_leaves_the_checkpoint_as_it_was(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("INCR n\nNOSUCH\n" + "INCR n\n" * 1000)
    load(own, "--checkpoint", state, "--strict", "--pipeline", "10", path, status=1)
    before, sent = state.read_text(), own.admin.call("GET", "n")
    (tmp_path / "state.new").mkdir()  # the name of the next checkpoint's temporary file
    done = load(own, "--checkpoint", state, path, status=4)
    assert b"cannot write" in done.stderr and own.admin.call("GET", "n") == sent
    assert state.read_text() == before
    (tmp_path / "state.new").rmdir()
    load(own, "--checkpoint", state, path, status=1)
    assert own.admin.call("GET", "n") == b"1001"


def test_a_checkpoint_that_never_moved_belongs_to_no_load(own, tmp_path, state):
    path = tmp_path / "x.csv"
    path.write_text("id\n1\n")
    load(1, "--checkpoint", state, "--as", "SADD s {wrong}", path, status=3)  # nothing listens there
    assert state.exists()
    done = load(own, "--checkpoint", state, "--as", "SADD s {id}", path)
    assert counts(done) == (1, 1, 0) and b"earlier run" not in done.stdout


def test_a_checkpoint_of_another_load_is_refused(own, tmp_path, state):
    path = tmp_path / "x.csv"
    path.write_text("id\n1\n")
    load(own, "--checkpoint", state, "--as", "SADD s {id}", path)
    done = load(own, "--checkpoint", state, "--as", "SADD t {id}", path, status=2)
    assert b"is of another load: csv as \"SADD s {id}\"" in done.stderr
    for damaged in ("", "something else\n", state.read_text()[:-5], state.read_text().replace("offset ", "offset x")):
        state.write_text(damaged)
        done = load(own, "--checkpoint", state, "--as", "SADD s {id}", path, status=2)
        assert b"it is not a checkpoint of millrace, or not a whole one" in done.stderr
        assert state.read_text() == damaged


def test_a_checkpoint_of_another_database_is_refused(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("SET a 1\nSET b 1\n")
    load(own, "--checkpoint", state, path)
    done = load(own, "--checkpoint", state, "--database", "5", path, status=2)
    assert b"is of another load: commands" in done.stderr and b" into database 5" in done.stderr
    state.unlink()
    load(own, "--checkpoint", state, "--database", "5", path)
    load(own, "--checkpoint", state, path, status=2)
    load(own, "--checkpoint", state, "--database", "5", path)


def test_a_load_into_a_database_goes_on_in_the_one_that_its_input_selected(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("SET five 1\nSELECT 0\nNOSUCH\n" + "SET zero 1\n" * 1000)
    words = ("--checkpoint", state, "--database", "5", "--pipeline", "1", path)
    load(own, "--strict", *words, status=1)
    own.admin.call("DEL", "zero")
    load(own, *words, status=1)
    assert own.admin.call("KEYS", "*") == [b"zero"]


def test_a_load_goes_on_at_another_server_and_says_so(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("SET a 1\nNOSUCH\n" + "INCR n\n" * 1000)
    words = ("--checkpoint", state, "--pipeline", "1", path)
    load(own, "--strict", *words, status=1)
    with Server() as other:
        done = load(other, *words, status=1)
        told = f"the earlier run loaded into 127.0.0.1:{own.port}; this one goes on at 127.0.0.1:{other.port}"
        assert told in done.stderr.decode()
        assert other.admin.call("EXISTS", "a") == 0
        assert b"the earlier run" not in load(other, *words, status=1).stderr
        assert int(own.admin.call("GET", "n") or 0) + int(other.admin.call("GET", "n")) == 1000


def test_a_strict_load_goes_on_behind_what_ended_it(own, tmp_path, state):
    path = tmp_path / "x.commands"
    path.write_text("INCR n\nNOSUCH\n" + "INCR n\n" * 10_000 + "NOSUCH\nINCR n\n")
    words = ("--checkpoint", state, "--strict", "--pipeline", "10", path)
    load(own, *words, status=1)
    assert int(own.admin.call("GET", "n")) < 100
    assert counts(load(own, *words, status=1))[2] == 2
    load(own, *words, status=1)
    assert own.admin.call("GET", "n") == b"10002"


def stopped_at(own, tmp_path, state, name, lines, pack=bytes):
    """Runs a load that stops behind these lines. Returns its input: a file, or - for standard input."""
    path = tmp_path / name
    path.write_bytes(pack(lines + b"NOSUCH\n" + b"RPUSH l x\n" * 1000))
    words = ("--checkpoint", state, "--strict", "--pipeline", "1", "--format", "commands")
    if name == "-":
        load(own, *words, "-", input=path.read_bytes(), status=1)
    else:
        load(own, *words, path, status=1)
    return path


def test_an_input_that_has_become_shorter_is_refused(own, tmp_path, state):
    path = stopped_at(own, tmp_path, state, "x.commands", b"SET a 1\n" * 1000)
    path.write_text("SET a 1\n")
    done = load(own, "--checkpoint", state, path, status=2)
    assert b"x.commands: it is shorter than it was" in done.stderr


@pytest.mark.parametrize("name, pack", [("x", bytes), ("x.gz", gzip.compress), ("-", bytes)], ids=["plain", "gzip", "stdin"])
def test_an_input_that_was_replaced_by_another_is_refused_and_nothing_is_sent(own, tmp_path, state, name, pack):
    lines = b"".join(b"RPUSH l %d\n" % i for i in range(1000))
    path = stopped_at(own, tmp_path, state, name, lines, pack)
    before, sent = state.read_text(), own.admin.call("LLEN", "l")
    others = {"another beginning": b"RPUSH other y\n" * 5000, "one line more": lines.replace(b"l 800\n", b"l 800\nRPUSH l y\n") * 2}

    def go_on(content, status):
        words = ("--checkpoint", state, "--format", "commands")
        if name == "-":
            return load(own, *words, "-", input=content, status=status)
        path.write_bytes(pack(content))
        return load(own, *words, path, status=status)

    for other in others.values():
        done = go_on(other, 2)
        file = "-" if name == "-" else str(path)
        assert f"{file} is not the file it was: before byte " in done.stderr.decode()
        assert state.read_text() == before and own.admin.call("LLEN", "l") == sent and not own.admin.call("EXISTS", "other")
    # With a file that has only grown, the load goes on.
    go_on(lines + b"NOSUCH\n" + b"RPUSH l x\n" * 2000, 1)
    assert own.admin.call("LLEN", "l") == 3000
