// Parts of the Node package that decide something and do no I/O. test_node_clients.py runs it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";

const require = createRequire(`${process.env.MILLRACE_NODE}/package/dist/cjs/`);
const { Backoff, Pauses } = require("./backoff.js");
const { json, text } = require("./codecs.js");
const errors = require("./errors.js");
const { Delivery, Hand } = require("./hand.js");
const { PoolHand } = require("./pool_hand.js");
const { PoolWorker } = require("./pool_worker.js");
const { needed } = require("./redlock.js");
const { asMap, deadReason, ranges } = require("./replies.js");
const { Settler } = require("./settling.js");
const { SILENT } = require("./settings.js");
const { keySlot } = require("./slots.js");
const waiting = require("./waiting.js");
const { Worker } = require("./worker.js");

test("offsets that follow each other are sent as ranges", () => {
  assert.deepEqual(ranges([]), []);
  assert.deepEqual(ranges([9, 3, 5, 4]), ["3-5", 9]);
  assert.deepEqual(ranges([1, 2, 4, 5]), ["1-2", "4-5"]);
});

test("a map is the same in RESP2 and RESP3", () => {
  const wanted = { first: 1, last: 2 };
  assert.deepEqual(asMap([Buffer.from("first"), 1, Buffer.from("last"), 2]), wanted);
  assert.deepEqual(asMap(wanted), wanted);
  assert.deepEqual(asMap(new Map([[Buffer.from("first"), 1], ["last", 2]])), wanted);
});

test("errors have types by their first word", () => {
  const cases = [
    ["NOGROUP no group", errors.NoGroup, "NOGROUP"], ["FULL the group", errors.Full, "FULL"],
    ["READONLY You can't write", errors.RefusedForNow, "READONLY"], ["NOAUTH Authentication", errors.NotPermitted, "NOAUTH"],
    ["invalid count", errors.ServerError, "ERR"], ["ERR no", errors.ServerError, "ERR"],
  ];
  for (const [message, kind, code] of cases) {
    const found = errors.serverError(new Error(message));
    assert.equal(found.constructor, kind);
    assert.equal(found.code, code);
    assert.equal(found.name, kind.name);
  }
});

test("answers are known by the classes of both clients, and broken connections are none", () => {
  const fromIoredis = require("redis-errors").ReplyError;
  const fromNodeRedis = require("@redis/client").ErrorReply;
  assert.ok(errors.isAnswer(new fromIoredis("ERR no")));
  assert.ok(errors.isAnswer(new fromNodeRedis("ERR no")));
  assert.ok(!errors.isAnswer(new Error("Connection is closed.")));
  assert.ok(!errors.isAnswer("ERR no"));
});

test("redirections are known", () => {
  assert.deepEqual(errors.redirection(new Error("MOVED 105 127.0.0.1:7001")), { isAsk: false, host: "127.0.0.1", port: 7001 });
  assert.deepEqual(errors.redirection(new Error("ASK 105 ::1:7001")), { isAsk: true, host: "::1", port: 7001 });
  assert.deepEqual(errors.redirection(new Error("MOVED 105 :7001")), { isAsk: false, host: "", port: 7001 });
  assert.equal(errors.redirection(new Error("ERR no")), undefined);
  assert.equal(errors.redirection(Buffer.from("MOVED 105 127.0.0.1:7001")), undefined);
});

test("back-off doubles up to its cap with jitter", () => {
  const backoff = Backoff.exponential({ firstMs: 1000, capMs: 300_000, jitter: 0.2 });
  for (const [attempt, middle] of [[1, 1000], [2, 2000], [5, 16_000], [20, 300_000], [5000, 300_000]]) {
    const pause = backoff(attempt);
    assert.ok(middle * 0.8 <= pause && pause <= middle * 1.2, `${attempt}: ${pause}`);
  }
  assert.equal(Backoff.fixed(3)(9), 3);
  const pauses = new Pauses();
  const taken = Array.from({ length: 20 }, () => pauses.next());
  assert.ok(taken[0] >= 25 && taken[0] <= 75);
  assert.ok(taken.slice(-5).every((pause) => pause >= 1000 && pause <= 3000));
});

test("the slot of a key is the server's", () => {
  const slots = require("cluster-key-slot");
  for (const key of ["123456789", "{orders}:dead", "{orders}", "{}a", "a{b}{c}", "{a", "", "}{a}", "grün"]) {
    assert.equal(keySlot(key), slots(key), key);
  }
});

test("how many servers must grant a lock", () => {
  for (const [servers, limit, wanted] of [[1, 1, 1], [3, undefined, 2], [5, undefined, 3], [5, 3, 4], [5, 1, 3]]) {
    assert.equal(needed(servers, limit), wanted);
  }
});

test("the reason of a dead letter has 1 to 512 bytes and no half characters", () => {
  assert.equal(deadReason(""), "rejected");
  assert.equal(deadReason("no good"), "no good");
  assert.equal(deadReason("a" + "ä".repeat(400)), "a" + "ä".repeat(255));
});

test("codecs refuse what they cannot read", () => {
  assert.equal(text.decode(text.encode("\uFEFFä")), "\uFEFFä");
  assert.throws(() => text.decode(Buffer.from([0xff])));
  assert.throws(() => json().decode(Buffer.from("{")));
  assert.throws(() => json(() => { throw new Error("no order"); }).decode(Buffer.from("{}")));
});

// --- the payloads that a worker has in flight ---

function delivery(offset, leaseEnds = 10, { attempts = 1, epoch = 1 } = {}) {
  return new Delivery(offset, "t", Buffer.from("e"), attempts, 0, epoch, leaseEnds);
}

test("a message is in hand once", () => {
  const hand = new Hand(10);
  const first = delivery(1);
  assert.equal(hand.admit([first, delivery(2)]).length, 2);
  assert.deepEqual(hand.admit([delivery(1, 20)]), []);
  assert.equal(first.leaseEnds, 20);
  assert.ok(hand.start(first, 15));
  assert.deepEqual(hand.admit([delivery(1)]), []);
  assert.ok(hand.finish(first, true));
  assert.deepEqual(hand.admit([delivery(1)]), []); // handled; its acknowledgement has not been answered yet
  hand.settled([first]);
  hand.beginRead();
  assert.equal(hand.admit([delivery(1)]).length, 1);
});

test("what failed may come again before the server's answer", () => {
  const hand = new Hand(10);
  const [first] = hand.admit([delivery(1)]);
  assert.ok(hand.start(first, 0) && hand.finish(first, false));
  assert.ok(!hand.isEmpty());
  assert.deepEqual(hand.admit([delivery(1)]), []);
  const [second] = hand.admit([delivery(1, 10, { attempts: 2 })]);
  hand.settled([first]);
  assert.ok(hand.start(second, 0) && !hand.isEmpty());
});

test("the answer about a delivery does not settle the next one", () => {
  const hand = new Hand(10);
  const [first] = hand.admit([delivery(1)]);
  assert.ok(hand.start(first, 0) && hand.finish(first, false));
  const [second] = hand.admit([delivery(1, 10, { attempts: 2 })]);
  assert.ok(hand.start(second, 0) && hand.finish(second, true));
  hand.settled([first]);
  assert.ok(!hand.isEmpty()); // the acknowledgement of the second delivery has not been answered yet
  hand.settled([second]);
  assert.ok(hand.isEmpty());
});

test("what is found lost is a delivery and not the next one", () => {
  const hand = new Hand(10);
  const [first] = hand.admit([delivery(1)]);
  const leased = hand.leased();
  assert.ok(hand.start(first, 0) && hand.finish(first, false));
  const [second] = hand.admit([delivery(1, 20, { attempts: 2 })]);
  hand.extended(leased, 5);
  assert.deepEqual(hand.lose(leased), []);
  assert.ok(!second.isLost);
  assert.equal(second.leaseEnds, 20);
});

test("a refusal is not sent again once its message was delivered again", () => {
  const hand = new Hand(10);
  const [first] = hand.admit([delivery(1)]);
  assert.ok(hand.start(first, 0) && hand.finish(first, false));
  const [second] = hand.admit([delivery(1, 10, { attempts: 2 })]);
  assert.ok(first.isGone && !second.isGone);
});

test("a lost message that comes again while its handler runs stays lost", () => {
  const hand = new Hand(10);
  const [first] = hand.admit([delivery(1)]);
  assert.ok(hand.start(first, 0));
  assert.deepEqual(hand.lose([first]), [first]);
  assert.deepEqual(hand.admit([delivery(1, 10, { attempts: 2 })]), []);
  assert.ok(first.isLost);
  assert.deepEqual(hand.leased(), []);
  assert.ok(!hand.finish(first, true));
  assert.equal(hand.admit([delivery(1, 10, { attempts: 3 })]).length, 1); // when the second one's lease is over
});

for (const isDone of [true, false]) {
  test(`what a read in flight says of a message that is ${isDone ? "done" : "refused"} is out of date`, () => {
    const hand = new Hand(10);
    hand.beginRead();
    const [first] = hand.admit([delivery(1)]);
    hand.beginRead();
    assert.ok(hand.start(first, 0) && hand.finish(first, isDone));
    hand.settled([first]);
    assert.ok(hand.isEmpty());
    assert.equal(hand.room(), 10);
    assert.deepEqual(hand.admit([delivery(1)]), []);
    assert.equal(hand.admit([delivery(1, 10, { attempts: 2 })]).length, isDone ? 0 : 1);
  });
}

for (const place of ["waits", "runs", "done", "refused", "settled"]) {
  test(`of a log that was replaced nothing counts: ${place}`, () => {
    const hand = new Hand(10);
    const [first] = hand.admit([delivery(1)]);
    if (place !== "waits") assert.ok(hand.start(first, 0));
    if (!["waits", "runs"].includes(place)) assert.ok(hand.finish(first, place === "done"));
    if (place === "settled") hand.settled([first]);
    assert.deepEqual(hand.loseAll(), place === "settled" ? [] : [first]);
    assert.ok(hand.isEmpty());
    assert.equal(hand.room(), 10);
    assert.equal(first.isGone, place !== "settled");
    assert.ok(!hand.start(first, 0) && !hand.finish(first, true));
    const [second] = hand.admit([delivery(1, 10, { epoch: 2 })]);
    hand.settled([first]);
    assert.ok(hand.start(second, 0) && !hand.isEmpty());
  });
}

test("a message whose lease is over is not started, and the outcome of a lost one does not count", () => {
  const hand = new Hand(10);
  const [late, lost] = hand.admit([delivery(1), delivery(2)]);
  assert.ok(!hand.start(late, 10));
  assert.ok(hand.start(lost, 0));
  assert.deepEqual(hand.lose([lost]), [lost]);
  assert.ok(!hand.finish(lost, true));
  assert.ok(hand.isEmpty());
});

// --- a worker, with a clock and a server of the test ---

const settings = { answerTimeoutMs: 5000, blockMs: 2000, retryForMs: 60_000, logger: SILENT, observer: {} };
const bytesCodec = { decode: (entry) => entry, encode: (value) => value };

for (const [name, isMine, block, answeredAfter, leaseBegins] of [
  ["MINE does not wait", true, true, 1500, 0],
  ["without BLOCK the server does not wait", false, false, 1500, 0],
  ["a read that waited", false, true, 1500, 1500],
  ["a read that waited, and whose answer was late", false, true, 3500, 2000],
]) {
  test(`a lease begins when the server may have delivered: ${name}`, async (t) => {
    let time = 100;
    t.mock.method(waiting, "now", () => time);
    const call = async () => {
      time += answeredAfter;
      return [[1, 1, 7], [1, "t", Buffer.from("e"), 1, 0]];
    };
    const worker = new Worker({ settings, call, notice: () => undefined }, "orders", "g", bytesCodec, {});
    const queue = [];
    const run = { hand: new Hand(10), queue: { put: (one) => queue.push(one) }, mineFrom: isMine ? 1 : undefined };
    await worker.readOnce(run, 10, block);
    assert.equal(queue[0].leaseEnds, 100 + leaseBegins + 30_000);
  });
}

for (const isDone of [true, false]) {
  test(`an outcome is not sent again to a log that replaced its own: ${isDone ? "done" : "refused"}`, async () => {
    const hand = new Hand(10);
    const sent = [];
    const exchange = async (key, commands) => {
      sent.push(commands);
      hand.loseAll(); // the worker's read finds a new log meanwhile
      throw new errors.ConnectionLost("cut");
    };
    const link = { settings, exchange, tellRetry: () => undefined };
    const settler = new Settler(link, "orders", ["orders", "g"], hand, new waiting.Flag(), new waiting.Breaker());
    const [first] = hand.admit([delivery(1)]);
    assert.ok(hand.start(first, 0) && hand.finish(first, isDone));
    if (isDone) settler.succeeded(first);
    else settler.failed(first, 0);
    settler.close(60_000);
    await settler.run();
    assert.equal(sent.length, 1);
    assert.ok(hand.isEmpty());
  });
}

test("a back-off that throws ends a pool's worker", async () => {
  const link = {
    settings,
    notice: () => undefined,
    tellRetry: () => undefined,
    exchange: async () => ["OK", "QUEUED", "QUEUED", [1, "OK"], ["stale", 15_000, "maxattempts", 0]],
    persist: async () => 1,
    pulls: 0,
    // The first pull brings a payload; the next one waits until it is broken off.
    call: (key, words, { breaker }) => {
      link.pulls += 1;
      if (link.pulls === 1) return Promise.resolve([["ann", 1, Buffer.from("p"), 1]]);
      const error = new errors.BrokenOff("broken off");
      return breaker.isBroken ? Promise.reject(error)
        : new Promise((_, reject) => breaker.onBreak(() => reject(error)));
    },
  };
  const backoff = () => {
    throw new RangeError("no pause");
  };
  const worker = new PoolWorker(link, "mail", "w1", bytesCodec, { backoff });
  worker.on(() => {
    throw new Error("it always fails");
  });
  await assert.rejects(worker.run(), RangeError);
});

// What is delivered again was counted.
const payload = (sequence, life = 1, attempts = life) =>
  ({ recipient: "ann", sequence, payload: Buffer.from("p"), attempts, life });

const joined = () => {
  const hand = new PoolHand(10);
  hand.joinAgain();
  return hand;
};

test("what failed comes again before those behind it, whenever the answer is read", () => {
  for (const again of [[1], []]) { // the server has given the payload up
    const pulled = [3, 4, ...again, 2, 3, 4, 5];
    for (let heardAt = 0; heardAt <= pulled.length; heardAt += 1) {
      const hand = joined();
      assert.deepEqual([1, 2].map((number) => hand.admit(payload(number))), ["new", "kept"]);
      const first = hand.start("ann");
      assert.ok(hand.hold(first));
      pulled.forEach((number, place) => {
        if (place === heardAt) hand.givenBack(first, 4);
        hand.admit(payload(number));
        if (place < heardAt) assert.equal(hand.start("ann"), undefined);
      });
      if (heardAt === pulled.length) hand.givenBack(first, 4);
      const handled = [];
      for (let next = hand.start("ann"); next !== undefined; next = hand.start("ann")) {
        handled.push(next.sequence);
        hand.finish(next);
      }
      assert.deepEqual(handled, [...again, 2, 3, 4, 5], `heard at ${heardAt}`);
    }
  }
});

test("those behind a rejected payload stay delivered", () => {
  const hand = joined();
  assert.deepEqual([1, 2].map((number) => hand.admit(payload(number))), ["new", "kept"]);
  const first = hand.start("ann");
  assert.ok(hand.hold(first));
  assert.ok(hand.givenBack(first, 1));
  assert.equal(hand.start("ann").sequence, 2);
});

test("a worker joins beside nothing that is given back", () => {
  const hand = joined();
  hand.admit(payload(1));
  hand.admit({ ...payload(1), recipient: "bob" });
  const [ann, bob] = [hand.start("ann"), hand.start("bob")];
  assert.ok(hand.hold(ann));
  assert.ok(!hand.mayJoin());
  hand.distrust();
  assert.ok(!hand.hold(bob)); // joining gives the payload back
  assert.ok(!hand.finish(bob));
  hand.lost(ann);
  assert.ok(hand.mayJoin() && hand.mustJoin);
  assert.equal(hand.admit(payload(2)), "kept");
  hand.joinAgain();
  assert.ok(!hand.mustJoin);
  assert.equal(hand.admit(payload(1, 2)), "new");
});

test("what a pool delivers again is handled once and in order", () => {
  const hand = joined();
  assert.deepEqual([1, 2, 3].map((number) => hand.admit(payload(number))), ["new", "kept", "kept"]);
  const first = hand.start("ann");
  assert.equal(first.sequence, 1);
  assert.equal(hand.start("ann"), undefined); // one payload of a recipient at a time
  hand.joinAgain();
  assert.deepEqual([1, 2].map((number) => hand.admit(payload(number, 2))), ["kept", "kept"]);
  assert.equal(first.life, 2);
  hand.handled(first);
  assert.ok(hand.finish(first));
  hand.joinAgain();
  assert.deepEqual([1, 2].map((number) => hand.admit(payload(number, 3))), ["done", "new"]);
  hand.acknowledged(payload(1, 3));
  assert.equal(hand.start("ann").sequence, 2);
});

test("what is acknowledged while it is delivered again is not handled again", () => {
  const hand = joined();
  hand.admit(payload(1));
  const first = hand.start("ann");
  hand.joinAgain();
  hand.beginPull(); // the pull delivers it again
  hand.handled(first);
  hand.acknowledged(first);
  hand.finish(first);
  assert.equal(hand.admit(payload(1, 2)), "done");
  hand.beginPull();
  assert.equal(hand.admit(payload(1, 2)), "new"); // the recipient was forgotten, so it counts as new
});

for (const number of [1, 5]) { // the first attempt at a payload of a pool that was made again
  test(`a new pool's payload ${number} is not taken for one that was handled of the old one`, () => {
    const hand = joined();
    hand.admit(payload(5));
    const last = hand.start("ann");
    hand.handled(last);
    hand.finish(last);
    hand.joinAgain();
    assert.equal(hand.admit(payload(number, 2, 1)), "new");
    hand.joinAgain();
    assert.equal(hand.admit(payload(number, 3)), "new");
  });

  test(`a new pool's payload ${number} is not taken for the old one's that runs`, () => {
    const hand = joined();
    hand.admit(payload(5));
    const last = hand.start("ann");
    hand.joinAgain();
    assert.equal(hand.admit(payload(number, 2, 1)), "kept");
    hand.joinAgain();
    assert.equal(hand.admit(payload(number, 3)), "kept");
    hand.handled(last);
    assert.ok(!hand.mayAcknowledge(last)); // that would remove the new pool's payload
    assert.ok(hand.finish(last));
    assert.equal(hand.start("ann").life, 3);
    hand.joinAgain();
    hand.finish(last);
    assert.equal(hand.admit(payload(number, 4)), "new");
  });
}

test("a payload that ends after the worker has joined again is acknowledged when it comes", () => {
  const hand = joined();
  hand.admit(payload(5));
  const last = hand.start("ann");
  assert.ok(hand.mayAcknowledge(last));
  hand.joinAgain();
  assert.ok(!hand.mayAcknowledge(last));
  assert.equal(hand.admit(payload(5, 2)), "kept");
  assert.ok(hand.mayAcknowledge(last));
});
