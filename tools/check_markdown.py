#!/usr/bin/python3
"""Lines of prose in Markdown are at most 120 characters wide.

Tables, code blocks, headings and drawings keep their own width. A line that is one long word, such as a link, is left
alone. `tools/wrap_markdown FILE...` wraps what is too long.
"""
from tree import Problem, files, main, prose
from wrapping import WIDTH, is_fixed


def problems(root):
    for path in files(root, suffixes={".md"}):
        for line, text in prose(path.read_text(encoding="utf-8")):
            if len(text) > WIDTH and not is_fixed(text) and " " in text.strip():
                yield Problem(path, line, f"{len(text)} characters, more than {WIDTH}: tools/wrap_markdown mends it")


if __name__ == "__main__":
    main(problems)
