"""The example of every page of docs/commands prints what it says, on an empty server."""

import pytest

from command_pages import PAGES
from console import BLOCK, run_blocks


def command_of(page):
    """The name of the page's command as INFO commandstats has it: tgroup|seek."""
    return page.stem.replace("-", "|").lower()


@pytest.mark.without_feeds
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_example_of_a_command_prints_what_it_says(server, page):
    _, example = page.read_text().split("\n## Example\n")
    server.admin.call("CONFIG", "RESETSTAT")
    run_blocks(server, example)
    called = {name.lower() for name in server.info("commandstats")}
    assert f"cmdstat_{command_of(page)}" in called, "the example calls the command of its page"


def test_every_command_has_a_page_with_an_example(c):
    listed = {name.decode().lower() for name in c.call("COMMAND", "LIST", "FILTERBY", "MODULE", "millrace")}
    containers = {name.split("|")[0] for name in listed if "|" in name}
    assert {command_of(page) for page in PAGES} == listed - containers
    assert all(len(BLOCK.findall(page.read_text())) == 1 for page in PAGES)
