// The Node package, over ioredis. The JavaScript programs find their packages in the folder that MILLRACE_NODE names.

const { createRequire } = require("node:module");

const load = createRequire(`${process.env.MILLRACE_NODE}/`);
const { Redis } = load("ioredis");
const { Millrace } = load("./package/dist/cjs/index.js");

const [url, job, count, concurrency] = process.argv.slice(2);
const ENTRY = Buffer.alloc(100, "x");

async function produce(mr) {
  const producer = mr.producer("queue");
  for (let number = 0; number < Number(count); number += 1) await producer.send("tag", ENTRY);
  await producer.close();
}

async function work(mr) {
  const worker = mr.worker("queue", "g", { concurrency: Number(concurrency), prefetch: 500 }).on(() => undefined);
  const handled = await worker.runUntilIdle();
  if (handled !== Number(count)) throw new Error(`${handled} of ${count}`);
}

async function follow(mr) {
  let seen = 0;
  for await (const _ of mr.reader("queue", { follow: false })) seen += 1;
  if (seen !== Number(count)) throw new Error(`${seen} of ${count}`);
}

async function main() {
  const mr = new Millrace(new Redis(url, { lazyConnect: true }));
  const began = performance.now();
  await { produce, work, follow }[job](mr);
  console.log((performance.now() - began) / 1000);
  mr.close();
}

void main();
