// An order queue with retries, dead letters and a nightly replay.
//
//     orders URL place NUMBER…     customers order
//     orders URL bill              the worker: bills until it is told to stop (SIGTERM, Ctrl-C)
//     orders URL replay            from the crontab, at night: sends dead letters back

import { Redis } from "ioredis";
import { Backoff, Millrace, Reject, json } from "millrace";

interface Order {
  number: number;
  amount: number;
}

/** The service of another company: it fails at the first call about each order, and supports idempotency keys. */
class PaymentService {
  readonly charged = new Map<string, number>();
  private readonly called = new Set<string>();

  async charge(order: Order, idempotencyKey: string): Promise<void> {
    if (!this.called.has(idempotencyKey)) {
      this.called.add(idempotencyKey);
      throw new Error("the payment service is down");
    }
    this.charged.set(idempotencyKey, order.amount);
  }
}

async function place(mr: Millrace, numbers: string[]): Promise<void> {
  const producer = mr.producer("{orders}", { codec: json<Order>() });
  for (const number of numbers) {
    // The order's number as the id: a customer who presses the button twice orders once.
    await producer.send("new", { number: Number(number), amount: Number(number) }, { id: `order-${number}` });
  }
  await producer.close();
}

async function bill(mr: Millrace): Promise<void> {
  const payments = new PaymentService();
  const worker = mr.worker("{orders}", "billing", {
    codec: json<Order>(), concurrency: 16, leaseMs: 30_000, maxAttempts: 5, deadLetter: "{orders}:dead",
    backoff: Backoff.exponential({ firstMs: 100, capMs: 300_000, jitter: 0.2 }),
  });
  worker.on("new", async (order, message) => {
    if (order.number === 13) throw new Reject("nobody wants number 13");
    await payments.charge(order, message.id);
    console.log(`billed ${order.number}`);
  });
  await worker.run({ stopOn: ["SIGTERM", "SIGINT"], drainMs: 25_000 });
  console.log(`charged ${payments.charged.size} orders`);
}

const [url = "", job, ...words] = process.argv.slice(2);
const mr = new Millrace(new Redis(url, { lazyConnect: true }));
if (job === "place") await place(mr, words);
else if (job === "bill") await bill(mr);
else console.log(`sent ${await mr.redrive("{orders}:dead")} dead letters back`);
mr.close();
