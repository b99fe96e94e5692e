"""What the checks of the tree have in common: the list of files, the form of a problem, a report, a main function.

A check is a module check_<what>.py with a docstring that says what it requires, and a function problems(root) that
yields the problems. check_all runs them all.
"""
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Iterator, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# Names in .gitignore: generated files.
NOT_OURS = re.compile(r"^(build|build-.*|data|\.git|__pycache__|\.pytest_cache)$")
CPP = {".cc", ".h"}


class Problem(NamedTuple):
    path: Path
    line: int
    sentence: str

    def text(self, root: Path) -> str:
        return f"{self.path.relative_to(root)}:{self.line}: {self.sentence}"


class Skipped(Exception):
    """Raised by a check that cannot be made on this machine; the text says why."""


def files(root: Path, under: str = ".", suffixes=None) -> Iterator[Path]:
    """The files of the tree in a stable order; if suffixes are given, only files with one of them."""
    start = root / under
    if not start.is_dir():
        return
    for path in sorted(start.iterdir()):
        if NOT_OURS.match(path.name) or path.is_symlink():
            continue
        if path.is_dir():
            yield from files(root, str(path.relative_to(root)), suffixes)
        elif suffixes is None or path.suffix in suffixes:
            yield path


def lines(path: Path) -> list[str]:
    """The lines of a text file; none for a binary file, which is not checked."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def without_comments(text: str) -> str:
    """C++ with its comments blanked and its lines kept."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return pattern.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


def prose(page: str) -> Iterator[tuple[int, str]]:
    """The lines of a Markdown page that are in no block of code, with their numbers."""
    in_code = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield number, line


def anchor(heading: str) -> str:
    """The name that a heading of a Markdown page has in links, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def report(suite: str, results, junit) -> int:
    """Prints results, which are pairs of a name and its findings, as they arrive; returns the exit status. In place of
    findings there may be a Skipped.

    If junit is given, it is the name of a file to which they are written too, as JUnit's XML.
    """
    cases = xml.Element("testsuite", name=suite)
    failed = False
    for name, found in results:
        case = xml.SubElement(cases, "testcase", classname=suite, name=name)
        if isinstance(found, Skipped):
            print(f"skipped {name}: {found}", flush=True)
            xml.SubElement(case, "skipped", message=str(found))
            continue
        print(f"{'failed' if found else 'ok':6} {name}", flush=True)
        for text in found:
            print(f"  {text}", flush=True)
        if found:
            failed = True
            xml.SubElement(case, "failure").text = "\n".join(found)
    if junit:
        xml.ElementTree(cases).write(junit)
    return 1 if failed else 0


def main(problems) -> None:
    """The main function of a check that is called alone: an optional argument is the tree to check."""
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    try:
        found = list(problems(root))
    except Skipped as reason:
        sys.exit(f"not checked: {reason}")
    for problem in found:
        print(problem.text(root))
    sys.exit(1 if found else 0)
