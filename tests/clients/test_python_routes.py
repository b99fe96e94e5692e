"""Routes, indexes and suggestions of the Python package, on a server and over a network that loses answers."""

import pathlib
import sys

import pytest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python" / "src"))

from blocking import connected
from counting import calls
from millrace import Backoff, ConnectionLost, NotUnique
from server import wait_until


@pytest.fixture
def mr(proxy, half):
    with connected(half, f"redis://127.0.0.1:{proxy.port}") as mr:
        yield mr


def test_a_change_is_dispatched_once_and_pushed_to_its_devices(server, proxy, mr):
    routes = mr.routes("{tasks}")
    pushed = []
    with routes.device("laptop", "socket", user="ann", ttl=30) as laptop:
        laptop.subscribe("todo", "task")
        gone = routes.device("sold", "socket")
        gone.set()
        gone.subscribe("todo", "task", filter={"assignee": "ann"})
        proxy.swallow("ROUTE.DISPATCH")
        told = routes.dispatch("todo", "task", "saved", "{tasks}:", id="t1", old=None, document={"assignee": "ann"})
        assert told == {"socket": (2, 1)} and proxy.swallowed["ROUTE.DISPATCH"] == 1
        assert server.admin.call("TINFO", "{tasks}:socket")[3] == 1  # once

        def push(device, change, message):
            pushed.append((device, change, message["document"]))
            return device != "sold"

        assert routes.pusher("{tasks}:socket", "socket", push, backoff=Backoff.none()).run_until_idle() == 1
        assert sorted(pushed) == [("laptop", "enter", {"assignee": "ann"}), ("sold", "enter", {"assignee": "ann"})]
        assert routes.match("todo", "task", document={"assignee": "ann"}) == {"socket": ["laptop"]}
    assert routes.match("todo", "task", document={"assignee": "ann"}) == {}


def test_a_device_that_had_expired_is_set_again_with_its_subscriptions(server, mr):
    device = mr.routes("{tasks}").device("phone", "push", user="ann", ttl=60)
    device.set()
    device.subscribe("todo", "task")
    server.admin.call("ROUTE.DEVICE", "DEL", "{tasks}", "phone|push")
    device.touch()
    assert mr.routes("{tasks}").match("todo", "task") == {"push": ["phone"]}


def test_an_index_is_searched_over_all_its_pages(server, proxy, mr):
    users = mr.index("users")
    fields = {"age": "INTEGER", "mail": "TEXT UNIQUE"}
    assert users.create("user:", fields) and not users.create("user:", fields)
    proxy.swallow("IDX.PUT", times=3, every=2)
    for number in range(25):
        users.put(f"user:{number}", {"age": number, "mail": f"{number}@example.org"})
    users.wait_until_ready()
    assert list(users.find(("age", ">=", 5), order="age", page=7)) == [f"user:{number}" for number in range(5, 25)]
    assert list(users.find(("age", "IN", 3, 4), order="age", reverse=True, get=["mail"], limit=1)) == [
        ("user:4", {"mail": b"4@example.org"})]
    assert users.count(("age", "BETWEEN", 1, 3)) == 3
    with pytest.raises(NotUnique):
        users.put("user:99", {"mail": "1@example.org"})


def test_counting_a_suggestion_is_not_sent_again(server, proxy, mr):
    cities = mr.suggestions("cities")
    assert cities.set("Bern", 13) == 13 and cities.add("Bern") == 14
    proxy.swallow("SUG.ADD")
    with pytest.raises(ConnectionLost):
        cities.add("Bern")
    assert cities.set("Berlin", 36) == 36
    assert cities.get("ber", ignore_case=True) == ["Berlin", "Bern"]
    assert cities.delete("Bern") == 1 and cities.get("B") == ["Berlin"]


def test_a_device_is_touched_while_it_is_open(server, mr):
    with mr.routes("{tasks}").device("phone", "push", ttl=0.9) as device:
        device.subscribe("todo", "task")
        server.admin.call("CONFIG", "RESETSTAT")
        wait_until(lambda: calls(server, r"route.device\|touch"), "it is touched")
    wait_until(lambda: server.admin.call("ROUTE.DEVICE", "GET", "{tasks}", "phone|push") is None, "it is deleted")
