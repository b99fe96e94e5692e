"""Configuration: one file, overridden by the environment, and both overridden by the command line."""

import os

import pytest

from tool import millrace

WRONG = {
    "a setting that there is not": ("limit.body = 1\n", "1:1: there is no setting 'limit'"),
    "one in a table": ("[limits]\nbody = 1\nbodies = 2\n", "3:1: there is no setting 'limits.bodies'"),
    "a value of another kind": ("[limits]\nbody = \"big\"\n", "2:8: 'limits.body' is not a text"),
    "a time that is none": ("[timeouts]\nidle = \"soon\"\n", "2:8: 'timeouts.idle': expected a time"),
    "a list of numbers": ("listen = [1]\n", "1:10: 'listen' must be a list of texts"),
    "no TOML": ("a b\n", "1:3: "),
    "a rule that there is not": ("[[rule]]\n", "1:1: there is no [[rule]]"),
    "a pattern that is none": ("[[allow]]\nto = \"log\"\npattern = \"(\"\n", "1:1: the pattern is none"),
    "a resource that there is not": ("[[allow]]\nto = \"logs\"\n", "1:1: there is no resource 'logs'"),
    "a key without a file": ("[[key]]\nalgorithm = \"HS256\"\n", "1:1: [[key]] needs algorithm and file"),
    "a key file that is not there": ("[[key]]\nalgorithm = \"RS256\"\nfile = \"/nowhere\"\n", "1:1: cannot read /nowhere"),
    "an algorithm that there is not": ("[[key]]\nalgorithm = \"none\"\nfile = \"/nowhere\"\n", "1:1: there is no algorithm"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_configuration_is_one_line_with_the_place(tmp_path, name):
    text, expected = WRONG[name]
    (tmp_path / "g.toml").write_text(text)
    done = millrace("serve", "--config", tmp_path / "g.toml", "--check")
    assert done.returncode == 2
    said = done.stderr.decode()
    assert said.startswith(f"millrace serve: {tmp_path}/g.toml:{expected}"), said
    assert said.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path):
    done = millrace("serve", "--config", tmp_path / "nothing.toml", "--check")
    assert done.returncode == 2 and str(tmp_path / "nothing.toml") in done.stderr.decode()


def test_the_command_line_counts_more_than_the_environment_and_that_more_than_the_file(tmp_path):
    (tmp_path / "g.toml").write_text("[limits]\nbody = 1\nhead = 1\nframe = 1\n")
    environment = {**os.environ, "MILLRACE_LIMITS_HEAD": "2", "MILLRACE_LIMITS_FRAME": "2"}
    done = millrace("serve", "--config", tmp_path / "g.toml", "--set", "limits.frame=3", "--print", env=environment)
    limits = done.stdout.decode().split("[limits]\n")[1].split("\n\n")[0]
    values = dict(line.split("#")[0].replace(" ", "").split("=") for line in limits.splitlines())
    assert (values["body"], values["head"], values["frame"]) == ("1", "2", "3")


def test_without_a_configuration_it_listens_at_8380_of_this_machine():
    assert b'listen = ["127.0.0.1:8380"]' in millrace("serve", "--print").stdout


def test_what_is_printed_is_a_configuration(tmp_path):
    (tmp_path / "g.toml").write_text('[[allow]]\nto = "log"\nclaims = { a = "b" }\n[[channel]]\npattern = "x"\nexpire = "90s"\n')
    printed = millrace("serve", "--config", tmp_path / "g.toml", "--print").stdout
    (tmp_path / "h.toml").write_bytes(printed)
    assert millrace("serve", "--config", tmp_path / "h.toml", "--print").stdout == printed


@pytest.mark.parametrize("words", [("--set", "limits.body"), ("--set", "nothing=1"), ("--set", "limits.body=x"),
                                   ("--listen", "nowhere:99999"), ("--set", "tls.certificate=/nowhere"),
                                   ("--set", "timeouts.keep_alive=0"), ("--set", "cors.origins=*", "--set", "cors.credentials=true")])
def test_a_wrong_option_is_one_line(words):
    done = millrace("serve", *words, "--check")
    assert done.returncode == 2 and done.stderr.decode().count("\n") == 1


def test_an_address_that_another_gateway_has_is_refused(gateway):
    done = millrace("serve", "--to", "127.0.0.1:1", "--listen", f"127.0.0.1:{gateway.port}")
    assert (done.returncode, b"Address already in use" in done.stderr) == (2, True)


def test_help_fits_a_screen():
    lines = millrace("serve", "--help").stdout.decode().splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 100
