"""The version of the tree, which stands in CMakeLists.txt and nowhere else."""

import re

from server import REPOSITORY

VERSION = re.search(r"^project\(millrace VERSION (\d+\.\d+\.\d+)\b", (REPOSITORY / "CMakeLists.txt").read_text(), re.M)[1]
