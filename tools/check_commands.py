#!/usr/bin/python3
"""Every command has a page in docs/commands, its parser in a fuzzer, and a test on a live server."""
import re

from command_table import commands
from tree import CPP, Problem, files, main


def all_text(root, under, suffixes):
    return "\n".join(path.read_text(encoding="utf-8") for path in files(root, under, suffixes))


def has_word(text, word):
    return re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.]\w)", text) is not None


def problems(root):
    declared = all_text(root, "module", {".h"})
    fuzzed = all_text(root, "fuzz", CPP)
    tested = all_text(root, "tests/server", {".py"})
    table = list(commands(root))
    if not table:
        yield Problem(root / "module", 1, "no command is declared here in a form that this check understands")
    for command in table:
        def problem(sentence):
            return Problem(command.path, command.line, f"{command.name} {sentence}")

        page = f"docs/commands/{command.name}.md"
        if not (root / page).exists():
            yield problem(f"has no page: run tools/generate_command_docs, which writes {page}")
        if not has_word(tested, command.name):
            yield problem("is in no test of tests/server")
        parser = "parse_" + command.name.lower().replace(".", "_")
        if command.arity == 2:
            continue  # the name and the key: nothing to parse
        if not has_word(declared, parser):
            yield problem(f"has no {parser} declared in module/")
        elif not has_word(fuzzed, parser):
            yield problem(f"is not fuzzed: no {parser} in fuzz/")


if __name__ == "__main__":
    main(problems)
