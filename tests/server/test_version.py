"""Everything that is built shows the version of CMakeLists.txt. The package is tested by test_package.py; CHANGELOG.md
and the documents by tools/check_version.py."""

from tool import millrace
from version import VERSION


def as_number():
    """1.2.3 as MODULE LIST shows it: 10203."""
    major, minor, patch = map(int, VERSION.split("."))
    return major * 10000 + minor * 100 + patch


def test_module_list_shows_the_version(c):
    (ours,) = [dict(zip(row[::2], row[1::2])) for row in c.call("MODULE", "LIST") if b"millrace" in row]
    assert ours[b"ver"] == as_number()


def test_info_shows_the_version(c):
    assert f"module:name=millrace,ver={as_number()},".encode() in c.call("INFO", "modules")


def test_the_tool_shows_the_version():
    done = millrace("--version")
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"millrace {VERSION}\n", b"")


def test_the_manual_page_shows_the_version():
    assert f'"millrace {VERSION}"' in millrace("manual").stdout.decode().splitlines()[0]
