"""Every screen with real data: what it shows, that axe-core finds nothing, that it fits a phone, in light and dark."""

import pytest

from browser import Console

# The screens, each with texts that must be on it.
SCREENS = {
    "overview": ("", ["Lag of groups", "Dead letters"]),
    "keys": ("keys", ["orders", "customers", "{shop}"]),
    "logs": ("keys?type=log", ["orders", "dead letters"]),
    "messages": ("log/orders", ["Pause", "lamp-3"]),
    "groups": ("log/orders/groups", ["billing", "shipping", "orders:dead"]),
    "group": ("log/orders/groups/billing", ["worker-3", "Workers that hold messages", "Given up"]),
    "dead": ("log/orders%3Adead/dead", ["card declined: 51 insufficient funds", "no such customer"]),
    "schedule": ("log/orders/schedule", ["remind", "daily"]),
    "channel": ("channel/prices", ["mailer", "p11"]),
    "pool": ("pool/chat", ["chat-1", "chat-2", "working"]),
    "lock": ("lock/stock", ["cashier-1", "cashier-3", "till 4"]),
    "lock-waits": ("lock-waits", ["circle", "cashier-2"]),
    "who": ("route/%7Bshop%7D", ["Who would hear this?"]),
    "devices": ("route/%7Bshop%7D/devices", ["laptop|websocket"]),
    "filters": ("route/%7Bshop%7D/filters", ["$gt"]),
    "index": ("index/customers", ["not an integer", "ann@example.com"]),
    "facts": ("fact/friends", ["Bytes of names"]),
    "suggestions": ("suggest/words", ["lampshade"]),
    "gateways": ("gateways", ["this one", "/v1/admin/live"]),
    "audit": ("audit", ["Audit log"]),
}


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_each_screen_shows_its_data_and_is_accessible(shop, browser, gateway, colours):
    console = Console(browser, gateway, colorScheme=colours)
    wrong = []
    for name, (to, texts) in SCREENS.items():
        console.go(to)
        for text in texts:
            console.see(text)
        wrong += [f"{name}: {one}" for one in console.run("return await violations()")]
        if console.run("return await overflows()"):
            wrong.append(f"{name} is wider than the screen")
    assert wrong == []
    assert console.complaints() == [] and console.other_hosts() == []


def test_each_screen_fits_a_phone(shop, browser, gateway):
    console = Console(browser, gateway, viewport={"width": 375, "height": 740}, isMobile=True, hasTouch=True)
    wide = []
    for name, (to, texts) in SCREENS.items():
        console.go(to)
        for text in texts:
            console.see(text)
        if console.run("return await overflows()"):
            wide.append(name)
    assert wide == []


def test_no_axis_of_a_curve_says_the_same_twice(shop, console):
    console.see("Lag of groups")
    axes = console.run("""await page.evaluate(() => {
            const {fillText, clearRect} = CanvasRenderingContext2D.prototype;
            window.drawn = new Map();
            CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
                if (this.textAlign === "right") drawn.set(this.canvas, {...drawn.get(this.canvas), [y]: text});
                fillText.call(this, text, x, y);
            };
            // A new sample draws the curve again, with labels at other heights: only the last drawing counts.
            CanvasRenderingContext2D.prototype.clearRect = function (...area) {
                drawn.delete(this.canvas);
                clearRect.call(this, ...area);
            };
        });
        await page.setViewportSize({width: 1100, height: 800});
        await page.waitForFunction(() => drawn.size === 7);
        return await page.evaluate(() => [...drawn.values()].map(axis => Object.values(axis)))""")
    assert all(len(set(axis)) == len(axis) >= 2 for axis in axes), axes


def test_the_screens_are_reached_by_keys(shop, console):
    console.run("await page.keyboard.press('l')")
    console.see_row("Keys", "orders")
    console.run("await page.keyboard.press('/'); await page.keyboard.type('dead')")
    console.run("await page.getByRole('link', {name: 'orders', exact: true}).waitFor({state: 'detached'})")
    console.see_row("Keys", "orders:dead")
    console.run("await page.getByRole('link', {name: 'orders:dead'}).press('Enter')")
    console.see("card declined")
    console.run("await page.locator('body').press('?')")
    console.see("search the keys")
    console.run("await page.keyboard.press('Escape'); await page.getByRole('dialog').waitFor({state: 'detached'})")


def test_what_needs_a_person_links_to_where_it_can_be_solved(shop, console):
    follow = "await page.locator('.needs li').filter({hasText: given.text}).getByRole('link').click()"
    for text, there in (("2 messages were given up by billing of orders", "Send all back …"),
                        ("wait for each other's locks", "Nobody goes on until a lease ends"),
                        ("1 document is left out of the index", "Try a find")):
        console.go("", text)
        console.run(follow, text=text)
        console.see(there)


def test_a_person_called_at_night_sees_who_holds_what_and_can_act(shop, console):
    console.go("log/orders/groups/billing")
    console.see_row("Workers", "worker-3", "6")
    verdict = console.run("return await page.locator('.verdict').innerText()")
    assert "message, 39, is" in verdict and "worker-1 holds it in attempt 1; it is delivered again in" in verdict
    console.run("await page.getByRole('row').filter({hasText: 'worker-1'}).first().getByRole('button').click()")
    console.see("Only what worker-1 holds")
    console.see_row("Pending messages", "worker-1")  # until then the list is empty, and "All" chooses nothing
    console.run("await page.getByLabel('All', {exact: true}).check()")
    console.press("Give back")
    console.confirm("Give back", "Give back: done.")
    taken = [row[4] for row in shop.call("TGROUP", "PENDING", "orders", "billing")]
    assert taken.count(b"worker-1") == 0 and taken.count(b"worker-3") == 6
