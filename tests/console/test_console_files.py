"""What the gateway serves as the console: without a browser."""

import gzip
import re
import shutil
import subprocess

import pytest

from javascript import node_modules
from server import REPOSITORY

MOST = 120_000
HTML = {"Accept": "text/html,application/xhtml+xml"}


def files(gateway):
    """The page, and all files that it names: {path: answer}."""
    page = gateway.get("/console/")
    named = re.findall(rb'(?:href|src)="([^"]+)"', page.body)
    return {"": page, **{name.decode(): gateway.get("/console/" + name.decode()) for name in named}}


def test_the_whole_page_is_small(gateway):
    served = files(gateway)
    assert set(served) == {"", "main.js", "style.css", "icon.svg"}
    assert all(answer.status == 200 for answer in served.values())
    assert sum(len(answer.body) for answer in served.values()) < MOST


def test_every_file_comes_with_a_policy_without_exceptions(gateway):
    for path, answer in files(gateway).items():
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';"), path
        assert not re.search(r"unsafe|\*|https?:|nonce|sha256", policy), path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_the_page_names_no_other_host(gateway):
    for path, answer in files(gateway).items():
        found = set(re.findall(rb"https?://[\w.-]+", answer.body)) - {b"http://www.w3.org"}  # the namespaces of SVG and MathML
        assert not found, path


def test_a_browser_asks_whether_a_file_is_still_the_same(gateway):
    first = gateway.get("/console/main.js")
    assert first.headers["Cache-Control"] == "no-cache"
    again = gateway.request("GET", "/console/main.js", headers={"If-None-Match": f'"other", {first.headers["ETag"]}'})
    assert (again.status, again.body) == (304, b"")
    assert gateway.request("GET", "/console/main.js", headers={"If-None-Match": '"other"'}).status == 200


def test_it_is_compressed_for_clients_that_accept_it(gateway):
    plain = gateway.get("/console/main.js")
    packed = gateway.request("GET", "/console/main.js", headers={"Accept-Encoding": "br, gzip;q=0.9"})
    assert packed.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


def test_a_browser_is_led_to_the_console_and_a_program_is_not(gateway):
    led = gateway.request("GET", "/", headers=HTML)
    assert (led.status, led.headers["Location"]) == (302, "console/")
    assert gateway.request("GET", "/console").headers["Location"] == "console/"
    assert gateway.get("/").status == 404


@pytest.mark.parametrize("path", ["/console/none.js", "/console/../main.js", "/console/%2e%2e/main.js", "/console//main.js"])
def test_no_other_file_is_served(gateway, path):
    assert gateway.get(path).status == 404


def test_serve_says_where_it_is(gateway):
    assert f"the console is at http://127.0.0.1:{gateway.port}/console/" in gateway.output()


@pytest.mark.long
def test_the_types_hold(tmp_path):
    modules = node_modules()
    packages = REPOSITORY / "build" / "console" / "node_modules"
    if not packages.exists():
        pytest.skip("npm could not get the console's packages")
    shutil.copytree(REPOSITORY / "console", tmp_path / "console", ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "console" / "node_modules").symlink_to(packages)
    done = subprocess.run(["node", str(modules / "typescript" / "bin" / "tsc"), "-p", str(tmp_path / "console")],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[:4000]


def embedded(npm, folder):
    """Runs embed.mjs with this npm; returns (its output, the source that it wrote)."""
    done = subprocess.run(["node", REPOSITORY / "console" / "embed.mjs", npm, folder / "npm", folder / "files.cc"],
                          capture_output=True, text=True, check=True, timeout=300)
    return done.stdout, (folder / "files.cc").read_text()


def test_without_packages_the_build_goes_on_and_says_so(tmp_path):
    node_modules()
    said, source = embedded("/bin/false", tmp_path)
    assert said.startswith("The console is left out: npm cannot get its packages") and said.count("\n") == 1
    assert "ConsoleFile, 0>" in source


def test_the_lock_file_names_no_host():
    assert "://" not in re.sub(r'"url": "https://opencollective.com/[^"]*"', "", (REPOSITORY / "console" / "package-lock.json").read_text())
