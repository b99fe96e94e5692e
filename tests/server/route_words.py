"""Short words for tests of routing tables. The table is "t" unless another is named; a channel is named by
its parts, "shop", "task" or "shop", "task", "u7", "t1"."""

import json

WS = "d1|ws"
TASK = ("APP", "shop", "MODEL", "task")
HOUR = 3_600_000


def channel(app="shop", model="task", user=None, id=None):
    """The words of a channel."""
    words = ("APP", app, "MODEL", model)
    words += ("USER", user) if user is not None else ()
    return words + (("ID", id) if id is not None else ())


def text(document):
    """A document or filter as JSON, unless it is text already."""
    return document if isinstance(document, (str, bytes)) else json.dumps(document, ensure_ascii=False)


def device(c, name=WS, *options, key="t"):
    return c.call("ROUTE.DEVICE", "SET", key, name, *options)


def subscribe(c, name=WS, about=TASK, filter=None, key="t", options=()):
    """The filter's id, or None."""
    words = ("FILTER", text(filter)) if filter is not None else ()
    return c.call("ROUTE.SUBSCRIBE", key, name, *about, *words, *options)[1]


def unsubscribe(c, name=WS, about=TASK, filter=None, key="t", options=()):
    words = ("FILTER", text(filter)) if filter is not None else ()
    return c.call("ROUTE.UNSUBSCRIBE", key, name, *about, *words, *options)


def changed(doc=None, old=None):
    """The arguments for a change; False stands for a document that is JSON's null."""
    words = ("DOC", "null" if doc is False else text(doc)) if doc is not None else ()
    return words + (("OLD", "null" if old is False else text(old)) if old is not None else ())


def match(c, doc=None, old=None, about=TASK, key="t", options=()):
    """[(device|transport), ...] in order of name; with `old`, a dict: what the change means to each device."""
    found = {}
    for transport, devices in c.call("ROUTE.MATCH", key, *about, *changed(doc, old), *options):
        assert transport.decode() not in {name.rsplit("|", 1)[1] for name in found}, "a transport comes once"
        for one in devices:
            id, meaning = one[:2] if isinstance(one, list) else (one, None)
            name = f"{id.decode()}|{transport.decode()}"
            assert name not in found, "a device comes once"
            found[name] = meaning and meaning.decode()
    return found if old is not None else sorted(found)


def fields(answer):
    """A map as a dict, whatever the protocol."""
    pairs = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2])
    return {name.decode(): value for name, value in pairs}


def get(c, name=WS, *options, key="t"):
    """ROUTE.DEVICE GET as a dict, or None."""
    answer = c.call("ROUTE.DEVICE", "GET", key, name, *options)
    return None if answer is None else fields(answer)


def listed(c, *options, key="t", page=1000):
    """All devices, page by page, in order of name."""
    found, cursor = [], b"0"
    while True:
        cursor, names = c.call("ROUTE.DEVICE", "LIST", key, "CURSOR", cursor, "COUNT", page, *options)
        found += names
        if cursor == b"0":
            assert len(set(found)) == len(found), "each is listed once"
            return sorted(name.decode() for name in found)


def filters(c, about=TASK, key="t", page=1000):
    """id -> normal form, of all pages."""
    found, cursor = {}, b"0"
    while True:
        cursor, some = c.call("ROUTE.FILTERS", key, *about, "CURSOR", cursor, "COUNT", page)
        found |= {name: json.loads(form) for name, form in fields(some).items()}
        if cursor == b"0":
            return found


def subscribers(c, *options, about=TASK, key="t", page=1000):
    """[(device|transport, filter or None), ...] of all pages, sorted."""
    found, cursor = [], b"0"
    while True:
        cursor, some = c.call("ROUTE.SUBSCRIBERS", key, *about, "CURSOR", cursor, "COUNT", page, *options)
        found += [(name.decode(), filter and filter.decode()) for name, filter in some]
        if cursor == b"0":
            return sorted(found, key=str)


def info(c, key="t"):
    """ROUTE.INFO as a dict, with dicts for the maps in it; None if there is no such table."""
    answer = c.call("ROUTE.INFO", key)
    if answer is None:
        return None
    known = fields(answer)
    known["transports"] = {name: fields(each) for name, each in fields(known["transports"]).items()}
    known["top-channels"] = [fields(each) for each in known["top-channels"]]
    known["failing-filters"] = [fields(each) for each in known["failing-filters"]]
    return known


def do(c, commands):
    """Sends all commands together; returns the answers, none of which may be an error."""
    commands = list(commands)
    answers = c.call_all(commands)
    for command, answer in zip(commands, answers):
        assert not isinstance(answer, Exception), (command[:4], answer)
    return answers
