"""A network that is cut."""

import pathlib
import shutil
import subprocess

import pytest

ALONE = ["unshare", "--net", "--map-root-user"]  # in a network of its own, which has only 127.0.0.1


def test_a_stream_whose_network_is_cut_is_ended():
    if shutil.which("ip") is None or subprocess.run([*ALONE, "true"], capture_output=True).returncode != 0:
        pytest.skip("no network of its own can be made here")
    script = pathlib.Path(__file__).resolve().parent / "cut_network.py"
    ended = subprocess.run([*ALONE, "/usr/bin/python3", script], capture_output=True, text=True, timeout=200)
    assert ended.returncode == 0, ended.stdout + ended.stderr
