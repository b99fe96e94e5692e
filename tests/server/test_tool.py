"""The tool itself: its help, its manual page, its completions."""

import os
import pty
import re
import select
import shutil
import subprocess

import pytest

from server import DEADLINE
from tool import TOOL, millrace


def help_of(*command):
    done = millrace(*command, "--help")
    assert done.returncode == 0 and done.stderr == b""
    return done.stdout.decode()


def commands():
    listed = help_of().split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def options_in(page):
    """The options that the help lists."""
    listed = page.split("Options:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (?:-\w, )?(--[\w-]+)", listed, re.M)


def test_without_a_word_it_shows_its_help():
    assert millrace().stdout.decode() == help_of()
    assert {"load", "protocol", "export", "copy", "tail", "groups", "redrive", "top", "doctor", "demo", "completion", "manual"} <= set(commands())


def test_every_command_has_a_page_of_help():
    for command in commands():
        page = help_of(command)
        assert page.splitlines()[2].startswith(f"Usage: millrace {command} ")
        assert len(page.splitlines()) <= (110 if command == "load" else 72), f"{command}: more than a page"
        assert max(map(len, page.splitlines())) <= 92, f"{command}: too wide for a terminal"


def test_the_exit_statuses_are_in_the_help():
    for command in ("load", "protocol", "tail"):
        assert "Exit status: 0 " in help_of(command)
    for status in ("0 ", "1 ", "2 ", "3 ", "4 ", "130 "):
        assert f"\n  {status}" in help_of()


def test_the_manual_page_says_what_the_help_says():
    page = millrace("manual").stdout.decode()
    plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    for command in commands():
        for option in options_in(help_of(command)):
            assert option in plain
    assert "Exit status" in plain


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_good_troff():
    page = millrace("manual").stdout
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True)
    assert done.returncode == 0 and done.stderr == b""


def completed_by_bash(*words):
    """The completions that bash offers for the last word."""
    script = f"""
        source <({TOOL} completion bash)
        COMP_WORDS=({' '.join(f"'{word}'" for word in words)})
        COMP_CWORD={len(words) - 1}
        _millrace
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes_commands_options_and_values(tmp_path, monkeypatch):
    assert completed_by_bash("millrace", "") == [*commands(), "-h", "--help", "--version"]
    assert completed_by_bash("millrace", "lo")[0] == "load"
    for command in commands():
        assert set(options_in(help_of(command))) <= set(completed_by_bash("millrace", command, "-"))
    assert completed_by_bash("millrace", "load", "--format", "") == ["csv", "tsv", "ndjson", "json", "resp", "commands", "export"]
    assert completed_by_bash("millrace", "load", "--as", "") == []
    assert completed_by_bash("millrace", "completion", "z") == ["zsh"]
    (tmp_path / "users.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert completed_by_bash("millrace", "load", "us") == ["users.csv"]
    assert completed_by_bash("millrace", "load", "--errors", "us") == ["users.csv"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_what_is_typed():
    script = millrace("completion", "zsh").stdout.decode()
    assert script.startswith("#compdef millrace\n")
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                             env={"PATH": os.environ["PATH"], "TERM": "xterm", "HOME": "/nonexistent"})
    os.close(theirs)

    def until(pattern):
        seen = b""
        while not re.search(pattern, seen):
            assert select.select([ours], [], [], DEADLINE)[0], seen
            seen += os.read(ours, 10_000)

    try:
        setup = f"autoload -U compinit; compinit -D -u; source <({TOOL} completion zsh | sed '$d'); compdef _millrace millrace; echo rea''dy\n"
        os.write(ours, setup.encode())
        until(rb"\nready\r\n")
        os.write(ours, b"millrace load --checkp\t")
        until(rb"--checkpoint")
        os.write(ours, b"\x15millrace proto\t")
        until(rb"proto\x07?col")
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)
