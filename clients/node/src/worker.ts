// Handles the messages of a group, as described step by step in clients/BEHAVIOUR.md.

import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

import { decoded, isPromise, outcomeOf, within, type Outcome } from "./attempt.js";
import { Backoff, Pauses } from "./backoff.js";
import type { Codec } from "./codecs.js";
import { BrokenOff, MillraceError, NoGroup, isPassing, reasonOf } from "./errors.js";
import { Delivery, Hand } from "./hand.js";
import { Leases } from "./leases.js";
import type { Link } from "./link.js";
import type { Message } from "./messages.js";
import { LAST_OFFSET, bytes, list, ranges, text, type Words } from "./replies.js";
import { Settler } from "./settling.js";
import { waitTimeout } from "./settings.js";
import { Box, Breaker, Flag, endsWithin, now, onSignals, others } from "./waiting.js";

const SETTLE_AFTER_STOP = 5000; // milliseconds for the last acknowledgements, if the server is down

export type Handler<T> = (value: T, message: Message<T>) => unknown;

export interface WorkerOptions {
  concurrency?: number | undefined;
  prefetch?: number | undefined;
  leaseMs?: number | undefined;
  expireMs?: number | undefined;
  maxAttempts?: number | undefined;
  deadLetter?: string | undefined;
  backoff?: Backoff | undefined;
  start?: "first" | "next" | undefined;
  /** Give it if you have a name that stays the same after a restart: messages that it held before a crash then come
   *  first. */
  consumer?: string | undefined;
  timeLimitMs?: number | undefined;
}

export interface RunOptions {
  stopOn?: Iterable<NodeJS.Signals>;
  drainMs?: number | undefined;
}

/** A message as its handler sees it. */
class Delivered<T> implements Message<T> {
  readonly #delivery: Delivery;
  readonly id: string;
  readonly offset: number;
  readonly tag: string;
  readonly attempts: number;
  readonly timeMs: number;

  constructor(
    readonly key: string,
    readonly group: string,
    readonly value: T,
    delivery: Delivery,
  ) {
    this.#delivery = delivery;
    ({ offset: this.offset, tag: this.tag, attempts: this.attempts, timeMs: this.timeMs } = delivery);
    this.id = `${key}:${delivery.epoch}.${delivery.offset}`;
  }

  get signal(): AbortSignal {
    return this.#delivery.signal;
  }

  get lost(): boolean {
    return this.#delivery.isLost;
  }
}

/** Everything that belongs to one run. */
class Run {
  readonly queue = new Box<Delivery>();
  readonly ended = new Flag();
  readonly changed = new Flag(); // set when there may be room, or nothing left to do
  readonly breaker = new Breaker();
  readonly hand: Hand;
  readonly settler: Settler;
  readonly leases: Leases;
  epoch: number | undefined;
  mineFrom: number | undefined = 1; // from where to look for messages that this consumer held before
  abandoning = false;
  handled = 0;

  constructor(link: Link, key: string, who: Words, hand: Hand, leaseMs: number) {
    this.hand = hand;
    this.settler = new Settler(link, key, who, this.hand, this.changed, this.breaker);
    this.leases = new Leases(link, key, who, this.hand, leaseMs, this.ended);
  }
}

export class Worker<T> {
  readonly consumer: string;
  private readonly concurrency: number;
  private readonly prefetch: number;
  private readonly leaseMs: number;
  private readonly backoff: Backoff;
  private readonly groupSettings: Words = [];
  private readonly handlers = new Map<string | undefined, Handler<T>>();
  private readonly stopping = new Flag();
  private readonly who: Words;
  private run_: Run | undefined;

  constructor(
    private readonly link: Link,
    readonly key: string,
    readonly group: string,
    private readonly codec: Codec<T>,
    private readonly options: WorkerOptions,
  ) {
    this.consumer = options.consumer ?? `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
    this.concurrency = options.concurrency ?? 1;
    this.prefetch = options.prefetch ?? this.concurrency;
    this.leaseMs = options.leaseMs ?? 30_000;
    if (!(this.concurrency >= 1 && this.prefetch >= 0 && this.leaseMs > 0)) {
      throw new RangeError("a worker needs a concurrency of at least 1, a prefetch of at least 0 and a lease");
    }
    this.backoff = options.backoff ?? Backoff.exponential();
    if (options.maxAttempts !== undefined) this.groupSettings.push("MAXATTEMPTS", options.maxAttempts);
    if (options.deadLetter !== undefined) this.groupSettings.push("DEADLETTER", options.deadLetter);
    this.who = [key, group, "CONSUMER", this.consumer];
  }

  /** Sets the handler of one or several tags; without tags, of all tags that have no handler of their own. */
  on(handler: Handler<T>): this;
  on(tags: string | string[], handler: Handler<T>): this;
  on(first: string | string[] | Handler<T>, second?: Handler<T>): this {
    if (typeof first === "function") this.handlers.set(undefined, first);
    else if (second) for (const tag of [first].flat()) this.handlers.set(tag, second);
    return this;
  }

  /** Handles messages until stop(), or one of the signals. */
  async run({ stopOn = [], drainMs = 25_000 }: RunOptions = {}): Promise<void> {
    const forget = onSignals(stopOn, () => this.stop());
    try {
      await this.work(drainMs, true);
    } finally {
      forget();
    }
  }

  /** Handles all messages that can be delivered now; returns how many. For tests. */
  async runUntilIdle(): Promise<number> {
    return this.work(60_000, false);
  }

  /** Takes no more messages, so that run() ends. */
  stop(): void {
    this.stopping.set();
    this.run_?.changed.set();
    this.run_?.breaker.breakOff();
  }

  // --- a run ---

  private async work(drainMs: number, block: boolean): Promise<number> {
    if (this.run_ !== undefined) throw new MillraceError("this worker runs already: make another one");
    if (this.handlers.size === 0) throw new MillraceError("this worker has no handler: call on() before run()");
    const hand = new Hand(this.concurrency + this.prefetch, this.prefetch);
    const run = new Run(this.link, this.key, this.who, hand, this.leaseMs);
    if (this.stopping.isSet) {
      this.stopping.clear(); // stopped before it began
      return 0;
    }
    this.run_ = run;
    const settling = run.settler.run();
    const beating = run.leases.run();
    const handling = Array.from({ length: this.concurrency }, () => this.handleMessages(run));
    try {
      await this.read(run, block);
    } finally {
      this.stopping.set();
      const waited = run.hand.dropWaiting().map(({ offset }) => offset);
      const giving = this.giveBack(ranges(waited), drainMs, run.ended);
      await this.windUp(run, handling, drainMs);
      const end = now() + SETTLE_AFTER_STOP;
      await Promise.all([giving, settling, beating]);
      // Everything that this consumer still holds, including what a read that was broken off has delivered.
      await this.giveBack([`1-${LAST_OFFSET}`], Math.max(0, end - now()));
      this.stopping.clear();
      this.run_ = undefined;
    }
    if (run.settler.error !== undefined) throw run.settler.error;
    return run.handled;
  }

  private async read(run: Run, block: boolean): Promise<void> {
    let isSetUp = false;
    const pauses = new Pauses();
    while (this.goesOn(run)) {
      try {
        if (!isSetUp) await this.setUp();
        isSetUp = true;
        if (!run.hand.isWorthReading()) {
          run.changed.clear();
          if (this.goesOn(run)) await run.changed.wait();
          await others(); // handlers that return at once may have made room for several messages
          continue;
        }
        const wasIdle = run.hand.isEmpty() && run.mineFrom === undefined;
        const found = await this.readOnce(run, run.hand.room(), block);
        if (found === "another log") isSetUp = false;
        pauses.reset();
        if (found === "nothing" && !block) {
          if (wasIdle) return;
          run.changed.clear();
          if (!run.hand.isEmpty() && this.goesOn(run)) await run.changed.wait();
        }
      } catch (error) {
        if (error instanceof BrokenOff) return;
        if (error instanceof NoGroup) {
          isSetUp = false;
        } else if (isPassing(error)) {
          run.mineFrom = 1; // MINE finds what the lost answer delivered
          const pause = pauses.next();
          this.link.tellRetry("TREADGROUP", error, pause);
          await this.stopping.wait(pause);
        } else {
          throw error;
        }
      }
    }
  }

  private goesOn(run: Run): boolean {
    return !this.stopping.isSet && run.settler.error === undefined;
  }

  private async setUp(): Promise<void> {
    const start = this.options.start === "next" ? "NEXT" : "FIRST";
    const made = await this.link.call(this.key, ["TGROUP", "CREATE", this.key, this.group, start, ...this.groupSettings]);
    if (Number(made) === 0 && this.groupSettings.length > 0) {
      await this.link.call(this.key, ["TGROUP", "SET", this.key, this.group, ...this.groupSettings]);
    }
  }

  private async readOnce(run: Run, room: number, block: boolean): Promise<"something" | "nothing" | "another log"> {
    const { settings } = this.link;
    const words: Words = ["TREADGROUP", this.key, run.mineFrom ?? 1, room, "GROUP", this.group, "CONSUMER", this.consumer];
    words.push("RETRY", Math.round(this.leaseMs), Math.round(this.options.expireMs ?? 0));
    words.push("WITHINFO", "EPOCH", "WITHATTEMPTS", "WITHTIME");
    let mayWaitMs = 0; // for how long the server may have waited before it delivered
    if (run.mineFrom !== undefined) {
      words.push("MINE");
    } else if (block) {
      mayWaitMs = settings.blockMs;
      words.push("BLOCK", settings.blockMs);
    }
    run.hand.beginRead();
    const sent = now();
    const reply = await this.link.call(this.key, words, { timeoutMs: waitTimeout(settings), breaker: run.breaker });
    const [info, ...rows] = list(reply);
    const epoch = Number(list(info)[2]);
    if (run.epoch !== undefined && epoch !== run.epoch) {
      run.epoch = undefined;
      run.mineFrom = 1; // the read has delivered messages already; MINE finds them again
      run.leases.tellLost(run.hand.loseAll());
      return "another log";
    }
    run.epoch = epoch;
    const leaseEnds = Math.min(now(), sent + mayWaitMs) + this.leaseMs;
    const deliveries = rows.map((row) => {
      const [offset, tag, entry, attempts, time] = list(row);
      return new Delivery(Number(offset), text(tag), bytes(entry), Number(attempts), Number(time), epoch, leaseEnds);
    });
    const last = deliveries.at(-1);
    if (run.mineFrom !== undefined) run.mineFrom = last && last.offset + 1;
    const admitted = run.hand.admit(deliveries);
    if (admitted.length > 0) {
      this.link.notice("received", { key: this.key, group: this.group, messages: admitted.length });
    }
    for (const delivery of admitted) run.queue.put(delivery);
    return last ? "something" : "nothing";
  }

  // --- messages ---

  private async handleMessages(run: Run): Promise<void> {
    while (!run.abandoning) {
      const delivery = run.queue.takeNow() ?? (await run.queue.take());
      if (delivery === undefined) return;
      const began = now();
      if (run.hand.start(delivery, began)) {
        try {
          const running = this.handle(run, delivery, began);
          if (running !== undefined) await running;
        } catch (error) {
          run.settler.fail(error); // not the handler's error, but that of a back-off or a logger
        }
      }
      if (run.hand.isWorthReading()) run.changed.set();
    }
  }

  /** Calls the handler; returns a promise of its end if it is asynchronous. */
  private handle(run: Run, delivery: Delivery, began: number): PromiseLike<void> | undefined {
    const done = (): void => this.end(run, delivery, began, "done");
    const failed = (error: unknown): void => this.end(run, delivery, began, outcomeOf(error), error);
    let returned: unknown;
    try {
      returned = this.attempt(delivery);
    } catch (error) {
      failed(error);
      return undefined;
    }
    if (isPromise(returned)) return returned.then(done, failed);
    done();
    return undefined;
  }

  /** Settles the outcome. */
  private end(run: Run, delivery: Delivery, began: number, came: Outcome, error?: unknown): void {
    delivery.abort(); // handlers that still run do not count any more
    const { offset, tag, attempts } = delivery;
    let outcome: string = came;
    if (!run.hand.finish(delivery, came === "done")) {
      outcome = delivery.isLost ? "lost" : "cancelled"; // cancelled messages are given back with all the rest
    } else if (came === "done") {
      run.settler.succeeded(delivery);
    } else {
      if (came === "rejected") run.settler.rejected(delivery, reasonOf(error));
      else run.settler.failed(delivery, this.backoff(attempts));
      this.link.settings.logger.warn(`${this.key} ${offset} (${tag}), attempt ${attempts}, ${came}: ${reasonOf(error)}`);
    }
    run.handled += 1;
    if (this.link.settings.observer.notice) {
      this.link.notice("handled", { key: this.key, group: this.group, tag, offset, attempts, outcome, ms: now() - began });
    }
  }

  /** What the handler returns. Only a promise is awaited. */
  private attempt(delivery: Delivery): unknown {
    const message = new Delivered(this.key, this.group, decoded(this.codec, delivery.entry), delivery);
    const handler = this.handlers.get(delivery.tag) ?? this.handlers.get(undefined);
    if (handler === undefined) throw new Error(`no handler for the tag ${delivery.tag}`);
    const { observer } = this.link.settings;
    const { timeLimitMs } = this.options;
    if (!observer.around && timeLimitMs === undefined) return handler(message.value, message);
    const call = async (): Promise<void> => {
      await handler(message.value, message);
    };
    return within(timeLimitMs, observer.around ? observer.around(message, call) : call());
  }

  // --- the end ---

  /** Lets running handlers end, and sends all outcomes. */
  private async windUp(run: Run, handling: Promise<void>[], drainMs: number): Promise<void> {
    run.queue.empty();
    run.queue.close();
    if (!(await endsWithin(Promise.all(handling), drainMs))) {
      run.abandoning = true;
      for (const delivery of run.hand.abandon()) delivery.abort();
    }
    run.settler.close(SETTLE_AFTER_STOP);
    run.ended.set();
  }

  /** Gives messages back uncounted, so that others get them now. With `until`, this is tried once more at the end. */
  private async giveBack(offsets: Words, retryForMs: number, until?: Flag): Promise<void> {
    const words: Words = ["TNACK", ...this.who, "UNCOUNTED", ...offsets];
    while (offsets.length > 0) {
      try {
        const messages = Number(await this.link.persist(this.key, words, { retryForMs, until }));
        if (messages === 0) return;
        this.link.notice("given_back", { key: this.key, group: this.group, messages });
      } catch (error) {
        if (error instanceof NoGroup) return;
        if (!(error instanceof MillraceError)) throw error;
        const line = `${this.key}: nothing is given back, it comes after its lease: ${error.message}`;
        if (until === undefined) this.link.settings.logger.warn(line);
        return;
      }
    }
  }
}
