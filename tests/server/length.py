"""How long tests go on whose strength is in their number: ./test --all sets MILLRACE_FULL and has them all."""

import os


def at_length(full, short):
    return full if os.environ.get("MILLRACE_FULL") else short
