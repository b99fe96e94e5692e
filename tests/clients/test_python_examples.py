"""The programs in examples/python, and those in the package's README and guide, do what they say."""

import os
import re
import signal
import subprocess
import sys

import pytest

from server import REPOSITORY, wait_until

EXAMPLES = REPOSITORY / "examples" / "python"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY / "clients" / "python" / "src")}
PAGES = [REPOSITORY / "clients" / "python" / "README.md"]


def start(name, server, *words):
    return subprocess.Popen(
        [sys.executable, str(EXAMPLES / f"{name}.py"), f"redis://127.0.0.1:{server.port}", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


def run(name, server, *words, status=0):
    process = start(name, server, *words)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (status, ""), output
    return output


def end(process):
    """Ends the process by SIGTERM; returns the rest of its output."""
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    return output


def lines(process, count):
    return [process.stdout.readline().strip() for _ in range(count)]


def test_orders_are_billed_after_a_retry_and_dead_letters_replayed(server):
    run("orders", server, "place", "11", "12", "13")
    run("orders", server, "place", "12")  # the user pressed the button twice
    billing = start("orders", server, "bill")
    assert sorted(lines(billing, 2)) == ["billed 11", "billed 12"]
    wait_until(lambda: server.admin.call("TINFO", "{orders}:dead")[3] == 1, "13 is a dead letter")
    assert end(billing) == "charged 2 orders\n"
    assert run("orders", server, "replay") == "sent 1 dead letters back\n"
    assert server.admin.call("TREAD", "{orders}", 4, 10)[0][1:] == [b"new", b'{"number":13,"amount":13.0}']


def test_a_screen_that_was_away_gets_what_it_missed(server):
    screen = start("notifications", server, "show", "7", "ann")
    assert lines(screen, 1) == ["loaded the room"]
    run("notifications", server, "say", "7", "hello", "all")
    assert lines(screen, 1) == ["hello all"]
    end(screen)
    run("notifications", server, "say", "7", "are", "you", "there?")
    again = start("notifications", server, "show", "7", "ann")
    assert lines(again, 1) == ["are you there?"]
    end(again)


def test_a_job_of_three_machines_runs_on_one(server):
    machines = [start("guarded_cron", server) for _ in range(3)]
    said = sorted(machine.communicate(timeout=60)[0] for machine in machines)
    # A machine that starts late may find the lock free again: only running at the same time is refused.
    assert "5 pages\n" in said and set(said) <= {"5 pages\n", "another machine is at it\n"}
    server.admin.call("LOCK.ACQUIRE", "nightly-report", "somebody", 60_000)
    assert run("guarded_cron", server, status=75) == "another machine is at it\n"


def test_an_import_may_be_repeated_and_says_what_it_refused(server, tmp_path):
    file = tmp_path / "products.csv"
    file.write_text("id,sku,name,price\n1,a,Nail,0.5\n2,b,Hammer,19\n3,a,Nail again,1\n4,c,Saw,dear\n5,d,Screw,0.7\n")
    expected = ("3 products, 2 refused\n{products}product:1 Nail 0.5\n{products}product:5 Screw 0.7\n")
    assert run("import_products", server, str(file)) == expected
    assert run("import_products", server, str(file)) == expected
    assert server.admin.call("TINFO", "{products}")[3] == 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_program_of_a_page_works(server, page):
    programs = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert len(programs) >= 4
    for program in programs * 2:  # users run an example more than once
        done = subprocess.run([sys.executable, "-c", program.replace(":6379", f":{server.port}")], capture_output=True,
                              text=True, timeout=60, env=ENVIRONMENT)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), program
