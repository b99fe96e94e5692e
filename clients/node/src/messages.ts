// What a handler, a reader and a subscription get.

/** A message of a group. `id` is the same in every delivery: an idempotency key. */
export interface Message<T> {
  readonly id: string;
  readonly key: string;
  readonly group: string;
  readonly offset: number;
  readonly tag: string;
  readonly value: T;
  readonly attempts: number;
  /** When it was written, Unix milliseconds. */
  readonly timeMs: number;
  /** Its lease is over, and another worker may have it. */
  readonly lost: boolean;
  /** Aborted when its outcome no longer counts: the lease is lost, the time limit or the drain is over. */
  readonly signal: AbortSignal;
}

/** A message of a log, read without a group. Start with `position` to read on behind it. */
export interface Entry<T> {
  readonly offset: number;
  readonly tag: string;
  readonly value: T;
  readonly timeMs: number;
  readonly position: string;
}

/** A message of a channel. */
export interface Publication<T> {
  readonly id: string;
  readonly content: T;
}

/** What a pool's worker handles. Recipient and sequence name it: an idempotency key. */
export interface Payload<T> {
  readonly recipient: string;
  readonly sequence: number;
  readonly value: T;
  readonly attempts: number;
}
