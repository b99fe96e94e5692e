// The driver of clients/node: README.md has the protocol. The first word says which client it wraps: ioredis, node-redis.
// MILLRACE_NODE names the folder with the built package and the clients beside it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.MILLRACE_NODE}/`);
const { Backoff, LockLost, Millrace, Reject, text } = require("./package/dist/cjs/index.js");
const [way, ...words] = process.argv.slice(2);
const [, block] = words[0] === "--block" ? words.splice(0, 2) : ["", "2"];

function report(job, facts) {
  process.stdout.write(JSON.stringify({ job, ...facts }) + "\n");
}

/** Seconds of CLOCK_MONOTONIC. */
const seconds = () => Number(process.hrtime.bigint()) / 1e9;
const sleep = (forSeconds) => new Promise((resolve) => setTimeout(resolve, forSeconds * 1000));
const ms = (given) => (given === undefined ? undefined : given * 1000);

class Driver {
  stoppable = new Map();
  released = new Set(); // jobs

  constructor(mr) {
    this.mr = mr;
  }

  async carryOut(request) {
    const job = request.job;
    try {
      report(job, { end: "ok", ...(await this[request.do.replace("-", "_")](job, request)) });
    } catch (error) {
      report(job, { end: error.name, text: `${error.message}\n${error.stack}` });
    }
  }

  stop(job) {
    this.stoppable.get(job).stop();
  }

  release(job) {
    this.released.add(job);
  }

  async untilReleased(job) {
    while (!this.released.has(job)) await sleep(0.005);
  }

  async date() {
    return { date: Date.now() / 1000 };
  }

  async produce(_job, request) {
    const { linger, batch, batch_bytes: batchBytes, buffer, retry_for, replicas } = request;
    const producer = this.mr.producer(request.key, {
      codec: text, lingerMs: ms(linger), batch, batchBytes, buffer, retryForMs: ms(retry_for), replicas,
    });
    const sent = [];
    for (const value of request.values) sent.push((await producer.send(request.tag, value)).stored);
    if (request.until_answered) await Promise.all(sent);
    await producer.close();
    return { offsets: await Promise.all(sent) };
  }

  async work(job, request) {
    const worker = this.mr.worker(request.key, request.group, {
      codec: text, backoff: Backoff.fixed(ms(request.backoff ?? 0)), consumer: request.consumer,
      concurrency: request.concurrency, leaseMs: ms(request.lease), maxAttempts: request.max_attempts,
      deadLetter: request.dead_letter, timeLimitMs: ms(request.time_limit), prefetch: request.prefetch,
      start: request.start,
    });
    worker.on(this.handler(job, request.handle ?? "ok"));
    this.stoppable.set(job, worker);
    await worker.run({ drainMs: ms(request.drain) });
  }

  handler(job, way) {
    return async (value, { tag, offset, attempts, id }) => {
      report(job, { handled: value, tag, offset, attempts, id, at: seconds() });
      if (way === "reject") throw new Reject("no good");
      if (way === "fail-once" && attempts === 1) throw new Error("the first time it fails");
      if (way === "cancel-once" && attempts === 1) throw new DOMException("cancelled", "AbortError");
      if (way === "hang" || (way === "hang-once" && attempts === 1)) await sleep(3600);
      if (way === "held") await this.untilReleased(job);
      if (Array.isArray(way)) await sleep(way[1]);
    };
  }

  async follow(job, request) {
    const start = request.start.date ? new Date(ms(request.start.date)) : request.start;
    const reader = this.mr.reader(request.key, {
      codec: text, start, tags: request.tags, onGap: (first, next) => report(job, { gap: [first, next] }),
    });
    this.stoppable.set(job, reader);
    if (start === "end") void this.reportPosition(job, reader);
    let count = 0;
    for await (const { value, offset, position } of reader) {
      report(job, { message: value, offset, position });
      count += 1;
      if (count === request.until) break;
    }
  }

  /** Reports the position once the reader knows where it begins. */
  async reportPosition(job, reader) {
    while (reader.position === undefined) await sleep(0.005);
    report(job, { position: reader.position });
  }

  async publish(_job, request) {
    const channel = this.mr.channel(request.channel, { codec: text });
    for (const value of request.values) await channel.publish(value);
  }

  async subscribe(job, request) {
    const subscription = this.mr.channel(request.channel, { codec: text }).subscribe(request.name, {
      batch: request.batch, onGap: () => report(job, { gap: true }),
    });
    this.stoppable.set(job, subscription);
    for await (const { id, content } of subscription) {
      report(job, { message: content, id });
      if (content === request.hang_at) await sleep(3600);
      if (content === request.pause_at) await this.untilReleased(job);
    }
    await subscription.ack();
  }

  async lock(job, request) {
    const lock = this.mr.lock(request.key, { ttlMs: ms(request.ttl), waitMs: ms(request.wait) });
    try {
      await lock.using(async () => {
        report(job, { acquired: lock.token, at: seconds() });
        const end = seconds() + request.hold;
        while (seconds() < end && !lock.signal.aborted && !this.released.has(job)) await sleep(0.002);
        if (!lock.signal.aborted) report(job, { released: lock.token, at: seconds() });
      });
    } catch (error) {
      if (!(error instanceof LockLost)) throw error;
      report(job, { lost: lock.token, at: seconds(), until: lock.validUntilMs / 1000 });
    }
  }

  async push(_job, request) {
    const pool = this.mr.pool(request.pool, { codec: text });
    for (const value of request.values) await pool.push(request.recipient, [value], { waitMs: ms(request.wait ?? 10) });
  }

  async pool_work(job, request) {
    const { pool, name, concurrency, handle = "ok" } = request;
    const worker = this.mr.pool(pool, { codec: text }).worker(name, { concurrency, backoff: Backoff.none() });
    const failed = new Set();
    worker.on(async (value, { recipient, sequence, attempts }) => {
      report(job, { handled: value, recipient, sequence, attempts });
      // The number of attempts cannot decide this: attempts of payloads behind a failed one are counted, too.
      if (handle === "fail-once" && !failed.has(`${recipient} ${sequence}`)) {
        failed.add(`${recipient} ${sequence}`);
        throw new Error("the first time it fails");
      }
      if (handle === "fail") throw new Error("it always fails");
      if (handle === "reject") throw new Reject("no good");
      if (handle === "held") await this.untilReleased(job);
    });
    this.stoppable.set(job, worker);
    await worker.run({ drainMs: ms(request.drain) });
  }
}

function certificates() {
  const [ca, cert, key] = words.slice(2).map((file) => readFileSync(file));
  return { ca, cert, key };
}

/** The user's client, with its own defaults. */
function madeClient() {
  if (way === "node-redis") {
    const { createClient } = require("redis-6");
    if (words[0] === "--tls") return createClient({ url: words[1], socket: { tls: true, ...certificates() } });
    if (words[0] === "--hasty") {
      return createClient({ url: words[1], socket: { socketTimeout: 500 }, commandOptions: { timeout: 500 }, pingInterval: 200 });
    }
    return createClient(words[0] === "--sentinel" ? {} : { url: words.at(-1) });
  }
  const { Cluster, Redis } = require("ioredis-6");
  if (words[0] === "--cluster") return new Cluster([words[1]], { lazyConnect: true });
  if (words[0] === "--hasty") {
    const hasty = { commandTimeout: 500, socketTimeout: 500, blockingTimeout: 500, enableAutoPipelining: true };
    return new Redis(words[1], { lazyConnect: true, ...hasty });
  }
  if (words[0] === "--tls") return new Redis(words[1], { lazyConnect: true, tls: certificates() });
  if (words[0] !== "--sentinel") return new Redis(words[0], { lazyConnect: true });
  const [host, port] = words[1].split(":");
  return new Redis({ sentinels: [{ host, port: Number(port) }], name: words[2], lazyConnect: true });
}

/** Options that node-redis needs besides the client. */
function madeOptions() {
  if (way !== "node-redis" || words[0] !== "--sentinel") return { isClusterNode: words[0] === "--cluster" };
  const sentinel = require("redis-6").createClient({ url: `redis://${words[1]}` });
  return { sentinels: { service: words[2], clients: [sentinel] } };
}

const patience = words[0] === "--hasty" ? { answerTimeoutMs: 2000 } : {};
const driver = new Driver(new Millrace(madeClient(), { blockMs: ms(block), ...patience, ...madeOptions() }));
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const request = JSON.parse(line);
  if (request.do === "stop" || request.do === "release") driver[request.do](request.of);
  else void driver.carryOut(request);
});
lines.on("close", () => process.exit());
