// Frames in the Node package: as documented, as the server makes them, and damaged ones. test_node_clients.py runs it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test, { after, before, describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(`${process.env.MILLRACE_NODE}/package/dist/cjs/`);
const { BadFrame, Millrace, MillraceError } = require("./index.js");
const { readFrame } = require("./frames.js");
const { startServer } = require("./testing.js");
const { byNode, byZstddec } = require("./unpacking.js");
const { Redis } = require("ioredis-6");

const WAYS = Object.entries({ "Node's own": byNode(), zstddec: await byZstddec() }).filter(([, unpack]) => unpack);
const [[, ANY]] = WAYS;

/** Varints. */
function numbers(...values) {
  const encoded = [];
  for (let value of values.map(BigInt)) {
    for (; value >= 128n; value >>= 7n) encoded.push(Number(value & 127n) | 128);
    encoded.push(Number(value));
  }
  return Buffer.from(encoded);
}

const HEAD = Buffer.concat([Buffer.from("MRF\x01"), numbers(0, 1, 1)]);
const framed = (values, bytes = "") => Buffer.concat([HEAD, numbers(...values), Buffer.from(bytes, "latin1")]);

test("the documented example is read", () => {
  const text = readFileSync(new URL("../../docs/formats/frame.md", import.meta.url), "utf8");
  const [, example] = /^```\n(4d 52 46 01[^]*?)^```/m.exec(text);
  const hex = example.split("\n").map((line) => /^(?:[0-9a-f]{2} )*[0-9a-f]{2}(?= {2}|$)/.exec(line)?.[0] ?? "").join("");
  const rows = [["hi", 5, 0], ["yo", 6, 3]].map(([entry, offset, later]) => (
    { offset, tag: "t", entry: Buffer.from(entry), timeMs: 1700000000000 + later }));
  const frame = readFrame(Buffer.from(hex.replaceAll(" ", ""), "hex"), ANY);
  assert.deepEqual(frame, { epoch: 77, logFirst: 1, logNext: 9, end: 7, rows });
});

const TEBIBYTE = "\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0\x01\0\0"; // a zstd frame whose header says so
const WRONG = [
  ["nothing", Buffer.alloc(0), /no frame/],
  ["other bytes", Buffer.from("GET / HTTP/1.1"), /no frame/],
  ["another version", Buffer.from("MRF\x02\x01\x01\x01\x01\x01\x01"), /version/],
  ["half a head", Buffer.from("MRF\x01\x05"), /too early/],
  ["an endless number", Buffer.concat([Buffer.from("MRF\x01"), Buffer.alloc(30, 255)]), /number/],
  ["more messages than offsets", framed([1, 2, 9]), /impossible offsets/],
  ["messages that are not there", framed([1, 9, 8]), /another number of messages/],
  ["a block without messages", framed([1, 9, 1, 1, 0, 0, 0, 1, 0]), /or none/],
  ["a block that is longer than the frame", framed([1, 9, 1, 1, 0, 1, 0, 0, 2 ** 50]), /too early/],
  ["billions of messages in three bytes", framed([1, 2 ** 40, 2 ** 39, 1, 0, 2 ** 39, 0, 0, 3], "\0\0\0"), /more messages/],
  ["a block behind its frame", framed([1, 3, 2, 7, 0, 1, 0, 0, 4], "\0\0\0\0"), /outside/],
  ["a tag that is not there", framed([1, 2, 1, 1, 0, 1, 0, 0, 3], "\x05\0\0"), /tag/],
  ["an entry that is longer than its block", framed([1, 2, 1, 1, 0, 1, 0, 0, 4], "\0\0\0\x7f"), /too early/],
  ["gaps that are not there", framed([1, 9, 1, 1, 0, 1, 0, 3, 5], "\0\0\0\0\0"), /fill/],
  ["a packed block that unpacks to gigabytes", framed([1, 2, 1, 1, 0, 1, 2 ** 32, 0, 9], "123456789"), /impossible size/],
  ["a packed block that is none", framed([1, 2, 1, 1, 0, 1, 99, 0, 9], "123456789"), /does not unpack/],
  ["packed bytes that promise a tebibyte", framed([1, 2, 1, 1, 0, 1, 99, 0, 16], TEBIBYTE), /does not unpack/],
];

for (const [way, unpack] of WAYS) {
  for (const [name, data, why] of WRONG) {
    test(`${way}: ${name} is refused with a reason`, () => {
      assert.throws(() => readFrame(data, unpack), (error) => error instanceof BadFrame && why.test(error.message));
    });
  }
}

describe("with a server", () => {
  let server, mr;
  const events = [];

  before(async () => {
    server = await startServer({ "millrace.block-bytes": 1024, "millrace.compress-age": 0 });
    const observer = { notice: (event) => events.push(event) };
    mr = new Millrace(new Redis(server.url, { lazyConnect: true }), { observer, blockMs: 200 });
    const producer = mr.producer("log");
    for (let number = 0; number < 600; number += 1) {
      const entry = number % 7 ? Buffer.from(`message ${number} `.repeat(number % 11)) : Buffer.alloc(number, number);
      await producer.send(number % 5 ? `tag ${number >> 6}` : "ä", entry);
    }
    await producer.close();
    await mr.call("log", "TDEL", "log", "3", "99", "200-260", "600");
    await mr.call("log", "TEVICT", "log", "20");
    for (;;) {
      const about = (await mr.call("log", "TINFO", "log")).flat().map(String);
      if (Number(about[about.indexOf("packed-blocks") + 1]) > 3) break;
    }
  });
  after(async () => {
    mr.close();
    await server.stop();
  });

  for (const [way, unpack] of WAYS) {
    test(`${way}: a frame has what a plain read has`, async () => {
      for (const [start, count] of [[1, 1000], [1, 10], [77, 100], [199, 70], [555, 1], [590, 99]]) {
        const { rows } = readFrame(await mr.call("log", "TREAD", "log", start, count, "FRAMED"), unpack);
        const plain = await mr.call("log", "TREAD", "log", start, count, "SKIP", "WITHTIME");
        assert.deepEqual(rows.map((row) => [row.offset, Buffer.from(row.tag), row.entry, row.timeMs]), plain);
      }
    });
  }

  test("damaged frames are read or refused, and nothing else", async () => {
    const whole = await mr.call("log", "TREAD", "log", 1, 200, "FRAMED");
    let refused = 0;
    for (let number = 0; number < 2000; number += 1) {
      const damaged = Buffer.from(whole);
      damaged[Math.floor(Math.random() * damaged.length)] = Math.floor(Math.random() * 256);
      const cut = number % 2 ? damaged : damaged.subarray(0, Math.floor(Math.random() * damaged.length));
      try {
        readFrame(cut, ANY);
      } catch (error) {
        assert.ok(error instanceof BadFrame, `${error.stack} ${cut.toString("hex")}`);
        refused += 1;
      }
    }
    assert.ok(refused > 900);
  });

  test("a reader returns the same with frames and without", async () => {
    const found = [];
    for (const frames of [true, false]) {
      const entries = [];
      const reader = mr.reader("log", { start: 1, follow: false, count: 70, frames, onGap: (...gap) => entries.push(gap) });
      for await (const entry of reader) entries.push(entry);
      found.push(entries);
      assert.equal((await mr.reader("log", { start: reader.position, follow: false, frames }).next()).done, true);
    }
    assert.deepEqual(found[0], found[1]);
    const [gap, ...entries] = found[0];
    assert.deepEqual(gap, [1, entries[0].offset]);
    const resumed = await mr.reader("log", { start: entries[99].position, frames: true }).next();
    assert.deepEqual(resumed.value, entries[100]);
    await assert.rejects(mr.reader("log", { tags: ["ä"], frames: true }).next(), MillraceError);
  });

  test("a reader that follows waits for frames, over and over", async () => {
    const reader = mr.reader("log", { start: "end", frames: true });
    const following = reader.next();
    const reads = async () => Number(/cmdstat_tread:calls=(\d+)/i.exec(String(await mr.call("log", "INFO", "commandstats")))[1]);
    // Waits until one read has ended without a message and the next has begun.
    for (const before = await reads(); (await reads()) < before + 3; ) await sleep(20);
    await mr.producer("log").write("new", Buffer.from("a"));
    assert.equal(String((await following).value.value), "a");
    reader.stop();
    assert.equal((await reader.next()).done, true);
  });
});
