"""What the host can do that others cannot: tests of it are skipped elsewhere, by name."""

import pathlib
import shutil

import pytest

from server import server_binary


def skip_without(connection, *commands):
    """Skips the test if the host lacks one of these commands."""
    for command, found in zip(commands, connection.call("COMMAND", "INFO", *commands)):
        if not found:
            pytest.skip(f"this host has no {command}")


def skip_if_move_changes_the_client(server):
    """A defect of the host, which shows when a module listens to key events."""
    if version_of(server) == ("valkey", (8, 1, 1)):
        pytest.skip("after COPY … DB and MOVE, Valkey 8.1.1 leaves the client in the other database")


def version_of(server):
    """("redis", (8, 6, 3)) or ("valkey", (9, 1, 2))"""
    told = server.info("server")
    name = "valkey" if "valkey_version" in told else "redis"
    return name, tuple(int(part) for part in told[f"{name}_version"].split("."))


def command_line():
    """The host's own redis-cli or valkey-cli if it lies beside the server, else the one in PATH."""
    program = pathlib.Path(server_binary())
    beside = program.with_name(program.name.removesuffix("-server") + "-cli")
    found = str(beside) if beside.exists() else shutil.which("redis-cli") or shutil.which("valkey-cli")
    if found is None:
        raise RuntimeError("neither redis-cli nor valkey-cli is installed")
    return found
