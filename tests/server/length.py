"""How large or long a test is that finds more if it runs longer. MILLRACE_LENGTH says how it runs: ./test --all sets it
to `full`, ./test --quick to `quick`."""

import os

LENGTHS = ("full", "quick", "")


def length():
    said = os.environ.get("MILLRACE_LENGTH", "")
    assert said in LENGTHS, f"MILLRACE_LENGTH is full, quick or not set, not {said}"
    return said


def at_length(full, short=None, quick=None):
    """The value for this run. What is not given is that of the next longer run."""
    short = full if short is None else short
    quick = short if quick is None else quick
    return {"full": full, "quick": quick, "": short}[length()]
