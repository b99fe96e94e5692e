"""How the tool reaches a server: addresses, users, Unix sockets, and servers that are not there yet. Every subcommand
takes the same --to."""

import os
import pathlib

import pytest

from locked import PATIENT
from server import QUIET_PORTS, Server, free_port, wait_until
from tool import Running, counts, millrace

# For each subcommand: its arguments besides the server, and what it prints when it has reached the server.
SUBCOMMANDS = {
    "load": (["-"], b"1 sent, 1 succeeded, 0 failed"),
    "lock": ([*PATIENT, "name", "--", "echo", "locked"], b"locked"),
}
LINE = b"SET reached 1\n"


@pytest.fixture(scope="module")
def own():
    """A server with a Unix socket, a user and several databases."""
    with Server(databases=4, unixsocket="redis.sock") as server:
        server.admin.call("ACL", "SETUSER", "ann", "on", ">se/cr:et@", "~*", "+@all")
        yield server


def environment(**more):
    """Our environment without the variables that name a server."""
    named = ("REDIS_URL", "VALKEY_URL", "REDISCLI_AUTH", "VALKEYCLI_AUTH")
    return {**{name: value for name, value in os.environ.items() if name not in named}, **more}


def run(command, *words, **more):
    return millrace(command, *words, *SUBCOMMANDS[command][0], input=LINE, env=environment(**more))


def reaches(command, *words, **more):
    done = run(command, *words, **more)
    assert done.returncode == 0 and done.stdout.startswith(SUBCOMMANDS[command][1]), done.stderr
    return done


def socket_of(server):
    return pathlib.Path(server.directory) / "redis.sock"


def addresses(server):
    return {
        "host and port": f"127.0.0.1:{server.port}",
        "redis": f"redis://127.0.0.1:{server.port}",
        "valkey": f"valkey://127.0.0.1:{server.port}/1",
        "a user": f"redis://ann:se%2Fcr%3Aet%40@127.0.0.1:{server.port}",
        "a path": str(socket_of(server)),
        "unix": f"unix://{socket_of(server)}",
        "redis+socket": f"redis+socket://ann:se%2Fcr%3Aet%40@{socket_of(server)}?db=2",
    }


@pytest.mark.parametrize("command", SUBCOMMANDS)
@pytest.mark.parametrize("kind", [
    "host and port", "redis", "valkey", "a user", "a path", "unix", "redis+socket"])
def test_every_subcommand_takes_every_address(own, command, kind):
    reaches(command, "--to", addresses(own)[kind])


@pytest.mark.parametrize("kind", ["redis", "unix"])
def test_tail_takes_the_same_addresses(own, tmp_path, kind):
    own.admin.call("TWRITE", f"log-{kind}", "tag", "entry")
    with Running(tmp_path, "tail", "--to", addresses(own)[kind], f"log-{kind}") as running:
        running.wait_for_output("1\ttag\tentry\n")
        running.interrupt()
        running.ends_with(0)


def test_the_database_of_an_address_is_used(own):
    for database, address in ((1, addresses(own)["valkey"]), (2, addresses(own)["redis+socket"])):
        reaches("load", "--to", address)
        with own.connect() as c:
            c.call("SELECT", database)
            assert c.call("GET", "reached") == b"1"
            c.call("DEL", "reached")


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_the_environment_names_the_server_and_the_password(own, command):
    nowhere = f"redis://127.0.0.1:{free_port(QUIET_PORTS)}"
    for variable in ("REDIS_URL", "VALKEY_URL"):
        reaches(command, **{variable: f"redis://127.0.0.1:{own.port}"})
        reaches(command, "--to", f":{own.port}", **{variable: nowhere})
        assert run(command, **{variable: nowhere}).returncode == 3
    for variable in ("REDISCLI_AUTH", "VALKEYCLI_AUTH"):
        reaches(command, "--to", f"redis://ann@127.0.0.1:{own.port}", **{variable: "se/cr:et@"})
        reaches(command, "--to", f":{own.port}", "--user", "ann", **{variable: "se/cr:et@"})
    # The password in the address has precedence over that of the environment.
    reaches(command, "--to", addresses(own)["a user"], REDISCLI_AUTH="another")
    refused = run(command, "--to", f"redis://ann:another@127.0.0.1:{own.port}", REDISCLI_AUTH="se/cr:et@")
    assert refused.returncode == 3 and b"does not let us in: WRONGPASS" in refused.stderr


@pytest.mark.parametrize("command", [*SUBCOMMANDS, "tail"])
@pytest.mark.parametrize("words, why", [
    (["--to", "http://h"], "'http://' is not known"),
    (["--to", "redis://u:secret@h:x"], "a port is a number from 1 to 65535, not 'x'"),
    (["--to", "redis://h/x"], "behind the host comes /database, a number, not '/x'"),
    (["--to", "redis://h/1", "--database", "2"], "--database is 2, but the address says 1"),
    (["--to", "redis://ann@h", "--user", "bob"], "--user is bob, but the address says ann"),
    (["--to", "redis://h", "--cacert", "ca.pem"], "--cacert needs TLS: rediss:// or --tls"),
    (["--to", "redis://h", "--insecure"], "--insecure needs TLS: rediss:// or --tls"),
    (["--to", "unix:///x", "--tls"], "there is no TLS over a Unix socket"),
    (["--to", "rediss://h", "--key", "k.pem"], "--key is of no use without --cert"),
    (["--to", "redis+sentinel://h"], "after the sentinels, /service is missing"),
])
def test_a_wrong_word_is_one_clear_line(command, words, why):
    rest = SUBCOMMANDS[command][0] if command in SUBCOMMANDS else ["log"]
    done = millrace(command, *words, *rest, input=LINE, env=environment())
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.decode().startswith(f"millrace {command}: {why}") and done.stderr.count(b"\n") == 1
    assert b"secret" not in done.stderr


def test_one_server_is_enough_for_load():
    done = run("load", "--to", "a", "--to", "b")
    assert done.returncode == 2 and done.stderr == b"millrace load: --to is given more than once\n"


def test_a_socket_that_does_not_exist_is_reported(tmp_path):
    done = run("load", "--to", f"unix://{tmp_path}/none")
    assert done.returncode == 3
    assert done.stderr.decode() == f"millrace load: cannot connect to {tmp_path}/none: No such file or directory\n"


def test_the_old_spelling_of_lock_goes_on_working(own):
    reaches("lock", "--node", f":{own.port}")
    assert b"deprecated" in millrace("lock", "--help").stdout
    twice = run("lock", "--node", "a:1", "--to", "redis://a:1")
    assert twice.returncode == 2 and twice.stderr == b"millrace lock: a:1 is given twice\n"


@pytest.mark.parametrize("command", ["load", "tail"])
def test_a_server_that_is_not_there_yet_can_be_waited_for(tmp_path, command):
    with Server() as server:
        server.kill()
        path = tmp_path / "x.commands"
        path.write_bytes(LINE)
        rest = [path] if command == "load" else ["log", "--from", "1"]
        with Running(tmp_path, command, "--to", f":{server.port}", "--connect-for", "60", *rest) as running:
            running.wait_until_it_waits()
            server.come_back()
            if command == "tail":
                server.admin.call("TWRITE", "log", "tag", "entry")
                running.wait_for_output("entry")
                running.interrupt()
            running.ends_with(0)
        server.kill()
        with Running(tmp_path, command, "--to", f":{server.port}", "--connect-for", "60", *rest) as running:
            running.wait_until_it_waits()
            running.interrupt()
            wait_until(lambda: running.process.poll() is not None, "Ctrl-C ends it")
        done = millrace(command, "--to", f":{server.port}", "--connect-for", "1", *rest)
        assert done.returncode == 3 and b"Connection refused" in done.stderr


def test_answers_through_a_unix_socket_may_be_larger_than_its_buffers(own):
    own.admin.call("SET", "big", "x" * 500_000)
    done = millrace("load", "--to", str(socket_of(own)), "-", input=b"GET big\nSET small 1\n" * 300, env=environment())
    assert counts(done) == (600, 600, 0)
