// Calling a user's handler, and the outcome.

import type { Codec } from "./codecs.js";
import { Reject, TimeLimitExceeded, reasonOf } from "./errors.js";
import { after } from "./waiting.js";

export type Outcome = "done" | "failed" | "rejected";

/** The value; fails with Reject, because decoding again would give the same error. */
export function decoded<T>(codec: Codec<T>, entry: Buffer): T {
  try {
    return codec.decode(entry);
  } catch (error) {
    throw new Reject(`it cannot be decoded: ${reasonOf(error)}`);
  }
}

/** The outcome of a handler that threw this error. */
export function outcomeOf(error: unknown): Exclude<Outcome, "done"> {
  return error instanceof Reject ? "rejected" : "failed";
}

/** True if the handler returned a promise, and so still runs. */
export function isPromise(returned: unknown): returned is PromiseLike<void> {
  return typeof (returned as PromiseLike<void> | undefined)?.then === "function";
}

/** Waits for `work`, but no longer than the limit; after that its result is ignored. */
export function within(limitMs: number | undefined, work: Promise<void>): Promise<void> {
  if (limitMs === undefined) return work;
  return new Promise((resolve, reject) => {
    const forget = after(limitMs, () => reject(new TimeLimitExceeded(`the handler took longer than ${limitMs} ms`)));
    work.then(resolve, reject).finally(forget);
  });
}
