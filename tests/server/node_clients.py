"""Short words for tests of ioredis and node-redis: the versions are those of node_packages/package-lock.json."""

import json

import pytest

from javascript import require_client, run_javascript

# The same two functions for each library: `connect(port, settings)` returns a client, and `call(client, words)` its
# answer.
IOREDIS = """
import Redis, { Command } from "LIBRARY";
const connect = async (port, settings = {}) => new Redis(port, "127.0.0.1", settings).on("error", () => {});
const call = (client, ...words) => client.call(...words);
"""
NODE_REDIS = """
import { createClient, createCluster } from "LIBRARY";
const connect = (port, settings = {}) =>
  createClient({ ...settings, socket: { ...settings.socket, host: "127.0.0.1", port } }).on("error", () => {}).connect();
const call = (client, ...words) => client.sendCommand(words);
"""
ENDING = """
const print = (value) => process.stdout.write(JSON.stringify(value) + "\\n", () => process.exit(0));
const failed = (error) => `${error.constructor.name}: ${error.message}`;
"""
ioredis = pytest.mark.parametrize("library", ["ioredis", "ioredis-6"])
node_redis = pytest.mark.parametrize("library", ["redis", "redis-6"])
both = pytest.mark.parametrize("library", ["ioredis", "ioredis-6", "redis", "redis-6"])


def run(library, script, **words):
    """The value that the script prints as JSON."""
    require_client(library)
    text = (IOREDIS if library.startswith("ioredis") else NODE_REDIS) + ENDING + script
    return json.loads(run_javascript(text, LIBRARY=library, **words))
