// Extends the leases of the messages that a worker has in flight.

import { MillraceError } from "./errors.js";
import type { Delivery, Hand } from "./hand.js";
import type { Link } from "./link.js";
import { list, ranges, type Words } from "./replies.js";
import { now, type Flag } from "./waiting.js";

/** One object for each run of a worker. */
export class Leases {
  constructor(
    private readonly link: Link,
    private readonly key: string,
    private readonly who: Words,
    private readonly hand: Hand,
    private readonly leaseMs: number,
    private readonly ended: Flag,
  ) {}

  /** Extends the leases every third of a lease, until the run ends; this includes the drain. */
  async run(): Promise<void> {
    while (!(await this.ended.wait(this.leaseMs / 3))) {
      const leased = this.hand.leased();
      if (leased.length === 0) continue;
      try {
        await this.extend(leased);
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
        this.link.settings.logger.debug(`leases of ${this.key} are not extended: ${error.message}`);
      }
    }
  }

  private async extend(leased: Delivery[]): Promise<void> {
    // An answer that comes after the next extension should have been sent is of no use.
    const timeoutMs = Math.min(this.leaseMs / 3, this.link.settings.answerTimeoutMs);
    const patience = { retryForMs: this.leaseMs / 3, timeoutMs, until: this.ended };
    const sent = now();
    const offsets = leased.map(({ offset }) => offset);
    const words: Words = ["TEXTEND", ...this.who, Math.round(this.leaseMs), ...ranges(offsets)];
    if (Number(await this.link.persist(this.key, words, patience)) === leased.length) {
      this.hand.extended(leased, sent + this.leaseMs);
      return;
    }
    // Some were finished meanwhile, or have passed to other workers.
    const pending: Words = ["TGROUP", "PENDING", ...this.who, "COUNT", 1_000_000];
    const rows = list(await this.link.persist(this.key, pending, patience));
    const held = new Set(rows.map((row) => Number(list(row)[0])));
    this.hand.extended(leased.filter(({ offset }) => held.has(offset)), sent + this.leaseMs);
    this.tellLost(this.hand.lose(leased.filter(({ offset }) => !held.has(offset))));
  }

  tellLost(lost: Delivery[]): void {
    for (const delivery of lost) {
      delivery.abort();
      this.link.settings.logger.warn(`the lease of ${this.key} ${delivery.offset} is lost`);
    }
  }
}
