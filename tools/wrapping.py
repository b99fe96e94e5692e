"""Wraps the prose of a Markdown text: paragraphs and items of lists, nothing else."""
import re

WIDTH = 120
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])(\s+)")
# What must stay on one line: code, links, and pairs of them without a space between.
ATOM = re.compile(r"(?:`[^`]+`|!?\[[^\]]{1,70}\]\([^)]*\)|[^\s`\[]+|[`\[])+")
# A line that begins with one of these would not be text any more.
STRUCTURE = re.compile(r"([-*+>]|#+|\d+[.)]|\|.*|```.*|~~~.*|=+|-+|<.*)$")


def is_fixed(text):
    """Whether a line outside of code is not running text: a table, a heading, HTML, an indented drawing."""
    return bool(re.match(r"\s*(\||#|<|>|!\[|\[[^\]]+\]:)|    ", text)) and not ITEM.match(text)


def fill(text, first, rest):
    lines, line = [], first
    for word in ATOM.findall(text):
        glue = "" if line in (first, rest) and not line.strip(" ") or line == first else " "
        if len(line) + len(glue) + len(word) > WIDTH and line not in (first, rest) and not STRUCTURE.match(word):
            lines.append(line)
            line, glue = rest, ""
        line += glue + word
    return [*lines, line]


def wrap(text):
    """The text with its paragraphs wrapped; a paragraph in which every line fits stays as it is."""
    out, paragraph, in_code = [], [], False

    def flush():
        if any(len(line) > WIDTH for line in paragraph):
            item = ITEM.match(paragraph[0])
            first = item.group(0) if item else re.match(r"\s*", paragraph[0]).group(0)
            rest = " " * len(first) if item else first
            words = " ".join([paragraph[0][len(first):], *(line.strip() for line in paragraph[1:])])
            out.extend(fill(words, first, rest))
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in text.split("\n"):
        if FENCE.match(line):
            flush()
            in_code = not in_code
            out.append(line)
        elif in_code or not line.strip() or (is_fixed(line) and not (paragraph and ITEM.match(paragraph[0]))):
            flush()
            out.append(line)
        else:
            if ITEM.match(line):
                flush()
            paragraph.append(line)
    flush()
    return "\n".join(out)
