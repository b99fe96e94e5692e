"""Run in a network namespace by test_own_network.py: streams whose network is cut, so that the gateway gets neither an
end nor an error from the other side. Exits with 0 when the gateway has closed their connections."""

import contextlib
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]

from events import Events  # noqa: E402: needs the path set above
from gateway import Gateway  # noqa: E402
from server import Server, wait_until  # noqa: E402

STREAMS = 20


def main():
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    words = ("--set", "timeouts.write=2s", "--set", "timeouts.keep_alive=500ms")
    with Server() as server, Gateway(server, *words) as gateway, contextlib.ExitStack() as stack:
        before = gateway.sockets()
        for _ in range(STREAMS):
            stack.enter_context(Events(gateway, "/v1/logs/l?from=-"))
        wait_until(lambda: gateway.sockets() >= before + STREAMS, "all streams are open")
        subprocess.run(["ip", "link", "set", "lo", "down"], check=True)
        wait_until(lambda: gateway.sockets() <= before, "the connections are closed")


if __name__ == "__main__":
    main()
