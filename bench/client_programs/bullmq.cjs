// BullMQ: jobs are added 500 at a time (addBulk), and removed when they are done.

const { createRequire } = require("node:module");

const { Queue, Worker } = createRequire(`${process.env.MILLRACE_NODE}/`)("bullmq");

const [url, job, words, concurrency] = process.argv.slice(2);
const count = Number(words);
const { hostname, port } = new URL(url);
const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
const ENTRY = "x".repeat(100);

async function produce() {
  const queue = new Queue("queue", { connection });
  await queue.waitUntilReady();
  const began = performance.now();
  for (let first = 0; first < count; first += 500) {
    const length = Math.min(500, count - first);
    await queue.addBulk(Array.from({ length }, () => ({ name: "tag", data: ENTRY, opts: { removeOnComplete: true } })));
  }
  const took = performance.now() - began;
  await queue.close();
  return took;
}

async function work() {
  let left = count;
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const worker = new Worker("queue", async () => undefined, { connection, concurrency: Number(concurrency), autorun: false });
  worker.on("completed", () => {
    left -= 1;
    if (left === 0) end();
  });
  await worker.waitUntilReady();
  const began = performance.now();
  void worker.run();
  await ended;
  const took = performance.now() - began;
  await worker.close();
  return took;
}

async function main() {
  console.log((await { produce, work }[job]()) / 1000);
}

void main();
