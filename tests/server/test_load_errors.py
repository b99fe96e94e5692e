"""millrace load: what goes wrong is reported with its line, and by the exit status."""

import subprocess

import pytest

from tool import TOOL, counts, load, millrace


def test_an_error_reply_names_the_line_of_the_input(server, c, tmp_path):
    path = tmp_path / "x.commands"
    path.write_text("SET a 1\n\nLPUSH a 2\nSET b 1\nNOSUCH\n")
    done = load(server, path, status=1)
    assert counts(done) == (4, 2, 2)
    assert done.stderr.decode().splitlines()[0] == (
        f"millrace load: {path}:3: WRONGTYPE Operation against a key holding the wrong kind of value")
    assert f"{path}:5: ERR unknown command 'NOSUCH'" in done.stderr.decode()


def test_the_line_is_right_behind_records_of_several_lines(server):
    rows = b'id,v\n1,"a\n\nb"\n"2\n",x\n3,y\n'
    done = load(server, "--format", "csv", "--as", "INCRBY n {id}", "-", input=rows, status=1)
    assert done.stderr.decode().splitlines() == ["millrace load: -:5: ERR value is not an integer or out of range"]
    resp = b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\nx\ny\r\n*1\r\n$3\r\nGET\r\n"
    done = load(server, "-", input=resp, status=1)
    assert b"-:9: ERR wrong number of arguments" in done.stderr


def test_the_first_errors_are_shown_and_all_are_in_the_file(server, tmp_path):
    errors = tmp_path / "errors"
    errors.write_text("of an earlier run\n")
    lines = b"".join(b"SET k%d x y z\n" % i for i in range(500))
    done = load(server, "--errors", errors, "-", input=lines, status=1)
    shown = done.stderr.decode().splitlines()
    assert shown[:10] == [f"millrace load: -:{i}: ERR syntax error" for i in range(1, 11)]
    assert shown[10:] == [f"millrace load: there are more errors; they are in {errors}"]
    assert errors.read_text().splitlines() == [f"-:{i}: ERR syntax error" for i in range(1, 501)]


def test_strict_ends_with_the_first_failure(server, c, tmp_path):
    lines = b"SET a 1\nLPUSH a 1\n" + b"".join(b"INCR n\n" for _ in range(200_000))
    done = load(server, "--strict", "--pipeline", "10", "-", input=lines, status=1)
    assert counts(done)[2] == 1
    assert int(c.call("GET", "n") or 0) < 100
    done = load(server, "--strict", "--format", "ndjson", "--as", "SET {id} x", "-", input=b"{\n" + b'{"id":"z"}\n' * 10, status=1)
    assert counts(done) == (0, 0, 0)
    assert c.call("EXISTS", "z") == 0


def test_a_directory_among_the_files_is_refused_before_anything_is_sent(server, c, tmp_path):
    path = tmp_path / "x.commands"
    path.write_text("SET a 1\n")
    done = load(server, "--format", "commands", path, tmp_path, status=2)
    assert f"cannot read {tmp_path}: it is a directory" in done.stderr.decode()
    assert done.stdout == b"" and c.call("EXISTS", "a") == 0


def test_a_full_disk_for_the_errors_ends_it_with_status_4(server):
    lines = b"NOSUCH\n" * 100_000
    done = load(server, "--errors", "/dev/full", "-", input=lines, status=4)
    assert b"cannot write /dev/full: No space left on device" in done.stderr
    assert counts(done)[2] > 0


def test_a_summary_that_cannot_be_written_is_reported_with_status_4(server, c):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([TOOL, "load", "--to", f":{server.port}", "-"], input=b"SET a 1\n", stdout=full,
                              stderr=subprocess.PIPE, timeout=30)
    assert done.returncode == 4
    assert done.stderr == b"millrace load: cannot write the summary: No space left on device\n"
    assert c.call("GET", "a") == b"1"


def test_a_checkpoint_that_cannot_be_written_ends_it_with_status_4_before_anything_is_sent(server, c, tmp_path):
    errors = tmp_path / "errors"
    errors.write_text("of an earlier run\n")
    done = load(server, "--checkpoint", tmp_path / "nowhere" / "state", "--errors", errors, "-", input=b"SET a 1\n", status=4)
    assert b"No such file or directory" in done.stderr
    assert done.stdout == b"" and c.call("EXISTS", "a") == 0
    assert errors.read_text() == "of an earlier run\n"


def test_commands_that_break_the_count_of_answers_are_refused(server):
    lines = [b"SUBSCRIBE x", b"monitor", b"CLIENT REPLY OFF", b"PSYNC ? -1"]
    done = load(server, "-", input=b"\n".join(lines) + b"\nSET a 1\n", status=1)
    assert counts(done) == (1, 1, 0)
    assert done.stderr.count(b"this command cannot be loaded: it is not answered once") == len(lines)


def test_commands_that_change_or_end_the_connection_are_refused_for_that_reason(server):
    done = load(server, "-", input=b"HELLO 3\nreset\nQUIT\nSET a 1\n", status=1)
    assert counts(done) == (1, 1, 0)
    assert done.stderr.count(b"this command cannot be loaded: it changes or ends the connection itself") == 3


@pytest.mark.parametrize("words, why", [
    (["--as", "SET {id", "x.csv"], "the template has a { that is not closed"),
    (["--as", "SET id}", "x.csv"], "the template has a } that closes nothing"),
    (["--as", "SET {}", "x.csv"], "the template has a field without a name"),
    (["--as", "SET 'a", "x.csv"], "the template has quotes that do not close"),
    (["--as", " ", "x.csv"], "the template is empty"),
    (["x.csv"], "--as must say what becomes of a record"),
    (["--as", "SET {/a} 1", "x.csv"], "{/a} is a JSON pointer, but the input is a table"),
    (["--as", "SET {0} 1", "x.csv"], "{0} is no column: they are counted from 1"),
    (["--no-header", "--as", "SET {a} 1", "x.csv"], "{a} needs a header, but --no-header says there is none"),
    (["--as", "SET {1} 1", "x.ndjson"], "{1} is a column, but JSON has none"),
    (["--as", "SET {/a~} 1", "x.ndjson"], "{/a~}: in a JSON pointer ~ is written ~0"),
    (["--as", "SET {a} 1", "x.resp"], "--as is for csv, tsv, ndjson and json"),
    (["--as", "SET {a} 1", "x"], "x: its name does not tell its format"),
    (["--as", "SET {a} 1", "x.csv", "y.tsv"], "x.csv and y.tsv are of different formats"),
    (["--to", "nowhere:0", "x.resp"], "a port is a number from 1 to 65535"),
    (["x.resp"], "cannot read x.resp: No such file or directory"),
    (["--format", "xml", "x"], "--format: xml not in"),
    (["--connections", "0", "x.resp"], "--connections: Value 0 not in range"),
    (["--nonsense", "x.resp"], "not expected: --nonsense"),
    ([], "FILE is required"),
])
def test_a_wrong_call_is_refused_with_status_2_and_a_reason(words, why):
    done = millrace("load", *words)
    assert done.returncode == 2
    assert why in done.stderr.decode()
    assert done.stderr.startswith(b"millrace load: ")
    assert done.stdout == b""
