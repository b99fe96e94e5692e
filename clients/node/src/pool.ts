// A pool of workers, each with recipients of its own.

import { randomUUID } from "node:crypto";

import type { Codec } from "./codecs.js";
import type { Link } from "./link.js";
import { PoolWorker, type PoolWorkerOptions } from "./pool_worker.js";
import { asMap, list, text, type Words } from "./replies.js";

export interface PoolSettings {
  staleMs?: number | undefined;
  maxAttempts?: number | undefined;
  deadLetter?: string | undefined;
}

export class Pool<T> {
  constructor(
    private readonly link: Link,
    readonly key: string,
    private readonly codec: Codec<T>,
  ) {}

  /** Queues values for a recipient, each once, even if they are sent several times. Returns the recipient's worker, and
   *  how many payloads are pending for it. Waits up to `waitMs` for a worker; if there is none, it throws NoWorkers. */
  async push(
    recipient: string,
    values: T[],
    { id = randomUUID(), waitMs = 0 }: { id?: string | undefined; waitMs?: number | undefined } = {},
  ): Promise<{ worker: string; pending: number }> {
    const words: Words = ["SHARD.PUSH", this.key, recipient, "ID", id];
    if (waitMs > 0) words.push("BLOCK", Math.round(waitMs));
    words.push("PAYLOADS", ...values.map((value) => this.codec.encode(value)));
    const timeoutMs = this.link.settings.answerTimeoutMs + waitMs;
    const [worker, pending] = list(await this.link.persist(this.key, words, { timeoutMs }));
    return { worker: text(worker), pending: Number(pending) };
  }

  async set({ staleMs, maxAttempts, deadLetter }: PoolSettings): Promise<void> {
    const words: Words = ["SHARD.SET", this.key];
    if (staleMs !== undefined) words.push("STALE", Math.round(staleMs));
    if (maxAttempts !== undefined) words.push("MAXATTEMPTS", maxAttempts);
    if (deadLetter !== undefined) words.push("DEADLETTER", deadLetter);
    await this.link.persist(this.key, words);
  }

  async info(): Promise<Record<string, unknown>> {
    return asMap(await this.link.persist(this.key, ["SHARD.INFO", this.key]));
  }

  /** The name identifies a process. Choose one that is the same after a restart if possible. */
  worker(name: string, options: PoolWorkerOptions = {}): PoolWorker<T> {
    return new PoolWorker(this.link, this.key, name, this.codec, options);
  }
}
