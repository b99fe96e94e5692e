"""millrace load: the commands made from records: several per record, optional, default and padded fields, typed JSON,
arrays."""

import json
import re
import subprocess

import pytest

from resp import encoded
from server import wait_until
from tool import Running, counts, load, millrace, number_in

USERS = b"id,name,age\n1,Ann,34\n2,Bob,\n3,,7\n"


def values_of(c, key):
    flat = c.call("HGETALL", key)
    return dict(zip(flat[::2], flat[1::2]))


def protocol(*words, input):
    done = millrace("protocol", *words, "-", input=input)
    return done.stdout, done.stderr.decode().splitlines(), done.returncode


def test_a_record_may_become_several_commands(server, c):
    done = load(server, "--format", "csv", "--as", "HSET user:{id} name {name}", "--as", "SADD users {id}", "--as",
                "ZADD ages {age|0} {id}", "-", input=USERS)
    assert counts(done) == (9, 9, 0)
    assert c.call("SCARD", "users") == 3 and c.call("ZRANGE", "ages", 0, -1) == [b"2", b"3", b"1"]


def test_of_a_record_that_is_bad_for_one_template_no_command_is_sent(server, c):
    lines = b'{"id": 1, "name": "Ann"}\n{"id": 2}\n{"id": 3, "name": "Carol"}\n'
    done = load(server, "--format", "ndjson", "--as", "SADD ids {id}", "--as", "SADD names {name}", "-", input=lines, status=1)
    assert counts(done) == (4, 4, 0) and b"-:2: no name in it" in done.stderr
    assert sorted(c.call("SMEMBERS", "ids")) == [b"1", b"3"]


def test_errors_of_several_commands_name_the_line_of_their_record(server, c):
    c.call("SET", "text", "x")
    done = load(server, "--format", "csv", "--as", "SADD ids {id}", "--as", "INCRBY text {id}", "-", input=b"id\n1\n2\n", status=1)
    assert counts(done) == (4, 2, 2)
    assert re.findall(rb"-:(\d+): ERR value is not an integer", done.stderr) == [b"2", b"3"]


def test_a_checkpoint_stays_before_a_record_until_all_its_commands_are_answered(server, c, tmp_path):
    state = tmp_path / "state"
    words = ("--format", "csv", "--checkpoint", state, "--as", "RPUSH first {id}", "--as", "BLPOP gate:{id} 0", "--as",
             "RPUSH last {id}", "-")
    lines = b"id\n1\n2\n3\n"
    c.call("RPUSH", "gate:1", "open")
    c.call("RPUSH", "gate:2", "open")
    with Running(tmp_path, "load", "--to", f":{server.port}", *words, stdin=subprocess.PIPE) as running:
        running.write_input(lines)
        server.wait_for_blocked(1)
        wait_until(lambda: number_in(state, "line") == 4, "two records are settled")
        running.kill()
        # Otherwise the server might give what is pushed below to the client that is gone.
        server.wait_for_blocked(0)
    assert number_in(state, "line") == 4 and number_in(state, "sent") == 6
    c.call("RPUSH", "gate:3", "open")
    assert counts(load(server, *words, input=lines)) == (9, 9, 0)
    assert c.call("LRANGE", "first", 0, -1) == [b"1", b"2", b"3", b"3"]
    assert c.call("LRANGE", "last", 0, -1) == [b"1", b"2", b"3"]


@pytest.mark.parametrize("format, input", [
    ("csv", USERS), ("ndjson", b'{"id":1,"name":"Ann","age":34}\n{"id":2,"name":"Bob","age":null}\n{"id":3,"age":7}\n')])
def test_optional_and_default_fields(server, c, format, input):
    load(server, "--format", format, "--as", "HSET user:{id} name {name|nobody} age {age?}", "--as", "SADD aged:{id} {age?}", "-",
         input=input)
    assert values_of(c, "user:1") == {b"name": b"Ann", b"age": b"34"}
    assert values_of(c, "user:2") == {b"name": b"Bob"}
    assert values_of(c, "user:3") == {b"name": b"nobody", b"age": b"7"}
    assert c.call("EXISTS", "aged:1", "aged:2", "aged:3") == 2


def test_a_column_that_a_file_does_not_have_may_be_optional(server, c):
    load(server, "--format", "csv", "--as", "HSET u:{id} a {a} b {b?} c {c|0} d {9?}", "-", input=b"id,a\n1,x\n")
    assert values_of(c, "u:1") == {b"a": b"x", b"c": b"0"}


def test_a_column_whose_name_looks_like_an_option_is_preferred(server, c):
    load(server, "--format", "csv", "--as", "RPUSH l {ok?} {a|b} {n:3d}", "-", input=b"ok?,a|b,n:3d\nx,y,z\n")
    assert c.call("LRANGE", "l", 0, -1) == [b"x", b"y", b"z"]


def test_numbers_are_padded_so_that_they_sort_as_text(server, c):
    rows = b"id,age\n1,9\n2,10\n3,-5\n4,x\n5,\n"
    done = load(server, "--format", "csv", "--as", "ZADD i 0 {age|0:06d}:{id}", "-", input=rows, status=1)
    assert c.call("ZRANGE", "i", 0, -1) == [b"-00005:3", b"000000:5", b"000009:1", b"000010:2"]
    assert b"-:5: age: 'x' is no whole number, which {age|0:06d} needs" in done.stderr


def test_typed_json_has_numbers_and_booleans_and_no_empty_fields(server, c):
    rows = b'id,n,half,code,ok,no,text,empty,quoted\n1,-5,0.5,007,true,FALSE,a b,,"say ""hi"""\n'
    load(server, "--format", "csv", "--typed", "--as", "SET k {json}", "-", input=rows)
    assert json.loads(c.call("GET", "k")) == {
        "id": 1, "n": -5, "half": 0.5, "code": "007", "ok": True, "no": False, "text": "a b", "quoted": 'say "hi"'}
    load(server, "--format", "csv", "--as", "SET k {json}", "-", input=rows)
    assert json.loads(c.call("GET", "k"))["id"] == "1"


@pytest.mark.parametrize("delimiter", [";", "|", "\\t", "\t", ":"])
def test_another_delimiter(server, c, delimiter):
    mark = "\t" if delimiter == "\\t" else delimiter
    rows = f'id{mark}v{mark}w\n1{mark}"a{mark}, ""b"""{mark}x\n2{mark}c,d{mark}y\n'
    load(server, "--format", "csv", "--delimiter", delimiter, "--as", "HSET h {id} {v}", "-", input=rows.encode())
    assert values_of(c, "h") == {b"1": f'a{mark}, "b"'.encode(), b"2": b"c,d"}


@pytest.mark.parametrize("array", [
    '[{"id": 1, "v": "a"}, {"id": 2, "v": [1, "]"]}]', '[\n  {\n    "id": 1,\n    "v": "a"\n  },\n  {"id": 2, "v": [1, "]"]}\n]\n',
    '{"id": 1, "v": "a"}{"id": 2, "v": [1, "]"]}'])
def test_json_arrays_are_read_element_by_element(server, c, tmp_path, array):
    path = tmp_path / "x.json"
    path.write_text(array)
    assert counts(load(server, "--as", "HSET h {id} {v}", path)) == (2, 2, 0)
    assert values_of(c, "h") == {b"1": b"a", b"2": b'[1, "]"]'}


def test_a_bad_element_costs_itself_and_a_broken_array_what_is_behind(server, c):
    done = load(server, "--format", "json", "--as", "RPUSH l {id}", "-", input=b'[{"id":1},\n{"id":x},\n{"id":3}\n {"id":4}]', status=1)
    assert c.call("LRANGE", "l", 0, -1) == [b"1", b"3"]
    assert b"-:2: not JSON" in done.stderr and b"-:4: neither , nor ] behind a value" in done.stderr


def test_a_second_run_goes_on_within_an_array(server, c, tmp_path):
    path, state = tmp_path / "x.json", tmp_path / "state"
    records = [{"id": i, "v": "x"} for i in range(1000)]
    records[500] = {"v": "no id"}
    path.write_text(json.dumps(records, indent=1))
    words = ("--as", "RPUSH l {id}", "--as", "RPUSH m {id}", "--checkpoint", state, path)
    load(server, "--strict", "--pipeline", "10", *words, status=1)
    assert c.call("LLEN", "l") == 500
    assert counts(load(server, *words, status=1)) == (1998, 1998, 0)
    assert c.call("LRANGE", "l", 0, -1) == c.call("LRANGE", "m", 0, -1) == [b"%d" % i for i in range(1000) if i != 500]


def test_so_many_errors_end_the_run(server, c):
    lines = b"".join(b"NOSUCH\nINCR n\n" for _ in range(10_000))
    done = load(server, "--max-errors", "3", "--pipeline", "1", "-", input=lines, status=1)
    assert 3 <= counts(done)[2] <= 4 and int(c.call("GET", "n")) <= 5
    c.call("DEL", "n")
    load(server, "--max-errors", "10001", "-", input=lines, status=1)
    assert c.call("GET", "n") == b"10000"


@pytest.mark.parametrize("words, why", [
    (["--format", "ndjson", "--typed", "--as", "SET k {id}"], "--typed is for csv and tsv"),
    (["--format", "json", "--delimiter", ";", "--as", "SET k {id}"], "--delimiter is for csv and tsv"),
    (["--format", "csv", "--delimiter", ";;", "--as", "SET k {id}"], "--delimiter is one character, and no quote or line end, not ';;'"),
    (["--format", "csv", "--delimiter", '"', "--as", "SET k {id}"], "--delimiter is one character, and no quote or line end, not '\"'"),
    (["--format", "csv", "--as", "SET k {a:01001d}"], "{a:01001d}: a number is padded to 1000 digits at most"),
    (["--strict", "--max-errors", "3"], "--strict excludes --max-errors"),
])
def test_wrong_words_are_reported(words, why):
    done = millrace("load", *words, "-", input=b"")
    assert done.returncode == 2 and why in done.stderr.decode(), done.stderr


def test_protocol_makes_the_same_commands():
    made, errors, status = protocol("--format", "csv", "--as", "SET a:{id} {age|0:03d}", "--as", "SET b:{id} x EX {age?}", input=USERS)
    assert (errors, status) == ([], 0)
    assert made == b"".join(encoded(words) for words in (
        ["SET", "a:1", "034"], ["SET", "b:1", "x", "EX", "34"], ["SET", "a:2", "000"], ["SET", "b:2", "x"],
        ["SET", "a:3", "007"], ["SET", "b:3", "x", "EX", "7"]))
