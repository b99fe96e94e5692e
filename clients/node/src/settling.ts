// Sends the outcomes of messages to the server: many in one exchange, sent again until it is answered.

import { Pauses } from "./backoff.js";
import { NoGroup, checked, isPassing, reasonOf } from "./errors.js";
import type { Delivery, Hand } from "./hand.js";
import type { Link } from "./link.js";
import { deadReason, ranges, type Words } from "./replies.js";
import { Flag, now, others, sleep, type Breaker } from "./waiting.js";

const AT_ONCE_MOST = 1000;

interface Refusal {
  readonly delivery: Delivery;
  readonly options: Words; // options of TNACK
}

/** One object for each run of a worker. */
export class Settler {
  private readonly some = new Flag();
  private done: Delivery[] = [];
  private refused: Refusal[] = [];
  private giveUpAt: number | undefined;
  /** The error with which the server refused the outcomes, if it did. */
  error: unknown;

  /** `who` is key, group, CONSUMER and consumer. `settled` is set when something has been settled. The breaker ends the
   *  read. */
  constructor(
    private readonly link: Link,
    private readonly key: string,
    private readonly who: Words,
    private readonly hand: Hand,
    private readonly settled: Flag,
    private readonly breaker: Breaker,
  ) {}

  succeeded(delivery: Delivery): void {
    this.done.push(delivery);
    this.some.set();
  }

  failed(delivery: Delivery, pauseMs: number): void {
    this.refuse({ delivery, options: ["DELAY", Math.round(pauseMs)] });
  }

  rejected(delivery: Delivery, reason: string): void {
    this.refuse({ delivery, options: ["DEAD", deadReason(reason)] });
  }

  private refuse(refusal: Refusal): void {
    this.refused.push(refusal);
    this.some.set();
  }

  /** Ends the run with this error. */
  fail(error: unknown): void {
    this.error ??= error;
    this.breaker.breakOff();
    this.settled.set();
  }

  /** No outcomes are added after this; the rest is sent within this time, or dropped. */
  close(withinMs: number): void {
    this.giveUpAt = now() + withinMs;
    this.some.set();
  }

  async run(): Promise<void> {
    for (;;) {
      await this.some.wait();
      await others(); // outcomes of handlers that end together are sent together
      const done = this.done.splice(0, AT_ONCE_MOST);
      const refused = this.refused.splice(0, AT_ONCE_MOST);
      if (done.length + refused.length === 0) {
        if (this.giveUpAt !== undefined) return;
        this.some.clear();
        continue;
      }
      await this.tell(done, refused);
      this.hand.settled([...done, ...refused.map(({ delivery }) => delivery)]);
      this.settled.set();
    }
  }

  /** Those deliveries are left out whose log was replaced: the new one has the same offsets. */
  private commands(done: Delivery[], refused: Refusal[]): Words[] {
    const commands: Words[] = refused
      .filter(({ delivery }) => !delivery.isGone)
      .map(({ delivery, options }) => ["TNACK", ...this.who, ...options, delivery.offset]);
    const offsets = done.filter((delivery) => !delivery.isGone).map(({ offset }) => offset);
    if (offsets.length > 0) commands.unshift(["TACK", ...this.who, ...ranges(offsets)]);
    return commands;
  }

  private async tell(done: Delivery[], refused: Refusal[]): Promise<void> {
    for (const pauses = new Pauses(); ; ) {
      const pause = pauses.next();
      const commands = this.commands(done, refused);
      if (commands.length === 0) return;
      try {
        (await this.link.exchange(this.key, commands)).forEach(checked);
        return;
      } catch (error) {
        if (error instanceof NoGroup) return; // the log or the group is gone, with all that was pending
        if (!isPassing(error)) {
          this.link.settings.logger.error(`outcomes of ${this.key} are not told: ${reasonOf(error)}`);
          this.fail(error);
          return;
        }
        this.link.tellRetry(String(commands[0]?.[0]), error, pause);
        if (this.giveUpAt !== undefined && now() + pause > this.giveUpAt) return; // they come again when leases end
      }
      await sleep(pause);
    }
  }
}
