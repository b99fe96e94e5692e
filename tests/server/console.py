"""Runs the examples of the documents on a server: each command must print what stands below it, and each program must
end without an error."""

import re
import subprocess

from javascript import run_javascript
from tool import TOOL

BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)
JAVASCRIPT = re.compile(r"^```js\n(.*?)^```$", re.M | re.S)
# The command line of the README: redis-cli and millrace on the server's port, with what a terminal shows.
PREAMBLE = """
redis-cli() { if [ "$1" = --raw ] || [ "$1" = --no-raw ]; then command redis-cli -p "$PORT" "$@"; else command redis-cli -p "$PORT" --no-raw "$@"; fi; }
millrace() {
  case $1 in
    load | tail | export) "$TOOL" "$@" --to ":$PORT" ;;
    lock) "$TOOL" lock --to ":$PORT" "${@:2}" ;;
    *) "$TOOL" "$@" ;;
  esac
}
"""
# The duration of a load differs each time.
DURATION = re.compile(r" in [0-9.]+ seconds \([0-9]+ a second\)$")


def steps(text):
    """The commands of a console block, each with the lines it prints."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            assert found, f"a console block begins with a command, not with: {line}"
            found[-1][1].append(line)
    assert found, "a console block without a command"
    return found


def comparable(lines):
    """redis-cli prints a blank behind the name of a nested list; the documents do not show it."""
    return [DURATION.sub("", line).rstrip() for line in lines]


def run_console(server, text):
    for command, printed in steps(text):
        # These tools are started by another program, so a function cannot replace them.
        command = command.replace("build/millrace load", f"{TOOL} load --to :{server.port}")
        command = command.replace("build/millrace tail", f"{TOOL} tail --to :{server.port}")
        done = subprocess.run(
            ["bash", "-c", PREAMBLE + command], env={"PORT": str(server.port), "PATH": "/usr/bin:/bin", "TOOL": TOOL},
            capture_output=True, text=True, timeout=30, cwd=server.directory,
        )
        shown = done.stdout.rstrip("\n").splitlines()
        assert comparable(shown) == comparable(printed), command + "\n" + done.stderr


def run_python(server, text):
    exec(compile(text.replace("PORT", str(server.port)), "guide", "exec"), {"__name__": "guide"})


def run_blocks(server, text):
    """Runs every example of a document that is not in JavaScript, in order; there must be at least one."""
    blocks = BLOCK.findall(text)
    assert blocks
    for kind, block in blocks:
        run_console(server, block) if kind == "console" else run_python(server, block)


def run_javascript_blocks(server, text):
    """Runs every program in JavaScript of a document. They run separately because node may be missing; each uses keys
    of its own."""
    for block in JAVASCRIPT.findall(text):
        run_javascript(block, PORT=server.port)
