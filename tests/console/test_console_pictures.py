"""Takes pictures of the console while `millrace demo` runs: those of the guide, or of every screen for review. Runs
only on demand."""

import os
import pathlib
import subprocess

import pytest

from browser import Console
from gateway import Gateway
from server import REPOSITORY, Server, let_pass, wait_until
from tool import TOOL

WANTED = os.environ.get("MILLRACE_SCREENSHOTS", "")
SHOP = "demo%3A%7Bshop%7D%3A"
# A screen, and a text that is on it once it is complete.
SCREENS = {
    "overview": ("", "Lag of groups"),
    "group": (f"log/{SHOP}orders/groups/payment", "Workers that hold messages"),
    "dead": (f"log/{SHOP}orders%3Adead/dead", "Open"),
    "keys": ("keys", "customers"),
    "messages": (f"log/{SHOP}orders", "newest first"),
    "groups": (f"log/{SHOP}orders/groups", "payment"),
    "schedule": (f"log/{SHOP}reminders/schedule", "Open"),
    "channel": (f"channel/{SHOP}news", "Subscribers"),
    "pool": (f"pool/{SHOP}packing", "working"),
    "lock": (f"lock/{SHOP}inventory", "Holders"),
    "lock-waits": ("lock-waits", "waits"),
    "who": (f"route/{SHOP}devices", "Who would hear this?"),
    "devices": (f"route/{SHOP}devices/devices", "Devices"),
    "filters": (f"route/{SHOP}devices/filters", "Filters"),
    "index": (f"index/{SHOP}customers", "Index"),
    "suggestions": (f"suggest/{SHOP}searches", "Suggestions"),
    "gateways": ("gateways", "this one"),
    "audit": ("audit", "Audit log"),
}
LOOKS = {
    "light": {"colorScheme": "light", "viewport": {"width": 1280, "height": 760}},
    "dark": {"colorScheme": "dark", "viewport": {"width": 1280, "height": 760}},
    "phone": {"viewport": {"width": 375, "height": 740}, "isMobile": True, "hasTouch": True},
}
# The pictures that the documentation shows, and their height.
KEPT = {"overview-light": 640, "overview-dark": 640, "overview-phone": 740, "group-dark": 640, "dead-light": 460}
SAMPLED_MS = 90_000
MOST_BYTES = 100_000  # size limit of a picture

pytestmark = pytest.mark.skipif(not WANTED, reason="MILLRACE_SCREENSHOTS=yes writes the pictures")


def is_worth_showing(gateway):
    """True if something in the overview needs a person, and the curves are long enough."""
    let_pass(1)
    overview = gateway.json("GET", "/v1/admin/overview")[1]
    history = overview["history"]
    sampled = sum(value is not None for value in history["memory"]) * history["step"]
    kinds = {need["kind"] for need in overview["needs"]}
    return sampled >= SAMPLED_MS and overview["totals"]["keys"] and "dead-letters" in kinds and len(kinds) >= 2


def take_picture(console, path, height):
    """If a height is given, only the upper part of the screen: such a picture is committed and must be small."""
    console.run("""const {width} = page.viewportSize();
        await page.screenshot({path: given.path, clip: given.height ? {x: 0, y: 0, width, height: given.height} : undefined})""",
                path=str(path), height=height)
    assert not height or path.stat().st_size < MOST_BYTES, path


def test_the_pictures(browser):
    """With `yes`, takes the pictures of the documentation into docs/pictures; with a folder, every screen into that
    folder."""
    folder = REPOSITORY / "docs" / "pictures" if WANTED == "yes" else pathlib.Path(WANTED)
    folder.mkdir(exist_ok=True)
    with Server() as server, Gateway(server) as gateway:
        demo = subprocess.Popen([TOOL, "demo", "--to", f"127.0.0.1:{server.port}", "--for", "20m"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: is_worth_showing(gateway), "the overview has something to show", 300)
            for look, options in LOOKS.items():
                console = Console(browser, gateway, **options)
                for screen, (to, text) in SCREENS.items():
                    name = f"{screen}-{look}"
                    if name in KEPT or WANTED != "yes":
                        console.go(to)
                        # Waits for the curves to be drawn. It may also take a minute until a worker of the demo holds
                        # something.
                        console.run("""await page.waitForTimeout(1500);
                            await page.locator('#page').getByText(given.text).first().waitFor({timeout: 120_000})""", text=text)
                        take_picture(console, folder / f"console-{name}.png", KEPT.get(name))
        finally:
            demo.terminate()
            demo.wait()
