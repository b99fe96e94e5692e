"""The .deb: what is in it, and that it works once installed."""

import os
import re
import shutil
import subprocess
import urllib.request

import pytest

from resp import Connection
from server import QUIET_PORTS, REPOSITORY, free_port, server_binary, wait_until
from version import VERSION

MODULE = "usr/lib/redis/modules/millrace.so"
TOOL = "usr/bin/millrace"

pytestmark = [pytest.mark.long, pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="not a Debian")]


def output(*words):
    return subprocess.check_output(words, text=True, stderr=subprocess.STDOUT).strip()


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    output("cpack", "-G", "DEB", "--config", REPOSITORY / "build" / "CPackConfig.cmake", "-B", folder)
    (deb,) = folder.glob("millrace_*.deb")
    return deb


@pytest.fixture
def extracted(package, tmp_path):
    output("dpkg-deb", "-x", package, tmp_path)
    return tmp_path


def check_that_it_works(module, tool, directory):
    assert output(tool, "--version") == f"millrace {VERSION}"
    port = free_port(QUIET_PORTS)
    with open(directory / "log", "wb") as log:
        server = subprocess.Popen(
            [server_binary(), "--port", str(port), "--bind", "127.0.0.1", "--dir", directory, "--save", "",
             "--loadmodule", module], stdout=log, stderr=log)
    try:
        def connected():
            assert server.poll() is None, (directory / "log").read_text()
            try:
                connection = Connection(port)
                connection.call("PING")  # the host listens before it loads modules
                return connection
            except OSError:
                return None

        with wait_until(connected, "the server starts with the packaged module") as connection:
            assert connection.call("TWRITE", "events", "weather", "sunny") == 1
            assert b"sunny" in str(connection.call("TREAD", "events", "1", "10")).encode()
        check_that_it_has_the_console(tool, port, directory)
    finally:
        server.kill()
        server.wait()


def check_that_it_has_the_console(tool, port, directory):
    with open(directory / "gateway", "wb") as log:
        gateway = subprocess.Popen([tool, "serve", "--to", f"127.0.0.1:{port}", "--listen", "127.0.0.1:0"], stdout=log, stderr=log)
    try:
        said = wait_until(lambda: re.search(r"the console is at (http://\S+)", (directory / "gateway").read_text()),
                          "the gateway says where its console is")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(said[1] + "main.js", timeout=60) as page:
            assert "javascript" in page.headers["Content-Type"] and len(page.read()) > 50_000
    finally:
        gateway.kill()
        gateway.wait()


def test_it_names_itself_and_what_it_needs(package):
    fields = output("dpkg-deb", "-f", package)
    assert "Package: millrace\n" in fields
    assert f"\nVersion: {VERSION}\n" in fields
    assert package.name.startswith(f"millrace_{VERSION}_")
    depends = next(line for line in fields.splitlines() if line.startswith("Depends: "))
    assert "redis-server (>= 5:7.0) | valkey-server (>= 7.2)" in depends
    for library in ("libc6", "libhiredis", "libre2", "libsimdjson", "libssl3", "libwslay1", "libzstd1", "zlib1g"):
        assert library in depends


def test_it_holds_module_tool_and_documents(extracted):
    documents = extracted / "usr/share/doc/millrace"
    for name in (MODULE, TOOL):
        assert os.access(extracted / name, os.X_OK), name
    for name in ("README.md", "CHANGELOG.md", "SECURITY.md", "copyright", "docs/commands/TWRITE.md", "docs/settings.md"):
        assert (documents / name).is_file(), name
    for name in ("man/man1/millrace.1", "bash-completion/completions/millrace", "zsh/vendor-completions/_millrace"):
        assert "--checkpoint" in (extracted / "usr/share" / name).read_text().replace("\\-", "-"), name
    example = (documents / "examples/millrace.conf").read_text()
    assert "\nloadmodule /" + MODULE + "\n" in example


def test_it_works_from_where_it_is_extracted(extracted, tmp_path_factory):
    check_that_it_works(extracted / MODULE, extracted / TOOL, tmp_path_factory.mktemp("data"))


def is_installed():
    return subprocess.run(["dpkg", "-s", "millrace"], capture_output=True).returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may install")
def test_it_works_where_dpkg_installs_it_and_leaves_nothing_behind(package, tmp_path):
    if is_installed():
        pytest.skip("millrace is installed here already, and not by this test")
    try:
        output("dpkg", "-i", package)
        check_that_it_works("/" + MODULE, "/" + TOOL, tmp_path)
    finally:
        # Also removes what an incomplete installation left.
        output("dpkg", "--purge", "--force-all", "millrace")
    assert not os.path.exists("/" + MODULE)
    assert not os.path.exists("/" + TOOL)
