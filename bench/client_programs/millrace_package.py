"""The Python package; the last argument chooses the half: sync or asyncio."""

import asyncio
import sys
import time

import millrace
import millrace.asyncio

URL, JOB, COUNT, CONCURRENCY, WAY = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
ENTRY = b"x" * 100


def worker_of(mr, count_down):
    worker = mr.worker("queue", "g", concurrency=CONCURRENCY, prefetch=500)
    worker.on()(count_down)
    return worker


def sync():
    mr = millrace.Millrace.from_url(URL)
    began = time.monotonic()
    if JOB == "produce":
        with mr.producer("queue") as producer:
            for _ in range(COUNT):
                producer.send("tag", ENTRY)
    elif JOB == "follow":
        assert sum(1 for _ in mr.reader("queue", follow=False)) == COUNT
    else:
        assert worker_of(mr, lambda value, message: None).run_until_idle() == COUNT
    print(time.monotonic() - began)


async def awaited():
    mr = millrace.asyncio.Millrace.from_url(URL)
    began = time.monotonic()
    if JOB == "produce":
        async with mr.producer("queue") as producer:
            for _ in range(COUNT):
                await producer.send("tag", ENTRY)
    elif JOB == "follow":
        seen = 0
        async for _ in mr.reader("queue", follow=False):
            seen += 1
        assert seen == COUNT
    else:
        async def handle(value, message):
            pass

        assert await worker_of(mr, handle).run_until_idle() == COUNT
    print(time.monotonic() - began)


if WAY == "asyncio":
    asyncio.run(awaited())
else:
    sync()
