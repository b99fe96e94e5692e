"""Short words for tests of groups. The log is "log" and the group "g" unless another is named."""

from server import wait_until

ALL = "1-9223372036854775807"
LONG = ("RETRY", "3600000", "0")  # a lease so long that a pending message stays pending
SHORT = ("RETRY", "40", "0")


def write(c, count=1, key="log"):
    return c.call("TWRITE", key, "ENTRIES", *[part for n in range(count) for part in ("t", f"e{n}")])


def read(c, count, *options, group="g", key="log"):
    return c.call("TREAD", key, "1", count, "GROUP", group, *options)


def take(c, count, *options, group="g", key="log"):
    """The offsets a read of the group delivers."""
    return [message[0] for message in read(c, count, *options, group=group, key=key)]


def take_later(c, count, *options, group="g", key="log"):
    """Reads until there is something; the offsets."""
    return wait_until(lambda: take(c, count, *options, group=group, key=key), "something is delivered")


def at_once(c, *commands):
    """The answers to commands in one transaction: the server does no other work between them, however slow the test."""
    return c.call_all([("MULTI",), *commands, ("EXEC",)])[-1]


def about(c, group="g", key="log"):
    """The group's entry in TGROUP LIST."""
    for flat in c.call("TGROUP", "LIST", key):
        fields = {name.decode(): value for name, value in zip(flat[::2], flat[1::2])}
        if fields["name"] == (group if isinstance(group, bytes) else group.encode()):
            return fields
    return None


def pending(c, *options, group="g", key="log"):
    return c.call("TGROUP", "PENDING", key, group, *options)


def pending_offsets(c, *options, group="g", key="log"):
    return [one[0] for one in pending(c, *options, group=group, key=key)]


def numbers(c, *names, group="g", key="log"):
    entry = about(c, group, key)
    return [entry[name] for name in names]
