"""A short run of each scenario. MILLRACE_SEED names another seed."""

import os
import pathlib
import subprocess

import pytest

from length import at_length

RUN = pathlib.Path(__file__).resolve().parent / "run"
SEED = os.environ.get("MILLRACE_SEED", "20261115")


def figures(scenario, seconds):
    """The figures that a run prints at its end; nothing may be lost in it."""
    words = [RUN, "--scenario", scenario, "--seconds", str(seconds), "--seed", SEED]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    if f"{scenario}: skipped: " in ended.stdout:
        pytest.skip(ended.stdout.split("skipped: ")[1].splitlines()[0])
    named = [line.rsplit(maxsplit=1) for line in ended.stdout.splitlines() if line.startswith("  ")]
    found = {name.strip(): int(number.replace(",", "")) for name, number in named}
    assert (found["losses"], found["duplicates"], found["troubles"]) == (0, 0, 0)
    assert found["operations"] > 0
    return found


def test_a_server_that_is_killed_at_any_moment_loses_nothing_it_has_promised():
    assert figures("crash", 15)["kills"] > 0


def test_a_failover_loses_nothing_that_a_replica_has_confirmed():
    assert figures("failover", 10)["failovers"] > 0


def test_a_cluster_whose_masters_and_slots_change_loses_nothing_that_a_replica_has_confirmed():
    found = figures("cluster", 15)
    assert found["failovers"] + found["slots moved"] > 0


def test_slots_that_the_host_moves_by_itself_lose_nothing_that_a_replica_has_confirmed():
    found = figures("slots", 15)
    assert found["slots moved"] + found["failovers in a move"] > 0


def test_streams_miss_nothing_and_get_nothing_twice_when_a_gateway_the_server_or_a_master_is_killed():
    found = figures("gateway", 5)
    assert min(found[f"kills of {who}"] for who in ("a gateway", "the server", "a master")) > 0
    assert found["delivered"] > found["streams"] and found["reconnections"] > 0


def test_a_load_that_goes_on_keeps_memory_flat_and_gets_no_answer_that_the_guides_do_not_name():
    found = figures("soak", at_length(60, 10))
    assert min(found["settings"], found["squeezes"], found["rewrites"]) > 0


@pytest.mark.parametrize("words", [("--seconds", "soon"), ("--scenario", "peace")])
def test_a_wrong_option_is_refused(words):
    assert subprocess.run([RUN, *words], capture_output=True).returncode == 2
