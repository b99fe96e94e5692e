"""millrace export, and the way back by millrace load."""

import base64
import csv
import io
import json

import pytest

from cluster import Cluster
from server import Server
from tool import Running, counts, load, millrace

BINARY = bytes(range(256))


@pytest.fixture(scope="module")
def other():
    """The server into which exports are loaded."""
    with Server() as server:
        yield server


def export(server, *words, status=0):
    done = millrace("export", "--to", f"127.0.0.1:{server.port}", *words)
    assert done.returncode == status, done.stderr
    return done


def records(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def fill(c):
    """A log, a channel and hashes, with bytes of all kinds."""
    c.call("TWRITE", "orders", "ENTRIES", "paid", '{"n":1}', "FRAMED", "x", "", "", BINARY, BINARY, "umlaut", "Grüße\n\t\"")
    c.call("CHAN.PUBLISH", "news", "id-1", "hello")
    c.call("CHAN.PUBLISH", "news", BINARY[128:], BINARY)
    c.call("HSET", "user:1", "name", "Ann, \"the first\"", "age", "41")
    c.call("HSET", "user:2", "name", BINARY, BINARY, "x")
    c.call("PEXPIREAT", "user:2", "4102444800000")


def contents(c):
    return {
        "orders": c.call("TREAD", "orders", "1", "100"),
        "news": [message[1:] for message in c.call("CHAN.READ", "news", "-")[0]],
        "user:1": sorted(zip(*[iter(c.call("HGETALL", "user:1"))] * 2)),
        "user:2": sorted(zip(*[iter(c.call("HGETALL", "user:2"))] * 2)),
        "expiry": c.call("PEXPIRETIME", "user:2"),
    }


@pytest.mark.parametrize("format, words", [("ndjson", ["--format", "export"]), ("resp", ["--format", "resp"])])
def test_what_is_exported_can_be_loaded_back_whatever_bytes_it_has(c, server, other, format, words):
    fill(c)
    done = export(server, "*", "--format", format)
    assert done.stderr == b"9 records of 1 channel, 2 hash, 1 log\n"
    other.admin.call("FLUSHALL")
    sent, succeeded, failed = counts(load(other, *words, "-", input=done.stdout))
    assert (sent, succeeded, failed) == (10, 10, 0)
    assert contents(other.admin) == contents(c)


def test_keys_whose_beginnings_are_asked_for_together_are_complete(c, server):
    c.call_all([("HSET", f"user:{n}", "name", f"n{n}") for n in range(200)])
    c.call_all([("TWRITE", f"log:{n}", "tag", f"entry {n}") for n in range(200)])
    c.call_all([("CHAN.PUBLISH", f"channel:{n}", "id", f"content {n}") for n in range(200)])
    found = records(export(server, "user:*", "log:*", "channel:*"))
    assert sorted(record.get("entry", record.get("content", "")) for record in found if record["type"] != "hash") == sorted(
        f"{word} {n}" for word in ("entry", "content") for n in range(200))
    assert sorted(record["fields"]["name"] for record in found if record["type"] == "hash") == sorted(f"n{n}" for n in range(200))


def test_ndjson_is_json_with_base64_where_bytes_are_no_text(c, server):
    fill(c)
    found = records(export(server, "orders"))
    assert [record["offset"] for record in found] == [1, 2, 3, 4, 5]
    assert found[0] | {"time": 0} == {"type": "log", "key": "orders", "offset": 1, "time": 0, "tag": "paid", "entry": '{"n":1}'}
    assert found[0]["time"] > 1_700_000_000_000
    assert base64.b64decode(found[3]["entry_base64"]) == BINARY and "entry" not in found[3]
    assert found[4]["entry"] == "Grüße\n\t\""
    hashes = records(export(server, "user:*"))
    assert {record["key"] for record in hashes} == {"user:1", "user:2"}
    assert next(one for one in hashes if one["key"] == "user:1")["fields"] == {"name": 'Ann, "the first"', "age": "41"}


def test_csv_has_a_header_and_loads_back(c, server, other):
    fill(c)
    done = export(server, "*", "--type", "log", "--format", "csv")
    assert b"left out: 1 channel, 2 hash" in done.stderr
    assert done.stdout.splitlines()[0] == b"key,offset,time,tag,entry"
    other.admin.call("FLUSHALL")
    load(other, "--format", "csv", "--as", "TWRITE {key} ENTRIES {tag} {entry}", "-", input=done.stdout)
    assert other.admin.call("TREAD", "orders", "1", "100") == c.call("TREAD", "orders", "1", "100")


def test_hashes_become_columns_or_rows_of_fields(c, server):
    c.call("HSET", "u:1", "name", "Ann", "age", "41")
    c.call("HSET", "u:2", "name", "B,o\"b")
    table = export(server, "u:*", "--format", "csv", "--fields", "name,age").stdout.decode()
    rows = list(csv.reader(io.StringIO(table)))
    assert rows[0] == ["key", "name", "age"]
    assert sorted(rows[1:]) == [["u:1", "Ann", "41"], ["u:2", 'B,o"b', ""]]
    long = list(csv.reader(io.StringIO(export(server, "u:*", "--format", "csv").stdout.decode())))
    assert long[0] == ["key", "field", "value"] and ["u:1", "age", "41"] in long


def test_csv_of_several_kinds_is_refused(c, server):
    fill(c)
    done = export(server, "*", "--format", "csv", status=1)
    assert b"csv is one table" in done.stderr


def test_keys_that_do_not_exist_or_are_something_else_are_reported(c, server):
    c.call("SET", "text", "x")
    c.call("HSET", "h", "a", "b")
    done = export(server, "text", "h", "nothing", status=1)
    assert b"there is no key nothing" in done.stderr and b"text is a string" in done.stderr
    assert len(records(done)) == 1
    assert b"left out: 1 string" in export(server, "*").stderr


def test_a_large_hash_and_a_long_log_come_in_parts_and_complete(c, server, other):
    for first in range(0, 5000, 1000):
        c.call("HSET", "big", *[word for i in range(first, first + 1000) for word in (f"field-{i}", f"value-{i}")])
    for first in range(0, 25_000, 1000):
        c.call("TWRITE", "long", "ENTRIES", *["t", "x" * 500] * 1000)
    done = export(server, "big", "long")
    found = records(done)
    assert [one["offset"] for one in found if one["type"] == "log"] == list(range(1, 25_001))
    fields = {}
    for one in found:
        fields |= one.get("fields", {})
    assert fields == {f"field-{i}": f"value-{i}" for i in range(5000)}


def test_from_begins_at_an_offset(c, server):
    c.call("TWRITE", "log", "ENTRIES", *["t", "x"] * 10)
    assert [one["offset"] for one in records(export(server, "log", "--from", "8"))] == [8, 9, 10]


@pytest.mark.parametrize("keys", [["log"], ["log", "chan"]], ids=["one log", "several keys"])
def test_follow_goes_on_with_what_comes(c, server, tmp_path, keys):
    c.call("TWRITE", "log", "t", "first")
    c.call("CHAN.PUBLISH", "chan", "1", "first")
    with Running(tmp_path, "export", "--to", f"127.0.0.1:{server.port}", "--follow", *keys) as running:
        running.wait_for_output("first")
        c.call("TWRITE", "log", "t", "second")
        c.call("CHAN.PUBLISH", "chan", "2", "third")
        running.wait_for_output("second")
        if "chan" in keys:
            running.wait_for_output("third")
        running.interrupt()
        running.ends_with(0)
        assert len(running.output().splitlines()) == 2 * len(keys)


def test_output_goes_to_a_file_and_a_failed_write_is_reported(c, server, tmp_path):
    c.call("TWRITE", "log", "t", "x")
    assert export(server, "log", "-o", tmp_path / "log.ndjson").stdout == b""
    assert json.loads((tmp_path / "log.ndjson").read_text())["entry"] == "x"
    export(server, "log", "-o", tmp_path / "no" / "folder", status=4)
    export(server, "log", "-o", "/dev/full", status=4)


@pytest.mark.parametrize("line, problem", [
    ("nonsense", "not a JSON object"),
    ('{"type":"log","tag":"t","entry":"x"}', "no type or no key"),
    ('{"type":"log","key":"k","tag":"t"}', "without tag or entry"),
    ('{"type":"log","key":"k","tag":"t","entry_base64":"%"}', "without tag or entry"),
    ('{"type":"channel","key":"k","id":"t"}', "without id or content"),
    ('{"type":"hash","key":"k","fields":{}}', "a hash without fields"),
    ('{"type":"hash","key":"k","fields":{"a":1}}', "is not a string"),
    ('{"type":"set","key":"k"}', "unknown type set"),
])
def test_an_invalid_record_is_left_out_and_reported(c, server, line, problem):
    good = '{"type":"log","key":"k","tag":"t","entry":"x"}\n'
    done = load(server, "--format", "export", "-", input=f"{good}{line}\n{good}".encode(), status=1)
    assert problem in done.stderr.decode()
    assert len(c.call("TREAD", "k", "1", "10")) == 2


def test_a_cluster_is_exported_as_a_whole(tmp_path):
    with Cluster() as cluster:
        lines = "".join(f"HSET user:{i} n {i}\n" for i in range(3000)) + "TWRITE log t x\n" * 10
        load(cluster.nodes[0], "-", "--format", "commands", input=lines.encode())
        found = records(export(cluster.nodes[1], "*"))
        assert sorted(int(one["fields"]["n"]) for one in found if one["type"] == "hash") == list(range(3000))
        for node in cluster.nodes:
            assert [one["offset"] for one in records(export(node, "log"))] == list(range(1, 11))
