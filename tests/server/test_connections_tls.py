"""The tool and TLS, against a server that speaks nothing else, with certificates made for the test."""

import pytest

from certificates import Authority
from server import let_pass, wait_until
from tls_server import TlsServer
from tool import Running, counts, cut_connections, loading, millrace

LINES = b"".join(b"SADD s %d\n" % i for i in range(50_000))


class Loaded(TlsServer):
    def load(self, address, *words, input=b"SET a 1\n"):
        return millrace("load", "--to", address.format(port=self.port), *words, "-", input=input)


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    """A server that does not ask clients for a certificate."""
    made = Loaded(tmp_path_factory.mktemp("tls"), tls_auth_clients="no")
    yield made
    made.server.stop()


@pytest.fixture(scope="module")
def mutual(tmp_path_factory):
    """A server that refuses clients without a certificate."""
    made = Loaded(tmp_path_factory.mktemp("mutual"), tls_auth_clients="yes")
    yield made
    made.server.stop()


def test_a_load_through_tls_arrives_as_a_whole(tls):
    done = tls.load("rediss://127.0.0.1:{port}", "--cacert", tls.authority.certificate, input=LINES)
    assert done.returncode == 0 and counts(done) == (50_000, 50_000, 0), done.stderr
    assert tls.server.admin.call("SCARD", "s") == 50_000


def test_large_answers_through_tls_do_not_block_other_clients(tls):
    tls.server.admin.call("SET", "big", "x" * 500_000)
    lines = b"GET big\n" * 100 + b"SET big " + b"y" * 400_000 + b"\n"
    done = tls.load("valkeys://127.0.0.1:{port}?cacert=" + str(tls.authority.certificate), "--format", "commands", input=lines)
    assert done.returncode == 0 and counts(done) == (101, 101, 0), done.stderr


@pytest.mark.parametrize("words", [
    ["--to", "rediss://127.0.0.1:{port}?cacert={ca}"],
    ["--to", "127.0.0.1:{port}", "--tls", "--cacert", "{ca}"],
])
def test_lock_and_tail_speak_tls_too(tls, tmp_path, words):
    words = [word.format(port=tls.port, ca=tls.authority.certificate) for word in words]
    assert millrace("lock", *words, "name", "--", "echo", "locked").stdout == b"locked\n"
    tls.server.admin.call("DEL", "log")
    tls.server.admin.call("TWRITE", "log", "tag", "entry")
    with Running(tmp_path, "tail", *words, "log") as running:
        running.wait_for_output("1\ttag\tentry\n")
        tls.server.admin.call("TWRITE", "log", "tag", "later")
        running.wait_for_output("2\ttag\tlater\n")
        running.interrupt()
        running.ends_with(0)


def test_export_and_copy_speak_tls_too(tls):
    """From a server with TLS to another database of the same server, with a log that needs several answers."""
    address = f"rediss://127.0.0.1:{tls.port}/{{}}?cacert={tls.authority.certificate}"
    admin = tls.server.admin
    admin.call("FLUSHALL")
    for _ in range(20):
        admin.call("TWRITE", "log", "ENTRIES", *["tag", "x" * 100_000] * 10)
    admin.call_all([("HSET", f"user:{n}", "name", f"n{n}") for n in range(100)])
    done = millrace("export", "--to", address.format(0), "log", "user:*", "--format", "csv", "--type", "log")
    assert done.returncode == 0 and done.stdout.count(b"\n") == 201, done.stderr
    done = millrace("copy", "--from", address.format(0), "--to", address.format(1), "*")
    assert done.stdout == b"copied: 100 hash, 1 millr-log; failed: 0\n", done.stderr
    held = tls.server.digest("log"), tls.server.digest("user:7")
    with tls.server.connect() as there:
        there.call("SELECT", "1")
        assert tuple(there.call("DEBUG", "DIGEST-VALUE", "log", "user:7")) == held


@pytest.mark.long
def test_a_lock_that_is_waited_for_and_a_quiet_log_survive_what_tls_sends_by_itself(tls, tmp_path):
    """After the handshake the server sends session tickets: the socket is readable, although there is no answer."""
    words = ["--to", f"rediss://127.0.0.1:{tls.port}?cacert={tls.authority.certificate}"]
    admin = tls.server.admin
    admin.call("DEL", "held", "quiet")
    admin.call("LOCK.ACQUIRE", "held", "another", 3_600_000)
    # With a short lease the client's time-out is short. The tickets come, and then nothing for longer than that
    # time-out.
    with Running(tmp_path, "lock", *words, "--ttl", "1s", "--wait", "1h", "held", "--", "echo", "locked") as waiting:
        tls.server.wait_for_blocked(1)
        place = tls.server.waiting_clients()
        let_pass(0.5)
        assert tls.server.waiting_clients() == place and waiting.errors() == ""
        admin.call("LOCK.RELEASE", "held", "another")
        waiting.wait_for_output("locked\n")
        waiting.ends_with(0)
    with Running(tmp_path, "tail", *words, "quiet") as following:
        tls.server.wait_for_blocked(1)
        place = tls.server.waiting_clients()
        let_pass(6)  # longer than the five seconds an answer may take
        assert tls.server.waiting_clients() == place and following.errors() == ""
        admin.call("TWRITE", "quiet", "tag", "entry")
        following.wait_for_output("1\ttag\tentry\n")
        following.interrupt()
        following.ends_with(0)
    assert following.errors() == ""


def test_a_certificate_of_an_unknown_authority_is_refused(tls, tmp_path):
    for words in ([], ["--cacert", Authority(tmp_path, "stranger").certificate]):
        done = tls.load("rediss://127.0.0.1:{port}", *words)
        assert done.returncode == 3 and b"its certificate is not accepted: " in done.stderr
    assert tls.load("rediss://127.0.0.1:{port}", "--insecure").returncode == 0


def test_the_certificate_must_have_the_name_of_the_server(tls):
    trusted = ("--cacert", tls.authority.certificate)
    done = tls.load("rediss://localhost:{port}", *trusted)
    assert done.returncode == 3 and b"its certificate is not accepted: hostname mismatch" in done.stderr
    assert tls.load("rediss://localhost:{port}", *trusted, "--sni", "db.example").returncode == 0
    assert tls.load("rediss://127.0.0.1:{port}?sni=other.example", *trusted).returncode == 3


def test_a_server_that_asks_for_a_certificate_gets_ours(mutual):
    trusted = ("--cacert", mutual.authority.certificate)
    ours = ("--cert", mutual.client_certificate, "--key", mutual.client_key)
    done = mutual.load("rediss://127.0.0.1:{port}", *trusted, *ours)
    assert done.returncode == 0 and counts(done) == (1, 1, 0), done.stderr
    done = mutual.load("rediss://127.0.0.1:{port}", *trusted)
    assert done.returncode == 3 and done.stderr.count(b"\n") == 1, done.stderr


@pytest.mark.parametrize("words, why", [
    (["--cacert", "none.pem"], "cannot use the CA certificates in none.pem: "),
    (["--cert", "none.pem"], "cannot use the certificate in none.pem: "),
    (["--cert", "{cert}", "--key", "none.pem"], "cannot use the private key in none.pem: "),
])
def test_a_certificate_file_that_does_not_exist_is_a_wrong_call(mutual, words, why):
    done = mutual.load("rediss://127.0.0.1:{port}", *(word.format(cert=mutual.client_certificate) for word in words))
    assert done.returncode == 2 and done.stderr.decode().startswith(f"millrace load: {why}"), done.stderr


def test_plain_text_and_tls_do_not_meet(tls):
    done = millrace("load", "--to", f"rediss://127.0.0.1:{tls.server.port}", "-", input=b"SET a 1\n")
    assert done.returncode == 3 and b"perhaps it does not speak TLS" in done.stderr
    done = tls.load("redis://127.0.0.1:{port}")
    assert done.returncode == 3 and done.stderr.count(b"\n") == 1, done.stderr


def test_a_connection_with_tls_that_is_cut_is_opened_again(tls, tmp_path):
    lines = [b"SADD cut %d\n" % i for i in range(200_000)]
    with loading(tmp_path, f"rediss://127.0.0.1:{tls.port}?insecure=yes", "--pipeline", "50") as running:
        running.write_input(b"".join(lines[:100_000]))
        wait_until(lambda: tls.server.admin.call("SCARD", "cut") > 10_000, "it is under way")
        cut_connections(tls.server)
        running.end_input(b"".join(lines[100_000:]))
        running.ends_with(0)
        assert "is back; going on" in running.errors()
    assert tls.server.admin.call("SCARD", "cut") == 200_000
