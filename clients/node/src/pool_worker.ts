// A worker of a pool: joins, shows itself, pulls, handles, acknowledges, leaves.

import { decoded, outcomeOf, type Outcome } from "./attempt.js";
import { Backoff, Pauses } from "./backoff.js";
import type { Codec } from "./codecs.js";
import { BrokenOff, MillraceError, NoWorker, NotOwner, ServerError, checked, isPassing, reasonOf } from "./errors.js";
import type { Link } from "./link.js";
import type { Payload } from "./messages.js";
import { PoolHand, type PoolDelivery } from "./pool_hand.js";
import { asMap, bytes, deadReason, list, text, type Words } from "./replies.js";
import { waitTimeout } from "./settings.js";
import { Box, Breaker, Flag, endsWithin, onSignals } from "./waiting.js";
import type { RunOptions } from "./worker.js";

const LEAVE_FOR = 5000; // milliseconds, if the server is away

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
  readonly ended = new Flag();
  readonly breaker = new Breaker();
  readonly hand: PoolHand;
  staleMs = 15_000;
  mustJoin = true;
  abandoning = false;

  constructor(most: number) {
    this.hand = new PoolHand(most);
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
      this.stopping.set(); // nothing more is started, also if the pulling failed
      run.ready.empty();
      run.ready.close();
      run.abandoning = !(await endsWithin(Promise.all(handling), drainMs));
      run.ended.set();
      await beating;
      await this.leave();
      this.stopping.clear();
      this.run_ = undefined;
      forget();
    }
  }

  stop(): void {
    this.stopping.set();
    this.run_?.changed.set();
    this.run_?.breaker.breakOff();
  }

  private async pull(run: Run): Promise<void> {
    const { settings } = this.link;
    const pauses = new Pauses();
    while (!this.stopping.isSet) {
      try {
        if (run.mustJoin) await this.join(run);
        const room = run.hand.room();
        if (room < 1) {
          run.changed.clear();
          if (!this.stopping.isSet) await run.changed.wait();
          continue;
        }
        const life = run.hand.life;
        const pull = run.hand.beginPull();
        const words: Words = ["SHARD.PULL", this.key, this.name, "COUNT", room, "BLOCK", settings.blockMs, "WITHATTEMPTS"];
        const options = { timeoutMs: waitTimeout(settings), breaker: run.breaker };
        const rows = list(await this.link.call(this.key, words, options));
        pauses.reset();
        for (const row of rows) {
          const [recipient, sequence, payload, attempts] = list(row);
          await this.admit(run, {
            recipient: text(recipient), sequence: Number(sequence), payload: bytes(payload), attempts: Number(attempts), life, pull,
          });
        }
      } catch (error) {
        if (error instanceof BrokenOff) return;
        if (error instanceof NoWorker || error instanceof NotOwner) {
          run.mustJoin = true; // we were taken for dead, and others have what was ours; or the pool is new
          run.hand.forgetHandled();
        } else if (isPassing(error)) {
          run.mustJoin = true; // nobody knows what the lost answer delivered
          const pause = pauses.next();
          this.link.tellRetry("SHARD.PULL", error, pause);
          await this.stopping.wait(pause);
        } else {
          throw error;
        }
      }
    }
  }

  /** Joins and shows itself in one step: one that has joined and was never seen would never be missed. */
  private async join(run: Run): Promise<void> {
    const replies = await this.link.exchange(this.key, [
      ["MULTI"], ["SHARD.JOIN", this.key, this.name], ["SHARD.HEARTBEAT", this.key, this.name], ["EXEC"],
      ["SHARD.INFO", this.key, "COUNT", 1],
    ]);
    const [, , , done, info] = replies.map(checked);
    list(done).forEach(checked);
    run.staleMs = Number(asMap(info)["stale"]);
    run.hand.joinAgain();
    run.mustJoin = false;
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
        let outcome: Outcome = "done";
        let error: unknown;
        try {
          await this.attempt(handler, delivery);
        } catch (thrown) {
          [outcome, error] = [outcomeOf(thrown), thrown];
        }
        if (run.abandoning) return;
        if ((await this.settle(run, delivery, outcome, error)) && !this.stopping.isSet) run.ready.put(recipient);
      }
      run.changed.set();
    }
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

  /** Whether its recipient is ready again. */
  private async settle(run: Run, delivery: PoolDelivery, outcome: Outcome, error: unknown): Promise<boolean> {
    const { recipient, sequence, attempts } = delivery;
    this.link.notice("handled", { key: this.key, group: this.name, tag: recipient, offset: sequence, attempts, outcome });
    if (outcome === "done") {
      const isReady = run.hand.finish(delivery, outcome);
      await this.acknowledge(run, delivery);
      return isReady;
    }
    this.link.settings.logger.warn(`${this.key} ${recipient} ${sequence}, ${outcome}: ${reasonOf(error)}`);
    const isDeliveredAgain = delivery.life !== run.hand.life;
    // Before the next one begins: its acknowledgement would be one of this, too.
    if (outcome === "rejected" && !isDeliveredAgain) {
      await this.tell(run, delivery, "SHARD.NACK", ["DEAD", deadReason(reasonOf(error))]);
    }
    const isReady = run.hand.finish(delivery, outcome);
    return outcome === "failed" && !isDeliveredAgain ? this.giveBack(run, delivery) : isReady;
  }

  /** Whether its recipient is ready: if the server has given the payload up, those behind it are next. */
  private async giveBack(run: Run, { recipient, sequence, attempts }: PoolDelivery): Promise<boolean> {
    const figures: Words = ["SHARD.INFO", this.key, "COUNT", 1];
    const delay = Math.round(this.backoff(attempts));
    const nack: Words = ["SHARD.NACK", this.key, this.name, recipient, sequence, "DELAY", delay];
    try {
      const commands = [["MULTI"], figures, nack, figures, ["EXEC"]];
      const replies = await this.link.persistAll(this.key, commands, { until: run.ended });
      const [before, , after] = list(replies.at(-1)).map((reply) => asMap(checked(reply))["dead"]);
      return run.hand.givenBack(recipient, Number(before) === Number(after));
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      this.link.settings.logger.debug(`SHARD.NACK: ${error.message}`);
      run.mustJoin = true; // then all is delivered again, whatever became of it
      return false;
    }
  }

  private async acknowledge(run: Run, delivery: PoolDelivery): Promise<void> {
    if (await this.tell(run, delivery, "SHARD.ACK", [])) run.hand.acknowledged(delivery.recipient, delivery.sequence);
  }

  /** Whether it was answered. Without an answer the payload comes again, once we have joined again. */
  private async tell(run: Run, { recipient, sequence }: PoolDelivery, command: string, options: Words): Promise<boolean> {
    try {
      await this.link.persist(this.key, [command, this.key, this.name, recipient, sequence, ...options], { until: run.ended });
    } catch (error) {
      if (error instanceof NoWorker || error instanceof NotOwner) return true;
      if (!(error instanceof MillraceError)) throw error;
      // An answer: it overtook a JOIN, or a replica has taken over that had not heard of the delivery: it comes again.
      this.link.settings.logger.debug(`${command}: ${error.message}`);
      if (!(error instanceof ServerError)) run.mustJoin = true;
      return false;
    }
    return true;
  }

  // --- life ---

  private async beat(run: Run): Promise<void> {
    while (!(await run.ended.wait(run.staleMs / 3))) {
      await this.quietly(this.link.call(this.key, ["SHARD.HEARTBEAT", this.key, this.name])); // the next pull finds out
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
