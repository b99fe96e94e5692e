"""Long polling for bench/gateway: by the API of DSPS, and by that of Nchan."""

import json

from http_load import Client, exchange, request


def clients_of(peer, count):
    return [Client(peer.port) for _ in range(count)]


def close_all(*groups):
    for group in groups:
        for client in group:
            client.close()


def long_polls_of_dsps(peer, body, polls, depth):
    """Microseconds of processor time for a poll that waits, a message for it, its answer, and the acknowledgement
    together."""
    pollers, publishers = clients_of(peer, depth), clients_of(peer, depth)
    paths = [f"/channel/polled-{number}/subscription/polling/reader" for number in range(depth)]
    exchange(pollers, [request("PUT", path) for path in paths])
    before = peer.processor_us()
    for _ in range(polls // depth):
        for poller, path in zip(pollers, paths):
            poller.send(request("GET", f"{path}?timeout=30s&max=64"))
        name = peer.new_name()
        exchange(publishers, [request("PUT", f"/channel/polled-{number}/message/{name}", body) for number in range(depth)])
        got = [json.loads(poller.answer()[1]) for poller in pollers]
        assert all(len(one["messages"]) == 1 for one in got)
        exchange(pollers, [request("DELETE", f"{path}/message?ackHandle={one['ackHandle']}")
                           for path, one in zip(paths, got)])
    spent = peer.processor_us() - before
    close_all(pollers, publishers)
    return spent / (polls // depth * depth)


def long_polls_of_nchan(peer, body, polls, depth):
    """The same without an acknowledgement: instead, the next poll contains the position at which the last one ended."""
    pollers, publishers = clients_of(peer, depth), clients_of(peer, depth)
    name = peer.new_name()
    marks = [()] * depth
    before = peer.processor_us()
    for _ in range(polls // depth):
        for number, poller in enumerate(pollers):
            poller.send(request("GET", f"/listen/{name}-{number}", b"", *marks[number]))
        exchange(publishers, [peer.publish(f"{name}-{number}", body) for number in range(depth)])
        answers = [poller.answer() for poller in pollers]
        assert all(got == body for _, got in answers)
        marks = [(f"If-Modified-Since: {headers['last-modified']}", f"If-None-Match: {headers['etag']}")
                 for headers, _ in answers]
    spent = peer.processor_us() - before
    close_all(pollers, publishers)
    return spent / (polls // depth * depth)
