#!/usr/bin/python3
"""Every row of docs/guarantees.md names the tests that prove it, and they exist."""
import re

from tree import Problem, files, lines, main

PAGE = "docs/guarantees.md"
TEST = re.compile(r"`(\w+\.py)::(\w+)`")
RULE = re.compile(r"^\|( --- \|)+$")
DEFINITION = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def tests(root):
    """file -> the names of its tests."""
    return {path.name: set(DEFINITION.findall(path.read_text(encoding="utf-8")))
            for path in files(root, "tests", {".py"}) if path.name.startswith("test_")}


def rows(text):
    """Number and text of each row, without the headings of tables."""
    for number, line in enumerate(text, 1):
        is_heading = number < len(text) and RULE.match(text[number])
        if line.startswith("|") and not RULE.match(line) and not is_heading:
            yield number, line


def problems(root):
    page = root / PAGE
    if not page.exists():
        yield Problem(page, 1, "is not there")
        return
    known, text = tests(root), lines(page)
    for number, line in rows(text):
        is_first = bool(RULE.match(text[number - 2]))
        proof = line.rstrip("| ").rsplit("|", 1)[1]
        named = TEST.findall(proof)
        if not named and (is_first or "the same" not in proof):
            yield Problem(page, number, "a row that does not name a test")
        for file, test in named:
            if test not in known.get(file, ()):
                yield Problem(page, number, f"there is no {file}::{test}")


if __name__ == "__main__":
    main(problems)
