"""MILLRACE.KEYS: pages of our keys, with and without figures, whatever their names are."""

import pytest

from server import Server, wait_until

MAKERS = {
    "log": ("TWRITE", "a", "b"),
    "channel": ("CHAN.SUBSCRIBE", "s"),
    "pool": ("SHARD.JOIN", "w"),
    "lock": ("LOCK.ACQUIRE", "o", 600000),
    "route": ("ROUTE.SUBSCRIBE", "d|t", "APP", "a", "MODEL", "m"),
    "index": ("IDX.CREATE", "PREFIX", "nothing:", "FIELD", "f", "TEXT"),
    "fact": ("FACT.ADD", "a", "b", "c"),
    "suggest": ("SUG.ADD", "term", "SCORE", 1),
}


def make(connection, kind, key):
    name, *rest = MAKERS[kind]
    return connection.call(name, key, *rest)


def ask(connection, *words):
    answer = connection.call("MILLRACE.KEYS", *words)
    fields = {answer[i].decode(): answer[i + 1] for i in range(0, len(answer), 2)}
    assert list(fields) == ["done", "of", "total", "counts", "keys", "cursor"]
    return fields


def wait_until_whole(connection):
    wait_until(lambda: (lambda page: page["done"] == page["of"])(ask(connection, "COUNT", 0)), "the index is whole")


def listed(connection, *words, count=100):
    """All of them, page by page: [(name, type)]"""
    wait_until_whole(connection)
    keys, cursor = [], ()
    while True:
        page = ask(connection, "COUNT", count, *words, *cursor)
        assert len(page["keys"]) <= count
        keys += [(one[0], one[1].decode()) for one in page["keys"]]
        if page["cursor"] is None:
            return keys
        cursor = ("CURSOR", page["cursor"])


def test_keys_of_all_types_are_listed_in_the_order_of_their_names(c):
    made = {f"key:{number}".encode(): kind for number, kind in enumerate(sorted(MAKERS, reverse=True))}
    for key, kind in made.items():
        make(c, kind, key)
    c.call("SET", "key:0a", "none of ours")
    assert listed(c) == sorted(made.items())
    for count in (1, 3, 1000):
        assert listed(c, count=count) == sorted(made.items())
    for kind in MAKERS:
        assert [found for _, found in listed(c, "TYPE", kind.upper())] == [kind]
    page = ask(c, "COUNT", 2)
    assert page["total"] == 8 and page["cursor"] == b"key:1"
    assert page["counts"] == sum(([kind.encode(), 1] for kind in MAKERS), [])
    assert ask(c, "TYPE", "lock")["total"] == 1


@pytest.mark.parametrize("pattern, found", [("*", "abcd"), ("*:b", "b"), ("k:?", "abcd"), ("k:[b-c]", "bc"), ("x", "")])
def test_names_are_chosen_by_a_pattern(c, pattern, found):
    for letter in "abcd":
        make(c, "log", f"k:{letter}")
    assert [name[-1:].decode() for name, _ in listed(c, "MATCH", pattern, count=2)] == list(found)


def test_names_may_be_any_bytes(c):
    names = [b"", b"\0", b"\0\1", b"\1", b"a", b"a\0", b"a\0b", b"ab", b"\xff", b"\xff\xfe", b"n" * 8192, b"n" * 8193,
             b"n" * 70_000, b"o\0" * 40_000]
    for name in names:
        make(c, "fact", name)
    assert [name for name, _ in listed(c, count=1)] == sorted(names)
    for name in names[::2]:
        c.call("DEL", name)
    assert [name for name, _ in listed(c, count=3)] == sorted(names[1::2])


FIGURES = {
    "log": {b"messages": 1, b"last": 1, b"groups": 0, b"lag": 0, b"pending": 0, b"oldest-ms": 0, b"oldest-group": None,
            b"scheduled": 0, b"scheduled-next": 0, b"dead-letters": []},
    "channel": {b"messages": 0, b"subscribers": 1, b"behind": 0, b"farthest": None},
    "pool": {b"workers": 1, b"recipients": 0, b"pending": 0, b"stale": 0, b"stale-worker": None, b"waiting": 0,
             b"dead": 0},
    "lock": {b"state": b"held", b"holders": 1, b"waiting": 0},
    "route": {b"devices": 1, b"subscriptions": 1, b"filters": 0, b"filter-failures": 0},
    "index": {b"documents": 0, b"state": b"ready", b"conflicts": 0, b"skipped": 0},
    "fact": {b"facts": 1},
    "suggest": {b"terms": 1},
}


@pytest.mark.parametrize("kind", MAKERS)
def test_figures_tell_of_each_type(c, kind):
    make(c, kind, "it")
    c.call("PEXPIREAT", "it", 4_000_000_000_000)
    [[name, found, memory, expires, figures]] = ask(c, "WITHINFO")["keys"]
    figures = dict(zip(figures[::2], figures[1::2]))
    assert (name, found.decode(), expires) == (b"it", kind, 4_000_000_000_000)
    assert memory > 0 and figures.pop(b"lease-ms", 1) > 0
    assert figures == FIGURES[kind]


def test_figures_of_a_log_add_up_its_groups_and_name_the_oldest(c):
    c.call("TWRITE", "orders", "ENTRIES", *["t", "e"] * 10)
    c.call("TGROUP", "CREATE", "orders", "mail", "DEADLETTER", "orders:dead")
    c.call("TREAD", "orders", 1, 4, "GROUP", "mail", "RETRY", 60000, 0)
    c.call("TREAD", "orders", 1, 10, "GROUP", "bill")
    [key] = ask(c, "WITHINFO")["keys"]
    figures = dict(zip(key[4][::2], key[4][1::2]))
    assert (figures[b"groups"], figures[b"lag"], figures[b"pending"]) == (2, 6, 4)
    assert figures[b"dead-letters"] == [b"mail", b"orders:dead"]
    wait_until(lambda: dict(zip(*[iter(ask(c, "WITHINFO")["keys"][0][4])] * 2))[b"oldest-group"] == b"mail", "it ages")


def test_a_key_that_has_expired_is_not_listed(still, clock):
    with still.connect() as c:
        make(c, "log", "gone")
        make(c, "log", "stays")
        c.call("PEXPIRE", "gone", 1000)
        clock.advance(2000)
        assert listed(c) == [(b"stays", "log")]


def test_a_user_sees_only_keys_that_it_may_read(c, connect):
    for name in ("mine:1", "yours:1"):
        make(c, "log", name)
    c.call("ACL", "SETUSER", "ann", "on", ">secret", "~mine:*", "+millrace.keys")
    ann = connect()
    ann.call("AUTH", "ann", "secret")
    wait_until_whole(ann)
    assert [key[0] for key in ask(ann)["keys"]] == [b"mine:1"]
    c.call("ACL", "DELUSER", "ann")


@pytest.mark.parametrize("words, error", [
    (("TYPE",), "ERR missing TYPE"),
    (("TYPE", "string"), "ERR invalid TYPE 'string': expected log, channel, pool, lock, route, index, fact or suggest"),
    (("COUNT", "10001"), "ERR invalid COUNT '10001': expected an integer from 0 to 10000"),
    (("MATCH", "x" * 1025), "ERR the pattern has 1025 bytes, expected at most 1024"),
    (("COUNT", "1", "COUNT", "2"), "ERR COUNT is given twice"),
    (("WITHOUT",), "ERR syntax error: expected TYPE, MATCH, CURSOR, COUNT or WITHINFO, found 'WITHOUT'"),
])
def test_wrong_words_are_refused(c, words, error):
    assert c.error_of("MILLRACE.KEYS", *words) == error


def test_nothing_is_indexed_before_the_first_question():
    with Server() as server, server.connect() as c:
        make(c, "log", "a")
        assert server.counter("keys_indexed") == 0
        assert listed(c) == [(b"a", "log")]
        make(c, "log", "b")
        assert server.counter("keys_indexed") == 2 and server.counter("keys_index_bytes") > 0


def test_a_server_with_many_keys_is_gone_through_in_slices(server, c):
    c.call_all([("MSET", *sum(([f"s:{block}:{n}", "x"] for n in range(1000)), [])) for block in range(100)])
    for number in range(100):
        make(c, "log", f"log:{number:03}")
    page = ask(c, "COUNT", 1000)
    assert page["of"] == 100_100
    made = [f"log:{number:03}".encode() for number in range(100)]
    assert [name for name, _ in listed(c)] == made
