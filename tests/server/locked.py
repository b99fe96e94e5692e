"""`millrace lock` as tests run it."""

import itertools
import pathlib

from server import wait_until
from tool import Running, millrace


def nodes(*servers):
    return [word for server in servers for word in ("--to", f"127.0.0.1:{server.port}")]


# The most that --ttl allows by default. Without it a server must let the tool in and answer within a second.
PATIENT = ("--patience", "10s")


def patience(words):
    """PATIENT for a call that has no time among its options: it asks once, and for a lock of the usual time."""
    options = set(itertools.takewhile(lambda word: word != "--", words))
    return () if options & {"--ttl", "--wait", "--patience"} else PATIENT


def lock(servers, *words, status=0, **more):
    """Runs `millrace lock` to its end; `words` are options, the name, --, the command."""
    done = millrace("lock", *patience(words), *nodes(*servers), *words, **more)
    assert done.returncode == status, (done.returncode, done.stderr.decode(), done.stdout.decode())
    return done


def shell(script):
    return "--", "sh", "-c", script


# Runs until it is killed. The sleeps are short so that the shell handles signals at once.
FOR_EVER = "while :; do sleep 0.01; done"


class Locked(Running):
    """A script that runs under a lock, in a folder of its own. It prints "started" first. The tool asks again for a
    minute, unless `options` say something else, because a server may need more than a tenth of --ttl to answer."""

    def __init__(self, folder, servers, *options, script=FOR_EVER, name="lock"):
        options = options if "--wait" in options else ("--wait", "1m", *options)
        super().__init__(folder, "lock", *nodes(*servers), *options, name, *shell(script.replace(FOR_EVER, f"echo started $$; {FOR_EVER}")))
        self._servers = servers

    def wait_until_started(self):
        self.wait_for_output("started ")

    def pid(self):
        """The process id of the script."""
        return self.pids("started")[0]

    def pids(self, word):
        """The numbers behind this word in the script's output."""
        return [int(line.split()[1]) for line in self.output().splitlines() if line.startswith(word)]


def is_gone(pid):
    """A process that has ended counts as gone, even if no parent has waited for it yet."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_until_gone(*pids):
    wait_until(lambda: all(map(is_gone, pids)), f"the processes {pids} have ended")


def calls(server, command):
    """How often this server was sent this command."""
    figures = server.info("commandstats").get(f"cmdstat_{command}", "calls=0,")
    return int(figures.split("calls=")[1].split(",")[0])


def wait_for_renewals(server, count, command="LOCK.RENEW"):
    """Waits for this many more renewals. A lock is renewed three times a lease."""
    before = calls(server, command)
    wait_until(lambda: calls(server, command) >= before + count, f"{count} renewals")
