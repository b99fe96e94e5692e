"""Devices of a routing table on a WebSocket: subscriptions, resuming anywhere, presence."""

import asyncio
import json

import pytest

from gateway import Gateway
from server import wait_until
from test_websocket import connected

TABLE = "{tasks}"
TASK = {"table": TABLE, "app": "todo", "model": "task"}


@pytest.fixture
def gateways(server):
    with Gateway(server, "--set", "name=one") as one, Gateway(server, "--set", "name=two") as two:
        yield one, two


def change(gateway, number, old=None, **fields):
    body = {"app": "todo", "model": "task", "id": str(number), "event": "task.saved", "document": {"n": number}, "old": old, **fields}
    status, answer = gateway.json("POST", f"/v1/routes/{TABLE}/changes", body)
    assert status == 200, answer


async def device(socket, cursor=None, name="phone", **fields):
    if cursor is not None:
        fields["cursor"] = cursor
    answer = await socket.ask("device", table=TABLE, device=name, **fields)
    assert answer.get("ok"), answer
    return answer


async def numbers(socket, count):
    got = [await socket.event("change") for _ in range(count)]
    return [one["document"]["n"] for one in got], got[-1]["cursor"]


def test_a_device_hears_of_what_it_has_subscribed_to(gateways):
    async def run():
        async with connected(gateways[0]) as socket:
            assert (await device(socket))["resumed"] is False
            answer = await socket.ask("subscribe", **TASK, filter={"n": {"$gt": 1}})
            name = answer["subscription"]
            assert name.startswith("app:todo:model:task#")
            for number in (1, 2):
                change(gateways[1], number)
            got = await socket.event("change")
            assert (got["change"], got["subscriptions"], got["changes"]) == ("enter", [name], ["enter"])
            assert (got["document"], got["name"], got["id"], got["table"]) == ({"n": 2}, "task.saved", "2", TABLE)
            change(gateways[1], 1, old={"n": 2})
            assert (await socket.event("change"))["change"] == "leave"
            assert await socket.ask("unsubscribe", **TASK, filter={"n": {"$gt": 1}}) == {"ok": True, "ended": 1}
            change(gateways[1], 3)
            await socket.ask("subscribe", **TASK)
            change(gateways[1], 4)
            assert (await numbers(socket, 1))[0] == [4]

    asyncio.run(run())


def test_a_device_hears_of_one_object_and_of_what_belongs_to_a_user(gateways):
    async def run():
        async with connected(gateways[0]) as one, connected(gateways[0]) as users:
            await device(one, name="one")
            await one.ask("subscribe", **TASK, object="7")
            await device(users, name="users")
            await users.ask("subscribe", **TASK, user="ann")
            change(gateways[1], 8, user="ann")
            change(gateways[1], 7, user="bob")
            change(gateways[1], 7, old={"n": 7}, user="bob")
            body = {"app": "todo", "model": "task", "id": "7", "event": "task.gone", "old": {"n": 7}, "user": "bob", "document": None}
            assert gateways[1].json("POST", f"/v1/routes/{TABLE}/changes", body)[0] == 200
            changes = [await one.event("change") for _ in range(3)]
            assert [(got["id"], got["change"]) for got in changes] == [("7", "enter"), ("7", "update"), ("7", "delete")]
            assert (await users.event("change"))["id"] == "8"
            assert users.events == []

    asyncio.run(run())


@pytest.mark.parametrize("back_at", [0, 1], ids=["the same gateway", "another gateway"])
def test_a_device_that_comes_back_misses_nothing_and_gets_nothing_twice(gateways, back_at):
    async def run():
        async with connected(gateways[0]) as socket:
            await device(socket)
            await socket.ask("subscribe", **TASK)
            for number in range(5):
                change(gateways[0], number)
            got, cursor = await numbers(socket, 3)
            assert got == [0, 1, 2]
        for number in range(5, 8):
            change(gateways[0], number)
        async with connected(gateways[back_at]) as socket:
            assert (await device(socket, cursor))["resumed"] is True
            change(gateways[0], 8)
            got, cursor = await numbers(socket, 6)
            assert got == [3, 4, 5, 6, 7, 8]
            change(gateways[0], 9)
            assert (await numbers(socket, 1))[0] == [9]
            assert socket.events == []

    asyncio.run(run())


def test_a_device_that_wanders_keeps_its_place(gateways):
    async def run():
        cursor, heard = None, []
        for stay in range(7):
            async with connected(gateways[stay % 2]) as socket:
                await device(socket, cursor)
                if stay == 0:
                    await socket.ask("subscribe", **TASK)
                for number in range(3):
                    change(gateways[0], 10 * stay + number)
                # The last change of each connection is not read.
                got, cursor = await numbers(socket, 2 if stay == 0 else 3)
                heard += got
        assert heard == [10 * stay + number for stay in range(7) for number in range(3)][:len(heard)]
        # Connected twice without reading anything, so the cursor is from two connections before.
        for stay in range(2):
            async with connected(gateways[stay]) as socket:
                await socket.raw.send(json.dumps({"id": 1, "type": "device", "table": TABLE, "device": "phone", "cursor": cursor}))
                await socket.raw.recv()
            change(gateways[0], 100 + stay)
        async with connected(gateways[0]) as socket:
            await device(socket, cursor)
            got, _ = await numbers(socket, 3)
            assert got == [62, 100, 101]

    asyncio.run(run())


def test_after_the_end_of_a_gateway_a_device_goes_on_at_another(server, gateways):
    async def run():
        async with connected(gateways[0]) as socket:
            await device(socket)
            await socket.ask("subscribe", **TASK)
            change(gateways[1], 1)
            _, cursor = await numbers(socket, 1)
            gateways[0].kill()
        change(gateways[1], 2)
        async with connected(gateways[1]) as socket:
            assert (await device(socket, cursor))["resumed"] is True
            change(gateways[1], 3)
            assert (await numbers(socket, 2))[0] == [2, 3]

    asyncio.run(run())


def test_a_device_that_was_away_too_long_gets_a_reset(server):
    async def run(gateway):
        async with connected(gateway) as socket:
            cursor = (await device(socket))["cursor"]
            await socket.ask("subscribe", **TASK)
        with server.connect() as c:
            wait_until(lambda: c.call("EXISTS", f"{TABLE}:device:phone") == 0, "it is forgotten")
            wait_until(lambda: c.call("ROUTE.DEVICE", "GET", TABLE, "phone|ws.one") is None, "it has expired")
        async with connected(gateway) as socket:
            assert (await device(socket, cursor))["resumed"] is False
            assert (await socket.event("reset"))["missing"] == {"reason": "gone"}

    with Gateway(server, "--set", "name=one", "--set", "timeouts.device=300ms") as gateway:
        asyncio.run(run(gateway))


def test_coming_and_going_are_changes(gateways):
    async def run():
        async with connected(gateways[0]) as watcher, connected(gateways[1]) as socket:
            await device(watcher, name="screen")
            await watcher.ask("subscribe", table=TABLE, app="todo", model="$presence")
            await device(socket, user="ann")
            came = await watcher.event("change")
            assert (came["change"], came["name"]) == ("enter", "route.connected")
            assert came["document"] == {"device": "phone", "transport": "ws.two", "user": "ann"}
            assert await socket.ask("leave", table=TABLE) == {"ok": True}
            went = await watcher.event("change")
            assert (went["change"], went["name"]) == ("delete", "route.left")

    asyncio.run(run())


@pytest.mark.parametrize("type, fields, code", [
    ("device", {"table": TABLE}, "invalid"), ("device", {"table": TABLE, "device": "a", "cursor": "x"}, "bad-cursor"),
    ("subscribe", TASK, "no-device"), ("leave", {"table": TABLE}, "no-device")])
def test_a_wrong_request_about_a_device_is_an_error(gateways, type, fields, code):
    async def run():
        async with connected(gateways[0]) as socket:
            assert (await socket.ask(type, **fields))["error"]["code"] == code

    asyncio.run(run())
