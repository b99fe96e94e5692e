"""clients/node, built into build/node/package: the tree stays clean. If node or npm's packages are not available, the
tests that need them are skipped."""

import fcntl
import functools
import json
import shutil
import subprocess

import pytest

from server import REPOSITORY

SOURCES = REPOSITORY / "clients" / "node"
FOLDER = REPOSITORY / "build" / "node"
BUILT = FOLDER / "package"


def _is_new():
    mark = BUILT / "dist" / "cjs" / "package.json"
    newest = max(path.stat().st_mtime for path in SOURCES.rglob("*") if path.is_file()
                 and not {"node_modules", "dist"} & set(path.parts))
    return mark.exists() and mark.stat().st_mtime > newest


@functools.cache
def built_package():
    """The folder of the package, compiled with strict checks. Several processes may ask at once; the first builds."""
    import javascript

    javascript.node_modules()
    needed = int(json.loads((SOURCES / "package.json").read_text())["engines"]["node"].lstrip(">="))
    if javascript.node_version() < needed:
        pytest.skip(f"the package needs Node {needed}")
    with open(FOLDER / "build-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_new():
            shutil.rmtree(BUILT, ignore_errors=True)
            shutil.copytree(SOURCES, BUILT, ignore=shutil.ignore_patterns("node_modules", "dist"))
            done = subprocess.run(["npm", "run", "--silent", "build"], cwd=BUILT, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
    return BUILT
