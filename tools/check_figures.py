#!/usr/bin/python3
"""Figures in the README and the guides are those of docs/benchmarks.md.

A figure there is a link to the section of docs/benchmarks.md that has it, and the link's title names the row and the
column:

    [0.36 µs](docs/benchmarks.md#logs-beside-streams "append one message, us (16 in flight): ours")

The number must be the column's value, rounded to the digits that are shown. A time in µs without such a link is a
problem too: it might be out of date without being noticed.
"""
import re

from tree import Problem, anchor, main, prose

LINK = re.compile(r'\[([^\]]*)\]\(([^)\s]*benchmarks\.md)#([\w-]+) "([^"]*): (peer|ours|ratio)"\)')
TIME = re.compile(r"\d\s*µs")
NAME_WIDTH = 58  # width of a row's name in a table of docs/benchmarks.md
# Pages with measurements of the past, as reasons for decisions.
HISTORY = ("docs/benchmarks.md", "docs/why.md")


def cells_of(line):
    """{column: value} of a line as bench/measure.py prints them; empty if it is another line."""
    numbers = line[NAME_WIDTH:].split()
    columns = ("peer", "ours", "ratio") if line[NAME_WIDTH : NAME_WIDTH + 11].strip() else ("ours",)
    try:
        return {column: float(number) for column, number in zip(columns, numbers, strict=False)}
    except ValueError:
        return {}


def rows_of(page):
    """(anchor of the section, name of the row) -> {column: value}, of every table in docs/benchmarks.md.

    A row that is indented belongs to the last one that is not: "the row above / this row".
    """
    rows, section, above = {}, None, ""
    for line in page.splitlines():
        if heading := re.match(r"#+ (.*)", line):
            section = anchor(heading.group(1))
        name = line[:NAME_WIDTH].strip()
        is_indented = line.startswith("  ")
        if not is_indented:
            above = name
        if cells := cells_of(line):
            rows[section, f"{above} / {name}" if is_indented else name] = cells
    return rows


def is_rounded(text, value):
    """Whether the first number of the text is the value, rounded to as many digits as are shown."""
    number = re.search(r"\d[\d,]*(\.\d+)?", text)
    if not number:
        return False
    shown = number.group().replace(",", "")
    decimals = len(shown.partition(".")[2])
    return abs(float(shown) - value) <= 0.5 * 10**-decimals + 1e-9


def problems_of(path, line, text, rows):
    for shown, _, section, name, column in LINK.findall(text):
        row = rows.get((section, name))
        if row is None:
            yield Problem(path, line, f"docs/benchmarks.md#{section} has no row '{name}'")
        elif column not in row:
            yield Problem(path, line, f"the row '{name}' has no {column}")
        elif not is_rounded(shown, row[column]):
            yield Problem(path, line, f"'{shown}' is {row[column]} in docs/benchmarks.md ('{name}', {column})")
    if TIME.search(LINK.sub("", text)):
        yield Problem(path, line, "a time in µs without a link to its row in docs/benchmarks.md")


def problems(root):
    rows = rows_of((root / "docs" / "benchmarks.md").read_text(encoding="utf-8"))
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted((root / "docs" / "guides").glob("*.md"))]
    for path in pages:
        if str(path.relative_to(root)) in HISTORY:
            continue
        for line, text in prose(path.read_text(encoding="utf-8")):
            yield from problems_of(path, line, text, rows)


if __name__ == "__main__":
    main(problems)
