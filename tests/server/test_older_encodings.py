"""What older programs have written is read as if it had been written today. tests/corpus/older_encodings has a DUMP of
family.small() for each encoding version that there was before the present one."""

import pathlib

import pytest

from families import FAMILIES

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "corpus" / "older_encodings"
OLDER = sorted(FOLDER.iterdir())


def version_of(payload):
    """The last ten bits of the module type's number; versions below 64 are in the last six."""
    return payload[9] & 0x3F


def test_there_is_a_payload_of_every_older_version(c):
    kept = {path.name for path in OLDER}
    for family in FAMILIES:
        family.small(c, "key")
        present = version_of(c.call("DUMP", "key"))
        assert {f"{family.name}_{older}" for older in range(1, present)} <= kept
        c.call("DEL", "key")


@pytest.mark.parametrize("path", OLDER, ids=lambda path: path.name)
def test_an_older_payload_holds_what_it_held(server, c, path):
    name, version = path.name.rsplit("_", 1)
    family = next(one for one in FAMILIES if one.name == name)
    payload = path.read_bytes()
    assert version_of(payload) == int(version)
    c.call("RESTORE", "older", "0", payload)
    family.small(c, "new")
    older, new = family.read(c, "older"), family.read(c, "new")
    assert older[1:4] + older[5:] == new[1:4] + new[5:], "all but limits and times"
    assert version_of(c.call("DUMP", "older")) > int(version), "it is saved as today"
    before = server.digest("older")
    assert c.call("DEBUG", "RELOAD") == b"OK"
    assert server.digest("older") == before
    family.append(c, "older")
