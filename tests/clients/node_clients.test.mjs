// The Node package with a server of its own, over each client and protocol. test_node_clients.py runs it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import test, { after, before, beforeEach, describe } from "node:test";

const require = createRequire(`${process.env.MILLRACE_NODE}/`);
const { Backoff, ConnectionLost, LockLost, LockTimeout, Millrace, NotPermitted, NotUnique, Reject, WrongType, text } =
  require("./package/dist/cjs/index.js");
const { startServer } = require("./package/dist/cjs/testing.js");

const WAYS = {
  "ioredis 5": (url) => new (require("ioredis").Redis)(url, { lazyConnect: true }),
  "ioredis 6, RESP3": (url) => new (require("ioredis-6").Redis)(url, { lazyConnect: true, protocol: 3 }),
  "node-redis 5, RESP2": (url) => require("redis").createClient({ url, RESP: 2 }),
  "node-redis 6, RESP3": (url) => require("redis-6").createClient({ url, RESP: 3 }),
};

for (const [name, make] of Object.entries(WAYS)) {
  describe(name, () => {
    let server;
    let mr;
    const events = [];
    const spans = [];
    const observer = {
      notice: (event, facts) => events.push([event, facts]),
      around: (message, next) => {
        spans.push(message.id ?? message.sequence);
        return next();
      },
    };

    before(async () => {
      server = await startServer();
      mr = new Millrace(make(server.url), { observer, blockMs: 1000, retryForMs: 5000 });
    });
    after(async () => {
      mr.close();
      await server.stop();
    });
    beforeEach(async () => {
      await server.flush();
      events.length = spans.length = 0;
    });

    test("an observer hears of everything and wraps handlers", async () => {
      const producer = mr.producer("orders", { codec: text });
      const { stored } = await producer.send("new", "one");
      await producer.close();
      assert.equal(await stored, 1);
      const worker = mr.worker("orders", "g", { codec: text }).on("new", () => undefined);
      assert.equal(await worker.runUntilIdle(), 1);
      await mr.lock("lock").using(() => undefined);
      const heard = events.filter(([event]) => event !== "retried");
      assert.deepEqual(heard.map(([event]) => event), ["sent", "received", "handled", "lock_acquired", "lock_released"]);
      assert.equal(heard[2][1].outcome, "done");
      assert.equal(spans.length, 1);
    });

    test("an observer hears of a payload too", async () => {
      const pool = mr.pool("mail", { codec: text });
      const worker = pool.worker("w1").on(() => worker.stop());
      await mr.call("mail", "SHARD.JOIN", "mail", "w1");
      await pool.push("ann", ["one"]);
      await worker.run();
      const [{ ms, ...handled }] = events.filter(([event]) => event === "handled").map(([, facts]) => facts);
      assert.ok(ms >= 0);
      assert.deepEqual(handled, { key: "mail", group: "w1", tag: "ann", offset: 1, attempts: 1, outcome: "done" });
      assert.equal(spans.length, 1);
    });

    test("a message that nobody handles is given up after its attempts, a rejected one at once", async () => {
      const producer = mr.producer("orders", { codec: text });
      await producer.write("unknown", "one");
      await producer.write("known", "two");
      const options = { codec: text, backoff: Backoff.none(), maxAttempts: 3, deadLetter: "dead" };
      const worker = mr.worker("orders", "g", options).on("known", () => {
        throw new Reject("no good");
      });
      assert.equal(await worker.runUntilIdle(), 4);
      const dead = [];
      for await (const { value } of mr.reader("dead", { codec: text, follow: false })) dead.push(value);
      assert.deepEqual(dead.sort(), ["one", "two"]);
      assert.equal(await mr.redrive("dead", { count: 1 }), 1);
    });

    test("a handler hears that its time is over, and its outcome is ignored", async () => {
      await mr.producer("orders", { codec: text }).write("new", "one");
      const heard = [];
      const worker = mr.worker("orders", "g", { codec: text, backoff: Backoff.none(), timeLimitMs: 50 });
      worker.on(async (_, { attempts, signal }) => {
        if (attempts > 1) return;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        heard.push(attempts); // the handler returns, but the message counts as failed already
      });
      assert.equal(await worker.runUntilIdle(), 2);
      assert.deepEqual(heard, [1]);
      assert.deepEqual(events.filter(([event]) => event === "handled").map(([, { outcome }]) => outcome), ["failed", "done"]);
    });

    test("an observer that throws stops nothing, a back-off that throws ends the run", async () => {
      const broken = { notice: () => { throw new Error("the metrics server is away"); } };
      const lines = [];
      const logger = { debug() {}, info() {}, warn() {}, error: (line) => lines.push(line) };
      const other = new Millrace(make(server.url), { observer: broken, logger });
      await other.producer("orders", { codec: text }).write("new", "one");
      assert.equal(await other.worker("orders", "g", { codec: text }).on(() => undefined).runUntilIdle(), 1);
      assert.ok(lines.some((line) => line.includes("the observer has failed at handled")));
      const backoff = () => { throw new RangeError("the back-off"); };
      const worker = other.worker("orders", "h", { codec: text, backoff }).on(() => { throw new Error("no"); });
      await assert.rejects(worker.run(), RangeError);
      other.close();
    });

    test("a void receipt costs nothing but another fetch", async () => {
      const news = mr.channel("news", { codec: text });
      const subscription = news.subscribe("ann", { onGap: () => news.publish("one") });
      assert.equal((await subscription.next()).value.content, "one");
      for (const command of ["CHAN.UNSUBSCRIBE", "CHAN.SUBSCRIBE"]) await mr.call("news", command, "news", "ann");
      await news.publish("two");
      assert.equal((await subscription.next()).value.content, "two");
    });

    test("odd bytes and large messages come as they were sent", async () => {
      const values = [Buffer.alloc(0), Buffer.from("\r\n$-1\r\n"), Buffer.alloc(8 << 20, Buffer.from([0, 255, 10, 13]))];
      const producer = mr.producer("orders");
      for (const value of values) await producer.send("t\r\nä", value);
      await producer.close();
      const seen = [];
      const worker = mr.worker("orders", "g").on("t\r\nä", (value) => seen.push(value));
      assert.equal(await worker.runUntilIdle(), values.length);
      for await (const { value } of mr.reader("orders", { follow: false })) seen.push(value);
      assert.ok(Buffer.concat(seen).equals(Buffer.concat([...values, ...values])));
    });

    test("what cannot work is said before it is tried", async () => {
      await assert.rejects(mr.producer("orders").write("new", "text"), /name a codec/);
      for (const wrong of [{ concurrency: 0 }, { prefetch: -1 }, { leaseMs: 0 }]) {
        assert.throws(() => mr.worker("orders", "g", wrong), RangeError);
      }
      await assert.rejects(mr.worker("orders", "g").run(), /no handler/);
      await assert.rejects(mr.call("orders", "TWRITE.NO", "orders"), /is the module loaded/);
      const worker = mr.worker("orders", "g").on(() => undefined);
      const running = worker.run();
      await assert.rejects(worker.run(), /runs already/);
      worker.stop();
      await running;
    });

    test("an error of the server ends a worker", async () => {
      await mr.call("orders", "SET", "orders", "a string");
      await assert.rejects(mr.worker("orders", "g").on(() => undefined).run(), WrongType);
    });

    test("later messages have tickets", async () => {
      const producer = mr.producer("orders", { codec: text });
      assert.equal(typeof (await producer.write("new", "later", { delayMs: 60_000 })), "string");
      assert.equal(await producer.write("new", "now", { id: "once" }), 1);
      assert.equal(await producer.write("new", "now", { id: "once" }), 1);
    });

    test("a channel tells whether an id is new, and what was seen", async () => {
      const news = mr.channel("news", { codec: text });
      const subscription = news.subscribe("ann", { batch: 2, onGap: () => news.publish("hello", { id: "1" }) });
      assert.deepEqual((await subscription.next()).value, { id: "1", content: "hello" });
      assert.deepEqual(await news.seen("ann", "1"), [false]);
      await subscription.ack();
      assert.deepEqual(await news.seen("ann", "1"), [true]);
      assert.equal(await news.publish("hello", { id: "1" }), false);
      assert.equal(await news.unsubscribe("ann"), true);
    });

    test("a lock that somebody takes away aborts the work", async () => {
      const lock = mr.lock("pay", { ttlMs: 1500 });
      const work = lock.using(async ({ signal }) => {
        await mr.call("pay", "DEL", "pay");
        await sleep(600_000, undefined, { signal });
      });
      await assert.rejects(work, LockLost);
      assert.throws(() => lock.check(), LockLost);
    });

    test("a lock is waited for, and shared ones are held beside each other", async () => {
      const first = mr.lock("pay", { ttlMs: 30_000 });
      await first.acquire();
      await assert.rejects(mr.lock("pay", { waitMs: 50 }).acquire(), LockTimeout);
      const waiting = mr.lock("pay", { ttlMs: 30_000, waitMs: 60_000 }).using((lock) => lock.token);
      await first.release();
      assert.ok((await waiting) > first.token);
      const shared = () => mr.lock("read", { shared: true });
      await shared().using(() => shared().using(() => undefined));
    });

    test("a pool's payloads are handled in order", async () => {
      const pool = mr.pool("mail", { codec: text });
      await pool.set({ maxAttempts: 5 });
      const seen = [];
      const worker = pool.worker("w", { concurrency: 4, backoff: Backoff.none() });
      worker.on((value, { attempts }) => {
        if (value === "2" && attempts === 1) throw new Error("the first time it fails");
        seen.push(value);
        if (seen.length === 4) worker.stop();
      });
      const running = worker.run();
      await pool.push("ann", ["1", "2", "3"], { waitMs: 30_000 });
      await pool.push("ann", ["4"], { waitMs: 30_000 });
      await running;
      assert.deepEqual(seen, ["1", "2", "3", "4"]);
      assert.equal(Number((await pool.info()).pending), 0);
    });

    test("a change is pushed to the devices that subscribed, and one that is gone is deleted", async () => {
      const routes = mr.routes("{tasks}");
      const target = { app: "todo", model: "task", user: "7" };
      await routes.device("phone", "push", { user: "7", ttlMs: 60_000 }).using(async (device) => {
        await device.subscribe(target, { filter: { done: false } });
        const hit = await routes.dispatch(target, "create", { push: "{tasks}:push" }, { document: { done: false } });
        assert.deepEqual(hit.get("push"), { devices: 1, offset: 1 });
        assert.deepEqual([...(await routes.match(target, { done: false }))], [["push", ["phone"]]]);
        const pushed = [];
        const pusher = routes.pusher("{tasks}:push", "push", (id) => {
          pushed.push(id);
          return false;
        });
        assert.equal(await pusher.runUntilIdle(), 1);
        assert.deepEqual(pushed, ["phone"]);
        assert.deepEqual([...(await routes.match(target, { done: false }))], []);
        await device.touch(); // it had expired: it is set again, with its subscriptions
        assert.deepEqual([...(await routes.match(target, { done: false }))], [["push", ["phone"]]]);
      });
    });

    test("an index finds page by page and keeps what is unique", async () => {
      const index = mr.index("{u}index");
      assert.equal(await index.create("{u}user:", { mail: "TEXT UNIQUE", age: "NUMBER" }), true);
      assert.equal(await index.create("{u}user:", { mail: "TEXT UNIQUE", age: "NUMBER" }), false);
      for (let age = 1; age <= 7; age += 1) await index.put(`{u}user:${age}`, { mail: `${age}@x`, age });
      await assert.rejects(index.put("{u}user:8", { mail: "7@x", age: 8 }), NotUnique);
      await index.waitUntilReady();
      const found = [];
      for await (const { key, fields } of index.find([["age", ">", 2]], { order: "age", reverse: true, page: 2, limit: 3, get: ["mail", "no"] })) {
        found.push([key, String(fields.mail), fields.no]);
      }
      assert.deepEqual(found, [["{u}user:7", "7@x", undefined], ["{u}user:6", "6@x", undefined], ["{u}user:5", "5@x", undefined]]);
      assert.equal(await index.count([["age", "IN", 1, 2, 99]]), 2);
    });

    test("suggestions come by their score", async () => {
      const cities = mr.suggestions("cities");
      assert.equal(await cities.set("Berlin", 5), 5);
      assert.equal(await cities.add("Bern"), 1);
      assert.equal(await cities.add("Bern", 6.5), 7.5);
      assert.deepEqual(await cities.get("be", { ignoreCase: true }), ["Bern", "Berlin"]);
      assert.equal(await cities.delete("Bern"), 1);
      assert.deepEqual(await cities.get("Ber"), ["Berlin"]);
    });

    test("database, user and password are the user's", async () => {
      await mr.call("", "ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all");
      const ann = new Millrace(make(server.url.replace("127", "ann:secret@127") + "/3"));
      await ann.producer("orders").write("new", Buffer.from("one"));
      assert.equal(await ann.call("orders", "EXISTS", "orders"), 1);
      assert.equal(await mr.call("orders", "EXISTS", "orders"), 0);
      ann.close();
      await mr.call("", "ACL", "SETUSER", "default", "-tinfo");
      await assert.rejects(mr.call("orders", "TINFO", "orders"), NotPermitted);
      await mr.call("", "ACL", "SETUSER", "default", "+@all");
    });

    test("a server that is not there is said after retryForMs", async () => {
      const nobody = new Millrace(make("redis://127.0.0.1:1"), { retryForMs: 300 });
      await assert.rejects(nobody.channel("news").publish(Buffer.from("one")), ConnectionLost);
    });

    test("what is no client is refused", () => {
      assert.throws(() => new Millrace({}), /neither/);
    });
  });
}

test("a Redlock needs a majority, its tokens rise, and it is lost with the majority", async () => {
  const servers = await Promise.all([1, 2, 3].map(() => startServer()));
  const clients = servers.map(({ url }) => new Millrace(WAYS["ioredis 5"](url)));
  const redlock = (more) => Millrace.redlock(clients, "pay", { ttlMs: 10_000, patienceMs: 3000, ...more });
  await servers[0].stop();
  const first = redlock();
  await first.using(() => assert.rejects(redlock().acquire(), LockTimeout));
  const token = await redlock({ waitMs: 30_000 }).using((lock) => lock.token);
  assert.ok(token > first.token);
  const lost = redlock({ ttlMs: 3000, patienceMs: 900, waitMs: 30_000 }).using(async ({ signal }) => {
    await servers[1].stop();
    await sleep(600_000, undefined, { signal });
  });
  await assert.rejects(lost, LockLost);
  await assert.rejects(redlock().acquire(), LockTimeout);
  for (const client of clients) client.close();
  await servers[2].stop();
});
