"""CHAN.FETCH, CHAN.ACK and CHAN.SEEN: what a subscriber gets until it acknowledges it."""

import pytest

from channel_words import EMPTY, ack, ids, info, nosub, publish, subscribe, take


@pytest.fixture(autouse=True)
def _subscribed(c):
    subscribe(c, "s")


def test_a_fetch_returns_what_lies_after_the_subscribers_clock(c):
    publish(c, "a", "b")
    messages, receipt, more = c.call("CHAN.FETCH", "ch", "s")
    assert messages == [[b"a", b"content of a"], [b"b", b"content of b"]]
    assert isinstance(receipt, bytes) and receipt.isascii() and receipt.decode().isprintable()
    assert more == 0


def test_a_fetch_with_nothing_to_return_has_no_receipt(c):
    assert c.call("CHAN.FETCH", "ch", "s") == EMPTY
    publish(c, "a")
    ack(c, take(c)[1])
    assert c.call("CHAN.FETCH", "ch", "s") == EMPTY
    assert c.bytes_of("CHAN.FETCH", "ch", "s") == b"*3\r\n*0\r\n$-1\r\n:0\r\n"


def test_an_empty_fetch_has_the_null_of_resp3(connect):
    assert connect(protocol=3).bytes_of("CHAN.FETCH", "ch", "s") == b"*3\r\n*0\r\n_\r\n:0\r\n"


def test_fetching_again_returns_the_same(c):
    publish(c, "a", "b")
    first = c.call("CHAN.FETCH", "ch", "s")
    assert c.call("CHAN.FETCH", "ch", "s") == first
    publish(c, "c")
    assert ids(c) == ["a", "b", "c"]


def test_max_limits_a_fetch_and_more_says_that_there_is_more(c):
    publish(c, "a", "b", "c")
    assert [take(c, "s", "MAX", n)[::2] for n in (1, 2, 3, 4)] == [
        (["a"], 1),
        (["a", "b"], 1),
        (["a", "b", "c"], 0),
        (["a", "b", "c"], 0),
    ]


def test_without_max_it_is_64(c):
    names = [f"m{n}" for n in range(65)]
    publish(c, *names[:64])
    assert take(c)[::2] == (names[:64], 0)
    publish(c, names[64])
    assert take(c)[::2] == (names[:64], 1)
    ack(c, take(c)[1])
    assert take(c)[::2] == (names[64:], 0)


def test_a_fetch_may_be_large(c):
    names = [f"m{n}" for n in range(3000)]
    publish(c, *names)
    assert take(c, "s", "MAX", "1000000")[::2] == (names, 0)


def test_a_message_comes_until_it_is_acknowledged(c):
    publish(c, "a", "b", "c")
    _, receipt, _ = take(c, "s", "MAX", "2")
    assert ids(c) == ["a", "b", "c"]
    assert ack(c, receipt) == 1
    assert ids(c) == ["c"]


def test_acknowledging_again_is_a_retry(c):
    publish(c, "a", "b")
    older, newer = take(c, "s", "MAX", "1")[1], take(c)[1]
    assert ack(c, older) == 1
    assert ack(c, older) == 0
    assert ack(c, newer) == 1
    assert [ack(c, newer), ack(c, older)] == [0, 0]
    assert ids(c) == []


def test_an_older_receipt_moves_nothing_back(c):
    publish(c, "a", "b", "c")
    older, newer = take(c, "s", "MAX", "1")[1], take(c, "s", "MAX", "2")[1]
    assert ack(c, newer) == 1
    assert ack(c, older) == 0
    assert ids(c) == ["c"]


def test_subscribers_go_at_their_own_pace(c):
    subscribe(c, "slow")
    publish(c, "a", "b")
    ack(c, take(c)[1])
    publish(c, "c")
    assert ids(c) == ["c"]
    assert ids(c, "slow") == ["a", "b", "c"]
    ack(c, take(c, "slow", "MAX", "1")[1], "slow")
    assert (ids(c), ids(c, "slow")) == (["c"], ["b", "c"])


def test_a_whole_channel_is_read_in_steps(c):
    names = [f"m{n}" for n in range(1000)]
    publish(c, *names)
    got, more = [], 1
    while more:
        some, receipt, more = take(c, "s", "MAX", "7")
        got += some
        assert ack(c, receipt) == 1
    assert got == names


def test_seen_says_what_was_acknowledged(c):
    publish(c, "a", "b", "c")
    ack(c, take(c, "s", "MAX", "2")[1])
    assert c.call("CHAN.SEEN", "ch", "s", "c", "b", "a", "never", "a") == [0, 1, 1, 0, 1]
    subscribe(c, "new")
    assert c.call("CHAN.SEEN", "ch", "new", "a", "c") == [1, 1], "they lie before its start"
    publish(c, "d")
    assert c.call("CHAN.SEEN", "ch", "new", "d") == [0]


@pytest.mark.parametrize("words", [("FETCH", "nobody"), ("ACK", "nobody", "1.00"), ("SEEN", "nobody", "a")])
def test_without_channel_or_subscriber_it_is_nosub(server, c, words):
    command, *rest = words
    before, sent = server.digest("ch"), server.info("replication")["master_repl_offset"]
    for key in ("ch", "missing"):
        assert c.error_of(f"CHAN.{command}", key, *rest) == nosub("nobody", key)
    assert (server.digest("ch"), c.call("EXISTS", "missing")) == (before, 0)
    assert server.info("replication")["master_repl_offset"] == sent


def test_what_a_fetch_and_an_acknowledgement_do_is_counted(server, c):
    def counted():
        return [server.counter(name) for name in ("channel_messages_fetched", "channel_acknowledgements")]

    publish(c, "a", "b", "c")
    fetched, acknowledged = counted()
    receipt = take(c, "s", "MAX", "2")[1]
    ack(c, receipt)
    ack(c, receipt)
    assert counted() == [fetched + 2, acknowledged + 1]


def test_a_fetch_removes_nothing(c):
    publish(c, "a")
    ack(c, take(c)[1])
    assert info(c, "ch")["messages"] == 1
