"""Which files tools/check_tidy gives to clang-tidy: all, or those that a change concerns."""
import re
import subprocess
from pathlib import Path

from tree import CPP, files

FOLDERS = ("engine", "module", "client", "cli", "gateway", "tests", "fuzz", "examples")
# For one change: more files would delay ./test by minutes.
MOST = 25
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


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
    """The .cc files to check for the changed files, and those left out because there are too many.

    Changed files come first, then those that check changed headers.
    """
    included_by = includers(root)
    sources = [name for name in touched if name.endswith(".cc")]
    headers = [source_of(name, included_by, root) for name in touched if name.endswith(".h")]
    selected = list(dict.fromkeys(name for name in sources + headers if name))
    return selected[:MOST], selected[MOST:]
