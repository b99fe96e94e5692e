"""tests/hosts/fresh finds what compilers warn of, and nothing else that says "warning"."""
import importlib.machinery
import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parent.parent / "tests" / "hosts" / "fresh"


@pytest.fixture(scope="module")
def fresh():
    loader = importlib.machinery.SourceFileLoader("fresh", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fresh", loader))
    loader.exec_module(module)
    return module


def test_what_a_compiler_warns_of_is_found(fresh, tmp_path):
    (tmp_path / "a.cc").write_text("int main() { int unused; }\n")
    done = subprocess.run([os.environ.get("CXX", "g++"), "-Wall", "-c", "a.cc"], cwd=tmp_path, capture_output=True,
                          text=True)
    (found,) = fresh.WARNING.findall(done.stderr)
    assert found.startswith("a.cc:1:18: warning: unused variable")


@pytest.mark.parametrize("line", [
    "/m/module/a.cc:7:1: warning: ‘x’ may be used uninitialized [-Wmaybe-uninitialized]",
    "cc1plus: warning: unrecognized command line option",
    "lto-wrapper: warning: using serial compilation of 2 LTRANS jobs",
    "/usr/bin/ld: warning: a.o: missing .note.GNU-stack section implies executable stack",
    "clang++-17: warning: argument unused during compilation",
    "CMake Warning (dev) at gateway/CMakeLists.txt:2 (find_package):",
    "CMake Deprecation Warning at CMakeLists.txt:1:",
])
def test_so_is_what_linkers_and_cmake_warn_of(fresh, line):
    assert fresh.WARNING.findall(f"[1/2] Building\n{line}\n[2/2] Building\n") == [line]


@pytest.mark.parametrize("line", [
    "update-alternatives: warning: skip creation of /usr/share/man/man1/c++.1.gz",
    "dpkg: warning: ignoring request to remove x", "rehash: warning: skipping ca-certificates.crt",
    "npm warn deprecated glob@7.2.3: no longer supported", "12:C 19 Nov 2026 12:00:00 # Warning: no config file",
    "tests/server/test_a.py:12: DeprecationWarning: old", "================= warnings summary ================",
])
def test_what_installations_and_tests_warn_of_is_not(fresh, line):
    assert fresh.WARNING.findall(f"x\n{line}\ny\n") == []
