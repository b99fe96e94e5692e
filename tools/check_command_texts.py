#!/usr/bin/python3
"""Every command has a text in module/command_texts, as README.md there describes it, and a place in INDEX.md.

It has all sections, names each argument and keyword of COMMAND DOCS and no other, gives the replies of both
protocols, has errors of known codes only, and an example that calls the command.
"""
import re

from command_docs import ask_server, is_built, not_built
from command_texts import (CODES, CONSOLE, FOLDER, HOST_ERRORS, INDEX, NONE, NOT_OF_A_COMMAND, OUR_ERRORS, PLACE,
                           SECTIONS, described_codes, file_name, first_column, our_codes, read, sections, tables,
                           words_of)
from tree import Problem, line_of, main


def check_options(section, arguments):
    """Yields (line, sentence) for each problem of one text, like the functions below."""
    expected = set(words_of(arguments))
    if not expected and section.text() == NONE:
        return
    named = {}
    for number, codes in first_column(section):
        for code in codes:
            named.update(dict.fromkeys(code.split(), number))
    for word in sorted(expected - set(named)):
        yield section.line, f"Options has no row for `{word}`"
    for word in sorted(set(named) - expected):
        yield named[word], f"`{word}` is not in the syntax of the command"


def check_replies(section):
    rows = (tables(section) or [[]])[0]
    if not rows:
        yield section.line, "Replies has no table with a row for each kind of answer"
    for number, cells in rows:
        if len(cells) != 3 or not all(cells):
            yield number, "a row of Replies says when, what in RESP2, and what in RESP3"


def check_errors(section, known):
    if section.text() == NONE:
        return
    rows = first_column(section)
    if not rows:
        yield section.line, f'Errors has neither a table nor the word "{NONE}"'
    for number, errors in rows:
        if not errors:
            yield number, "a row of Errors begins with the text of an error, in backticks"
        for code in [error.split()[0] for error in errors]:
            if code not in known:
                yield number, f"{code} is no error code of ours, nor one of the host in {INDEX}"


def check_example(section, command):
    blocks = CONSOLE.findall(section.text() + "\n")
    if len(blocks) != 1:
        yield section.line, "Example is one console block"
    elif not re.search(rf"^\$ .*redis-cli (-\S+ )*{re.escape(command)}\b", blocks[0], re.M):
        yield section.line, f"the example does not call {command}"


def check_text(text, command, arguments, known):
    found = sections(text)
    if [section.title for section in found] != SECTIONS:
        yield 1, f"has not exactly the sections {', '.join(SECTIONS)}, in this order"
        return
    options, replies, errors, example = found
    yield from check_options(options, arguments)
    yield from check_replies(replies)
    yield from check_errors(errors, known)
    yield from check_example(example, command)


def check_index(index, docs, ours):
    """INDEX.md has each command once, and explains each of our error codes."""
    places = [(line_of(index, place.start()), name) for place in PLACE.finditer(index) for name in place[1].split(", ")]
    placed = [name for _, name in places]
    for number, name in places:
        if name not in docs:
            yield number, f"there is no command {name}"
        elif placed.count(name) > 1:
            yield number, f"{name} is here more than once"
    for name in sorted(set(docs) - set(placed)):
        yield 1, f"{name} is in no table"
    described = described_codes(index, OUR_ERRORS)
    for code in sorted(ours - set(described)):
        yield 1, f'"{OUR_ERRORS}" has no row for {code}, which {CODES} has'
    for code in sorted(set(described) - ours):
        yield described[code], f"{CODES} has no {code}"


def text_problems(root, docs):
    """The problems of the texts below root; `docs` is what COMMAND DOCS says about the commands: name -> doc."""
    folder = root / FOLDER
    index = read(root, INDEX)
    ours = our_codes(root)
    for number, sentence in check_index(index, docs, ours):
        yield Problem(folder / INDEX, number, sentence)
    known = ours | set(described_codes(index, HOST_ERRORS))
    for name in sorted(docs):
        path = folder / file_name(name)
        if not path.exists():
            yield Problem(path, 1, f"is missing: {name} has no text")
            continue
        text = path.read_text(encoding="utf-8")
        for number, sentence in check_text(text, name, docs[name].get("arguments", []), known):
            yield Problem(path, number, sentence)
    expected = {file_name(name) for name in docs} | NOT_OF_A_COMMAND
    for path in sorted(folder.glob("*.md")):
        if path.name not in expected:
            yield Problem(path, 1, "describes no command: delete it")


def problems(root):
    if not is_built():
        yield not_built(root)
        return
    docs, _ = ask_server()
    yield from text_problems(root, docs)


if __name__ == "__main__":
    main(problems)
