"""The pages of docs/commands, and what they say about options and errors."""

import re
import sys

from server import REPOSITORY

sys.path.append(str(REPOSITORY / "tools"))
from command_texts import HOST_ERRORS, first_column, section_of  # noqa: E402

FOLDER = REPOSITORY / "docs" / "commands"
INDEX = FOLDER / "README.md"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)


def errors_of(path, title="Errors"):
    """The errors in the first column of a section's table, as they are printed."""
    rows = first_column(section_of(path.read_text(), title))
    return [error.replace(r"\|", "|") for _, errors in rows for error in errors]


def options_of(page):
    """The options of a page that begin with a keyword, with the names of their values: "BLOCK milliseconds"."""
    rows = first_column(section_of(page.read_text(), "Options"))
    return [option for _, options in rows for option in options if option.split()[0].isupper()]


def common_errors():
    """The errors that every command can give."""
    return errors_of(INDEX, HOST_ERRORS)


def is_told(error, printed):
    """Whether one of the printed errors is this one; … stands for anything."""
    return any(re.fullmatch(".*".join(map(re.escape, text.split("…"))), str(error), re.DOTALL) for text in printed)
