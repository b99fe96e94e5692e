// Settings for all parts of a Millrace object.

import { reasonOf } from "./errors.js";

/** The logger; console is one. Without a logger nothing is logged. */
export interface Logger {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** The hook for metrics and traces. It must not throw. */
export interface Observer {
  /** Called when something happened: clients/BEHAVIOUR.md lists the events and their facts; times are `…Ms`. */
  notice?(event: string, facts: Record<string, unknown>): void;
  /** Wraps the handler of a message, for example in a span: it must call next() and return its result. */
  around?(message: unknown, next: () => Promise<void>): Promise<void>;
}

export interface Settings {
  readonly answerTimeoutMs: number;
  readonly blockMs: number;
  readonly retryForMs: number;
  readonly logger: Logger;
  readonly observer: Observer;
}

/** Tells the observer. What it throws does not stop the work. */
export function notice({ observer, logger }: Settings, event: string, facts: Record<string, unknown>): void {
  try {
    observer.notice?.(event, facts);
  } catch (error) {
    logger.error(`the observer has failed at ${event}: ${reasonOf(error)}`);
  }
}

/** The time-out of a command that waits for `blockMs`. */
export function waitTimeout(settings: Settings): number {
  return settings.blockMs + settings.answerTimeoutMs;
}

const ignore = (): void => undefined;
export const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
