"""A browser's own EventSource: Debian's chromium, driven by playwright-core."""

import json
import re
import shutil
import subprocess

import pytest

from gateway import Gateway
from javascript import start_javascript
from server import REPOSITORY, wait_until

# Prints a line of JSON for everything that a page tells by tell(). The page has the gateway's origin, as behind a proxy.
PROGRAM = """
import { chromium } from "playwright-core";
const browser = await chromium.launch({ executablePath: "CHROMIUM", args: ["--no-sandbox", "--no-proxy-server"] });
const page = await browser.newPage();
await page.exposeFunction("tell", what => console.log(JSON.stringify(what)));
await page.route("**/page", route => route.fulfill({ contentType: "text/html", body: CONTENT }));
await page.goto("http://127.0.0.1:PORT/page");
process.stdin.resume();
process.stdin.on("end", async () => { await browser.close(); process.exit(0); });
"""

LISTENS = """<script>
  const source = new EventSource("/v1/logs/orders");
  source.onmessage = event => tell(["message", JSON.parse(event.data).entry]);
  source.addEventListener("reset", event => tell(["reset", JSON.parse(event.data).reason]));
  source.onopen = () => tell(["open"]);
</script>"""


class Page:
    """A page in a browser, and what it tells; use as a context manager."""

    def __init__(self, gateway, folder, content=LISTENS):
        chromium = shutil.which("chromium")
        if chromium is None:
            pytest.skip("chromium is not installed")
        self._output = folder / "told"
        self._errors = folder / "errors"
        with open(self._output, "wb") as output, open(self._errors, "wb") as errors:
            self._process = start_javascript(PROGRAM, folder, stdin=subprocess.PIPE, stdout=output, stderr=errors,
                                             CHROMIUM=chromium, PORT=gateway.port, CONTENT=json.dumps(content))

    def told(self):
        if self._process.poll() is not None:
            raise AssertionError(self._errors.read_text()[-3000:])
        whole = self._output.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def wait_for(self, count):
        wait_until(lambda: len(self.told()) >= count, f"the page has told {count} things")
        return self.told()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@pytest.mark.long
def test_a_browser_gets_each_message_once_though_the_gateway_is_killed(server, c, tmp_path):
    c.call("TWRITE", "orders", "new", "0")
    with Gateway(server) as gateway, Page(gateway, tmp_path) as page:
        page.wait_for(1)
        gateway.request("POST", "/v1/logs/orders", "1")
        gateway.request("POST", "/v1/logs/orders", "2")
        assert page.wait_for(3) == [["open"], ["message", 1], ["message", 2]]
        gateway.kill()
        c.call("TWRITE", "orders", "new", "3")
        gateway.start()
        c.call("TWRITE", "orders", "new", "4")
        assert page.wait_for(6)[3:] == [["open"], ["message", 3], ["message", 4]]


@pytest.mark.long
def test_a_browser_is_told_of_a_gap(server, c, tmp_path):
    c.call("TWRITE", "orders", "new", "0")
    with Gateway(server) as gateway, Page(gateway, tmp_path) as page:
        page.wait_for(1)
        c.call("TWRITE", "orders", "new", "1")
        page.wait_for(2)
        gateway.kill()
        for number in range(2, 6):
            c.call("TWRITE", "orders", "new", number)
        c.call("TEVICT", "orders", 4)
        gateway.start()
        got = page.wait_for(6)[2:]
        assert got[:2] == [["open"], ["reset", "evicted"]] and got[-1] == ["message", 5]


@pytest.mark.long
def test_the_page_of_the_guide_shows_the_last_orders_and_each_new_one(server, c, tmp_path):
    [page] = re.findall(r"```html\n(.*?)```", (REPOSITORY / "docs/guides/live-updates.md").read_text(), re.DOTALL)
    watch = """<script>
      const list = document.getElementById("orders");
      new MutationObserver(() => tell(Array.from(list.children, line => line.textContent))).observe(list, {childList: true});
    </script>"""
    c.call("TWRITE", "orders", "new", '{"item":"tea"}')
    with Gateway(server) as gateway, Page(gateway, tmp_path, page + watch) as page:
        assert page.wait_for(1) == [["1: tea"]]
        c.call("TWRITE", "orders", "new", '{"item":"<b>milk</b>"}')
        assert page.wait_for(2)[1] == ["1: tea", "2: <b>milk</b>"]
