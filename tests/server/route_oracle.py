"""The design that routing tables come from, over the host's own keys: a set of devices for each channel and filter,
a hash of filters for each channel, a hash for each device; filters are fetched and evaluated by the client.

Two points differ from that design, because ours differs on purpose. A filter is deleted with its last device, not with
the first one that leaves. The date at which something expires is in a hash beside it, and each question compares it
with the time.
"""

import json

from route_filters import matches

EVERYTHING = ""


class Oracle:
    def __init__(self, connection):
        self.c = connection
        self.now = 0  # milliseconds; the caller moves it

    # --- keys ---

    @staticmethod
    def channel_name(app, model, user=None, id=None):
        name = f"app:{app}" + (f":user:{user}" if user else "") + f":model:{model}"
        return name + (f":id:{id}" if id else "")

    @staticmethod
    def patterns(app, model, user=None, id=None):
        names = [(app, model, None, None)]
        names += [(app, model, None, id)] if id else []
        names += [(app, model, user, None)] if user else []
        names += [(app, model, user, id)] if user and id else []
        return [Oracle.channel_name(*each) for each in names]

    @staticmethod
    def _set(channel, filter):
        return f"nxx:subscription:{channel}" + (f":filter:{filter}" if filter else "")

    def _names(self, *words):
        return sorted(name.decode() for name in self.c.call(*words))

    # --- devices ---

    def device(self, device):
        """The device's hash, as text; empty for a device that is missing or has expired."""
        flat = self.c.call("HGETALL", f"nxx:device:{device}")
        known = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2])}
        if known and int(known["ttl"]) and self.now >= int(known["seen"]) + int(known["ttl"]):
            self._remove(device)
            return {}
        return known

    def set_device(self, device, user=None, ttl=None):
        known = self.device(device)
        self.subscriptions(device)  # what has expired before this call stays expired
        told = {"user": user, "ttl": ttl}
        new = known or {"user": "", "ttl": "0", "connected": str(self.now)}
        new = {**new, **{name: str(value) for name, value in told.items() if value is not None}, "seen": str(self.now)}
        self.c.call("HSET", f"nxx:device:{device}", *[word for pair in new.items() for word in pair])
        self.c.call("SADD", "nxx:devices", device)
        return 0 if known else 1

    def touch(self, device):
        return 1 if self.device(device) and self.set_device(device) == 0 else 0

    def delete_device(self, device):
        if not self.device(device):
            return 0
        ended = len(self.subscriptions(device))
        self._remove(device)
        return ended

    def _remove(self, device):
        for place in self._names("SMEMBERS", f"nxx:places:{device}"):
            self._end(device, *place.split("\n"))
        self.c.call("DEL", f"nxx:device:{device}", f"nxx:places:{device}")
        self.c.call("SREM", "nxx:devices", device)

    def devices(self):
        return [device for device in self._names("SMEMBERS", "nxx:devices") if self.device(device)]

    # --- subscriptions ---

    def subscribe(self, device, channel, filter=EVERYTHING, json_text=None, ttl=None):
        """False if it names a filter that does not exist."""
        if filter and json_text is None and not self.c.call("HEXISTS", f"nxx:filters:{channel}", filter):
            return False
        if not self.device(device):
            self.set_device(device)
        if ttl is None:
            ttl = self._terms(device, channel, filter)[1] if self._lives(device, channel, filter) else 0
        if filter and json_text is not None:
            self.c.call("HSET", f"nxx:filters:{channel}", filter, json_text)
        self.c.call("SADD", self._set(channel, filter), device)
        self.c.call("SADD", f"nxx:places:{device}", f"{channel}\n{filter}")
        self.c.call("HSET", "nxx:terms", f"{device}\n{channel}\n{filter}", f"{self.now} {ttl}")
        return True

    def unsubscribe(self, device, channel, filter=EVERYTHING):
        if not self.device(device) or not self._lives(device, channel, filter):
            return 0
        self._end(device, channel, filter)
        return 1

    def _terms(self, device, channel, filter):
        terms = self.c.call("HGET", "nxx:terms", f"{device}\n{channel}\n{filter}")
        return [int(number) for number in terms.split()] if terms else None

    def _lives(self, device, channel, filter):
        terms = self._terms(device, channel, filter)
        if terms is None:
            return False
        since, ttl = terms
        if ttl and self.now >= max(since, int(self.device(device)["seen"])) + ttl:
            self._end(device, channel, filter)
            return False
        return True

    def _end(self, device, channel, filter):
        self.c.call("SREM", self._set(channel, filter), device)
        self.c.call("SREM", f"nxx:places:{device}", f"{channel}\n{filter}")
        self.c.call("HDEL", "nxx:terms", f"{device}\n{channel}\n{filter}")
        is_named = self.c.call("SISMEMBER", f"nxx:named:{channel}", filter)
        if filter and not is_named and not self.c.call("EXISTS", self._set(channel, filter)):
            self.c.call("HDEL", f"nxx:filters:{channel}", filter)

    def subscriptions(self, device):
        places = [tuple(place.split("\n")) for place in self._names("SMEMBERS", f"nxx:places:{device}")]
        return [place for place in places if self._lives(device, *place)]

    # --- filters ---

    def set_filter(self, channel, name, json_text):
        self.c.call("HSET", f"nxx:filters:{channel}", name, json_text)
        self.c.call("SADD", f"nxx:named:{channel}", name)

    def delete_filter(self, channel, filter):
        self._settle(channel, filter)
        members = self._names("SMEMBERS", self._set(channel, filter))
        if not members and not self.c.call("SISMEMBER", f"nxx:named:{channel}", filter):
            return None
        for device in members:
            self._end(device, channel, filter)
        self.c.call("HDEL", f"nxx:filters:{channel}", filter)
        self.c.call("SREM", f"nxx:named:{channel}", filter)
        return len(members)

    def _settle(self, channel, filter):
        """Removes expired devices from the set."""
        for device in self._names("SMEMBERS", self._set(channel, filter)):
            if self.device(device):
                self._lives(device, channel, filter)

    def filters(self, channel):
        """id -> filter"""
        for filter in self._names("HKEYS", f"nxx:filters:{channel}"):
            self._settle(channel, filter)
        flat = self.c.call("HGETALL", f"nxx:filters:{channel}")
        return {name.decode(): json.loads(text) for name, text in zip(flat[::2], flat[1::2])}

    # --- the question ---

    def match(self, about, document=None, old=None):
        """device -> (what matched now, what matched before, channels). False is a document that is null."""
        found = {}
        existed, exists = isinstance(old, dict), isinstance(document, dict)
        for channel in self.patterns(*about):
            if exists or existed or old is None:
                self._hear(found, channel, EVERYTHING, exists or old is None, existed)
            for filter, query in self.filters(channel).items():
                now, before = exists and matches(query, document), existed and matches(query, old)
                if now or before:
                    self._hear(found, channel, filter, now, before)
        return found

    def _hear(self, found, channel, filter, now, before):
        self._settle(channel, filter)
        for device in self._names("SMEMBERS", self._set(channel, filter)):
            was_now, was_before, channels = found.get(device, (False, False, set()))
            found[device] = (was_now or now, was_before or before, channels | {channel})

    @staticmethod
    def meaning(now, before, document, old):
        if isinstance(old, dict) and not isinstance(document, dict):
            return "delete"
        return "enter" if not before else "update" if now else "leave"
