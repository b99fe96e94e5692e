// What a subscriber of a channel gets, as an iterator.

import { Pauses } from "./backoff.js";
import type { Codec } from "./codecs.js";
import { BadReceipt, BrokenOff, NoSubscriber, checked, isPassing } from "./errors.js";
import type { Link } from "./link.js";
import type { Publication } from "./messages.js";
import { bytes, list, text, type Word, type Words } from "./replies.js";
import { waitTimeout } from "./settings.js";
import { Breaker, sleep } from "./waiting.js";

export interface SubscribeOptions {
  batch?: number | undefined;
  expireMs?: number | undefined;
  onGap?: (() => unknown) | undefined;
}

export class Subscription<T> implements AsyncIterableIterator<Publication<T>> {
  private rows: unknown[][] = []; // fetched and not returned yet; the last one is the next
  private receipt: Word | undefined; // of the messages that were returned
  private mustSubscribe = false; // the server says that there is no such subscriber
  private hasGap = false;
  private fetching: Promise<boolean> | undefined;
  private readonly breaker = new Breaker();

  constructor(
    private readonly link: Link,
    private readonly channel: string,
    private readonly codec: Codec<T>,
    private readonly name: string,
    private readonly options: SubscribeOptions,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Publication<T>, undefined>> {
    for (;;) {
      const row = this.rows.pop();
      if (row !== undefined) {
        return { done: false, value: { id: text(row[0]), content: this.codec.decode(bytes(row[1])) } };
      }
      // Calls at the same time wait for the same fetch.
      this.fetching ??= this.fetch().finally(() => (this.fetching = undefined));
      if (!(await this.fetching)) return { done: true, value: undefined };
    }
  }

  /** Ends the iteration, even if it is waiting. The last message stays unacknowledged unless ack() is called. */
  stop(): void {
    this.breaker.breakOff();
  }

  /** Acknowledges the returned messages without fetching more. REQUIRES: the whole batch was returned. */
  async ack(): Promise<void> {
    const { receipt } = this;
    if (receipt === undefined || this.rows.length > 0) return;
    try {
      await this.link.persist(this.channel, ["CHAN.ACK", this.channel, this.name, receipt]);
    } catch (error) {
      // The next fetch finds out the reason.
      if (!(error instanceof BadReceipt || error instanceof NoSubscriber)) throw error;
    }
    if (this.receipt === receipt) this.receipt = undefined; // not that of a fetch which has ended meanwhile
  }

  /** Acknowledges the returned messages and waits for more; false if it was stopped. */
  private async fetch(): Promise<boolean> {
    for (const pauses = new Pauses(); ; ) {
      if (this.hasGap) {
        await this.options.onGap?.();
        this.hasGap = false; // not before: if onGap fails, it is called again
      }
      try {
        if (this.mustSubscribe) {
          await this.subscribe();
        } else {
          await this.exchange();
          return true;
        }
      } catch (error) {
        if (error instanceof BrokenOff) return false;
        if (error instanceof NoSubscriber) {
          this.receipt = undefined;
          this.mustSubscribe = true;
        } else if (error instanceof BadReceipt) {
          this.receipt = undefined;
        } else if (isPassing(error)) {
          const pause = pauses.next();
          this.link.tellRetry(this.mustSubscribe ? "CHAN.SUBSCRIBE" : "CHAN.FETCH", error, pause);
          await sleep(pause);
        } else {
          throw error;
        }
      }
    }
  }

  private async exchange(): Promise<void> {
    const { settings } = this.link;
    const who = [this.channel, this.name];
    const commands: Words[] = [["CHAN.FETCH", ...who, "MAX", this.options.batch ?? 1, "BLOCK", settings.blockMs]];
    if (this.receipt !== undefined) commands.unshift(["CHAN.ACK", ...who, this.receipt]);
    const options = { timeoutMs: waitTimeout(settings), breaker: this.breaker };
    const replies = (await this.link.exchange(this.channel, commands, options)).map(checked);
    const [messages, receipt] = list(replies.at(-1));
    this.rows = list(messages).map(list).reverse();
    this.receipt = receipt === null ? undefined : (receipt as Word);
  }

  private async subscribe(): Promise<void> {
    const words: Words = ["CHAN.SUBSCRIBE", this.channel, this.name];
    if (this.options.expireMs !== undefined) words.push("EXPIRE", Math.round(this.options.expireMs));
    await this.link.call(this.channel, words, { breaker: this.breaker });
    this.mustSubscribe = false;
    this.hasGap = true;
    this.link.settings.logger.info(`${this.name} subscribes to ${this.channel}`);
    this.link.notice("gap", { key: this.channel });
  }
}
