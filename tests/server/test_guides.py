"""Every example in the README and the guides does what is printed beside it."""

import pathlib
import re
import subprocess

import pytest

from console import BLOCK, JAVASCRIPT, run_blocks, run_console, run_javascript_blocks
from server import REPOSITORY, Server

pytestmark = pytest.mark.long
DOCS = REPOSITORY / "docs"
# These need a gateway: tests/gateway/test_guide.py runs them.
WITH_GATEWAY = {"console", "gateway", "http-work-queue", "live-updates", "who-may-do-what"}
GUIDES = [guide for guide in sorted((DOCS / "guides").glob("*.md")) if guide.stem not in WITH_GATEWAY]
GUIDES += [DOCS / "recipes.md", DOCS / "clients.md"]
WITH_JAVASCRIPT = [guide for guide in GUIDES if JAVASCRIPT.search(guide.read_text())]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_example_of_a_guide_prints_what_it_says(guide):
    with Server(appendonly="yes") as server:
        run_blocks(server, guide.read_text())


@pytest.mark.parametrize("guide", WITH_JAVASCRIPT, ids=lambda path: path.stem)
def test_every_program_in_javascript_of_a_guide_succeeds(guide):
    with Server(appendonly="yes") as server:
        run_javascript_blocks(server, guide.read_text())


def kill_as_printed(server, kill):
    """Finding 2 of "Trying it": the command ends the server of ./run, and no other."""
    # The text is checked first: a command that selects by port or by name could end a process that is not ours.
    assert re.fullmatch(r"kill -9 \$\(cat data/server\.pid\)", kill)
    data = pathlib.Path(server.directory) / "data"
    data.mkdir()
    (data / "server.pid").write_text(f"{server._process.pid}\n")
    with Server(module=False) as stranger:
        subprocess.run(["bash", "-c", kill], cwd=server.directory, check=True, timeout=30)
        server._process.wait(timeout=30)
        assert stranger.admin.call("PING") == b"PONG"


def test_the_first_five_minutes_of_the_readme_work_as_printed():
    text = (REPOSITORY / "README.md").read_text()
    before, after = text.split("Now the worst case.")
    with Server(appendonly="yes") as server:
        waiting = None
        for kind, block in BLOCK.findall(before):
            if "shipped" in block:
                waiting = server.connect()
                waiting.send("TREAD", "orders", "$", "1", "BLOCK", "0")
                server.wait_for_blocked(1)
            run_console(server, block)
        assert waiting.read() == [[3, b"shipped", b'{"id": 17}']]
        waiting.close()
        kill_as_printed(server, re.search(r"^kill -9 .*$", after, re.M).group())
        server.forget_clients()
        server.restart()
        for _, block in BLOCK.findall(after):
            run_console(server, block)
