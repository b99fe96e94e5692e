// Calling a user's handler, and what came of it.

import type { Codec } from "./codecs.js";
import { Reject, TimeLimitExceeded, reasonOf } from "./errors.js";
import { after } from "./waiting.js";

export type Outcome = "done" | "failed" | "rejected";

/** The value, or Reject: another time it would not be any better. */
export function decoded<T>(codec: Codec<T>, entry: Buffer): T {
  try {
    return codec.decode(entry);
  } catch (error) {
    throw new Reject(`it cannot be decoded: ${reasonOf(error)}`);
  }
}

/** What came of a handler that threw this. */
export function outcomeOf(error: unknown): Exclude<Outcome, "done"> {
  return error instanceof Reject ? "rejected" : "failed";
}

/** Whether a handler runs on after it has returned this. */
export function isPromise(returned: unknown): returned is PromiseLike<void> {
  return typeof (returned as PromiseLike<void> | undefined)?.then === "function";
}

/** Waits no longer than the limit; what runs on then is ignored. */
export function within(limitMs: number | undefined, work: Promise<void>): Promise<void> {
  if (limitMs === undefined) return work;
  return new Promise((resolve, reject) => {
    const forget = after(limitMs, () => reject(new TimeLimitExceeded(`the handler took longer than ${limitMs} ms`)));
    work.then(resolve, reject).finally(forget);
  });
}
