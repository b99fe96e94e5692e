#!/usr/bin/python3
"""Files have at most 500 lines; with a reason given, at most 800; never more."""
import re

from tree import CPP, Problem, files, lines, main

WANTS_REASON = 500
MOST = 800
SOURCE = CPP | {".py", ".sh", ".cmake"}
# Among the first lines: "Long because ..."
REASON = re.compile(r"^\s*(//|#).*\blong because \w+", re.IGNORECASE)


def problems(root):
    for path in files(root):
        text = lines(path)
        is_script = path.suffix == "" and text and text[0].startswith("#!")
        if path.suffix not in SOURCE and not is_script:
            continue
        if len(text) > MOST:
            yield Problem(path, MOST + 1, f"{len(text)} lines, more than {MOST}: split it")
        elif len(text) > WANTS_REASON and not any(REASON.match(line) for line in text[:20]):
            yield Problem(path, WANTS_REASON + 1,
                          f"{len(text)} lines: split it, or say \"Long because ...\" in a comment at its top")


if __name__ == "__main__":
    main(problems)
