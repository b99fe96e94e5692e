// Parts of the Node package that decide without waiting. test_node_clients.py runs it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";

const require = createRequire(`${process.env.MILLRACE_NODE}/package/dist/cjs/`);
const { Backoff, Pauses } = require("./backoff.js");
const { json, text } = require("./codecs.js");
const errors = require("./errors.js");
const { Delivery, Hand } = require("./hand.js");
const { PoolHand } = require("./pool_hand.js");
const { needed } = require("./redlock.js");
const { asMap, deadReason, ranges } = require("./replies.js");
const { keySlot } = require("./slots.js");

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

// --- what a worker has in hand ---

function delivery(offset, leaseEnds = 10) {
  return new Delivery(offset, "t", Buffer.from("e"), 1, 0, 1, leaseEnds);
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
  assert.deepEqual(hand.admit([delivery(1)]), []); // handled, and its acknowledgement has no answer yet
  hand.settled([1], 0);
  assert.equal(hand.admit([delivery(1)]).length, 1);
});

test("a message whose lease is over is not started, and the outcome of a lost one does not count", () => {
  const hand = new Hand(10);
  const [late, lost] = hand.admit([delivery(1), delivery(2)]);
  assert.ok(!hand.start(late, 10));
  assert.ok(hand.start(lost, 0));
  assert.deepEqual(hand.lose([2]), [lost]);
  assert.ok(!hand.finish(lost, true));
  assert.ok(hand.isEmpty());
});

const payload = (sequence, life = 0, pull = 0) => (
  { recipient: "ann", sequence, payload: Buffer.from("p"), attempts: 1, life, pull }
);

test("after a payload that failed nothing is handled before it comes again", () => {
  const hand = new PoolHand(10);
  hand.admit(payload(1, 0, hand.beginPull()));
  const first = hand.start("ann");
  const under_way = hand.beginPull(); // gets the second one before the server knows that the first has failed
  assert.equal(hand.finish(first, "failed"), false);
  assert.equal(hand.admit(payload(2, 0, under_way)), "kept");
  assert.equal(hand.givenBack("ann", true), false);
  assert.equal(hand.admit(payload(2, 0, under_way)), "kept");
  assert.equal(hand.start("ann"), undefined);
  const next = hand.beginPull();
  assert.deepEqual([1, 2].map((number) => hand.admit(payload(number, 0, next))), ["new", "kept"]);
  assert.equal(hand.start("ann").sequence, 1);
});

test("after a payload that is given up those behind it are handled", () => {
  const hand = new PoolHand(10);
  hand.admit(payload(1, 0, hand.beginPull()));
  const first = hand.start("ann");
  const under_way = hand.beginPull();
  hand.finish(first, "failed");
  assert.deepEqual([2, 3].map((number) => hand.admit(payload(number, 0, under_way))), ["kept", "kept"]);
  assert.equal(hand.givenBack("ann", false), true);
  assert.deepEqual([2, 3].map((number) => hand.admit(payload(number, 0, hand.beginPull()))), ["kept", "kept"]);
  for (const sequence of [2, 3]) {
    const delivery = hand.start("ann");
    assert.equal(delivery.sequence, sequence); // once, though they came twice
    hand.finish(delivery, "done");
  }
  assert.equal(hand.start("ann"), undefined);
});

test("what a pool delivers again is handled once and in order", () => {
  const hand = new PoolHand(10);
  assert.deepEqual([1, 2, 3].map((number) => hand.admit(payload(number))), ["new", "kept", "kept"]);
  const first = hand.start("ann");
  assert.equal(first.sequence, 1);
  assert.equal(hand.start("ann"), undefined); // one at a time
  hand.joinAgain();
  assert.deepEqual([1, 2].map((number) => hand.admit(payload(number, 1))), ["kept", "kept"]);
  assert.equal(first.life, 1);
  assert.ok(hand.finish(first, "done"));
  hand.joinAgain();
  assert.deepEqual([1, 2].map((number) => hand.admit(payload(number, 2))), ["done", "new"]);
  hand.acknowledged("ann", 1);
  assert.equal(hand.start("ann").sequence, 2);
});
