"""Limits of a pool: queues that are full, recipients and workers that are removed, ids of pushes, and pages."""

from server import wait_until
from shard_words import HOUR, ack, done, fields, info, is_sound, join, owner, pull, push, route

FULL = "FULL"


# --- PUSH ---


def test_payloads_ends_the_options(c):
    join(c, "w")
    assert c.call("SHARD.PUSH", "pool", "r", "BLOCK", "5", "PAYLOADS", "a", "BLOCK", "100") == [b"w", 3]
    assert [payload for _, _, payload in pull(c, "w")] == ["a", "BLOCK", "100"]


def test_without_it_what_reads_like_an_option_is_a_payload(c):
    join(c, "w")
    assert push(c, "r", "ID", "x", "hi") == ("w", 3)
    assert push(c, "r", "BLOCK", "5", "hi") == ("w", 6)
    assert [payload for _, _, payload in pull(c, "w")] == ["ID", "x", "hi", "BLOCK", "5", "hi"]


def test_a_push_with_an_id_counts_once(server, c):
    join(c, "w")
    words = ("SHARD.PUSH", "pool", "r", "ID", "order 1", "PAYLOADS", "a", "b")
    assert [c.call(*words) for _ in range(3)] == [[b"w", 2]] * 3
    pull(c, "w")
    ack(c, "w", "r", 2)
    assert c.call(*words) == [b"w", 0], "also when it was handled"
    assert c.call("SHARD.PUSH", "pool", "r", "ID", "order 2", "PAYLOADS", "a") == [b"w", 1]
    c.call("DEBUG", "RELOAD")
    assert c.call(*words) == [b"w", 1], "also after a restart"
    assert is_sound(c)


def test_a_push_with_an_id_that_waits_for_a_worker_counts_once(server, c, connect):
    senders = [connect() for _ in range(2)]
    for sender in senders:
        sender.send("SHARD.PUSH", "pool", "r", "ID", "1", "BLOCK", HOUR, "PAYLOADS", "a")
    server.wait_for_blocked(2)
    join(c, "w")
    assert [sender.read() for sender in senders] == [[b"w", 1]] * 2


def test_a_queue_has_a_limit(server, c):
    join(c, "w")
    c.call("SHARD.SET", "pool", "RECIPIENTMAX", 3)
    push(c, "r", "a", "b")
    before = server.digest("pool")
    assert c.error_of("SHARD.PUSH", "pool", "r", "c", "d") == "FULL the recipient's queue has 2 payloads, and takes 3"
    assert c.error_of("SHARD.PUSH", "pool", "new", *"abcd") == "FULL the queue of a recipient takes 3 payloads"
    push(c, "r", "c")
    assert c.error_of("SHARD.PUSH", "pool", "r", "d").startswith(FULL)
    assert route(c, "r") == ["w"], "what goes another way is not queued"
    assert owner(c, "new") is None and before != server.digest("pool")
    pull(c, "w", 1)
    ack(c, "w", "r", 1)
    push(c, "r", "d")
    c.call("SHARD.SET", "pool", "RECIPIENTMAX", 0)
    push(c, "r", *"efgh")


# --- recipients that go ---


def test_forget_removes_those_that_are_idle(c):
    join(c, "w")
    push(c, "busy", "a")
    route(c, "idle", "other")
    done(c, "w", "idle")
    done(c, "w", "other")
    assert c.call("SHARD.FORGET", "pool", "busy", "idle", "idle", "nobody") == 1
    assert (owner(c, "idle"), owner(c, "other"), owner(c, "busy")) == (None, "w", "w")
    assert (info(c)["recipients"], info(c)["forgotten"]) == (2, 1)
    assert c.call("SHARD.FORGET", "missing", "x") == 0 and c.call("EXISTS", "missing") == 0
    assert is_sound(c)


def test_a_recipient_that_was_forgotten_begins_again(c):
    join(c, "w", "v")
    push(c, "r", "a", "b")
    pull(c, "w")
    ack(c, "w", "r", 2)
    c.call("SHARD.FORGET", "pool", "r")
    assert push(c, "r", "c") == ("v", 1), "the next in turn"
    assert pull(c, "v") == [("r", 1, "c")]


def test_idle_recipients_are_forgotten_by_themselves_and_used_ones_are_not(server, replica, c):
    join(c, "w")
    push(c, "busy", "a")
    route(c, *(f"idle {n}" for n in range(50)))
    for n in range(50):
        done(c, "w", f"idle {n}")
    c.call("SHARD.SET", "pool", "FORGET", 40, "STALE", HOUR)
    wait_until(lambda: c.call("SHARD.HEARTBEAT", "pool", "w") and info(c)["recipients"] == 1, "the idle ones are gone")
    assert owner(c, "busy") == "w" and is_sound(c)
    server.wait_for_replica(replica)
    assert replica.digest("pool") == server.digest("pool")


def test_places_of_those_that_went_are_used_again(server, c):
    join(c, "w")
    def fill():
        for first in range(0, 20_000, 1000):
            c.call_all([("SHARD.ROUTE", "pool", f"recipient {n:06}") for n in range(first, first + 1000)])
            c.call_all([("SHARD.DONE", "pool", "w", f"recipient {n:06}") for n in range(first, first + 1000)])
    def forget():
        for first in range(0, 20_000, 1000):
            c.call("SHARD.FORGET", "pool", *(f"recipient {n:06}" for n in range(first, first + 1000)))
    fill()
    once = c.call("MEMORY", "USAGE", "pool", "SAMPLES", 0)
    forget()
    assert info(c)["recipients"] == 0 and is_sound(c)
    fill()
    assert c.call("MEMORY", "USAGE", "pool", "SAMPLES", 0) < once * 1.2
    assert is_sound(c)


# --- pages ---


def test_a_pull_answers_ten_thousand_payloads_at_most(c):
    join(c, "w")
    for n in range(12):
        push(c, f"r{n}", *["x"] * 1000)
    assert len(pull(c, "w", 1_000_000)) == 10_000
    assert len(pull(c, "w", 1_000_000)) == 2_000


def test_a_pull_of_large_payloads_ends_at_eight_mebibytes(c):
    join(c, "w")
    push(c, "r", *["x" * 3_000_000] * 5)
    assert [len(pull(c, "w", 10)) for _ in range(3)] == [3, 2, 0]


def test_info_shows_workers_page_by_page(c):
    names = [f"w{n}" for n in range(25)]
    join(c, *names)
    c.call("SHARD.LEAVE", "pool", "w3")
    seen, cursor = [], 0
    while True:
        page = fields(c.call("SHARD.INFO", "pool", "COUNT", 10, "CURSOR", cursor))
        seen += [fields(worker)["name"].decode() for worker in page["workers"]]
        cursor = page["cursor"]
        if cursor == 0:
            break
    assert sorted(seen) == sorted(set(names) - {"w3"}) and page["joined"] == 24
    assert fields(c.call("SHARD.INFO", "pool", "COUNT", 0))["workers"] == []


def test_check_looks_at_recipients_page_by_page(c):
    join(c, "w", "v")
    route(c, *(f"r{n}" for n in range(95)))
    cursor, pages = b"0", 0
    while True:
        cursor = c.call("SHARD.CHECK", "pool", "CURSOR", cursor, "COUNT", 10)
        pages += 1
        if cursor == b"0":
            break
    assert pages == 10
    assert c.call("SHARD.CHECK", "missing", "CURSOR", 0) == b"0"


def test_a_page_of_recipients_goes_on_though_some_were_forgotten(c):
    join(c, "w")
    names = [f"r{n:03}" for n in range(100)]
    route(c, *names)
    for name in names:
        done(c, "w", name)
    cursor, flat = c.call("SHARD.RECIPIENTS", "pool", "w", "COUNT", 10)
    seen = [name.decode() for name in flat[::2]]
    c.call("SHARD.FORGET", "pool", *names[5:30:5])
    while cursor != b"0":
        cursor, flat = c.call("SHARD.RECIPIENTS", "pool", "w", "COUNT", 10, "CURSOR", cursor)
        seen += [name.decode() for name in flat[::2]]
    assert len(seen) == len(set(seen)) and set(seen) >= set(names) - set(names[5:30:5])
