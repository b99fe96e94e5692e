#!/usr/bin/python3
"""The two halves of the Python package match: millrace/sync is generated from millrace/asyncio, and the two waiting.py,
which are written by hand, have the same names with the same arguments."""
import ast
import importlib.machinery
import importlib.util

from tree import Problem, main

PACKAGE = "clients/python/src/millrace"
GENERATOR = "clients/python/generate_sync"


def generator(root):
    """The program that generates one half from the other, as a module."""
    loader = importlib.machinery.SourceFileLoader("generate_sync", str(root / GENERATOR))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("generate_sync", loader))
    loader.exec_module(module)
    return module


def names(path):
    """What a module offers: name -> arguments, of functions and of methods; None for everything else."""
    found = {}

    def add(prefix, body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if not node.name.startswith("_") or node.name == "__init__":
                    taken = [*node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]
                    found[prefix + node.name] = [argument.arg for argument in taken if argument is not None]
            elif isinstance(node, ast.ClassDef):
                add(f"{prefix}{node.name}.", node.body)
            elif isinstance(node, ast.Assign) and not prefix:
                found.update((target.id, None) for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, ast.AnnAssign) and not prefix:
                found[node.target.id] = None

    add("", ast.parse(path.read_text(encoding="utf-8")).body)
    # One half may use a class of Python where the other has one of its own.
    return {name: arguments for name, arguments in found.items() if not name.startswith(("Mutex", "Cancelled"))
            and not name.endswith("__init__")}


def problems(root):
    package = root / PACKAGE
    if not package.exists():
        return
    for path in generator(root).differences(package):
        yield Problem(path, 1, f"is not what {GENERATOR} makes of millrace/asyncio: run it")
    one, other = package / "asyncio" / "waiting.py", package / "sync" / "waiting.py"
    ours, theirs = names(one), names(other)
    for name in sorted(ours.keys() ^ theirs.keys()):
        yield Problem(one if name in theirs else other, 1, f"does not have {name}, which the other half has")
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name]:
            yield Problem(other, 1, f"{name} takes {theirs[name]}, and in the other half {ours[name]}")


if __name__ == "__main__":
    main(problems)
