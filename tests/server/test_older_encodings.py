"""Data that older versions wrote is read like data written today. tests/corpus/encodings has a DUMP of family.small()
for each encoding version, including the present one; the times to live in it are some decades."""

import pathlib

import pytest

from families import FAMILIES

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "corpus" / "encodings"
KEPT = sorted(FOLDER.iterdir())
# The parts of read() that differ each time: limits, dates, tokens; and values of locks, which exist since version 3.
OF_ITS_TIME = {"log": (0, 4), "channel": (0,), "shard": (0,), "lock": (0, 5), "route": (0,), "fact": (), "suggest": (), "index": ()}


def version_of(payload):
    """The encoding version: the lowest ten bits of the module type's number. Versions below 64 use only the lowest
    six."""
    return payload[9] & 0x3F


def what_lasts(family, c, key):
    return [each for at, each in enumerate(family.read(c, key)) if at not in OF_ITS_TIME[family.name]]


def test_there_is_a_payload_of_every_version(c):
    kept = {path.name for path in KEPT}
    for family in FAMILIES:
        family.small(c, "key")
        present = version_of(c.call("DUMP", "key"))
        assert {f"{family.name}_{version}" for version in range(1, present + 1)} <= kept
        c.call("DEL", "key")


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_an_older_payload_holds_what_it_held(server, c, path):
    name, version = path.name.rsplit("_", 1)
    family = next(one for one in FAMILIES if one.name == name)
    payload = path.read_bytes()
    assert version_of(payload) == int(version)
    c.call("RESTORE", "older", "0", payload)
    family.small(c, "new")
    assert what_lasts(family, c, "older") == what_lasts(family, c, "new")
    assert version_of(c.call("DUMP", "older")) == version_of(c.call("DUMP", "new")), "it is saved as today"
    before = server.digest("older")
    assert c.call("DEBUG", "RELOAD") == b"OK"
    assert server.digest("older") == before
    family.append(c, "older")
