// What every kind of lock does while it is held: it renews the lease, notices a loss in time, and releases the lock.

import { LockLost, MillraceError } from "./errors.js";
import { notice, type Settings } from "./settings.js";
import { Flag, now } from "./waiting.js";

/** The part of a lease that the holder relies on: a margin, because clocks do not run at exactly the same speed. */
export function safePart(ttlMs: number): number {
  return ttlMs * 0.99 - 2;
}

export interface Grant {
  readonly token: number;
  readonly untilMs: number;
}

/** Use using(), or acquire() and release(). The object is one holder; it can be used again after release. */
export abstract class HeldLock {
  protected owner = ""; // a new name for each attempt to acquire it
  private grant: Grant | undefined;
  private until = 0;
  private ended = new Flag(); // released or lost
  private abort = new AbortController();

  constructor(
    protected readonly settings: Settings,
    readonly key: string,
    readonly ttlMs: number,
  ) {}

  /** Waits for the lock. Throws LockTimeout if it is not granted in time. */
  protected abstract take(): Promise<Grant>;

  /** Renews the lease; resolves to the time until which this holder has the lock, or undefined if the server says that
   *  it does not. Throws if no server answered. */
  protected abstract renew(owner: string): Promise<number | undefined>;

  /** Releases the lock, by this time at the latest. */
  protected abstract giveBack(owner: string, untilMs: number): Promise<void>;

  /** Releases whatever this owner was granted, with one try. Throws nothing. */
  protected abstract forgetOwner(owner: string): Promise<void>;

  /** The fencing token: send it with each write to the protected resource. Undefined before the first grant. */
  get token(): number | undefined {
    return this.grant?.token;
  }

  /** Aborted when the lock is lost while it is held. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Until when this holder certainly has the lock, by the monotonic clock (process.hrtime), in milliseconds. */
  get validUntilMs(): number {
    return this.until;
  }

  /** For how many milliseconds this holder certainly has the lock; 0 if it does not. */
  get remainingMs(): number {
    return this.ended.isSet ? 0 : Math.max(0, this.until - now());
  }

  /** Throws LockLost unless this holder has the lock now. */
  check(): void {
    if (this.remainingMs <= 0) throw new LockLost(`the lock ${this.key} is lost`);
  }

  /** Holds the lock while the work runs. If the lock is lost meanwhile, `lock.signal` is aborted, and once the work has
   *  ended LockLost is thrown, unless the work failed for another reason. */
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
    this.until = 0;
    this.grant = await this.take();
    this.until = this.grant.untilMs;
    this.ended = new Flag();
    this.abort = new AbortController();
    void this.keep(this.owner, this.ended);
    void this.watch(this.ended);
    notice(this.settings, "lock_acquired", { key: this.key, token: this.token });
  }

  /** Releases the lock. Throws LockLost if it was lost before. */
  async release(): Promise<void> {
    if (!this.ended.isSet && now() >= this.until) this.lose("its lease is over"); // no timer has run in time
    this.ended.set();
    if (this.signal.aborted) {
      void this.forgetOwner(this.owner); // a renewal without an answer may have prolonged the lease
      throw new LockLost(`the lock ${this.key} was lost while it was held`);
    }
    await this.giveBack(this.owner, this.until);
    notice(this.settings, "lock_released", { key: this.key, token: this.token });
  }

  // What runs while the lock is held; `owner` and `ended` belong to the same acquisition.

  private async keep(owner: string, ended: Flag): Promise<void> {
    let pause = this.ttlMs / 3;
    while (!(await ended.wait(pause))) {
      try {
        const until = await this.renew(owner);
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

  /** Marks the lock as lost when its lease ends, whatever the renewal is doing. */
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
