"""packaging/prepare.sh: which compilers it takes, and how it installs what is missing."""
import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def machine(tmp_path):
    """Makes an environment whose PATH has bash, grep and the scripts given."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in ("bash", "grep"):
        (programs / tool).symlink_to(shutil.which(tool))

    def make(scripts=()):
        for name, script in dict(scripts).items():
            (programs / name).write_text(f"#!/bin/sh\n{script}\n")
            (programs / name).chmod(0o755)
        return {"PATH": str(programs)}

    return make


def sourced(command):
    return ["bash", "-c", f'source "{ROOT}/packaging/prepare.sh"; {command}', "test"]


def prepared(environment, command):
    return subprocess.run(sourced(command), capture_output=True, text=True, env=environment).stdout.strip()


def clang(version, links=True):
    return f'case "$*" in -dumpversion) echo {version} ;; *) {"true" if links else "false"} ;; esac'


# --- clang ---

@pytest.mark.parametrize("programs, chosen", [
    ({}, ""),
    ({"clang++-16": clang("16.0.6")}, "clang++-16"),
    ({"clang++-18": clang("18.1.3"), "clang++-17": clang("17.0.6")}, "clang++-18"),
    ({"clang++-16": clang("16.0.6", links=False)}, ""),
    ({"clang++-16": clang("16.0.6", links=False), "clang++-19": clang("19.1.7")}, "clang++-19"),
    ({"clang++": clang("14.0.6")}, ""),
    ({"clang++": clang("20.1.0")}, "clang++"),
])
def test_the_clang_found_is_recent_and_complete(machine, programs, chosen):
    assert prepared(machine(programs), "find_clang") == chosen


def test_the_clang_of_this_machine_is_found():
    """./test does not begin without one: this is the check with a real compiler."""
    assert prepared(dict(os.environ), "find_clang").startswith("clang++")


@pytest.mark.parametrize("programs, chosen", [
    ({"clang++-16": clang("16.0.6"), "clang-tidy-16": ""}, "clang-tidy-16"),
    ({"clang++": clang("16.0.6"), "clang-tidy": ""}, "clang-tidy"),
    ({"clang++-19": clang("19.1.7"), "clang-tidy-19": ""}, ""),
    ({"clang++-19": clang("19.1.7"), "clang-tidy-16": "", "clang-tidy": ""}, ""),
    ({"clang-tidy-16": ""}, ""),
])
def test_the_clang_tidy_found_is_that_of_a_clang_16(machine, programs, chosen):
    found = prepared(machine(programs), "find_clang_tidy")
    assert found.rpartition("/")[2] == chosen


@pytest.mark.parametrize("known, version", [("clang-1[67]", 16), ("clang-1[789]", 19), ("clang-1[78]", 18), ("nothing", 16)])
def test_the_clang_to_install_is_one_that_the_distribution_has(machine, known, version):
    environment = machine({"apt-cache": f'case "$2" in {known}) ;; *) exit 100 ;; esac'})
    assert prepared(environment, "package_names file clang-N 'clang-tidy-N libclang-rt-N-dev' zsh") == (
        f"file clang-{version} clang-tidy-{version} libclang-rt-{version}-dev zsh")


@pytest.mark.parametrize("program, shown, there", [
    ("clang-format-14", "", True),
    ("clang-format", "Debian clang-format version 14.0.6", True),
    ("clang-format", "Ubuntu clang-format version 18.1.3 (1ubuntu1)", False),
    ("other", "", False),
])
def test_clang_format_is_there_in_the_right_version_alone(machine, program, shown, there):
    environment = machine({program: f"echo '{shown}'"})
    assert bool(prepared(environment, "missing_packages 'clang-format-14: has_clang_format'")) != there


def test_what_only_some_tests_need_does_not_keep_the_others_from_running(machine):
    environment = machine({"id": "echo 1000", "apt-get": "exit 1", "apt-cache": '[ "$2" = chromium ]'})
    done = subprocess.run(sourced("install_optional 'caddy: false' 'chromium: false' 'zsh: true'; echo goes on"),
                          capture_output=True, text=True, env=environment)
    assert (done.stdout, done.returncode) == ("goes on\n", 0)
    assert done.stderr.splitlines() == [
        "test: goes on without caddy, which this distribution does not have; what needs it is skipped",
        "test: needs packages that only root may install; as root, run: apt-get update && apt-get install --yes "
        "--no-install-recommends chromium",
        "test: goes on without chromium; what needs it is skipped"]


# --- installations, by a real apt-get in a directory of its own ---

APT_CONFIG = """
Dir "{apt}";
Dir::State::status "{apt}/dpkg/status";
Dir::Etc::parts "{apt}";
Dir::Bin::dpkg "/usr/bin/dpkg";
APT::Sandbox::User "";
DPkg::Options {{ "--root={apt}/root"; "--admindir={apt}/dpkg"; "--force-not-root"; "--force-bad-path"; "--log={apt}/log"; }};
"""
CONTROL = """Package: thing
Version: 1
Architecture: all
Maintainer: Test <test@example.com>
Description: What is missing
"""


@pytest.fixture
def apt(tmp_path):
    """A directory with a system of its own, to which apt-get installs: it offers the package `thing`."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        pytest.skip("not a Debian")
    apt = tmp_path / "apt"
    for folder in ("etc/apt/sources.list.d", "etc/apt/preferences.d", "var/lib/apt/lists/partial",
                   "var/cache/apt/archives/partial", "var/log/apt", "dpkg/info", "dpkg/updates", "root", "package/DEBIAN", "offered"):
        (apt / folder).mkdir(parents=True)
    (apt / "dpkg" / "status").touch()
    (apt / "package" / "DEBIAN" / "control").write_text(CONTROL)
    (apt / "package" / "thing").touch()
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", apt / "package", apt / "offered" / "thing.deb"],
                   check=True, stdout=subprocess.DEVNULL)
    package = (apt / "offered" / "thing.deb").read_bytes()
    (apt / "offered" / "Packages").write_text(f"{CONTROL}Filename: ./thing.deb\nSize: {len(package)}\n"
                                              f"SHA256: {hashlib.sha256(package).hexdigest()}\n")
    (apt / "etc" / "apt" / "sources.list").write_text(f"deb [trusted=yes] file:{apt}/offered ./\n")
    (apt / "apt.conf").write_text(APT_CONFIG.format(apt=apt))
    return apt


LOCKS = ("var/lib/apt/lists/lock", "dpkg/lock-frontend", "dpkg/lock", "var/cache/apt/archives/lock")


@contextlib.contextmanager
def held(lock):
    """Holds a lock as apt and dpkg do, until the with block ends."""
    with open(lock, "w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def installing(apt, before=""):
    """An installation of the thing that is missing."""
    command = f"id() {{ echo 0; }}; {before} install_missing 'thing: test -e {apt}/root/thing'"
    return subprocess.Popen(sourced(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "APT_CONFIG": str(apt / "apt.conf")})


def test_what_is_missing_gets_installed(apt):
    running = installing(apt)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 0 and (apt / "root" / "thing").exists(), said
    assert said.startswith("Installing thing\n") and "waits" not in said


@pytest.mark.parametrize("lock", LOCKS)
def test_it_waits_while_another_program_installs_something_and_says_so_once(apt, lock):
    with contextlib.ExitStack() as until_it_waits:
        until_it_waits.enter_context(held(apt / lock))
        running = installing(apt)
        deadline = threading.Timer(60, running.kill)
        deadline.start()
        said = ""
        for line in running.stdout:
            said += line
            if "waits for another installation" in line:
                assert str(apt / lock) in line
                until_it_waits.close()
    deadline.cancel()
    assert running.wait() == 0, said
    assert (apt / "root" / "thing").exists()
    assert said.count("waits for another installation") == 1 and said.count("Reading package lists") <= 3, said


def test_it_does_not_wait_for_ever(apt):
    with held(apt / "dpkg" / "lock-frontend"):
        running = installing(apt, before="lock_wait_s=1;")
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "test: gave up after waiting 1 seconds for a lock that another program holds\n" in said
    assert said.endswith(
        "could not install; as root, run: apt-get update && apt-get install --yes --no-install-recommends thing\n")
