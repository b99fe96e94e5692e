// Sending commands to one server, each exactly once; only persist() sends a command again.

import { Pauses } from "./backoff.js";
import type { Address, Connection, Source } from "./connection.js";
import { BrokenOff, ConnectionLost, RefusedForNow, checked, isAnswer, isPassing, reasonOf, serverError } from "./errors.js";
import type { Words } from "./replies.js";
import { notice, type Settings } from "./settings.js";
import { after, now, sleep, type Breaker, type Flag } from "./waiting.js";

/** The commands to send after the replies, on the same connection. */
export type Then = (replies: unknown[]) => Words[];

export interface ExchangeOptions {
  timeoutMs?: number | undefined;
  breaker?: Breaker | undefined;
  then?: Then | undefined;
}

export interface PersistOptions {
  retryForMs?: number | undefined;
  timeoutMs?: number | undefined;
  /** No more tries once it is set. */
  until?: Flag | undefined;
  /** No more tries once it returns false. */
  still?: (() => boolean) | undefined;
  /** Whether the command is also tried again after this error, although it is permanent. */
  also?: ((error: unknown) => boolean) | undefined;
}

const IDLE_MOST = 16;

/** Ends with an error after a time, or when the breaker is broken. */
function guarded<T>(work: Promise<T>, timeoutMs: number, breaker: Breaker | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const forgetTime = after(timeoutMs, () => finish(() => reject(new ConnectionLost(`no answer for ${timeoutMs} ms`))));
    const forgetBreak = breaker?.onBreak(() => finish(() => reject(new BrokenOff("the wait was broken off"))));
    const finish = (settle: () => void): void => {
      forgetTime();
      forgetBreak?.();
      settle();
    };
    work.then(
      (result) => finish(() => resolve(result)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

/** Our connections to one server. */
export class Node {
  private idle: Connection[] = [];
  private closed = false;

  constructor(
    private readonly source: Source,
    private readonly settings: Settings,
    private readonly address?: Address,
  ) {}

  /** Resolves to the replies, including errors of the server. Rejects with ConnectionLost, or with the server's error
   *  if it refuses the connection. */
  async exchange(commands: Words[], { timeoutMs, breaker, then }: ExchangeOptions = {}): Promise<unknown[]> {
    const limit = timeoutMs ?? this.settings.answerTimeoutMs;
    if (breaker?.isBroken) throw new BrokenOff("the wait was broken off");
    const connection = this.takeIdle() ?? this.source.connection(Math.min(limit, this.settings.answerTimeoutMs), this.address);
    const opened = (async () => {
      await connection.open();
      return connection.send(commands);
    })();
    let replies: unknown[];
    try {
      replies = await guarded(opened, limit, breaker);
      const more = then?.(replies) ?? [];
      if (more.length > 0) replies = [...replies, ...(await guarded(connection.send(more), limit, undefined))];
    } catch (error) {
      connection.close();
      if (isAnswer(error)) throw serverError(error); // it refuses the connection: wrong password, or it is loading
      this.closeIdle(); // the other connections are as old as this one
      if (error instanceof BrokenOff) throw error;
      throw new ConnectionLost(`${String(commands[0]?.[0])}: ${reasonOf(error)}`, { cause: error });
    }
    if (replies.some((reply) => reply instanceof Error && serverError(reply) instanceof RefusedForNow)) {
      // With Sentinel, another server may be the master by now: a new connection asks for it when it connects.
      connection.close();
      this.closeIdle();
    } else if (!this.closed && this.idle.length < IDLE_MOST) {
      this.idle.push(connection);
    } else {
      connection.close();
    }
    return replies;
  }

  private takeIdle(): Connection | undefined {
    for (;;) {
      const connection = this.idle.pop();
      if (connection === undefined || connection.isOpen()) return connection;
      connection.close();
    }
  }

  private closeIdle(): void {
    for (const connection of this.idle.splice(0)) connection.close();
  }

  /** Closes the idle connections now, and those in use after their use. */
  close(): void {
    this.closed = true;
    this.closeIdle();
  }
}

/** Sends commands to one server; ClusterLink sends them to the node that serves a key. */
export class Link {
  private readonly node: Node;

  constructor(
    protected readonly source: Source,
    readonly settings: Settings,
  ) {
    this.node = new Node(source, settings);
  }

  /** Sends the commands together, once, and then, on the same connection, the commands that `then` makes from the
   *  replies. */
  exchange(_key: string, commands: Words[], options: ExchangeOptions = {}): Promise<unknown[]> {
    return this.node.exchange(commands, options);
  }

  /** Sends one command, once; throws the error if the answer is one. */
  async call(key: string, words: Words, options: ExchangeOptions = {}): Promise<unknown> {
    const [reply] = await this.exchange(key, [words], options);
    return checked(reply);
  }

  /** The same, but sends it again until it is answered. REQUIRES: executing it twice does no harm. */
  async persist(key: string, words: Words, options: PersistOptions = {}): Promise<unknown> {
    const [reply] = await this.persistAll(key, [words], options);
    return reply;
  }

  /** Sends all commands again until all are answered. Gives up after `retryForMs`, or as `until` and `still` say, and
   *  throws the last error. */
  async persistAll(key: string, commands: Words[], options: PersistOptions = {}): Promise<unknown[]> {
    const end = now() + (options.retryForMs ?? this.settings.retryForMs);
    for (const pauses = new Pauses(); ; ) {
      const pause = pauses.next();
      try {
        return (await this.exchange(key, commands, { timeoutMs: options.timeoutMs })).map(checked);
      } catch (error) {
        if (!isPassing(error) && !options.also?.(error)) throw error;
        this.tellRetry(String(commands[0]?.[0]), error, pause);
        if (now() + pause > end || options.until?.isSet) throw error;
        await (options.until ? options.until.wait(pause) : sleep(pause));
        if (options.still?.() === false) throw error;
      }
    }
  }

  tellRetry(command: string, error: unknown, pauseMs: number): void {
    this.settings.logger.debug(`${command} is sent again in ${Math.round(pauseMs)} ms: ${reasonOf(error)}`);
    this.notice("retried", { command, error: reasonOf(error), pauseMs });
  }

  notice(event: string, facts: Record<string, unknown>): void {
    notice(this.settings, event, facts);
  }

  close(): void {
    this.node.close();
  }
}
