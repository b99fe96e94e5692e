// A worker of a pool: it joins, sends signs of life, pulls, handles, acknowledges, and leaves.

import { decoded, outcomeOf, type Outcome } from "./attempt.js";
import { Backoff, Pauses } from "./backoff.js";
import type { Codec } from "./codecs.js";
import { MillraceError, NoWorker, NotOwner, ServerError, checked, isPassing, reasonOf } from "./errors.js";
import type { Link } from "./link.js";
import type { Payload } from "./messages.js";
import { PoolHand, type PoolDelivery } from "./pool_hand.js";
import { asMap, bytes, deadReason, list, text, type Words } from "./replies.js";
import { waitTimeout } from "./settings.js";
import { Box, Breaker, Flag, endsWithin, now, onSignals } from "./waiting.js";
import type { RunOptions } from "./worker.js";

const LEAVE_FOR = 5000; // milliseconds to wait for a server that is down

export interface PoolWorkerOptions {
  concurrency?: number | undefined;
  prefetch?: number | undefined;
  backoff?: Backoff | undefined;
}

export type PayloadHandler<T> = (value: T, payload: Payload<T>) => unknown;

/** Everything that belongs to one run. */
class Run {
  readonly ready = new Box<string>();
  readonly changed = new Flag();
  readonly joined = new Flag(); // set by the first join, which tells after what time the worker is stale
  readonly ended = new Flag();
  readonly hand: PoolHand;
  breaker = new Breaker();
  staleMs = 15_000;
  maxAttempts = 0;
  abandoning = false;
  error: unknown;

  constructor(most: number) {
    this.hand = new PoolHand(most);
  }

  /** Ends the run with this error. */
  fail(error: unknown): void {
    this.error ??= error;
    this.hand.distrust();
    this.changed.set();
    this.breaker.breakOff();
  }

  end(): void {
    this.ended.set();
    this.joined.set(); // so that the heartbeat ends, too, if the worker never joined
  }
}

export class PoolWorker<T> {
  private readonly concurrency: number;
  private readonly most: number;
  private readonly backoff: Backoff;
  private handler: PayloadHandler<T> | undefined;
  private readonly stopping = new Flag();
  private run_: Run | undefined;

  constructor(
    private readonly link: Link,
    readonly key: string,
    readonly name: string,
    private readonly codec: Codec<T>,
    { concurrency = 1, prefetch = concurrency, backoff = Backoff.exponential() }: PoolWorkerOptions,
  ) {
    this.concurrency = concurrency;
    this.most = concurrency + prefetch;
    this.backoff = backoff;
  }

  /** Sets the handler of payloads. */
  on(handler: PayloadHandler<T>): this {
    this.handler = handler;
    return this;
  }

  /** Handles payloads until stop(), or one of the signals. */
  async run({ stopOn = [], drainMs = 25_000 }: RunOptions = {}): Promise<void> {
    if (this.run_ !== undefined) throw new MillraceError("this worker runs already: make another one");
    const { handler } = this;
    if (handler === undefined) throw new MillraceError("this worker has no handler: call on() before run()");
    const forget = onSignals(stopOn, () => this.stop());
    const run = (this.run_ = new Run(this.most));
    const beating = this.beat(run);
    const handling = Array.from({ length: this.concurrency }, () => this.handlePayloads(run, handler));
    try {
      await this.pull(run);
    } finally {
      this.stopping.set(); // no further payload is started, even if pulling failed
      run.ready.empty();
      run.ready.close();
      run.abandoning = !(await endsWithin(Promise.all(handling), drainMs));
      run.end();
      await beating;
      await this.leave();
      this.stopping.clear();
      this.run_ = undefined;
      forget();
    }
    if (run.error !== undefined) throw run.error;
  }

  stop(): void {
    this.stopping.set();
    this.run_?.changed.set();
    this.run_?.breaker.breakOff();
  }

  private async pull(run: Run): Promise<void> {
    const { settings } = this.link;
    const pauses = new Pauses();
    while (this.goesOn(run)) {
      try {
        const room = run.hand.room();
        if (run.hand.mustJoin ? !run.hand.mayJoin() : room < 1) {
          run.changed.clear();
          if (this.goesOn(run)) await run.changed.wait();
          continue;
        }
        if (run.hand.mustJoin) {
          await this.join(run);
          continue;
        }
        const life = run.hand.life;
        run.hand.beginPull();
        const words: Words = ["SHARD.PULL", this.key, this.name, "COUNT", room, "BLOCK", settings.blockMs, "WITHATTEMPTS"];
        const options = { timeoutMs: waitTimeout(settings), breaker: run.breaker };
        const rows = list(await this.link.call(this.key, words, options));
        pauses.reset();
        for (const row of rows) {
          const [recipient, sequence, payload, attempts] = list(row);
          await this.admit(run, {
            recipient: text(recipient), sequence: Number(sequence), payload: bytes(payload), attempts: Number(attempts), life,
          });
        }
      } catch (error) {
        if (error instanceof NoWorker || error instanceof NotOwner) {
          run.hand.distrust(); // others have its recipients since it was stale, or the pool is new
          run.hand.forgetHandled();
        } else if (isPassing(error)) {
          run.hand.distrust(); // it is not known what the lost answer delivered
          const pause = pauses.next();
          if (!this.stopping.isSet) this.link.tellRetry("SHARD.PULL", error, pause);
          await this.stopping.wait(pause);
        } else {
          throw error;
        }
      }
    }
  }

  private goesOn(run: Run): boolean {
    return !this.stopping.isSet && run.error === undefined;
  }

  /** Joins and sends a sign of life in one step: a worker that joined and never gave one would never become stale. */
  private async join(run: Run): Promise<void> {
    run.breaker = new Breaker(); // the previous breaker may be broken already
    const replies = await this.link.exchange(this.key, [
      ["MULTI"], ["SHARD.JOIN", this.key, this.name], ["SHARD.HEARTBEAT", this.key, this.name], ["EXEC"],
      ["SHARD.INFO", this.key, "COUNT", 1],
    ]);
    const [, , , done, info] = replies.map(checked);
    list(done).forEach(checked);
    const figures = asMap(info);
    run.staleMs = Number(figures["stale"]);
    run.maxAttempts = Number(figures["maxattempts"]);
    run.hand.joinAgain();
    run.joined.set();
  }

  private async admit(run: Run, delivery: PoolDelivery): Promise<void> {
    const place = run.hand.admit(delivery);
    if (place === "done") await this.acknowledge(run, delivery);
    else if (place === "new") run.ready.put(delivery.recipient);
  }

  // --- payloads ---

  private async handlePayloads(run: Run, handler: PayloadHandler<T>): Promise<void> {
    for (;;) {
      const recipient = await run.ready.take();
      if (recipient === undefined) return;
      const delivery = run.hand.start(recipient);
      if (delivery !== undefined) {
        try {
          const isReady = await this.handle(run, handler, delivery);
          if (run.abandoning) return;
          if (isReady && !this.stopping.isSet) run.ready.put(recipient);
        } catch (error) {
          run.fail(error); // not the handler's error, but that of a back-off or a logger
          return;
        }
      }
      run.changed.set();
    }
  }

  /** Handles a payload; returns whether the recipient is ready again. */
  private async handle(run: Run, handler: PayloadHandler<T>, delivery: PoolDelivery): Promise<boolean> {
    const { recipient, sequence, attempts } = delivery;
    let outcome: Outcome = "done";
    let error: unknown;
    const began = now();
    try {
      await this.attempt(handler, delivery);
    } catch (thrown) {
      [outcome, error] = [outcomeOf(thrown), thrown];
    }
    if (run.abandoning) return false; // the run gives it back, or has done so
    const facts = { key: this.key, group: this.name, tag: recipient, offset: sequence, attempts, outcome };
    this.link.notice("handled", { ...facts, ms: now() - began });
    return this.settle(run, delivery, outcome, error);
  }

  private async attempt(handler: PayloadHandler<T>, delivery: PoolDelivery): Promise<void> {
    const { recipient, sequence, payload, attempts } = delivery;
    const value = decoded(this.codec, payload);
    const shown: Payload<T> = { recipient, sequence, value, attempts };
    const call = async (): Promise<void> => {
      await handler(value, shown);
    };
    const { observer } = this.link.settings;
    await (observer.around ? observer.around(shown, call) : call());
  }

  /** Settles the outcome; returns whether the recipient is ready again. */
  private async settle(run: Run, delivery: PoolDelivery, outcome: Outcome, error: unknown): Promise<boolean> {
    const { recipient, sequence, attempts } = delivery;
    if (outcome === "done") {
      // The recipient's next payload begins after the answer to this acknowledgement: if it was given back earlier, it
      // would not be the first one.
      run.hand.handled(delivery);
      if (run.hand.mayAcknowledge(delivery)) await this.acknowledge(run, delivery);
      return run.hand.finish(delivery);
    }
    this.link.settings.logger.warn(`${this.key} ${recipient} ${sequence}, ${outcome}: ${reasonOf(error)}`);
    if (outcome === "rejected") return this.giveBack(run, delivery, ["DEAD", deadReason(reasonOf(error))]);
    // A payload that is given up does not delay the ones behind it.
    const isLast = run.maxAttempts > 0 && attempts >= run.maxAttempts;
    return this.giveBack(run, delivery, ["DELAY", isLast ? 0 : Math.round(this.backoff(attempts))]);
  }

  /** Gives the payload back; returns whether the recipient is ready. */
  private async giveBack(run: Run, delivery: PoolDelivery, how: Words): Promise<boolean> {
    if (!run.hand.hold(delivery)) return run.hand.finish(delivery);
    const { recipient, sequence } = delivery;
    try {
      // Sent only once: a second one might give back payloads that were delivered in between.
      const count = await this.link.call(this.key, ["SHARD.NACK", this.key, this.name, recipient, sequence, ...how]);
      return run.hand.givenBack(delivery, Number(count));
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      this.link.settings.logger.debug(`SHARD.NACK: ${error.message}`);
      if (error instanceof NoWorker || error instanceof NotOwner) run.hand.forgetHandled();
      run.hand.lost(delivery);
      run.breaker.breakOff(); // so that the worker joins without waiting for the end of the pull
      return false;
    }
  }

  /** Acknowledges a payload. Without an answer the payload comes again after the worker has joined again. */
  private async acknowledge(run: Run, delivery: PoolDelivery): Promise<void> {
    const { recipient, sequence } = delivery;
    const patience = { until: run.ended, still: () => run.hand.mayAcknowledge(delivery) };
    try {
      await this.link.persist(this.key, ["SHARD.ACK", this.key, this.name, recipient, sequence], patience);
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      if (!(error instanceof NoWorker || error instanceof NotOwner)) {
        // The server refused: the acknowledgement overtook a JOIN, or the new master did not know of the delivery. The
        // payload comes again.
        this.link.settings.logger.debug(`SHARD.ACK: ${error.message}`);
        if (!(error instanceof ServerError) && run.hand.mayAcknowledge(delivery)) run.hand.distrust();
        return;
      }
    }
    run.hand.acknowledged(delivery);
  }

  // --- signs of life ---

  private async beat(run: Run): Promise<void> {
    await run.joined.wait();
    while (!(await run.ended.wait(run.staleMs / 3))) {
      // An answer that comes after the next heartbeat should have been sent is of no use.
      const timeoutMs = Math.min(run.staleMs / 3, this.link.settings.answerTimeoutMs);
      // If it fails, the next pull notices.
      await this.quietly(this.link.call(this.key, ["SHARD.HEARTBEAT", this.key, this.name], { timeoutMs }));
    }
  }

  private async leave(): Promise<void> {
    await this.quietly(this.link.persist(this.key, ["SHARD.LEAVE", this.key, this.name, "NOW"], { retryForMs: LEAVE_FOR }));
  }

  private async quietly(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      this.link.settings.logger.debug(`${this.key} ${this.name}: ${error.message}`);
    }
  }
}
