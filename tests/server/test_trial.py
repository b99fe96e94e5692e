"""Trying the module leaves nothing behind: a server that has used it, and no longer holds any of its keys, starts again
without it."""

import pathlib
import shutil

import pytest

from clock import Clock
from families import FAMILIES
from locks import release, take
from server import Server

OLDER = pathlib.Path(__file__).resolve().parents[1] / "corpus" / "older_files"


def starts_without_the_module(server):
    """Starts the server again in the same directory, without the module, and checks what is there."""
    server._module = False
    server.restart()
    with server.connect() as c:
        # Newer hosts come with modules of their own.
        assert "millrace" not in str(c.call("MODULE", "LIST"))
        return c.call("GET", "own")


@pytest.mark.parametrize("aof", ["no", "yes"])
def test_a_server_that_never_used_it_starts_without_it(aof):
    with Server(appendonly=aof) as server:
        with server.connect() as c:
            c.call("SET", "own", "stays")
        server.shutdown(save=aof == "no")
        assert starts_without_the_module(server) == b"stays"


@pytest.mark.parametrize("aof", ["no", "yes"])
@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_a_server_whose_keys_were_deleted_starts_without_it(family, aof):
    with Server(appendonly=aof) as server:
        with server.connect() as c:
            c.call("SET", "own", "stays")
            family.fill(c, "key", 1)
            for key in c.call("KEYS", "*"):
                if key != b"own":
                    c.call("DEL", key)
        if aof == "yes":
            server.rewrite_aof()
        server.shutdown(save=aof == "no")
        assert starts_without_the_module(server) == b"stays"


def test_the_file_of_a_release_that_saved_its_last_token_is_read_and_the_next_can_do_without():
    with Server() as server:
        server.shutdown(save=False)
        shutil.copy(OLDER / "lock_token_1_0_0.rdb", pathlib.Path(server.directory) / "dump.rdb")
        server.restart()
        server.shutdown(save=True)
        starts_without_the_module(server)


@pytest.mark.parametrize("persistence", ["none", "rdb", "aof"])
def test_tokens_rise_over_restarts_whatever_the_clock_does(tmp_path, clock_shim, persistence):
    clock = Clock(tmp_path, clock_shim)
    with clock.server(appendonly="yes" if persistence == "aof" else "no") as server:
        last = 0
        for ahead in [100_000, 0, -100_000, -200_000]:
            clock.set(ahead)
            with server.connect() as c:
                for _ in range(2):
                    token = take(c, "ann")
                    assert token > last
                    last = token
                    release(c, "ann")
            if persistence == "aof":
                with server.changed_settings(**{"aof-use-rdb-preamble": "no"}):
                    server.rewrite_aof()
            server.shutdown(save=persistence == "rdb")
            server.restart()


def test_a_data_directory_that_cannot_be_written_is_reported_once_and_locks_work(tmp_path):
    with Server() as server:
        (pathlib.Path(server.directory) / "millrace-tokens").mkdir()
        with server.connect() as c:
            first = take(c, "ann")
            release(c, "ann")
            assert take(c, "bob") > first
        assert server.log().count("cannot write millrace-tokens") == 1
