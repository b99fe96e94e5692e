"""Tests in a network namespace of their own: one whose network is cut, and one with another address."""

import pathlib
import shutil
import subprocess

import pytest

ALONE = ["unshare", "--net", "--map-root-user"]  # in a network namespace, which has only 127.0.0.1


def run_alone(script):
    if shutil.which("ip") is None or subprocess.run([*ALONE, "true"], capture_output=True).returncode != 0:
        pytest.skip("no network of its own can be made here")
    path = pathlib.Path(__file__).resolve().parent / script
    ended = subprocess.run([*ALONE, "/usr/bin/python3", path], capture_output=True, text=True, timeout=200)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.long
def test_a_stream_whose_network_is_cut_is_ended():
    run_alone("cut_network.py")


def test_without_a_configuration_only_this_machine_is_served():
    run_alone("other_address.py")
