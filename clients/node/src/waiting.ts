// Waiting for a time, for a state, or for the end of something.

/** Milliseconds of the monotonic clock, the same for all processes of a machine. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The longest that setTimeout takes. */
const LONGEST = 2 ** 31 - 1;

/** setTimeout for any duration; the function that it returns cancels it. */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(Math.max(0, Math.ceil(ms)), LONGEST));
  return () => clearTimeout(timer);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => after(ms, resolve));
}

/** Lets everything else that is ready run first. */
export function others(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A state that can be waited for. */
export class Flag {
  private state = false;
  private waiters = new Set<() => void>();

  get isSet(): boolean {
    return this.state;
  }

  set(): void {
    this.state = true;
    if (this.waiters.size === 0) return;
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const wake of waiters) wake();
  }

  clear(): void {
    this.state = false;
  }

  /** Waits; returns whether the flag was set in time. */
  wait(ms?: number): Promise<boolean> {
    if (this.state) return Promise.resolve(true);
    if (ms !== undefined && ms <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const wake = (): void => {
        forget?.();
        resolve(true);
      };
      const forget =
        ms === undefined
          ? undefined
          : after(ms, () => {
              this.waiters.delete(wake);
              resolve(false);
            });
      this.waiters.add(wake);
    });
  }
}

/** A queue that can be closed. */
export class Box<T> {
  private items: T[] = [];
  private closed = false;
  private takers: ((item: T | undefined) => void)[] = [];

  put(item: T): void {
    const taker = this.takers.shift();
    if (taker) taker(item);
    else this.items.push(item);
  }

  /** The next item; undefined once it is closed and empty. */
  take(): Promise<T | undefined> {
    if (this.items.length > 0 || this.closed) return Promise.resolve(this.items.shift());
    return new Promise((resolve) => this.takers.push(resolve));
  }

  /** The next item, if there is one. */
  takeNow(): T | undefined {
    return this.items.shift();
  }

  /** Removes and returns all items. */
  empty(): void {
    this.items = [];
  }

  close(): void {
    this.closed = true;
    for (const taker of this.takers.splice(0)) taker(undefined);
  }
}

/** Waits; returns whether the promise was settled in time. */
export async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = new Flag();
  promise.then(
    () => ended.set(),
    () => ended.set(),
  );
  await Promise.resolve();
  return ended.wait(Math.max(ms, 1));
}

/** Runs all at the same time, until enough of them have returned or the time is over; returns the results so far. */
export function allWithin<T>(ms: number, calls: (() => Promise<T>)[], isEnough: (results: T[]) => boolean): Promise<T[]> {
  return new Promise((resolve) => {
    const results: T[] = [];
    let left = calls.length;
    const forget = after(ms, () => resolve([...results]));
    const oneLess = (): void => {
      left -= 1;
      if (left === 0 || isEnough(results)) {
        forget();
        resolve([...results]);
      }
    };
    for (const call of calls) {
      call().then((result) => {
        results.push(result);
        oneLess();
      }, oneLess);
    }
  });
}

/** Ends waits by closing their connections. */
export class Breaker {
  private broken = false;
  private breaks = new Set<() => void>();

  get isBroken(): boolean {
    return this.broken;
  }

  /** Calls `call` when the wait must end; the function that it returns cancels this. */
  onBreak(call: () => void): () => void {
    this.breaks.add(call);
    return () => this.breaks.delete(call);
  }

  /** Ends the wait that runs in it, and all later ones. */
  breakOff(): void {
    this.broken = true;
    for (const call of [...this.breaks]) call();
  }
}

/** Calls the function when one of the signals comes, until the function that it returns is called. */
export function onSignals(signals: Iterable<NodeJS.Signals>, call: () => void): () => void {
  const listened = [...signals];
  for (const signal of listened) process.on(signal, call);
  return () => {
    for (const signal of listened) process.off(signal, call);
  };
}
