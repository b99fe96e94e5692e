"""Which forms of INFO show the module's fields. The host decides; docs/settings.md says what to ask for."""

import re

import pytest

from rights import user
from server import REPOSITORY, wait_until

SETTINGS_PAGE = (REPOSITORY / "docs" / "settings.md").read_text()
OUR_PART_OF_SETTINGS_PAGE = SETTINGS_PAGE.split("## `INFO millrace`")[1].split("\n## ")[0]


def sections_of(connection, *words):
    """What INFO with these words answers: the lines of each section, by its name."""
    sections = {}
    for line in connection.call("INFO", *words).decode().splitlines():
        if line.startswith("# "):
            sections[line[2:]] = lines = []
        elif line:
            lines.append(line)
    return sections


def fields_of(lines):
    return {line.split(":")[0] for line in lines}


@pytest.mark.parametrize("words", [(), ("default",), ("all",)], ids=" ".join)
def test_info_by_default_and_of_all_names_the_module_and_shows_none_of_its_fields(c, words):
    sections = sections_of(c, *words)
    assert [line for line in sections["Modules"] if line.startswith("module:name=millrace,ver=")]
    assert "millrace" not in sections
    assert not any(field.startswith("millrace_") for lines in sections.values() for field in fields_of(lines))


@pytest.mark.parametrize("words", [
    ("everything",), ("modules",), ("millrace",), ("MILLRACE",), ("default", "millrace"), ("all", "millrace"),
], ids=" ".join)
def test_info_that_asks_for_modules_or_for_this_one_shows_all_its_fields(c, words):
    sections = sections_of(c, *words)
    fields = fields_of(sections["millrace"])
    assert fields == set(re.findall(r"`(millrace_\w+)`", OUR_PART_OF_SETTINGS_PAGE)), "each is described"
    assert len(fields) == len(sections["millrace"]), "none is there twice"
    assert all(re.fullmatch(r"millrace_\w+:\d+", line) for line in sections["millrace"])


def test_info_of_modules_or_of_this_one_shows_nothing_else_of_the_server(c):
    assert set(sections_of(c, "modules")) == {"Modules", "millrace"}
    assert set(sections_of(c, "millrace")) == {"millrace"}


def test_info_of_all_counts_calls_of_our_commands_and_info_by_default_our_error_codes(c):
    c.call("TWRITE", "key", "tag", "entry")
    c.error_of("TACK", "key", "nobody", "1")
    assert "cmdstat_TWRITE" in fields_of(sections_of(c, "all")["Commandstats"])
    assert "latency_percentiles_usec_TWRITE" in fields_of(sections_of(c, "all")["Latencystats"])
    assert "errorstat_NOGROUP" in fields_of(sections_of(c)["Errorstats"])


@pytest.mark.parametrize("run", ["EVAL", "EVAL_RO"])
def test_the_script_for_an_exporter_returns_each_field_and_its_value(server, c, run):
    page = (REPOSITORY / "docs" / "operations.md").read_text()
    script = re.search(r"^```lua\n(.*?)^```$", page, re.M | re.S)[1]
    c.call("TWRITE", "key", "tag", "entry")
    with user(server, "+info", f"+{run}") as exporter:

        def shown():
            answer = exporter.call(run, script, "0", "0")  # the arguments that redis_exporter sends
            words = [word.decode() for word in answer]
            return dict(zip(words[::2], words[1::2]))

        # A feed of an earlier test may expire between two questions.
        wait_until(lambda: shown() == server.info("millrace"), "both show the same")
