"""A replica with repl-diskless-load swapdb: its old data, with dates, indexes, feeds and waiting clients, is in use until
the data set that is loaded beside it takes over in one step, or is thrown away."""

from contextlib import contextmanager

import pytest

import feeds
from families import FAMILIES
from feeds import own_feeds  # noqa: F401: a fixture
from index_oracle import found, wait_until_ready
from log_waiting import is_still_waiting, start_waiting
from payload import sealed, value_of
from rights import user
from server import Server, wait_until
from slow_loading import load_the_rest_at_once
from test_keys import ask

# Both have keys of the same names.
DATABASES = (0, 1)
# It is loaded last. A key takes a millisecond, in microseconds, and is larger than the part of the file after which the
# replica answers commands: it answers a few for each key.
LAST_DATABASE, LAST_KEYS, LAST_BYTES, DELAY = 3, 20_000, 1100, 1000
COUNTERS = ("keys_with_a_date", "log_packing_waiting", "indexes", "indexed_documents")
LONG = "86400000"
INDEXED = ("FIELD", "city", "TEXT")


@contextmanager
def filled_master():
    """A master with keys of all families. So that a replica needs all data again, its backlog is soon full; and the file
    is as large as the data."""
    settings = {"repl_diskless_sync": "yes", "repl_diskless_sync_delay": 0, "repl_backlog_size": "16kb"}
    with Server(databases=4, rdbcompression="no", repl_timeout=3600, **settings) as master, master.connect() as c:
        for database in DATABASES:
            c.call("SELECT", database)
            for family in FAMILIES:
                family.fill(c, family.name, 1)
                family.fill(c, f"{family.name} old", 2)
            c.call("LOCK.ACQUIRE", "lease", "ann", LONG)
            c.call("IDX.CREATE", "people", "PREFIX", "person:", *INDEXED)
            c.call("HSET", "person:1", "city", "Bonn")
            wait_until_ready(c, "people")
            c.call_all([("TWRITE", "long", "t", "x" * 1000)] * 100)
            c.call("TWRITE", "watched", "t", "one")
        yield master


@contextmanager
def replica_of(master, **settings):
    with Server(
        databases=4, repl_diskless_load="swapdb", loading_process_events_interval_bytes=1024, repl_timeout=3600, **settings
    ) as replica:
        replica.replicate(master)
        master.wait_for_replica(replica)
        replica.admin.call("CONFIG", "SET", "key-load-delay", DELAY)
        yield replica


def change(master):
    """Makes the data set another one: every object changes, some go, others appear."""
    with master.connect() as c:
        for database in DATABASES:
            c.call("SELECT", database)
            for family in FAMILIES:
                family.append(c, family.name)
                c.call("DEL", f"{family.name} old")
                family.fill(c, f"{family.name} new", 3)
            c.call("LOCK.RELEASE", "lease", "ann")
            c.call("LOCK.ACQUIRE", "new lease", "bob", LONG)
            c.call("HSET", "person:2", "city", "Paris")
            c.call("TWRITE", "watched", "t", "two")
        c.call("SELECT", LAST_DATABASE)
        c.call("DEBUG", "POPULATE", LAST_KEYS, "last", LAST_BYTES)


def loads_again(master, replica, saves_slowly=False):
    """The master changes while the replica misses it: it needs a full copy, of the data set that it has."""
    save_slowly(master, saves_slowly)
    replica.suspend()
    master.admin.call("CLIENT", "KILL", "TYPE", "replica")
    change(master)
    replica.resume()
    wait_until_ours_are_loaded(master, replica, "async_loading")


def loads_another(other, replica, saves_slowly=False):
    """The replica gets another master, which has another data set."""
    save_slowly(other, saves_slowly)
    change(other)
    replica.admin.call("REPLICAOF", "127.0.0.1", other.port)
    wait_until_ours_are_loaded(other, replica, "loading")


def save_slowly(master, slowly):
    """If the master will die: sockets hold tens of megabytes, and what is lost with it must not be in them yet."""
    master.admin.call("CONFIG", "SET", "rdb-key-save-delay", DELAY if slowly else 0)


def wait_until_ours_are_loaded(master, replica, flag):
    sizes = [int(value.split(",")[0].split("=")[1]) for name, value in master.info("keyspace").items()]
    ours = sum(sizes) - LAST_KEYS

    def are_loaded():
        state = replica.info("persistence")
        return state[flag] == "1" and int(state["rdb_last_load_keys_loaded"]) > ours

    wait_until(are_loaded, "all keys but the last ones are loaded")


def takes_over(replica):
    load_the_rest_at_once(replica.admin)
    wait_until(lambda: replica.info("replication")["master_link_status"] == "up", "it has loaded")


def is_thrown_away(master, replica):
    """The master dies in the middle."""
    master.kill()
    load_the_rest_at_once(replica.admin)

    def is_over():
        state = replica.info("persistence")
        return state["async_loading"] == state["loading"] == "0"

    wait_until(is_over, "it loads no more")


def contents(server):
    """Everything that a client can see, and what the module has noted of it."""
    seen = {}
    with server.connect() as c:
        for database in DATABASES:
            c.call("SELECT", database)
            for name in sorted(c.call("KEYS", "*")):
                seen[database, name] = c.call("TYPE", name), c.call("DEBUG", "DIGEST-VALUE", name)
            for family in FAMILIES:
                for name in (family.name, f"{family.name} old", f"{family.name} new"):
                    seen[database, "read", name] = c.call("EXISTS", name) and family.read(c, name)
            seen[database, "found"] = [living_in(c, city) for city in ("Bonn", "Paris")]
    return seen, noted(server)


def living_in(connection, city, index="people"):
    return sorted(found(connection, index, "WHERE", "city", "=", city))


def noted(server):
    counters = server.counters()
    return {name: counters[name] for name in COUNTERS}


def expect_the_same_as_a_fresh_replica(master, replica):
    master.wait_for_replica(replica)
    assert replica.admin.call("DEBUG", "DIGEST") == master.admin.call("DEBUG", "DIGEST")
    with Server(databases=4) as fresh:
        fresh.replicate(master)
        assert contents(replica) == contents(fresh)


def expect_exact_notes(replica):
    """Each key takes its own notes with it, and no others are left."""
    with replica.connect() as c:
        for database in DATABASES:
            c.call("SELECT", database)
            for name in c.call("KEYS", "*"):
                c.call("DEL", name)
    assert noted(replica) == dict.fromkeys(COUNTERS, 0)


def promote(replica):
    replica.admin.call("REPLICAOF", "NO", "ONE")


def test_the_old_data_is_served_until_the_new_takes_over():
    with filled_master() as master, replica_of(master) as replica:
        before = contents(replica)
        loads_again(master, replica)
        assert contents(replica) == before
        takes_over(replica)
        expect_the_same_as_a_fresh_replica(master, replica)
        with master.connect() as there, replica.connect() as here:
            for database in DATABASES:
                there.call("SELECT", database)
                here.call("SELECT", database)
                there.call("HSET", "person:3", "city", "Paris")
                master.wait_for_replica(replica)
                assert living_in(here, "Paris") == [b"person:2", b"person:3"]
        promote(replica)
        expect_exact_notes(replica)


def test_the_old_data_stays_if_the_new_is_thrown_away():
    with filled_master() as master, replica_of(master) as replica:
        before = contents(replica)
        loads_again(master, replica, saves_slowly=True)
        is_thrown_away(master, replica)
        assert contents(replica) == before
        promote(replica)
        with replica.connect() as c:
            for database in DATABASES:
                c.call("SELECT", database)
                c.call("HSET", "person:1", "city", "Rome")
                assert living_in(c, "Rome") == [b"person:1"]
        expect_exact_notes(replica)


def test_the_data_of_another_master_takes_over():
    with filled_master() as master, filled_master() as other, replica_of(master) as replica:
        loads_another(other, replica)
        assert replica.admin.error_of("TREAD", "log", "1", "1").startswith("LOADING")
        takes_over(replica)
        expect_the_same_as_a_fresh_replica(other, replica)
        promote(replica)
        expect_exact_notes(replica)


def test_the_data_of_another_master_is_thrown_away():
    with filled_master() as master, filled_master() as other, replica_of(master) as replica:
        before = contents(replica)
        loads_another(other, replica, saves_slowly=True)
        is_thrown_away(other, replica)
        assert contents(replica) == before
        promote(replica)
        expect_exact_notes(replica)


@pytest.mark.parametrize("ends", ["takes over", "is thrown away"])
def test_dates_come_when_the_replica_is_promoted(ends):
    with filled_master() as master, replica_of(master) as replica, replica.connect() as c:
        with master.connect() as there:
            for database in DATABASES:
                there.call("SELECT", database)
                # A date on each clock, later than the death of the master.
                there.call("LOCK.ACQUIRE", "short lease", "ann", "8000")
                there.call("TRETAIN", "short-lived", "AGE", "8000")
                there.call("TWRITE", "short-lived", "t", "x")
        master.wait_for_replica(replica)
        loads_again(master, replica, saves_slowly=ends == "is thrown away")
        if ends == "takes over":
            takes_over(replica)
            master.kill()
        else:
            is_thrown_away(master, replica)
        evicted = replica.counter("log_messages_evicted")
        for database in DATABASES:
            c.call("SELECT", database)
            assert c.call("EXISTS", "short lease")
        promote(replica)
        # Without a command on the keys.
        for database in DATABASES:
            c.call("SELECT", database)
            wait_until(lambda: not c.call("EXISTS", "short lease"), "the lease has ended")
        wait_until(lambda: replica.counter("log_messages_evicted") == evicted + len(DATABASES), "the messages are too old")


def test_those_who_wait_get_what_the_new_data_has():
    with filled_master() as master, replica_of(master) as replica:
        with replica.connect() as before, replica.connect() as meanwhile, replica.connect() as fed, replica.connect() as c:
            start_waiting(replica, before, ("watched", "2", "1", "BLOCK", "0"))
            feeds.add(c, "watched", "long", at="$")
            feeds.wait_for_read(replica, fed)
            loads_again(master, replica)
            start_waiting(replica, meanwhile, ("watched", "2", "1", "BLOCK", "0"))
            assert is_still_waiting(replica, before) and feeds.is_still_waiting(replica, fed)
            assert feeds.read(c) == {}
            takes_over(replica)
            assert [message[1:] for message in before.read()] == [[b"t", b"two"]]
            assert [message[1:] for message in meanwhile.read()] == [[b"t", b"two"]]
            [[name, _, messages, _, _]] = fed.read()
            assert (name, messages) == (b"watched", [[2, b"t", b"two"]])


def test_those_who_wait_go_on_waiting_if_the_new_data_is_thrown_away():
    with filled_master() as master, replica_of(master) as replica:
        with replica.connect() as reader, replica.connect() as fed, replica.connect() as c:
            feeds.add(c, "watched", at="$")
            start_waiting(replica, reader, ("watched", "2", "1", "BLOCK", "0"))
            feeds.wait_for_read(replica, fed)
            loads_again(master, replica, saves_slowly=True)
            is_thrown_away(master, replica)
            assert is_still_waiting(replica, reader) and feeds.is_still_waiting(replica, fed)
            promote(replica)
            c.call("TWRITE", "watched", "t", "three")
            assert [message[1:] for message in reader.read()] == [[b"t", b"three"]]
            [[name, _, messages, _, _]] = fed.read()
            assert (name, messages) == (b"watched", [[2, b"t", b"three"]])


def test_all_keys_are_listed_at_any_time():
    with filled_master() as master, replica_of(master) as replica, replica.connect() as c:
        def listed():
            page = ask(c, "COUNT", "1000")
            return page["done"] == page["of"] and page["cursor"] is None and [key[0] for key in page["keys"]]

        def ours():
            return sorted(name for name in c.call("KEYS", "*") if c.call("TYPE", name).startswith(b"millr-"))

        loads_again(master, replica)
        before = ours()
        wait_until(lambda: listed() == before, "all keys are listed while it loads")
        takes_over(replica)
        assert ours() != before
        wait_until(lambda: listed() == ours(), "and the new ones, when they have taken over")


# --- a replica that takes writes of its own clients ---


def make_dated(c, key):
    c.call("TRETAIN", f"{key} log", "AGE", LONG)
    c.call("TWRITE", f"{key} log", "t", "x")
    c.call("LOCK.ACQUIRE", f"{key} lock", "ann", LONG)
    c.call("IDX.CREATE", f"{key} index", "PREFIX", "own:", *INDEXED)


@pytest.mark.parametrize("ends", ["takes over", "is thrown away"])
def test_what_clients_restore_meanwhile_belongs_to_the_old_data(ends):
    with filled_master() as master, replica_of(master, replica_read_only="no") as replica, replica.connect() as c:
        c.call("SELECT", 1)
        make_dated(c, "own")
        dumps = {kind: c.call("DUMP", f"own {kind}") for kind in ("log", "lock", "index")}
        people = c.call("DUMP", "people")
        loads_again(master, replica, saves_slowly=ends == "is thrown away")
        before = noted(replica)
        for kind, payload in dumps.items():
            c.call("RESTORE", f"restored {kind}", "0", payload)
            # Without its end, it is loaded and freed again.
            assert "Bad data format" in c.error_of("RESTORE", "broken", "0", sealed(value_of(payload)[:-1] + b"\1", payload))
        # Staged keys have the same names.
        c.call("RESTORE", "people", "0", people, "REPLACE")
        c.call("RESTORE", "log", "0", dumps["log"], "REPLACE")
        c.call("RESTORE", "lock", "0", dumps["lock"], "REPLACE")
        now = noted(replica)
        assert (now["indexes"], now["keys_with_a_date"]) == (before["indexes"] + 1, before["keys_with_a_date"] + 2)
        c.call("HSET", "own:1", "city", "Rome")
        c.call("HSET", "person:7", "city", "Rome")
        assert living_in(c, "Rome", "restored index") == [b"own:1"]
        assert living_in(c, "Rome") == [b"person:7"]
        if ends == "takes over":
            takes_over(replica)
            expect_the_same_as_a_fresh_replica(master, replica)
        else:
            is_thrown_away(master, replica)
            assert noted(replica) == {**now, "indexed_documents": now["indexed_documents"] + 3}
        promote(replica)
        expect_exact_notes(replica)


def test_commands_of_clients_are_not_taken_for_effects_meanwhile():
    with filled_master() as master, replica_of(master, replica_read_only="no") as replica, replica.connect() as c:
        loads_again(master, replica)
        c.call("TGROUP", "CREATE", "watched", "g")
        with user(replica, "+@all", "~watched") as guest:
            refused = guest.error_of("TGROUP", "SET", "watched", "g", "MAXATTEMPTS", "1", "DEADLETTER", "other")
            assert refused.startswith("NOPERM")
        # It decides what time it is.
        seconds, micros = map(int, c.call("TIME"))
        c.call("TWRITE", "own", "t", "x")
        [[*_, written]] = c.call("TREAD", "own", "1", "1", "WITHTIME")
        assert abs(written - (seconds * 1000 + micros // 1000)) < 60_000
        takes_over(replica)


def test_what_clients_do_with_whole_databases_leaves_the_staged_ones_alone():
    with filled_master() as master, replica_of(master, replica_read_only="no") as replica, replica.connect() as c:
        loads_again(master, replica)
        c.call("SELECT", 1)
        c.call("FLUSHDB")
        c.call("SWAPDB", "0", "1")
        assert living_in(c, "Bonn") == [b"person:1"]
        c.call("FLUSHALL")
        assert noted(replica) == dict.fromkeys(COUNTERS, 0)
        takes_over(replica)
        expect_the_same_as_a_fresh_replica(master, replica)
        promote(replica)
        expect_exact_notes(replica)
