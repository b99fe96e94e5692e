// A lock over several independent servers: docs/guides/locks.md.

import { randomUUID } from "node:crypto";

import { LockTimeout, MillraceError, NotOwner } from "./errors.js";
import { HeldLock, safePart, type Grant } from "./held.js";
import type { Link } from "./link.js";
import { list, type Words } from "./replies.js";
import { allWithin, now, sleep } from "./waiting.js";

export interface RedlockOptions {
  ttlMs?: number | undefined;
  waitMs?: number | undefined;
  limit?: number | undefined;
  patienceMs?: number | undefined;
}

/** How many servers must grant the lock, so that at most `limit` owners hold it at the same time. */
export function needed(servers: number, limit = 1): number {
  return Math.floor((servers * limit) / (limit + 1)) + 1;
}

export class Redlock extends HeldLock {
  private readonly waitMs: number;
  private readonly needed: number;
  private readonly patienceMs: number;
  private readonly options: Words = [];

  constructor(
    private readonly links: [Link, ...Link[]],
    key: string,
    { ttlMs = 30_000, waitMs = 0, limit, patienceMs }: RedlockOptions,
  ) {
    super(links[0].settings, key, Math.round(ttlMs));
    this.waitMs = waitMs;
    this.needed = needed(links.length, limit);
    this.patienceMs = patienceMs === undefined ? Math.min(1000, ttlMs / 10) : Math.min(patienceMs, ttlMs / 3);
    if (limit !== undefined) this.options.push("LIMIT", limit);
  }

  protected async take(): Promise<Grant> {
    const deadline = now() + this.waitMs;
    for (;;) {
      const owner = (this.owner = randomUUID());
      const grant = await this.ask(owner);
      if (grant !== undefined) return grant;
      await this.forgetOwner(owner);
      if (now() >= deadline) {
        throw new LockTimeout(`the lock ${this.key} was not granted by ${this.needed} of ${this.links.length} servers`);
      }
      await sleep(10 + Math.random() * 50);
    }
  }

  /** Asks all servers once. */
  private async ask(owner: string): Promise<Grant | undefined> {
    const sent = now();
    const answers = await this.askAll((link) => this.acquireAt(link, owner));
    const granted = answers.filter((token) => token !== undefined).sort((one, other) => one - other);
    // Of the smallest tokens of a majority, the greatest: so a single server whose clock is ahead has no effect.
    const token = granted[this.needed - 1];
    if (token === undefined) return undefined;
    const untilMs = sent + safePart(this.ttlMs);
    // A server that gets the token will only issue greater ones, so a majority must get it.
    const told = await this.renewAll(owner, "TOKEN", token);
    return this.isEnough(told) && now() < untilMs ? { token, untilMs } : undefined;
  }

  private isEnough(answers: (number | undefined)[]): boolean {
    return answers.filter((answer) => answer !== undefined).length >= this.needed;
  }

  private askAll(ask: (link: Link) => Promise<number | undefined>): Promise<(number | undefined)[]> {
    const calls = this.links.map((link) => () => ask(link));
    return allWithin(this.patienceMs, calls, (answers) => this.isEnough(answers));
  }

  private callAt(link: Link, command: string, owner: string, ...words: Words): Promise<unknown> {
    return link.call(this.key, [command, this.key, owner, ...words], { timeoutMs: this.patienceMs });
  }

  private async acquireAt(link: Link, owner: string): Promise<number | undefined> {
    const [granted, token] = list(await this.callAt(link, "LOCK.ACQUIRE", owner, this.ttlMs, ...this.options));
    return granted ? Number(token) : undefined;
  }

  private renewAll(owner: string, ...words: Words): Promise<(number | undefined)[]> {
    return this.askAll(
      async (link) => Number(await this.callAt(link, "LOCK.RENEW", owner, this.ttlMs, ...words)) || undefined,
    );
  }

  protected async renew(owner: string): Promise<number | undefined> {
    const sent = now();
    const answers = await this.renewAll(owner);
    if (this.isEnough(answers)) return sent + safePart(this.ttlMs);
    const refusals = answers.filter((answer) => answer === undefined).length;
    if (refusals > this.links.length - this.needed) return undefined; // too many servers refused: the lock is lost
    throw new MillraceError("too few servers have answered");
  }

  protected async forgetOwner(owner: string): Promise<void> {
    const calls = this.links.map((link) => async () => {
      await this.callAt(link, "LOCK.RELEASE", owner).catch((error: unknown) => {
        if (!(error instanceof NotOwner)) throw error;
      });
    });
    await allWithin(this.patienceMs, calls, (released) => released.length === this.links.length);
  }

  protected giveBack(owner: string): Promise<void> {
    return this.forgetOwner(owner);
  }
}
