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
            exported = dict(re.findall(r'redis_script_values?\{key="(millrace_\w+)"\} (\S+)', metrics))
            assert exported["millrace_log_messages_written"] == "1"
            fields = {line.split(":")[0] for line in c.call("INFO", "millrace").decode().split() if ":" in line}
            assert {name for name in fields if name.startswith("millrace_")} <= set(exported)
        finally:
            process.kill()
            process.wait()


# Finding 8 of "Trying it": the page says so, and that the module is the reason.
@pytest.mark.parametrize("module", [True, False], ids=["with the module", "without it"])
def test_a_replica_that_loads_again_serves_its_old_data_only_without_the_module(module):
    # The replica answers commands after each kilobyte that it loads: one key, or dozens if they were compressed.
    settings = {
        "module": module, "repl_diskless_sync": "yes", "repl_diskless_sync_delay": "0", "repl_backlog_size": "16kb",
        "rdbcompression": "no"}
    slowly = {"module": module, "repl_diskless_load": "swapdb", "loading_process_events_interval_bytes": 1024}
    with Server(**settings) as master, Server(**slowly) as replica:
        master.admin.call_all([("SET", f"key{n}", "x" * 1000) for n in range(100)] + [("SET", "own", "old")])
        replica.replicate(master)
        master.wait_for_replica(replica)
        # Microseconds: with more than a hundred keys it loads for ten seconds, or until this is taken back.
        replica.admin.call("CONFIG", "SET", "key-load-delay", "100000")
        # While it is stopped it misses more than the master's backlog holds, so that it needs a full resynchronisation.
        replica.suspend()
        master.admin.call("CLIENT", "KILL", "TYPE", "replica")
        master.admin.call_all([("SET", "own", "new" * 1000) for _ in range(100)])
        replica.resume()
        # One of the two is 1 while it loads: the first if it refuses commands, the second if it serves its old data.
        loads = lambda: [(info := replica.info("persistence"))["loading"], info["async_loading"]]
        wait_until(lambda: "1" in loads(), "it loads everything anew")
        asked = replica.admin.error_of("GET", "own") if module else replica.admin.call("GET", "own")
        assert asked.startswith("LOADING" if module else b"old")
        assert loads() == (["1", "0"] if module else ["0", "1"]), "all that was asked while it loaded"
        replica.admin.call("CONFIG", "SET", "key-load-delay", "0")
        wait_until(lambda: replica.info("replication")["master_link_status"] == "up", "it has loaded")
        assert replica.admin.call("GET", "own") == b"new" * 1000
