"""Trouble: a gateway that dies, hostile content, users who may only read, tokens."""

import json
import time

import jwt

from browser import Console
from gateway import Gateway
from server import QUIET_PORTS, free_port, wait_until

SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
SECRET = "a secret that is long enough for everybody"
RULES = """
[[key]]
algorithm = "HS256"
file = "FILE"

[[allow]]
to = "admin"
rights = ["read"]
claims = { role = "reader" }

[[allow]]
to = "admin"
rights = ["read", "write"]
claims = { role = "admin" }
"""


def test_it_comes_back_by_itself_when_the_gateway_does(server, c, browser):
    c.call("TWRITE", "orders", "new", "before")
    with Gateway(server, port=free_port(QUIET_PORTS)) as gateway:
        console = Console(browser, gateway)
        console.go("log/orders")
        console.see_row("Messages", "before")
        gateway.kill()
        console.see("reconnecting, away since")
        console.see_row("Messages", "before")
        c.call("TWRITE", "orders", "new", "meanwhile")
        gateway.start()
        console.run("await page.getByRole('status').getByText('live', {exact: true}).waitFor()")
        console.see_row("Messages", "meanwhile")


def test_a_page_that_is_older_than_its_gateway_says_so(server, c, browser):
    with Gateway(server, port=free_port(QUIET_PORTS)) as gateway:
        console = Console(browser, gateway)
        button = "page.getByRole('button', {name: 'The gateway is newer: reload'})"
        gateway.kill()
        console.see("reconnecting, away since")
        gateway.start()
        console.run("await page.getByRole('status').getByText('live', {exact: true}).waitFor()")
        assert console.run(f"return await {button}.count()") == 0
        # Another build has other files, and so other ETags.
        console.run("""await page.route('**/console/main.js', async route =>
            route.fulfill({status: 200, headers: {ETag: '"of-another-build"'}}))""")
        gateway.kill()
        console.see("reconnecting, away since")
        gateway.start()
        console.see("The gateway is newer: reload")
        console.run("await page.unroute('**/console/main.js')")
        console.press("The gateway is newer: reload")
        # The old page is live, too, until the new one replaces it.
        console.run(f"await {button}.waitFor({{state: 'detached'}})")
        console.run("await page.getByRole('status').getByText('live', {exact: true}).waitFor()")
        assert console.run(f"return await {button}.count()") == 0


def test_content_that_is_markup_is_shown_as_text(server, c, console):
    c.call("TWRITE", SCRIPT, SCRIPT, SCRIPT)
    c.call("TREAD", SCRIPT, 1, 1, "GROUP", SCRIPT, "RETRY", 30000, 0, "CONSUMER", SCRIPT)
    c.call("CHAN.SUBSCRIBE", "room", SCRIPT)
    c.call("CHAN.PUBLISH", "room", SCRIPT, json.dumps({SCRIPT: SCRIPT}))
    c.call("LOCK.ACQUIRE", "lock", SCRIPT, 60000, "VALUE", SCRIPT)
    console.go("keys", SCRIPT)
    console.run("await page.getByRole('link', {name: '<script>'}).first().click()")
    console.press("Open 1")
    console.see(SCRIPT)
    console.run("await page.getByRole('link', {name: /^Groups/}).click()")
    console.see_row("Groups", SCRIPT)
    console.run("await page.getByRole('table', {name: 'Groups'}).getByRole('link').first().click()")
    console.see_row("Pending messages", SCRIPT)
    console.go("channel/room")
    console.see_row("Subscribers", SCRIPT)
    console.run("await page.getByRole('button', {name: /^Open /}).click()")
    console.see(SCRIPT)
    console.go("lock/lock")
    console.see_row("Holders", SCRIPT)
    assert console.run("return [await page.title(), await page.locator('main script, main img').count()]") == ["lock – Millrace", 0]


def test_names_that_pretend_to_be_others_are_shown_as_they_are(server, c, console):
    turned, lines, same = "orders\u202egnp.exe", "two\nlines\tof it", "orders\ufeff"
    for name in (turned, lines, same):
        c.call("TWRITE", name, name, json.dumps({name: "\u2066x"}))
    console.go("keys?type=log", r"orders\u202egnp.exe")
    console.see(r"two\nlines\tof it")
    console.see(r"orders\ufeff")
    console.run("await page.getByRole('link', {name: 'two'}).click()")
    console.see_row("Messages", r"two\nlines\tof it")
    console.press("Open 1")
    console.see(r"\u2066x")
    # The text that the user must type is one that can be typed.
    console.press(r"Delete two\nlines\tof it")
    console.confirm("Delete", "Delete: done.", typed=r"two\nlines\tof it")
    assert c.call("EXISTS", lines) == 0 and c.call("EXISTS", turned) == 1


def test_bytes_that_are_not_utf8_are_shown_and_can_be_used(server, c, console):
    key = b"log-\xff\x00\xfe".replace(b"\x00", b"\x01")
    c.call("TWRITE", key, b"t\xf0", b"\x00\x01 text \xff\xfe")
    console.go("keys?type=log")
    console.run("await page.getByRole('link', {name: 'log-'}).click()")
    console.see_row("Messages", r"\x00\x01 text \xff\xfe", r"t\xf0")
    console.press("Open 1")
    console.see("not UTF-8")
    console.press("Copy as …")
    assert r"$'\x00\x01\x20\x74" in console.run("return await page.getByRole('dialog').locator('pre').first().innerText()")
    console.run("await page.keyboard.press('Escape')")
    console.press("Write …")
    console.confirm("Write", "Written as message 2.", Tag="ü", Content="Grüße")
    assert c.call("TREAD", key, 2, 1)[0][2] == "Grüße".encode()


def test_a_megabyte_is_cut_and_shown_whole_when_asked_for(server, c, console):
    c.call("TWRITE", "big", "json", json.dumps({"text": "x" * 1_000_000, "end": "the last word"}))
    console.go("log/big", "newest first")
    console.press("Open 1")
    console.see("the beginning of it")
    # The copied command must have the whole message, not only the part that is shown.
    console.press("Copy as …")
    assert "the last word" in console.run("return await page.getByRole('dialog').locator('pre').first().innerText()")
    console.run("await page.keyboard.press('Escape')")
    console.press("Whole")
    console.see("the last word")
    c.call("TWRITE", "bigger", "t", "x" * 1_100_000)
    console.go("log/bigger", "newest first")
    console.press("Open 1")
    console.press("Copy as …")
    console.see("too large to be copied")


def test_a_name_that_is_too_long_for_a_path_is_listed(server, c, console):
    c.call("TWRITE", "long-" + "x" * 100_000, "t", "e")
    console.go("keys?type=log")
    console.see_row("Keys", "long-xxx", "a name of 97.7 KB")
    assert console.run("return await page.getByRole('table', {name: 'Keys'}).getByRole('link').count()") == 0
    assert not console.run("return await overflows()")


def test_very_many_keys_are_paged_and_found(server, c, console):
    for begin in range(0, 20_000, 1000):
        c.call_all([("TWRITE", f"log:{number:06}", "t", "x") for number in range(begin, begin + 1000)])
    console.go("keys?type=log")
    console.see("20,000 keys")
    assert console.run("return await page.getByRole('table', {name: 'Keys'}).locator('tbody tr').count()") <= 100
    console.press("Show more")
    console.see_row("Keys", "log:000150")
    console.fill("Search by name", "017777")
    console.see_row("Keys", "log:017777")
    console.run("await page.getByRole('table', {name: 'Keys'}).locator('tbody tr').nth(1).waitFor({state: 'detached'})")


def token(role):
    return jwt.encode({"sub": "ann", "role": role, "exp": int(time.time()) + 600}, SECRET, algorithm="HS256")


def rules(folder):
    (folder / "secret").write_text(SECRET)
    return RULES.replace("FILE", str(folder / "secret"))


def enter(browser, gateway, role):
    browser.run("await fresh()")
    browser.run("await page.goto(given.address)", address=f"http://127.0.0.1:{gateway.port}/console/")
    browser.run("await page.getByLabel('Token').fill(given.token); await page.getByRole('button', {name: 'Enter'}).click()", token=token(role))
    browser.run("await page.getByRole('status').getByText('live', {exact: true}).waitFor()")


def test_a_reader_sees_everything_and_changes_nothing(shop, server, browser, tmp_path):
    with Gateway(server, config=rules(tmp_path)) as gateway:
        enter(browser, gateway, "reader")
        browser.run("await page.getByText('read only').waitFor()")
        for to, text, buttons in (("log/orders", "newest first", ["Write …", "Delete …"]), ("log/orders/groups/billing", "worker-3", ["Seek …", "Drop …", "Give back"]),
                                  ("lock/stock", "cashier-1", ["Break …"])):
            browser.run("await screen(given.to); await page.getByText(given.text).first().waitFor()", to=f"#/{to}", text=text)
            for button in buttons:
                assert browser.run("return await page.getByRole('button', {name: given.name}).count()", name=button) == 0, button
        headers = {"Authorization": f"Bearer {token('reader')}"}
        for method, path in (("POST", "logs/orders/messages"), ("DELETE", "keys/orders"), ("POST", "locks/stock/break")):
            assert gateway.request(method, f"/v1/admin/{path}", "{}", headers).status == 403, path
        assert shop.call("EXISTS", "orders") == 1


def test_a_token_lasts_as_long_as_the_tab(shop, server, browser, tmp_path):
    with Gateway(server, config=rules(tmp_path)) as gateway:
        enter(browser, gateway, "admin")
        browser.run("await screen('#/log/orders'); await page.getByRole('button', {name: 'Write …'}).waitFor()")
        browser.run("await page.reload(); await page.getByRole('button', {name: 'Write …'}).waitFor()")
        assert browser.run("return await page.evaluate(() => [localStorage.length, document.cookie])") == [0, ""]
        wait_until(lambda: browser.run("return seen.complaints.filter(text => !text.includes('401'))") == [], "no complaints")
