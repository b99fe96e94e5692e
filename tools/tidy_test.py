"""tools/check_tidy looks at the files that a change concerns, and finds what clang-tidy finds."""
import os
import shutil
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

import junit
import tidy_files

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(root, *words):
    alone = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(["git", "-C", root, "-c", "user.name=t", "-c", "user.email=t", *words],
                   check=True, capture_output=True, env=alone)


def commit(root, files):
    write(root, files)
    git(root, "add", "--all")
    git(root, "commit", "--allow-empty", "--message", "x")


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--initial-branch", "main")
    commit(root, {"engine/log/a.cc": "", "engine/log/b.cc": "", "README.md": ""})
    return root


def touched(root):
    return tidy_files.changed(root, tidy_files.base(root))


# --- which files ---

def test_without_upstream_the_last_commit_counts(repository):
    assert touched(repository) == []
    commit(repository, {"engine/log/b.cc": "int b;\n", "README.md": "text"})
    assert touched(repository) == ["engine/log/b.cc"]
    commit(repository, {"engine/log/a.cc": "int a;\n"})
    assert touched(repository) == ["engine/log/a.cc"]


@pytest.mark.parametrize("upstream", ["main", "trunk"])
def test_a_branch_counts_from_where_it_left_upstream(tmp_path, repository, upstream):
    git(repository, "branch", "--move", upstream)
    ours = tmp_path / "ours"
    git(tmp_path, "clone", repository, ours)
    commit(ours, {"engine/log/b.cc": "int b;\n"})
    commit(ours, {"cli/c.cc": "int c;\n"})
    commit(repository, {"engine/log/a.cc": "int a;\n"})
    git(ours, "fetch")
    assert touched(ours) == ["engine/log/b.cc", "cli/c.cc"]


def test_what_is_not_committed_counts(repository):
    commit(repository, {"engine/log/a.cc": "int a;\n"})
    write(repository, {"engine/log/b.cc": "int b;\n", "fuzz/new.cc": "", "bench/new.cc": "", "build/x.cc": ""})
    (repository / "engine/log/a.cc").unlink()
    assert touched(repository) == ["engine/log/b.cc", "fuzz/new.cc"]


def test_without_commits_there_is_no_base(tmp_path):
    assert tidy_files.base(tmp_path) is None


def test_a_header_is_checked_through_a_source_that_includes_it(tmp_path):
    write(tmp_path, {
        "engine/log/own.h": "", "engine/log/own.cc": "",
        "engine/log/other.cc": '#include "engine/log/own.h"\n#include "engine/log/shared.h"\n',
        "engine/log/shared.h": '#include "engine/log/deep.h"\n', "engine/log/deep.h": "", "engine/log/unused.h": "",
    })

    def concerned(*names):
        return tidy_files.concerned(tmp_path, [f"engine/log/{name}" for name in names])

    assert concerned("own.h") == ["engine/log/own.cc"]
    assert concerned("deep.h", "shared.h") == ["engine/log/other.cc"]
    assert concerned("own.h", "other.cc", "unused.h") == ["engine/log/other.cc", "engine/log/own.cc"]


# --- units ---

def unit(root, name, text=""):
    write(root, {name: text})
    return tidy_files.Unit(root / name, root)


def test_a_source_that_is_compiled_alone_is_a_unit(tmp_path):
    alone = unit(tmp_path, "engine/log/a.cc", '#include "engine/log/a.h"\n')
    assert alone.sources == ["engine/log/a.cc"]
    assert alone.origin(alone.path, 7) == (alone.path, 7)


def test_a_finding_in_a_copy_of_sources_is_shown_where_it_was_copied_from(tmp_path):
    a, b = tmp_path / "engine/log/a_test.cc", tmp_path / "engine/log/b_test.cc"
    copy = unit(tmp_path, "build-tidy/tests/unit_tests_from_0.cc",
                f'#line 1 "{a}"\nint a;\nint aa;\n\n#line 1 "{b}"\nint b;\n\n')
    assert copy.sources == ["engine/log/a_test.cc", "engine/log/b_test.cc"]
    assert [copy.origin(copy.path, line) for line in (2, 3, 6)] == [(a, 1), (a, 2), (b, 1)]
    assert copy.origin(tmp_path / "engine/log/a.h", 3) == (tmp_path / "engine/log/a.h", 3)


def test_each_source_is_read_once_and_one_that_no_target_compiles_alone(tmp_path):
    folder = unit(tmp_path, "build-tidy/engine/unity_log.cxx",
                  "".join(f'#include "{tmp_path}/engine/log/{name}.cc"\n' for name in "ab"))
    alone, other = unit(tmp_path, "engine/log/b.cc"), unit(tmp_path, "cli/c.cc")

    def read(*names):
        return [one.path for one in tidy_files.covering(names, [folder, alone, other], tmp_path)]

    assert read("engine/log/b.cc", "engine/log/a.cc") == [folder.path]
    assert read("examples/d.cc", "cli/c.cc") == [other.path, tmp_path / "examples/d.cc"]


# --- the whole ---

needs_clang_tidy = pytest.mark.skipif(
    subprocess.run(["bash", "-c", f"source {ROOT}/packaging/prepare.sh; find_clang_tidy"], capture_output=True).returncode,
    reason="there is no clang-tidy of version 16")


@pytest.fixture
def small_tree(repository):
    """A tree with this one's tools and rules, and a program to check."""
    for name in ("tools/check_tidy", "tools/tidy_files.py", "tools/tree.py", "packaging/prepare.sh", ".clang-tidy",
                 "cmake/build_speed.cmake", "cmake/join_tests.cmake"):
        (repository / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, repository / name)
    write(repository, {
        ".gitignore": "/build-*/\n__pycache__/\n",
        "CMakePresets.json": '{"version": 6, "configurePresets": [{"name": "tidy", "generator": "Ninja", '
                             '"binaryDir": "${sourceDir}/build-tidy"}]}',
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES CXX)\n"
                          "set(CMAKE_EXPORT_COMPILE_COMMANDS ON)\ninclude(cmake/build_speed.cmake)\n"
                          "file(GLOB sources CONFIGURE_DEPENDS engine/*/*.cc)\n"
                          "file(GLOB tests ${PROJECT_SOURCE_DIR}/tests/model/*_test.cc)\n"
                          "add_library(small ${sources})\ntarget_include_directories(small PRIVATE .)\n"
                          "millrace_units(small)\nmillrace_join_tests(joined model 2 ${tests})\n"
                          "add_executable(model ${joined})\n",
        "tests/model/one_test.cc": "\nnamespace {\nconstexpr int kOne = 1;\n}  // namespace\n",
        "tests/model/two_test.cc": "\nnamespace {\nconstexpr int kTwo = 2;\n}  // namespace\n",
    })
    commit(repository, {"engine/log/a.h": "inline int twice(int number) { return 2 * number; }\n",
                        "engine/log/a.cc": '#include "engine/log/a.h"\n', "engine/log/b.cc": "int BadName() { return 1; }\n"})
    commit(repository, {})
    return repository


def check_tidy(root, *options):
    done = subprocess.run([root / "tools" / "check_tidy", *options], capture_output=True, text=True)
    assert not done.stderr
    return sorted(done.stdout.splitlines()), done.returncode


BAD_NAME = "  engine/log/b.cc:1: invalid case style for function 'BadName' [readability-identifier-naming"
ENGINE_UNIT = "build-tidy/CMakeFiles/small.dir/Unity/unity_engine_log_cxx.cxx"
TEST_UNIT = "build-tidy/model_from_0.cc"


@needs_clang_tidy
def test_a_finding_in_a_header_that_has_changed_is_found(small_tree):
    assert check_tidy(small_tree) == (["no C++ file has changed"], 0)
    write(small_tree, {"engine/log/a.h": "inline int Twice(int number) { return 2 * number; }\n"})
    lines, status = check_tidy(small_tree)
    assert lines[0].startswith("  engine/log/a.h:1: invalid case style for function 'Twice'")
    assert lines[1].startswith(BAD_NAME)  # which is read with it
    assert lines[2:] == ["1 files in 1 units", f"failed {ENGINE_UNIT}"] and status == 1


@needs_clang_tidy
def test_all_includes_files_that_have_not_changed(small_tree, tmp_path):
    results = tmp_path / "results.xml"
    lines, status = check_tidy(small_tree, "--all", "--junit", results)
    assert lines[0].startswith(BAD_NAME)
    assert lines[1:] == ["4 files in 2 units", f"failed {ENGINE_UNIT}", f"ok     {TEST_UNIT}"] and status == 1
    assert {case.get("name"): case.find("failure") is not None for case in xml.parse(results).iter("testcase")} == {
        ENGINE_UNIT: True, TEST_UNIT: False}


@needs_clang_tidy
def test_a_finding_in_a_file_of_tests_names_its_line(small_tree):
    write(small_tree, {"tests/model/two_test.cc": "\nnamespace {\n\nint BadToo() { return 2; }\n\n}  // namespace\n"})
    lines, status = check_tidy(small_tree)
    assert lines[0].startswith("  tests/model/two_test.cc:4: invalid case style for function 'BadToo'") and status == 1


@needs_clang_tidy
def test_what_cannot_be_compiled_is_a_finding(small_tree):
    write(small_tree, {"engine/log/a.cc": "int a() { return zzyzx; }\n"})
    lines, status = check_tidy(small_tree)
    assert lines[0].startswith("  engine/log/a.cc:1: use of undeclared identifier 'zzyzx'") and status == 1


def test_without_clang_tidy_it_is_skipped_by_name(small_tree, tmp_path):
    """On a machine with bash and git, and no clang."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in ("bash", "git", "python3"):
        (programs / tool).symlink_to(shutil.which(tool))
    write(small_tree, {"engine/log/a.cc": "int a;\n"})
    results = tmp_path / "results.xml"
    done = subprocess.run([small_tree / "tools" / "check_tidy", "--junit", results], capture_output=True, text=True,
                          env={"PATH": str(programs)})
    assert (done.stdout, done.returncode) == ("skipped clang-tidy: there is no clang-tidy of version 16, or not its clang with sanitizers\n", 0)
    assert [(case.name, case.outcome) for case in junit.cases(results)] == [("clang-tidy", "skipped")]
