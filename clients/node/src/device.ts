// A device of a routing table, kept alive while it is open.

import { MillraceError } from "./errors.js";
import type { Link } from "./link.js";
import { list, text, type Words } from "./replies.js";
import { Flag } from "./waiting.js";

/** The parts of a channel's name: what a device subscribes to, and what a change concerns. */
export interface Target {
  app: string;
  model: string;
  user?: string | undefined;
  id?: string | undefined;
}

export interface DeviceOptions {
  user?: string | undefined;
  agent?: string | undefined;
  ttlMs?: number | undefined;
}

export interface FilterOptions {
  filter?: unknown;
  filterId?: string | undefined;
}

export function targetWords({ app, model, user, id }: Target): Words {
  const words: Words = ["APP", app, "MODEL", model];
  if (user !== undefined) words.push("USER", user);
  if (id !== undefined) words.push("ID", id);
  return words;
}

/** Use using(), or open() and close(): while the device is open it gives a sign of life every third of its `ttlMs`. */
export class Device {
  private readonly words: Words;
  private readonly ttlMs: number | undefined;
  private readonly subscriptions: Words[] = [];
  private ended = new Flag();
  private keeping: Promise<void> | undefined;

  constructor(
    private readonly link: Link,
    private readonly table: string,
    readonly name: string,
    { user, agent, ttlMs }: DeviceOptions,
  ) {
    this.ttlMs = ttlMs;
    this.words = ["ROUTE.DEVICE", "SET", table, name];
    if (user !== undefined) this.words.push("USER", user);
    if (agent !== undefined) this.words.push("AGENT", agent);
    if (ttlMs !== undefined) this.words.push("TTL", Math.round(ttlMs));
  }

  /** Adds or renews the device; true if it is new. */
  async set(): Promise<boolean> {
    return Number(await this.link.persist(this.table, this.words)) > 0;
  }

  /** Subscribes the device to a channel; returns the channel's name. The subscription is kept alive with the device,
   *  and made again if the device had expired. */
  async subscribe(target: Target, { filter, filterId }: FilterOptions = {}): Promise<string> {
    const words: Words = ["ROUTE.SUBSCRIBE", this.table, this.name, ...targetWords(target)];
    if (filter !== undefined) words.push("FILTER", JSON.stringify(filter));
    else if (filterId !== undefined) words.push("FILTERID", filterId);
    words.push("XX");
    let reply = await this.link.persist(this.table, words);
    if (reply === null) {
      await this.set(); // the device has expired, or was never set
      reply = await this.link.persist(this.table, words);
    }
    this.subscriptions.push(words);
    return text(list(reply)[0]);
  }

  /** Gives a sign of life. A device that has expired is set again, with its subscriptions. */
  async touch(): Promise<void> {
    if (Number(await this.link.persist(this.table, ["ROUTE.DEVICE", "TOUCH", this.table, this.name])) > 0) return;
    await this.set();
    for (const words of this.subscriptions) await this.link.persist(this.table, words);
  }

  async delete(): Promise<void> {
    await this.link.persist(this.table, ["ROUTE.DEVICE", "DEL", this.table, this.name]);
  }

  async open(): Promise<this> {
    await this.set();
    this.ended = new Flag();
    if (this.ttlMs !== undefined) this.keeping = this.keep(this.ttlMs / 3);
    return this;
  }

  /** Stops the signs of life and deletes the device. */
  async close(): Promise<void> {
    this.ended.set();
    await this.keeping;
    await this.delete();
  }

  async using<R>(work: (device: this) => Promise<R> | R): Promise<R> {
    await this.open();
    try {
      return await work(this);
    } finally {
      await this.close();
    }
  }

  private async keep(everyMs: number): Promise<void> {
    while (!(await this.ended.wait(everyMs))) {
      try {
        await this.touch();
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
        this.link.settings.logger.debug(`${this.name} is not touched: ${error.message}`);
      }
    }
  }
}
