"""bench/history: which of a benchmark's rows it keeps, and what it reports as worse."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import entries  # noqa: E402: found where the line above says
from measure import Table  # noqa: E402

MACHINE = {"cpu": "a processor", "cores": 2, "kernel": "Linux 6", "host": "Redis 7.0.15"}


def entry(commit="c0ffee00", figures=None, **more):
    return {"date": "2026-11-16T08:30Z", "commit": commit, "changed": False, "program": "log", "options": ["--rounds", "5"],
            "machine": MACHINE, "load": 0.5, "note": "", "figures": figures or {"append": 0.5}, **more}


# --- the rows of a program ---

@pytest.fixture
def table(tmp_path):
    """A table and a function that reads what it has written."""
    file = tmp_path / "rows"
    return Table(MACHINE, file), lambda: [json.loads(line) for line in file.read_text().splitlines()]


def test_a_table_writes_the_machine_and_every_row(table):
    rows, written = table
    rows.ratio("append, us", 2.0, 0.5, 0.35)
    rows.figure("filled, s", 7.5)
    machine, ratio, figure = written()
    assert machine == MACHINE
    assert ratio == {"name": "append, us", "peer": 2.0, "ours": 0.5, "ratio": 0.25, "limit": 0.35, "kept": True}
    assert figure == {"name": "filled, s", "ours": 7.5, "limit": None, "kept": False}


def test_ratios_and_amounts_are_kept_and_times_are_not(table):
    rows, written = table
    rows.ratio("append, us", 3.0, 1.0)
    rows.ratio("longest pause, ms", 3.0, 1.0, kept=False)
    rows.amount("memory, bytes", 110.51849)
    rows.figure("filled, s", 7.5)
    assert entries.figures_of(written()) == {"append, us": 0.3333, "memory, bytes": 110.5}


def test_an_indented_row_is_named_after_the_row_above_it(table):
    rows, written = table
    rows.amount("log, bytes", 1)
    rows.amount("  by used_memory", 2)
    rows.heading("pairs")
    rows.amount("  by used_memory", 3)
    assert entries.figures_of(written()) == {"log, bytes": 1, "log, bytes / by used_memory": 2, "pairs / by used_memory": 3}


def test_two_rows_of_one_name_are_refused(table):
    rows, _ = table
    rows.amount("log, bytes", 1)
    with pytest.raises(ValueError, match="two rows are called 'log, bytes'"):
        rows.amount("log, bytes", 2)


# --- the comparison ---

@pytest.mark.parametrize("values, median, change, is_worse", [
    ([0.5], None, None, False),  # nothing to compare with
    ([None, 0.5], None, None, False),  # the figure is new
    ([1.0, 1.1], 1.0, 0.1, False),  # exactly 10 % is not more than 10 %
    ([1.0, 1.11], 1.0, 0.11, True),
    ([1.0, 0.5], 1.0, -0.5, False),  # better
    ([1.0, 1.0, 9.0, 1.0, 1.0, 1.05], 1.0, 0.05, False),  # a single bad day does not change the median
    ([1.0, 2.0, 1.6], 1.5, 1 / 15, False),  # of two values the mean
    ([1.0, None, 3.0, 2.5], 2.0, 0.25, True),  # a gap is left out
    ([0.0, 0.0], 0.0, None, False),
    ([0.0, 1.0], 0.0, None, True),  # any value is more than 0
])
def test_the_newest_is_compared_with_the_median_of_those_before(values, median, change, is_worse):
    found = entries.compare(values)
    assert (found.median, found.is_worse) == (median, is_worse)
    assert found.change == (None if change is None else pytest.approx(change))


def test_only_the_last_five_before_the_newest_count():
    noted = [entry(figures={"append": value}) for value in (9.0, 9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.2)]
    alike, figures = entries.compare_newest(noted)
    assert len(alike) == 6 and figures["append"].values == [1.0] * 5 + [1.2]
    assert figures["append"].median == 1.0 and figures["append"].is_worse


@pytest.mark.parametrize("other", [
    {"machine": {**MACHINE, "cpu": "another processor"}},
    {"machine": {**MACHINE, "cores": 64}},
    {"machine": {**MACHINE, "host": "Valkey 8.0.1"}},
    {"options": ["--rounds", "50"]},
])
def test_what_was_measured_otherwise_is_not_compared(other):
    alike, figures = entries.compare_newest([entry(figures={"append": 0.1}, **other), entry()])
    assert len(alike) == 1 and figures["append"].median is None


def test_another_kernel_is_compared():
    alike, _ = entries.compare_newest([entry(machine={**MACHINE, "kernel": "Linux 5"}), entry()])
    assert len(alike) == 2


# --- the printed report ---

def show(file, *words):
    return subprocess.run([sys.executable, BENCH / "history", "show", "--file", file, *words], capture_output=True, text=True)


def test_show_puts_figures_side_by_side_and_marks_what_is_worse(tmp_path):
    file = tmp_path / "history.jsonl"
    entries.append(file, entry("aaaaaaaaaaaa", {"append": 0.5, "append / of that, opening": 0.25}))
    entries.append(file, entry("bbbbbbbbbbbb", {"append": 0.6, "append / of that, opening": 0.25}, changed=True, note="a busy machine"))
    done = show(file, "log")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["aaaaaaaa", "bbbbbbbb+", "median", "change"] in lines
    assert ["append", "0.5", "0.6", "0.5", "+20%", "worse"] in lines
    assert ["of", "that,", "opening", "0.25", "0.25", "0.25", "+0%"] in lines
    assert "a busy machine" in done.stdout
    assert done.stdout.endswith("figures that are worse: 1\n") and done.returncode == 1


def test_show_says_when_there_is_nothing_and_when_nothing_is_worse(tmp_path):
    file = tmp_path / "history.jsonl"
    assert "log: nothing recorded" in show(file).stdout
    entries.append(file, entry())
    done = show(file, "log")
    assert done.stdout.endswith("figures that are worse: 0\n") and done.returncode == 0


def test_a_program_that_is_not_in_the_history_is_refused():
    done = show("no file", "logs")
    assert done.returncode == 2 and "no program of the history: logs" in done.stderr


def test_the_history_that_is_committed_can_be_read():
    for one in entries.read(BENCH / "history.jsonl"):
        assert set(one) == set(entry()) and set(one["machine"]) == set(MACHINE)
        assert all(isinstance(value, float) for value in one["figures"].values())
