// What a pool's worker has in hand: the payloads of a recipient in order, recipients beside each other.

import type { Outcome } from "./attempt.js";

export interface PoolDelivery {
  readonly recipient: string;
  readonly sequence: number;
  readonly payload: Buffer;
  readonly attempts: number;
  life: number; // which joining of the worker it came with
}

/** A recipient is ready when it has a payload that waits and none that runs. */
export class PoolHand {
  private readonly queues = new Map<string, PoolDelivery[]>();
  private readonly running = new Map<string, PoolDelivery>();
  private readonly handled = new Map<string, number>(); // the last sequence that was handled and is not acknowledged yet
  private life_ = 0;

  constructor(private readonly most: number) {}

  get life(): number {
    return this.life_;
  }

  room(): number {
    let waiting = 0;
    for (const queue of this.queues.values()) waiting += queue.length;
    return this.most - this.running.size - waiting;
  }

  /** Everything is delivered again, from what is not acknowledged on: what waits is dropped. */
  joinAgain(): void {
    this.life_ += 1;
    this.queues.clear();
  }

  /** What was handled is somebody else's now, or of a pool that was deleted, whose sequences begin again. */
  forgetHandled(): void {
    this.handled.clear();
  }

  /** `new` if a recipient became ready, `done` if it was handled already and must be acknowledged, else `kept`. */
  admit(delivery: PoolDelivery): "new" | "done" | "kept" {
    if (delivery.sequence <= (this.handled.get(delivery.recipient) ?? 0)) return "done";
    const running = this.running.get(delivery.recipient);
    if (running?.sequence === delivery.sequence) {
      running.life = delivery.life;
      return "kept";
    }
    const queue = this.queues.get(delivery.recipient) ?? [];
    queue.push(delivery);
    this.queues.set(delivery.recipient, queue);
    return running === undefined && queue.length === 1 ? "new" : "kept";
  }

  start(recipient: string): PoolDelivery | undefined {
    if (this.running.has(recipient)) return undefined;
    const queue = this.queues.get(recipient);
    const delivery = queue?.shift();
    if (delivery === undefined) return undefined;
    if (queue?.length === 0) this.queues.delete(recipient);
    this.running.set(recipient, delivery);
    return delivery;
  }

  /** Whether the recipient is ready again. What `failed` is given back, with all behind it. */
  finish(delivery: PoolDelivery, outcome: Outcome): boolean {
    this.running.delete(delivery.recipient);
    if (outcome === "done") this.handled.set(delivery.recipient, delivery.sequence);
    else if (outcome === "failed") this.queues.delete(delivery.recipient);
    return this.queues.has(delivery.recipient);
  }

  /** The server knows, or the recipient is somebody else's. */
  acknowledged(recipient: string, sequence: number): void {
    if (this.handled.get(recipient) === sequence) this.handled.delete(recipient);
  }
}
