"""JavaScript that tests run, and the clients for it: those of node_packages/package-lock.json, which npm installs into
build/node. If node, npm or the packages are not available, the test that needs them is skipped."""

import fcntl
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest

from server import REPOSITORY

PACKAGES = pathlib.Path(__file__).resolve().parent / "node_packages"
INSTALLED = REPOSITORY / "build" / "node"
# Scripts of packages are not run: none of these needs one.
INSTALL = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
ASK_AGAIN_AFTER = 600  # seconds; an npm without a network takes long to say so


@functools.cache
def node_modules():
    """The directory of the packages. Several processes may ask at once; the first installs."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with open(INSTALLED / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        why_not = _install()
    if why_not:
        pytest.skip(f"npm cannot install the clients here: {why_not[:200]}")
    return INSTALLED / "node_modules"


def _install():
    """Installs the packages. Returns npm's output if that failed, else an empty string."""
    wanted = (PACKAGES / "package-lock.json").read_text()
    done, refused = INSTALLED / "done", INSTALLED / "refused"
    if done.exists() and done.read_text() == wanted:
        return ""
    if refused.exists() and time.time() - refused.stat().st_mtime < ASK_AGAIN_AFTER:
        return refused.read_text()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PACKAGES / name, INSTALLED)
    npm = subprocess.run(INSTALL, cwd=INSTALLED, capture_output=True, text=True, timeout=300)
    if npm.returncode != 0:
        refused.write_text(npm.stderr or "it ended without a reason")
        return refused.read_text()
    done.write_text(wanted)
    return ""


@functools.cache
def node_version():
    """The major version of node."""
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.lstrip("v").split(".")[0])


def require_client(name):
    """Skips the test if this node is too old for the client. The newest clients need Node 20; Debian 12 has 18."""
    about = json.loads((node_modules() / name / "package.json").read_text())
    needed = int(about["engines"]["node"].lstrip(">= ").split(".")[0])
    if node_version() < needed:
        pytest.skip(f"{name} needs Node {needed}, this is {node_version()}")


def start_javascript(text, folder, stdin=None, stdout=None, stderr=None, **words):
    """Starts a module in the caller's folder and returns the process. Words such as PORT=6379 replace names in the
    text."""
    modules = node_modules()
    for word, value in words.items():
        text = text.replace(word, str(value))
    # A module looks for packages in its own folder; NODE_PATH works only for the older require().
    os.symlink(modules, f"{folder}/node_modules")
    script = pathlib.Path(folder, "script.mjs")
    script.write_text(text)
    return subprocess.Popen(["node", str(script)], stdin=stdin, stdout=stdout, stderr=stderr, text=True)


def end_javascript(process):
    """Ends a program that runs until the end of its input."""
    process.stdin.close()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def chromium():
    """The path of Debian's chromium; if it is missing the test is skipped."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("chromium is not installed")
    return found


def run_javascript(text, timeout=60, **words):
    """Runs a module to its end and returns what it printed."""
    with tempfile.TemporaryDirectory(prefix="millrace-test-") as directory:
        node = start_javascript(text, directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **words)
        try:
            printed, errors = node.communicate(timeout=timeout)
        finally:
            if node.poll() is None:
                node.kill()
                node.wait()
    assert node.returncode == 0, errors[-3000:]
    return printed
