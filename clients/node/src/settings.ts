// What holds for all parts of a Millrace object.

import { reasonOf } from "./errors.js";

/** Where lines for people go; console is one. Without it nothing is said. */
export interface Logger {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** Where metrics and traces hook in. It must not throw. */
export interface Observer {
  /** Something happened: events and their facts are listed in clients/BEHAVIOUR.md; times are `…Ms`. */
  notice?(event: string, facts: Record<string, unknown>): void;
  /** Wraps the handler of a message, for spans: must call next() and return what it returns. */
  around?(message: unknown, next: () => Promise<void>): Promise<void>;
}

export interface Settings {
  readonly answerTimeoutMs: number;
  readonly blockMs: number;
  readonly retryForMs: number;
  readonly logger: Logger;
  readonly observer: Observer;
}

/** Tells the observer. What it throws is no reason to stop working. */
export function notice({ observer, logger }: Settings, event: string, facts: Record<string, unknown>): void {
  try {
    observer.notice?.(event, facts);
  } catch (error) {
    logger.error(`the observer has failed at ${event}: ${reasonOf(error)}`);
  }
}

/** For a command that waits for `blockMs`. */
export function waitTimeout(settings: Settings): number {
  return settings.blockMs + settings.answerTimeoutMs;
}

const ignore = (): void => undefined;
export const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
