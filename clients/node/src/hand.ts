// The messages that a worker has in flight: waiting, running, or handled and not acknowledged yet.

/** The place of a delivery; `done` means that it is settling and must not be handled again. */
type Place = "waits" | "runs" | "done" | "gone";

/** One delivery of a message. */
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

  /** Made when first asked for: few handlers use it. */
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

/** A message waits, then runs, then settles, which means that its outcome is sent and not answered yet. `prefetch`
 *  messages are read ahead; no more are read before half of these have started. */
export class Hand {
  private readonly held = new Map<number, Delivery>(); // the deliveries that wait, run, or are done
  private unfinished = 0; // how many of them wait or run
  private refused = 0; // how many refusals are settling; such a message may come again at any time
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

  /** Reading many messages costs as much as reading one, so a read waits until there is enough room. */
  isWorthReading(): boolean {
    return this.room() >= this.enoughRoom;
  }

  isEmpty(): boolean {
    return this.held.size + this.refused === 0;
  }

  /** Returns the deliveries that are new. A message that is held already came again because its lease was over, or by
   *  MINE. */
  admit(deliveries: Delivery[]): Delivery[] {
    return deliveries.filter((delivery) => {
      const held = this.held.get(delivery.offset);
      if (held?.place === "done") return false;
      if (held !== undefined && held.epoch === delivery.epoch) {
        held.leaseEnds = delivery.leaseEnds;
        held.isLost = false;
        return false;
      }
      if (held !== undefined) this.remove(held); // the one held is from a log that was replaced
      this.held.set(delivery.offset, delivery);
      this.unfinished += 1;
      return true;
    });
  }

  /** Removes a delivery that waits or runs. */
  private remove(delivery: Delivery): void {
    this.held.delete(delivery.offset);
    delivery.place = "gone";
    this.unfinished -= 1;
  }

  /** Begins the handling; false if the message is not this worker's any more. */
  start(delivery: Delivery, now: number): boolean {
    if (delivery.place !== "waits") return false;
    if (now >= delivery.leaseEnds) {
      this.remove(delivery);
      return false;
    }
    delivery.place = "runs";
    return true;
  }

  /** Ends the handling; true if the outcome counts. Then it is settling. */
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

  /** Marks messages that other workers have now; returns those that this worker still held. */
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

  /** Gives up the running deliveries and returns them: their outcomes will not count. */
  abandon(): Delivery[] {
    return this.drop("runs");
  }

  private drop(place: Place): Delivery[] {
    const dropped = this.those((one) => one.place === place);
    for (const delivery of dropped) this.remove(delivery);
    return dropped;
  }
}
