"""redis-py with streams, without a library for queues. The last argument chooses the way: `simple` has a round trip for
each message and each acknowledgement, `batched` writes, reads and acknowledges 500 at a time."""

import sys
import time

import redis

URL, JOB, COUNT, _, WAY = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
ENTRY = b"x" * 100


def produce(server):
    if WAY == "simple":
        for _ in range(COUNT):
            server.xadd("queue", {"tag": ENTRY})
        return
    for first in range(0, COUNT, 500):
        with server.pipeline(transaction=False) as batch:
            for _ in range(min(500, COUNT - first)):
                batch.xadd("queue", {"tag": ENTRY})
            batch.execute()


def handle(fields):
    return fields[b"tag"]


def work(server):
    left = COUNT
    while left:
        [[_, messages]] = server.xreadgroup("g", "bench", {"queue": ">"}, count=500, block=1000)
        for name, fields in messages:
            handle(fields)
            if WAY == "simple":
                server.xack("queue", "g", name)
        if WAY == "batched":
            server.xack("queue", "g", *(name for name, _ in messages))
        left -= len(messages)


def follow(server):
    seen, last = 0, "-"
    while messages := server.xrange("queue", min=last, count=500):
        seen += len(messages)
        last = b"(" + messages[-1][0]
    assert seen == COUNT


client = redis.Redis.from_url(URL)
client.ping()
began = time.monotonic()
{"produce": produce, "work": work, "follow": follow}[JOB](client)
print(time.monotonic() - began)
