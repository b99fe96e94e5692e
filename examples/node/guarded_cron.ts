// A cron job that is in the crontab of three machines, and runs on one of them at a time.
//
//     guarded_cron URL
//
// The report goes to a hash that refuses a writer whose token is older than the last one: a machine that was suspended
// until its lease was over cannot overwrite the report of the machine that took over.

import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";
import { LockTimeout, Millrace } from "millrace";

const WRITE = `
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'pages', ARGV[2])
return 1
`;

const mr = new Millrace(new Redis(process.argv[2] ?? "", { lazyConnect: true }));
try {
  await mr.lock("nightly-report", { ttlMs: 10_000 }).using(async (lock) => {
    let pages = 0;
    while (pages < 5) {
      await sleep(100, undefined, { signal: lock.signal }); // a page; ends at once if the lock is lost
      pages += 1;
    }
    const written = await mr.call("report", "EVAL", WRITE, 1, "report", lock.token ?? 0, pages);
    console.log(written ? `${pages} pages` : "somebody newer has written the report");
  });
} catch (error) {
  if (!(error instanceof LockTimeout)) throw error;
  console.log("another machine is at it");
  process.exitCode = 75;
}
mr.close();
