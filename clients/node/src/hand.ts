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

  /** Whether it is not in hand any more; its outcome must not be sent. */
  get isGone(): boolean {
    return this.place === "gone";
  }

  /** Whether the message must be handled because of a later delivery, although this one is known. */
  isSupersededBy(later: Delivery): boolean {
    return this.place === "refused" && later.attempts > this.attempts;
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
   *  MINE. A lost one stays lost: its handler may have ended early for that reason. */
  admit(deliveries: Delivery[]): Delivery[] {
    return deliveries.filter((delivery) => {
      const known = this.held.get(delivery.offset) ?? this.settledInRead.get(delivery.offset);
      if (known !== undefined && !known.isSupersededBy(delivery)) {
        if (known.isUnfinished) known.leaseEnds = delivery.leaseEnds;
        return false;
      }
      if (known !== undefined) known.place = "gone"; // its outcome, sent again, would reach this delivery
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

  // What the server answers is about a delivery, not about its message: that may have been delivered again meanwhile.

  /** The server has answered the outcomes of these deliveries. */
  settled(deliveries: Delivery[]): void {
    for (const delivery of deliveries) {
      if (this.held.get(delivery.offset) !== delivery) continue;
      this.held.delete(delivery.offset);
      this.settledInRead.set(delivery.offset, delivery);
    }
  }

  /** The deliveries whose leases must be extended. */
  leased(): Delivery[] {
    return this.those((one) => one.isUnfinished && !one.isLost);
  }

  private those(wanted: (one: Delivery) => boolean): Delivery[] {
    return [...this.held.values()].filter(wanted);
  }

  extended(deliveries: Delivery[], leaseEnds: number): void {
    for (const delivery of deliveries) delivery.leaseEnds = leaseEnds;
  }

  /** Marks deliveries whose messages other workers have now; returns those that this worker still held. */
  lose(deliveries: Delivery[]): Delivery[] {
    const lost = deliveries.filter((one) => one.isUnfinished && !one.isLost);
    for (const delivery of lost) {
      delivery.isLost = true;
      if (delivery.place === "waits") this.remove(delivery);
    }
    return lost;
  }

  /** The log was replaced: the outcomes of what is held must not reach the new one, which has the same offsets. Returns
   *  what was held. */
  loseAll(): Delivery[] {
    const lost = [...this.held.values()];
    for (const delivery of lost) {
      delivery.isLost = true;
      delivery.place = "gone";
    }
    this.held.clear();
    this.settledInRead.clear();
    this.unfinished = 0;
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
