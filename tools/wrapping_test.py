"""Wrapped Markdown has the same meaning, and only running text is changed."""
import importlib
import re

import pytest
from tree import ROOT, files
from wrapping import WIDTH, wrap

LONG = "word " * 40


@pytest.mark.parametrize("text", [
    "| " + LONG + "| " + LONG + "|",
    "# " + LONG,
    "```\n" + LONG + "\n```",
    "    " + LONG,
    "<!-- " + LONG + "-->",
    "x" * 200,
    "short lines\nthat fit\n\n- an item\n  of two lines",
], ids=["table", "heading", "code", "drawing", "comment", "one word", "what fits"])
def test_text_that_is_not_running_text_or_that_fits_stays_as_it_is(text):
    assert wrap(text) == text


def test_a_paragraph_is_filled_up_to_the_width():
    lines = wrap(LONG.strip()).split("\n")
    assert len(lines) == 2 and WIDTH - 5 < len(lines[0]) <= WIDTH


def test_an_item_continues_under_its_text():
    first, second = wrap("- " + LONG.strip()).split("\n")
    assert first.startswith("- word") and second.startswith("  word")


def test_code_and_links_stay_on_one_line():
    code, link = "`TREAD orders 1 10 GROUP billing`", "[a page with a name](page.md#heading)"
    wrapped = wrap("x" * (WIDTH - 20) + f" {code} " + "x" * (WIDTH - 40) + f" {link} end")
    assert any(code in line for line in wrapped.split("\n")) and any(link in line for line in wrapped.split("\n"))


def test_no_line_begins_with_what_would_make_it_something_else():
    for word in ("-", "+", "#", "1.", ">", "|"):
        text = "x" * (WIDTH - 1) + f" {word} " + LONG.strip()
        assert not any(line.startswith(word) for line in wrap(text).split("\n"))


def test_every_page_has_the_same_words_when_it_is_wrapped():
    for path in files(ROOT, suffixes={".md"}):
        text = path.read_text(encoding="utf-8")
        assert re.sub(r"\s+", " ", wrap(text)) == re.sub(r"\s+", " ", text), path


def test_a_line_that_is_too_long_is_found(tmp_path):
    (tmp_path / "page.md").write_text("fits\n\n" + LONG + "\n\n| " + LONG + "|\n", encoding="utf-8")
    found = [problem.line for problem in importlib.import_module("check_markdown").problems(tmp_path)]
    assert found == [3]


def test_a_row_of_a_table_that_is_broken_over_two_lines_is_found(tmp_path):
    table = "| a | b |\n| --- | --- |\n| one | two\nlines |\n"
    (tmp_path / "page.md").write_text(f"{table}\n```\n{table}```\n", encoding="utf-8")
    found = [problem.text(tmp_path) for problem in importlib.import_module("check_markdown").problems(tmp_path)]
    assert found == ["page.md:3: a row of a table must be one line that ends with |"]
