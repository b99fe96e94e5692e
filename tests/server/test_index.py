"""The index's commands, tested line by line against their specification, and with bad input."""

import pytest

from cluster import Cluster
from host import skip_if_move_changes_the_client
from index_oracle import check, found, info, wait_until_ready
from server import Server, wait_until

FIELDS = ("FIELD", "age", "INTEGER", "FIELD", "city", "TEXT", "NOCASE", "FIELD", "mail", "TEXT", "UNIQUE", "FIELD", "tags", "TEXT", "MANY", ",")


@pytest.fixture
def users(c):
    c.call("IDX.CREATE", "users", "PREFIX", "u:", *FIELDS, "ORDER", "where", "2", "city", "age")
    for n in range(1, 6):
        c.call("HSET", f"u:{n}", "age", n * 10, "city", "Bonn" if n % 2 else "Kiel", "mail", f"m{n}", "tags", f"t{n},all")
    return c


def keys(*numbers):
    return [b"u:%d" % n for n in numbers]


@pytest.mark.parametrize(
    "words, numbers",
    [
        (("WHERE", "age", "=", "30"), [3]),
        (("WHERE", "age", "<", "30"), [1, 2]),
        (("WHERE", "age", "<=", "30"), [1, 2, 3]),
        (("WHERE", "age", ">", "30"), [4, 5]),
        (("WHERE", "age", ">=", "30"), [3, 4, 5]),
        (("WHERE", "age", "BETWEEN", "20", "40"), [2, 3, 4]),
        (("WHERE", "age", "BETWEEN", "40", "20"), []),
        (("WHERE", "age", "IN", "3", "50", "10", "7"), [1, 5]),
        (("WHERE", "age", ">", "20", "WHERE", "age", "<", "50", "REV"), [4, 3]),
        (("WHERE", "city", "PREFIX", "B"), [1, 3, 5]),
        (("WHERE", "tags", "=", "all", "ORDER", "age", "REV"), [5, 4, 3, 2, 1]),
        (("WHERE", "tags", "=", "all", "WHERE", "tags", "=", "t2"), [2]),
        (("WHERE", "city", "=", "BONN", "WHERE", "age", ">", "10", "ORDER", "where"), [3, 5]),
        (("WHERE", "mail", "=", "nobody"), []),
    ],
)
def test_a_condition_finds_what_meets_it(users, words, numbers):
    assert users.call("IDX.FIND", "users", *words) == [None, keys(*numbers)]
    where = words[: words.index("ORDER")] if "ORDER" in words else tuple(word for word in words if word != "REV")
    assert users.call("IDX.COUNT", "users", *where) == len(numbers)


def test_integers_are_exact_to_64_bits(c):
    c.call("IDX.CREATE", "i", "PREFIX", "n:", "FIELD", "v", "INTEGER")
    for n in (2**53, 2**53 + 1, 2**63 - 1, -(2**63)):
        c.call("HSET", f"n:{n}", "v", n)
    assert c.call("IDX.FIND", "i", "WHERE", "v", "=", 2**53 + 1)[1] == [b"n:%d" % (2**53 + 1)]
    assert c.call("IDX.FIND", "i", "ORDER", "v", "WITHVALUES")[1][0] == [b"n:%d" % -(2**63), b"%d" % -(2**63)]


@pytest.mark.parametrize(
    "words, error",
    [
        (("WHERE", "nix", "=", "1"), "ERR the index has no field 'nix'"),
        (("WHERE", "age", "=", "old"), "ERR the value 'old' of 'age' is not an integer"),
        (("WHERE", "age", "PREFIX", "1"), "ERR PREFIX is for TEXT, and 'age' is not"),
        (("ORDER", "nix"), "ERR the index has no order 'nix'"),
        (("AFTER", "nonsense"), "ERR invalid cursor 'nonsense': expected one that IDX.FIND returned"),
        (("LIMIT", "0"), "ERR invalid LIMIT '0': expected an integer from 1 to 10000"),
    ],
)
def test_a_question_that_cannot_be_is_refused(users, words, error):
    assert users.error_of("IDX.FIND", "users", *words) == error


def test_a_cursor_of_another_search_is_refused(users):
    refused = "ERR the cursor is of another search: AFTER goes with the same words"
    cursor, _ = users.call("IDX.FIND", "users", "ORDER", "age", "LIMIT", "2")
    assert users.error_of("IDX.FIND", "users", "ORDER", "city", "AFTER", cursor) == refused
    assert users.error_of("IDX.FIND", "users", "ORDER", "age", "REV", "AFTER", cursor) == refused
    users.call("IDX.ALTER", "users", "DROP", "ORDER", "where")
    users.call("IDX.ALTER", "users", "DROP", "FIELD", "age")
    assert users.error_of("IDX.FIND", "users", "AFTER", cursor) == refused


def test_an_index_that_is_not_there(c):
    for words in (("IDX.FIND",), ("IDX.COUNT",), ("IDX.SAMPLE",), ("IDX.RECENT",), ("IDX.CONFLICTS",), ("IDX.SKIPPED",), ("IDX.CHECK",)):
        assert c.error_of(words[0], "nix") == "NOINDEX there is no such index; IDX.CREATE makes one"
    assert c.error_of("IDX.COMPLETE", "nix", "f", "").startswith("NOINDEX")
    assert c.error_of("IDX.PUT", "nix", "k", "f", "v").startswith("NOINDEX")
    assert c.error_of("IDX.ALTER", "nix", "DROP", "FIELD", "f").startswith("NOINDEX")
    assert c.call("IDX.INFO", "nix") is None


def test_put_writes_document_and_index_or_neither(users):
    assert users.call("IDX.PUT", "users", "u:9", "mail", "m9", "age", "90") == 2
    assert users.error_of("IDX.PUT", "users", "u:8", "mail", "m9", "age", "80") == "NOTUNIQUE u:9 has this mail"
    assert users.call("EXISTS", "u:8") == 0
    assert users.call("IDX.PUT", "users", "u:9", "mail", "m9", "age", "91") == 0, "its own value is no other's"
    assert users.error_of("IDX.PUT", "users", "other", "mail", "x").startswith("ERR the key 'other' does not begin")
    users.call("SET", "u:text", "x")
    assert users.error_of("IDX.PUT", "users", "u:text", "mail", "x").startswith("WRONGTYPE")


def test_put_takes_a_value_from_a_document_that_has_expired(users):
    users.call("DEBUG", "SET-ACTIVE-EXPIRE", "0")
    users.call("PEXPIRE", "u:1", "1")
    wait_until(lambda: users.call("PTTL", "u:1") == -2, "it has expired")
    assert users.call("IDX.PUT", "users", "u:9", "mail", "m1") == 1
    users.call("DEBUG", "SET-ACTIVE-EXPIRE", "1")


def test_put_reaches_a_replica_as_a_document(server, replica, users, connect):
    users.call("IDX.PUT", "users", "u:9", "mail", "m9")
    server.wait_for_replica(replica)
    there = connect(to=replica)
    assert there.call("IDX.FIND", "users", "WHERE", "mail", "=", "m9")[1] == [b"u:9"]
    assert there.error_of("IDX.PUT", "users", "u:7", "mail", "m7").startswith("READONLY")


def test_of_two_documents_that_were_there_one_has_the_unique_value(c):
    c.call_all([("HSET", f"u:{n}", "mail", "same") for n in range(3)])
    c.call("IDX.CREATE", "users", "PREFIX", "u:", *FIELDS)
    wait_until_ready(c, "users")
    assert len(c.call("IDX.FIND", "users", "WHERE", "mail", "=", "same")[1]) == 1
    assert len(c.call("IDX.CONFLICTS", "users")) == 2 and info(c, "users")[b"conflicts"] == 2
    for left in (2, 1, 0):
        [key] = c.call("IDX.FIND", "users", "WHERE", "mail", "=", "same")[1]
        c.call("HDEL", key, "mail")
        assert len(c.call("IDX.CONFLICTS", "users")) == max(left - 1, 0)
    assert c.call("IDX.FIND", "users", "WHERE", "mail", "=", "same")[1] == []


def test_a_check_finds_and_mends_what_came_without_an_event():
    with Server() as server, server.connect() as c:
        c.call("IDX.CREATE", "docs", "PREFIX", "d:", "JSON", "FIELD", "a", "TEXT")
        c.call("DEBUG", "POPULATE", "5", "d")
        assert check(c, "docs") == {b"checked": 5, b"missing": 5, b"stale": 0, b"wrong": 0, b"repaired": 0}
        assert check(c, "docs", "REPAIR")[b"repaired"] == 5
        assert check(c, "docs") == {b"checked": 5, b"missing": 0, b"stale": 0, b"wrong": 0, b"repaired": 0}
        assert c.call("IDX.COUNT", "docs") == 5


def test_an_index_that_is_brought_from_elsewhere_is_compared_with_what_is_here(users):
    payload = users.call("DUMP", "users")
    users.call("FLUSHDB")
    users.call("HSET", "u:2", "age", "99")
    users.call("RESTORE", "users", "0", payload)
    wait_until_ready(users, "users")
    assert users.call("IDX.FIND", "users", "ORDER", "age", "WITHVALUES")[1] == [[b"u:2", b"99"]]
    users.call("MOVE", "users", "1")
    users.call("SELECT", "1")
    wait_until_ready(users, "users")
    assert found(users, "users") == []


def test_documents_that_a_transaction_brings_into_another_database_are_indexed_there(server, c):
    """Valkey 9.1 tells modules the database of the transaction, not that of the event."""
    skip_if_move_changes_the_client(server)
    for database in (1, 0):
        c.call("SELECT", database)
        c.call("IDX.CREATE", "i", "PREFIX", "d:", "FIELD", "n", "INTEGER")
    c.call_all([("HSET", "d:1", "n", "1"), ("HSET", "d:2", "n", "2"), ("HSET", "d:3", "n", "3")])
    c.call_all([("MULTI",), ("COPY", "d:1", "d:1", "DB", "1"), ("MOVE", "d:2", "1"), ("EXEC",)])
    assert found(c, "i", "ORDER", "n") == [b"d:1", b"d:3"]
    c.call("SELECT", "1")
    assert found(c, "i", "ORDER", "n") == [b"d:1", b"d:2"]


# --- a bad document does not stop the write ---


def test_values_that_do_not_fit_are_named(users):
    many = ",".join(map(str, range(1001)))
    assert users.call("HSET", "u:1", "age", "1.0", "city", "x" * 1025, "tags", many) == 0
    assert sorted(users.call("IDX.SKIPPED", "users")) == [
        [b"u:1", b"age", b"not an integer"],
        [b"u:1", b"city", b"longer than 1024 bytes"],
        [b"u:1", b"tags", b"more than 1000 values"],
    ]
    assert users.call("IDX.FIND", "users", "WHERE", "mail", "=", "m1")[1] == [b"u:1"]
    users.call("HSET", "u:1", "age", "1", "city", "x", "tags", "")
    assert users.call("IDX.SKIPPED", "users") == []


@pytest.mark.long
def test_a_field_of_hundreds_of_megabytes_is_skipped():
    with Server() as server, server.connect() as c:
        c.call("IDX.CREATE", "big", "PREFIX", "b:", "FIELD", "text", "TEXT", "FIELD", "tags", "TEXT", "MANY", ",")
        c.call("SETRANGE", "s", 200 * 1024 * 1024, "x")
        c.call("EVAL", "redis.call('HSET', 'b:1', 'text', redis.call('GET', 's'), 'tags', redis.call('GET', 's'))", "0")
        assert [row[1] for row in c.call("IDX.SKIPPED", "big")] == [b"text", b"tags"]


def test_bytes_that_are_no_text_are_folded_as_far_as_they_go(users):
    users.call("HSET", "u:1", "city", b"\xff\x00BONN\xc3")
    assert users.call("IDX.FIND", "users", "WHERE", "city", "=", b"\xff\x00bonn\xc3")[1] == [b"u:1"]
    assert users.call("IDX.COMPLETE", "users", "city", b"\xff") == [b"\xff\x00bonn\xc3"]


def test_an_index_whose_prefix_covers_its_own_key_and_another_index(c):
    c.call("IDX.CREATE", "x:index", "PREFIX", "x:", "FIELD", "a", "TEXT")
    c.call("IDX.CREATE", "x:other", "PREFIX", "", "FIELD", "a", "TEXT")
    c.call("HSET", "x:1", "a", "v")
    assert found(c, "x:index") == found(c, "x:other") == [b"x:1"]
    c.call("PEXPIRE", "x:index", "1")
    wait_until(lambda: c.call("EXISTS", "x:index") == 0, "the index has expired")
    c.call("HSET", "x:2", "a", "w")
    assert sorted(found(c, "x:other")) == [b"x:1", b"x:2"]
    c.call("SET", "x:other", "no index any more")
    c.call("HSET", "x:3", "a", "w")


def test_a_key_of_another_type_is_not_a_document(users):
    for words in (("SET", "u:1", "x"), ("SADD", "u:new", "x"), ("RENAME", "u:new", "u:2")):
        users.call(*words)
    assert sorted(found(users, "users")) == keys(3, 4, 5)


@pytest.mark.parametrize(
    "words, error",
    [
        (("PREFIX", "p", "FIELD", "a", "TEXT", "FIELD", "a", "TEXT"), "ERR the index has 'a' already"),
        (("PREFIX", "p", "FIELD", "a", "INTEGER", "NOCASE"), "ERR NOCASE is for TEXT, and 'a' is not"),
        (("PREFIX", "p", "FIELD", "a", "TEXT", "ORDER", "o", "2", "a", "b"), "ERR the index has no field 'b'"),
        (("PREFIX", "p", "FIELD", "a", "TEXT", "ORDER", "o", "2", "a", "a"), "ERR the order has the field 'a' twice"),
        (("PREFIX", "p" * 513, "FIELD", "a", "TEXT"), "ERR the prefix has 513 bytes, expected at most 512"),
    ],
)
def test_a_schema_that_cannot_be_is_refused(c, words, error):
    assert c.error_of("IDX.CREATE", "i", *words) == error
    assert c.call("EXISTS", "i") == 0


def test_a_user_who_makes_an_index_must_be_allowed_to_read_its_documents(server, c, connect):
    c.call("HSET", "secret:1", "a", "v")
    c.call("ACL", "SETUSER", "reader", "on", "nopass", "+@all", "~mine:*")
    there = connect()
    there.call("AUTH", "reader", "x")
    refused = there.error_of("IDX.CREATE", "mine:i", "PREFIX", "secret:", "FIELD", "a", "TEXT")
    assert refused == "NOPERM the user may not read all keys that begin with the prefix"
    assert there.call("IDX.CREATE", "mine:i", "PREFIX", "mine:", "FIELD", "a", "TEXT") == b"OK"
    c.call("ACL", "DELUSER", "reader")


# --- building, altering, dropping ---


@pytest.mark.long
def test_documents_that_are_written_while_an_index_is_built_are_in_it():
    with Server() as server, server.connect() as c:
        c.call("DEBUG", "POPULATE", "300000", "other")
        c.call_all([("HSET", f"u:{n}", "age", n) for n in range(20_000)])
        # In a transaction, so that nothing is built before the two questions.
        *_, [_, about, refused] = c.call_all([
            ("MULTI",),
            ("IDX.CREATE", "users", "PREFIX", "u:", "FIELD", "age", "INTEGER", "FIELD", "mail", "TEXT", "UNIQUE"),
            ("IDX.INFO", "users"), ("IDX.PUT", "users", "u:1", "mail", "m"), ("EXEC",)])
        assert dict(zip(about[::2], about[1::2]))[b"state"] == b"building"
        assert str(refused).startswith("BUILDING ")
        before = info(c, "users")[b"keys-read"]
        for n in range(0, 20_000, 100):
            c.call_all([("HSET", f"u:{n}", "age", "-1"), ("DEL", f"u:{n + 1}"), ("HSET", f"u:new {n}", "age", "-2")])
        wait_until(lambda: info(c, "users")[b"keys-read"] > before or info(c, "users")[b"state"] == b"ready", "it goes on")
        wait_until_ready(c, "users")
        assert c.call("IDX.COUNT", "users") == 20_000
        assert c.call("IDX.COUNT", "users", "WHERE", "age", "=", "-1") == 200
        assert c.call("IDX.COUNT", "users", "WHERE", "age", "=", "-2") == 200
        report = check(c, "users")
        assert (report[b"missing"], report[b"stale"], report[b"wrong"]) == (0, 0, 0)
        c.call("IDX.ALTER", "users", "ADD", "ORDER", "o", "2", "age", "mail")
        c.call("IDX.ALTER", "users", "ADD", "FIELD", "late", "NUMBER")
        c.call("HSET", "u:0", "late", "1")
        wait_until_ready(c, "users")
        assert c.call("IDX.FIND", "users", "WHERE", "late", "=", "1")[1] == [b"u:0"]
        full = c.call("MEMORY", "USAGE", "users")
        c.call("IDX.ALTER", "users", "DROP", "ORDER", "o")
        c.call("IDX.ALTER", "users", "DROP", "FIELD", "age")
        wait_until(lambda: c.call("MEMORY", "USAGE", "users") < full * 0.9, "its memory is given back")
        c.call("DEL", "users")
        assert c.call("HSET", "u:0", "age", "5") == 0


def test_a_replica_in_a_cluster_reads_short_json_documents():
    with Cluster(replicas=1) as cluster:
        master = cluster.masters[0]
        [replica] = [node for node in cluster.nodes if node.info("replication").get("master_port") == str(master.port)]
        with master.connect() as node, replica.connect() as there:
            [tag, *_] = [n for n in range(100) if cluster.master_of(node.call("CLUSTER", "KEYSLOT", str(n))) is master]
            index, key = f"{{{tag}}}index", f"{{{tag}}}1"
            node.call("IDX.CREATE", index, "PREFIX", f"{{{tag}}}", "JSON", "FIELD", "a", "INTEGER")
            node.call_all([("SET", key, '{"a":5}'), ("SET", key + "n", "1"), ("INCRBY", key + "n", "41"), ("INCRBYFLOAT", key + "n", "0.5")])
            master.wait_for_replica(replica)
            there.call("READONLY")
            for connection in (node, there):
                assert connection.call("IDX.FIND", index, "WHERE", "a", "=", "5")[1] == [key.encode()]
                assert connection.call("IDX.COUNT", index) == 2 and connection.call("IDX.SKIPPED", index) == []
            assert there.call("GET", key + "n") == b"42.5"


def test_in_a_cluster_an_index_covers_the_documents_of_its_slot():
    with Cluster() as cluster:
        master = cluster.masters[0]
        with master.connect() as node:
            tags = (str(n) for n in range(1000))
            here = [tag for tag in tags if cluster.master_of(node.call("CLUSTER", "KEYSLOT", tag)) is master][:2]
            (one, other), index = here, f"{{{here[0]}}}index"
            node.call("IDX.CREATE", index, "PREFIX", "", "FIELD", "v", "TEXT")
            for key in (f"{{{one}}}1", f"{{{other}}}1", one):
                node.call("HSET", key, "v", "x")
            assert sorted(found(node, index)) == sorted([one.encode(), f"{{{one}}}1".encode()])
            assert node.error_of("IDX.PUT", index, f"{{{other}}}2", "v", "x").startswith("CROSSSLOT")
            refused = "ERR documents with this prefix are in another slot than the index: use one hash tag"
            assert node.error_of("IDX.CREATE", f"{{{one}}}no", "PREFIX", f"{{{other}}}", "FIELD", "v", "TEXT") == refused
            assert node.call("IDX.CREATE", f"{{{one}}}yes", "PREFIX", f"{{{one}}}", "FIELD", "v", "TEXT") == b"OK"
