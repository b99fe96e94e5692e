// The payloads that a pool's worker has in flight: in order for one recipient, in parallel for different ones.

export interface PoolDelivery {
  readonly recipient: string;
  readonly sequence: number;
  readonly payload: Buffer;
  readonly attempts: number;
  life: number; // the number of the worker's join with which it came; 0: it is of a pool that was made again since
}

/** A recipient is ready when one of its payloads waits and none runs.
 *
 * A payload that failed is given back to the server, with all delivered ones behind it. Pulls go on meanwhile, so what
 * they bring may have been delivered before that, or after it:
 *
 *      pulled            2 3 4 5 | 2 3 4 5 6      when the answer comes, 4 and 5 may be in flight, or 2 again
 *      2 is given back           ^ answer: 4, those of 2, 3, 4 and 5
 *
 * The server delivers in order and says how many it took back. So the number of payloads behind the failed one that
 * must be dropped is known: one less. The payload after these is the next: the failed one again or, if the server has
 * given it up, the one behind it. */
export class PoolHand {
  private readonly queues = new Map<string, PoolDelivery[]>();
  private readonly running = new Map<string, PoolDelivery>();
  private readonly handled_ = new Map<string, number>(); // the last sequence that was handled, and not acknowledged yet
  private readonly acknowledged_ = new Map<string, number>(); // the last one acknowledged; it may come once more
  private readonly held = new Map<string, PoolDelivery[]>(); // what came behind a payload that is being given back
  private readonly takenBack = new Map<string, number>(); // how many of the next payloads must be dropped
  private givingBack = 0; // how many payloads are being given back
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

  /** Called before a pull: payloads that were acknowledged before it are not in its answer. */
  beginPull(): void {
    for (const [recipient, sequence] of this.acknowledged_) this.forget(recipient, sequence);
    this.acknowledged_.clear();
  }

  /** It is not known what the server has delivered: the worker must join again. */
  distrust(): void {
    this.mustJoin_ = true;
  }

  /** Whether the worker may join: not while a payload is given back, because it would not be known which came first. */
  mayJoin(): boolean {
    return this.givingBack === 0;
  }

  /** Called when the worker joins again: the server delivers again everything that is not acknowledged, so waiting
   *  payloads are dropped. */
  joinAgain(): void {
    this.life_ += 1;
    this.queues.clear();
    this.held.clear();
    this.takenBack.clear();
    this.mustJoin_ = false;
  }

  /** The recipients of handled payloads belong to other workers now, or the pool was deleted and its sequences begin
   *  again. */
  forgetHandled(): void {
    this.handled_.clear();
    this.acknowledged_.clear();
  }

  /** Takes a delivery. Returns `new` if its recipient became ready, `done` if the payload was handled already and must
   *  be acknowledged, else `kept`. */
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
    if (delivery.attempts === 1) this.forgetOlderPool(delivery);
    if (delivery.sequence <= (this.handled_.get(delivery.recipient) ?? 0)) return "done";
    const running = this.running.get(delivery.recipient);
    if (running?.sequence === delivery.sequence && running.life > 0) {
      running.life = delivery.life;
      return "kept";
    }
    const queue = this.queues.get(delivery.recipient) ?? [];
    if (delivery.sequence <= (queue.at(-1)?.sequence ?? 0)) return "kept";
    queue.push(delivery);
    this.queues.set(delivery.recipient, queue);
    return running === undefined && queue.length === 1 ? "new" : "kept";
  }

  /** The server counts what it delivers again. So if it delivers a number for the first time that is known here, the
   *  pool was made again, and what is known is of the old one. */
  private forgetOlderPool({ recipient, sequence }: PoolDelivery): void {
    if (sequence <= (this.handled_.get(recipient) ?? 0)) this.handled_.delete(recipient);
    const running = this.running.get(recipient);
    if (running !== undefined && sequence <= running.sequence) running.life = 0;
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

  /** If the payload comes again before it is acknowledged, it is only acknowledged, not handled again. */
  handled({ recipient, sequence, life }: PoolDelivery): void {
    if (life > 0) this.handled_.set(recipient, sequence);
  }

  /** Ends the handling; returns whether the recipient is ready again. */
  finish({ recipient }: PoolDelivery): boolean {
    this.running.delete(recipient);
    return this.queues.has(recipient);
  }

  /** Called for a payload that failed. Returns whether the server must be told; the recipient is not ready again before
   *  givenBack() or lost(). Returns false if the worker has joined again, or must join: that gives everything back. */
  hold({ recipient, life }: PoolDelivery): boolean {
    if (life !== this.life) return false;
    this.held.set(recipient, this.queues.get(recipient) ?? []);
    this.queues.delete(recipient);
    if (this.mustJoin_) return false;
    this.givingBack += 1;
    return true;
  }

  /** The server took back this many payloads: this one and those behind it. Returns whether the recipient is ready. */
  givenBack({ recipient }: PoolDelivery, count: number): boolean {
    this.givingBack -= 1;
    this.running.delete(recipient);
    this.setTakenBack(recipient, count - 1);
    const behind = this.held.get(recipient) ?? [];
    this.held.delete(recipient);
    return behind.map((delivery) => this.put(delivery)).includes("new");
  }

  /** It is not known whether the server took it back: its recipient waits until the worker has joined again. */
  lost({ recipient }: PoolDelivery): void {
    this.givingBack -= 1;
    this.running.delete(recipient);
    this.mustJoin_ = true;
  }

  /** Not after the worker has joined again: what the server delivers under this number may be of another pool. If it is
   *  the same payload, it comes again, and is acknowledged then. */
  mayAcknowledge({ life }: PoolDelivery): boolean {
    return life === this.life;
  }

  /** The server has the acknowledgement, or another worker has the recipient. */
  acknowledged({ recipient, sequence, life }: PoolDelivery): void {
    if (life === this.life) this.forget(recipient, sequence);
    else this.acknowledged_.set(recipient, sequence);
  }

  private forget(recipient: string, sequence: number): void {
    if (this.handled_.get(recipient) === sequence) this.handled_.delete(recipient);
  }
}
