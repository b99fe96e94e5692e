"""Runs the tests of the Node package that are written in JavaScript."""

import os
import subprocess

import pytest

import javascript
from node_package import FOLDER, built_package
from drivers import HERE
from server import module_path


@pytest.mark.parametrize("name", ["node_parts", "node_races", "node_frames", "node_clients"])
def test_in_javascript(name):
    built_package()
    for client in ("ioredis-6", "redis-6"):
        javascript.require_client(client)
    environment = {**os.environ, "MILLRACE_NODE": str(FOLDER), "MILLRACE_MODULE": module_path()}
    # Node's --test-timeout ends a test that hangs and names it, before our time limit ends the whole run.
    done = subprocess.run(["node", "--test", "--test-timeout=120000", str(HERE / f"{name}.test.mjs")],
                          capture_output=True, text=True, timeout=900, env=environment)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
