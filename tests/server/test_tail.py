"""millrace tail: following a log."""

import datetime
import json
import subprocess

import pytest

from cluster import Cluster
from server import Server, wait_until
from tool import TOOL, Running, millrace


@pytest.fixture
def tail(server, tmp_path):
    """Starts `millrace tail` on the shared server."""
    started = []

    def start(*words):
        server.wait_for_blocked(0)  # the server has noticed that the previous tail has ended
        started.append(Running(tmp_path, "tail", "--to", f"127.0.0.1:{server.port}", *words))
        return started[-1]

    yield start
    for running in started:
        running.__exit__()


def ended(running):
    running.interrupt()
    running.ends_with(0)
    return running.output().splitlines()


def test_it_shows_the_last_ten_and_then_what_comes(server, c, tail):
    for i in range(1, 16):
        c.call("TWRITE", "log", "tag", f"m{i}")
    running = tail("log")
    running.wait_for_output("15\ttag\tm15\n")
    server.wait_for_blocked(1)
    c.call("TWRITE", "log", "other", "m16")
    running.wait_for_output("16\tother\tm16\n")
    assert ended(running) == [f"{i}\t{'tag' if i < 16 else 'other'}\tm{i}" for i in range(6, 17)]


def test_it_starts_at_the_given_place(server, c, tail):
    for i in range(1, 251):
        c.call("TWRITE", "log", "t", i)
    first = tail("log", "--from", "1")
    first.wait_for_output("250\tt\t250\n")
    assert len(ended(first)) == 250
    last = tail("log", "--from", "-3")
    last.wait_for_output("250\t")
    assert ended(last) == ["248\tt\t248", "249\tt\t249", "250\tt\t250"]
    new = tail("log", "--from", "$")
    server.wait_for_blocked(1)
    c.call("TWRITE", "log", "t", "new")
    new.wait_for_output("251\t")
    assert ended(new) == ["251\tt\tnew"]


def test_a_log_that_does_not_exist_yet_is_waited_for(server, c, tail):
    running = tail("log")
    server.wait_for_blocked(1)
    c.call("TWRITE", "log", "t", "first")
    running.wait_for_output("1\tt\tfirst\n")


def test_one_line_a_message_whatever_is_in_it(c, tail):
    c.call("TWRITE", "log", b"a\tb", b"two\nlines \\ \x1b[31m \xff " + "é".encode())
    running = tail("log")
    running.wait_for_output("\n")
    assert ended(running) == [r"1" + "\t" + r"a\tb" + "\t" + r"two\nlines \\ \x1b[31m \xff é"]


def test_json_is_one_object_a_line(c, tail):
    c.call("TWRITE", "log", "t", b'say "hi"\n\xff')
    c.call("TWRITE", "log", "", "")
    running = tail("log", "--json")
    running.wait_for_output('"offset":2')
    found = [json.loads(line) for line in ended(running)]
    assert all(one.pop("time") > 1_700_000_000_000 for one in found)
    assert found == [{"offset": 1, "tag": "t", "entry": 'say "hi"\n\xff'}, {"offset": 2, "tag": "", "entry": ""}]


def written(still, clock):
    """A log with a message every minute, from 1 to 9; the clock stands at the time of the last one."""
    with still.connect() as c:
        for i in range(1, 10):
            clock.advance(60_000)
            c.call("TWRITE", "log", "t", f"entry {i}")


def offsets_of(still, *words):
    done = millrace("tail", "--to", f"127.0.0.1:{still.port}", "log", "--json", *words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["offset"] for line in done.stdout.splitlines()]


def test_it_reads_between_two_times_and_ends(still, clock):
    written(still, clock)
    with still.connect() as c:
        times = [message[3] for message in c.call("TREAD", "log", 1, 10, "WITHTIME")]
    iso = [datetime.datetime.fromtimestamp(time / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")
           for time in times]
    assert offsets_of(still, "--from", iso[2], "--until", iso[5], "--no-follow") == [3, 4, 5]
    assert offsets_of(still, "--from", iso[6].replace("+00:00", "Z"), "--no-follow") == [7, 8, 9]
    # With an end given, it ends there and does not follow.
    assert offsets_of(still, "--from", "1", "--until", iso[1]) == [1]


def test_without_following_it_ends_with_the_last_message(still, clock):
    written(still, clock)
    assert offsets_of(still, "--from", "1", "--no-follow") == list(range(1, 10))
    assert offsets_of(still, "--from", "-2", "--no-follow") == [8, 9]
    assert offsets_of(still, "--from", "$", "--no-follow") == []
    done = millrace("tail", "--to", f"127.0.0.1:{still.port}", "nothing", "--no-follow")
    assert (done.returncode, done.stdout) == (0, b"")


def test_how_long_ago_is_a_time_too(c, server):
    c.call("TWRITE", "log", "t", "now")
    assert offsets_of(server, "--from", "1h", "--no-follow") == [1]
    assert offsets_of(server, "--from", "1", "--until", "1h", "--no-follow") == []


@pytest.mark.parametrize("words", [["--from", "yesterday"], ["--until", "soon"], ["--group", "g", "--no-follow"],
                                   ["--group", "g", "--until", "1h"]])
def test_an_invalid_time_is_refused(words):
    assert millrace("tail", "log", *words).returncode == 2


def test_evicted_messages_are_skipped_and_gaps_are_reported(server, c, tail):
    for i in range(1, 11):
        c.call("TWRITE", "log", "t", i)
    c.call("TEVICT", "log", 4)
    running = tail("log", "--from", "1")
    running.wait_for_output("10\tt\t10\n")
    assert running.output().startswith("5\t")
    server.wait_for_blocked(1)
    c.call("CLIENT", "PAUSE", 0)
    connection = server.connect()
    connection.send("MULTI")
    for words in (["TWRITE", "log", "ENTRIES", *["t", "x"] * 5], ["TEVICT", "log", 13], ["EXEC"]):
        connection.send(*words)
    running.wait_for_output("15\tt\tx\n")
    connection.close()
    assert "messages 11 to 13 were evicted or replaced before they could be read" in running.errors()


def test_a_group_shares_the_messages_and_acknowledges_what_was_printed(server, c, tail):
    for i in range(1, 6):
        c.call("TWRITE", "log", "t", i)
    running = tail("log", "--group", "g", "--consumer", "ann", "--retry", "60", "--json")
    running.wait_for_output('"offset":5')
    wait_until(lambda: pending(c) == 0, "all are acknowledged")
    lines = [json.loads(line) for line in ended(running)]
    assert [(line["offset"], line["attempts"]) for line in lines] == [(i, 1) for i in range(1, 6)]
    c.call("TWRITE", "log", "t", 6)
    again = tail("log", "--group", "g")
    again.wait_for_output("6\tt\t6\n")
    assert ended(again) == ["6\tt\t6"]


def pending(c):
    group = c.call("TGROUP", "LIST", "log")[0]
    return dict(zip(group[::2], group[1::2]))[b"pending"]


def test_what_could_not_be_printed_is_not_acknowledged(server, c):
    c.call("TWRITE", "log", "t", "x")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([TOOL, "tail", "--to", f":{server.port}", "log", "--group", "g"], stdout=full,
                              stderr=subprocess.PIPE, timeout=30)
    assert done.returncode == 4
    assert done.stderr == b"millrace tail: cannot write: No space left on device\n"
    assert pending(c) == 1


def test_it_goes_on_when_its_server_restarts(tmp_path):
    with Server(appendonly="yes") as own:
        own.admin.call("TWRITE", "log", "t", "before")
        with Running(tmp_path, "tail", "--to", f":{own.port}", "log") as running:
            running.wait_for_output("1\tt\tbefore\n")
            own.wait_for_blocked(1)
            own.kill()
            running.wait_for_errors("trying again until it is back")
            own.come_back()
            running.wait_for_errors("is back")
            own.admin.call("TWRITE", "log", "t", "after")
            running.wait_for_output("2\tt\tafter\n")
            assert ended(running) == ["1\tt\tbefore", "2\tt\tafter"]


def test_a_log_that_begins_again_is_read_from_its_beginning(tmp_path):
    with Server() as own:
        for i in range(5):
            own.admin.call("TWRITE", "log", "t", i)
        with Running(tmp_path, "tail", "--to", f":{own.port}", "log") as running:
            running.wait_for_output("5\tt\t4\n")
            own.wait_for_blocked(1)
            own.kill()
            own.come_back()
            own.admin.call("TWRITE", "log", "t", "new")
            running.wait_for_output("1\tt\tnew\n")
            assert "the log was deleted or replaced" in running.errors()


def test_a_log_that_was_deleted_and_written_again_is_read_from_its_beginning(server, c, tail):
    for i in range(5):
        c.call("TWRITE", "log", "t", i)
    running = tail("log")
    running.wait_for_output("5\tt\t4\n")
    server.wait_for_blocked(1)
    c.call("DEL", "log")
    c.call("TWRITE", "log", "t", "new")
    running.wait_for_output("1\tt\tnew\n")
    c.call("TWRITE", "log", "t", "newer")
    running.wait_for_output("2\tt\tnewer\n")
    assert running.errors() == "millrace tail: the log was deleted or replaced; reading it from its beginning\n"


def test_a_tail_that_waits_for_new_messages_misses_none_between_two_reads(server, c, tail):
    c.call("TWRITE", "log", "t", "old")
    running = tail("log", "--from", "$")
    server.wait_for_blocked(1)
    waiting = next(line for line in c.call("CLIENT", "LIST").decode().splitlines() if " flags=b " in line)
    # The tail is answered that nothing came, and a message is written before it can ask again.
    c.call("MULTI")
    c.call("CLIENT", "UNBLOCK", waiting.split()[0].split("=")[1])
    c.call("TWRITE", "log", "t", "new")
    assert c.call("EXEC")[0] == 1
    running.wait_for_output("2\tt\tnew\n")


def test_it_follows_its_key_to_the_node_that_serves_it(tmp_path):
    with Cluster() as cluster:
        key = next(f"log{i}" for i in range(100) if cluster.master_of(cluster_slot(cluster, f"log{i}")) is cluster.nodes[2])
        cluster.nodes[2].admin.call("TWRITE", key, "t", "x")
        with Running(tmp_path, "tail", "--to", f":{cluster.nodes[0].port}", key) as running:
            running.wait_for_output("1\tt\tx\n")
            assert ended(running) == ["1\tt\tx"]


def cluster_slot(cluster, key):
    return cluster.nodes[0].admin.call("CLUSTER", "KEYSLOT", key)


def test_mistakes_are_reported(server, c):
    to = ("--to", f":{server.port}")
    c.call("SET", "string", "x")
    done = millrace("tail", *to, "string")
    assert done.returncode == 1 and b"WRONGTYPE" in done.stderr
    for wrong in ("foo", "0", "-0", "+5", "5x", "-", "", "99999999999999999999"):
        done = millrace("tail", "--to", ":1", "log", "--from", wrong)
        assert done.returncode == 2 and b"is no place in a log" in done.stderr, wrong
    assert millrace("tail", "--to", ":1", "log").returncode == 3
    for words in (["tail"], ["tail", "log", "--consumer", "ann"], ["tail", "log", "--group", "g", "--from", "1"],
                  ["tail", "log", "--group", "g", "--retry", "0"], ["tail", "log", "--to", "x:y"]):
        assert millrace(*words).returncode == 2, words
