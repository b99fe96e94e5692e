"""What tools/check_tidy gives to clang-tidy: the units of all files, or those of the files that a change concerns.

A unit is what one call of the compiler reads: a file, or the sources of a folder (cmake/build_speed.cmake).
"""
import bisect
import json
import re
import subprocess
from pathlib import Path

from tree import CPP, files

FOLDERS = ("engine", "module", "client", "cli", "gateway", "tests", "fuzz", "examples")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# How a unit includes a source, or, if it is a copy of several sources (cmake/join_tests.cmake), where each begins.
PART = re.compile(r'^#(?P<directive>include|line 1) "(?P<path>/[^"]+)"$', re.MULTILINE)


def names(root: Path, suffixes) -> list[str]:
    return [path.relative_to(root).as_posix() for folder in FOLDERS for path in files(root, folder, suffixes)]


def git(root, *words):
    """What git prints, or None if it fails."""
    done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def base(root):
    """The commit that changes are counted from: where the branch left upstream's, or the commit before the last.

    None outside of a repository with commits.
    """
    last = git(root, "rev-parse", "--verify", "HEAD")
    for upstream in ("origin/HEAD", "origin/main"):
        common = git(root, "merge-base", upstream, "HEAD")
        if common and common != last:
            return common.strip()
    before = git(root, "rev-parse", "--verify", "HEAD~1") or last
    return before and before.strip()


def changed(root, since):
    """The C++ files that differ from the commit given, those not committed among them, in a stable order."""
    differing = git(root, "diff", "-z", "--name-only", "--diff-filter=d", since) or ""
    untracked = git(root, "ls-files", "-z", "--others", "--exclude-standard") or ""
    touched = set((differing + untracked).split("\0"))
    return [name for name in names(root, CPP) if name in touched]


def includers(root):
    """file -> the files that include it."""
    found = {}
    for name in names(root, CPP):
        for target in INCLUDE.findall((root / name).read_text(encoding="utf-8")):
            found.setdefault(target, []).append(name)
    return found


def source_of(header, included_by, root):
    """The .cc with which a header is checked: the one of the same name, or the nearest one that includes it, or
    None."""
    own = header.removesuffix(".h") + ".cc"
    if (root / own).exists():
        return own
    seen, near = {header}, [header]
    while near:
        near = [name for one in near for name in included_by.get(one, ()) if name not in seen]
        for name in near:
            if name.endswith(".cc"):
                return name
        seen.update(near)
    return None


def concerned(root, touched):
    """The .cc files to check for the changed files: the changed ones, then those that check changed headers."""
    included_by = includers(root)
    sources = [name for name in touched if name.endswith(".cc")]
    headers = [source_of(name, included_by, root) for name in touched if name.endswith(".h")]
    return list(dict.fromkeys(name for name in sources + headers if name))


class Unit:
    """What one call of the compiler reads."""

    def __init__(self, path, root):
        self.path = Path(path)
        self._root = root
        own = [self.path.relative_to(root).as_posix()]
        text = self.path.read_text(encoding="utf-8") if own[0].startswith("build-") and self.path.exists() else ""
        parts = list(PART.finditer(text))
        self.sources = [Path(part["path"]).relative_to(root).as_posix() for part in parts] or own
        self._begins = [text.count("\n", 0, part.start()) + 2 for part in parts if part["directive"] == "line 1"]

    def origin(self, path, line):
        """The path and line that a finding names, or those from which the unit's text was copied."""
        at = bisect.bisect(self._begins, line) - 1 if path == self.path else -1
        return (path, line) if at < 0 else (self._root / self.sources[at], line - self._begins[at] + 1)


def units(build, root):
    """The units of a configured build directory."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return [Unit(path, root) for path in dict.fromkeys(command["file"] for command in commands)]


def covering(names, among, root):
    """Units with which each of the sources is read once; a source that no target compiles is read alone, with the
    compile command of a neighbour, which clang-tidy chooses."""
    chosen, left = [], set(names)
    for unit in among:
        if left.intersection(unit.sources):
            chosen.append(unit)
            left.difference_update(unit.sources)
    return chosen + [Unit(root / name, root) for name in sorted(left)]
