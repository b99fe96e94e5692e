"""Run in a network namespace by test_own_network.py: a client that does not come from 127.0.0.1. Exits with 0 if a
gateway without a configuration lets it do nothing."""

import http.client
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]

from gateway import Gateway  # noqa: E402: needs the path set above
from server import DEADLINE, Server, free_port  # noqa: E402

ADDRESS = "192.0.2.1"  # an address reserved for documentation, given to this machine here


def status_at(address, port):
    connection = http.client.HTTPConnection(address, port, timeout=DEADLINE)
    connection.request("POST", "/v1/logs/l", "1", {"Host": "localhost"})
    return connection.getresponse().status


def main():
    for words in (["link", "set", "lo", "up"], ["address", "add", ADDRESS, "dev", "lo"]):
        subprocess.run(["ip", *words], check=True)
    port = free_port()
    with Server() as server, Gateway(server, "--listen", f"{ADDRESS}:{port}") as gateway:
        assert status_at("127.0.0.1", gateway.port) == 201
        assert status_at(ADDRESS, port) == 401


if __name__ == "__main__":
    main()
