"""Receipts: valid only for the channel and the subscriber that they were issued for."""

import pytest

from channel_words import BADRECEIPT, LARGEST, ack, ids, info, publish, subscribe, take
from rights import user
from server import Server


@pytest.fixture
def receipt(c):
    """The receipt of the first two of three messages for "s"; there is another subscriber, "other"."""
    subscribe(c, "s", "other")
    publish(c, "a", "b", "c")
    return take(c, "s", "MAX", "2")[1]


def refused(server, c, receipt, subscriber="s", key="ch"):
    """True if the receipt is refused and nothing has changed."""
    before, sent = server.digest(key), server.info("replication")["master_repl_offset"]
    assert c.error_of("CHAN.ACK", key, subscriber, receipt) == BADRECEIPT
    return server.digest(key) == before and server.info("replication")["master_repl_offset"] == sent


# --- the subscriber and channel it belongs to ---


def test_a_receipt_of_another_subscriber_is_bad(server, c, receipt):
    assert refused(server, c, receipt, "other")
    assert ids(c, "other") == ["a", "b", "c"]
    assert ack(c, receipt) == 1


def test_a_receipt_of_another_channel_is_bad(server, c, receipt):
    subscribe(c, "s", key="second")
    publish(c, "a", "b", "c", key="second")
    assert refused(server, c, receipt, key="second")
    assert refused(server, c, take(c, key="second")[1])


def test_names_that_run_together_are_distinguished(server, c):
    for key, subscriber in (("ab", "c"), ("a", "bc")):
        subscribe(c, subscriber, key=key)
        publish(c, "m", key=key)
    c.call("RENAME", "ab", "kept")
    c.call("COPY", "a", "ab")
    assert refused(server, c, take(c, "bc", key="a")[1], "bc", "ab")


def test_every_altered_byte_makes_it_bad(server, c, receipt):
    for at in range(len(receipt)):
        for other in (receipt[at] ^ 1, receipt[at] ^ 0x20, ord("0"), 0, 255):
            altered = receipt[:at] + bytes([other]) + receipt[at + 1 :]
            if altered != receipt:
                assert c.error_of("CHAN.ACK", "ch", "s", altered) == BADRECEIPT, altered
    assert refused(server, c, receipt[:-1] + b"?")
    assert ack(c, receipt) == 1


INVENTED = [b"", b"1", b"2", b".", b"2.", b"0", b"x" * 600, b"2.0000000000000000", b"\x00", b"null", b"9" * 40]


@pytest.mark.parametrize("invented", INVENTED)
def test_an_invented_receipt_is_bad(server, c, receipt, invented):
    assert refused(server, c, invented)


def test_a_receipt_is_written_in_one_way_alone(server, c, receipt):
    clock, stamp = receipt.split(b".", 1)
    spellings = [b"0" + clock + b".", b"+" + clock + b".", b" " + clock + b".", clock + b" .", clock + b".0"]
    for start in spellings:
        assert refused(server, c, start + stamp)
    for whole in (receipt + b"\n", receipt + b"0", receipt[:-1], receipt + receipt):
        assert refused(server, c, whole)


def test_the_stamp_of_one_clock_is_not_that_of_another(server, c, receipt):
    stamp = receipt.split(b".", 1)[1]
    for clock in (0, 1, 3, 4, -1, LARGEST, -LARGEST, LARGEST + 1, 2**63):
        assert refused(server, c, b"%d.%s" % (clock, stamp))


# --- when the channel changes or is deleted ---


def test_a_receipt_from_before_the_channel_was_deleted_is_bad(server, c, receipt):
    c.call("DEL", "ch")
    subscribe(c, "s", "other")
    publish(c, "a", "b", "c")
    assert take(c, "s", "MAX", "2")[1] != receipt
    assert refused(server, c, receipt)
    assert ids(c) == ["a", "b", "c"]


def test_after_a_rename_a_new_fetch_gives_a_good_one(server, c, receipt):
    c.call("RENAME", "ch", "moved")
    assert refused(server, c, receipt, key="moved")
    assert ack(c, take(c, "s", "MAX", "2", key="moved")[1], key="moved") == 1
    c.call("RENAME", "moved", "ch")
    assert ack(c, receipt) == 0, "under its old name it counts again"


def test_a_copy_does_not_take_the_receipts_of_the_original(server, c, receipt):
    c.call("COPY", "ch", "copy")
    assert refused(server, c, receipt, key="copy")
    assert ack(c, receipt) == 1
    assert ids(c, key="copy") == ["a", "b", "c"]


def test_a_channel_moved_to_another_database_takes_its_receipts(c, receipt):
    c.call("MOVE", "ch", "1")
    c.call("SELECT", "1")
    assert ack(c, receipt) == 1


def test_a_channel_restored_on_another_server_takes_its_receipts(server, c, receipt):
    with Server() as elsewhere, elsewhere.connect() as there:
        there.call("RESTORE", "ch", "0", c.call("DUMP", "ch"))
        assert ack(there, receipt) == 1
        assert ids(there) == ["c"]
        subscribe(there, "s", key="theirs")
        assert refused(elsewhere, there, receipt, key="theirs")


def test_a_receipt_for_what_a_restored_channel_never_had_is_bad(server, c, receipt):
    earlier = c.call("DUMP", "ch")
    publish(c, "d")
    ahead = take(c)[1]
    assert ack(c, receipt) == 1
    c.call("RESTORE", "ch", "0", earlier, "REPLACE")
    assert refused(server, c, ahead)
    assert ids(c) == ["a", "b", "c"]
    # As after a failover that lost the last publication: the clock reaches the same value again, with another message.
    publish(c, "e")
    assert refused(server, c, ahead)
    assert take(c)[1].split(b".")[0] == ahead.split(b".")[0]
    assert ids(c) == ["a", "b", "c", "e"]


def test_debug_reload_keeps_receipts(server, c, receipt):
    server.admin.call("DEBUG", "RELOAD")
    assert ack(c, receipt) == 1


@pytest.mark.parametrize("preamble", ["yes", "no"])
@pytest.mark.parametrize("rewritten", [True, False], ids=["rewritten", "as written"])
def test_a_restart_from_the_aof_keeps_receipts(preamble, rewritten):
    with Server(appendonly="yes", aof_use_rdb_preamble=preamble) as one:
        with one.connect() as c:
            subscribe(c, "s")
            publish(c, "a", "b")
            receipt = take(c, "s", "MAX", "1")[1]
        if rewritten:
            one.rewrite_aof()
        one.shutdown(save=False)
        one.restart()
        with one.connect() as c:
            assert [ack(c, receipt), ack(c, receipt), ids(c)] == [1, 0, ["b"]]


@pytest.mark.parametrize("attached", ["before", "after"])
def test_a_promoted_replica_takes_the_receipts_of_its_master(server, c, attached):
    with Server() as heir:
        if attached == "before":
            heir.replicate(server)
        subscribe(c, "s")
        publish(c, "a", "b")
        done, receipt = take(c, "s", "MAX", "1")[1], take(c)[1]
        ack(c, done)
        if attached == "after":
            heir.replicate(server)
        server.wait_for_replica(heir)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        with heir.connect() as there:
            assert [ack(there, done), ids(there), ack(there, receipt), ids(there)] == [0, ["b"], 1, []]
            assert refused(heir, there, receipt[:-1] + b"?")


def test_the_same_channel_on_two_servers_has_two_secrets(server, replica, c):
    subscribe(c, "s")
    publish(c, "a")
    with Server() as elsewhere, elsewhere.connect() as there:
        subscribe(there, "s")
        publish(there, "a")
        assert take(there)[1] != take(c)[1]
        assert refused(server, c, take(there)[1])


# --- CHAN.ACK as a command of the host: the battery has no valid receipt ---


def test_an_acknowledgement_is_announced_and_breaks_a_watch(server, c, connect, receipt):
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:ch")
        c.call("WATCH", "ch")
        other = connect()
        assert other.error_of("CHAN.ACK", "ch", "s", "bad") == BADRECEIPT
        assert not listener.has_answer()
        ack(other, receipt)
        assert listener.read()[2] == b"chan.ack"
        c.call("MULTI")
        c.call("PING")
        assert c.call("EXEC") is None


def test_an_acknowledgement_is_a_write_that_never_grows(server, replica, c, connect, receipt):
    server.wait_for_replica(replica)
    assert connect(to=replica).error_of("CHAN.ACK", "ch", "s", receipt).startswith("READONLY")
    with user(server, "+@all", "%R~*") as guest:
        assert guest.error_of("CHAN.ACK", "ch", "s", receipt).startswith("NOPERM")
    c.call("SET", "text", "x")
    assert c.error_of("CHAN.ACK", "text", "s", receipt).startswith("WRONGTYPE")
    with server.changed_settings(maxmemory="1", maxmemory_policy="noeviction"):
        assert ack(c, receipt) == 1
    server.wait_for_replica(replica)
    assert replica.digest("ch") == server.digest("ch")


def test_transactions_and_scripts_acknowledge(server, c, receipt):
    last = take(c)[1]
    c.call("MULTI")
    c.call("CHAN.ACK", "ch", "s", receipt)
    c.call("CHAN.FETCH", "ch", "s")
    assert c.call("EXEC") == [1, [[[b"c", b"content of c"]], last, 0]]
    script = "return {redis.call('CHAN.ACK', KEYS[1], 's', ARGV[1]), redis.call('CHAN.ACK', KEYS[1], 's', ARGV[1])}"
    assert c.call("EVAL", script, "1", "ch", last) == [1, 0]
    assert info(c, "ch")["messages"] == 3
