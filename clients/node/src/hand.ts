// The messages that a worker has in flight: waiting, running, or settling.

/** The place of a delivery; `done` and `refused` are its outcomes. */
type Place = "waits" | "runs" | "done" | "refused" | "gone";

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

  /** Whether the message must be handled because of a later delivery, although this one is known. */
  isSupersededBy(later: Delivery): boolean {
    if (this.place === "refused" && later.attempts > this.attempts) return true;
    return this.place !== "done" && later.epoch !== this.epoch;
  }

  get isUnfinished(): boolean {
    return this.place === "waits" || this.place === "runs";
  }
}

/** A message waits, then runs, then settles, which means that its outcome is sent and not answered yet. `prefetch`
 *  messages are read ahead; no more are read before half of these have started.
 *
 *  A read and an outcome are on different connections, so a message may arrive although it is settled:
 *
 *      worker    MINE . . . . . . . . TACK 7 . . answer: 1 . . . the answer of MINE arrives late: 7
 *      server          executes MINE: 7    executes TACK
 *
 *  So what is settled while a read is in flight is known until the next read begins. */
export class Hand {
  private readonly held = new Map<number, Delivery>(); // the deliveries that wait, run, or settle
  private unfinished = 0; // how many of them wait or run
  private readonly settledInRead = new Map<number, Delivery>(); // those that have been settled since the last read began
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
    return this.held.size === 0;
  }

  /** Called before a read is sent: what was settled until now is in its answer only if it was delivered again. */
  beginRead(): void {
    this.settledInRead.clear();
  }

  /** Returns the deliveries that are new. A message that is held already came again because its lease was over, or by
   *  MINE. */
  admit(deliveries: Delivery[]): Delivery[] {
    return deliveries.filter((delivery) => {
      const known = this.held.get(delivery.offset) ?? this.settledInRead.get(delivery.offset);
      if (known !== undefined && !known.isSupersededBy(delivery)) {
        if (known.isUnfinished) {
          known.leaseEnds = delivery.leaseEnds;
          known.isLost = false;
        }
        return false;
      }
      if (known?.isUnfinished) this.remove(known); // it is from a log that was replaced
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
    if (delivery.isLost) {
      this.remove(delivery);
      return false;
    }
    delivery.place = isDone ? "done" : "refused";
    this.unfinished -= 1;
    return true;
  }

  /** The server has answered the outcomes of these messages. */
  settled(offsets: number[]): void {
    for (const offset of offsets) {
      const held = this.held.get(offset);
      // A message that was refused may have been delivered again before that answer.
      if (held === undefined || held.isUnfinished) continue;
      this.held.delete(offset);
      this.settledInRead.set(offset, held);
    }
  }

  /** Offsets whose leases must be extended. */
  leased(): number[] {
    return this.those((one) => one.isUnfinished && !one.isLost).map((one) => one.offset);
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
      if (held === undefined || !held.isUnfinished || held.isLost) continue;
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
