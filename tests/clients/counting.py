"""What must hold at the end of every scenario."""

import collections
import re

from server import wait_until


def stored(server, key):
    """The entries of a log, in order."""
    return [entry.decode() for _, _, entry in server.admin.call("TREAD", key, 1, 1_000_000)]


def calls(server, command):
    """How often the server has executed the command since its start or CONFIG RESETSTAT."""
    found = re.search(rf"cmdstat_{command}:calls=(\d+)".encode(), server.admin.call("INFO", "commandstats"), re.IGNORECASE)
    return int(found[1]) if found else 0


def group(server, key, name):
    """Figures of a group; None if there is none."""
    for flat in server.admin.call("TGROUP", "LIST", key):
        figures = dict(zip(flat[::2], flat[1::2]))
        if figures[b"name"] == name.encode():
            return {field.decode(): value for field, value in figures.items()}
    return None


def wait_until_finished(server, key, name):
    """Until everything in the log is acknowledged."""
    def is_finished():
        figures = group(server, key, name)
        return figures is not None and figures["pending"] == 0 and figures["lag"] == 0

    wait_until(is_finished, "every message is acknowledged")


def assert_each_handled(handled, values):
    """Checks that every message was handled at least once, and nothing else; returns the number of repetitions by
    message."""
    counts = collections.Counter(handled)
    assert set(counts) == set(values), (set(values) - set(counts), set(counts) - set(values))
    return {value: count for value, count in counts.items() if count > 1}
