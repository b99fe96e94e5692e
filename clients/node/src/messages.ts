// The messages that handlers, readers and subscriptions get.

/** A message of a group. `id` is the same in every delivery, so it can serve as an idempotency key. */
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
  /** True if its lease is over, so that another worker may have it. */
  readonly lost: boolean;
  /** Aborted when the outcome does not count any more: the lease is lost, or the time limit or the drain is over. */
  readonly signal: AbortSignal;
}

/** A message of a log, read without a group. A reader that starts with `position` continues behind it. */
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

/** A payload that a pool's worker handles. Recipient and sequence identify it, so they can serve as an idempotency
 *  key. */
export interface Payload<T> {
  readonly recipient: string;
  readonly sequence: number;
  readonly value: T;
  readonly attempts: number;
}
