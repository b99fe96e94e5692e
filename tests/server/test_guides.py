"""Every example in the README and the guides does what is printed beside it."""

import re
import subprocess

import pytest

from console import BLOCK, PREAMBLE, run_blocks, run_console
from server import REPOSITORY, Server

GUIDES = [*sorted((REPOSITORY / "docs" / "guides").glob("*.md")), REPOSITORY / "docs" / "recipes.md"]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_example_of_a_guide_prints_what_it_says(guide):
    with Server(appendonly="yes") as server:
        run_blocks(server, guide.read_text())


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
        kill = re.search(r"^kill -9 .*$", after, re.M).group()
        subprocess.run(["bash", "-c", PREAMBLE.replace("--no-raw ", "") + kill], env={"PORT": str(server.port), "PATH": "/usr/bin:/bin"}, timeout=30)
        server._process.wait(timeout=30)
        server.forget_clients()
        server.restart()
        for _, block in BLOCK.findall(after):
            run_console(server, block)
