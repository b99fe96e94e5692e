"""millrace lock when it loses the lock, when the command or millrace itself ends, and when the user gives up at the
terminal."""

import ctypes
import os
import pty
import select
import signal

import pytest

from locked import FOR_EVER, PATIENT, Locked, calls, is_gone, lock, nodes, shell, wait_for_renewals, wait_until_gone
from locks import holders, take
from server import DEADLINE, Server, wait_until
from tool import TOOL

LOST = "millrace lock: the lock lock is lost: ending the command\n"
POLITE = f"trap 'echo bye; exit 3' TERM; {FOR_EVER}"
BUSY = "while :; do sleep 0.02; done"
DEAF = f"trap '' TERM; {FOR_EVER}"


# --- the lock is lost ---


@pytest.mark.parametrize("words", [["LOCK.BREAK", "lock"], ["DEL", "lock"], ["FLUSHALL"]], ids=" ".join)
def test_a_command_whose_lock_is_taken_away_is_ended(server, c, tmp_path, words):
    with Locked(tmp_path, [server], "--ttl", "2s", script=POLITE) as running:
        running.wait_until_started()
        c.call(*words)
        running.ends_with(76)
    assert running.output().endswith("\nbye\n"), "politely"
    assert running.errors().startswith(LOST)


def test_a_lock_that_another_has_by_now_is_left_to_it(server, c, tmp_path):
    with Locked(tmp_path, [server], "--ttl", "2s") as running:
        running.wait_until_started()
        c.call_all([("LOCK.BREAK", "lock"), ("LOCK.ACQUIRE", "lock", "another", 60_000)])
        running.ends_with(76)
    assert holders(c) == ["another"]


@pytest.mark.parametrize("trouble", ["kill", "suspend"])
def test_a_command_is_ended_when_its_lease_is_over_because_the_server_is_gone(tmp_path, trouble):
    with Server() as own, Locked(tmp_path, [own], "--ttl", "2s", script=POLITE) as running:
        running.wait_until_started()
        getattr(own, trouble)()
        running.ends_with(76)
        assert running.output().endswith("\nbye\n") and running.errors().startswith(LOST)


def test_a_server_that_is_back_in_time_changes_nothing(tmp_path):
    with Server(appendonly="yes", appendfsync="always") as own, Locked(tmp_path, [own], "--ttl", "6s") as running:
        running.wait_until_started()
        own.kill()
        own.come_back()
        wait_for_renewals(own, 1)
        assert running.process.poll() is None
        running.process.send_signal(signal.SIGTERM)
        running.ends_with(143)


def test_a_lock_is_given_back_to_a_server_that_was_restarted_meanwhile(tmp_path):
    with Server(appendonly="yes", appendfsync="always") as own, Locked(tmp_path, [own], "--ttl", "1h") as running:
        running.wait_until_started()
        own.kill()
        own.come_back()
        assert len(holders(own.admin)) == 1
        running.process.send_signal(signal.SIGTERM)
        running.ends_with(143)
        assert own.admin.call("EXISTS", "lock") == 0


def test_a_command_that_does_not_listen_is_killed_after_the_grace(server, c, tmp_path):
    with Locked(tmp_path, [server], "--ttl", "2s", "--grace", "100ms", script=DEAF) as running:
        running.wait_until_started()
        pid = running.pid()
        c.call("LOCK.BREAK", "lock")
        running.ends_with(76)
        wait_until_gone(pid)


@pytest.mark.parametrize("trap", ["", "trap '' TERM;"], ids=["listening", "deaf"])
def test_nothing_the_command_started_survives_the_lock(server, c, tmp_path, trap):
    child = f"({trap} (echo grandchild $(exec sh -c 'echo $PPID'); {BUSY}) & {BUSY}) &"
    with Locked(tmp_path, [server], "--ttl", "2s", "--grace", "200ms", script=f"{child} {FOR_EVER}") as running:
        running.wait_until_started()
        running.wait_for_output("grandchild ")
        family = running.pids("started") + running.pids("grandchild")
        assert len(family) == 2 and not any(map(is_gone, family))
        c.call("LOCK.BREAK", "lock")
        running.ends_with(76)
        wait_until_gone(*family)


@pytest.fixture
def as_in_a_container():
    """Orphans become children of this process, which does not wait for them, like the first process of many
    containers."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1)
    yield
    ctypes.CDLL(None).prctl(set_child_subreaper, 0)


def test_the_grace_is_over_when_all_have_ended_even_if_no_parent_waits_for_them(server, c, tmp_path, as_in_a_container):
    with Locked(tmp_path, [server], "--ttl", "2s", "--grace", "24h", script="echo started $$; sleep 3600; echo finished") as running:
        running.wait_until_started()
        c.call("LOCK.BREAK", "lock")
        running.ends_with(76)
    assert "finished" not in running.output()


# --- millrace gets a signal, or is killed ---


@pytest.fixture
def hangup():
    """Sets how programs that are started from now on handle SIGHUP, whatever setting the tests themselves inherited."""
    before = signal.getsignal(signal.SIGHUP)
    yield lambda what: signal.signal(signal.SIGHUP, what)
    signal.signal(signal.SIGHUP, before)


STOP = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.mark.parametrize("number", STOP, ids=lambda number: number.name)
def test_a_signal_is_passed_on_and_the_command_decides(server, c, tmp_path, hangup, number):
    hangup(signal.SIG_DFL)
    name = number.name.removeprefix("SIG")
    with Locked(tmp_path, [server], script=f"trap 'echo heard {name}; exit 5' {name}; {FOR_EVER}") as running:
        running.wait_until_started()
        running.process.send_signal(number)
        running.ends_with(5)
    assert running.output().endswith(f"heard {name}\n")
    assert c.call("EXISTS", "lock") == 0


@pytest.mark.parametrize("number", STOP, ids=lambda number: number.name)
def test_a_command_that_a_signal_ends_leaves_no_lock(server, c, tmp_path, hangup, number):
    hangup(signal.SIG_DFL)
    with Locked(tmp_path, [server]) as running:
        running.wait_until_started()
        running.process.send_signal(number)
        running.ends_with(128 + number)
    assert c.call("EXISTS", "lock") == 0


def test_with_nohup_the_end_of_the_terminal_stops_neither_it_nor_the_command(server, c, tmp_path, hangup):
    hangup(signal.SIG_IGN)
    with Locked(tmp_path, [server], "--ttl", "6s") as running:
        running.wait_until_started()
        running.process.send_signal(signal.SIGHUP)
        os.kill(running.pid(), signal.SIGHUP)
        wait_for_renewals(server, 2)
        assert running.process.poll() is None and not is_gone(running.pid())
        running.process.send_signal(signal.SIGTERM)
        running.ends_with(143)


@pytest.mark.long
def test_the_lock_is_renewed_until_a_command_that_was_sent_the_signal_has_ended(server, c, tmp_path):
    with Locked(tmp_path, [server], "--ttl", "6s", script=f"trap 'echo heard' TERM; {FOR_EVER}") as running:
        running.wait_until_started()
        running.process.send_signal(signal.SIGTERM)
        running.wait_for_output("heard")
        wait_for_renewals(server, 4)
        assert len(holders(c)) == 1
        os.kill(running.pid(), signal.SIGKILL)
        running.ends_with(137)


def test_a_tool_that_is_interrupted_while_it_tries_several_servers_runs_nothing(server, c, tmp_path):
    take(c, "somebody")
    before = calls(server, "LOCK.ACQUIRE")
    with Server() as another, Locked(tmp_path, [server, another], "--wait", "1h", script="echo ran") as running:
        wait_until(lambda: calls(server, "LOCK.ACQUIRE") > before + 3, "it tries")
        running.process.send_signal(signal.SIGTERM)
        running.ends_with(143)
        assert another.admin.call("EXISTS", "lock") == 0
    assert running.output() == ""
    assert holders(c) == ["somebody"]


def test_when_millrace_is_killed_its_command_is_ended_and_the_lease_runs_out(server, c, tmp_path):
    with Locked(tmp_path / "first", [server], "--ttl", "2s", script=POLITE) as running:
        running.wait_until_started()
        pid = running.pid()
        running.kill()
        wait_until(lambda: "bye" in running.output(), "the command ends politely")
        wait_until_gone(pid)
    lock([server], "--wait", "20s", "lock", "--", "true")


# --- at a terminal ---


class Terminal:
    """A terminal in which a shell runs the tool, as people do."""

    def __init__(self, *words):
        self._pid, self._end = pty.fork()
        if self._pid == 0:
            try:
                os.execv(words[0], words)
            finally:
                os._exit(127)  # without a program this process, a copy of pytest, must not go on with the tests
        self.seen = b""

    def type(self, text):
        os.write(self._end, text)

    def wait_for(self, text):
        while text not in self.seen:
            assert select.select([self._end], [], [], DEADLINE)[0], self.seen
            self.seen += os.read(self._end, 10_000)

    def status(self):
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def close(self):
        os.close(self._end)


@pytest.fixture
def terminal(server):
    opened = []

    def run(script):
        opened.append(Terminal(TOOL, "lock", *PATIENT, *nodes(server), "lock", *shell(script)))
        return opened[-1]

    yield run
    for one in opened:
        one.close()


def test_at_a_terminal_the_command_has_the_keyboard(terminal):
    window = terminal('read line; echo "got <$line>"')
    window.type(b"hello\n")
    window.wait_for(b"got <hello>")
    assert window.status() == 0


def test_ctrl_c_at_a_terminal_reaches_the_command_once(terminal, c):
    window = terminal(f"trap 'echo heard; exit 4' INT; echo started; {FOR_EVER}")
    window.wait_for(b"started")
    window.type(b"\x03")
    window.wait_for(b"heard")
    assert window.status() == 4
    assert c.call("EXISTS", "lock") == 0


def test_ctrl_z_does_not_stop_a_command_that_holds_a_lock(terminal):
    window = terminal("echo started; n=0; while [ $n -lt 2 ]; do read line; echo got $line; n=$((n + 1)); done")
    window.wait_for(b"started")
    window.type(b"one\n")
    window.wait_for(b"got one")
    window.type(b"\x1a")
    window.wait_for(b"^Z")
    window.type(b"two\n")
    window.wait_for(b"got two")
    assert window.status() == 0
