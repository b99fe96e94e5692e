"""Damaged DUMP payloads: each is refused, or makes a valid key. The server never crashes."""

import os
import random

import pytest

from families import FAMILIES
from length import at_length
from payload import crc64, damaged, sealed, value_of
from resp import RespError

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=str)

SEED = int(os.environ.get("MILLRACE_SEED", "20260101"))


def make_small(family, c):
    family.small(c, "key")


def make_full(family, c):
    family.fill(c, "key", 7)


def make_emptied(family, c):
    family.append(c, "key")
    family.append(c, "key")
    family.shrink(c, "key")


def test_our_seal_is_the_hosts(c, family):
    assert crc64(b"123456789") == 0xE9C6D914C4B8D9CA
    family.small(c, "key")
    payload = c.call("DUMP", "key")
    assert sealed(value_of(payload), payload) == payload


def restored(c, payload):
    """True if the server accepted the payload; the only other answer allowed is that the payload is bad."""
    c.send("RESTORE", "key", "0", payload, "REPLACE")
    answer = c.read()
    if isinstance(answer, RespError):
        assert str(answer) == "ERR Bad data format"
        return False
    assert answer == b"OK"
    return True


def use(family, c):
    """Uses a key that was made from a damaged payload: it must work like any other."""
    family.read(c, "key")
    digest, dump, copied, digest_of_copy, exists = at_once(
        c, ("DEBUG", "DIGEST-VALUE", "key"), ("DUMP", "key"), ("COPY", "key", "copy"),
        ("DEBUG", "DIGEST-VALUE", "copy"), ("EXISTS", "key"),
    )
    if not exists:
        return  # it has expired
    assert (copied, digest_of_copy) == (1, digest)
    again = at_once(c, ("RESTORE", "twin", "0", dump), ("DEBUG", "DIGEST-VALUE", "twin"))
    assert again == [b"OK", digest]
    c.call("MEMORY", "USAGE", "key", "SAMPLES", "0")
    append_unless_full(family, c)
    family.shrink(c, "key")
    append_unless_full(family, c)
    family.read(c, "key")
    # Damage may also have given the key, or all that it holds, an expiry of a millisecond.
    assert c.call("DEL", "copy", "twin") == 2 or family.can_end
    assert c.call("DEL", "key") == 1 or family.keeps_itself or family.can_end


def at_once(c, *commands):
    """The answers of a transaction. Damage may have made a limit of a millisecond, which must not take effect between
    the commands."""
    return c.call_all([("MULTI",), *commands, ("EXEC",)])[-1]


def append_unless_full(family, c):
    """After damage, a counter of the object may have reached its maximum."""
    try:
        family.append(c, "key")
    except RespError as error:
        assert "used up" in str(error)


@pytest.mark.parametrize("compression", ["yes", "no"])
@pytest.mark.parametrize("make, count", [
    (make_small, at_length(4000, 800, quick=80)), (make_emptied, at_length(1000, 200, quick=20)),
    (make_full, at_length(20, 5))])
def test_a_damaged_payload_is_refused_or_sound(server, c, family, make, count, compression):
    seed = f"{SEED}/{make.__name__}/{compression}"
    print("MILLRACE_SEED", SEED)
    rng = random.Random(seed)
    with server.changed_settings(rdbcompression=compression):
        make(family, c)
        payload = c.call("DUMP", "key")
    taken = 0
    for number in range(count):
        value = damaged(value_of(payload), rng)
        try:
            if restored(c, sealed(value, payload)):
                taken += 1
                use(family, c)
        except (AssertionError, ConnectionError, RespError) as problem:
            raise AssertionError(f"damage {number} of seed {seed}: {problem}; the value was {value.hex()[:4000]}")
    assert taken < count, "no payload was refused: the damage does not reach the decoder"


def test_every_truncation_is_refused(c, family):
    family.small(c, "key")
    payload = c.call("DUMP", "key")
    value = value_of(payload)
    taken = [length for length in range(10, len(value)) if restored(c, sealed(value[:length], payload))]
    # The host lets a value's reader continue into the host's footer. The version there happens to end with the byte
    # that ends a value, so a payload that is cut at this place looks complete.
    assert taken in ([], [len(value) - 2])


def test_a_refused_payload_is_counted_and_leaves_the_old_key(server, c, family):
    family.small(c, "key")
    before = server.digest("key")
    refused = server.counter("payloads_refused")
    payload = c.call("DUMP", "key")
    assert not restored(c, sealed(value_of(payload)[:-20] + b"\x00", payload))
    assert server.counter("payloads_refused") == refused + 1
    assert server.digest("key") == before


def test_a_payload_of_another_encoding_version_is_refused(c, family):
    family.small(c, "key")
    payload = c.call("DUMP", "key")
    # The lowest ten bits of the module type's number are the version.
    newer = bytearray(value_of(payload))
    newer[9] += 1
    assert not restored(c, sealed(bytes(newer), payload))
