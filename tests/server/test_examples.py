"""The programs in examples/ do what their README says."""

import contextlib
import os
import subprocess

from locks import take
from server import REPOSITORY, Server, wait_until

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


def is_packed(connection, key):
    fields = connection.call("TINFO", key)
    about = dict(zip(fields[::2], fields[1::2]))
    return about[b"packed-blocks"] == about[b"blocks"] - 1


def test_replay_reads_a_log_from_a_date_to_a_date():
    with Server(**{"millrace.compress-age": "0"}) as server:
        address = f"127.0.0.1:{server.port}"
        for key, batches in (("log", 30), ("other", 1)):
            for _ in range(batches):
                server.admin.call("TWRITE", key, "ENTRIES", *["tag", "x" * 97] * 1000)
        wait_until(lambda: is_packed(server.admin, "log"), "every full block is packed")
        done = example("replay", address, "log")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("30000 messages of 3000000 bytes, in frames of ")
        times = [message[3] for message in server.admin.call("TREAD", "log", 1, 30_000, "WITHTIME")]
        begin, end = times[7000], times[23_000]
        expected = sum(begin <= time < end for time in times)
        done = example("replay", address, "log", str(begin), str(end))
        assert done.stdout.startswith(f"{expected} messages of {100 * expected} bytes, ")
        assert example("replay", address, "missing").stdout.startswith("0 messages")
        server.admin.call("SET", "text", "x")
        done = example("replay", address, "text")
        assert done.returncode == 1 and "WRONGTYPE" in done.stderr
