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

  /** Publishes once, however often it is sent. False: a message with this id was there before. */
  async publish(content: T, { id = randomUUID() }: { id?: string } = {}): Promise<boolean> {
    const words: Words = ["CHAN.PUBLISH", this.name, id, this.codec.encode(content)];
    try {
      return (await this.link.call(this.name, words)) !== null;
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.link.tellRetry("CHAN.PUBLISH", error, 0);
    }
    // If the first sending arrived, the next is answered by null: nobody can tell the two apart.
    await this.link.persist(this.name, words);
    return true;
  }

  /** An iterator of messages. Each is acknowledged when the next is asked for; with a batch, when the one behind the
   *  batch is. `onGap` is called when the subscription begins anew, also for the first time: load the present state
   *  there. */
  subscribe(name: string, options: SubscribeOptions = {}): Subscription<T> {
    return new Subscription(this.link, this.name, this.codec, name, options);
  }

  async unsubscribe(name: string): Promise<boolean> {
    return Number(await this.link.persist(this.name, ["CHAN.UNSUBSCRIBE", this.name, name])) > 0;
  }

  /** Whether the subscriber is past these messages. */
  async seen(name: string, ...ids: string[]): Promise<boolean[]> {
    return list(await this.link.persist(this.name, ["CHAN.SEEN", this.name, name, ...ids])).map((one) => Number(one) > 0);
  }
}
