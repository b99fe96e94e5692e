#!/usr/bin/python3
"""Every *_test.cc and fuzz target is compiled, and every TEST in it is one that ctest runs."""
import json
import re
import subprocess
from pathlib import Path

from tree import Problem, files, line_of, main, without_comments

TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


JOINED = re.compile(r'^#line 1 "(.+)"$', re.MULTILINE)


def compiled(build):
    """The files that are compiled: each by itself, or joined to one with others, which cmake/join_tests.cmake names."""
    alone = {entry["file"] for entry in json.loads((build / "compile_commands.json").read_text())}
    units = [Path(name) for name in alone if Path(name).is_relative_to(build) and Path(name).exists()]
    return alone.union(*(JOINED.findall(unit.read_text(encoding="utf-8")) for unit in units))


def run_by_ctest(build):
    """The names of all tests, one to a line."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, check=True)
    return "\n".join(test["name"] for test in json.loads(shown.stdout)["tests"])


def problems(root):
    build = root / "build-sanitize"
    if not (build / "compile_commands.json").exists():
        yield Problem(root / "CMakeLists.txt", 1, "there is no build in build-sanitize/, from which the registered tests are read")
        return
    built, registered = compiled(build), run_by_ctest(build)
    if "_NOT_BUILT" in registered:
        yield Problem(root / "CMakeLists.txt", 1, "the tests are not built in build-sanitize/, so ctest cannot list them")
        return
    for path in files(root, suffixes={".cc"}):
        is_fuzz_target = path.parent == root / "fuzz"
        if not path.name.endswith("_test.cc") and not is_fuzz_target:
            continue
        if str(path) not in built:
            yield Problem(path, 1, "is in no target of CMake: it never runs")
            continue
        code = without_comments(path.read_text(encoding="utf-8"))
        for test in TEST.finditer(code):
            # A parameterised test has a prefix, a suffix, or both.
            if not re.search(rf"\b{test[1]}\b.*\.{test[2]}\b", registered):
                yield Problem(path, line_of(code, test.start()), f"ctest does not know {test[1]}.{test[2]}")


if __name__ == "__main__":
    main(problems)
