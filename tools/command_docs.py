"""The pages of docs/commands, made from a live server's answers to COMMAND DOCS and COMMAND INFO, and from
command_texts.

Asking the server and not the source proves that both answers are complete and right.
"""
import functools
import sys

from command_texts import INDEX, NONE, OVERVIEW, PLACE, SECTIONS, file_name, read, section_of, sections
from tree import ROOT, Problem
from wrapping import wrap

# The same server that the tests use.
sys.path.insert(0, str(ROOT / "tests" / "server"))
from server import Server  # noqa: E402

NOTE = "<!-- Written by tools/generate_command_docs from the command table and module/command_texts. -->\n"
FOLDER = "docs/commands"
# The guides about a command, by the beginning of its name.
GUIDES = {
    "T": "[logs](../guides/log.md), [work queues](../guides/work-queues.md)",
    "CHAN.": "[channels](../guides/channels.md)",
    "SHARD.": "[worker pools](../guides/worker-pools.md)",
    "IDX.": "[find documents](../guides/find-documents.md)",
    "LOCK.": "[locks](../guides/locks.md)",
    "ROUTE.": "[routes](../guides/routes.md), [filters](../route-filters.md)",
    "FACT.": "[facts](../guides/facts.md)",
    "SUG.": "[suggestions](../guides/suggestions.md)",
    "FEED.": "[feeds](../guides/feeds.md)",
    "MILLRACE.": "[the console's API](../admin-api.md)",
}


# The text before the table of a page's errors, or instead of a table.
COMMON_ERRORS = "[those that every command can give](README.md#errors-that-every-command-can-give)"
SYNTAX_WIDTH = 100


def is_built():
    return (ROOT / "build" / "millrace.so").exists()


def not_built(root):
    return Problem(root / "module" / "module.cc", 1, "no build/millrace.so to ask: build first")


def guides_of(command):
    [guides] = [text for beginning, text in GUIDES.items() if command.startswith(beginning)]
    return guides


def plain(answer):
    """An answer with text in place of bytes."""
    if isinstance(answer, bytes):
        return answer.decode()
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    if isinstance(answer, dict):
        return {plain(name): plain(value) for name, value in answer.items()}
    return answer


def typed(name):
    """A command's name as people type it. The host's own form of a subcommand is tgroup|set."""
    return name.replace("|", " ").upper()


def with_subcommands(docs, infos):
    """The same, but with the subcommands instead of the command that contains them, named as people type them."""
    flat_docs, flat_infos = {}, {}
    for name, doc in docs.items():
        for full_name, sub_doc in doc.get("subcommands", {name: doc}).items():
            flat_docs[typed(full_name)] = sub_doc
        for info in infos[name][9] or [infos[name]]:
            flat_infos[typed(info[0])] = info
    return flat_docs, flat_infos


@functools.cache
def ask_server():
    """(docs, infos) of all our commands, by name. Each process starts only one server for this."""
    with Server() as server, server.connect(protocol=3) as connection:
        def ask(*words):
            return plain(connection.call(*words))

        names = sorted(ask("COMMAND", "LIST", "FILTERBY", "MODULE", "millrace"))
        infos = {info[0]: info for info in ask("COMMAND", "INFO", *names)}
        return with_subcommands(ask("COMMAND", "DOCS", *names), infos)


# --- syntax ---

def argument_syntax(argument):
    """One argument as people write it: [BACKLOG backlog], <this | that>."""
    flags = argument.get("flags", [])
    kind = argument["type"]
    if kind == "pure-token":
        text = argument["token"]
    else:
        if kind == "oneof":
            text = " | ".join(argument_syntax(part) for part in argument["arguments"])
            if "optional" not in flags:
                text = f"<{text}>"
        elif kind == "block":
            text = syntax(argument["arguments"])
        else:
            text = argument.get("display_text", argument["name"])
        if "multiple" in flags:
            token = argument.get("token", "") + " " if "multiple_token" in flags else ""
            text = f"{text} [{token}{text} ...]"
        if "token" in argument:
            text = f"{argument['token']} {text}"
    return f"[{text}]" if "optional" in flags else text


def syntax(arguments):
    return " ".join(argument_syntax(argument) for argument in arguments)


def wrapped(first, words):
    """The words behind the first one, on several lines if one would be too long."""
    lines = [first]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > SYNTAX_WIDTH:
            lines.append("   ")
        lines[-1] += f" {word}"
    return lines


def syntax_lines(name, arguments):
    """The whole command. If its last argument is a choice of forms, each form begins a new line."""
    if not arguments:
        return [name]
    *first, last = arguments
    is_choice = last["type"] == "oneof" and "optional" not in last.get("flags", [])
    forms = [[*first, form] for form in last["arguments"]] if is_choice else [arguments]
    return [line for form in forms for line in wrapped(name, map(argument_syntax, form))]


# --- pages ---

def arity_text(arity):
    words = "word" if abs(arity) == 1 else "words"
    return f"{arity}: {'exactly' if arity > 0 else 'at least'} {abs(arity)} {words}, including the name"


def key_text(spec):
    search, find = spec["begin_search"], spec["find_keys"]
    one_at_index = (search["type"] == "index" and find["type"] == "range" and
                    find["spec"] == {"lastkey": 0, "keystep": 1, "limit": 0})
    if not one_at_index:
        raise ValueError(f"a command has one key at a fixed place, so that it is safe in a cluster; not: {spec}")
    flags = ", ".join(f"`{flag}`" for flag in spec["flags"] if flag != "incomplete")
    others = "; others follow, which `COMMAND GETKEYSANDFLAGS` names" if "incomplete" in spec["flags"] else ""
    return f"word {search['spec']['index'] + 1} of the command, used as {flags}{others}"


def acl_categories(flags, reported):
    """The categories that a command with these flags belongs to, the same on every host."""
    categories = ["@read"] if "readonly" in flags else ["@write"] if "write" in flags else []
    categories += ["@fast" if "fast" in flags else "@slow"]
    categories += ["@blocking"] if "blocking" in flags else []
    categories += ["@admin", "@dangerous"] if "admin" in flags else []
    # Redis 7.0 has no categories for modules and reports none.
    if reported and set(reported) != set(categories):
        raise ValueError(f"flags {flags} go with {categories}, but the server says {reported}")
    return categories


def acl_text(name, categories, key_flags):
    # The flags by which the host itself decides which permission for a key is needed.
    needs = ("R" if "access" in key_flags else "") + ("W" if {"insert", "update", "delete"} & set(key_flags) else "")
    key = f" and its key by `%{needs}~pattern`" if needs else ""
    key += ", those it writes to by `%W~pattern`" if "incomplete" in key_flags else ""
    return (", ".join(f"`{category}`" for category in categories) +
            f"; Redis 7.0 has none for modules: allow the command by `+{name.replace(' ', chr(92) + '|')}`{key}")


def facts(name, doc, info):
    _, arity, flags, _, _, _, reported, _, specs, _ = info
    rows = [
        ("since", doc["since"]),
        ("complexity", doc["complexity"]),
        ("arity", arity_text(arity)),
        ("flags", ", ".join(f"`{flag}`" for flag in sorted(flags))),
        ("ACL categories", acl_text(name, acl_categories(flags, reported), specs[0]["flags"] if specs else [])),
        ("key", key_text(specs[0]) if specs else "none: any node answers, from what it knows itself"),
    ]
    return "| | |\n| --- | --- |\n" + "\n".join(f"| {what} | {value} |" for what, value in rows)


def section_text(text, title):
    body = section_of(text, title).text()
    if title != "Errors":
        return body
    return f"None besides {COMMON_ERRORS}." if body == NONE else f"Besides {COMMON_ERRORS}:\n\n{body}"


def page(name, doc, info, text):
    forms = "\n".join(syntax_lines(name, doc.get("arguments", [])))
    parts = {title: section_text(text, title) for title in SECTIONS}
    parts["Facts"] = facts(name, doc, info)
    body = "\n\n".join(f"## {title}\n\n{part}" for title, part in parts.items())
    return wrap(f"{NOTE}# {name}\n\n```\n{forms}\n```\n\n{doc['summary']}\n\n{body}\n\n"
            f"Guides: {guides_of(name)}. All commands: [index](README.md).\n")


def link(name):
    return f"[{name}]({file_name(name)})"


def overview(template):
    """A row for each section that has commands, with links to them."""
    rows = []
    for section in sections(template):
        for names in PLACE.findall(section.text()):
            anchor = section.title.lower().replace(" ", "-")
            rows.append(f"| [{section.title}](#{anchor}) | {' · '.join(map(link, names.split(', ')))} |")
    return "\n".join(["| | |", "| --- | --- |", *rows])


def index(template, docs):
    """INDEX.md with the tables of commands in their places."""
    def table(place):
        rows = [f"| {link(name)} | {docs[name]['summary']} |" for name in place[1].split(", ")]
        return "\n".join(["| command | what it does |", "| --- | --- |", *rows])

    return NOTE + PLACE.sub(table, template.replace(OVERVIEW, overview(template)))


def pages(root):
    """What docs/commands should hold: text by file name. REQUIRES: check_command_texts finds nothing."""
    docs, infos = ask_server()
    found = {file_name(name): page(name, docs[name], infos[name], read(root, file_name(name))) for name in docs}
    return {"README.md": index(read(root, INDEX), docs), **found}
