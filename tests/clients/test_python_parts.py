"""Parts of the Python package that decide something and do no I/O."""

import pathlib
import random
import sys

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

import redis.crc
import redis.exceptions

from millrace import errors
from millrace.backoff import Backoff, pauses
from millrace.codecs import Json, Raw
from millrace.hand import Delivery, Hand
from millrace.pool_hand import PoolDelivery, PoolHand
from millrace.replies import as_map, ranges
from millrace.settings import Settings
from millrace.slots import key_slot
from millrace.sync import waiting, worker
from millrace.sync.redlock import needed


@pytest.mark.parametrize("offsets, words", [
    ([], []),
    ([7], [7]),
    ([3, 4, 5, 9], ["3-5", 9]),
    ([9, 3, 5, 4], ["3-5", 9]),
    ([1, 2, 4, 5], ["1-2", "4-5"]),
])
def test_offsets_that_follow_each_other_are_sent_as_ranges(offsets, words):
    assert ranges(offsets) == words


def test_a_map_is_the_same_in_resp2_and_resp3():
    assert as_map([b"first", 1, b"last", 2]) == as_map({b"first": 1, b"last": 2}) == {"first": 1, "last": 2}


@pytest.mark.parametrize("error, kind, code", [
    (redis.exceptions.ResponseError("NOGROUP no group"), errors.NoGroup, "NOGROUP"),
    (redis.exceptions.ResponseError("FULL the group"), errors.Full, "FULL"),
    (redis.exceptions.ReadOnlyError("You can't write"), errors.RefusedForNow, "READONLY"),
    (redis.exceptions.BusyLoadingError("loading"), errors.RefusedForNow, "LOADING"),
    (redis.exceptions.ResponseError("UNBLOCKED the server is a replica"), errors.RefusedForNow, "UNBLOCKED"),
    (redis.exceptions.NoPermissionError("this user"), errors.NotPermitted, "NOPERM"),
    (redis.exceptions.AuthenticationError("invalid password"), errors.NotPermitted, "NOPERM"),
    (redis.exceptions.ResponseError("invalid count"), errors.ServerError, "ERR"),
    (redis.exceptions.ResponseError("WRONGTYPE Operation"), errors.WrongType, "WRONGTYPE"),
])
def test_errors_have_types_by_their_first_word(error, kind, code):
    found = errors.server_error(error)
    assert (type(found), found.code) == (kind, code)


def test_a_login_that_fails_is_no_broken_connection():
    assert errors.is_answer(redis.exceptions.AuthenticationError("no"))
    assert not errors.is_answer(redis.exceptions.ConnectionError("no"))


@pytest.mark.parametrize("reply, found", [
    (redis.exceptions.ResponseError("MOVED 105 127.0.0.1:7001"), (False, "127.0.0.1", 7001)),
    (redis.exceptions.ResponseError("ASK 105 ::1:7001"), (True, "::1", 7001)),
    (redis.exceptions.ResponseError("MOVED 105 :7001"), (False, "", 7001)),
    (redis.exceptions.MovedError("105 127.0.0.1:7001"), (False, "127.0.0.1", 7001)),
    (redis.exceptions.AskError("105 127.0.0.1:7001"), (True, "127.0.0.1", 7001)),
    (redis.exceptions.ResponseError("ERR no"), None),
    (b"MOVED 105 127.0.0.1:7001", None),
])
def test_redirections_are_recognised_whichever_parser_has_read_them(reply, found):
    redirection = errors.redirection(reply)
    assert (redirection and (redirection.is_ask, redirection.host, redirection.port)) == found


def test_back_off_doubles_up_to_its_cap_with_jitter():
    backoff = Backoff.exponential(1, cap=300, jitter=0.2)
    for attempt, middle in ((1, 1), (2, 2), (5, 16), (20, 300), (5000, 300)):
        for _ in range(50):
            assert middle * 0.8 <= backoff(attempt) <= middle * 1.2
    assert Backoff.fixed(3)(9) == 3 and Backoff.none()(1) == 0


def test_pauses_end_at_two_seconds():
    steps = pauses()
    taken = [next(steps) for _ in range(20)]
    assert 0.025 <= taken[0] <= 0.075 and all(1 <= pause <= 3 for pause in taken[-5:])


@pytest.mark.parametrize("key", [b"123456789", b"{orders}:dead", b"{orders}", b"{}a", b"a{b}{c}", b"{a", b"", b"}{a}"])
def test_the_slot_of_a_key_is_that_of_redis_py(key):
    assert key_slot(key) == redis.crc.key_slot(key)


@pytest.mark.parametrize("servers, limit, wanted", [(1, None, 1), (3, None, 2), (5, None, 3), (5, 3, 4), (5, 1, 3)])
def test_how_many_servers_must_grant_a_lock(servers, limit, wanted):
    assert needed(servers, limit) == wanted
    # At most `limit` owners can each have that many grants at the same time.
    permits = limit or 1
    assert (permits + 1) * wanted > servers * permits


def test_json_of_a_dataclass_comes_back():
    import dataclasses

    @dataclasses.dataclass
    class Order:
        number: int
        name: str

    codec = Json(Order)
    assert codec.decode(codec.encode(Order(1, "ä"))) == Order(1, "ä")
    with pytest.raises(TypeError):
        codec.decode(b'{"other": 1}')


# --- the messages that a worker has in flight ---

def delivery(offset, lease_ends=10.0, epoch=1, attempts=1):
    return Delivery(offset, b"t", b"e", attempts, 0, epoch, lease_ends)


def test_a_message_is_in_hand_once():
    hand = Hand(10)
    first = delivery(1)
    assert hand.admit([first, delivery(2)])[0] is first
    assert hand.admit([delivery(1, 20.0)]) == [] and first.lease_ends == 20.0
    assert hand.start(first, 15.0) and hand.admit([delivery(1)]) == []
    assert hand.finish(first, is_done=True) and hand.admit([delivery(1)]) == []
    hand.settled([first])
    hand.begin_read()
    assert hand.admit([delivery(1)])


def test_what_failed_may_come_again_before_the_server_s_answer():
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    assert hand.start(first, 0) and hand.finish(first, is_done=False)
    assert not hand.is_empty() and hand.admit([delivery(1)]) == []
    [second] = hand.admit([delivery(1, attempts=2)])
    hand.settled([first])
    assert hand.start(second, 0) and not hand.is_empty()


def test_the_answer_about_a_delivery_does_not_settle_the_next_one():
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    assert hand.start(first, 0) and hand.finish(first, is_done=False)
    [second] = hand.admit([delivery(1, attempts=2)])
    assert hand.start(second, 0) and hand.finish(second, is_done=True)
    hand.settled([first])
    assert not hand.is_empty()  # the acknowledgement of the second delivery has not been answered yet
    hand.settled([second])
    assert hand.is_empty()


def test_a_refusal_is_not_sent_again_once_its_message_was_delivered_again():
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    assert hand.start(first, 0) and hand.finish(first, is_done=False)
    [second] = hand.admit([delivery(1, attempts=2)])
    assert first.is_gone and not second.is_gone


def test_what_is_found_lost_is_a_delivery_and_not_the_next_one():
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    leased = hand.leased()
    assert hand.start(first, 0) and hand.finish(first, is_done=False)
    [second] = hand.admit([delivery(1, 20.0, attempts=2)])
    hand.extended(leased, 5.0)
    assert hand.lose(leased) == [] and not second.is_lost and second.lease_ends == 20.0


def test_a_lost_message_that_comes_again_while_its_handler_runs_stays_lost():
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    assert hand.start(first, 0) and hand.lose([first]) == [first]
    assert hand.admit([delivery(1, attempts=2)]) == []
    assert first.is_lost and hand.leased() == [] and not hand.finish(first, is_done=True)
    assert hand.admit([delivery(1, attempts=3)])  # when the lease of the second delivery is over


@pytest.mark.parametrize("is_done", [True, False])
def test_what_a_read_in_flight_says_of_a_settled_message_is_out_of_date(is_done):
    hand = Hand(10)
    hand.begin_read()
    [first] = hand.admit([delivery(1)])
    hand.begin_read()
    assert hand.start(first, 0) and hand.finish(first, is_done)
    hand.settled([first])
    assert hand.is_empty() and hand.room() == 10
    assert hand.admit([delivery(1)]) == []
    assert len(hand.admit([delivery(1, attempts=2)])) == (0 if is_done else 1)
    assert hand.room() == (10 if is_done else 9)


@pytest.mark.parametrize("place", ["waits", "runs", "done", "refused", "settled"])
def test_of_a_log_that_was_replaced_nothing_counts(place):
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    assert place == "waits" or hand.start(first, 0)
    assert place in ("waits", "runs") or hand.finish(first, is_done=place == "done")
    if place == "settled":
        hand.settled([first])
    assert hand.lose_all() == ([] if place == "settled" else [first])
    assert hand.is_empty() and hand.room() == 10 and first.is_gone == (place != "settled")
    assert not hand.start(first, 0) and not hand.finish(first, is_done=True)
    [second] = hand.admit([delivery(1, epoch=2)])
    hand.settled([first])
    assert hand.start(second, 0) and not hand.is_empty()


def test_a_message_whose_lease_is_over_is_not_started():
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    assert not hand.start(first, 10.0)
    [second] = hand.admit([delivery(2)])
    assert hand.lose([second]) == [second] and not hand.start(second, 0)


def test_the_outcome_of_a_lost_message_does_not_count():
    hand = Hand(10)
    [first] = hand.admit([delivery(1)])
    assert hand.start(first, 0)
    hand.lose([first])
    assert not hand.finish(first, is_done=True)
    assert hand.is_empty()


def test_a_hand_stays_consistent_whatever_happens():
    """Random histories against a simple model: what is admitted is started at most once, and `room` is the space that
    is left."""
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    hand, held, running = Hand(20), {}, {}
    for _ in range(5000):
        offset = chance.randrange(1, 30)
        step = chance.choice(["admit", "start", "finish", "lose"])
        if step == "admit" and hand.room() > 0:
            hand.begin_read()
            admitted = hand.admit([delivery(offset, 1e9)])
            assert bool(admitted) == (offset not in held and offset not in running), seed
            held.update((one.offset, one) for one in admitted)
        elif step == "start" and offset in held:
            one = held.pop(offset)
            assert hand.start(one, 0), seed
            running[offset] = one
        elif step == "finish" and offset in running:
            one = running.pop(offset)
            assert hand.finish(one, is_done=True) == (not one.is_lost), seed
            hand.settled([one])
        elif step == "lose":
            hand.lose([one for one in hand.leased() if one.offset == offset])
            held.pop(offset, None)
        assert hand.room() == 20 - len(held) - len(running), seed


# --- a worker, with a clock and a server of the test ---

class Clock:
    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(waiting, "now", lambda: self.now)

    def pass_by(self, seconds):
        self.now += seconds


class Answers:
    """A Link that answers each call with the same reply, after some time."""

    settings = Settings(block=2.0)

    def __init__(self, clock, reply, after):
        self._clock, self._reply, self._after = clock, reply, after

    def call(self, *words, **options):
        self._clock.pass_by(self._after)
        return self._reply


def made_worker(link, **options):
    options = {"concurrency": 3, "prefetch": None, "lease": 30.0, "expire": None, "max_attempts": None,
               "dead_letter": None, "backoff": Backoff.none(), "start": "first", "consumer": "c", "time_limit": None, **options}
    return worker.Worker(link, "orders", "g", Raw(), **options)


@pytest.mark.parametrize("name, is_mine, block, answered_after, lease_begins", [
    ("MINE does not wait", True, True, 1.5, 0),
    ("without BLOCK the server does not wait", False, False, 1.5, 0),
    ("a read that waited", False, True, 1.5, 1.5),
    ("a read that waited, and whose answer was late", False, True, 3.5, 2.0),
])
def test_a_lease_begins_when_the_server_may_have_delivered(monkeypatch, name, is_mine, block, answered_after, lease_begins):
    clock = Clock(monkeypatch)
    one = made_worker(Answers(clock, [(1, 1, 7), (1, b"t", b"e", 1, 0)], answered_after))
    run = worker._Run(one._link, "orders", "g", "c", Hand(10))
    run.mine_from = 1 if is_mine else None
    one._read_once(run, 10, block)
    assert run.queue.take_now().lease_ends == 100.0 + lease_begins + 30.0


@pytest.mark.parametrize("lease, time_out", [(1.5, 0.5), (30.0, 5.0)])
def test_an_extension_of_leases_ends_before_the_next_one(lease, time_out):
    class Extends(Answers):
        def persist(self, *words, timeout, **options):
            time_outs.append(timeout)
            return 1

    time_outs = []
    one = made_worker(Extends(None, None, 0), lease=lease)
    one._extend(worker._Run(one._link, "orders", "g", "c", Hand(10)), [delivery(1)])
    assert time_outs == [pytest.approx(time_out)]


def test_all_handlers_that_are_cancelled_have_one_deadline(monkeypatch):
    class Stuck:
        def join(self, timeout):
            clock.pass_by(max(timeout, 0))
            return False

        def cancel(self):
            pass

    clock = Clock(monkeypatch)
    one = made_worker(Answers(clock, None, 0))
    one._wind_up(worker._Run(one._link, "orders", "g", "c", Hand(10)), [Stuck() for _ in range(64)], 25.0)
    assert clock.now == pytest.approx(100.0 + 25.0 + 0.1)


@pytest.mark.parametrize("is_done", [True, False])
def test_an_outcome_is_not_sent_again_to_a_log_that_replaced_its_own(monkeypatch, is_done):
    class Breaks(Answers):
        def exchange(self, key, commands):
            sent.append(commands)
            hand.lose_all()  # the worker's read finds a new log meanwhile
            raise errors.ConnectionLost

        def tell_retry(self, *facts):
            pass

    sent, hand = [], Hand(10)
    monkeypatch.setattr(waiting, "sleep", lambda seconds: None)
    run = worker._Run(Breaks(None, None, 0), "orders", "g", "c", hand)
    [first] = hand.admit([delivery(1)])
    assert hand.start(first, 0) and hand.finish(first, is_done)
    if is_done:
        run.settler.done(first)
    else:
        run.settler.failed(first, 0)
    run.settler.close(60)
    run.settler.run()
    assert len(sent) == 1 and hand.is_empty()


# --- the payloads that a pool's worker has in flight ---

def payload(sequence, life=1):
    # What is delivered again was counted.
    return PoolDelivery(b"ann", sequence, b"p", life, life)


@pytest.fixture
def hand():
    """The payloads in flight of a worker that has joined."""
    hand = PoolHand(10)
    hand.join_again()
    return hand


@pytest.mark.parametrize("heard_at", range(7))  # how many of the pulled payloads come before the answer
@pytest.mark.parametrize("is_given_up", [False, True])
def test_what_failed_comes_again_before_those_behind_it_whenever_the_answer_is_read(hand, heard_at, is_given_up):
    assert [hand.admit(payload(number)) for number in (1, 2)] == ["new", "kept"]
    assert hand.hold(hand.start(b"ann"))
    pulled = [3, 4, *([] if is_given_up else [1]), 2, 3, 4, 5]
    for place, number in enumerate(pulled):
        if place == heard_at:
            hand.given_back(payload(1), 4)
        hand.admit(payload(number))
        assert place >= heard_at or hand.start(b"ann") is None
    if heard_at == len(pulled):
        hand.given_back(payload(1), 4)
    handled = []
    while delivery := hand.start(b"ann"):
        handled.append(delivery.sequence)
        hand.finish(delivery)
    assert handled == ([] if is_given_up else [1]) + [2, 3, 4, 5]


def test_those_behind_a_rejected_payload_stay_delivered(hand):
    assert [hand.admit(payload(number)) for number in (1, 2)] == ["new", "kept"]
    first = hand.start(b"ann")
    assert hand.hold(first) and hand.given_back(first, 1)
    assert hand.start(b"ann").sequence == 2


def test_a_worker_joins_beside_nothing_that_is_given_back(hand):
    hand.admit(payload(1))
    hand.admit(PoolDelivery(b"bob", 1, b"p", 1, 1))
    ann, bob = hand.start(b"ann"), hand.start(b"bob")
    assert hand.hold(ann) and not hand.may_join()
    hand.distrust()
    assert not hand.hold(bob) and not hand.finish(bob)  # joining gives the payload back
    hand.lost(ann)
    assert hand.may_join() and hand.must_join
    assert hand.admit(payload(2)) == "kept"
    hand.join_again()
    assert not hand.must_join and hand.admit(payload(1, 2)) == "new"


def test_what_a_pool_delivers_again_is_handled_once_and_in_order(hand):
    assert [hand.admit(payload(number)) for number in (1, 2, 3)] == ["new", "kept", "kept"]
    first = hand.start(b"ann")
    assert first.sequence == 1 and hand.start(b"ann") is None  # one payload of a recipient at a time
    hand.join_again()
    # Payload 1 is running, and comes again together with the ones behind it.
    assert [hand.admit(payload(number, 2)) for number in (1, 2)] == ["kept", "kept"]
    hand.handled(first)
    assert first.life == 2 and hand.finish(first)
    hand.join_again()
    # Its acknowledgement has not been answered yet: it is acknowledged again, and not handled again.
    assert [hand.admit(payload(number, 3)) for number in (1, 2)] == ["done", "new"]
    hand.acknowledged(payload(1, 3))
    assert hand.start(b"ann").sequence == 2


def test_what_is_acknowledged_while_it_is_delivered_again_is_not_handled_again(hand):
    hand.admit(payload(1))
    first = hand.start(b"ann")
    hand.join_again()
    hand.begin_pull()  # the pull delivers it again
    hand.handled(first)
    hand.acknowledged(first)
    hand.finish(first)
    assert hand.admit(payload(1, 2)) == "done"
    hand.begin_pull()
    assert hand.admit(payload(1, 2)) == "new"  # the recipient was forgotten, so it counts as new


def test_a_pool_that_begins_again_is_handled_from_its_first_payload(hand):
    hand.admit(payload(5))
    last = hand.start(b"ann")
    hand.handled(last)
    hand.finish(last)
    hand.forget_handled()
    hand.join_again()
    assert hand.admit(payload(1, 2)) == "new"


def first_payload(sequence, life):
    """A payload of a pool that was made again, which no worker had before."""
    return PoolDelivery(b"ann", sequence, b"p", 1, life)


@pytest.mark.parametrize("new", [1, 5])
def test_a_new_pool_s_payloads_are_not_taken_for_those_handled_of_the_old_one(hand, new):
    hand.admit(payload(5))
    last = hand.start(b"ann")
    hand.handled(last)
    hand.finish(last)
    hand.join_again()
    assert hand.admit(first_payload(new, 2)) == "new"
    hand.join_again()
    assert hand.admit(payload(new, 3)) == "new"


@pytest.mark.parametrize("new", [1, 5])
def test_a_new_pool_s_payloads_are_not_taken_for_the_old_one_s_that_runs(hand, new):
    hand.admit(payload(5))
    last = hand.start(b"ann")
    hand.join_again()
    assert hand.admit(first_payload(new, 2)) == "kept"
    hand.join_again()
    assert hand.admit(payload(new, 3)) == "kept"
    hand.handled(last)
    assert not hand.may_acknowledge(last)  # that would remove the new pool's payload
    assert hand.finish(last)
    assert hand.start(b"ann").life == 3
    hand.join_again()
    hand.finish(last)
    assert hand.admit(payload(new, 4)) == "new"


def test_a_payload_that_ends_after_the_worker_has_joined_again_is_acknowledged_when_it_comes(hand):
    hand.admit(payload(5))
    last = hand.start(b"ann")
    assert hand.may_acknowledge(last)
    hand.join_again()
    assert not hand.may_acknowledge(last)
    assert hand.admit(payload(5, 2)) == "kept" and hand.may_acknowledge(last)
