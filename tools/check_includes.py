#!/usr/bin/python3
"""Who may include whom, and that the engine reads nothing of the world."""
import re

from tree import CPP, Problem, files, line_of, main, without_comments

FOLDERS = ("engine", "module", "client", "cli")
# What a folder may include of ours. The first rule whose prefix fits a file is its rule.
MAY_INCLUDE = (
    ("engine/base/", ("engine/base/",)),
    ("engine/log/", ("engine/base/", "engine/log/")),
    ("engine/", ("engine/base/", "engine/log/", "{own}")),
    ("module/", ("engine/", "module/")),
    ("client/", ("client/",)),
    ("cli/", ("client/", "cli/")),
)
HOST_HEADER = "module/abi/host.h"
HOST_TYPE = re.compile(r"\b(Host[A-Z]\w+|RedisModule\w*)")
# Time, randomness, files, threads and sockets come to the engine as arguments.
WORLD = re.compile(
    r"(chrono|ctime|time\.h|random|fstream|iostream|filesystem|cstdio|stdio\.h|thread|mutex|condition_variable"
    r"|future|unistd\.h|fcntl\.h|netdb\.h|poll\.h|(sys|netinet|arpa|linux)/.*)$"
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def allowed(name: str):
    """The prefixes a file may include, or None if there is no rule for it."""
    for prefix, targets in MAY_INCLUDE:
        if name.startswith(prefix):
            own = "/".join(name.split("/")[:2]) + "/"
            return tuple(target.format(own=own) for target in targets)
    return None


def why_not(name: str, quoted: bool, target: str):
    """Why this file must not include the target, or None."""
    ours = target.startswith(tuple(f"{folder}/" for folder in FOLDERS))
    if target == HOST_HEADER and not name.startswith("module/abi/"):
        return f"{HOST_HEADER} is for module/abi alone"
    rule = allowed(name)
    if ours and rule is not None and not target.startswith(rule):
        return f"{name.rsplit('/', 1)[0]} must not include {target}, only {', '.join(rule)}"
    is_test = name.endswith("_test.cc")
    if name.startswith("engine/") and not is_test and not quoted and WORLD.match(target):
        return f"the engine never reads the world: no <{target}>"
    if name.startswith(FOLDERS) and quoted and "/" not in target and target != "version.h":
        return f'include "{target}" by its path from the top of the tree'
    return None


def problems(root):
    for path in files(root, suffixes=CPP):
        name = path.relative_to(root).as_posix()
        code = without_comments(path.read_text(encoding="utf-8"))
        for include in INCLUDE.finditer(code):
            reason = why_not(name, include[1] == '"', include[2])
            if reason:
                yield Problem(path, line_of(code, include.start(2)), reason)
        if name.startswith("module/abi/"):
            continue
        for found in HOST_TYPE.finditer(code):
            yield Problem(path, line_of(code, found.start()), f"only module/abi names the host's {found[1]}")


if __name__ == "__main__":
    main(problems)
