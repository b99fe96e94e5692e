// An ordinary cluster client in JavaScript. It writes to logs and publishes until its input ends, while another
// connection waits for each message of one log. Then it prints what was acknowledged, as JSON.
//
//   node ioredis_client.js PORT [PORT ...]
const { Cluster } = require("ioredis");

const nodes = process.argv.slice(2).map((port) => ({ host: "127.0.0.1", port: Number(port) }));
const connect = () => new Cluster(nodes, { clusterRetryStrategy: () => 50, retryDelayOnFailover: 50 });

const written = {}; // log -> serials
const published = [];
const heard = [];
const refused = {}; // error -> how often
let isOver = false;
process.stdin.on("end", () => (isOver = true)).resume();

async function attempt(what) {
  try {
    return await what();
  } catch (error) {
    refused[error.message] = (refused[error.message] || 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return undefined;
  }
}

async function write(cluster) {
  for (let serial = 1; !isOver; ++serial) {
    const key = `log:js:${serial % 6}`;
    if (await attempt(() => cluster.call("TWRITE", key, "tag", String(serial)))) {
      (written[key] ||= []).push(serial);
    }
    if ((await attempt(() => cluster.call("CHAN.PUBLISH", "channel:js", String(serial), "content"))) !== undefined) {
      published.push(serial);
    }
  }
}

async function listen(cluster) {
  for (let next = 1; !isOver; ) {
    const got = await attempt(() => cluster.call("TREAD", "log:js:0", String(next), "100", "BLOCK", "200"));
    for (const [offset, , entry] of got || []) {
      heard.push(Number(entry));
      next = offset + 1;
    }
  }
}

(async () => {
  const [writer, listener] = [connect(), connect()];
  await Promise.all([write(writer), listen(listener)]);
  const told = JSON.stringify({ written, published, heard, refused });
  // Not disconnect(): just after a failover the library sometimes leaves something open, and node would wait for it.
  process.stdout.write(told + "\n", () => process.exit(0));
})();
