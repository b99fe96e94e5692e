"""The engine as a library: installed, found by CMake and by pkg-config, and used by examples/inprocess.cc."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from server import REPOSITORY
from version import VERSION

pytestmark = pytest.mark.long

PRINTED = """\
log: the first message is at 1
  1 new: order 1 (attempt 1)
  2 new: order 2 (attempt 1)
  2 messages
after 100 ms, the one that was not acknowledged comes again, from a snapshot too:
  2 new: order 2 (attempt 2)
  1 messages
channel: what ann has not acknowledged
  m1: hello
  acknowledged: yes
pool: w1 gets
  ann: wake up
pool: w2 gets
  ann: wake up
lock: ann has it
lock: bob must wait
lock: bob has it
"""


def output(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=600, **options).stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    output("cmake", "--install", REPOSITORY / "build", "--component", "development", "--prefix", prefix)
    return prefix


def test_a_program_finds_it_with_cmake_and_does_what_the_docs_say(installed, tmp_path):
    build, snapshot = tmp_path / "build", tmp_path / "snapshot"
    output("cmake", "-S", REPOSITORY / "examples" / "installed", "-B", build, f"-DCMAKE_PREFIX_PATH={installed}")
    output("cmake", "--build", build)
    assert output(build / "example_inprocess", snapshot) == PRINTED
    guide = (REPOSITORY / "docs" / "embedding.md").read_text()
    assert PRINTED in guide, "the guide shows what the program prints"


@pytest.mark.parametrize("part", ["engine", "client"])
def test_pkg_config_knows_it(installed, part):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    found = next(installed.glob(f"lib*/**/pkgconfig/millrace-{part}.pc"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(found.parent)}
    assert output("pkg-config", "--modversion", f"millrace-{part}", env=environment).strip() == VERSION
    flags = output("pkg-config", "--cflags", "--libs", f"millrace-{part}", env=environment)
    assert f"-lmillrace_{part}" in flags and "-std=c++23" in flags
    folders = [pathlib.Path(word[2:]).resolve() for word in flags.split() if word[:2] in ("-I", "-L")]
    assert (installed / "include").resolve() in folders and found.parent.parent.resolve() in folders


def test_no_header_of_the_module_is_installed_and_none_names_the_host(installed):
    headers = list((installed / "include" / "millrace").rglob("*.h"))
    assert {header.relative_to(installed / "include" / "millrace").parts[0] for header in headers} == {"engine", "client"}
    for header in headers:
        for include in re.findall(r'#include "([^"]+)"', header.read_text()):
            assert (installed / "include" / "millrace" / include).exists(), f"{header} includes {include}"
