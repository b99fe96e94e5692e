"""Both packages over TLS, to servers whose certificates are signed by a private authority."""

import pytest

from certificates import Authority
from tls_server import TlsServer


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A server that refuses clients without a certificate."""
    made = TlsServer(tmp_path_factory.mktemp("tls"), tls_auth_clients="yes")
    yield made
    made.server.stop()


def words(tls, authority=None):
    return ("--tls", f"rediss://127.0.0.1:{tls.port}", str((authority or tls.authority).certificate),
            str(tls.client_certificate), str(tls.client_key))


def test_everything_that_waits_and_everything_else_goes_through_tls(tls, drive):
    tls.server.admin.call("FLUSHALL")
    driver = drive(*words(tls))
    values = [str(number) for number in range(50)]
    work = driver.start("work", key="orders", group="g", concurrency=4)
    follow = driver.start("follow", key="orders", start="first", until=len(values))
    listen = driver.start("subscribe", channel="news", name="ann")
    listen.wait_for("gap")
    driver.start("produce", key="orders", tag="new", values=values).finish()
    driver.start("publish", channel="news", values=["x" * 200_000]).finish()
    work.wait_for("handled", len(values))
    follow.finish()
    assert follow.values("message") == values
    assert listen.wait_for("message")[0]["message"] == "x" * 200_000
    holder = driver.start("lock", key="pay", ttl=5, hold=0.5)
    holder.wait_for("acquired")
    waiting = driver.start("lock", key="pay", ttl=5, wait=60, hold=0)
    for job in (holder, waiting):
        job.finish()
        assert job.values("released") == job.values("acquired") != []
    listen.stop()
    work.stop()


def test_a_server_of_another_authority_is_not_talked_to(tls, drive, tmp_path):
    tls.server.admin.call("FLUSHALL")
    driver = drive(*words(tls, Authority(tmp_path, "another")))
    refused = driver.start("produce", key="orders", tag="new", values=["secret"], retry_for=1).end()
    assert refused["end"] == "Undelivered" and "certificate" in refused["text"].lower(), refused
    assert tls.server.admin.call("EXISTS", "orders") == 0
