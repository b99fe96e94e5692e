// What a pool's worker has in hand: the payloads of a recipient in order, recipients beside each other.

export interface PoolDelivery {
  readonly recipient: string;
  readonly sequence: number;
  readonly payload: Buffer;
  readonly attempts: number;
  life: number; // which joining of the worker it came with
}

/** A recipient is ready when it has a payload that waits and none that runs.
 *
 *  A payload that failed is given back to the server, with all behind it that were delivered. Pulls go on meanwhile, so what
 *  they bring may have been delivered before that, or after it:
 *
 *      pulled            2 3 4 5 | 2 3 4 5 6      4 and 5 are under way, or 2 again, when the answer comes
 *      2 is given back           ^ answer: 4, those of 2, 3, 4 and 5
 *
 *  The server delivers in order and says how many it took back, so it is known which of those behind are to be dropped: as
 *  many, less the one that failed. What follows is next, be it the same again or, if the server has given that up, the one
 *  behind it. */
export class PoolHand {
  private readonly queues = new Map<string, PoolDelivery[]>();
  private readonly running = new Map<string, PoolDelivery>();
  private readonly handled_ = new Map<string, number>(); // the last sequence that was handled and is not acknowledged yet
  private readonly acknowledged_ = new Map<string, number>(); // those that are, and may come once more
  private readonly held = new Map<string, PoolDelivery[]>(); // what came behind one that is being given back
  private readonly takenBack = new Map<string, number>(); // how many of those that come next are to be dropped
  private givingBack = 0; // how many are
  private life_ = 0;
  private mustJoin_ = true;

  constructor(private readonly most: number) {}

  get life(): number {
    return this.life_;
  }

  get mustJoin(): boolean {
    return this.mustJoin_;
  }

  room(): number {
    let waiting = 0;
    for (const queue of this.queues.values()) waiting += queue.length;
    return this.most - this.running.size - waiting;
  }

  /** What was acknowledged before it is not in its answer. */
  beginPull(): void {
    for (const [recipient, sequence] of this.acknowledged_) this.forget(recipient, sequence);
    this.acknowledged_.clear();
  }

  /** Nobody knows what the server has delivered: the worker must join again. */
  distrust(): void {
    this.mustJoin_ = true;
  }

  /** Not beside a payload that is given back: which of the two came first would not be known. */
  mayJoin(): boolean {
    return this.givingBack === 0;
  }

  /** Everything is delivered again, from what is not acknowledged on: what waits is dropped. */
  joinAgain(): void {
    this.life_ += 1;
    this.queues.clear();
    this.held.clear();
    this.takenBack.clear();
    this.mustJoin_ = false;
  }

  /** What was handled is somebody else's now, or of a pool that was deleted, whose sequences begin again. */
  forgetHandled(): void {
    this.handled_.clear();
    this.acknowledged_.clear();
  }

  /** `new` if a recipient became ready, `done` if it was handled already and must be acknowledged, else `kept`. */
  admit(delivery: PoolDelivery): "new" | "done" | "kept" {
    const held = this.held.get(delivery.recipient);
    if (held === undefined) return this.put(delivery);
    held.push(delivery);
    return "kept";
  }

  private put(delivery: PoolDelivery): "new" | "done" | "kept" {
    const takenBack = this.takenBack.get(delivery.recipient) ?? 0;
    if (takenBack > 0) {
      this.setTakenBack(delivery.recipient, takenBack - 1);
      return "kept";
    }
    if (delivery.sequence <= (this.handled_.get(delivery.recipient) ?? 0)) return "done";
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

  private setTakenBack(recipient: string, count: number): void {
    if (count > 0) this.takenBack.set(recipient, count);
    else this.takenBack.delete(recipient);
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

  /** If it comes again before it is acknowledged, it is only that. */
  handled({ recipient, sequence }: PoolDelivery): void {
    this.handled_.set(recipient, sequence);
  }

  /** Whether the recipient is ready again. */
  finish({ recipient }: PoolDelivery): boolean {
    this.running.delete(recipient);
    return this.queues.has(recipient);
  }

  /** It failed. Whether the server is to be told; until givenBack() or lost() nothing of the recipient is ready. If the
   *  worker has joined again, or must, that gives it back, with everything else. */
  hold({ recipient, life }: PoolDelivery): boolean {
    if (life !== this.life) return false;
    this.held.set(recipient, this.queues.get(recipient) ?? []);
    this.queues.delete(recipient);
    if (this.mustJoin_) return false;
    this.givingBack += 1;
    return true;
  }

  /** The server took so many back, this one and those behind it. Whether the recipient is ready. */
  givenBack({ recipient }: PoolDelivery, count: number): boolean {
    this.givingBack -= 1;
    this.running.delete(recipient);
    this.setTakenBack(recipient, count - 1);
    const behind = this.held.get(recipient) ?? [];
    this.held.delete(recipient);
    return behind.map((delivery) => this.put(delivery)).includes("new");
  }

  /** Nobody knows whether the server took it back: its recipient waits until the worker has joined again. */
  lost({ recipient }: PoolDelivery): void {
    this.givingBack -= 1;
    this.running.delete(recipient);
    this.mustJoin_ = true;
  }

  /** The server knows, or the recipient is somebody else's. */
  acknowledged({ recipient, sequence, life }: PoolDelivery): void {
    if (life === this.life) this.forget(recipient, sequence);
    else this.acknowledged_.set(recipient, sequence);
  }

  private forget(recipient: string, sequence: number): void {
    if (this.handled_.get(recipient) === sequence) this.handled_.delete(recipient);
  }
}
