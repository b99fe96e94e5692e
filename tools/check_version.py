#!/usr/bin/python3
"""The version in CMakeLists.txt is that of the newest release in CHANGELOG.md, and no document prints another one.

The built programs show the same one, which tests/server/test_version.py and test_package.py check.
"""
import re

from tree import Problem, files, lines, main

CHANGES = "CHANGELOG.md"
DECLARED = re.compile(r"^project\(millrace VERSION (\d+\.\d+\.\d+)\b", re.MULTILINE)
RELEASE = re.compile(r"^## \[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d$")
# As in "Millrace 1.2.3", "millrace version 1.2.3" and "millrace_1.2.3_amd64.deb".
PRINTED = re.compile(r"\bmillrace[ _-]v?(?:version )?(\d+\.\d+\.\d+)", re.IGNORECASE)


def declared(root):
    """The version of CMakeLists.txt, as 1.2.3; None if it has none in this form."""
    file = root / "CMakeLists.txt"
    found = DECLARED.search(file.read_text(encoding="utf-8")) if file.exists() else None
    return found[1] if found else None


def problems_of_changes(path, version):
    headings = [(number, line) for number, line in enumerate(lines(path), 1) if line.startswith("## ")]
    if not headings or headings[0][1] != "## [Unreleased]":
        yield Problem(path, headings[0][0] if headings else 1, "the first heading is not ## [Unreleased]")
        return
    newest = None
    before = None
    for number, line in headings[1:]:
        release = RELEASE.match(line)
        if not release:
            yield Problem(path, number, "a heading that is not of the form ## [1.2.3] - 2026-11-15")
            continue
        parts = tuple(map(int, release.groups()))
        if before and parts >= before:
            yield Problem(path, number, "releases are not in order, the newest first")
        before = parts
        if newest is None:
            newest = ".".join(release.groups())
            if newest != version:
                yield Problem(path, number, f"the newest release is {newest}, and CMakeLists.txt says {version}")
    if newest is None:
        yield Problem(path, 1, f"has no release; CMakeLists.txt says {version}")


def problems(root):
    version = declared(root)
    if version is None:
        yield Problem(root / "CMakeLists.txt", 1, "no project(millrace VERSION 1.2.3 ...)")
        return
    changes = root / CHANGES
    if changes.exists():
        yield from problems_of_changes(changes, version)
    else:
        yield Problem(changes, 1, "is not there")
    for path in files(root, suffixes={".md"}):
        if path == changes:
            continue
        for number, line in enumerate(lines(path), 1):
            for found in PRINTED.finditer(line):
                if found[1] != version:
                    yield Problem(path, number, f"{found[0]}: CMakeLists.txt says {version}")


if __name__ == "__main__":
    main(problems)
