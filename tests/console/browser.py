"""Debian's chromium, driven by playwright-core through driver.mjs: one for all tests."""

import json
import os
import pathlib
import shutil
import subprocess

from javascript import chromium, end_javascript, node_modules

DRIVER = pathlib.Path(__file__).resolve().parent / "driver.mjs"


class BrowserError(AssertionError):
    """A step failed; the text is the browser's."""


class Browser:
    """Use as a context manager."""

    def __init__(self, folder):
        program = chromium()
        # A module looks for packages in its own folder.
        os.symlink(node_modules(), folder / "node_modules")
        shutil.copy(DRIVER, folder)
        self._errors = open(folder / "errors", "w+")
        self._process = subprocess.Popen(["node", str(folder / DRIVER.name), program], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=self._errors, text=True)

    def run(self, code, **given):
        """Runs a piece of JavaScript (see driver.mjs), and returns what it returned."""
        self._process.stdin.write(json.dumps({"code": code, "given": given}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise BrowserError("the browser has ended: " + self._errors.read()[-3000:])
        told = json.loads(line)
        if "error" in told:
            raise BrowserError(told["error"])
        return told["value"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_javascript(self._process)
        self._errors.close()


class Console:
    """The console of a gateway, open in the browser."""

    def __init__(self, browser, gateway, **options):
        self.run = browser.run
        self._port = gateway.port
        self.run("await fresh(given.options)", options=options)
        self.run("await page.goto(given.address); await page.getByRole('status').getByText('live', {exact: true}).waitFor()",
                 address=f"http://127.0.0.1:{self._port}/console/")

    def go(self, to, wait_for=None):
        """Goes to a screen, for example "log/orders/groups". Waits for a text, if one is given."""
        self.run("await screen(given.to)", to=f"#/{to}")
        if wait_for:
            self.see(wait_for)

    def see(self, text):
        self.run("await page.locator('#page').getByText(given.text).first().waitFor()", text=text)

    def see_row(self, table, *texts):
        """Waits for a row that has all these texts, in the table with this label."""
        self.run("""let row = page.getByRole('table', {name: given.table, exact: true}).locator('tbody tr');
            for (const text of given.texts) row = row.filter({hasText: text});
            await row.first().waitFor()""", table=table, texts=texts)

    def press(self, name, exact=True):
        self.run("await page.getByRole('button', {name: given.name, exact: given.exact}).first().click()", name=name, exact=exact)

    def fill(self, label, value):
        self.run("await page.getByLabel(given.label, {exact: true}).fill(given.value)", label=label, value=value)

    def confirm(self, button, said, typed=None, **fields):
        """Answers the open dialog: fills the fields, presses the button, and waits for the message that follows."""
        for label, value in fields.items():
            self.run("await page.getByRole('dialog').getByLabel(given.label, {exact: true}).fill(given.value)",
                     label=label.replace("_", " "), value=value)
        if typed is not None:
            self.run("await page.getByRole('dialog').getByLabel(/^Type/).fill(given.typed)", typed=typed)
        self.run("await page.getByRole('dialog').getByRole('button', {name: given.button, exact: true}).click()", button=button)
        self.run("await page.locator('.notice').getByText(given.said).waitFor()", said=said)

    def complaints(self):
        return self.run("return seen.complaints")

    def other_hosts(self):
        """The requests to other hosts than our gateway."""
        return [url for url in self.run("return seen.requests")
                if not url.startswith((f"http://127.0.0.1:{self._port}/", "data:"))]
