"""A browser's own EventSource: Debian's chromium, driven by playwright-core."""

import contextlib
import json
import re
import subprocess

import pytest

from gateway import Gateway
from javascript import chromium, end_javascript, start_javascript
from server import QUIET_PORTS, REPOSITORY, free_port, wait_until

# Each line of its input opens a page, or closes it if there is no content. Prints a line of JSON for every call of
# tell() in a page. A page has the gateway's origin, as behind a proxy.
PROGRAM = """
import { chromium } from "playwright-core";
import { createInterface } from "node:readline";
const browser = await chromium.launch({ executablePath: "CHROMIUM", args: ["--no-sandbox", "--no-proxy-server"] });
const pages = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { number, address, content } = JSON.parse(line);
  if (content === undefined) { await pages.get(number).close(); continue; }
  const page = await browser.newPage();
  pages.set(number, page);
  await page.exposeFunction("tell", what => console.log(JSON.stringify([number, what])));
  await page.route("**/page", route => route.fulfill({ contentType: "text/html", body: content }));
  await page.goto(address);
}
await browser.close();
process.exit(0);
"""

LISTENS = """<script>
  const source = new EventSource("/v1/logs/orders");
  source.onmessage = event => tell(["message", JSON.parse(event.data).entry]);
  source.addEventListener("reset", event => tell(["reset", JSON.parse(event.data).reason]));
  source.onopen = () => tell(["open"]);
</script>"""


class Browser:
    """A browser for many pages. Use as a context manager."""

    def __init__(self, folder):
        self._output, self._errors = folder / "told", folder / "errors"
        with open(self._output, "wb") as output, open(self._errors, "wb") as errors:
            self._process = start_javascript(PROGRAM, folder, stdin=subprocess.PIPE, stdout=output, stderr=errors,
                                             CHROMIUM=chromium())
        self._pages = 0

    @contextlib.contextmanager
    def page(self, gateway, content=LISTENS):
        self._pages += 1
        number = self._pages
        self._order(number=number, address=f"http://127.0.0.1:{gateway.port}/page", content=content)
        yield Page(self, number)
        self._order(number=number)

    def _order(self, **words):
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()

    def told(self, number):
        if self._process.poll() is not None:
            raise AssertionError(self._errors.read_text()[-3000:])
        whole = self._output.read_text().rpartition("\n")[0]
        return [what for page, what in map(json.loads, whole.splitlines()) if page == number]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_javascript(self._process)


class Page:
    def __init__(self, browser, number):
        self._told = lambda: browser.told(number)

    def wait_for(self, count):
        """Waits for this many calls of tell() in the page; returns what they said."""
        wait_until(lambda: len(self._told()) >= count, f"the page has told {count} things")
        return self._told()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.mark.long
def test_a_browser_gets_each_message_once_though_the_gateway_is_killed(server, c, browser):
    c.call("TWRITE", "orders", "new", "0")
    with Gateway(server, port=free_port(QUIET_PORTS)) as gateway, browser.page(gateway) as page:
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
def test_a_browser_gets_a_gap_event(server, c, browser):
    c.call("TWRITE", "orders", "new", "0")
    with Gateway(server, port=free_port(QUIET_PORTS)) as gateway, browser.page(gateway) as page:
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
def test_the_page_of_the_guide_shows_the_last_orders_and_each_new_one(server, c, browser):
    [page] = re.findall(r"```html\n(.*?)```", (REPOSITORY / "docs/guides/live-updates.md").read_text(), re.DOTALL)
    watch = """<script>
      const list = document.getElementById("orders");
      new MutationObserver(() => tell(Array.from(list.children, line => line.textContent))).observe(list, {childList: true});
    </script>"""
    c.call("TWRITE", "orders", "new", '{"item":"tea"}')
    with Gateway(server) as gateway, browser.page(gateway, page + watch) as page:
        assert page.wait_for(1) == [["1: tea"]]
        c.call("TWRITE", "orders", "new", '{"item":"<b>milk</b>"}')
        assert page.wait_for(2)[1] == ["1: tea", "2: <b>milk</b>"]
