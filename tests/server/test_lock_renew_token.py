"""LOCK.RENEW … TOKEN: the holder of a lock over several servers sends its token, and after that no server issues a
smaller one."""

import pytest

from locks import HOUR, info, release, take
from server import Server, wait_until

MINUTE = 60_000_000  # tokens count microseconds
MOST_AHEAD = 50 * 365 * 24 * 60 * MINUTE


def renew(c, owner, *more, key="lock"):
    return c.call("LOCK.RENEW", key, owner, HOUR, *more)


def token_of(c, key="lock"):
    return info(c, key)["holders"][0]["token"]


def test_the_next_token_of_any_lock_is_greater(c):
    mine = take(c, "ann")
    assert renew(c, "ann", "TOKEN", mine + MINUTE) == 1
    assert token_of(c) == mine + MINUTE
    assert take(c, "bob", key="other") > mine + MINUTE
    release(c, "ann")
    assert take(c, "bob") > mine + MINUTE


def test_a_smaller_token_changes_nothing_and_renews_all_the_same(c):
    mine = take(c, "ann", ttl=60_000)
    assert renew(c, "ann", "TOKEN", mine - 1) == 1
    assert token_of(c) == mine
    assert info(c)["holders"][0]["ttl"] > 60_000


def test_an_owner_that_holds_nothing_raises_no_token(c):
    mine = take(c, "ann")
    assert renew(c, "bob", "TOKEN", mine + MINUTE) == 0
    assert renew(c, "bob", "TOKEN", mine + MINUTE, key="nothing") == 0
    assert mine < take(c, "carl", key="other") < mine + MINUTE


def test_a_token_too_far_ahead_is_refused_and_renews_nothing():
    text = "ERR the TOKEN is too far ahead of this server's clock"
    # A server of its own: its tokens stay decades ahead.
    with Server() as own, own.connect() as c:
        mine = take(c, "ann", ttl=60_000)
        assert c.error_of("LOCK.RENEW", "lock", "ann", HOUR, "TOKEN", mine + MOST_AHEAD + MINUTE) == text
        assert c.error_of("LOCK.RENEW", "lock", "ann", HOUR, "TOKEN", 2**53 - 1) == text
        assert token_of(c) == mine and info(c)["holders"][0]["ttl"] <= 60_000
        assert renew(c, "ann", "TOKEN", mine + MOST_AHEAD - MINUTE) == 1
        assert c.error_of("LOCK.RENEW", "lock", "ann", HOUR, "TOKEN", mine + MOST_AHEAD + MINUTE) == text, "not step by step either"
        assert take(c, "bob", key="other") > mine + MOST_AHEAD - MINUTE


def test_wrong_words_are_refused(c):
    take(c, "ann")
    expected = "expected an integer from 1 to 9007199254740991"
    assert c.error_of("LOCK.RENEW", "lock", "ann", 5, "TOKEN", "0") == f"ERR invalid TOKEN '0': {expected}"
    assert c.error_of("LOCK.RENEW", "lock", "ann", 5, "TOKEN", "x") == f"ERR invalid TOKEN 'x': {expected}"
    assert c.error_of("LOCK.RENEW", "lock", "ann", 5, "TOKEN") == "ERR missing TOKEN"
    assert c.error_of("LOCK.RENEW", "lock", "ann", 5, "FENCE", 6) == "ERR syntax error: expected TOKEN, found 'FENCE'"


def test_a_replica_gets_the_token_and_continues_from_there(server, replica, c):
    mine = take(c, "ann")
    renew(c, "ann", "TOKEN", mine + MINUTE)
    server.wait_for_replica(replica)
    assert token_of(replica.admin) == mine + MINUTE
    with Server() as heir:
        heir.replicate(server)
        heir.admin.call("REPLICAOF", "NO", "ONE")
        assert take(heir.admin, "bob", key="other") > mine + MINUTE


@pytest.mark.parametrize("end", ["kill", "rewrite", "rdb"])
def test_a_server_that_comes_back_remembers_it_also_of_a_lock_that_is_free(end):
    with Server(appendonly="no" if end == "rdb" else "yes", appendfsync="always") as server:
        mine = take(server.admin, "ann")
        renew(server.admin, "ann", "TOKEN", mine + 10 * MINUTE)
        release(server.admin, "ann")
        if end == "rewrite":
            server.rewrite_aof()
        server.shutdown(save=True) if end == "rdb" else server.kill()
        server.restart()
        wait_until(lambda: server.admin.call("EXISTS", "lock") == 0, "it is free")
        assert take(server.admin, "bob") > mine + 10 * MINUTE
