"""docs/operations.md: its examples print what the page shows, and an exporter exports our figures."""

import re
import shutil
import subprocess
import urllib.request

import pytest

from console import run_blocks
from families import FAMILIES
from server import QUIET_PORTS, REPOSITORY, Server, free_port, wait_until

PAGE = REPOSITORY / "docs" / "operations.md"
PACKAGE = "prometheus-redis-exporter"


def test_every_type_is_among_those_to_be_deleted():
    (command,) = re.findall(r"^ *\$ for type in (.*?);", PAGE.read_text(), re.M)
    assert set(command.split()) == {family.type_name for family in FAMILIES}


def test_every_example_prints_what_it_says():
    # The examples are indented, as steps of a list.
    text = re.sub(r"^   ", "", PAGE.read_text(), flags=re.M)
    with Server() as server:
        run_blocks(server, text)


@pytest.fixture(scope="module")
def exporter(tmp_path_factory):
    """The path of the exporter. If it is not installed, its package is only unpacked: installing it would start a
    service."""
    if found := shutil.which(PACKAGE):
        return found
    folder = tmp_path_factory.mktemp("exporter")
    try:
        subprocess.run(["apt-get", "download", PACKAGE], cwd=folder, check=True, capture_output=True, timeout=60)
        (package,) = folder.glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True, capture_output=True, timeout=60)
    except (OSError, ValueError, subprocess.SubprocessError):
        pytest.skip(f"{PACKAGE} cannot be had here")
    return str(folder / "usr" / "bin" / PACKAGE)


def test_an_exporter_with_the_script_exports_every_field(exporter, tmp_path):
    script = tmp_path / "millrace.lua"
    script.write_text(re.search(r"^```lua\n(.*?)^```$", PAGE.read_text(), re.M | re.S).group(1))
    with Server() as server, server.connect() as c:
        c.call("TWRITE", "log", "tag", "entry")
        port = free_port(QUIET_PORTS)
        process = subprocess.Popen(
            [exporter, "-redis.addr", f"redis://127.0.0.1:{server.port}", "-script", str(script),
             "-web.listen-address", f"127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            def scraped():
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                        return answer.read().decode()
                except OSError:
                    return None

            metrics = wait_until(scraped, "the exporter answers")
            exported = dict(re.findall(r'redis_script_values?\{.*?key="(millrace_\w+)"\} (\S+)', metrics))
            assert exported["millrace_log_messages_written"] == "1"
            fields = {line.split(":")[0] for line in c.call("INFO", "millrace").decode().split() if ":" in line}
            assert {name for name in fields if name.startswith("millrace_")} <= set(exported)
        finally:
            process.kill()
            process.wait()
