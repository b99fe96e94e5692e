#!/usr/bin/python3
"""Every setting is described in docs/settings.md."""
import re

from command_table import settings
from tree import Problem, main


def problems(root):
    page = root / "docs" / "settings.md"
    described = page.read_text(encoding="utf-8") if page.exists() else ""
    for setting in settings(root):
        if not re.search(rf"{re.escape(setting.name)}(?![\w-])", described):
            yield Problem(setting.path, setting.line, f"{setting.name} is not described in docs/settings.md")


if __name__ == "__main__":
    main(problems)
