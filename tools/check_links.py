#!/usr/bin/python3
"""Links between the pages lead somewhere, and every page is reached from README.md in two clicks.

A link is checked if it leads into the tree: the file must be there, and the heading, if the link names one. From
README.md one click leads to docs/README.md or to a page itself; a page that needs more than two clicks is hard to find.
The pages of commands are an exception: docs/commands/README.md, one click away, lists all of them.
"""
import re

from tree import Problem, anchor, files, main, prose

LINK = re.compile(r'!?\[[^\]]*\]\(([^)\s]+)(?: "[^"]*")?\)')
CLICKS = 2


def links(path):
    """(line, target) of every link into the tree."""
    for line, text in prose(path.read_text(encoding="utf-8")):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", text)):
            if not re.match(r"[a-z]+:", target):
                yield line, target


def headings(path):
    return {anchor(found.group(1)) for _, text in prose(path.read_text(encoding="utf-8"))
            if (found := re.match(r"#+ (.*)", text.replace("`", "")))}


def broken(path, target):
    """What is wrong with a link, or None."""
    name, _, heading = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return f"{target}: there is no such file"
    if heading and file.suffix == ".md" and heading not in headings(file):
        return f"{target}: there is no such heading"
    return None


def reached(start, clicks):
    """The pages that are reached by this number of clicks."""
    found = {start}
    for _ in range(clicks):
        found |= {(page.parent / target.partition("#")[0]).resolve() for page in found if page.suffix == ".md"
                  for _, target in links(page) if not target.startswith("#")}
        found = {page / "README.md" if page.is_dir() else page for page in found if page.exists()}
        found = {page for page in found if page.exists()}
    return found


def problems(root):
    for path in files(root, suffixes={".md"}):
        # These texts become pages in docs/commands, where their links are checked.
        if path.parent.name == "command_texts":
            continue
        for line, target in links(path):
            if sentence := broken(path, target):
                yield Problem(path, line, sentence)
    if not (root / "README.md").exists():
        return
    near = reached((root / "README.md").resolve(), CLICKS)
    for path in files(root, "docs", {".md"}):
        if path.parent.name != "commands" and path.resolve() not in near:
            yield Problem(path, 1, f"takes more than {CLICKS} clicks from README.md: link to it from docs/README.md")


if __name__ == "__main__":
    main(problems)
