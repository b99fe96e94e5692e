"""How large or long a test is that finds more if it runs longer: at its full size in ./test --all, which sets
MILLRACE_FULL."""

import os


def at_length(full, short):
    return full if os.environ.get("MILLRACE_FULL") else short
