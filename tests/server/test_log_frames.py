"""TREAD … FRAMED and TWRITE … FRAMED: many messages in one string."""

import random
import subprocess

import pytest

from length import at_length
from log_frames import make_frame, numbers, read_frame
from resp import RespError
from server import Server, wait_until, wait_until_same
from test_log_packing import COLD, fill, info, wait_until_packed


def framed(connection, start, count, *options, key="log"):
    return read_frame(connection.call("TREAD", key, start, count, "FRAMED", *options))


def plain(connection, start, count, key="log"):
    return connection.call("TREAD", key, start, count, "SKIP", "WITHTIME")


# --- reading ---


def test_a_frame_has_the_messages_that_a_read_has(c):
    fill(c)
    for start, count in [(1, 10), (1, 1_000_000), (77, 100), (500, 1), (499, 10), (-3, 2)]:
        assert framed(c, start, count).messages == plain(c, start, count)


def test_it_says_what_the_log_holds_and_where_to_go_on(c):
    fill(c, count=100)
    c.call("TEVICT", "log", 10)
    frame = framed(c, 1, 20)
    epoch = c.call("TREAD", "log", 1, 0, "WITHINFO", "EPOCH")[0][2]
    assert frame.head == (epoch, 11, 101, 11, 31, 20), "what was evicted is passed over"
    assert frame.messages[0][0] == 11
    seen, position = [], 1
    while True:
        frame = framed(c, position, 7)
        if not frame.messages:
            break
        seen += frame.messages
        position = frame.head.end
    assert seen == plain(c, 1, 1000) and position == 101


def test_a_frame_without_messages_is_a_head_alone(c):
    assert framed(c, 5, 10).head == (0, 1, 1, 5, 5, 0), "a key that does not exist"
    fill(c, count=3)
    assert framed(c, 4, 10).messages == []
    assert framed(c, 1, 0).messages == []
    assert framed(c, "$", 10).head[3:] == (4, 4, 0)


def test_cold_blocks_travel_as_they_lie_in_memory(server, c):
    with server.changed_settings(**COLD):
        fill(c)
        wait_until_packed(c)
    expected = plain(c, 1, 1_000_000)
    opened = lambda: server.counter("log_cache_misses") + server.counter("log_cache_hits")
    before = opened()
    data = c.call("TREAD", "log", 1, 1_000_000, "FRAMED")
    assert opened() == before, "the server has unpacked nothing"
    frame = read_frame(data)
    assert frame.messages == expected
    assert frame.packed_blocks == info(c)["packed-blocks"]
    assert len(data) < sum(len(m[1]) + len(m[2]) for m in expected) / 3
    # A read from the middle of a packed block up to the middle of another.
    for start, count in [(14, 3), (14, 100), (1, 14), (250, 249)]:
        assert framed(c, start, count).messages == plain(c, start, count)


def test_deleted_and_compacted_messages_are_left_out(server, c):
    with server.changed_settings(**COLD):
        fill(c)
        c.call("TDEL", "log", *range(3, 480, 7), "200-260", "500")
        for _ in range(2):
            for start, count in [(1, 1_000_000), (201, 5), (199, 10), (490, 100), (500, 10)]:
                frame = framed(c, start, count)
                assert frame.messages == plain(c, start, count)
            assert framed(c, 490, 100).head.end == 501, "whoever has read all goes on at the end"
            # The newest block is empty: its only message was deleted.
            wait_until(lambda: info(c)["packed-blocks"] == info(c)["blocks"], "all blocks are packed")


def test_maxbytes_ends_a_frame_before_the_block_that_would_exceed_it(server, c):
    with server.changed_settings(**COLD, **{"millrace.compress": "no"}):
        fill(c)
        size = len(plain(c, 1, 1)[0][2])
        few = framed(c, 1, 1000, "MAXBYTES", 3000)
        assert 1 < len(few.messages) <= 3000 // size
        assert framed(c, few.head.end, 1000).messages[0][0] == few.messages[-1][0] + 1
        assert len(framed(c, 1, 1000, "MAXBYTES", 1).messages) >= 1
    with server.changed_settings(**{"millrace.read_bytes": "1024"}):
        assert len(framed(c, 1, 1000).messages) < 50, "no answer is larger than that without being asked to"


def test_a_position_of_another_life_of_the_log_is_refused(c):
    c.call("TWRITE", "log", "t", "1")
    epoch = framed(c, 1, 1).head.epoch
    assert framed(c, f"{epoch}.1", 1).messages[0][2] == b"1"
    c.call("DEL", "log")
    c.call("TWRITE", "log", "t", "2")
    with pytest.raises(RespError, match="BADPOSITION"):
        framed(c, f"{epoch}.1", 1)


def test_a_reader_waits_for_a_frame(c, waiting, server):
    reader = waiting("log", "$", "1000", "FRAMED", "BLOCK", "0")
    c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2")
    assert [m[:3] for m in read_frame(reader.read()).messages] == [[1, b"a", b"1"], [2, b"b", b"2"]]
    assert c.call("TREAD", "log", "$", 10, "FRAMED", "BLOCK", "1") is None, "nothing came"
    assert c.call("TREAD", "log", "1", 1, "FRAMED", "BLOCK", "0")[:4] == b"MRF\x01"


def test_a_reader_that_follows_a_log_gets_what_is_new_and_not_the_whole_newest_block(c, waiting):
    c.call("TWRITE", "log", "ENTRIES", *["t", "x" * 100] * 50)
    reader = waiting("log", "51", "1000", "FRAMED", "BLOCK", "0")
    c.call("TWRITE", "log", "t", "new")
    data = reader.read()
    assert len(data) < 60
    assert [m[:3] for m in read_frame(data).messages] == [[51, b"t", b"new"]]


def test_in_a_transaction_and_in_a_script_it_answers_at_once(c):
    c.call("MULTI")
    c.call("TREAD", "log", "1", 1, "FRAMED", "BLOCK", "0")
    c.call("TREAD", "log", "1", 1, "FRAMED")
    nothing, empty = c.call("EXEC")
    assert nothing is None and read_frame(empty).messages == []
    script = "return redis.call('TREAD', KEYS[1], 1, 10, 'FRAMED')"
    assert read_frame(c.call("EVAL", script, 1, "log")).messages == []


# --- writing ---


def test_a_frame_is_written_in_one_step(c):
    assert c.call("TWRITE", "log", "first", "0") == 1
    assert c.call("TWRITE", "log", "FRAMED", make_frame((b"new", b"1"), (b"paid", b""), (b"new", b"\x00\xff"))) == 2
    assert c.call("TREAD", "log", 2, 10) == [[2, b"new", b"1"], [3, b"paid", b""], [4, b"new", b"\x00\xff"]]


def test_what_was_read_from_one_log_is_written_to_another(server, c):
    with server.changed_settings(**COLD):
        fill(c)
        wait_until_packed(c)
        c.call("TDEL", "log", "100-120")
        data = c.call("TREAD", "log", 50, 300, "FRAMED")
        assert read_frame(data).packed_blocks > 0
        assert c.call("TWRITE", "copy", "framed", data) == 1
    assert [m[1:] for m in c.call("TREAD", "copy", 1, 1000)] == [m[1:3] for m in plain(c, 50, 300)]


def test_a_frame_goes_with_the_options_of_a_write(s, clock):
    frame = make_frame((b"t", b"1"), (b"t", b"2"), (b"t", b"3"))
    assert s.call("TWRITE", "log", "ID", "x", "FRAMED", frame) == 1
    assert s.call("TWRITE", "log", "ID", "x", "FRAMED", frame) == 1, "stored once"
    assert s.call("TWRITE", "log", "BACKLOG", 4, "FRAMED", frame) == 4
    assert info(s)["first"] == 3
    ticket = s.call("TWRITE", "log", "DELAY", 1000, "FRAMED", frame)
    assert ticket.endswith(b"-1") and info(s)["scheduled"] == 3
    s.call("TRETAIN", "log", "COUNT", 4, "REFUSE", "yes")
    s.call("TREAD", "log", 1, 0, "GROUP", "g")
    with pytest.raises(RespError, match="FULL the group 'g'"):
        s.call("TWRITE", "log", "FRAMED", frame)


def test_a_tag_may_be_framed_if_it_stands_behind_entries(c):
    assert c.call("TWRITE", "log", "ENTRIES", "FRAMED", "x") == 1
    assert c.call("TREAD", "log", 1, 1) == [[1, b"FRAMED", b"x"]]
    with pytest.raises(RespError, match="ERR FRAMED needs a frame, but there is bytes that are no frame"):
        c.call("TWRITE", "log", "FRAMED", "x")


def test_a_dead_letter_with_the_tag_framed_comes_back_everywhere():
    """The effect of a write to the dead letters is not taken for a frame on replicas or in the AOF, even with this
    tag."""
    with Server(appendonly="yes") as own:
        c = own.admin
        c.call("TGROUP", "CREATE", "jobs", "g", "DEADLETTER", "dead")
        c.call("TWRITE", "jobs", "ENTRIES", "FRAMED", "work")
        c.call("TREAD", "jobs", 1, 1, "GROUP", "g", "RETRY", 60000, 0)
        assert c.call("TNACK", "jobs", "g", "DEAD", "bad", 1) == 1
        assert c.call("TREDRIVE", "dead") == 1
        before = c.call("TREAD", "jobs", 1, 10)
        assert before[-1][1:] == [b"FRAMED", b"work"]
        own.shutdown(save=False)
        own.restart()
        assert own.admin.call("TREAD", "jobs", 1, 10) == before


def test_an_empty_frame_is_refused_and_makes_no_log(c):
    with pytest.raises(RespError, match="there is one without messages"):
        c.call("TWRITE", "log", "FRAMED", make_frame())
    assert c.call("EXISTS", "log") == 0


def test_damaged_frames_are_refused_or_written_whole_and_do_no_harm(server, c):
    rng = random.Random(7)
    with server.changed_settings(**COLD):
        fill(c, count=200)
        wait_until_packed(c)
        frame = c.call("TREAD", "log", 1, 1000, "FRAMED")
    refused = 0
    for _ in range(at_length(3000, 500, quick=50)):
        damaged = bytearray(frame)
        for _ in range(rng.randrange(1, 4)):
            if rng.random() < 0.5:
                damaged[rng.randrange(4, 80)] = rng.randrange(256)
            else:
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        if rng.random() < 0.2:
            del damaged[rng.randrange(len(damaged)) :]
        before = info(c, "copy")["last"]
        try:
            first = c.call("TWRITE", "copy", "BACKLOG", 1000, "FRAMED", bytes(damaged))
            assert first == before + 1
        except RespError as error:
            refused += 1
            assert str(error).startswith("ERR FRAMED needs a frame, but there is ")
            assert info(c, "copy")["last"] == before
    assert refused > 0


def test_a_frame_that_claims_more_than_it_brings_allocates_nothing_of_the_kind(server, c):
    bomb = b"MRF\x01" + bytes([0, 1, 1, 1]) + b"\xff" * 8 + b"\x7f" + b"\xfe" + b"\xff" * 7 + b"\x7f"
    peak = server.info("memory")["used_memory_peak"]
    with pytest.raises(RespError, match="ERR FRAMED needs a frame"):
        c.call("TWRITE", "log", "FRAMED", bomb)
    assert int(server.info("memory")["used_memory_peak"]) - int(peak) < 10_000_000


def packed_block(first, records, count):
    """A block of a frame with these records, packed by zstd at a high level."""
    packed = subprocess.run(["zstd", "-19", "-c"], input=records, capture_output=True, check=True).stdout
    return numbers(first, 0, count, len(records), 0, len(packed)) + packed


@pytest.mark.long
@pytest.mark.parametrize(
    "records, count, blocks, refused",
    [
        (b"\0\0\0\0" + b"\1\0\0" * 43_000, 43_001, 3, "more in packed blocks than 100000 messages"),
        (b"\0\0\0\xf0\xff\x07" + b"\0" * 131_056, 1, 33, "more in packed blocks than 4 MiB"),
    ],
    ids=["messages", "bytes"],
)
def test_packed_blocks_bring_no_more_than_a_server_writes_at_once(c, records, count, blocks, refused):
    """Before there was a limit, 826 bytes could become a million messages, and 18 KB could become 64 MB."""

    def frame(number):
        head = b"MRF\x01" + numbers(0, 1, 1, 1, 1 + number * count, number * count)
        return head + b"".join(packed_block(1 + n * count, records, count) for n in range(number))

    with pytest.raises(RespError, match=refused):
        c.call("TWRITE", "log", "FRAMED", frame(blocks))
    assert c.call("EXISTS", "log") == 0
    assert c.call("TWRITE", "log", "FRAMED", frame(blocks - 1)) == 1
    assert info(c)["messages"] == count * (blocks - 1)


def test_replicas_get_the_frame(server, replica, c):
    with server.changed_settings(**COLD):
        write_copy(c)
    wait_until_same(server, replica, "log", "copy")


def write_copy(c):
    fill(c)
    wait_until_packed(c)
    frame = c.call("TREAD", "log", 1, 1000, "FRAMED")
    assert c.call("TWRITE", "copy", "ID", "once", "FRAMED", frame) == 1
    c.call("TWRITE", "copy", "DELAY", 100_000_000, "FRAMED", frame)


def test_the_append_only_file_gets_the_frame():
    with Server(appendonly="yes") as own:
        with own.changed_settings(**COLD):
            write_copy(own.admin)
        before = own.digest("copy")
        own.shutdown(save=False)
        own.restart()
        assert own.digest("copy") == before
        assert len(plain(own.admin, 1, 1000, key="copy")) == 500
