#!/usr/bin/python3
"""docs/commands is what tools/generate_command_docs would write now."""
from command_docs import FOLDER, pages
from tree import ROOT, Problem, main


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
            yield Problem(path, 1, "is not what the server says: run tools/generate_command_docs")


def problems(root):
    module = ROOT / "build" / "millrace.so"
    if not module.exists():
        yield Problem(root / "module" / "command_table.cc", 1, "no build/millrace.so to ask: build first")
        return
    yield from compared(root / FOLDER, pages())


if __name__ == "__main__":
    main(problems)
