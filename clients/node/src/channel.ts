// A channel: publishing once, and subscriptions as iterators.

import { randomUUID } from "node:crypto";

import type { Codec } from "./codecs.js";
import { isPassing } from "./errors.js";
import type { Link } from "./link.js";
import { list, type Words } from "./replies.js";
import { Subscription, type SubscribeOptions } from "./subscription.js";

export class Channel<T> {
  constructor(
    private readonly link: Link,
    readonly name: string,
    private readonly codec: Codec<T>,
  ) {}

  /** Publishes a message once, even if it is sent several times. False if a message with this id was there before. */
  async publish(content: T, { id = randomUUID() }: { id?: string } = {}): Promise<boolean> {
    const words: Words = ["CHAN.PUBLISH", this.name, id, this.codec.encode(content)];
    try {
      return (await this.link.call(this.name, words)) !== null;
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.link.tellRetry("CHAN.PUBLISH", error, 0);
    }
    // If an earlier sending has arrived, a later one is answered with null: this cannot be distinguished from an id
    // that was used before.
    await this.link.persist(this.name, words);
    return true;
  }

  /** An iterator of messages. A message is acknowledged when the next one is asked for; with a batch, the whole batch
   *  when the message behind it is. `onGap` is called when the subscription is made, the first time and each time after
   *  it was lost: load the present state there. */
  subscribe(name: string, options: SubscribeOptions = {}): Subscription<T> {
    return new Subscription(this.link, this.name, this.codec, name, options);
  }

  async unsubscribe(name: string): Promise<boolean> {
    return Number(await this.link.persist(this.name, ["CHAN.UNSUBSCRIBE", this.name, name])) > 0;
  }

  /** For each message, whether the subscriber has passed it. */
  async seen(name: string, ...ids: string[]): Promise<boolean[]> {
    return list(await this.link.persist(this.name, ["CHAN.SEEN", this.name, name, ...ids])).map((one) => Number(one) > 0);
  }
}
