"""The Node package: its types are strict; the archive that npm packs installs into an empty folder and works there, as
the README and the programs in examples/node say."""

import json
import os
import re
import signal
import subprocess

import pytest

import javascript
from node_package import SOURCES, built_package
from server import REPOSITORY, module_path, wait_until

ENVIRONMENT = {**os.environ, "MILLRACE_MODULE": module_path()}
README = SOURCES / "README.md"
COMMONJS = """
const { Redis } = require("ioredis");
const { Millrace, text } = require("millrace");
const mr = new Millrace(new Redis(process.argv[2], { lazyConnect: true }));
mr.channel("news", { codec: text }).publish("hello").then((isNew) => { console.log(isNew); mr.close(); });
"""


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An empty folder with the packed package, and the clients as they are."""
    folder = tmp_path_factory.mktemp("installed")
    [packed] = json.loads(run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder, cwd=built_package()))
    names = {file["path"] for file in packed["files"]}
    assert {"README.md", "dist/esm/index.js", "dist/cjs/index.js", "dist/esm/index.d.ts"} <= names
    assert not any(name.startswith("src") for name in names)
    (folder / "package.json").write_text("{}")
    # Its peer dependencies are optional and are linked in below: nothing is downloaded.
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--legacy-peer-deps", folder / packed["filename"], cwd=folder)
    assert sorted(path.name for path in (folder / "node_modules").iterdir() if path.name[0] != ".") == ["millrace"]
    for path in javascript.node_modules().iterdir():
        if path.name[0] != ".":
            (folder / "node_modules" / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def examples(installed):
    """The example programs, compiled with strict checks against the installed package."""
    folder = installed / "examples"
    folder.mkdir()
    (folder / "package.json").write_text('{ "type": "module" }')
    for path in (REPOSITORY / "examples" / "node").glob("*.ts"):
        (folder / path.name).write_text(path.read_text())
    settings = json.loads((REPOSITORY / "examples" / "node" / "tsconfig.json").read_text())
    settings["extends"] = str(SOURCES / "tsconfig.json")
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    run("node", javascript.node_modules() / "typescript" / "bin" / "tsc", "-p", folder)
    return folder / "dist"


def test_the_package_has_the_version_of_the_module():
    [declared] = re.findall(r"^project\(millrace VERSION (\S+)", (REPOSITORY / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert json.loads((SOURCES / "package.json").read_text())["version"] == declared


def test_it_works_by_require(server, installed):
    (installed / "smoke.cjs").write_text(COMMONJS)
    assert run("node", "smoke.cjs", f"redis://127.0.0.1:{server.port}", cwd=installed) == "true\n"


@pytest.mark.long
@pytest.mark.parametrize("number", range(6))
def test_every_program_of_the_readme_works(server, installed, number):
    programs = re.findall(r"^```js\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    assert len(programs) == 6
    file = installed / f"readme-{number}.mjs"
    file.write_text(programs[number].replace(":6379", f":{server.port}"))
    for _ in range(2):  # users run an example more than once
        assert run("node", file, cwd=installed, env=ENVIRONMENT) == ""


# --- examples/node ---

def start(examples, name, server, *words):
    return subprocess.Popen(["node", str(examples / f"{name}.js"), f"redis://127.0.0.1:{server.port}", *words],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(process, status=0):
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (status, ""), output
    return output


def end(process):
    """Ends the process by SIGTERM; returns the rest of its output."""
    process.send_signal(signal.SIGTERM)
    return said(process)


def lines(process, count):
    return [process.stdout.readline().strip() for _ in range(count)]


@pytest.mark.long
def test_orders_are_billed_after_a_retry_and_dead_letters_replayed(server, examples):
    said(start(examples, "orders", server, "place", "11", "12", "13"))
    said(start(examples, "orders", server, "place", "12"))  # the user pressed the button twice
    billing = start(examples, "orders", server, "bill")
    assert sorted(lines(billing, 2)) == ["billed 11", "billed 12"]
    wait_until(lambda: server.admin.call("TINFO", "{orders}:dead")[3] == 1, "13 is a dead letter")
    assert end(billing) == "charged 2 orders\n"
    assert said(start(examples, "orders", server, "replay")) == "sent 1 dead letters back\n"
    assert server.admin.call("TREAD", "{orders}", 4, 10)[0][1:] == [b"new", b'{"number":13,"amount":13}']


@pytest.mark.long
def test_a_screen_that_was_away_gets_what_it_missed(server, examples):
    screen = start(examples, "notifications", server, "show", "7", "ann")
    assert lines(screen, 1) == ["loaded the room"]
    said(start(examples, "notifications", server, "say", "7", "hello", "all"))
    assert lines(screen, 1) == ["hello all"]
    end(screen)
    said(start(examples, "notifications", server, "say", "7", "are", "you", "there?"))
    again = start(examples, "notifications", server, "show", "7", "ann")
    assert lines(again, 1) == ["are you there?"]
    end(again)


@pytest.mark.long
def test_a_job_of_three_machines_runs_on_one(server, examples):
    assert said(start(examples, "guarded_cron", server)) == "5 pages\n"
    server.admin.call("LOCK.ACQUIRE", "nightly-report", "somebody", 60_000)
    assert said(start(examples, "guarded_cron", server), status=75) == "another machine is at it\n"


@pytest.mark.long
def test_an_import_may_be_repeated_and_says_what_it_refused(server, examples, tmp_path):
    file = tmp_path / "products.csv"
    file.write_text("id,sku,name,price\n1,a,Nail,0.5\n2,b,Hammer,19\n3,a,Nail again,1\n4,c,Saw,dear\n5,d,Screw,0.7\n")
    expected = "3 products, 2 refused\n{products}product:1 Nail 0.5\n{products}product:5 Screw 0.7\n"
    for _ in range(2):
        assert said(start(examples, "import_products", server, str(file))) == expected
    assert server.admin.call("TINFO", "{products}")[3] == 5
