"""millrace lock: a command that runs under a lock."""

import json

import pytest

from locked import PATIENT, Locked, calls, lock, nodes, shell, wait_for_renewals
from locks import holders, take
from server import Server, wait_until
from tool import TOOL, millrace


def answer_of(script, server):
    """The output of the command that ran under the lock."""
    return lock([server], "lock", *shell(script)).stdout.decode()


# --- the command ---


def test_it_runs_the_command_with_our_input_and_output(server):
    done = lock([server], "lock", "--", "cat", input=b"what came in")
    assert (done.stdout, done.stderr) == (b"what came in", b"")


def test_the_commands_words_are_left_as_they_were_typed(server):
    odd = ["a b", "", "[x,y]", "[ -f x ]", "{1,2}", "--ttl", "0", "--", "-h", "load", "%%", "$HOME", "é"]
    assert lock([server], "lock", "--", "printf", "<%s>", *odd).stdout.decode() == "".join(f"<{word}>" for word in odd)


@pytest.mark.parametrize("script, status", [
    ("exit 0", 0), ("exit 1", 1), ("exit 7", 7), ("exit 255", 255),
    ("kill -TERM $$", 143), ("kill -KILL $$", 137), ("kill -INT $$", 130)])
def test_it_ends_with_what_the_command_ended_with(server, c, script, status):
    assert lock([server], "lock", *shell(script), status=status).stderr == b""
    assert c.call("EXISTS", "lock") == 0, "the lock is given back however it ended"


def test_a_command_that_cannot_be_run_is_reported_as_shells_do(server, c):
    done = lock([server], "lock", "--", "no-such-program", status=127)
    assert done.stderr == b"millrace lock: cannot run no-such-program: No such file or directory\n"
    done = lock([server], "lock", "--", "/", status=126)
    assert done.stderr == b"millrace lock: cannot run /: Permission denied\n"
    assert c.call("EXISTS", "lock") == 0


def test_the_command_gets_no_connection_of_ours(server):
    assert "socket" not in answer_of("ls -l /proc/self/fd", server)


# --- the lock ---


def test_the_lock_is_held_while_it_runs_and_free_afterwards(server, c):
    during = answer_of(f"redis-cli -p {server.port} LOCK.ACQUIRE lock other 1000", server).split()
    assert during[:2] == ["0", "0"] and 20_000 < int(during[2]) <= 30_000, "the usual time"
    assert c.call("EXISTS", "lock") == 0


def test_it_is_renewed_while_the_command_runs(server, c, tmp_path):
    done = tmp_path / "done"
    script = f"echo started; until [ -e {done} ]; do sleep 0.01; done; exit 9"
    with Locked(tmp_path / "a", [server], "--ttl", "6s", script=script) as running:
        wait_for_renewals(server, 4)
        [owner] = holders(c)
        done.touch()
        running.ends_with(9)
    assert ":" + str(running.process.pid) + ":" in owner, "it says who it is"
    assert c.call("EXISTS", "lock") == 0


def test_it_ends_with_75_while_another_owner_holds_the_lock(server, c, tmp_path):
    take(c, "somebody")
    done = lock([server], "lock", "--", "touch", tmp_path / "ran", status=75)
    assert done.stderr == b"millrace lock: somebody else holds the lock lock\n"
    assert not (tmp_path / "ran").exists()
    done = lock([server], "--wait", "100ms", *PATIENT, "lock", "--", "touch", tmp_path / "ran", status=75)
    assert not (tmp_path / "ran").exists() and holders(c) == ["somebody"]
    assert lock([server], "--quiet", "lock", "--", "true", status=75).stderr == b"", "for cron, which mails whatever is said"
    lock([server], "another", "--", "true")


def test_the_command_finds_the_lock_in_its_environment(server):
    script = f'echo "$MILLRACE_LOCK"; echo "$MILLRACE_LOCK_OWNER $MILLRACE_LOCK_TOKEN"; redis-cli -p {server.port} --json LOCK.INFO "$MILLRACE_LOCK"'
    name, owner_and_token, about = lock([server], "a name", *shell(script)).stdout.decode().splitlines()
    owner, token = owner_and_token.split()
    assert name == "a name"
    (holder,) = json.loads(about)["holders"]
    assert (holder["owner"], holder["token"]) == (owner, int(token))


def test_each_run_has_a_greater_token(server):
    tokens = [int(answer_of("echo $MILLRACE_LOCK_TOKEN", server)) for _ in range(5)]
    assert tokens == sorted(set(tokens))


def test_a_database_may_be_chosen(server, c):
    assert lock([server], "--database", 3, "lock", *shell(f"redis-cli -p {server.port} -n 3 EXISTS lock")).stdout == b"1\n"
    assert lock([server], "--database", 3, "lock", *shell(f"redis-cli -p {server.port} EXISTS lock")).stdout == b"0\n"


# --- wrong calls, and servers that refuse us ---


@pytest.mark.parametrize("words, text", [
    ([], "millrace lock: NAME is required\nRun with --help for more information."),
    (["lock"], "millrace lock: COMMAND is required\nRun with --help for more information."),
    (["lock", "--"], "millrace lock: COMMAND is required\nRun with --help for more information."),
    (["--", "lock", "true"], "millrace lock: COMMAND is required\nRun with --help for more information."),
    (["lock", "true"], "millrace lock: the command must stand behind --"),
    (["", "--", "true"], "millrace lock: a lock needs a name"),
    (["--ttl", "99ms", "lock", "--", "true"], "millrace lock: --ttl must be 100ms at least"),
    (["--ttl", "x", "lock", "--", "true"], "millrace lock: 'x' is no time: expected 500ms, 30s, 2m or 1h, from 1ms to 24h"),
    (["--wait", "-1s", "lock", "--", "true"], "millrace lock: '-1s' is no time: expected 500ms, 30s, 2m or 1h, from 1ms to 24h"),
    (["--grace", "2d", "lock", "--", "true"], "millrace lock: '2d' is no time: expected 500ms, 30s, 2m or 1h, from 1ms to 24h"),
    (["--to", "a:1", "--to", "a:1", "lock", "--", "true"], "millrace lock: a:1 is given twice"),
    (["--to", "a:b", "lock", "--", "true"], "millrace lock: a port is a number from 1 to 65535, not 'b'"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_a_wrong_call_is_reported_and_runs_nothing(words, text):
    done = millrace("lock", *words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == text + "\n"


def test_without_a_server_it_ends_with_3(tmp_path):
    done = millrace("lock", "--to", "127.0.0.1:1", "lock", "--", "touch", tmp_path / "ran")
    assert done.returncode == 3 and not (tmp_path / "ran").exists()
    assert done.stderr == b"millrace lock: cannot connect to 127.0.0.1:1: Connection refused\n"
    assert millrace("lock", "--wait", "200ms", "--to", "127.0.0.1:1", "lock", "--", "true").returncode == 3


def test_a_key_of_another_type_is_reported(server, c):
    c.call("SET", "lock", "x")
    done = lock([server], "lock", "--", "true", status=3)
    assert done.stderr.decode().startswith(f"millrace lock: 127.0.0.1:{server.port} says: WRONGTYPE ")
    assert c.call("GET", "lock") == b"x"


def test_it_logs_in_with_the_password_in_the_environment(monkeypatch):
    with Server() as own:
        own.admin.call("ACL", "SETUSER", "cron", "on", ">secret", "~*", "+lock.acquire", "+lock.renew", "+lock.release")
        own.admin.call("CONFIG", "SET", "requirepass", "default-secret")
        monkeypatch.delenv("REDISCLI_AUTH", raising=False)
        done = lock([own], "lock", "--", "true", status=3)
        assert done.stderr.decode() == f"millrace lock: 127.0.0.1:{own.port} says: NOAUTH Authentication required.\n"
        monkeypatch.setenv("REDISCLI_AUTH", "default-secret")
        lock([own], "lock", "--", "true")
        monkeypatch.setenv("REDISCLI_AUTH", "wrong")
        done = lock([own], "lock", "--", "true", status=3)
        assert f"127.0.0.1:{own.port} does not let us in: WRONGPASS" in done.stderr.decode()
        monkeypatch.setenv("REDISCLI_AUTH", "secret")
        lock([own], "--user", "cron", "lock", "--", "true")


# --- servers without the module ---


@pytest.fixture(scope="module")
def plain():
    with Server(module=False) as server:
        yield server


def test_a_server_without_the_module_keeps_the_lock_as_a_key(plain):
    script = f'redis-cli -p {plain.port} GET lock; echo "$MILLRACE_LOCK_OWNER"; redis-cli -p {plain.port} PTTL lock; echo "<$MILLRACE_LOCK_TOKEN>"'
    value, owner, ttl, token = answer_of(script, plain).splitlines()
    assert value == owner and 20_000 < int(ttl) <= 30_000
    assert token == "<>", "such a server has none to give"
    assert plain.admin.call("EXISTS", "lock") == 0


def test_a_lock_without_a_token_does_not_show_the_token_of_one_around_it(server, plain, monkeypatch):
    monkeypatch.setenv("MILLRACE_LOCK_TOKEN", "17")
    assert answer_of('echo "<$MILLRACE_LOCK_TOKEN>"', plain) == "<>\n"


@pytest.mark.long
def test_without_the_module_it_excludes_and_waits_and_renews_and_is_lost_as_well(plain, tmp_path):
    with Locked(tmp_path, [plain], "--ttl", "6s", "--grace", "10s") as running:
        running.wait_until_started()
        owner = plain.admin.call("GET", "lock")
        assert b"somebody else holds" in lock([plain], "lock", "--", "true", status=75).stderr
        wait_for_renewals(plain, 4, "eval")
        assert plain.admin.call("GET", "lock") == owner
        plain.admin.call("SET", "lock", "another's")
        running.ends_with(76)
    assert plain.admin.call("GET", "lock") == b"another's", "what is another's is left alone"
    plain.admin.call("DEL", "lock")
    lock([plain], "lock", "--", "true")


def test_without_the_module_it_asks_again_until_it_has_the_lock(plain, tmp_path):
    plain.admin.call("SET", "lock", "somebody")
    before = calls(plain, "set")
    with Locked(tmp_path, [plain], "--wait", "1m", script="echo mine") as running:
        wait_until(lambda: calls(plain, "set") > before + 3, "it has tried more than once")
        assert running.process.poll() is None
        plain.admin.call("DEL", "lock")
        running.ends_with(0)
        assert running.output() == "mine\n"


def test_a_set_may_be_mixed(server, plain):
    with Server(module=False) as another:
        servers = [server, plain, another]
        script = f"redis-cli -p {server.port} LOCK.INFO lock | grep -A1 owner; redis-cli -p {plain.port} GET lock; redis-cli -p {another.port} GET lock; echo \"<$MILLRACE_LOCK_TOKEN>\""
        shown = lock(servers, "--wait", "20s", "lock", *shell(script)).stdout.decode().splitlines()
        assert shown[0] == "owner" and shown[1] == shown[2] == shown[3] and shown[4] == "<>"
        inner = " ".join([*PATIENT, *nodes(*servers)])
        lock(servers, "--wait", "20s", "lock", *shell(f"'{TOOL}' lock {inner} lock -- true"), status=75)
