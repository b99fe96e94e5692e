"""TWRITE: the lines of "Writing" in the log's specification."""

import pytest


def read_all(c, key="log"):
    return c.call("TREAD", key, "1", "1000000", "SKIP")


def ends(c, key="log"):
    return c.call("TREAD", key, "1", "0", "WITHINFO")[0]


def test_the_first_message_has_offset_1_and_the_next_ones_follow(c):
    assert [c.call("TWRITE", "log", "tag", f"entry {n}") for n in range(1, 6)] == [1, 2, 3, 4, 5]


def test_a_message_comes_back_as_offset_tag_and_entry(c):
    c.call("TWRITE", "log", "new", '{"order":1}')
    assert read_all(c) == [[1, b"new", b'{"order":1}']]


def test_a_batch_answers_the_offset_of_its_first_message(c):
    assert c.call("TWRITE", "log", "ENTRIES", "a", "1", "b", "2", "c", "3") == 1
    assert c.call("TWRITE", "log", "ENTRIES", "d", "4", "e", "5") == 4
    assert c.call("TWRITE", "log", "f", "6") == 6
    assert read_all(c) == [[n, b"abcdef"[n - 1 : n], b"%d" % n] for n in range(1, 7)]


@pytest.mark.parametrize("tag", ["ENTRIES", "entries", "BACKLOG", "backlog"])
def test_with_four_arguments_the_tag_may_be_a_keyword(c, tag):
    assert c.call("TWRITE", "log", tag, "3") == 1
    assert read_all(c) == [[1, tag.encode(), b"3"]]


@pytest.mark.parametrize("word", ["ENTRIES", "entries", "EnTrIeS"])
def test_keywords_are_understood_in_any_case(c, word):
    assert c.call("TWRITE", "log", "bAcKlOg", "1", word, "a", "1", "b", "2") == 1
    assert read_all(c) == [[2, b"b", b"2"]]


def test_tags_and_entries_in_a_batch_may_be_keywords(c):
    c.call("TWRITE", "log", "ENTRIES", "BACKLOG", "ENTRIES", "ENTRIES", "BACKLOG")
    assert read_all(c) == [[1, b"BACKLOG", b"ENTRIES"], [2, b"ENTRIES", b"BACKLOG"]]


def test_tags_entries_and_keys_are_binary_safe(c):
    every_byte = bytes(range(256))
    key = b"k\x00ey\xff\r\n"
    c.call("TWRITE", key, every_byte, every_byte * 3)
    assert read_all(c, key) == [[1, every_byte, every_byte * 3]]


def test_tags_and_entries_may_be_empty(c):
    c.call("TWRITE", "log", "", "")
    c.call("TWRITE", "log", "ENTRIES", "", "x", "y", "")
    assert read_all(c) == [[1, b"", b""], [2, b"", b"x"], [3, b"y", b""]]


@pytest.mark.parametrize("size", [127, 128, 16_383, 16_384, 16_385, 1 << 20, 5_000_000])
def test_an_entry_of_any_size_comes_back_whole(c, size):
    entry = bytes([size % 251]) * size
    c.call("TWRITE", "log", "before", "small")
    c.call("TWRITE", "log", "large", entry)
    c.call("TWRITE", "log", "after", "small")
    assert c.call("TREAD", "log", "2", "1") == [[2, b"large", entry]]
    assert c.call("TREAD", "log", "3", "1") == [[3, b"after", b"small"]]


@pytest.mark.parametrize("size", [127, 128, 16_385, 1 << 20])
def test_a_tag_of_any_size_comes_back_whole(c, size):
    tag = bytes([size % 251]) * size
    c.call("TWRITE", "log", "ENTRIES", tag, "1", tag, "2", "other", "3")
    assert [message[1] for message in read_all(c)] == [tag, tag, b"other"]
    assert [message[0] for message in c.call("TREAD", "log", "1", "9", "TAGS", "1", tag)] == [1, 2]


def test_a_batch_of_thousands_is_one_write(c):
    pairs = [word for n in range(1, 5001) for word in (f"t{n % 7}", f"entry {n}")]
    assert c.call("TWRITE", "log", "ENTRIES", *pairs) == 1
    assert ends(c) == [1, 5000]
    assert c.call("TREAD", "log", "4999", "5") == [[4999, b"t1", b"entry 4999"], [5000, b"t2", b"entry 5000"]]


# --- BACKLOG ---


@pytest.mark.parametrize(
    "backlog, first", [("1", 13), ("2", 12), ("3", 11), ("5", 9), ("12", 2), ("13", 1), ("14", 1), ("9223372036854775807", 1)]
)
def test_backlog_keeps_exactly_that_many_of_the_newest(c, backlog, first):
    for n in range(10):
        c.call("TWRITE", "log", "t", str(n))
    assert c.call("TWRITE", "log", "BACKLOG", backlog, "ENTRIES", "t", "10", "t", "11", "t", "12") == 11
    assert ends(c) == [first, 13]
    assert [message[0] for message in read_all(c)] == list(range(first, 14))


def test_backlog_0_keeps_nothing_but_the_count_goes_on(c):
    assert c.call("TWRITE", "log", "BACKLOG", "0", "ENTRIES", "a", "1", "b", "2") == 1
    assert ends(c) == [3, 2]
    assert c.call("EXISTS", "log") == 1
    assert c.call("TWRITE", "log", "c", "3") == 3
    assert read_all(c) == [[3, b"c", b"3"]]


def test_backlog_may_keep_part_of_the_very_batch_it_writes(c):
    pairs = [word for n in range(1, 101) for word in ("t", str(n))]
    assert c.call("TWRITE", "log", "BACKLOG", "4", "ENTRIES", *pairs) == 1
    assert [message[2] for message in read_all(c)] == [b"97", b"98", b"99", b"100"]


def test_backlog_holds_for_one_write_only(c):
    c.call("TWRITE", "log", "BACKLOG", "1", "ENTRIES", "a", "1", "b", "2")
    c.call("TWRITE", "log", "c", "3")
    assert ends(c) == [2, 3]


def test_memory_is_given_back_block_by_block(server, c):
    with server.changed_settings(**{"millrace.block_bytes": "1024"}):
        for _ in range(200):
            c.call("TWRITE", "log", "t", "x" * 200)
    full = c.call("MEMORY", "USAGE", "log")
    c.call("TWRITE", "log", "BACKLOG", "100", "ENTRIES", "t", "x" * 200)
    half = c.call("MEMORY", "USAGE", "log")
    c.call("TWRITE", "log", "BACKLOG", "1", "ENTRIES", "t", "x" * 200)
    assert 0.4 * full < half < 0.6 * full
    assert c.call("MEMORY", "USAGE", "log") < 0.15 * full


def test_a_log_of_one_short_message_takes_under_400_bytes(c):
    c.call("TWRITE", "log", "new", "a short message")
    assert c.call("MEMORY", "USAGE", "log", "SAMPLES", "0") < 400


def test_the_block_size_changes_nothing_a_client_sees(server, c):
    for size in ("256", "1024", "1mb"):
        with server.changed_settings(**{"millrace.block_bytes": size}):
            for n in range(300):
                c.call("TWRITE", f"log{size}", f"t{n % 5}", "x" * (n * 7 % 300))
    assert read_all(c, "log256") == read_all(c, "log1024") == read_all(c, "log1mb")
