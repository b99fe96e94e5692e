#!/usr/bin/python3
"""Every command has a page in docs/commands, its parser in a fuzzer, and a test on a live server.

Every command that has subcommands has HELP among them.
"""
import re

from command_table import commands
from tree import CPP, Problem, files, main


def all_text(root, under, suffixes):
    return "\n".join(path.read_text(encoding="utf-8") for path in files(root, under, suffixes))


def has_word(text, word):
    return re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.]\w)", text) is not None


# Commands without a parser of their own, and why.
NOTHING_TO_PARSE = {
    "TGROUP DROP": "its words are a key and a name, both any bytes",
    "LOCK.APPLY": "its one word is bytes, which lock_payload_fuzz.cc decodes",
}


def is_tested(tested, name):
    """Whether a test contains the command: as one word, or, if it is a subcommand, as two words one after the other."""
    words = name.split()
    return has_word(tested, name) if len(words) == 1 else f'"{words[0]}", "{words[1]}"' in tested


def problems(root):
    declared = all_text(root, "module", {".h"})
    fuzzed = all_text(root, "fuzz", CPP)
    tested = all_text(root, "tests/server", {".py"})
    table = list(commands(root))
    if not table:
        yield Problem(root / "module", 1, "no command is declared here in a form that this check understands")
    names = {command.name for command in table}
    containers = {name.split()[0] for name in names if " " in name}
    for command in table:
        def problem(sentence):
            return Problem(command.path, command.line, f"{command.name} {sentence}")

        if command.name in containers:  # each of its subcommands is checked on its own
            if f"{command.name} HELP" not in names:
                yield problem(f'has subcommands and no help_row("{command.name} HELP") behind them')
            continue
        page = f"docs/commands/{command.name.replace(' ', '-')}.md"
        if not (root / page).exists():
            yield problem(f"has no page: run tools/generate_command_docs, which writes {page}")
        if not is_tested(tested, command.name):
            yield problem("is in no test of tests/server")
        parser = "parse_" + command.name.lower().replace(".", "_").replace(" ", "_")
        if 0 < command.arity <= len(command.name.split()) + 1 or command.name in NOTHING_TO_PARSE:
            continue  # the name, and the key if there is one: nothing to parse
        if not has_word(declared, parser):
            yield problem(f"has no {parser} declared in module/")
        elif not has_word(fuzzed, parser):
            yield problem(f"is not fuzzed: no {parser} in fuzz/")


if __name__ == "__main__":
    main(problems)
