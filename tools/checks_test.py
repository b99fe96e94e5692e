"""Every check of the tree finds its problem in a small tree that has it."""
import importlib
import json
import subprocess
from pathlib import Path

import pytest

import check_format
import junit
from tree import Skipped, report

TOOLS = Path(__file__).resolve().parent


def found(check, root):
    return [problem.text(root) for problem in importlib.import_module(check).problems(root)]


# --- include direction ---

LAYERS = """# Architecture

| folder | may include | never |
| --- | --- | --- |
| `engine/base` | nothing of ours | a clock, a file, a socket, a thread |
| `engine/log` | `engine/base` | the same |
| `engine/shard` | `engine/log`, `engine/base` | the same |
| `engine/lock`, `engine/route` | `engine/base` | the same |
| `module/abi` | `engine/base` | |
| `module/host` | `engine`, `module/abi` | `module/abi/host.h`: for `module/abi` alone |
| `module/commands` | `engine`, `module/host`, `module/abi` | the same |
| `client` | nothing else of ours: not the engine | |
| `cli` | `client` | |
| `tests/model` | `engine` | |
| `*_test.cc` | what their folder may, and `tests/model` | |
"""
# The folders that the table names exist.
LAYERED = {"ARCHITECTURE.md": LAYERS, "module/abi/host.h": "", **{f"{folder}/empty.h": "" for folder in (
    "engine/base", "engine/log", "engine/shard", "engine/lock", "engine/route", "module/host", "module/commands",
    "client", "cli", "tests/model")}}


@pytest.mark.parametrize("name, line, reason", [
    ("engine/base/a.h", '#include "engine/log/log.h"', "engine/base must not include engine/log/log.h"),
    ("engine/log/a.cc", '#include "engine/channel/channel.h"', "must not include engine/channel/channel.h"),
    ("engine/lock/a.cc", '#include "engine/shard/shard.h"', "must not include engine/shard/shard.h"),
    ("engine/lock/a.cc", '#include "engine/log/log.h"', "engine/lock must not include engine/log/log.h"),
    ("engine/route/a.h", '#include "engine/log/log.h"', "engine/route must not include engine/log/log.h"),
    ("engine/route/a.h", "#include <engine/lock/lock.h>", "engine/route must not include engine/lock/lock.h"),
    ("engine/log/a.cc", '#include "module/host/settings.h"', "must not include module/host/settings.h"),
    ("engine/log/a_test.cc", '#include "module/host/settings.h"', "must not include module/host/settings.h"),
    ("engine/log/a.cc", '#include "tests/model/log_model.h"', "must not include tests/model/log_model.h"),
    ("engine/log/a.cc", '#include "engine/logs/a.h"', "must not include engine/logs/a.h"),
    ("module/abi/a.cc", '#include "engine/log/log.h"', "module/abi must not include engine/log/log.h"),
    ("module/abi/a.cc", '#include "module/host/role.h"', "module/abi must not include module/host/role.h"),
    ("module/host/a.cc", '#include "module/commands/a.h"', "module/host must not include module/commands/a.h"),
    ("client/a.cc", '#include "engine/base/bytes.h"', "must not include engine/base/bytes.h"),
    ("client/load/a.cc", '#include "cli/tool.h"', "client must not include cli/tool.h"),
    ("cli/a.cc", '#include "module/command_table.h"', "must not include module/command_table.h"),
    ("module/host/a.cc", '#include "module/abi/host.h"', "module/host must never include module/abi/host.h"),
    ("module/commands/log/a.cc", '#include "module/abi/host.h"', "module/commands must never include module/abi/host.h"),
    ("tests/model/a.cc", '#include "module/abi/host.h"', "tests/model must not include module/abi/host.h"),
    ("module/commands/a.cc", '#include "twrite.h"', "by its path from the top"),
    ("client/a.cc", '#include "load/router.h"', "by its path from the top"),
    ("client/load/a.cc", '#include "../../engine/log/log.h"', "by its path from the top"),
    ("module/commands/a.cc", "HostString* key;", "only module/abi names the host's HostString"),
    ("engine/log/a.h", "RedisModuleString* key;", "only module/abi names the host's RedisModuleString"),
    ("engine/log/a.cc", "#include <chrono>", "no <chrono>"),
    ("engine/log/a.cc", "# include <fstream>", "no <fstream>"),
    ("engine/lock/a.cc", "#include <random>", "no <random>"),
    ("engine/base/a.h", "#include <sys/socket.h>", "no <sys/socket.h>"),
])
def test_an_include_in_the_wrong_direction_is_found(tree, name, line, reason):
    (problem,) = found("check_includes", tree({**LAYERED, name: f"// Contract.\n{line}\n"}))
    assert problem.startswith(f"{name}:2: ") and reason in problem


def test_includes_in_the_right_direction_are_not_mentioned(tree):
    assert found("check_includes", tree({
        **LAYERED,
        "engine/base/a.h": "#include <span>\n",
        "engine/log/a.cc": '#include "engine/base/a.h"\n#include "engine/log/log.h"\n',
        "engine/log/a_test.cc": '#include <random>  // a test has a seed\n#include "tests/model/log_model.h"\n',
        "engine/shard/a.cc": '#include "engine/log/log.h"\n#include "engine/shard/pool.h"\n',
        "module/commands/log/a.cc": '#include "engine/log/log.h"\n#include "module/abi/context.h"\n// not HostString\n',
        "module/commands/route/a.cc": '#include "module/commands/log/a.h"\n#include "module/host/role.h"\n',
        "module/abi/a.cc": '#include "module/abi/host.h"\nHostString* key;\n',
        "module/host/a.cc": "#include <chrono>\n",
        "cli/main.cc": '#include "client/connection.h"\n#include "version.h"\n',
    })) == []


def test_the_table_of_includes_is_the_rule(tree):
    root = tree({**LAYERED, "engine/lock/a.cc": '#include "engine/log/log.h"\n#include <chrono>\n'})
    assert len(found("check_includes", root)) == 2
    changed = LAYERS.replace("| `engine/lock`, `engine/route` |", "| `engine/lock` | `engine/log` | |\n| `engine/route` |")
    assert found("check_includes", tree({"ARCHITECTURE.md": changed})) == []


def test_a_folder_without_a_row_is_found_once(tree):
    root = tree({**LAYERED, "engine/other/a.h": "", "engine/other/b.h": "", "module/a.cc": "", "bench/measure.py": ""})
    assert found("check_includes", root) == [
        "engine/other/a.h:1: engine/other has no row in the table of ARCHITECTURE.md",
        "module/a.cc:1: module has no row in the table of ARCHITECTURE.md"]


def test_a_row_without_its_folder_is_found(tree):
    root = tree(LAYERED)
    (root / "engine/lock/empty.h").unlink()
    (root / "engine/lock").rmdir()
    (root / "module/abi/host.h").unlink()
    assert found("check_includes", root) == [
        "ARCHITECTURE.md:8: engine/lock is not there",
        "ARCHITECTURE.md:10: module/abi/host.h is not there",
        "ARCHITECTURE.md:11: module/abi/host.h is not there"]


@pytest.mark.parametrize("row, sentence", [
    ("| engine/log | `engine/base` | |", "a row of the table of includes that names no paths in backquotes"),
    ("| `client` | the engine's headers | |", "a row of the table of includes that names no paths in backquotes"),
    ("| `client` | `engine` | |", "client has two rows"),
    ("| `client` |", "a row of the table of includes that does not have three columns"),
])
def test_a_row_that_is_not_understood_is_found(tree, row, sentence):
    root = tree({**LAYERED, "ARCHITECTURE.md": LAYERS + row + "\n"})
    assert f"ARCHITECTURE.md:16: {sentence}" in found("check_includes", root)


def test_a_tree_without_a_table_of_includes_is_found(tree):
    assert found("check_includes", tree({})) == ["ARCHITECTURE.md:1: is not there, and has the table of includes"]
    (problem,) = found("check_includes", tree({"ARCHITECTURE.md": "# Architecture\n"}))
    assert problem.startswith("ARCHITECTURE.md:1: has no table")


# --- file size ---

def test_a_long_file_is_found_unless_it_has_a_reason(tree):
    line = "int x;\n"
    root = tree({
        "engine/fits.cc": line * 500,
        "engine/long.cc": line * 501,
        "engine/reasoned.cc": "// Long because the table belongs together.\n" + line * 799,
        "engine/endless.cc": "// Long because nobody cared.\n" + line * 800,
        "script": "#!/bin/sh\n" + "true\n" * 500,
        "docs/guide.md": "text\n" * 2000,
    })
    assert [problem.split(": ")[0] for problem in found("check_file_size", root)] == [
        "engine/endless.cc:801", "engine/long.cc:501", "script:501"]


# --- registration of tests ---

def with_build(root, compiled, tests):
    build = root / "build-sanitize"
    build.mkdir()
    commands = [{"file": str(root / name)} for name in compiled]
    (build / "compile_commands.json").write_text(json.dumps(commands))
    (build / "CTestTestfile.cmake").write_text("".join(f'add_test("{name}" true)\n' for name in tests))
    return root


def test_a_test_that_never_runs_is_found(tree):
    root = tree({
        "engine/log/log_test.cc": "TEST(Log, reads) {}\nTEST(Log, sleeps) {}\nTEST_P(Table, refuses) {}\n",
        "engine/log/forgotten_test.cc": "TEST(Log, writes) {}\n",
        "fuzz/forgotten_fuzz.cc": "",
    })
    with_build(root, ["engine/log/log_test.cc"], ["Log.reads", "Rows/Table.refuses/row"])
    assert found("check_tests_registered", root) == [
        "engine/log/forgotten_test.cc:1: is in no target of CMake: it never runs",
        "engine/log/log_test.cc:2: ctest does not know Log.sleeps",
        "fuzz/forgotten_fuzz.cc:1: is in no target of CMake: it never runs",
    ]


def test_a_test_that_is_joined_with_others_is_compiled(tree):
    root = tree({"engine/log/log_test.cc": "TEST(Log, reads) {}\n"})
    with_build(root, ["build-sanitize/unit.cc", "build-sanitize/not_written_yet.cc"], ["Log.reads"])
    unit = root / "build-sanitize" / "unit.cc"
    unit.write_text(f'#line 1 "{root / "engine/log/log_test.cc"}"\nTEST(Log, reads) {{}}\n')
    assert found("check_tests_registered", root) == []
    unit.write_text("")
    assert found("check_tests_registered", root) == [
        "engine/log/log_test.cc:1: is in no target of CMake: it never runs"]


def test_a_tree_that_is_not_built_cannot_show_that_its_tests_run(tree):
    root = tree({"engine/log/log_test.cc": "TEST(Log, reads) {}\n"})
    assert "there is no build" in found("check_tests_registered", root)[0]
    with_build(root, ["engine/log/log_test.cc"], ["unit_tests_NOT_BUILT"])
    (problem,) = found("check_tests_registered", root)
    assert "the tests are not built" in problem


# --- commands and settings ---

TABLE = """
constexpr ArgumentDoc kTags[] = {{.name = "tag", .flags = kMultiple}};
constexpr abi::Command kCommands[] = {
    {
        .name = "CHAN.SEND",
        .flags = "write",
        .key_flags = abi::kKeyReadWrite,
        .arity = -3,
    },
    {
        .name = "CHAN.INFO",
        .flags = "readonly",
        .key_flags = abi::kKeyReadOnly,
        .arity = 2,
    },
    help_row("CHAN.PLACE HELP"),
};
"""
COMPLETE = {
    "module/command_table.cc": TABLE,
    "module/commands/requests.h": "Result<Send> parse_chan_send(Words words);\n",
    "fuzz/requests_fuzz.cc": "parse_chan_send(words);\n",
    "tests/server/test_chan.py": 'call("CHAN.SEND")\ncall("CHAN.INFO")\ncall("CHAN.PLACE", "HELP")\n',
    "docs/commands/CHAN.SEND.md": "",
    "docs/commands/CHAN.INFO.md": "",
    "docs/commands/CHAN.PLACE-HELP.md": "",
}


def test_a_complete_command_is_not_mentioned(tree):
    assert found("check_commands", tree(COMPLETE)) == []


@pytest.mark.parametrize("name, text, problem", [
    ("docs/commands/CHAN.SEND.md", None, "module/command_table.cc:5: CHAN.SEND has no page"),
    ("fuzz/requests_fuzz.cc", "parse_chan_sender(words);", "module/command_table.cc:5: CHAN.SEND is not fuzzed"),
    ("module/commands/requests.h", "", "module/command_table.cc:5: CHAN.SEND has no parse_chan_send declared"),
    ("tests/server/test_chan.py", '"CHAN.SEND", "CHAN.INFORM" "CHAN.PLACE", "HELP"',
     "module/command_table.cc:11: CHAN.INFO is in no test"),
    ("tests/server/test_chan.py", '"CHAN.SEND", "CHAN.INFO"', "module/command_table.cc:16: CHAN.PLACE HELP is in no test"),
    ("docs/commands/CHAN.PLACE-HELP.md", None, "module/command_table.cc:16: CHAN.PLACE HELP has no page"),
    ("module/command_table.cc", "", "module:1: no command is declared"),
])
def test_an_incomplete_command_is_found(tree, name, text, problem):
    root = tree(COMPLETE if text is None else {**COMPLETE, name: text})
    if text is None:
        (root / name).unlink()
    (only,) = found("check_commands", root)
    assert only.startswith(problem)


def test_a_command_with_subcommands_and_without_help_is_found(tree):
    row = '    {\n        .name = "%s",\n        .flags = "",\n        .arity = %d,\n    },\n'
    table = TABLE.replace('help_row("CHAN.PLACE HELP"),\n', row % ("CHAN.PLACE", -2) + row % ("CHAN.PLACE LIST", 3))
    root = tree({**COMPLETE, "module/command_table.cc": table, "docs/commands/CHAN.PLACE-LIST.md": "",
                 "tests/server/test_place.py": 'call("CHAN.PLACE", "LIST")'})
    assert found("check_commands", root) == [
        'module/command_table.cc:17: CHAN.PLACE has subcommands and no help_row("CHAN.PLACE HELP") behind them']


def test_a_setting_without_a_description_is_found(tree):
    root = tree({
        "module/host/settings.cc": '{.name = "block-bytes",\n .initial = 1},\n{.name = "block",\n .initial = 1},\n',
        "docs/settings.md": "`millrace.block-bytes`: how large a block gets.\n",
    })
    assert found("check_settings", root) == [
        "module/host/settings.cc:3: millrace.block is not described in docs/settings.md"]


# --- wording and format ---

@pytest.mark.parametrize("text", [
    # In two parts, because the check would find them in this file.
    "see /ho" + "me/ann/notes", 'open("/wo' + 'rk/main/x")', "TO" + "DO: later", "// FIX" + "ME", "/ro" + "ot/x",
])
def test_unwanted_words_are_found(tree, text):
    (problem,) = found("check_wording", tree({"docs/guide.md": f"fine\n{text}\n", "build/x": text, "data/x": text}))
    assert problem.startswith("docs/guide.md:2: ")


def test_ordinary_words_are_not_mentioned(tree):
    text = "/usr/lib/redis /tmp/x docs/home/page ${root}/wo" + "rk/x TODOS\n"
    root = tree({"a.md": text})
    (root / "picture").write_bytes(b"\xff\xfe TO" b"DO")
    assert found("check_wording", root) == []


@pytest.mark.parametrize("comment", [
    "// Nobody uses it.", "int a;  // somebody waits", "// For anybody.", "// Whoever asks",
    "  // bytes that were not vouched for", "// It ends of its own accord.", "// the so manieth",
    "// freed at the caller's leisure", "// a dearer call", "// made anew", "// what a worker has in hand",
    "// a list that is doubled on its way up", "// it goes on like any other", "// the heir of the master",
])
def test_words_that_need_a_second_reading_are_found_in_comments(tree, comment):
    (problem,) = found("check_wording", tree({"engine/a.h": f"int fine;\n{comment}\n"}))
    assert problem.startswith("engine/a.h:2: ")


@pytest.mark.parametrize("name, line", [
    ("a.py", "# Nobody uses it."), ("a.py", 'f(1)  # made anew'), ("a.py", 'def f():\n    """Made anew."""'),
    ("a.py", '"""Fine,\nand made anew."""'), ("a.ts", "  /** Made anew. */"), ("a.js", " *  made anew"),
    ("a.mjs", "f(); // made anew"),
])
def test_they_are_found_in_python_and_javascript_too(tree, name, line):
    (problem,) = found("check_wording", tree({f"clients/{name}": f"{line}\n"}))
    assert problem.startswith(f"clients/{name}:{len(line.splitlines())}: ")


def test_such_words_are_not_mentioned_outside_of_comments(tree):
    text = "// The body of a request; an owner.\nconst char* text = \"nobody\";\nbool somebody_lives();\n"
    python = 'text = "made anew"\nf("nobody # nobody")\n'
    assert found("check_wording", tree({"engine/a.cc": text, "docs/a.md": "Nobody, // nobody\n", "a.py": python})) == []


@pytest.mark.skipif(check_format.clang_format() is None, reason="there is no clang-format of version 14")
def test_a_file_that_is_not_formatted_is_found(tree):
    root = tree({".clang-format": "BasedOnStyle: Google\n", "a.cc": "int a;\n", "b.cc": "int a;\nint   b ;\n"})
    (problem,) = found("check_format", root)
    assert problem.startswith("b.cc:2: is not formatted")


@pytest.mark.parametrize("shown", [None, "Ubuntu clang-format version 18.1.3 (1ubuntu1)"])
def test_without_its_clang_format_nothing_is_checked(tree, monkeypatch, shown):
    root = tree({"a.cc": "int a;\n"})
    programs = root / "programs"
    programs.mkdir()
    if shown:
        (programs / "clang-format").write_text(f"#!/bin/sh\necho '{shown}'\n")
        (programs / "clang-format").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(Skipped, match="there is no clang-format of version 14"):
        found("check_format", root)


def test_a_check_that_cannot_be_made_is_counted_as_skipped(tree, capsys):
    results = tree({}) / "results.xml"
    assert report("checks", [("check_a", []), ("check_b", Skipped("there is no b"))], results) == 0
    assert "skipped check_b: there is no b\n" in capsys.readouterr().out
    assert [(case.name, case.outcome) for case in junit.cases(results)] == [("check_a", "passed"), ("check_b", "skipped")]


# --- all of them ---

def test_every_check_can_be_run_alone_and_says_what_it_wants(tree):
    for path in sorted(TOOLS.glob("check_*.py")):
        assert importlib.import_module(path.stem).__doc__, path
    root = tree({"a.md": "TO" + "DO\n"})
    alone = subprocess.run([TOOLS / "check_wording.py", root], capture_output=True, text=True)
    assert alone.returncode == 1
    assert alone.stdout.startswith("a.md:1: ")


def test_every_check_is_tested():
    text = "".join(path.read_text() for path in TOOLS.glob("*_test.py"))
    for path in TOOLS.glob("check_*.py"):
        assert f'"{path.stem}"' in text or f"import {path.stem}" in text or f"from {path.stem}" in text, path


# --- guarantees ---

GUARANTEES = """| what | proven by |
| --- | --- |
| a | `test_a.py::test_one` |
| b | {} |
"""


def guarantees(tree, proof):
    return found("check_guarantees", tree({
        "docs/guarantees.md": GUARANTEES.format(proof),
        "tests/server/test_a.py": "def test_one(server):\n    pass\n",
        "tests/fault/test_b.py": "def test_two():\n    pass\n",
    }))


@pytest.mark.parametrize("proof, sentence", [
    ("", "a row that does not name a test"),
    ("somebody", "a row that does not name a test"),
    ("`test_a.py::test_two`", "there is no test_a.py::test_two"),
    ("`test_b.py::test_two`, `test_c.py::test_two`", "there is no test_c.py::test_two"),
])
def test_a_guarantee_without_its_test_is_found(tree, proof, sentence):
    assert guarantees(tree, proof) == [f"docs/guarantees.md:4: {sentence}"]


@pytest.mark.parametrize("proof", ["`test_b.py::test_two`", "the same", "the same, `test_a.py::test_one`"])
def test_a_guarantee_with_its_test_is_not_mentioned(tree, proof):
    assert guarantees(tree, proof) == []


def test_a_page_of_guarantees_must_be_there(tree):
    assert found("check_guarantees", tree({})) == ["docs/guarantees.md:1: is not there"]


# --- the version ---

CHANGES = "# Changes\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-15\n\n## [1.2.0] - 2026-11-14\n"


def version_problems(tree, **files):
    return found("check_version", tree({
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(millrace VERSION 1.2.3 LANGUAGES CXX)\n",
        "CHANGELOG.md": files.get("changes", CHANGES),
        "docs/page.md": files.get("page", "Since 1.0.0. `millrace_1.2.3_amd64.deb`, Redis 7.0.15, Millrace 1.2.3.\n"),
    }))


def test_one_version_everywhere_is_not_mentioned(tree):
    assert version_problems(tree) == []


@pytest.mark.parametrize("changes, problem", [
    (CHANGES.replace("1.2.3", "1.3.0"), "CHANGELOG.md:5: the newest release is 1.3.0, and CMakeLists.txt says 1.2.3"),
    (CHANGES.replace("1.2.0", "1.2.4"), "CHANGELOG.md:7: releases are not in order, the newest first"),
    (CHANGES.replace("1.2.0] - 2026-11-14", "1.2.0]"), "CHANGELOG.md:7: a heading that is not of the form ## [1.2.3] - 2026-11-15"),
    (CHANGES.replace("## [Unreleased]", ""), "CHANGELOG.md:5: the first heading is not ## [Unreleased]"),
    ("## [Unreleased]\n", "CHANGELOG.md:1: has no release; CMakeLists.txt says 1.2.3"),
])
def test_a_list_of_changes_of_another_version_is_found(tree, changes, problem):
    assert version_problems(tree, changes=changes) == [problem]


@pytest.mark.parametrize("text", ["Millrace 1.2.2", "millrace_1.2.2_amd64.deb", "millrace version 1.2.2", "millrace-v1.2.2"])
def test_a_document_that_prints_another_version_is_found(tree, text):
    (problem,) = version_problems(tree, page=f"fine\nsee {text}\n")
    assert problem.startswith("docs/page.md:2: ") and problem.endswith(": CMakeLists.txt says 1.2.3")


def test_a_tree_without_version_or_changes_is_found(tree):
    assert found("check_version", tree({})) == ["CMakeLists.txt:1: no project(millrace VERSION 1.2.3 ...)"]
    assert found("check_version", tree({"CMakeLists.txt": "project(millrace VERSION 1.2.3)\n"})) == ["CHANGELOG.md:1: is not there"]


# --- the table of commands ---

def test_the_rows_of_the_real_table_are_understood():
    import command_table
    from tree import ROOT
    assert {"TWRITE", "TREAD", "TINFO", "TGROUP HELP"} <= {row.name for row in command_table.commands(ROOT)}
    assert "millrace.block-bytes" in {row.name for row in command_table.settings(ROOT)}


# --- figures and links in the pages ---

BENCHMARKS = f"""# Benchmarks

## Logs beside streams

```
{'what':58} {'peer':>10} {'ours':>10} {'ratio':>7} {'limit':>6}
{'append one message, us':58} {0.648:10.3f} {0.363:10.3f} {0.56:7.3f} {0.35:6.2f}  missed
{'  in a batch':58} {'':10} {0.08:10.3f}
```
"""


def figure_problems(tree, line):
    pages = {"docs/benchmarks.md": BENCHMARKS, "README.md": f"# Millrace\n{line}\n"}
    return found("check_figures", tree(pages))


@pytest.mark.parametrize("line", [
    '[0.36 µs](docs/benchmarks.md#logs-beside-streams "append one message, us: ours") and no more',
    '[0.6 µs](docs/benchmarks.md#logs-beside-streams "append one message, us: peer")',
    '[0.08 µs](docs/benchmarks.md#logs-beside-streams "append one message, us / in a batch: ours")',
    "some milliseconds",
])
def test_a_figure_of_the_benchmarks_is_not_mentioned(tree, line):
    assert figure_problems(tree, line) == []


@pytest.mark.parametrize("line, problem", [
    ('[0.35 µs](docs/benchmarks.md#logs-beside-streams "append one message, us: ours")',
     "'0.35 µs' is 0.363 in docs/benchmarks.md ('append one message, us', ours)"),
    ('[0.35 µs](docs/benchmarks.md#logs-beside-streams "append two, us: ours")',
     "docs/benchmarks.md#logs-beside-streams has no row 'append two, us'"),
    ('[0.08](docs/benchmarks.md#logs-beside-streams "append one message, us / in a batch: peer")',
     "the row 'append one message, us / in a batch' has no peer"),
    ("in 0.36 µs", "a time in µs without a link to its row in docs/benchmarks.md"),
])
def test_a_figure_that_is_not_measured_is_found(tree, line, problem):
    assert figure_problems(tree, line) == [f"README.md:2: {problem}"]


PAGES = {"README.md": "[docs](docs/README.md), [why](docs/why.md#the-first-one)\n", "docs/README.md": "[a](guides/a.md)\n",
         "docs/why.md": "# The first one\n", "docs/guides/a.md": "# A\n", "docs/commands/TWRITE.md": "# TWRITE\n"}


def test_pages_that_are_linked_are_not_mentioned(tree):
    assert found("check_links", tree(PAGES)) == []


@pytest.mark.parametrize("name, text, problem", [
    ("docs/why.md", "# The second one\n", "README.md:1: docs/why.md#the-first-one: there is no such heading"),
    ("docs/guides/a.md", "see [b](b.md)\n", "docs/guides/a.md:1: b.md: there is no such file"),
    ("docs/guides/b.md", "# B\n",
     "docs/guides/b.md:1: takes more than 2 clicks from README.md: link to it from docs/README.md"),
])
def test_a_link_that_leads_nowhere_and_a_page_without_one_are_found(tree, name, text, problem):
    assert found("check_links", tree({**PAGES, name: text})) == [problem]
