// A lock on one server, or on the cluster node that has its key.

import { randomUUID } from "node:crypto";

import { Pauses } from "./backoff.js";
import { LockTimeout, MillraceError, NotOwner, checked, isPassing } from "./errors.js";
import { HeldLock, safePart, type Grant } from "./held.js";
import type { Link } from "./link.js";
import { list, type Words } from "./replies.js";
import { waitTimeout } from "./settings.js";
import { now, sleep } from "./waiting.js";

export interface LockOptions {
  ttlMs?: number | undefined;
  waitMs?: number | undefined;
  shared?: boolean | undefined;
  limit?: number | undefined;
  value?: string | Buffer | undefined;
}

export class Lock extends HeldLock {
  private readonly waitMs: number;
  private readonly options: Words = [];

  constructor(
    private readonly link: Link,
    key: string,
    { ttlMs = 30_000, waitMs = 0, shared = false, limit, value }: LockOptions,
  ) {
    super(link.settings, key, Math.round(ttlMs));
    this.waitMs = waitMs;
    if (shared) this.options.push("SHARED");
    if (limit !== undefined) this.options.push("LIMIT", limit);
    if (value !== undefined) this.options.push("VALUE", value);
  }

  protected async take(): Promise<Grant> {
    const deadline = now() + this.waitMs;
    // A broken connection is retried even without a waiting time.
    const giveUpAt = now() + Math.max(this.waitMs, this.link.settings.answerTimeoutMs);
    for (const pauses = new Pauses(); ; ) {
      const owner = (this.owner = randomUUID()); // new: a lost answer may have granted the lock to the last one
      let grant: Grant | undefined;
      try {
        grant = await this.ask(owner, Math.max(0, Math.round(deadline - now())));
      } catch (error) {
        await this.forgetOwner(owner); // also after an error that ends this, which may have come after the grant
        const pause = pauses.next();
        if (!isPassing(error) || now() + pause > giveUpAt) throw error;
        this.link.tellRetry("LOCK.ACQUIRE", error, pause);
        await sleep(pause);
        continue;
      }
      if (grant !== undefined) return grant;
      if (now() >= deadline) throw new LockTimeout(`the lock ${this.key} was not granted within ${this.waitMs} ms`);
    }
  }

  /** Waits in line once. */
  private async ask(owner: string, waitMs: number): Promise<Grant | undefined> {
    const { settings } = this.link;
    const words: Words = ["LOCK.ACQUIRE", this.key, owner, this.ttlMs, ...this.options];
    let sent = now();
    if (waitMs === 0) {
      const [granted, token] = list(await this.link.call(this.key, words));
      return granted ? { token: Number(token), untilMs: sent + safePart(this.ttlMs) } : undefined;
    }
    words.push("WAIT", Math.min(waitMs, settings.blockMs), "ALIVE", Math.max(1, Math.round(this.ttlMs / 3)));
    // Sent on the connection that waited, it shows that the client is alive. The lease begins again when it is sent.
    const then = ([reply]: unknown[]): Words[] => {
      sent = now();
      return list(reply)[0] ? [["LOCK.RENEW", this.key, owner, this.ttlMs]] : [];
    };
    const replies = await this.link.exchange(this.key, [words], { timeoutMs: waitTimeout(settings), then });
    const [first, renewed] = replies.map(checked);
    return renewed ? { token: Number(list(first)[1]), untilMs: sent + safePart(this.ttlMs) } : undefined;
  }

  protected async forgetOwner(owner: string): Promise<void> {
    try {
      await this.link.call(this.key, ["LOCK.RELEASE", this.key, owner]);
    } catch (error) {
      // It was not granted; or the server is down, and the lease will expire.
      if (!(error instanceof MillraceError)) throw error;
    }
  }

  protected async renew(owner: string): Promise<number | undefined> {
    const sent = now();
    const isOurs = await this.link.call(this.key, ["LOCK.RENEW", this.key, owner, this.ttlMs], {
      timeoutMs: Math.min(this.ttlMs / 3, this.link.settings.answerTimeoutMs),
    });
    return isOurs ? sent + safePart(this.ttlMs) : undefined;
  }

  protected async giveBack(owner: string, untilMs: number): Promise<void> {
    try {
      await this.link.persist(this.key, ["LOCK.RELEASE", this.key, owner], { retryForMs: Math.max(0, untilMs - now()) });
    } catch (error) {
      if (error instanceof NotOwner) return; // an earlier sending has released it, and the answer was lost
      if (!isPassing(error)) throw error;
      this.settings.logger.debug(`the lock ${this.key} ends with its lease: ${error.message}`);
    }
  }
}
