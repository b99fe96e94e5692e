"""Faults that an attack on groups has found, each once; the server must not crash, and must answer correctly."""

import pytest

from resp import encoded
from log_family import without_ages
from server import Server


def worker(key, *options):
    return ("TREAD", key, "1", "1", "GROUP", "g", "BLOCK", "0", *options)


@pytest.fixture
def own():
    """A separate server with an AOF, so that every effect is written to a file."""
    with Server(appendonly="yes") as server:
        yield server


@pytest.mark.parametrize(
    "behind",
    [[("MULTI",), ("TWRITE", "log", "t", "e"), ("EXEC",)], [("RENAME", "source", "log")]],
    ids=["transaction", "rename"],
)
def test_a_group_is_served_after_what_was_pipelined_behind_a_blocking_command(own, behind):
    own.admin.call("TWRITE", "source", "t", "e")
    reader, writer = own.connect(), own.connect()
    reader.send(*worker("log"))
    own.wait_for_blocked(1)
    own.admin.call("DEL", "log")
    writer._socket.sendall(b"".join(encoded(words) for words in [("BLPOP", "list", "0"), *behind]))
    own.wait_for_blocked(2)
    own.admin.call("RPUSH", "list", "x")
    assert reader.read() == [[1, b"t", b"e"]]
    own.kill()
    own.restart()
    assert own.admin.call("TGROUP", "LIST", "log")[0][3] == 1, "the delivery is in the AOF"


def test_no_reader_is_served_while_writes_are_paused(own):
    own.admin.call("TWRITE", "source", "t", "e")
    reader = own.connect()
    reader.send(*worker("log", "RETRY", "90000", "0"))
    own.wait_for_blocked(1)
    own.admin.call("DEL", "log")
    own.admin.call_all([("RENAME", "source", "log"), ("CLIENT", "PAUSE", "60000", "WRITE")])
    assert own.admin.call("TGROUP", "LIST", "log") == []
    own.admin.call("CLIENT", "UNPAUSE")
    assert reader.read() == [[1, b"t", b"e"]]


def test_a_dead_letter_does_not_serve_its_readers_while_writes_are_paused(own):
    # The reader starts to wait before anything can become a dead letter.
    reader = own.connect()
    reader.send(*worker("dead"))
    own.wait_for_blocked(1)
    own.admin.call("TWRITE", "log", "t", "e")
    own.admin.call("TGROUP", "CREATE", "log", "g", "1")
    own.admin.call("TGROUP", "SET", "log", "g", "MAXATTEMPTS", "1", "DEADLETTER", "dead")
    own.admin.call("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "30", "0")
    take = ("TREAD", "log", "1", "1", "GROUP", "g", "RETRY", "30", "0")
    own.connect().call_all([("DEBUG", "SLEEP", "0.05"), take, ("CLIENT", "PAUSE", "100", "WRITE")])
    assert reader.read()[0][2] == b"e"


def test_a_counter_from_outside_that_is_full_stays_full_and_can_be_saved(own):
    full = b"\xff" * 8 + b"\x7f"  # 2^63 - 1, as the codec writes numbers
    own.admin.call("TWRITE", "log", "ENTRIES", "t", "a", "t", "b")
    own.admin.call("TAPPLY", "log", "GROUP", b"\x01g\x01" + full + b"\x00" * 6)
    own.admin.call("TEVICT", "log", "1")
    listed = own.admin.call("TGROUP", "LIST", "log")[0]
    assert listed[listed.index(b"lost") + 1] == 2**63 - 1
    own.admin.call("DEBUG", "RELOAD")
    assert without_ages(own.admin.call("TGROUP", "LIST", "log")[0]) == without_ages(listed)


def test_a_new_group_is_refused_when_memory_is_full(own):
    own.admin.call("TWRITE", "log", "t", "e")
    own.admin.call("TREAD", "log", "1", "1", "TAILGROUP", "there")
    own.admin.call("CONFIG", "SET", "maxmemory", "1")
    assert own.admin.error_of("TREAD", "log", "1", "1", "GROUP", "new").startswith("OOM")
    assert own.admin.error_of("TREAD", "other", "1", "1", "GROUP", "new").startswith("OOM")
    assert own.admin.call("EXISTS", "other") == 0
    assert own.admin.call("TREAD", "log", "1", "1", "GROUP", "there") == [], "what takes no memory goes on"


@pytest.mark.parametrize("group", [(), ("GROUP", "g", "RETRY", "50", "0")], ids=["alone", "group"])
@pytest.mark.parametrize("how", ["ERROR", "TIMEOUT"])
def test_a_client_that_is_unblocked_right_behind_the_write_gets_one_answer(own, how, group):
    reader = own.connect()
    number = reader.call("CLIENT", "ID")
    reader.send("TREAD", "log", "1", "1", *group, "BLOCK", "0")
    own.wait_for_blocked(1)
    own.admin.call_all([("TWRITE", "log", "t", "e"), ("CLIENT", "UNBLOCK", number, how)])
    answer = reader.read()
    if how == "ERROR":
        assert str(answer) == "UNBLOCKED client unblocked via CLIENT UNBLOCK"
    else:
        assert answer == [[1, b"t", b"e"]]
    assert reader.call("PING") == b"PONG"
    if group and how == "ERROR":
        again = reader.call("TREAD", "log", "1", "1", *group, "BLOCK", "0")
        assert again == [[1, b"t", b"e"]], "what nobody got comes again after its retry time"
