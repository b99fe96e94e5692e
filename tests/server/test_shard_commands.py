"""Each command of a worker pool: what it does and what it answers."""

import pytest

from server import wait_until
from shard_words import (
    HOUR,
    NOWORKER,
    ack,
    done,
    fields,
    info,
    is_sound,
    is_there,
    join,
    keep,
    let_age,
    owner,
    owners,
    pull,
    push,
    recipients,
    route,
    stale_after,
    stop_clock,
    worker_info,
)

WORKER_FIELDS = ["name", "state", "recipients", "pending", "age", "stale"]
POOL_FIELDS = ["workers", "recipients", "pending", "iterator", "stale", "assigned", "moved", "failovers", "waiting", "joined", "cursor",
               "maxattempts", "forget", "recipientmax", "dead", "forgotten", "unsent", "policy", "deadletter"]

# --- workers ---


def test_join_answers_with_the_number_of_workers(c):
    assert join(c, "a", "b", "c") == [1, 2, 3]
    assert join(c, "b") == [3], "who is there already is not counted twice"


def test_names_are_any_bytes(c):
    worker, recipient = bytes(range(256)) * 2, b"\x00\xff\r\n"
    assert c.call("SHARD.JOIN", "pool", worker) == 1
    assert c.call("SHARD.PUSH", "pool", recipient, recipient) == [worker, 1]
    assert c.call("SHARD.OWNER", "pool", recipient) == worker
    assert c.call("SHARD.PULL", "pool", worker) == [[recipient, 1, recipient]]
    assert c.call("SHARD.RECIPIENTS", "pool", worker) == [b"0", [recipient, 1]]


def test_joining_does_not_set_the_last_access(c):
    join(c, "w")
    assert worker_info(c, "w")["age"] is None
    c.call("SHARD.HEARTBEAT", "pool", "w")
    join(c, "w")
    assert worker_info(c, "w")["age"] is None, "it starts anew"


def test_joining_again_delivers_again_what_was_in_hand(c):
    join(c, "w")
    push(c, "r", "1", "2", "3")
    push(c, "s", "4")
    assert pull(c, "w", 3) == [("r", 1, "1"), ("s", 1, "4"), ("r", 2, "2")]
    assert join(c, "w") == [1]
    assert pull(c, "w") == [("r", 1, "1"), ("s", 1, "4"), ("r", 2, "2"), ("r", 3, "3")]


def test_heartbeat_answers_1_and_noworker_if_the_worker_never_joined(c):
    join(c, "w")
    assert c.call("SHARD.HEARTBEAT", "pool", "w") == 1
    assert c.error_of("SHARD.HEARTBEAT", "pool", "stranger") == NOWORKER


@pytest.mark.parametrize(
    "show",
    [
        lambda c: c.call("SHARD.HEARTBEAT", "pool", "w"),
        lambda c: done(c, "w", "routed"),
        lambda c: pull(c, "w"),
        lambda c: ack(c, "w", "queued", 1),
    ],
    ids=["HEARTBEAT", "DONE", "PULL", "ACK"],
)
def test_last_access_is_set_by(c, show):
    stop_clock(c)
    join(c, "w")
    route(c, "routed")
    push(c, "queued", "1", "2")
    pull(c, "w", 1)
    let_age(c, 15_001)
    assert (worker_info(c, "w")["age"], worker_info(c, "w")["stale"]) == (15_001, 1)
    show(c)
    assert (worker_info(c, "w")["age"], worker_info(c, "w")["stale"]) == (0, 0)


def test_routing_looking_and_setting_do_not_show_that_a_worker_is_alive(c):
    join(c, "w")
    route(c, "r")
    push(c, "r", "payload")
    owner(c, "r")
    recipients(c, "w")
    stale_after(c, 7)
    c.call("SHARD.REBALANCE", "pool")
    assert worker_info(c, "w")["age"] is None


# --- recipients ---


def test_route_answers_with_worker_and_pending(c):
    join(c, "w")
    assert c.call("SHARD.ROUTE", "pool", "r") == [b"w", 1]
    assert c.call("SHARD.ROUTE", "pool", "r") == [b"w", 2]
    assert c.call("SHARD.ROUTE", "pool", "other") == [b"w", 1]
    assert c.call("SHARD.ROUTE", "pool", "r", "BLOCK", "5") == [b"w", 3], "nobody waits who need not"


def test_done_answers_with_what_remains(c):
    join(c, "w")
    route(c, *["r"] * 10)
    assert done(c, "w", "r") == 9
    assert done(c, "w", "r", 4) == 5
    assert done(c, "w", "r", 5) == 0
    assert c.error_of("SHARD.DONE", "pool", "w", "r") == "ERR only 0 routed messages of it are pending"


def test_pending_is_what_is_routed_and_what_is_queued(c):
    join(c, "w")
    route(c, "r", "r")
    assert push(c, "r", "1", "2", "3") == ("w", 5)
    pull(c, "w")
    assert recipients(c, "w") == [("r", 5)]
    assert ack(c, "w", "r", 2) == 2
    assert done(c, "w", "r") == 2
    assert recipients(c, "w") == [("r", 2)]
    error = c.error_of("SHARD.DONE", "pool", "w", "r", "2")
    assert error == "ERR only 1 routed messages of it are pending", "what is queued is acknowledged, not done"


def test_owner_only_reads(server, c):
    join(c, "w")
    route(c, "r")
    before = server.digest("pool")
    assert owners(c, "r", "nobody") == ["w", None]
    assert server.digest("pool") == before


def test_recipients_are_listed_in_the_order_of_their_assignment(c):
    join(c, "a", "b")
    route(c, *[f"r{n}" for n in range(6)], "r0")
    assert recipients(c, "a") == [("r0", 2), ("r2", 1), ("r4", 1)]
    assert recipients(c, "b") == [("r1", 1), ("r3", 1), ("r5", 1)]
    assert c.call("SHARD.RECIPIENTS", "pool", "a", "COUNT", "3")[0] == b"0", "the last page says so"


@pytest.mark.parametrize("page", [1, 7, 100])
def test_recipients_come_in_pages(c, page):
    join(c, "w")
    names = [f"r{n}" for n in range(50)]
    route(c, *names)
    assert [name for name, _ in recipients(c, "w", page=page)] == names
    cursor, flat = c.call("SHARD.RECIPIENTS", "pool", "w", "COUNT", page)
    assert len(flat) == 2 * min(page, 50)
    assert (cursor == b"0") == (page == 100)


def test_a_page_has_a_hundred_unless_another_count_is_given(c):
    join(c, "w")
    route(c, *[f"r{n}" for n in range(101)])
    assert len(c.call("SHARD.RECIPIENTS", "pool", "w")[1]) == 200


def test_recipients_that_stay_are_listed_once_though_others_come_and_go(c):
    join(c, "w", "other")
    stale_after(c, HOUR)
    names = [f"r{n}" for n in range(60)]
    route(c, *names)
    stay = recipients(c, "w")
    seen, cursor, step = [], "0", 0
    while True:
        cursor, flat = c.call("SHARD.RECIPIENTS", "pool", "w", "COUNT", "3", "CURSOR", cursor)
        seen += [name.decode() for name in flat[::2]]
        if cursor == b"0":
            break
        # The recipient at the cursor moves away if it may, and others are added.
        following = c.call("SHARD.RECIPIENTS", "pool", "w", "COUNT", "1", "CURSOR", cursor)[1][0]
        if step % 2 == 0:
            done(c, "w", following)
            join(c, f"idle {step}")
            c.call("SHARD.REBALANCE", "pool", "MAXMOVES", "1")
        step += 1
    gone = {name for name, _ in stay} - {name for name, _ in recipients(c, "w")}
    assert gone, "some have moved on the way"
    assert len(seen) == len(set(seen)), "nobody came twice"
    assert {name for name, _ in stay} - gone <= set(seen), "nobody who stayed was missed"


# --- reading the state ---


def test_info_describes_the_pool(c):
    join(c, "a", "b")
    stale_after(c, 5000)
    route(c, "r1", "r2", "r3")
    push(c, "r1", "payload")
    c.call("SHARD.HEARTBEAT", "pool", "b")
    known = info(c)
    assert list(known) == POOL_FIELDS
    assert [list(worker) for worker in known["workers"]] == [WORKER_FIELDS] * 2
    a, b = known["workers"]
    assert (a["name"], a["state"], a["recipients"], a["pending"], a["age"], a["stale"]) == (b"a", b"working", 2, 3, None, 0)
    assert (b["recipients"], b["pending"], b["stale"]) == (1, 1, 0)
    assert 0 <= b["age"] < 5000
    del known["workers"]
    expected = [3, 4, 1, 5000, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, b"roundrobin", None]
    assert known == dict(zip(POOL_FIELDS[1:], expected))


def test_info_of_a_missing_pool_is_that_of_an_empty_one(c):
    known = info(c)
    assert (known["workers"], known["stale"], known["policy"], known["iterator"]) == ([], 15000, b"roundrobin", 0)


def test_info_is_a_map_with_maps_in_resp3_and_flat_in_resp2(c, connect):
    join(c, "a", "b")
    route(c, "r")
    flat, mapped = c.call("SHARD.INFO", "pool"), connect(protocol=3).call("SHARD.INFO", "pool")
    assert isinstance(mapped, dict) and all(isinstance(worker, dict) for worker in mapped[b"workers"])
    assert flat[::2] == list(mapped)
    assert [fields(worker) for worker in flat[1]] == [fields(worker) for worker in mapped[b"workers"]]


def test_the_other_answers_are_the_same_in_both_protocols_but_for_null(c, connect):
    join(c, "w")
    push(c, "r", "payload")
    three = connect(protocol=3)
    for words in (("SHARD.RECIPIENTS", "pool", "w"), ("SHARD.OWNER", "pool", "r"), ("SHARD.CHECK", "pool")):
        assert c.bytes_of(*words) == three.bytes_of(*words)
    assert c.bytes_of("SHARD.OWNER", "pool", "nobody") == b"$-1\r\n"
    assert three.bytes_of("SHARD.OWNER", "pool", "nobody") == b"_\r\n"
    assert c.bytes_of("SHARD.PULL", "pool", "w") == b"*1\r\n*3\r\n$1\r\nr\r\n:1\r\n$7\r\npayload\r\n"
    assert three.bytes_of("SHARD.PULL", "pool", "w") == b"*0\r\n"


def test_check_says_ok(c):
    join(c, "w")
    push(c, "r", "payload")
    assert c.bytes_of("SHARD.CHECK", "pool") == b"+OK\r\n"


def test_check_goes_on_from_any_cursor(c):
    # The client can send any number as a cursor, and at most of these numbers no recipient begins.
    join(c, "w")
    for number in range(300):
        route(c, "x" * (number % 90 + 1) + str(number))
    for cursor in (1, 8, 40, 2**32 - 1, 2**32, 2**32 + 4, 2**63, 2**64 - 1):
        assert c.call("SHARD.CHECK", "pool", "CURSOR", str(cursor), "COUNT", "10").isdigit()
    seen, cursor = 0, b"0"
    while seen == 0 or cursor != b"0":
        cursor = c.call("SHARD.CHECK", "pool", "CURSOR", cursor, "COUNT", "10")
        seen += 1
    assert seen == 30


# --- settings ---


def test_set_keeps_what_it_does_not_name(c):
    assert c.call("SHARD.SET", "pool", "STALE", "70") == b"OK"
    assert c.call("SHARD.SET", "pool", "policy", "LeastPending") == b"OK"
    assert (info(c)["stale"], info(c)["policy"]) == (70, b"leastpending")
    assert c.call("SHARD.SET", "pool", "POLICY", "roundrobin", "STALE", "90") == b"OK"
    assert (info(c)["stale"], info(c)["policy"]) == (90, b"roundrobin")


def test_a_worker_is_stale_after_15_seconds_unless_set_otherwise(c):
    join(c, "w")
    assert info(c)["stale"] == 15000


def test_roundrobin_follows_the_order_of_joining_and_comes_round(c):
    join(c, "b", "a", "c")
    assert route(c, *"123456") == ["b", "a", "c", "b", "a", "c"]
    assert info(c)["iterator"] == 0
    route(c, "7")
    assert info(c)["iterator"] == 1
    route(c, "1", "2")
    assert info(c)["iterator"] == 1, "who is known takes no turn"


def test_leastpending_chooses_the_worker_with_least_to_do(c):
    join(c, "a", "b", "c")
    c.call("SHARD.SET", "pool", "POLICY", "leastpending")
    route(c, *["busy"] * 5)
    assert route(c, "1", "2", "3", "4") == ["b", "c", "b", "c"]
    for worker in ("b", "c"):
        for recipient, _ in recipients(c, worker):
            done(c, worker, recipient)
    push(c, "1", *["payload"] * 9)
    assert route(c, "5", "6") == ["c", "c"]


# --- the pool as a key of the host ---


def test_every_write_is_announced_by_its_name(server, c, connect):
    join(c, "w", "idle")
    push(c, "r", "payload")
    route(c, "r", "s")
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:pool")
        pull(c, "w")
        ack(c, "w", "r", 1)
        done(c, "w", "r")
        c.call("SHARD.LEAVE", "pool", "idle")
        events = [listener.read()[2].decode() for _ in range(4)]
    assert events == ["shard.pull", "shard.ack", "shard.done", "shard.leave"]


def test_a_failover_by_the_timer_is_announced(server, c, connect):
    join(c, "w", "heir")
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:pool")
        route(c, "r")
        keep(c, "heir")
        c.call("SHARD.HEARTBEAT", "pool", "w")
        stale_after(c, 20)
        events = [listener.read()[2].decode() for _ in range(5)]
    assert events == ["shard.route", "shard.route", "shard.heartbeat", "shard.set", "shard.settle"]
    assert owner(c, "r") == "heir"


def test_a_pool_stays_with_its_settings_when_its_last_worker_has_gone(c):
    stale_after(c, 77_000)
    join(c, "w")
    assert c.call("SHARD.LEAVE", "pool", "w") == 0
    assert not is_there(c, "w")
    assert (info(c)["stale"], info(c)["workers"]) == (77_000, [])
    assert c.call("DEL", "pool") == 1


def test_counters_count_what_was_done(server, c):
    names = ("messages_routed", "payloads_pushed", "payloads_delivered", "payloads_acknowledged", "recipients_moved")
    before = [server.counter(f"shard_{name}") for name in names]
    failed_over = server.counter("shard_workers_failed_over")
    join(c, "a", "b")
    route(c, "1", "2", "3")
    push(c, "1", "x", "y")
    pull(c, "a")
    ack(c, "a", "1", 1)
    stale_after(c, 20)
    wait_until(lambda: owner(c, "1") == "b", "a's recipients have moved")
    assert [server.counter(f"shard_{name}") - old for name, old in zip(names, before)] == [3, 2, 2, 1, 2]
    assert server.counter("shard_workers_failed_over") == failed_over + 1
    assert is_sound(c)
