// The errors, as types. clients/BEHAVIOUR.md says which of them are retried before a user sees them.

/** The base of all errors of this package. */
export class MillraceError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The connection broke or timed out: it is not known whether the command was executed. */
export class ConnectionLost extends MillraceError {}

/** The package closed the connection of a waiting command itself, to end the wait. */
export class BrokenOff extends ConnectionLost {}

/** The server sent a frame that is not valid; the message says why. */
export class BadFrame extends MillraceError {}

/** No answer came in all the time in which the write was retried: the message may or may not be stored. */
export class Undelivered extends MillraceError {}

/** The message is in the log at `offset`, but on fewer replicas than were asked for. */
export class NotReplicated extends MillraceError {
  constructor(
    text: string,
    readonly offset: number | string,
  ) {
    super(text);
  }
}

/** The lock was not granted within the waiting time. */
export class LockTimeout extends MillraceError {}

/** The lease is over, or the server says that this holder no longer has the lock. */
export class LockLost extends MillraceError {}

/** Thrown by a handler: the message goes to the dead letters now, for this reason. */
export class Reject extends Error {
  override readonly name = "Reject";
}

/** A handler ran longer than its `timeLimitMs`. */
export class TimeLimitExceeded extends Error {
  override readonly name = "TimeLimitExceeded";
}

/** An error of the server; `code` is its first word. */
export class ServerError extends MillraceError {
  constructor(
    text: string,
    readonly code: string,
  ) {
    super(text);
  }
}

/** Nothing was executed, but a later attempt may succeed: the server is loading, is failing over, or has no
 *  replicas. */
export class RefusedForNow extends ServerError {}

export class NoGroup extends ServerError {}
export class NoSubscriber extends ServerError {}
export class BadReceipt extends ServerError {}
export class BadPosition extends ServerError {}
export class NotOwner extends ServerError {}
export class NoWorker extends ServerError {}
export class NoWorkers extends ServerError {}
export class Full extends ServerError {}
export class NotUnique extends ServerError {}
export class BadFilter extends ServerError {}
export class WrongType extends ServerError {}
export class OutOfMemory extends ServerError {}
export class NotPermitted extends ServerError {}

const BY_CODE: Record<string, typeof ServerError> = {
  NOGROUP: NoGroup,
  NOSUB: NoSubscriber,
  BADRECEIPT: BadReceipt,
  BADPOSITION: BadPosition,
  NOTOWNER: NotOwner,
  NOWORKER: NoWorker,
  NOWORKERS: NoWorkers,
  FULL: Full,
  NOTUNIQUE: NotUnique,
  BADFILTER: BadFilter,
  WRONGTYPE: WrongType,
  OOM: OutOfMemory,
  NOPERM: NotPermitted,
  WRONGPASS: NotPermitted,
  NOAUTH: NotPermitted,
};
for (const code of ["LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED", "NOREPLICAS", "MISCONF", "BUSY"]) {
  BY_CODE[code] = RefusedForNow;
}

/** The error type for an answer that is an error. */
export function serverError(error: Error): ServerError {
  const first = error.message.split(" ", 1)[0] ?? "";
  const code = /^[A-Z]+$/.test(first) ? first : "ERR";
  const kind = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  const hint = /^(ERR )?unknown command/.test(error.message) ? " (is the module loaded?)" : "";
  return new (kind ?? ServerError)(error.message + hint, code);
}

/** Whether the server sent this error, as opposed to a broken connection: by the classes of ioredis and node-redis. */
export function isAnswer(error: unknown): error is Error {
  for (let kind: unknown = error; kind instanceof Error; kind = Object.getPrototypeOf(kind)) {
    if (kind.name === "ReplyError" || kind.constructor.name === "ReplyError" || kind.constructor.name === "ErrorReply") {
      return true;
    }
  }
  return false;
}

/** Whether it is worth trying again. */
export function isPassing(error: unknown): error is ConnectionLost | RefusedForNow {
  return error instanceof ConnectionLost || error instanceof RefusedForNow;
}

/** MOVED or ASK: another node of the cluster has the slot, or already has the key. */
export interface Redirection {
  isAsk: boolean;
  host: string;
  port: number;
}

/** The redirection that a reply contains, or nothing. */
export function redirection(reply: unknown): Redirection | undefined {
  const found = reply instanceof Error ? /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(reply.message) : null;
  return found ? { isAsk: found[1] === "ASK", host: found[2] ?? "", port: Number(found[3]) } : undefined;
}

/** Returns the reply; throws it if it is an error. */
export function checked(reply: unknown): unknown {
  if (reply instanceof Error) throw serverError(reply);
  return reply;
}

/** A value that a user's code threw, as text. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
