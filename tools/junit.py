"""The results of tests as JUnit's XML, which ctest, pytest and our checks write."""
import xml.etree.ElementTree as xml
from typing import NamedTuple


class Case(NamedTuple):
    file: str  # for pytest the module's name, for others what they call a class
    name: str
    outcome: str  # "passed", "failed" or "skipped"


def outcome_of(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def cases(path):
    """The cases of one file, or None if it is missing or not readable: the program that writes it did not finish."""
    try:
        found = xml.parse(path).iter("testcase")
    except (OSError, xml.ParseError):
        return None
    return [Case(case.get("classname", "").rsplit(".", 1)[-1], case.get("name", ""), outcome_of(case))
            for case in found]
