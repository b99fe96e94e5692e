"""The Python package: its types are strict, its wheel installs into an empty environment and works there."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from server import REPOSITORY, module_path

PACKAGE = REPOSITORY / "clients" / "python"

SMOKE = """
import asyncio, sys
import millrace, millrace.asyncio
from millrace import Backoff, Json, Millrace, Reject

def sync(url):
    with Millrace.from_url(url) as mr:
        with mr.producer("{jobs}", codec=Json()) as producer:
            for number in range(10):
                producer.send("new", {"number": number})
        worker = mr.worker("{jobs}", "g", codec=Json(), concurrency=2, backoff=Backoff.none())
        seen = []
        worker.on("new")(lambda value, message: seen.append(value["number"]))
        assert worker.run_until_idle() == 10
        assert sorted(seen) == list(range(10))
        with mr.lock("lock", ttl=5) as lock:
            assert lock.token > 0

async def awaited(url):
    async with millrace.asyncio.Millrace.from_url(url) as mr:
        await mr.channel("news").publish(b"hello")
        async with mr.lock("lock", ttl=5) as lock:
            assert lock.remaining > 0

sync(sys.argv[1])
asyncio.run(awaited(sys.argv[1]))
print(millrace.__version__, millrace.__file__)
"""


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, since the build writes beside its sources; without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(PACKAGE, folder / "python", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    run("/usr/bin/python3", "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation",
        "--wheel-dir", folder, folder / "python")
    [built] = folder.glob("millrace-*.whl")
    return built


@pytest.mark.long
def test_the_types_are_strict():
    examples = sorted((REPOSITORY / "examples" / "python").glob("*.py"))
    run("mypy", "--cache-dir", os.devnull, PACKAGE / "src" / "millrace", *examples, cwd=PACKAGE)


@pytest.mark.long
def test_the_wheel_works_in_an_empty_environment(server, wheel, tmp_path):
    run("/usr/bin/python3", "-m", "venv", tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    # redis-py as the distribution has it, and nothing else of the distribution.
    [purelib] = (tmp_path / "empty" / "lib").glob("python3*/site-packages")
    packages = pathlib.Path("/usr/lib/python3/dist-packages")
    for name in ("redis", "async_timeout", "deprecated", "wrapt", "packaging", "hiredis"):
        if (packages / name).exists():  # which of them redis-py needs depends on its version
            (purelib / name).symlink_to(packages / name)
    said = run(python, "-c", SMOKE, f"redis://127.0.0.1:{server.port}", cwd=tmp_path,
               env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
    version, file = said.split()
    assert file.startswith(str(purelib))
    assert (purelib / "millrace" / "py.typed").exists()
    [declared] = re.findall(r"^project\(millrace VERSION (\S+)", (REPOSITORY / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert version == declared


def test_the_fixture_starts_a_server_and_nothing_is_printed(tmp_path):
    (tmp_path / "test_user.py").write_text('''
from millrace import Backoff, Millrace, Text

pytest_plugins = ["millrace.testing.plugin"]


def test_one(millrace_server):
    mr = Millrace.from_url(millrace_server.url)
    mr.producer("jobs", codec=Text()).write("new", "a")
    worker = mr.worker("jobs", "g", codec=Text(), backoff=Backoff.none())
    attempts = []

    @worker.on()
    def handle(value, message):
        attempts.append(message.attempts)
        if message.attempts < 3:
            raise ValueError(value)

    assert worker.run_until_idle() == 3
    assert attempts == [1, 2, 3]
''')
    said = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-s", "--rootdir", tmp_path,
               tmp_path / "test_user.py", cwd=tmp_path,
               env={**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "MILLRACE_MODULE": module_path()})
    assert said.splitlines()[0] == "." and "1 passed" in said
