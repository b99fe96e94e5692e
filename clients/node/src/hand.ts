// What a worker has in hand: which messages wait, run, or are handled and not acknowledged yet.

/** An AbortController that is made when somebody asks for its signal: few handlers do. */
export class LazyAbort {
  private controller: AbortController | undefined;
  private isAborted = false;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isAborted) this.controller.abort();
    return this.controller.signal;
  }

  abort(): void {
    this.isAborted = true;
    this.controller?.abort();
  }
}

/** A message as it was delivered. */
export interface Delivery {
  readonly offset: number;
  readonly tag: string;
  readonly entry: Buffer;
  readonly attempts: number;
  readonly timeMs: number;
  readonly epoch: number;
  /** On our monotonic clock. */
  leaseEnds: number;
  isLost: boolean;
  readonly abort: LazyAbort;
}

/** A message waits, then runs, then settles: its outcome is sent and has no answer yet. */
export class Hand {
  private readonly waiting = new Map<number, Delivery>();
  private readonly running = new Map<number, Delivery>();
  private readonly done = new Set<number>(); // settling, and must not be handled again
  private refused = 0; // settling, and may come again at any time

  constructor(private readonly most: number) {}

  room(): number {
    return this.most - this.waiting.size - this.running.size;
  }

  isEmpty(): boolean {
    return this.waiting.size + this.running.size + this.done.size + this.refused === 0;
  }

  /** Those that are new. One that is in hand already came again because its lease was over, or by MINE. */
  admit(deliveries: Delivery[]): Delivery[] {
    return deliveries.filter((delivery) => {
      const held = this.held(delivery.offset);
      if (held !== undefined && held.epoch === delivery.epoch) {
        held.leaseEnds = delivery.leaseEnds;
        held.isLost = false;
        return false;
      }
      if (this.done.has(delivery.offset)) return false;
      this.waiting.set(delivery.offset, delivery);
      return true;
    });
  }

  private held(offset: number): Delivery | undefined {
    return this.waiting.get(offset) ?? this.running.get(offset);
  }

  /** Whether it may be handled: it is still ours. */
  start(delivery: Delivery, now: number): boolean {
    if (this.waiting.get(delivery.offset) !== delivery) return false;
    this.waiting.delete(delivery.offset);
    if (delivery.isLost || now >= delivery.leaseEnds) return false;
    this.running.set(delivery.offset, delivery);
    return true;
  }

  /** Whether its outcome counts; then it is settling. */
  finish(delivery: Delivery, isDone: boolean): boolean {
    if (this.running.get(delivery.offset) !== delivery) return false;
    this.running.delete(delivery.offset);
    if (delivery.isLost) return false;
    if (isDone) this.done.add(delivery.offset);
    else this.refused += 1;
    return true;
  }

  settled(done: number[], refused: number): void {
    for (const offset of done) this.done.delete(offset);
    this.refused -= refused;
  }

  /** Offsets whose leases must be extended. */
  leased(): number[] {
    return [...this.waiting.values(), ...this.running.values()].filter((one) => !one.isLost).map((one) => one.offset);
  }

  extended(offsets: Iterable<number>, leaseEnds: number): void {
    for (const offset of offsets) {
      const held = this.held(offset);
      if (held !== undefined) held.leaseEnds = leaseEnds;
    }
  }

  /** They are somebody else's now; those that we still had. */
  lose(offsets: number[]): Delivery[] {
    const lost: Delivery[] = [];
    for (const offset of offsets) {
      const held = this.held(offset);
      this.waiting.delete(offset);
      if (held !== undefined && !held.isLost) {
        held.isLost = true;
        lost.push(held);
      }
    }
    return lost;
  }

  dropWaiting(): void {
    this.waiting.clear();
  }

  /** What runs is given up: its outcome will not count. */
  abandon(): Delivery[] {
    const running = [...this.running.values()];
    this.running.clear();
    return running;
  }
}
