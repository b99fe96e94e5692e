"""The commands and settings as the source of the module declares them."""
import re
from pathlib import Path
from typing import Iterator, NamedTuple

from tree import files, line_of

# A row of the table: its flags are a string, which an argument's are not.
COMMAND = re.compile(r'\.name = "([^"]+)",\s*\.flags = "[^"]*",.*?\.arity = (-?\d+)', re.DOTALL)
# The row of a container's HELP, module/runtime/container_help.h.
HELP_ROW = re.compile(r'^ *help_row\("([^"]+)"\)', re.MULTILINE)
SETTING = re.compile(r'\.name = "([^"]+)",\s*\.initial = ')


class Row(NamedTuple):
    name: str
    path: Path
    line: int
    arity: int = 0


def commands(root: Path) -> Iterator[Row]:
    for path in files(root, "module", {".cc"}):
        text = path.read_text(encoding="utf-8")
        for row in COMMAND.finditer(text):
            yield Row(row[1], path, line_of(text, row.start()), int(row[2]))
        for row in HELP_ROW.finditer(text):
            yield Row(row[1], path, line_of(text, row.start()), arity=2)


def settings(root: Path) -> Iterator[Row]:
    for path in files(root, "module", {".cc"}):
        text = path.read_text(encoding="utf-8")
        for row in SETTING.finditer(text):
            yield Row(f"millrace.{row[1]}", path, line_of(text, row.start()))
