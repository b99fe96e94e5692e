"""The driver of clients/python: README.md has the protocol. The first word says which half of the package: sync, asyncio.

Jobs are written once, with await; for `sync` they run in a thread each, and the package's calls return at once."""

import asyncio
import collections
import contextlib
import datetime
import inspect
import json
import sys
import threading
import time

import redis
import redis.asyncio
import redis.asyncio.retry
import redis.retry
from redis.backoff import ExponentialBackoff

import millrace
import millrace.asyncio
from millrace import Backoff, LockLost, Reject, Text

WAY = sys.argv[1]
PACKAGE = millrace.asyncio if WAY == "asyncio" else millrace
REDIS = redis.asyncio if WAY == "asyncio" else redis
OUTPUT = threading.Lock()


def report(job, **facts):
    with OUTPUT:
        print(json.dumps({"job": job, **facts}), flush=True)


async def done(value):
    """Awaits a value of the asyncio half; returns a value of the half for threads as it is."""
    return await value if inspect.isawaitable(value) else value


async def sleep(seconds):
    if WAY == "asyncio":
        await asyncio.sleep(seconds)
    else:
        time.sleep(seconds)


async def each(iterator):
    """Items of an iterator of either half."""
    if hasattr(iterator, "__aiter__"):
        async for item in iterator:
            yield item
    else:
        for item in iterator:
            yield item


@contextlib.asynccontextmanager
async def entered(manager):
    if hasattr(manager, "__aenter__"):
        async with manager as value:
            yield value
    else:
        with manager as value:
            yield value


def given(request, *names):
    return {name: request[name] for name in names if name in request}


class Driver:
    def __init__(self, mr):
        self.mr = mr
        self.stoppable = {}
        self.released = collections.defaultdict(threading.Event)  # by job

    async def carry_out(self, request):
        job = request["job"]
        try:
            more = await getattr(self, request["do"].replace("-", "_"))(job, request)
            report(job, end="ok", **(more or {}))
        except Exception as error:
            report(job, end=type(error).__name__, text=str(error))

    def stop(self, job):
        self.stoppable[job].stop()

    def release(self, job):
        self.released[job].set()

    async def until_released(self, job):
        while not self.released[job].is_set():
            await sleep(0.005)

    async def date(self, job, request):
        return {"date": time.time()}

    async def produce(self, job, request):
        producer = self.mr.producer(request["key"], codec=Text(), **given(
            request, "linger", "batch", "batch_bytes", "buffer", "retry_for", "replicas"))
        promises = [await done(producer.send(request["tag"], value)) for value in request["values"]]
        if request.get("until_answered"):
            for promise in promises:
                await asyncio.wrap_future(promise) if WAY == "sync" else await promise
        await done(producer.close())
        return {"offsets": [promise.result() for promise in promises]}

    async def work(self, job, request):
        worker = self.mr.worker(
            request["key"], request["group"], codec=Text(), backoff=Backoff.fixed(request.get("backoff", 0)),
            **given(request, "consumer", "concurrency", "lease", "max_attempts", "dead_letter", "time_limit", "prefetch",
                    "start"))
        worker.on()(self.handler(job, request.get("handle", "ok")))
        self.stoppable[job] = worker
        await done(worker.run(**given(request, "drain")))

    def handler(self, job, way):
        slow = way[1] if isinstance(way, list) else 0

        def begin(value, message):
            report(job, handled=value, tag=message.tag, offset=message.offset, attempts=message.attempts, id=message.id,
                   at=time.monotonic())
            if way == "reject":
                raise Reject("no good")
            if way == "fail-once" and message.attempts == 1:
                raise ValueError("the first time it fails")

        def hangs(message):
            return way == "hang" or (way == "hang-once" and message.attempts == 1)

        def handle(value, message):
            begin(value, message)
            if way == "cancel-once" and message.attempts == 1:
                raise ValueError("a thread cannot be cancelled")
            if way == "held":
                self.released[job].wait()
            time.sleep(3600 if hangs(message) else slow)

        async def handle_async(value, message):
            begin(value, message)
            if way == "cancel-once" and message.attempts == 1:
                raise asyncio.CancelledError
            if way == "held":
                await self.until_released(job)
            await asyncio.sleep(3600 if hangs(message) else slow)

        return handle_async if WAY == "asyncio" else handle

    async def follow(self, job, request):
        start = request["start"]
        if isinstance(start, dict):
            start = datetime.datetime.fromtimestamp(start["date"], datetime.timezone.utc)
        reader = self.mr.reader(request["key"], codec=Text(), start=start, **given(request, "tags"),
                                on_gap=lambda first, following: report(job, gap=[first, following]))
        self.stoppable[job] = reader
        if start == "end":
            threading.Thread(target=self.report_position, args=(job, reader), daemon=True).start()
        count = 0
        async for entry in each(reader):
            report(job, message=entry.value, offset=entry.offset, position=entry.position)
            count += 1
            if count == request.get("until"):
                break

    def report_position(self, job, reader):
        """Reports the position once the reader knows where it begins."""
        while reader.position is None:
            time.sleep(0.005)
        report(job, position=reader.position)

    async def publish(self, job, request):
        channel = self.mr.channel(request["channel"], codec=Text())
        for value in request["values"]:
            await done(channel.publish(value))

    async def subscribe(self, job, request):
        channel = self.mr.channel(request["channel"], codec=Text())
        subscription = channel.subscribe(request["name"], on_gap=lambda: report(job, gap=True),
                                         **given(request, "batch"))
        self.stoppable[job] = subscription
        async for message in each(subscription):
            report(job, message=message.content, id=message.id)
            if message.content == request.get("hang_at"):
                await sleep(3600)
            if message.content == request.get("pause_at"):
                await self.until_released(job)
        await done(subscription.ack())

    async def lock(self, job, request):
        lock = self.mr.lock(request["key"], **given(request, "ttl", "wait"))
        try:
            async with entered(lock):
                report(job, acquired=lock.token, at=time.monotonic())
                end = time.monotonic() + request["hold"]
                while time.monotonic() < end and not lock.lost.is_set() and not self.released[job].is_set():
                    await sleep(0.002)
                if not lock.lost.is_set():
                    report(job, released=lock.token, at=time.monotonic())
        except (LockLost, asyncio.CancelledError):
            report(job, lost=lock.token, at=time.monotonic(), until=lock.valid_until)

    async def push(self, job, request):
        pool = self.mr.pool(request["pool"], codec=Text())
        for value in request["values"]:
            await done(pool.push(request["recipient"], value, wait=request.get("wait", 10)))

    async def pool_work(self, job, request):
        worker = self.mr.pool(request["pool"], codec=Text()).worker(request["name"], backoff=Backoff.none(),
                                                                    **given(request, "concurrency"))
        way = request.get("handle", "ok")
        failed = set()

        def handle(value, payload):
            report(job, handled=value, recipient=payload.recipient, sequence=payload.sequence, attempts=payload.attempts)
            # The number of attempts cannot decide this: attempts of payloads behind a failed one are counted, too.
            if way == "fail-once" and (payload.recipient, payload.sequence) not in failed:
                failed.add((payload.recipient, payload.sequence))
                raise ValueError("the first time it fails")
            if way == "fail":
                raise ValueError("it always fails")
            if way == "reject":
                raise Reject("no good")
            if way == "held" and WAY == "sync":
                self.released[job].wait()
            return self.until_released(job) if way == "held" and WAY == "asyncio" else None

        worker.handler(handle)
        self.stoppable[job] = worker
        await done(worker.run(**given(request, "drain")))


def made_client(words):
    """The user's client, with the defaults of the newest redis-py, as far as the installed version has these
    options."""
    newest = {"socket_timeout": 5, "retry_on_timeout": True}
    if words[0] == "--cluster":
        return (redis.asyncio.cluster if WAY == "asyncio" else redis.cluster).RedisCluster.from_url(words[1])
    if words[0] == "--sentinel":
        host, _, port = words[1].partition(":")
        module = redis.asyncio.sentinel if WAY == "asyncio" else redis.sentinel
        return module.Sentinel([(host, int(port))], **newest).master_for(words[2], **newest)
    if words[0] == "--hasty":  # like the defaults of redis-py 8 (5 s, ten retries), but shorter
        retry = (redis.asyncio.retry if WAY == "asyncio" else redis.retry).Retry(ExponentialBackoff(1, 0.1), 10)
        return REDIS.Redis.from_url(words[1], socket_timeout=0.5, retry_on_timeout=True, retry=retry, decode_responses=True)
    if words[0] == "--tls":
        return REDIS.Redis.from_url(words[1], ssl_ca_certs=words[2], ssl_certfile=words[3], ssl_keyfile=words[4], **newest)
    return REDIS.Redis.from_url(words[0], **newest)


def run_threads(driver):
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] in ("stop", "release"):
            getattr(driver, request["do"])(request["of"])
        else:
            threading.Thread(target=lambda one=request: asyncio.run(driver.carry_out(one)), daemon=True).start()


async def run_asyncio(make):
    driver = make()
    loop = asyncio.get_running_loop()
    tasks = set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        request = json.loads(line)
        if request["do"] in ("stop", "release"):
            getattr(driver, request["do"])(request["of"])
        else:
            tasks.add(asyncio.create_task(driver.carry_out(request)))
    for task in tasks:
        task.cancel()


def main():
    words, block = sys.argv[2:], 2.0
    if words[0] == "--block":
        block, words = float(words[1]), words[2:]

    def make():
        patience = {"answer_timeout": 2.0} if words[0] == "--hasty" else {}
        return Driver(PACKAGE.Millrace(made_client(words), block=block, **patience))

    if WAY == "asyncio":
        asyncio.run(run_asyncio(make))
    else:
        run_threads(make())


main()
