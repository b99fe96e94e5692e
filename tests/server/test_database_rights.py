"""Users with rights in some databases only (Valkey 9.1, `db=0`): commands that ask the host for the user's rights."""

import pytest

from resp import RespError
from rights import user

CALLS = {
    "dead letters": ("TGROUP", "CREATE", "log", "g", "DEADLETTER", "dead"),
    "a change of dead letters": ("TGROUP", "SET", "log", "plain", "DEADLETTER", "dead"),
    "an index": ("IDX.CREATE", "index", "PREFIX", "d:", "FIELD", "f", "TEXT"),
    "an index of JSON": ("IDX.CREATE", "index", "PREFIX", "d:", "JSON", "FIELD", "f", "TEXT"),
}


@pytest.fixture(autouse=True)
def skip_without_rights_by_database(server):
    try:
        with user(server, "db=0"):
            pass
    except RespError:
        pytest.skip("this host has no rights by database")


@pytest.fixture(params=CALLS)
def call(request, server):
    for database in (1, 0):
        server.admin.call("SELECT", database)
        server.admin.call("TWRITE", "log", "tag", "entry")
        server.admin.call("TGROUP", "CREATE", "log", "plain")
    return CALLS[request.param]


@pytest.mark.parametrize("rule, database", [("db=0", 0), ("db=1", 1), ("db=0,1", 0), ("db=0,1", 1), ("alldbs", 1)])
def test_a_user_may_do_it_in_the_databases_of_its_rights(server, call, rule, database):
    with user(server, "+@all", "~*", rule) as guest:
        guest.call("SELECT", database)
        guest.call(*call)  # raises if it is refused


@pytest.mark.parametrize("rule, database", [("db=0", 0), ("db=1", 1)])
def test_a_user_may_do_it_in_a_transaction_and_in_a_script(server, call, rule, database):
    with user(server, "+@all", "~*", rule) as guest:
        guest.call("SELECT", database)
        guest.call("MULTI")
        guest.call(*call)
        [answer] = guest.call("EXEC")
        assert not isinstance(answer, RespError)
        guest.call("FLUSHDB")
        guest.call("TWRITE", "log", "tag", "entry")
        guest.call("TGROUP", "CREATE", "log", "plain")
        words = ", ".join(f"'{word}'" for word in call)
        guest.call("EVAL", f"return redis.call({words})", "0")


def test_a_user_without_rights_on_the_keys_may_not(server, call):
    with user(server, "+@all", "~log", "~index", "db=0") as guest:
        assert guest.error_of(*call).startswith("NOPERM")


def test_a_user_may_not_in_another_database(server, call):
    with user(server, "+@all", "~*", "db=1") as guest:
        assert guest.error_of(*call).startswith("NOPERM")
        assert guest.error_of("SELECT", "0").startswith("NOPERM")
