#!/usr/bin/python3
"""Lines of prose in Markdown are at most 120 characters wide.

Tables, code blocks, headings and drawings may be wider, and so may a single long link or piece of code.
`tools/wrap_markdown FILE...` wraps what is too long.
"""
from tree import Problem, files, main
from wrapping import WIDTH, wrap


def problems(root):
    for path in files(root, suffixes={".md"}):
        text = path.read_text(encoding="utf-8")
        if (wrapped := wrap(text)) == text:
            continue
        before, after = text.split("\n"), wrapped.split("\n")
        line = next(number for number, pair in enumerate(zip(before, after), 1) if pair[0] != pair[1])
        yield Problem(path, line, f"wider than {WIDTH} characters: tools/wrap_markdown wraps it")


if __name__ == "__main__":
    main(problems)
