"""WAIT … ALIVE: a client that is granted the lock after it waited must show that it is there, or the lock passes on."""

import pytest

from locks import HOUR, holders, release, start_waiting, take, token_of
from server import let_pass, wait_until


@pytest.fixture
def wait(server, connect):
    return lambda owner, *options, **more: start_waiting(server, connect(), owner, *options, **more)


def test_a_client_that_hangs_does_not_keep_the_lock_for_its_lease(c, wait):
    take(c, "holder")
    frozen, next_one = wait("frozen", "ALIVE", 30), wait("next", "ALIVE", HOUR)
    release(c, "holder")
    token = token_of(next_one)
    assert holders(c) == ["next"]
    assert token_of(frozen) < token, "when it wakes up, it learns from its token and its renewal that it is late"
    assert frozen.call("LOCK.RENEW", "lock", "frozen", HOUR) == 0


@pytest.mark.parametrize("words", [("PING",), ("LOCK.RENEW", "lock", "first", HOUR), ("LOCK.ACQUIRE", "another", "first", HOUR),
                                   ("LOCK.ACQUIRE", "lock", "first", HOUR)], ids=lambda words: " ".join(words[:2]))
def test_any_command_of_its_connection_takes_the_grant_up(c, wait, words):
    take(c, "holder")
    take(c, "holder", key="measure")
    first, second = wait("first", "ALIVE", 50), wait("second")
    first.send(*words)  # executed as soon as the waiting command before it is answered
    silent = wait("silent", "ALIVE", 50, key="measure")
    release(c, "holder")
    release(c, "holder", key="measure")
    wait_until(lambda: c.call("EXISTS", "measure") == 0, "the time of a grant that was made later is over")
    assert holders(c) == ["first"] and not second.has_answer()
    token_of(silent)


def test_a_client_that_leaves_passes_it_on_at_once(c, wait):
    take(c, "holder")
    gone, next_one = wait("gone", "ALIVE", HOUR), wait("next")
    release(c, "holder")
    token_of(gone)
    gone.close()
    token_of(next_one)


def test_a_client_that_has_sent_a_command_may_close_its_connection(c, wait):
    take(c, "holder")
    take(c, "holder", key="measure")
    brief, next_one = wait("brief", "ALIVE", 50), wait("next")
    brief.send("LOCK.RENEW", "lock", "brief", HOUR)  # executed as soon as the waiting command before it is answered
    silent = wait("silent", "ALIVE", 50, key="measure")
    release(c, "holder")
    token_of(brief)
    assert brief.read() == 1
    brief.close()
    release(c, "holder", key="measure")
    wait_until(lambda: c.call("EXISTS", "measure") == 0, "the time of a grant that was made later is over")
    assert holders(c) == ["brief"] and not next_one.has_answer()
    token_of(silent)


def test_a_lock_that_was_not_waited_for_needs_no_sign_of_life(c):
    take(c, "ann", "WAIT", HOUR, "ALIVE", 1)
    let_pass(0.05)
    assert holders(c) == ["ann"]


def test_a_hold_that_was_there_before_is_kept(server, c, connect, wait):
    """Only the grant to which the client did not react is taken back."""
    take(c, "holder", "SHARED")
    writer = wait("writer", "ALIVE", 20)
    release(c, "holder")
    token_of(writer)
    wait_until(lambda: c.call("EXISTS", "lock") == 0, "nobody took it up, and nobody waits")
