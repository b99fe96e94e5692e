"""What the server says about every command, and which events and counters it has."""

import pytest

from families import CONTAINERS, FAMILIES, WITHOUT_TYPE, name_of, on

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=str)


def as_map(flat):
    return dict(zip(flat[::2], flat[1::2]))


def test_the_families_together_have_every_command_of_the_module(c, family):
    listed = {name.decode().upper() for name in c.call("COMMAND", "LIST", "FILTERBY", "MODULE", "millrace")}
    assert listed == CONTAINERS.union(WITHOUT_TYPE, *(one.commands for one in FAMILIES))


def test_subcommands_are_named_in_lower_case_as_the_hosts_own_are(c, family):
    """Cluster clients that route by COMMAND look for container|subcommand in lower case (docs/clients.md)."""
    names = [name for name in family.commands if "|" in name]
    containers = {name.split("|")[0] for name in names} | {"XGROUP"}
    for container in containers:
        [about] = c.call("COMMAND", "INFO", container)
        listed = {subcommand[0].decode() for subcommand in about[9]}
        assert about[0].decode() == container.lower()
        assert listed == {name.lower() for name in listed}
        assert {name.lower() for name in names if name.startswith(container + "|")} <= listed


def test_command_docs_describes_every_command(c, family):
    for name in family.commands:
        _, docs = c.call("COMMAND", "DOCS", name)
        docs = as_map(docs)
        assert docs[b"summary"].endswith(b".")
        assert docs[b"complexity"].startswith(b"O(")
        assert docs[b"since"] in (b"1.0.0", b"2.0.0")
        assert docs[b"module"] == b"millrace"
        if name in family.without_key:
            continue
        key = as_map(docs[b"arguments"][0])
        assert (key[b"type"], key[b"key_spec_index"]) == (b"key", 0)


def test_command_getkeys_finds_the_key_of_every_command(c, family):
    for command in family.read_commands + family.write_commands:
        assert c.call("COMMAND", "GETKEYS", *on("the key", command)) == [b"the key"]
        [[key, flags]] = c.call("COMMAND", "GETKEYSANDFLAGS", *on("the key", command))
        assert key == b"the key"
        assert (b"RO" in flags) == (name_of(command) in family.reading)


def test_command_info_has_the_right_flags(c, family):
    growing = {name_of(command) for command in family.growing_commands} - family.may_write - {*family.ask_for_memory}
    waiting = {name_of(way.command) for way in family.waiting}
    helping = {name_of(command) for command in family.help_commands}
    for name in family.commands:
        [about] = c.call("COMMAND", "INFO", name)
        flags = {flag.decode() for flag in about[2]}
        place = 2 if "|" in name else 1
        if name in family.without_key:
            assert about[3:6] == [0, 0, 0], "no key"
        else:
            assert about[3:6] == [place, place, 1], "one key, the first argument"
        writes = name not in family.reading | family.without_key
        reads = not writes and name not in helping
        assert ("readonly" in flags, "write" in flags) == (reads, writes), name
        assert ("denyoom" in flags) == (name in growing), name
        assert ("blocking" in flags) == (name in waiting), name
        asks_a_node = {name_of(command) for command in family.node_commands}
        assert ("admin" in flags) == (name in asks_a_node | {family.effect_command}), name


def test_each_write_sends_a_keyspace_event_of_class_d(server, c, connect, family):
    family.fill(c, "key", 1)
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:key")
        for command in family.write_commands:
            c.call(*on("key", command))
            kind, channel, event = listener.read()
            while b" " in event:  # it names what was added or removed; the previous command has an event of its own
                kind, channel, event = listener.read()
            assert (kind, channel) == (b"message", b"__keyspace@0__:key")
            name = name_of(command)
            assert event == family.events.get(name, name.lower().replace("|", "-")).encode()


def test_reads_and_refused_commands_send_no_event(server, c, connect, family):
    family.fill(c, "key", 1)
    with server.changed_settings(notify_keyspace_events="Kd"):
        listener = connect()
        listener.call("SUBSCRIBE", "__keyspace@0__:key")
        for command in family.read_commands:
            c.call(*on("key", command))
        for command in family.write_commands:
            c.error_of(*on("key", command), *family.spoiled_by)
        family.append(c, "key")
        listener.read()
        while listener.has_answer():
            assert b" " in listener.read()[2], "only the append was announced, and what came with it"


def test_info_counts_what_was_done(server, c, family):
    before = {name: server.counter(name) for name in family.counters}
    family.fill(c, "key", 1)
    family.read(c, "key")
    for name in family.counters:
        assert server.counter(name) > before[name], name


def test_a_read_is_not_a_change(server, c, family):
    family.fill(c, "key", 1)
    dirty = server.info("persistence")["rdb_changes_since_last_save"]
    sent = server.info("replication")["master_repl_offset"]
    for command in family.read_commands:
        c.call(*on("key", command))
    assert server.info("persistence")["rdb_changes_since_last_save"] == dirty
    assert server.info("replication")["master_repl_offset"] == sent


def test_settings_are_listed_and_checked(c, family):
    listed = as_map(c.call("CONFIG", "GET", "millrace.*"))
    assert listed and all(name.startswith(b"millrace.") for name in listed)
    for name, value in listed.items():
        assert c.call("CONFIG", "SET", name, value) == b"OK"
        assert c.error_of("CONFIG", "SET", name, "nonsense").startswith("ERR CONFIG SET failed")
    assert as_map(c.call("CONFIG", "GET", "millrace.*")) == listed
