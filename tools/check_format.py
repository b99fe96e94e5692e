#!/usr/bin/python3
"""C++ is formatted by clang-format, in the version that the tree is formatted with."""
import re
import shutil
import subprocess

from tree import CPP, Problem, Skipped, files, main

# Versions differ in details, so with several versions a change would be made by one and undone by another.
VERSION = 14
FINDING = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+):\d+: (?:error|warning):", re.MULTILINE)


def clang_format():
    """The program, or None if it is not installed in the right version."""
    for program in (f"clang-format-{VERSION}", "clang-format"):
        if shutil.which(program):
            shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(rf"version {VERSION}\.", shown):
                return program
    return None


def problems(root):
    program = clang_format()
    sources = {str(path): path for path in files(root, suffixes=CPP)}
    if not sources:
        return
    if program is None:
        raise Skipped(f"there is no clang-format of version {VERSION}")
    run = subprocess.run([program, "--dry-run", "-Werror", *sources], capture_output=True, text=True, cwd=root)
    seen = set()
    for finding in FINDING.finditer(run.stderr):
        path = sources[finding["path"]]
        if path not in seen:  # one finding for each file is enough
            seen.add(path)
            yield Problem(path, int(finding["line"]), f"is not formatted: run {program} -i on it")


if __name__ == "__main__":
    main(problems)
