"""How long a routing table of many filters, devices or subscriptions holds the server: rows of bench/holds."""

import json

CHANNEL = ("APP", "a", "MODEL", "m")
QUEUES = ("QUEUES", "*", "log:")


def filter_of(n):
    """Four conditions over four fields; no two are the same."""
    return json.dumps({"owner": f"u{n}", "n": {"$gt": n % 100, "$lt": 100000}, "state": {"$in": ["open", "new", f"s{n % 7}"]}, "prio": "high"})


DOCUMENT = '{"owner": "u7", "n": 500, "state": "new", "prio": "high"}'


def many_filters(page, run):
    count = page.options.filters
    page.heading(f"a routing table of {count} filters, each of one device")
    run(page.server, (("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *CHANNEL, "FILTER", filter_of(n)) for n in range(count)))
    page.command("ROUTE.MATCH of one device", "ROUTE.MATCH", "t", *CHANNEL, "DOC", DOCUMENT)
    page.command("ROUTE.FILTERS", "ROUTE.FILTERS", "t", *CHANNEL)
    page.command("ROUTE.FILTERS COUNT 1,000", "ROUTE.FILTERS", "t", *CHANNEL, "COUNT", 1000)
    page.command("ROUTE.SUBSCRIBERS COUNT 1,000", "ROUTE.SUBSCRIBERS", "t", *CHANNEL, "COUNT", 1000)
    page.command("ROUTE.INFO", "ROUTE.INFO", "t")
    # These are proportional to the size of the table, in any case.
    page.command("COPY", "COPY", "t", "copy", "REPLACE", is_limited=False)
    page.command("DEBUG DIGEST-VALUE", "DEBUG", "DIGEST-VALUE", "t", is_limited=False)
    dump = page.server.client().execute_command("DUMP", "t")
    page.command("RESTORE", "RESTORE", "restored", 0, dump, "REPLACE", is_limited=False)
    page.command("ROUTE.MATCH right after RESTORE", "ROUTE.MATCH", "restored", *CHANNEL, "DOC", DOCUMENT, rounds=1)
    page.command("DEL", "DEL", "t", rounds=1)


def many_devices(page, run):
    count = page.options.filters
    page.heading(f"a routing table of {count} devices that hear of everything")
    run(page.server, (("ROUTE.SUBSCRIBE", "t", f"d{n}|ws", *CHANNEL) for n in range(count)))
    page.command("ROUTE.MATCH LIMIT 1,000", "ROUTE.MATCH", "t", *CHANNEL, "LIMIT", 1000)
    page.command("ROUTE.DISPATCH LIMIT 1,000", "ROUTE.DISPATCH", "t", *CHANNEL, "EVENT", "e", "LIMIT", 1000, *QUEUES)
    page.command("ROUTE.MATCH of all", "ROUTE.MATCH", "t", *CHANNEL, is_limited=False)
    page.command("ROUTE.DISPATCH to all", "ROUTE.DISPATCH", "t", *CHANNEL, "EVENT", "e", *QUEUES, is_limited=False)
    page.command("ROUTE.DEVICE DEL TRANSPORT", "ROUTE.DEVICE", "DEL", "t", "TRANSPORT", "ws", rounds=1)


def one_device(page, run):
    count = page.options.filters
    page.heading(f"a device with {count} subscriptions, and what is costly alone")
    run(page.server, (("ROUTE.SUBSCRIBE", "t", "d|ws", *CHANNEL, "FILTER", filter_of(n)) for n in range(count)))
    page.command("ROUTE.DEVICE GET FULL", "ROUTE.DEVICE", "GET", "t", "d|ws", "FULL")
    page.command("ROUTE.DEVICE GET FULL COUNT 1,000", "ROUTE.DEVICE", "GET", "t", "d|ws", "FULL", "COUNT", 1000)
    page.command("ROUTE.DEVICE DEL", "ROUTE.DEVICE", "DEL", "t", "d|ws", rounds=1)
    largest = {
        "$in of 8,000 values": '{"a": {"$in": [' + ",".join(f'"{n:05}"' for n in range(8000)) + "]}}",
        "6,000 fields": "{" + ",".join(f'"f{n}":1' for n in range(6000)) + "}",
        "$or of 4,000": '{"$or":[' + ",".join('{"f%d":%d}' % (n, n) for n in range(4000)) + "]}",
    }
    for what, text in largest.items():
        page.command(f"ROUTE.SUBSCRIBE with 64 KiB: {what}", "ROUTE.SUBSCRIBE", "large", "d|ws", *CHANNEL, "FILTER", text, rounds=1)
    for n in range(40):
        costly = json.dumps({"f": {"$regex": f"(?:a?b?){{100}}c{n}"}})
        run(page.server, [("ROUTE.SUBSCRIBE", "costly", f"d{n}|ws", *CHANNEL, "FILTER", costly)])
    match = ("ROUTE.MATCH", "costly", *CHANNEL, "DOC", json.dumps({"f": "ab" * 200}))
    page.command("the first ROUTE.MATCH with 40 costly regular expressions", *match, rounds=1)
    page.command("ROUTE.MATCH with 40 costly regular expressions", *match)


def routes(page, run):
    for part in (many_filters, many_devices, one_device):
        part(page, run)
        page.server.admin.call("FLUSHALL", "SYNC")
