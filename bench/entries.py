"""What bench/history keeps: one entry for each program and run, as one line of JSON, and how the newest compares with
those before it.

    {"date": "2026-11-16T08:30Z", "commit": "30de5a8f7c11", "changed": false, "program": "log",
     "options": ["--messages", "200000"], "machine": {"cpu": ..., "cores": 2, "kernel": ..., "host": ...},
     "load": 0.4, "note": "", "figures": {"memory a message, not compressed, bytes": 0.823, ...}}

`changed` says that the tree had changes that were not committed, `load` is the load average before the run. A figure is
a ratio (ours to the peer's, measured in one run) or an amount (bytes, a number of things). For both, less is better.
"""

import json
import statistics
from typing import NamedTuple, Optional

BEFORE = 5  # the entries that the newest is compared with
WORSE = 0.10  # a figure that exceeds their median by more than this is marked


def figures_of(rows):
    """The figures to keep, with four digits each, from the rows that a program wrote with --json."""
    found = {}
    for row in rows:
        if row.get("kept"):
            found[row["name"]] = float(f"{row.get('ratio', row['ours']):.4g}")
    return found


def read(path):
    """All entries, the oldest first; none if there is no file."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def append(path, entry):
    with open(path, "a", encoding="utf-8") as file:
        print(json.dumps(entry), file=file)


def measured_alike(one, other):
    """Whether figures of two entries can be compared. Another kernel does not matter, another host does."""
    def terms(entry):
        machine = entry["machine"]
        return entry["program"], entry["options"], machine["cpu"], machine["cores"], machine["host"]

    return terms(one) == terms(other)


class Comparison(NamedTuple):
    values: list  # the newest last; None where an entry does not have the figure
    median: Optional[float] = None  # the median of the values before the newest; None if there are none
    change: Optional[float] = None  # 0.1: the newest is 10 % more than the median; None also if the median is 0
    is_worse: bool = False


def compare(values):
    """Compares the last value with the median of those before it. REQUIRES: the last one is not None."""
    *before, newest = values
    known = [value for value in before if value is not None]
    if not known:
        return Comparison(values)
    median = statistics.median(known)
    return Comparison(values, median, (newest - median) / median if median else None, newest > median * (1 + WORSE))


def compare_newest(entries):
    """Compares the newest of these entries of one program with the last BEFORE entries that were measured in the same
    way.

    Returns those entries, the newest last, and name -> Comparison for each figure of the newest.
    """
    newest = entries[-1]
    alike = [entry for entry in entries if measured_alike(entry, newest)][-BEFORE - 1 :]
    return alike, {name: compare([entry["figures"].get(name) for entry in alike]) for name in newest["figures"]}


# --- for people ---

NAME_WIDTH, WIDTH = 62, 12


def columns(texts):
    return "".join(f"{text:>{WIDTH}}" for text in texts)


def shown(value):
    return "-" if value is None else f"{value:.4g}"


def show(entries):
    """The lines of one program's table, and how many figures are worse. REQUIRES: entries of one program, at least one."""
    alike, figures = compare_newest(entries)
    newest, machine = alike[-1], alike[-1]["machine"]
    commits = [entry["commit"][:8] + ("+" if entry["changed"] else "") for entry in alike]
    lines = [
        " ".join([newest["program"], *newest["options"]]),
        f"  {machine['cores']} cores, {machine['cpu']}; {machine['host']}; load {newest['load']:.1f} before the run",
        *([f"  {newest['note']}"] if newest["note"] else []),
        f"{'':{NAME_WIDTH}}" + columns([*commits, "median", "change"]),
        f"{'':{NAME_WIDTH}}" + columns(entry["date"][:10] for entry in alike),
    ]
    above = None
    for name, figure in figures.items():
        parent, _, child = name.rpartition(" / ")
        if parent and parent != above:
            lines.append(parent)
        above = parent or name
        label = f"  {child}" if parent else name
        change = "" if figure.change is None else f"{figure.change:+.0%}"
        median = "" if figure.median is None else shown(figure.median)
        verdict = "  worse" if figure.is_worse else ""
        lines.append((f"{label:{NAME_WIDTH}}" + columns([*map(shown, figure.values), median, change]) + verdict).rstrip())
    if len(entries) > len(alike):
        others = sum(not measured_alike(entry, newest) for entry in entries)
        lines += [f"  {others} entries of other machines, hosts or sizes are left out"] if others else []
    return lines, sum(figure.is_worse for figure in figures.values())
