#!/usr/bin/python3
"""Lines of prose in Markdown are at most 120 characters wide, and each row of a table is one line.

Tables, code blocks, headings and drawings may be wider, and so may a single long link or piece of code.
`tools/wrap_markdown FILE...` wraps what is too long.
"""
from tree import Problem, files, main
from wrapping import FENCE, WIDTH, wrap


def broken_rows(text):
    """The numbers of lines that begin as a row of a table and do not end as one: the rest of the row is not shown."""
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code and line.startswith("|") and not line.rstrip().endswith("|"):
            yield number


def problems(root):
    for path in files(root, suffixes={".md"}):
        text = path.read_text(encoding="utf-8")
        for line in broken_rows(text):
            yield Problem(path, line, "a row of a table must be one line that ends with |")
        if (wrapped := wrap(text)) == text:
            continue
        before, after = text.split("\n"), wrapped.split("\n")
        line = next(number for number, pair in enumerate(zip(before, after), 1) if pair[0] != pair[1])
        yield Problem(path, line, f"wider than {WIDTH} characters: tools/wrap_markdown wraps it")


if __name__ == "__main__":
    main(problems)
