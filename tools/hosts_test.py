"""The table of hosts that tests/hosts/run writes."""
import sys
import xml.etree.ElementTree as xml

import pytest

from tree import ROOT

sys.path.append(str(ROOT / "tests" / "hosts"))

from table import RESULTS, Row, replace_rows  # noqa: E402: found where the line above says

PAGE = """before

<!-- written by tests/hosts/run -->
<!-- end -->

after
"""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


def row(host, passed, failed=0, **reasons):
    return Row(host, "sid", "2026-11-19", passed, failed, reasons)


def rows_of(page):
    return [line.split(" | ")[0].removeprefix("| ") for line in page.read_text().splitlines() if line.startswith("| ")][2:]


def test_a_row_says_what_was_seen():
    cases = [xml.fromstring(f"<testcase>{what}</testcase>") for what in ("", "", "<failure/>", "<skipped message='a|b'/>")]
    seen = {"failure": "failed", "skipped": "skipped"}
    made = Row.of("valkey-9.1.2", "sid", "2026-11-19", cases, lambda case: seen[case[0].tag] if len(case) else "passed")
    assert made.line() == "| Valkey 9.1.2 | sid | 2026-11-19 | 2 | 1 | 1 (1: a\\|b) |"


def test_rows_are_in_order_and_those_of_other_hosts_stay(page):
    replace_rows(page, [row("valkey-9.1.2", 5), row("redis-8.6.3", 6), row("redis-7.0.15", 7)])
    replace_rows(page, [row("valkey-8.1.1", 8), row("redis-8.6.3", 9)])
    assert rows_of(page) == ["Redis 7.0.15", "Redis 8.6.3", "Valkey 8.1.1", "Valkey 9.1.2"]
    assert "| Redis 8.6.3 | sid | 2026-11-19 | 9 | 0 | 0 |" in page.read_text()
    assert page.read_text().startswith("before\n") and page.read_text().endswith("<!-- end -->\n\nafter\n")


def test_a_page_without_the_place_is_refused(page):
    page.write_text("nothing")
    with pytest.raises(ValueError, match=RESULTS):
        replace_rows(page, [row("redis-8.6.3", 1)])
