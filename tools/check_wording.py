#!/usr/bin/python3
"""No paths of somebody's machine, and no work left for later: that belongs in an issue."""
import re

from tree import Problem, files, lines, main

UNWANTED = (
    # A path inside a longer one, as in docs/home/, is not a machine's.
    (re.compile(r"(?<![\w.}/*-])/(work|home|root|Users)/\w"), "a path of one machine"),
    (re.compile(r"\b(TO[D]O|FIX[M]E)\b"), "work left for later: do it, or open an issue"),
)


def problems(root):
    for path in files(root):
        for number, line in enumerate(lines(path), 1):
            for pattern, sentence in UNWANTED:
                found = pattern.search(line)
                if found:
                    yield Problem(path, number, f"{found[0]}: {sentence}")


if __name__ == "__main__":
    main(problems)
