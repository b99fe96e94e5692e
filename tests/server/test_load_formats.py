"""millrace load: the formats that it reads, and that the values arrive byte for byte."""

import gzip
import json
import shutil
import subprocess

import pytest

from resp import encoded
from server import REPOSITORY
from tool import TOOL, counts, load, millrace

NASTY = REPOSITORY / "tests" / "corpus" / "csv" / "nasty.csv"
# The meaning of the rows of nasty.csv, and which of its lines are bad.
NASTY_VALUES = {
    b"plain": b"one", b"lf-only": b"one", b"empty": b"", b"quoted-empty": b"", b"comma": b"a,b",
    b"quote": b'say "hi"', b"only-quotes": b'""', b"lf-inside": b"two\nlines", b"crlf-inside": b"two\r\nlines",
    b"blank-line-inside": b"a\n\nb", b"spaces": b"  kept  ", b"spaces-quoted": b"  kept  ", b"tab": b"a\tb",
    b"cr-inside": b"a\rb", b"zero": b"a\x00b", b"not-utf8": b"\xff\xfe", b"utf8": "한글".encode(), b"braces": b"{id}",
    b"redis-quoting": b"\\x41\\n", b"protocol": b"$3\r\nSET\r\n", b"all-quoted": b"v", b"quoted-first": b"v",
    b"good-again": b"v", b"after-unclosed": b"v", b"last-without-line-end": b"v",
}
NASTY_ERRORS = {
    "too-few": "2 fields where the header has 3", "too-many": "4 fields where the header has 3",
    "text-behind": "text behind the closing quote of a field",
    "quote-within": "a quote within a field that does not begin with one",
    "text-behind-later": "text behind the closing quote of a field; lines 36 to 37 are left out",
    "unclosed": "a quote that is never closed",
}


def values_of(c, key):
    flat = c.call("HGETALL", key)
    return dict(zip(flat[::2], flat[1::2]))


def test_every_nasty_case_of_csv_means_what_rfc_4180_says(server, c):
    done = load(server, "--as", "HSET h {id} {value}", NASTY, status=1)
    assert values_of(c, "h") == NASTY_VALUES
    lines = NASTY.read_bytes().split(b"\n")
    told = [f"millrace load: {NASTY}:{1 + next(i for i, line in enumerate(lines) if line.startswith(name.encode()))}: {why}"
            for name, why in NASTY_ERRORS.items()]
    assert sorted(done.stderr.decode().splitlines()) == sorted(told)


def test_a_header_may_have_any_name_and_columns_have_numbers(server, c):
    load(server, "--as", 'HSET h {1} "{a ""quoted"" name, with a comma}"'.replace('""', '\\"'), NASTY, status=1)
    assert c.call("HGET", "h", "plain") == b"x"
    load(server, "--as", "HSET numbers {1} {3}", NASTY, status=1)
    assert c.call("HGET", "numbers", "plain") == b"x"


def test_without_a_header_the_first_line_is_a_record(server, c):
    load(server, "--format", "csv", "--no-header", "--as", "HSET h {1} {2}", "-", input=b"a,1\nb,2\n")
    assert values_of(c, "h") == {b"a": b"1", b"b": b"2"}


def test_tsv_has_tabs_and_no_quotes(server, c):
    load(server, "--format", "tsv", "--as", "HSET h {name} {value}", "-", input=b'name\tvalue\r\na\t"x, y"\r\nb\t\n')
    assert values_of(c, "h") == {b"a": b'"x, y"', b"b": b""}


def test_a_template_puts_fields_into_words_and_never_splits_one(server, c):
    rows = b'id,first,last\n1,A B,"C ""D"" \\x"\n'
    load(server, "--format", "csv", "--as", 'SET user:{id} "{first} {last}"', "-", input=rows)
    assert c.call("GET", "user:1") == b'A B C "D" \\x'
    load(server, "--format", "csv", "--as", "SET {{user}}:{id} {line}", "-", input=rows)
    assert c.call("GET", "{user}:1") == b'1,A B,"C ""D"" \\x"'
    load(server, "--format", "csv", "--as", "SET json {json}", "-", input=rows)
    assert json.loads(c.call("GET", "json")) == {"id": "1", "first": "A B", "last": 'C "D" \\x'}


def test_a_column_called_line_is_meant_before_the_whole_line(server, c):
    load(server, "--format", "csv", "--as", "SET k {line}", "-", input=b"id,line\n1,x\n")
    assert c.call("GET", "k") == b"x"


def test_ndjson_is_addressed_by_name_and_by_pointer(server, c):
    record = {"type": "paid", "order": {"lines": [{"sku": "a/b"}, {"sku": "x"}], "~t": 1}, "half": 0.5}
    line = json.dumps(record)
    load(server, "--format", "ndjson", "--as", "RPUSH l {type} {/order/lines/1/sku} {/order/~0t} {/half} {/order/lines} {line} {json}",
         "-", input=line.encode() + b"\n\n")
    assert c.call("LRANGE", "l", 0, -1) == [
        b"paid", b"x", b"1", b"0.5", b'[{"sku": "a/b"}, {"sku": "x"}]', line.encode(), line.encode()]


def test_ndjson_strings_are_sent_as_their_text_and_numbers_as_they_are_written(server, c):
    line = rb'{"s": "a\n\u00e9\ud83d\ude00\"", "n": 123456789012345678901234567890.10, "t": true, "z": null}'
    load(server, "--format", "ndjson", "--as", "RPUSH l {s} {n} {t} {z}", "-", input=line)
    assert c.call("LRANGE", "l", 0, -1) == ['a\né😀"'.encode(), b"123456789012345678901234567890.10", b"true", b"null"]


def test_ndjson_may_be_nested_as_deep_as_it_likes(server, c):
    deep = b"[" * 100_000 + b"]" * 100_000
    load(server, "--format", "ndjson", "--as", "SET {id} {/deep}", "-", input=b'{"id": "k", "deep": ' + deep + b"}\n")
    assert c.call("GET", "k") == deep


def test_bad_json_is_reported_with_its_line_and_left_out(server, c):
    lines = [b'{"id": 1}', b'{"id": }', b"", b'{"id": 2', b"{\"id\": \"\xff\"}", b'{"other": 1}', b'{"id": "\\ud800"}', b'{"id": 3}']
    done = load(server, "--format", "ndjson", "--as", "RPUSH l {id}", "-", input=b"\n".join(lines), status=1)
    assert c.call("LRANGE", "l", 0, -1) == [b"1", b"3"]
    assert done.stderr.decode().splitlines() == [
        "millrace load: -:2: not JSON: something that is no value at byte 8",
        "millrace load: -:4: not JSON: the text ends within an object or array at byte 9",
        "millrace load: -:5: not JSON: bytes that are not UTF-8",
        "millrace load: -:6: no id in it",
        "millrace load: -:7: id: half of a surrogate pair is no text",
    ]


def test_commands_are_typed_and_quoted_as_in_redis_cli(server, c):
    text = b'SET plain value\r\n\n   \nset "a b" "\\x00\\n\\"q\\""\nSET s \'it\\\'s\'\nRPUSH l "" a\n'
    assert counts(load(server, "--format", "commands", "-", input=text)) == (4, 4, 0)
    assert c.call("MGET", "plain", "a b", "s") == [b"value", b'\x00\n"q"', b"it's"]
    assert c.call("LRANGE", "l", 0, -1) == [b"", b"a"]


def test_resp_is_sent_as_it_is_and_what_redis_cli_pipe_takes_is_taken(server, c):
    binary = bytes(range(256))
    made = encoded(["SET", binary, binary]) + b"*0\r\n\r\n" + b"SET inline 'a b'\r\n" + encoded(["INCR", "n"]) * 3
    assert counts(load(server, "-", input=made)) == (5, 5, 0)
    assert c.call("GET", binary) == binary
    assert c.call("MGET", "inline", "n") == [b"a b", b"3"]
    c.call("FLUSHALL")
    piped = subprocess.run(["redis-cli", "-p", str(server.port), "--pipe"], input=made, capture_output=True, check=True)
    assert b"errors: 0, replies: 5" in piped.stdout
    assert c.call("MGET", binary, "inline", "n") == [binary, b"a b", b"3"]


def test_the_last_line_end_of_resp_may_be_missing_as_for_redis_cli_pipe(server, c):
    made = encoded(["RPUSH", "l", "1"]) + encoded(["RPUSH", "l", "2\r\n"])[:-2]
    assert counts(load(server, "-", input=made)) == (2, 2, 0)
    subprocess.run(["redis-cli", "-p", str(server.port), "--pipe"], input=made, capture_output=True, check=True)
    assert c.call("LRANGE", "l", 0, -1) == [b"1", b"2\r\n"] * 2
    assert millrace("protocol", "-", input=made).stdout == made + b"\r\n"


def test_broken_protocol_is_reported_and_what_came_before_is_loaded(server, c):
    done = load(server, "-", input=encoded(["SET", "a", "1"]) + b"*2\r\n$3\r\nDEL\r\n$6\r\nabc\r\n", status=1)
    assert c.call("GET", "a") == b"1"
    assert b"-:8: " in done.stderr and b"the input ends within a command" in done.stderr
    done = load(server, "-", input=b"*2\r\n$3\r\nGETX\r\n$1\r\na\r\n", status=1)
    assert b"-:1: word 1 is not as long as its '$3' says; the rest of this file is left out" in done.stderr


def test_the_seeds_own_example_of_the_protocol_loads(server, c):
    load(server, "-", input=b"*3\r\n$3\r\nSET\r\n$4\r\nkeyA\r\n$6\r\nvalueA\r\n")
    assert c.call("GET", "keyA") == b"valueA"


@pytest.mark.parametrize("members", [1, 2])
def test_gzip_is_recognised_by_its_bytes(server, c, tmp_path, members):
    path = tmp_path / "no-name-tells.csv"
    half = b"".join(b"%d,x\n" % i for i in range(1000))
    parts = [b"id,v\n" + half] if members == 1 else [b"id,v\n", half]
    path.write_bytes(b"".join(gzip.compress(part) for part in parts))
    assert counts(load(server, "--as", "SADD s {id}", path)) == (1000, 1000, 0)


def test_zstd_is_recognised_by_its_bytes(server, c, tmp_path):
    if shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    packed = b"".join(
        subprocess.run(["zstd", "-q", "-c"], input=part, capture_output=True, check=True).stdout
        for part in (b"id,v\n", b"".join(b"%d,x\n" % i for i in range(100_000))))
    assert counts(load(server, "--format", "csv", "--as", "SADD s {id}", "-", input=packed)) == (100_000,) * 2 + (0,)
    done = load(server, "--format", "csv", "--as", "SADD s {id}", "-", input=packed[:-10], status=1)
    assert b"the zstd data is cut short; the rest of this file is left out" in done.stderr


def test_gzip_that_is_cut_or_damaged_is_reported(server):
    packed = gzip.compress(b"SET a 1\n" * 10_000)
    assert b"the gzip data is cut short" in load(server, "-", input=packed[:-12], status=1).stderr
    assert b"the gzip data is damaged" in load(server, "-", input=packed[:-8] + bytes(8), status=1).stderr


def test_several_files_are_loaded_one_after_the_other_each_with_its_own_header(server, c, tmp_path):
    (tmp_path / "a.csv").write_text("id,v\n1,a\n")
    (tmp_path / "b.csv").write_text("v,id\nb,2")
    (tmp_path / "c.csv").write_text("v,other\nb,2\n")
    (tmp_path / "empty.csv").write_text("")
    done = load(server, "--as", "HSET h {id} {v}", *(tmp_path / f"{name}.csv" for name in ("a", "empty", "c", "b")), status=1)
    assert values_of(c, "h") == {b"1": b"a", b"2": b"b"}
    assert f"{tmp_path}/c.csv:1: the header has no column 'id', only v, other" in done.stderr.decode()


def test_one_record_may_be_large(server, c):
    value = b"x" * (20 << 20)
    load(server, "--format", "csv", "--as", "SET k {v}", "-", input=b"v\n" + value + b"\n")
    assert c.call("STRLEN", "k") == len(value)


def test_protocol_writes_what_load_would_send(server, c):
    rows = b'id,v\n1,"a\nb"\nbad\n2,\xff\n'
    words = ("--format", "csv", "--as", "SET k:{id} {v}", "-")
    done = millrace("protocol", *words, input=rows)
    assert done.returncode == 1
    assert done.stdout == encoded(["SET", "k:1", b"a\nb"]) + encoded(["SET", "k:2", b"\xff"])
    assert done.stderr == b"millrace protocol: -:4: 1 fields where the header has 2\n"
    subprocess.run(["redis-cli", "-p", str(server.port), "--pipe"], input=done.stdout, check=True, capture_output=True)
    assert c.call("MGET", "k:1", "k:2") == [b"a\nb", b"\xff"]
    assert millrace("protocol", "-", input=b"SET a b\n").stdout == encoded(["SET", "a", "b"])
    with open("/dev/full", "wb") as full:
        assert subprocess.run([TOOL, "protocol", "-"], input=b"SET a b\n", stdout=full, stderr=subprocess.DEVNULL).returncode == 4


def test_of_two_members_with_one_name_the_last_is_sent(server, c):
    load(server, "--format", "ndjson", "--as", "SET k {a}", "-", input=b'{"a":1,"a":2}\n')
    assert c.call("GET", "k") == b"2"


@pytest.mark.parametrize("template, why", [
    ("SET k {a}", "the header has more than one column 'a': say by its number which is meant, as in {3}"),
    ("SET k {json}", "the header has more than one column 'a', so {json} cannot have them all"),
])
def test_a_name_that_two_columns_have_is_refused_where_it_is_used(server, c, template, why):
    rows = b"a,b,a\n1,2,3\n"
    done = load(server, "--format", "csv", "--as", template, "-", input=rows, status=1)
    assert why in done.stderr.decode() and c.call("EXISTS", "k") == 0
    load(server, "--format", "csv", "--as", "SET {b} {3}", "-", input=rows)
    assert c.call("GET", "2") == b"3"


@pytest.mark.parametrize("name", ["U.CSV", "u.Csv", "U.CSV.GZ"])
def test_the_format_follows_from_a_name_in_capitals_too(server, c, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"id\n7\n")
    load(server, "--as", "SET k {id}", path)
    assert c.call("GET", "k") == b"7"
