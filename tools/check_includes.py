#!/usr/bin/python3
"""Each folder includes what the table "Layers" in ARCHITECTURE.md allows, and nothing else of ours.

The table is the rule: this check reads it. A row applies to the paths named in its first
column and to their subfolders; of two rows that apply, the one with the longer path counts.
A path in the third column is forbidden although the second one allows its folder. What
follows a colon explains.
"""
import re
from typing import NamedTuple

from tree import CPP, Problem, files, line_of, lines, main, without_comments

PAGE = "ARCHITECTURE.md"
HEADING = "| folder | may include | never |"
# The row of tests: what they may include in addition to what their folder may.
TESTS = "*_test.cc"
NOTHING = re.compile(r"nothing (else )?of ours\b")
SAME = "the same"
# The third column's restriction for the engine. Tests are exempt: they use seeds and files.
WORLD = "a clock, a file, a socket, a thread"
WORLD_HEADER = re.compile(
    r"(chrono|ctime|time\.h|random|fstream|iostream|filesystem|cstdio|stdio\.h|thread|mutex|condition_variable"
    r"|future|unistd\.h|fcntl\.h|netdb\.h|poll\.h|(sys|netinet|arpa|linux)/.*)$"
)
HOST_TYPE = re.compile(r"\b(Host[A-Z]\w+|RedisModule\w*)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
# Written by CMake from version.h.in.
GENERATED = "version.h"


class Row(NamedTuple):
    line: int
    may: tuple
    never: tuple
    no_world: bool


def within(name, folder):
    return name == folder or name.startswith(folder + "/")


def paths(cell):
    """The paths in backquotes, up to a colon."""
    return tuple(NAME.findall(cell.split(":")[0]))


def table(page):
    """(row by path, problems) of the table on the page."""
    text = lines(page)
    if HEADING not in text:
        return {}, [Problem(page, 1, f'has no table "{HEADING}"')]
    rows, wrong, above = {}, [], ""
    for number, line in enumerate(text[text.index(HEADING) + 2:], text.index(HEADING) + 3):
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 3:
            wrong.append(Problem(page, number, "a row of the table of includes that does not have three columns"))
            continue
        first, second, third = cells
        never = above = above if third == SAME else third
        may = paths(second)
        if not paths(first) or not may and not NOTHING.match(second):
            wrong.append(Problem(page, number, "a row of the table of includes that names no paths in backquotes"))
        for path in paths(first):
            if path in rows:
                wrong.append(Problem(page, number, f"{path} has two rows"))
            rows[path] = Row(number, may, paths(never), WORLD in never)
    return rows, wrong


def missing(root, page, rows):
    """The problems of rows that name something that is not in the tree."""
    for path, row in rows.items():
        for name in (path, *row.may, *row.never):
            if name != TESTS and not (root / name).exists():
                yield Problem(page, row.line, f"{name} is not there")


def applying(rows, name):
    """The path of the row for a file, or None."""
    return max((path for path in rows if within(name, path)), key=len, default=None)


def why_not(rows, name, quoted, target):
    """Why this file must not include the target, or None."""
    own = applying(rows, name)
    row = rows[own]
    is_test = name.endswith("_test.cc")
    may = (own, *row.may, *(rows[TESTS].may if is_test and TESTS in rows else ()))
    ours = {path.split("/")[0] for path in rows}
    if any(within(target, path) for path in row.never):
        return f"{own} must never include {target}"
    if target.split("/")[0] in ours and "/" in target:
        if not any(within(target, path) for path in may):
            return f"{own} must not include {target}, only {', '.join(may)}"
    elif quoted and target != GENERATED:
        return f'include "{target}" by its path from the top of the tree'
    if row.no_world and not is_test and WORLD_HEADER.match(target):
        return f"the engine never reads the world: no <{target}>"
    return None


def problems(root):
    page = root / PAGE
    if not page.exists():
        yield Problem(page, 1, "is not there, and has the table of includes")
        return
    rows, wrong = table(page)
    yield from wrong
    yield from missing(root, page, rows)
    without_row = set()
    for path in files(root, suffixes=CPP):
        name = path.relative_to(root).as_posix()
        code = without_comments(path.read_text(encoding="utf-8"))
        if applying(rows, name) is None:
            if path.parent not in without_row:
                yield Problem(path, 1, f"{path.parent.relative_to(root)} has no row in the table of {PAGE}")
            without_row.add(path.parent)
        else:
            for include in INCLUDE.finditer(code):
                reason = why_not(rows, name, include[1] == '"', include[2])
                if reason:
                    yield Problem(path, line_of(code, include.start(2)), reason)
        if name.startswith("module/abi/"):
            continue
        for found in HOST_TYPE.finditer(code):
            yield Problem(path, line_of(code, found.start()), f"only module/abi names the host's {found[1]}")


if __name__ == "__main__":
    main(problems)
