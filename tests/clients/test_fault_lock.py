"""Locks: one holder at a time, and a loss is noticed before another owner can have the lock."""

import time

import pytest

from counting import calls
from server import Server, let_pass, wait_until


def take(server, key, owner, ttl, wait):
    """Takes the lock directly, without the proxy; returns the token and the time of the grant."""
    with server.connect() as connection:
        granted, token, _, _ = connection.call("LOCK.ACQUIRE", key, owner, ttl, "WAIT", wait)
        return (token, time.monotonic()) if granted else None


def test_a_lost_answer_holds_nothing_twice(server, proxy, drive):
    proxy.swallow("LOCK.ACQUIRE", times=2)
    proxy.swallow("LOCK.RENEW", times=1)
    proxy.swallow("LOCK.RELEASE", times=1)
    job = drive(proxy.port).start("lock", key="pay", ttl=30, wait=20, hold=0.1)
    job.finish()
    assert len(job.values("acquired")) == 1 and job.values("released") == job.values("acquired")
    assert proxy.swallowed["LOCK.ACQUIRE"] == 2
    # The lock is free: no owner holds it.
    assert take(server, "pay", "by hand", 1000, 0) is not None


@pytest.mark.long
def test_it_is_renewed_for_as_long_as_it_is_held(server, proxy, drive):
    server.admin.call("CONFIG", "RESETSTAT")
    job = drive(proxy.port).start("lock", key="pay", ttl=9, hold=60)
    [acquired] = job.wait_for("acquired")
    wait_until(lambda: calls(server, "LOCK.RENEW") >= 4, "more than its time has passed")
    assert take(server, "pay", "rival", 1000, 0) is None
    job.release()
    assert take(server, "pay", "rival", 1000, 30_000)[0] > acquired["acquired"]
    job.finish()
    assert job.values("released") and not job.values("lost")


@pytest.mark.long
@pytest.mark.parametrize("harm", ["silence", "broken"])
def test_a_loss_is_noticed_before_another_owner_has_the_lock(server, proxy, drive, harm):
    job = drive(proxy.port).start("lock", key="pay", ttl=3, hold=60)
    [acquired] = job.wait_for("acquired")
    if harm == "silence":
        with proxy.silence():
            token, granted_at = take(server, "pay", "rival", 30_000, 30_000)
            [lost] = job.wait_for("lost")
        # By its own clock the holder had given the lock up before that, even if its process ran only later.
        assert lost["until"] <= granted_at
    else:
        server.admin.call("LOCK.BREAK", "pay")
        [lost] = job.wait_for("lost")
        token, _ = take(server, "pay", "rival", 30_000, 0)
    assert token > acquired["acquired"]
    job.finish()


def test_many_that_take_turns_never_hold_it_together(server, proxy, drive):
    proxy.swallow("LOCK.ACQUIRE", times=10, every=4)
    proxy.swallow("LOCK.RELEASE", times=10, every=4)
    drivers = [drive(proxy.port) for _ in range(3)]
    jobs = [driver.start("lock", key="pay", ttl=30, wait=60, hold=0.05) for driver in drivers for _ in range(5)]
    for job in jobs:
        job.finish()
    held = sorted((job.reports("acquired")[0]["acquired"], job.reports("acquired")[0]["at"],
                   job.reports("released")[0]["at"]) for job in jobs)
    for (_, _, released), (_, acquired, _) in zip(held, held[1:]):
        assert released <= acquired  # ordered by token, the holds do not overlap
    assert sum(proxy.swallowed.values()) > 0


@pytest.mark.long
def test_a_server_that_restarts_neither_ends_nor_keeps_it(drive):
    with Server(appendonly="yes") as durable:
        job = drive(durable.port).start("lock", key="pay", ttl=20, hold=60)
        job.wait_for("acquired")
        durable.kill()
        durable.come_back()
        wait_until(lambda: calls(durable, "LOCK.RENEW") > 0, "it is renewed")
        assert take(durable, "pay", "rival", 1000, 0) is None
        job.release()
        job.finish()
        assert job.values("released") and not job.values("lost")
        assert take(durable, "pay", "rival", 1000, 0)


@pytest.mark.long
def test_clocks_that_jump_neither_end_nor_keep_it(clocks, drive):
    of_server, of_client = clocks
    with of_server.server() as server:
        driver = drive(server.port, environment=of_client.variables())
        job = driver.start("lock", key="pay", ttl=9, hold=60)
        job.wait_for("acquired")
        for jump in (3600, -3600, 0):
            of_server.set(jump)
            assert take(server, "pay", "rival", 1000, 0) is None
            let_pass(0.2)
            of_client.set(jump)
            assert abs(driver.start("date").finish()["date"] - time.time() - jump) < 60
            let_pass(0.2)
        wait_until(lambda: calls(server, "LOCK.RENEW") >= 4, "more than its time has passed")
        assert take(server, "pay", "rival", 1000, 0) is None
        job.release()
        job.finish()
        assert job.values("released") and not job.values("lost")
        wait_until(lambda: take(server, "pay", "rival", 1000, 0), "it is free")
