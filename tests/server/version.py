"""The version of the tree, which is written only in CMakeLists.txt."""

import re

from server import REPOSITORY

VERSION = re.search(r"^project\(millrace VERSION (\d+\.\d+\.\d+)\b", (REPOSITORY / "CMakeLists.txt").read_text(), re.M)[1]
