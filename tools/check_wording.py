#!/usr/bin/python3
"""No paths of one machine, no work left for later (that belongs in an issue), and plain words in comments."""
import io
import re
import tokenize

from tree import CPP, Problem, files, lines, main

UNWANTED = (
    # A path inside a longer one, as in docs/home/, is allowed.
    (re.compile(r"(?<![\w.}/*-])/(work|home|root|Users)/\w"), "a path of one machine"),
    (re.compile(r"\b(TO[D]O|FIX[M]E)\b"), "work left for later: do it, or open an issue"),
)
# In comments. These words were replaced everywhere, because they needed a second reading (CONTRIBUTING.md, "Commits").
LIKE_CPP = {*CPP, ".c", ".cjs", ".js", ".mjs", ".ts"}
COMMENT = re.compile(r"(?:(?:^|\s)(?://|/\*)|^\s*\*)(.*)")
HARD_TO_READ = (
    (re.compile(r"\b(nobody|somebody|anybody|whoever)\b", re.IGNORECASE),
     "name the client, thread, request or user; or say it without: \"if it is not used\""),
    (re.compile(r"\bvouched\b", re.IGNORECASE), "the usual word is: untrusted bytes"),
    (re.compile(r"\bof its own accord\b|\bso manieth\b|\bat (its |the caller's )?leisure\b|\b(its|their) own affair\b",
                re.IGNORECASE), "say it in plain words"),
    (re.compile(r"\bdearer\b", re.IGNORECASE), "the usual words are: more expensive, larger, slower"),
    (re.compile(r"\banew\b", re.IGNORECASE), "the usual word is: again"),
    (re.compile(r"\bha(s|d|ve) in hand\b|\bin its hands?\b", re.IGNORECASE), "the usual words are: in flight"),
    (re.compile(r"\bdoubled on (its|their) way up\b", re.IGNORECASE), "the usual words are: grows by doubling"),
    (re.compile(r"\bgoes on like any other\b", re.IGNORECASE), "the usual words are: works like any other"),
    (re.compile(r"\bheir\b", re.IGNORECASE), "the usual words are: the new master"),
)


def comments(path):
    """(line number, text) of the comments in a source file, with the docstrings of Python."""
    if path.suffix in LIKE_CPP:
        for number, line in enumerate(lines(path), 1):
            found = COMMENT.search(line)
            if found:
                yield number, found[1]
    elif path.suffix == ".py":
        begins = True
        for token in tokenize.generate_tokens(io.StringIO("\n".join([*lines(path), ""])).readline):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and begins):
                for number, text in enumerate(token.string.splitlines(), token.start[0]):
                    yield number, text
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def problems(root):
    for path in files(root):
        for number, line in enumerate(lines(path), 1):
            for pattern, sentence in UNWANTED:
                found = pattern.search(line)
                if found:
                    yield Problem(path, number, f"{found[0]}: {sentence}")
        for number, text in comments(path):
            for pattern, sentence in HARD_TO_READ:
                found = pattern.search(text)
                if found:
                    yield Problem(path, number, f"{found[0]}: {sentence}")


if __name__ == "__main__":
    main(problems)
