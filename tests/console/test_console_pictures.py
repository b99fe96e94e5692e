"""Pictures of the console while `millrace demo` plays: for the guide, or of every screen to look through. On demand."""

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
# A screen, a text that is on it once it is complete, and whether the documentation shows it.
SCREENS = {
    "overview": ("", "Lag of groups", True),
    "group": (f"log/{SHOP}orders/groups/payment", "Workers that hold messages", True),
    "dead": (f"log/{SHOP}orders%3Adead/dead", "Open", True),
    "keys": ("keys", "customers", False),
    "messages": (f"log/{SHOP}orders", "newest first", False),
    "groups": (f"log/{SHOP}orders/groups", "payment", False),
    "schedule": (f"log/{SHOP}reminders/schedule", "Open", False),
    "channel": (f"channel/{SHOP}news", "Subscribers", False),
    "pool": (f"pool/{SHOP}packing", "working", False),
    "lock": (f"lock/{SHOP}inventory", "Holders", False),
    "lock-waits": ("lock-waits", "waits", False),
    "who": (f"route/{SHOP}devices", "Who would hear this?", False),
    "devices": (f"route/{SHOP}devices/devices", "Devices", False),
    "filters": (f"route/{SHOP}devices/filters", "Filters", False),
    "index": (f"index/{SHOP}customers", "Index", False),
    "suggestions": (f"suggest/{SHOP}searches", "Suggestions", False),
    "gateways": ("gateways", "this one", False),
    "audit": ("audit", "Audit log", False),
}
LOOKS = {
    "light": {"colorScheme": "light", "viewport": {"width": 1280, "height": 640}},
    "dark": {"colorScheme": "dark", "viewport": {"width": 1280, "height": 640}},
    "phone": {"viewport": {"width": 375, "height": 740}, "isMobile": True, "hasTouch": True},
}
SAMPLED_MS = 90_000
MOST_BYTES = 100_000  # of a picture

pytestmark = pytest.mark.skipif(not WANTED, reason="MILLRACE_SCREENSHOTS=yes writes the pictures")


def is_worth_showing(gateway):
    """Something needs a person, and the curves have a length."""
    let_pass(1)
    overview = gateway.json("GET", "/v1/admin/overview")[1]
    history = overview["history"]
    sampled = sum(value is not None for value in history["memory"]) * history["step"]
    kinds = {need["kind"] for need in overview["needs"]}
    return sampled >= SAMPLED_MS and overview["totals"]["keys"] and "dead-letters" in kinds and len(kinds) >= 2


def test_the_pictures(browser):
    """`yes`: those of the documentation, into docs/pictures. A folder: every screen, into that."""
    folder = REPOSITORY / "docs" / "pictures" if WANTED == "yes" else pathlib.Path(WANTED)
    folder.mkdir(exist_ok=True)
    with Server() as server, Gateway(server) as gateway:
        demo = subprocess.Popen([TOOL, "demo", "--to", f"127.0.0.1:{server.port}", "--for", "20m"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: is_worth_showing(gateway), "the overview has something to show", 300)
            for look, options in LOOKS.items():
                console = Console(browser, gateway, **options)
                for name, (to, text, is_shown) in SCREENS.items():
                    if is_shown or WANTED != "yes":
                        console.go(to)
                        console.run("await page.waitForTimeout(1500)")  # for the curves, and what moves
                        console.see(text)
                        path = folder / f"console-{name}-{look}.png"
                        console.run("await page.screenshot({path: given.path})", path=str(path))
                        assert not is_shown or path.stat().st_size < MOST_BYTES, path
        finally:
            demo.terminate()
            demo.wait()
