"""The texts of module/command_texts: what docs/commands says about a command besides the command table.

README.md there says how a text is made. INDEX.md is the index page, with a line `<!-- commands: A, B -->` where the
table of these commands belongs, and a line `<!-- overview -->` for links to all of them.
"""
import re
from typing import NamedTuple

FOLDER = "module/command_texts"
INDEX = "INDEX.md"
NOT_OF_A_COMMAND = {"README.md", INDEX}
SECTIONS = ["Options", "Replies", "Errors", "Example"]
# The text of Options and Errors if there is no table.
NONE = "None."
# Where INDEX.md describes the errors of the host and ours.
HOST_ERRORS = "Errors that every command can give"
OUR_ERRORS = "Error codes of Millrace"
# The function that turns error codes into words.
CODES = "module/abi/reply.cc"

HEADING = re.compile(r"^## (.+)$")
RULE = re.compile(r"^\|( --- \|)+$")
CODE = re.compile(r"`([^`]+)`")
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
PLACE = re.compile(r"^<!-- commands: (.+) -->$", re.M)
OVERVIEW = "<!-- overview -->"


class Section(NamedTuple):
    title: str
    line: int
    lines: list[str]

    def text(self):
        return "\n".join(self.lines).strip()


def file_name(command):
    return f"{command.replace(' ', '-')}.md"


def read(root, name):
    return (root / FOLDER / name).read_text(encoding="utf-8")


def sections(text):
    """The sections of a text; lines before the first heading are a section without a title."""
    found = [Section("", 1, [])]
    for number, line in enumerate(text.splitlines(), 1):
        heading = HEADING.match(line)
        if heading:
            found.append(Section(heading[1], number, []))
        else:
            found[-1].lines.append(line)
    return found if found[0].text() else found[1:]


def tables(section):
    """The tables of a section, each a list of rows (line number, cells) without its heading."""
    found, is_row = [], False
    for number, line in enumerate(section.lines, section.line + 1):
        if RULE.match(line):
            found.append([])
            is_row = True
        elif not line.startswith("|"):
            is_row = False
        elif is_row:
            found[-1].append((number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]))
    return found


def first_column(section):
    """(line number, text in backticks) of each row of the section's first table."""
    return [(number, CODE.findall(cells[0])) for number, cells in (tables(section) or [[]])[0]]


def words_of(arguments):
    """Every name and keyword that a user sees in the syntax of a command."""
    for argument in arguments:
        if "token" in argument:
            yield argument["token"]
        if "arguments" in argument:
            yield from words_of(argument["arguments"])
        elif argument["type"] != "pure-token":
            yield argument.get("display_text", argument["name"])


def section_of(text, title):
    """A section of a text; an empty one if there is none."""
    return next((section for section in sections(text) if section.title == title), Section(title, 1, []))


def described_codes(index, title):
    """code -> line number, of the codes that a section of INDEX.md describes."""
    return {code.split()[0]: number for number, found in first_column(section_of(index, title)) for code in found}


def our_codes(root):
    """The words that our errors begin with, from the source."""
    source = (root / CODES).read_text(encoding="utf-8")
    return set(re.findall(r'return "([A-Z]+) ";', source))
