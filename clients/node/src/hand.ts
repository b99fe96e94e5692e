// What a worker has in hand: which messages wait, run, or are handled and not acknowledged yet.

/** Where a delivery is; done is what is settling and must not be handled again. */
type Place = "waits" | "runs" | "done" | "gone";

/** A message as it was delivered. */
export class Delivery {
  isLost = false;
  place: Place = "waits";
  private isAborted = false;
  private controller: AbortController | undefined;

  /** `leaseEnds` is on our monotonic clock. */
  constructor(
    readonly offset: number,
    readonly tag: string,
    readonly entry: Buffer,
    readonly attempts: number,
    readonly timeMs: number,
    readonly epoch: number,
    public leaseEnds: number,
  ) {}

  /** Made when somebody asks for it: few handlers do. */
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

/** A message waits, then runs, then settles: its outcome is sent and has no answer yet. `prefetch` of those in it are read
 *  ahead: there is no hurry to read more before half of them are started. */
export class Hand {
  private readonly held = new Map<number, Delivery>(); // those that wait, run, or are done
  private unfinished = 0; // of them, those that wait or run
  private refused = 0; // settling, and may come again at any time
  private readonly enoughRoom: number;

  constructor(
    private readonly most: number,
    prefetch = 0,
  ) {
    this.enoughRoom = Math.max(1, Math.floor(prefetch / 2));
  }

  room(): number {
    return this.most - this.unfinished;
  }

  /** Many are read for the price of one. */
  isWorthReading(): boolean {
    return this.room() >= this.enoughRoom;
  }

  isEmpty(): boolean {
    return this.held.size + this.refused === 0;
  }

  /** Those that are new. One that is in hand already came again because its lease was over, or by MINE. */
  admit(deliveries: Delivery[]): Delivery[] {
    return deliveries.filter((delivery) => {
      const held = this.held.get(delivery.offset);
      if (held?.place === "done") return false;
      if (held !== undefined && held.epoch === delivery.epoch) {
        held.leaseEnds = delivery.leaseEnds;
        held.isLost = false;
        return false;
      }
      if (held !== undefined) this.remove(held); // of a log that was replaced
      this.held.set(delivery.offset, delivery);
      this.unfinished += 1;
      return true;
    });
  }

  /** One that waits or runs. */
  private remove(delivery: Delivery): void {
    this.held.delete(delivery.offset);
    delivery.place = "gone";
    this.unfinished -= 1;
  }

  /** Whether it may be handled: it is still ours. */
  start(delivery: Delivery, now: number): boolean {
    if (delivery.place !== "waits") return false;
    if (now >= delivery.leaseEnds) {
      this.remove(delivery);
      return false;
    }
    delivery.place = "runs";
    return true;
  }

  /** Whether its outcome counts; then it is settling. */
  finish(delivery: Delivery, isDone: boolean): boolean {
    if (delivery.place !== "runs") return false;
    if (isDone && !delivery.isLost) {
      delivery.place = "done";
      this.unfinished -= 1;
      return true;
    }
    this.remove(delivery);
    if (delivery.isLost) return false;
    this.refused += 1;
    return true;
  }

  settled(done: number[], refused: number): void {
    for (const offset of done) this.held.delete(offset);
    this.refused -= refused;
  }

  /** Offsets whose leases must be extended. */
  leased(): number[] {
    return this.those((one) => one.place !== "done" && !one.isLost).map((one) => one.offset);
  }

  private those(wanted: (one: Delivery) => boolean): Delivery[] {
    return [...this.held.values()].filter(wanted);
  }

  extended(offsets: Iterable<number>, leaseEnds: number): void {
    for (const offset of offsets) {
      const held = this.held.get(offset);
      if (held !== undefined) held.leaseEnds = leaseEnds;
    }
  }

  /** They are somebody else's now; those that we still had. */
  lose(offsets: number[]): Delivery[] {
    const lost: Delivery[] = [];
    for (const offset of offsets) {
      const held = this.held.get(offset);
      if (held === undefined || held.place === "done" || held.isLost) continue;
      held.isLost = true;
      lost.push(held);
      if (held.place === "waits") this.remove(held);
    }
    return lost;
  }

  dropWaiting(): Delivery[] {
    return this.drop("waits");
  }

  /** What runs is given up: its outcome will not count. */
  abandon(): Delivery[] {
    return this.drop("runs");
  }

  private drop(place: Place): Delivery[] {
    const dropped = this.those((one) => one.place === place);
    for (const delivery of dropped) this.remove(delivery);
    return dropped;
  }
}
