// What every kind of lock does while it is held: renews, notices its loss in time, gives back.

import { LockLost, MillraceError } from "./errors.js";
import { notice, type Settings } from "./settings.js";
import { Flag, now } from "./waiting.js";

/** How much of a lease the holder counts on: clocks do not run equally fast. */
export function safePart(ttlMs: number): number {
  return ttlMs * 0.99 - 2;
}

export interface Grant {
  readonly token: number;
  readonly untilMs: number;
}

/** using() it, or acquire() and release(). One holder, used again after it is released. */
export abstract class HeldLock {
  private grant: Grant | undefined;
  private until = 0;
  private ended = new Flag(); // released or lost
  private abort = new AbortController();

  constructor(
    protected readonly settings: Settings,
    readonly key: string,
    readonly ttlMs: number,
  ) {}

  /** Waits for the lock. Throws LockTimeout. */
  protected abstract take(): Promise<Grant>;

  /** Until when it is ours now; undefined if the server says that it is not. Throws if nobody answered. */
  protected abstract renew(): Promise<number | undefined>;

  protected abstract giveBack(untilMs: number): Promise<void>;

  /** The fencing token: hand it on to what you write to. Undefined before the first grant. */
  get token(): number | undefined {
    return this.grant?.token;
  }

  /** Aborted when the lock is lost while it is held. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Until when it is certainly ours, by the monotonic clock (process.hrtime), in milliseconds. */
  get validUntilMs(): number {
    return this.until;
  }

  /** For how long it is certainly ours; 0 if it is not. */
  get remainingMs(): number {
    return this.ended.isSet ? 0 : Math.max(0, this.until - now());
  }

  /** Throws LockLost unless the lock is ours now. */
  check(): void {
    if (this.remainingMs <= 0) throw new LockLost(`the lock ${this.key} is lost`);
  }

  /** Holds the lock while the work runs. If it is lost meanwhile, `lock.signal` is aborted, and LockLost is thrown once
   *  the work has ended, unless that failed for another reason. */
  async using<R>(work: (lock: this) => Promise<R> | R): Promise<R> {
    await this.acquire();
    let result: R;
    try {
      result = await work(this);
    } catch (error) {
      const isOurDoing = this.signal.aborted && (error === this.signal.reason || (error as Error)?.name === "AbortError");
      await this.release().catch((lost: unknown) => {
        if (isOurDoing || !(lost instanceof LockLost)) throw lost;
      });
      throw error;
    }
    await this.release();
    return result;
  }

  async acquire(): Promise<void> {
    this.grant = await this.take();
    this.until = this.grant.untilMs;
    this.ended = new Flag();
    this.abort = new AbortController();
    void this.keep(this.ended);
    void this.watch(this.ended);
    notice(this.settings, "lock_acquired", { key: this.key, token: this.token });
  }

  /** Gives it back. Throws LockLost if it was lost before. */
  async release(): Promise<void> {
    if (!this.ended.isSet && now() >= this.until) this.lose("its lease is over"); // no timer came in time
    this.ended.set();
    if (this.signal.aborted) throw new LockLost(`the lock ${this.key} was lost while it was held`);
    await this.giveBack(this.until);
    notice(this.settings, "lock_released", { key: this.key, token: this.token });
  }

  // What runs meanwhile; `ended` is that of the acquisition it belongs to.

  private async keep(ended: Flag): Promise<void> {
    let pause = this.ttlMs / 3;
    while (!(await ended.wait(pause))) {
      try {
        const until = await this.renew();
        if (ended.isSet) return;
        if (until === undefined) {
          this.lose("the server says that it is not ours");
          return;
        }
        this.until = Math.max(this.until, until);
        pause = this.ttlMs / 3;
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
        this.settings.logger.debug(`the lock ${this.key} is not renewed, tried again: ${error.message}`);
        pause = Math.min(this.ttlMs / 20, 250);
      }
    }
  }

  /** Ends the lock when its lease does, whatever renewal is doing. */
  private async watch(ended: Flag): Promise<void> {
    while (!(await ended.wait(this.until - now()))) {
      if (now() >= this.until) {
        this.lose("its lease is over");
        return;
      }
    }
  }

  private lose(why: string): void {
    if (this.ended.isSet) return;
    this.until = Math.min(this.until, now());
    this.ended.set();
    this.settings.logger.warn(`the lock ${this.key} is lost: ${why}`);
    notice(this.settings, "lock_lost", { key: this.key, token: this.token });
    this.abort.abort(new LockLost(`the lock ${this.key} is lost: ${why}`));
  }
}
