"""The programs in examples/ do what their README says."""

import contextlib
import os
import subprocess

from locks import take
from server import REPOSITORY, Server

EXAMPLES = os.environ.get("MILLRACE_EXAMPLES", str(REPOSITORY / "build" / "examples"))


def example(name, *words):
    return subprocess.run([f"{EXAMPLES}/example_{name}", *words], capture_output=True, text=True, timeout=60)


def test_redlock_takes_a_lock_over_three_servers_works_and_gives_it_back():
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server()) for _ in range(3)]
        addresses = [f"127.0.0.1:{server.port}" for server in servers]
        servers[0].kill()
        done = example("redlock", "lock", *addresses)
        assert (done.returncode, done.stderr) == (0, "")
        steps = [line.split(" with token ") for line in done.stdout.splitlines()]
        assert [step for step, _ in steps] == ["step 1", "step 2", "step 3"]
        assert len({token for _, token in steps}) == 1 and int(steps[0][1]) > 0
        assert [server.admin.call("EXISTS", "lock") for server in servers[1:]] == [0, 0]
        take(servers[1].admin, "somebody")
        done = example("redlock", "lock", *addresses)
        assert (done.returncode, done.stderr, done.stdout) == (1, "somebody else holds it\n", "")
