"""The tables of hosts in docs/settings.md, each between two marks: results of tests, a row for each host that is
replaced when its tests are run again; and which host loads files of which other."""

import collections
import dataclasses
import re

RESULTS, FILES, END = "<!-- written by tests/hosts/run -->", "<!-- written by tests/hosts/files -->", "<!-- end -->"
HEAD = ["| host | from Debian's | tried on | passed | failed | skipped |", "| --- | --- | --- | --- | --- | --- |"]


def version_order(host):
    """Redis before Valkey, older before newer."""
    name, _, version = host.rpartition("-")
    return name, [int(part) for part in version.split(".")]


@dataclasses.dataclass
class Row:
    host: str  # redis-8.6.3
    suite: str
    date: str
    passed: int
    failed: int
    reasons: dict  # why tests were skipped -> how many

    @classmethod
    def of(cls, host, suite, date, cases, outcome_of):
        outcomes = collections.Counter(outcome_of(case) for case in cases)
        reasons = collections.Counter(
            case.find("skipped").get("message", "") for case in cases if outcome_of(case) == "skipped")
        return cls(host, suite, str(date), outcomes["passed"], outcomes["failed"], dict(reasons))

    def skips(self):
        """The number of skipped tests, and the reasons, most frequent first."""
        told = "; ".join(f"{count}: {reason}" for reason, count in sorted(self.reasons.items(), key=lambda r: (-r[1], r[0])))
        return f"{sum(self.reasons.values())} ({told})" if told else "0"

    def sentence(self):
        return f"{self.host}: {self.passed} passed, {self.failed} failed, {self.skips()} skipped"

    def line(self):
        kind, _, version = self.host.rpartition("-")
        skips = self.skips().replace("|", "\\|")
        return f"| {kind.capitalize()} {version} | {self.suite} | {self.date} | {self.passed:,} | {self.failed} | {skips} |"


def split(text, mark):
    """What is before the table with this mark, its lines, and what follows."""
    before, found, rest = text.partition(mark + "\n")
    table, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"the page needs the lines {mark} and {END}")
    return before, table.splitlines(), after


def replace(page, mark, lines):
    before, _, after = split(page.read_text(), mark)
    page.write_text("\n".join([before + mark, "", *lines, "", END + after]))


def replace_rows(page, rows):
    """Writes these rows into the table of results; those of other hosts stay."""
    lines = {}
    for line in split(page.read_text(), RESULTS)[1]:
        if name := re.match(r"\| (Redis|Valkey) ([\d.]+) \|", line):
            lines[f"{name[1].lower()}-{name[2]}"] = line
    lines.update({row.host: row.line() for row in rows})
    replace(page, RESULTS, [*HEAD, *(lines[host] for host in sorted(lines, key=version_order))])
