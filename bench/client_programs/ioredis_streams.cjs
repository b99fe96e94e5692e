// ioredis with streams, without a library for queues. The last argument chooses the way: `simple` has a round trip for
// each message and each acknowledgement, `batched` writes, reads and acknowledges 500 at a time.

const { createRequire } = require("node:module");

const { Redis } = createRequire(`${process.env.MILLRACE_NODE}/`)("ioredis");

const [url, job, words, , way] = process.argv.slice(2);
const count = Number(words);
const ENTRY = Buffer.alloc(100, "x");

async function produce(redis) {
  if (way === "simple") {
    for (let number = 0; number < count; number += 1) await redis.xadd("queue", "*", "tag", ENTRY);
    return;
  }
  for (let first = 0; first < count; first += 500) {
    const batch = redis.pipeline();
    for (let number = first; number < Math.min(count, first + 500); number += 1) batch.xadd("queue", "*", "tag", ENTRY);
    await batch.exec();
  }
}

function handle(fields) {
  return fields[1];
}

async function work(redis) {
  for (let left = count; left > 0; ) {
    const [[, messages]] = await redis.xreadgroup("GROUP", "g", "bench", "COUNT", 500, "BLOCK", 1000, "STREAMS", "queue", ">");
    for (const [name, fields] of messages) {
      handle(fields);
      if (way === "simple") await redis.xack("queue", "g", name);
    }
    if (way === "batched") await redis.xack("queue", "g", ...messages.map(([name]) => name));
    left -= messages.length;
  }
}

async function follow(redis) {
  let seen = 0;
  for (let last = "-"; ; ) {
    const messages = await redis.xrange("queue", last, "+", "COUNT", 500);
    if (messages.length === 0) break;
    seen += messages.length;
    last = `(${messages.at(-1)[0]}`;
  }
  if (seen !== count) throw new Error(`${seen} of ${count}`);
}

async function main() {
  const redis = new Redis(url);
  await redis.ping();
  const began = performance.now();
  await { produce, work, follow }[job](redis);
  console.log((performance.now() - began) / 1000);
  redis.disconnect();
}

void main();
