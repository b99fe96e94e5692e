#!/usr/bin/python3
"""No paths of somebody's machine, no work left for later (that belongs in an issue), and plain words in comments."""
import re

from tree import CPP, Problem, files, lines, main

UNWANTED = (
    # A path inside a longer one, as in docs/home/, is allowed.
    (re.compile(r"(?<![\w.}/*-])/(work|home|root|Users)/\w"), "a path of one machine"),
    (re.compile(r"\b(TO[D]O|FIX[M]E)\b"), "work left for later: do it, or open an issue"),
)
# In C++ comments. These words were replaced everywhere, because they needed a second reading (CONTRIBUTING.md,
# "Commits").
COMMENT = re.compile(r"(?:^|\s)//(.*)")
HARD_TO_READ = (
    (re.compile(r"\b(nobody|somebody|anybody|whoever)\b", re.IGNORECASE),
     "name the client, thread, request or user; or say it without: \"if it is not used\""),
    (re.compile(r"\bvouched\b", re.IGNORECASE), "the usual word is: untrusted bytes"),
    (re.compile(r"\bof its own accord\b|\bso manieth\b|\bat (its |the caller's )?leisure\b|\b(its|their) own affair\b",
                re.IGNORECASE), "say it in plain words"),
    (re.compile(r"\bdearer\b", re.IGNORECASE), "the usual words are: more expensive, larger, slower"),
)


def problems(root):
    for path in files(root):
        for number, line in enumerate(lines(path), 1):
            for pattern, sentence in UNWANTED:
                found = pattern.search(line)
                if found:
                    yield Problem(path, number, f"{found[0]}: {sentence}")
            comment = COMMENT.search(line) if path.suffix in CPP else None
            for pattern, sentence in HARD_TO_READ if comment else ():
                found = pattern.search(comment[1])
                if found:
                    yield Problem(path, number, f"{found[0]}: {sentence}")


if __name__ == "__main__":
    main(problems)
