// What the Node package does when connections break, calls overlap or a callback fails at a bad moment: on a link that a
// test answers itself, so that the moment is exact. test_node_clients.py runs it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(`${process.env.MILLRACE_NODE}/package/dist/cjs/`);
const { ClusterLink } = require("./cluster.js");
const { raw } = require("./codecs.js");
const { ConnectionLost, LockLost, MillraceError, NotPermitted } = require("./errors.js");
const { Link, Node } = require("./link.js");
const { Lock } = require("./lock.js");
const { PoolWorker } = require("./pool_worker.js");
const { Producer } = require("./producer.js");
const { Reader } = require("./reader.js");
const { SILENT } = require("./settings.js");
const { Subscription } = require("./subscription.js");
const { Breaker } = require("./waiting.js");

const settings = { answerTimeoutMs: 5000, blockMs: 10, retryForMs: 60_000, logger: SILENT, observer: {} };

/** Connections on which a function of the test answers each command. ServerSays is an error of the server; everything
 *  else that the function throws breaks the connection. */
class Connections {
  isCluster = false;
  nodes = [];
  sent = [];
  open = 0;

  constructor(answer) {
    this.answer = answer;
  }

  connection() {
    let isOpen = true;
    this.open += 1;
    const close = () => {
      this.open -= isOpen ? 1 : 0;
      isOpen = false;
    };
    const send = (commands) => Promise.all(commands.map((words) => this.reply(words)));
    return { open: async () => undefined, isOpen: () => isOpen, send, close };
  }

  async reply(words) {
    this.sent.push(words);
    try {
      return await this.answer(...words);
    } catch (error) {
      if (error instanceof ServerSays) return error;
      throw error;
    }
  }

  owners(command) {
    return this.sent.filter((words) => words[0] === command).map((words) => words[2]);
  }
}

class ServerSays extends Error {
  name = "ReplyError"; // by which the package knows an answer
}

function linked(answer) {
  const connections = new Connections(answer);
  return { connections, link: new Link(connections, settings) };
}

async function until(condition) {
  for (const end = Date.now() + 4000; !condition(); await sleep(1)) assert.ok(Date.now() < end, `${condition}`);
}

// --- locks ---

test("an error after the grant releases the lock", async () => {
  const { connections, link } = linked((command) => {
    if (command === "LOCK.RENEW") throw new ServerSays("NOPERM this user has no permissions");
    return command === "LOCK.ACQUIRE" ? [1, 5, 0, 0] : 1;
  });
  await assert.rejects(new Lock(link, "pay", { waitMs: 1000 }).acquire(), NotPermitted);
  await until(() => connections.owners("LOCK.RELEASE").length > 0);
  assert.deepEqual(connections.owners("LOCK.RELEASE"), connections.owners("LOCK.ACQUIRE"));
});

test("a lease that ended is released, because a late renewal may have prolonged it", async () => {
  const { connections, link } = linked((command) => {
    if (command === "LOCK.RENEW") throw new Error("the connection");
    return command === "LOCK.ACQUIRE" ? [1, 5, 0, 0] : 1;
  });
  const lock = new Lock(link, "pay", { ttlMs: 100 });
  await assert.rejects(
    lock.using(() => until(() => lock.signal.aborted)),
    LockLost,
  );
  await until(() => connections.owners("LOCK.RELEASE").length > 0);
  assert.deepEqual(connections.owners("LOCK.RELEASE"), connections.owners("LOCK.ACQUIRE"));
});

test("a lock that is acquired again is not held before the grant", async () => {
  const until = [];
  const { link } = linked((command) => {
    if (command === "LOCK.ACQUIRE") until.push(lock.validUntilMs, lock.remainingMs);
    return command === "LOCK.ACQUIRE" ? [1, 5, 0, 0] : 1;
  });
  const lock = new Lock(link, "pay", {});
  await lock.using(() => undefined);
  await lock.using(() => undefined);
  assert.deepEqual(until, [0, 0, 0, 0]);
});

// --- producers ---

for (const ends of ["flush", "close"]) {
  test(`${ends}() ends although others go on sending`, async () => {
    const { connections, link } = linked(async () => {
      const isClosed = (error) => assert.ok(error instanceof MillraceError);
      if (connections.sent.length < 100) await producer.send("new", Buffer.from("one more")).catch(isClosed);
      return 1;
    });
    const producer = new Producer(link, "orders", raw, { lingerMs: 0 });
    await producer.send("new", Buffer.from("first"));
    await producer[ends]();
    assert.ok(connections.sent.length <= (ends === "flush" ? 2 : 1), `${connections.sent.length}`);
    await producer.close();
  });
}

// --- readers and subscriptions ---

/** A function for onGap, and what it was called with. */
function failsOnce() {
  const calls = [];
  const onGap = (...words) => {
    calls.push(words);
    // A kind that the package itself would try again.
    if (calls.length === 1) throw new ConnectionLost("the state of the application");
  };
  return { calls, onGap };
}

function reader(link, options) {
  return new Reader(link, "orders", raw, { start: 1, frames: false, ...options });
}

test("a gap of a reader is told again if telling it failed", async () => {
  const { link } = linked(() => [[5, 6, 1], [5, Buffer.from("new"), Buffer.from("a"), 0]]);
  const { calls, onGap } = failsOnce();
  const reading = reader(link, { onGap });
  await assert.rejects(reading.next(), ConnectionLost);
  assert.equal((await reading.next()).value.offset, 5);
  assert.deepEqual(calls, [[1, 5], [1, 5]]);
});

test("calls of next() at the same time get different messages", async () => {
  const rows = [1, 2].map((offset) => [offset, Buffer.from("new"), Buffer.from("a"), 0]);
  const { link } = linked((command, key, position) => [[1, 2, 1], ...rows.slice(Number(position.split(".").at(-1)) - 1)]);
  const reading = reader(link, {});
  const both = await Promise.all([reading.next(), reading.next()]);
  assert.deepEqual(both.map(({ value }) => value.offset), [1, 2]);

  let fetched = 0;
  const channel = linked((command) => (command === "CHAN.FETCH" ? [[[Buffer.from(`${(fetched += 1)}`), Buffer.from("a")]], 1, 0] : 1));
  const subscription = new Subscription(channel.link, "news", raw, "ann", {});
  const messages = await Promise.all([subscription.next(), subscription.next()]);
  assert.deepEqual(messages.map(({ value }) => value.id), ["1", "2"]);
  assert.deepEqual(channel.connections.sent.map(([command]) => command), ["CHAN.FETCH", "CHAN.ACK", "CHAN.FETCH"]);
});

test("the answer to ack() does not drop the receipt of a fetch that has ended meanwhile", async () => {
  let answer;
  let fetched = 0;
  const { connections, link } = linked((command) => {
    if (command === "CHAN.FETCH") return [[[Buffer.from(`${(fetched += 1)}`), Buffer.from("a")]], fetched, 0];
    return answer === undefined ? new Promise((resolve) => (answer = resolve)) : 1;
  });
  const subscription = new Subscription(link, "news", raw, "ann", {});
  await subscription.next();
  const acknowledging = subscription.ack();
  await subscription.next();
  answer(1);
  await acknowledging;
  await subscription.next();
  const receipts = connections.sent.filter(([command]) => command === "CHAN.ACK").map((words) => words[3]);
  assert.deepEqual(receipts, [1, 1, 2]);
});

test("a gap of a subscription is told again if telling it failed", async () => {
  const { connections, link } = linked((command) => {
    if (connections.sent.length === 1) throw new ServerSays("NOSUB no such subscriber");
    return command === "CHAN.SUBSCRIBE" ? 0 : [[[Buffer.from("id"), Buffer.from("a")]], 1, 0];
  });
  const { calls, onGap } = failsOnce();
  const subscription = new Subscription(link, "news", raw, "ann", { onGap });
  await assert.rejects(subscription.next(), ConnectionLost);
  assert.equal((await subscription.next()).value.id, "id");
  assert.deepEqual(calls, [[], []]);
});

for (const start of ["first", "end", new Date(0)]) {
  test(`a reader that looks for its start can be stopped: ${start}`, { timeout: 4000 }, async () => {
    const { connections, link } = linked(() => new Promise(() => undefined));
    const reading = reader(link, { start });
    const waits = reading.next();
    await until(() => connections.sent.length > 0);
    reading.stop();
    assert.ok((await waits).done);
  });
}

test("a subscription that cannot subscribe can be stopped", { timeout: 4000 }, async () => {
  const { link } = linked((command) => {
    if (command !== "CHAN.SUBSCRIBE") throw new ServerSays("NOSUB no such subscriber");
    subscription.stop();
    throw new Error("the connection");
  });
  const subscription = new Subscription(link, "news", raw, "ann", {});
  assert.ok((await subscription.next()).done);
});

// --- pools ---

test("an acknowledgement is not sent again after the worker has joined a new pool", async () => {
  const joins = () => connections.owners("SHARD.JOIN").length;
  let pulls = 0; // these and the next ones: since the last join
  let acknowledgements = 0;
  const { connections, link } = linked((command) => {
    if (command === "SHARD.JOIN") pulls = acknowledgements = 0;
    if (command === "SHARD.ACK") acknowledgements += 1;
    if (command === "SHARD.INFO") return ["stale", 15_000, "maxattempts", 0];
    if (command === "EXEC") return [1, "OK"];
    if (command === "SHARD.PULL" && (pulls += 1) === 1) return [[Buffer.from("ann"), 1, Buffer.from("p"), 1]];
    if (command === "SHARD.PULL" && joins() === 2) return new Promise(() => undefined);
    if (joins() === 1 && ["SHARD.PULL", "SHARD.ACK"].includes(command)) throw new Error("the connection");
    return 1;
  });
  const worker = new PoolWorker(link, "mail", "w1", raw, {});
  const before = []; // how many were sent before a handler began
  worker.on(() => before.push(acknowledgements));
  const running = worker.run();
  await until(() => before.length === 2);
  worker.stop();
  await running;
  assert.deepEqual(before, [0, 0]);
});

// --- connections ---

test("a connection in use while the package is closed is closed after its use", async () => {
  const connections = new Connections(() => sleep(1, 1));
  const node = new Node(connections, settings);
  const exchanging = node.exchange([["PING"]], { breaker: new Breaker() });
  node.close();
  assert.deepEqual(await exchanging, [1]);
  assert.equal(connections.open, 0);
});

test("a connection that a redirection opens after the package was closed is closed after its use", async () => {
  const address = (port) => [Buffer.from("127.0.0.1"), port];
  const connections = new Connections((command) => {
    if (command === "CLUSTER") return [[0, 16_383, address(1)]];
    if (connections.sent.filter(([sent]) => sent === "GET").length > 1) return 1;
    link.close();
    throw new ServerSays("MOVED 0 127.0.0.1:2");
  });
  connections.nodes = [{ host: "127.0.0.1", port: 1 }];
  const link = new ClusterLink(connections, settings);
  assert.equal(await link.call("key", ["GET", "key"]), 1);
  assert.equal(connections.open, 0);
});
