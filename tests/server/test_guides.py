"""Every example in the README and the guides does what is printed beside it."""

import re
import subprocess

import pytest

from server import REPOSITORY, Server
from tool import TOOL

GUIDES = [*sorted((REPOSITORY / "docs" / "guides").glob("*.md")), REPOSITORY / "docs" / "recipes.md"]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)
# The command line of the README: redis-cli and millrace on the server's port, with what a terminal shows.
PREAMBLE = """
redis-cli() { if [ "$1" = --raw ] || [ "$1" = --no-raw ]; then command redis-cli -p "$PORT" "$@"; else command redis-cli -p "$PORT" --no-raw "$@"; fi; }
millrace() {
  case $1 in
    load | tail) "$TOOL" "$@" --to ":$PORT" ;;
    lock) "$TOOL" lock --node ":$PORT" "${@:2}" ;;
    *) "$TOOL" "$@" ;;
  esac
}
"""
# How long a load took is another figure each time.
DURATION = re.compile(r" in [0-9.]+ seconds \([0-9]+ a second\)$")


def steps(text):
    """The commands of a console block, each with what it prints."""
    step = None
    for line in text.splitlines():
        if line.startswith("$ "):
            if step:
                yield step
            step = (line[2:], [])
        else:
            step[1].append(line)
    yield step


def run_console(server, text):
    for command, printed in steps(text):
        # A tool that a function cannot stand for, because another program starts it.
        command = command.replace("build/millrace load", f"{TOOL} load --to :{server.port}")
        command = command.replace("build/millrace tail", f"{TOOL} tail --to :{server.port}")
        done = subprocess.run(
            ["bash", "-c", PREAMBLE + command], env={"PORT": str(server.port), "PATH": "/usr/bin:/bin", "TOOL": TOOL},
            capture_output=True, text=True, timeout=30, cwd=server.directory,
        )
        shown = [DURATION.sub("", line) for line in done.stdout.rstrip("\n").splitlines()]
        assert shown == [DURATION.sub("", line) for line in printed], command + "\n" + done.stderr


def run_python(server, text):
    exec(compile(text.replace("PORT", str(server.port)), "guide", "exec"), {"__name__": "guide"})


def run_blocks(server, text):
    blocks = BLOCK.findall(text)
    assert blocks
    for kind, block in blocks:
        run_console(server, block) if kind == "console" else run_python(server, block)


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
        server._forget_clients()
        server.restart()
        for _, block in BLOCK.findall(after):
            run_console(server, block)
