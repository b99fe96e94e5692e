// The pauses before something is tried again.

/** The pause after an attempt to handle a message, in milliseconds; attempts count from 1. */
export type Backoff = (attempt: number) => number;

function between(low: number, high: number): number {
  return low + Math.random() * (high - low);
}

export const Backoff = {
  /** `firstMs`, doubled with each attempt up to `capMs`, times a random factor within 1 - jitter and 1 + jitter. */
  exponential({ firstMs = 1000, capMs = 300_000, jitter = 0.2 } = {}): Backoff {
    return (attempt) => Math.min(capMs, firstMs * 2 ** (attempt - 1)) * between(1 - jitter, 1 + jitter);
  },

  fixed(ms: number): Backoff {
    return () => ms;
  },

  /** No pause: for tests. */
  none(): Backoff {
    return () => 0;
  },
};

/** The pauses between attempts to reach a server: 50 ms, doubled up to 2 s, each with a jitter of one half. */
export class Pauses {
  private pause = 50;

  next(): number {
    const taken = this.pause * between(0.5, 1.5);
    this.pause = Math.min(2000, this.pause * 2);
    return taken;
  }

  reset(): void {
    this.pause = 50;
  }
}
