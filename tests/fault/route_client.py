"""A routing table: a change goes to exactly the devices that have subscribed, and what was dispatched is in its log."""

import json

from books import now
from client import Client
from log_books import LogBooks
from route_words import TASK, match

DEVICES = tuple(f"d{n}|ws" for n in range(12))
VALUES = range(5)  # values of the field that filters test
KEPT = 300


class RouteClient(Client):
    def prepare(self, c):
        self._key = f"{{route:{self.name}}}"
        self._serial = 0
        self._log = LogBooks(self, self._key + ":ws")
        # (device, value) -> (whether it is subscribed, when that was acknowledged)
        self._subscribed = {(device, value): (False, 0.0) for device in DEVICES for value in VALUES}
        self._under_way = {}  # (device, value) -> a change without an answer

    def step(self, c):
        chance = self.rng.random()
        device, value = self.rng.choice(DEVICES), self.rng.choice(VALUES)
        channel = (self._key, device, *TASK, "FILTER", json.dumps({"n": value}))
        if chance < 0.3:
            self._change(c, {(device, value): True}, "ROUTE.SUBSCRIBE", *channel)
        elif chance < 0.5 and self._subscribed[device, value][0]:
            self._change(c, {(device, value): False}, "ROUTE.UNSUBSCRIBE", *channel)
        elif chance < 0.55:
            gone = {(device, value): False for value in VALUES}
            self._change(c, gone, "ROUTE.DEVICE", "DEL", self._key, device)
        elif len(self._log.messages) > KEPT:
            self._log.evict(c, max(self._log.messages))
        else:
            self._dispatch(c, value)

    def _change(self, c, wanted, *command):
        self._under_way = wanted
        c.call(*command)
        when = self.acknowledged(c)
        self._subscribed.update({one: (state, when) for one, state in wanted.items()})
        self._under_way = {}

    def _devices_of(self, value):
        return [device for device in DEVICES if self._subscribed[device, value][0]]

    def _dispatch(self, c, value):
        """Dispatches a change. The answer is the number of devices; for none, nothing is written."""
        self._serial += 1
        document = json.dumps({"n": value, "serial": self._serial})
        words = ("DOC", document, "EVENT", "changed", "QUEUES", "ws", self._log.key)
        answer = c.call("ROUTE.DISPATCH", self._key, *TASK, *words)
        when = self.acknowledged(c)
        devices = self._devices_of(value)
        if [count for _, count, _ in answer] != [len(devices)] * bool(devices):
            self.books.lost(f"{self._key}: a change goes to {answer} and not to {len(devices)} devices")
        for _, _, offset in answer:
            self._log.written(offset, [self._entry(value, devices)], when)

    def _entry(self, value, devices):
        return json.dumps([self._serial, value, sorted(device.split("|")[0] for device in devices)])

    def prove(self, c, promise):
        for value in VALUES:
            found = set(match(c, {"n": value}, key=self._key))
            for device in DEVICES:
                self._prove_subscription(device, value, device in found, promise)
        self._under_way = {}
        self._log.prove(_Summaries(c), promise)

    def _prove_subscription(self, device, value, is_there, promise):
        state, when = self._subscribed[device, value]
        if is_there == state:
            return
        if self._under_way.get((device, value)) != is_there:
            if promise.holds(when):
                self.books.lost(f"{self._key}: {device} is {'' if is_there else 'not '}subscribed to n = {value}")
            else:
                self.books.count("forgotten")
        self._subscribed[device, value] = (is_there, now())

    def finish(self, c):
        for value in VALUES:
            self._dispatch(c, value)


class _Summaries:
    """A connection that reads messages in the form that is recorded: serial, value and devices."""

    def __init__(self, c):
        self._c = c

    def call(self, *words):
        answer = self._c.call(*words)
        if not answer:
            return answer
        return answer[:1] + [[offset, tag, self._summary(json.loads(entry))] for offset, tag, entry in answer[1:]]

    @staticmethod
    def _summary(message):
        document = message["document"]
        devices = sorted(one["device"] for one in message["devices"])
        return json.dumps([document["serial"], document["n"], devices]).encode()
