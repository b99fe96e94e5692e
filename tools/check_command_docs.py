#!/usr/bin/python3
"""docs/commands is what tools/generate_command_docs would write now."""
import check_command_texts
from command_docs import FOLDER, is_built, not_built, pages
from tree import Problem, main


def compared(folder, wanted):
    """The problems of a folder that should hold exactly the pages wanted."""
    there = {path.name for path in folder.glob("*.md")}
    for name in sorted(there | set(wanted)):
        path = folder / name
        if name not in wanted:
            yield Problem(path, 1, "describes no command: delete it")
        elif name not in there:
            yield Problem(path, 1, "is missing: run tools/generate_command_docs")
        elif path.read_text(encoding="utf-8") != wanted[name]:
            yield Problem(path, 1, "differs from the command table and the texts: run tools/generate_command_docs")


def problems(root):
    if not is_built():
        yield not_built(root)
    # Pages can be made only from correct texts; check_command_texts reports what is wrong with a text.
    elif not any(check_command_texts.problems(root)):
        yield from compared(root / FOLDER, pages(root))


if __name__ == "__main__":
    main(problems)
