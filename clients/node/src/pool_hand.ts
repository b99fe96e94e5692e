// What a pool's worker has in hand: the payloads of a recipient in order, recipients beside each other.

import type { Outcome } from "./attempt.js";

export interface PoolDelivery {
  readonly recipient: string;
  readonly sequence: number;
  readonly payload: Buffer;
  readonly attempts: number;
  life: number; // which joining of the worker it came with
  readonly pull: number; // which pull it came with
}

/** A recipient whose payload failed. The server is told, and then delivers that one again before all others; those that a
 *  pull had got before that come again, too. */
interface Failed {
  readonly sequence: number;
  lastPull: number; // that was sent before the server had answered; Infinity: it has not
  early: PoolDelivery[]; // what waited behind it, and came meanwhile
}

/** A recipient is ready when it has a payload that waits and none that runs. */
export class PoolHand {
  private readonly queues = new Map<string, PoolDelivery[]>();
  private readonly running = new Map<string, PoolDelivery>();
  private readonly handled = new Map<string, number>(); // the last sequence that was handled and is not acknowledged yet
  private readonly failed = new Map<string, Failed>();
  private life_ = 0;
  private pulls = 0;

  constructor(private readonly most: number) {}

  get life(): number {
    return this.life_;
  }

  room(): number {
    let waiting = 0;
    for (const queue of this.queues.values()) waiting += queue.length;
    return this.most - this.running.size - waiting;
  }

  /** Its number. */
  beginPull(): number {
    this.pulls += 1;
    return this.pulls;
  }

  /** Everything is delivered again, from what is not acknowledged on: what waits is dropped. */
  joinAgain(): void {
    this.life_ += 1;
    this.queues.clear();
    this.failed.clear();
  }

  /** What was handled is somebody else's now, or of a pool that was deleted, whose sequences begin again. */
  forgetHandled(): void {
    this.handled.clear();
  }

  /** `new` if a recipient became ready, `done` if it was handled already and must be acknowledged, else `kept`. */
  admit(delivery: PoolDelivery): "new" | "done" | "kept" {
    const failed = this.failed.get(delivery.recipient);
    if (failed !== undefined) {
      if (delivery.sequence > failed.sequence && delivery.pull <= failed.lastPull) {
        if (delivery.sequence <= (failed.early.at(-1)?.sequence ?? 0)) failed.early = []; // all behind it come again
        failed.early.push(delivery);
        return "kept";
      }
      this.failed.delete(delivery.recipient);
    }
    return this.put(delivery);
  }

  private put(delivery: PoolDelivery): "new" | "done" | "kept" {
    if (delivery.sequence <= (this.handled.get(delivery.recipient) ?? 0)) return "done";
    const running = this.running.get(delivery.recipient);
    if (running?.sequence === delivery.sequence) {
      running.life = delivery.life;
      return "kept";
    }
    const queue = this.queues.get(delivery.recipient) ?? [];
    if (delivery.sequence <= (queue.at(-1)?.sequence ?? 0)) return "kept";
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
    const { recipient, sequence } = delivery;
    this.running.delete(recipient);
    if (outcome === "done") {
      this.handled.set(recipient, sequence);
    } else if (outcome === "failed" && delivery.life === this.life) { // else all of it is delivered again already
      this.failed.set(recipient, { sequence, lastPull: Infinity, early: this.queues.get(recipient) ?? [] });
      this.queues.delete(recipient);
    }
    return this.queues.has(recipient);
  }

  /** The server knows that it failed, and delivers it again, or has given it up. Whether the recipient is ready. */
  givenBack(recipient: string, comesAgain: boolean): boolean {
    const failed = this.failed.get(recipient);
    if (failed === undefined) return false;
    if (comesAgain) {
      failed.lastPull = this.pulls;
      failed.early = [];
      return false;
    }
    this.failed.delete(recipient);
    return failed.early.map((delivery) => this.put(delivery)).includes("new");
  }

  /** The server knows, or the recipient is somebody else's. */
  acknowledged(recipient: string, sequence: number): void {
    if (this.handled.get(recipient) === sequence) this.handled.delete(recipient);
  }
}
