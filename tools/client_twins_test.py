"""check_client_twins finds differences between the halves of the Python package."""
import importlib
import shutil

import pytest

from tree import ROOT

CHECK = importlib.import_module("check_client_twins")
PACKAGE = "clients/python/src/millrace"


@pytest.fixture
def copied(tmp_path):
    """A copy of the package, into which tests put mistakes."""
    shutil.copytree(ROOT / PACKAGE, tmp_path / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "clients" / "python" / "generate_sync", tmp_path / "clients" / "python")
    return tmp_path


def found(root):
    return [problem.text(root) for problem in CHECK.problems(root)]


def test_the_halves_as_they_are_are_alike(copied):
    assert found(copied) == []


def test_a_change_of_one_half_alone_is_found(copied):
    lock = copied / PACKAGE / "sync" / "lock.py"
    lock.write_text(lock.read_text().replace("LOCK.RENEW", "LOCK.RENEWS"))
    (copied / PACKAGE / "sync" / "more.py").write_text("")
    assert [line.split(":")[0] for line in found(copied)] == [f"{PACKAGE}/sync/lock.py", f"{PACKAGE}/sync/more.py"]


def test_a_way_of_waiting_that_only_one_half_has_is_found(copied):
    waiting = copied / PACKAGE / "asyncio" / "waiting.py"
    waiting.write_text(waiting.read_text().replace("async def sleep(seconds", "async def doze(seconds")
                       .replace("def put(self, *items", "def put(self, *things"))
    text = "\n".join(found(copied))
    assert "does not have doze" in text and "does not have sleep" in text and "Box.put takes" in text
