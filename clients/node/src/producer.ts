// Writes messages in batches; each is stored once, even if it is sent several times.

import { randomUUID } from "node:crypto";

import type { Codec } from "./codecs.js";
import { ConnectionLost, Full, MillraceError, NotReplicated, Undelivered, reasonOf } from "./errors.js";
import type { Link } from "./link.js";
import { text, type Words } from "./replies.js";
import { Flag, now } from "./waiting.js";

const WAIT_MOST = 1000; // milliseconds of one WAIT for replicas; it is repeated

export interface ProducerOptions {
  lingerMs?: number | undefined;
  batch?: number | undefined;
  batchBytes?: number | undefined;
  buffer?: number | undefined;
  retryForMs?: number | undefined;
  replicas?: number | undefined;
}

/** With an `id` of your own, another process can send the same message again. `at` is a date, or Unix milliseconds. */
export interface SendOptions {
  id?: string | undefined;
  at?: Date | number | undefined;
  delayMs?: number | undefined;
}

/** An offset; for a message that is due later, its ticket. */
export type Place = number | string;

/** What send() resolves to, when the message is in the buffer. `stored` settles when the write is answered. */
export interface Sent {
  readonly stored: Promise<Place>;
}

interface Item {
  readonly tag: string;
  readonly entry: Buffer;
  readonly options: Words; // options of a write that is not batched: ID, AT or DELAY
  readonly since: number;
  resolve(place: Place): void;
  reject(error: unknown): void;
}

function optionWords({ id, at, delayMs }: SendOptions): Words {
  const words: Words = [];
  if (id !== undefined) words.push("ID", id);
  if (at !== undefined) words.push("AT", Math.round(Number(at)));
  if (delayMs !== undefined) words.push("DELAY", Math.round(delayMs));
  return words;
}

/** Must be closed: close() sends what is left. */
export class Producer<T> {
  private readonly name = randomUUID();
  private readonly lingerMs: number;
  private readonly batch: number;
  private readonly batchBytes: number;
  private readonly buffer: number;
  private readonly retryForMs: number;
  private readonly replicas: number;
  private batches = 0;
  private items: Item[] = []; // messages that were not sent yet
  private size = 0; // the size of these, in bytes
  private added = 0; // messages so far; `taken`: in batches; `answered`: with an answer
  private taken = 0;
  private answered = 0;
  private hurryTo = 0; // the messages up to this one are not to wait for a full batch
  private flushes: { count: number; answered: Flag }[] = []; // set once so many messages are answered
  private firstError: unknown; // the first error since the last flush()
  private closed = false;
  private readonly filled = new Flag();
  private readonly ripe = new Flag();
  private readonly room = new Flag();
  private running: Promise<void> | undefined;

  constructor(
    private readonly link: Link,
    private readonly key: string,
    private readonly codec: Codec<T>,
    options: ProducerOptions,
  ) {
    this.lingerMs = options.lingerMs ?? 5;
    this.batch = options.batch ?? 500;
    this.batchBytes = options.batchBytes ?? 1 << 20;
    this.buffer = options.buffer ?? 10_000;
    this.retryForMs = options.retryForMs ?? link.settings.retryForMs;
    this.replicas = options.replicas ?? 0;
  }

  /** Puts a message into the buffer; waits while the buffer is full. */
  async send(tag: string, value: T, options: SendOptions = {}): Promise<Sent> {
    const entry = this.codec.encode(value);
    while (this.added - this.answered >= this.buffer && !this.closed) {
      this.room.clear();
      await this.room.wait();
    }
    if (this.closed) throw new MillraceError("the producer is closed");
    const stored = new Promise<Place>((resolve, reject) => {
      this.items.push({ tag, entry, options: optionWords(options), since: now(), resolve, reject });
    });
    stored.catch(() => undefined); // prevents an unhandled rejection: flush() throws the error
    this.size += entry.length;
    this.added += 1;
    this.filled.set();
    if (this.isRipe()) this.ripe.set();
    this.running ??= this.run();
    return { stored };
  }

  /** Writes one message now, and returns its offset or ticket. */
  async write(tag: string, value: T, options: SendOptions = {}): Promise<Place> {
    const words = optionWords({ ...options, id: options.id ?? randomUUID() });
    return this.persist(["TWRITE", this.key, ...words, "ENTRIES", tag, this.codec.encode(value)]);
  }

  /** Waits until everything that was sent before has been answered; throws the first error there was. */
  async flush(): Promise<void> {
    const answered = new Flag();
    this.hurryTo = this.added;
    this.flushes.push({ count: this.added, answered });
    if (this.isRipe()) this.ripe.set();
    this.tellFlushes();
    await answered.wait();
    const error = this.firstError;
    this.firstError = undefined;
    if (error !== undefined) throw error;
  }

  /** Sends what is left; from now on nothing can be added. */
  async close(): Promise<void> {
    this.closed = true;
    this.filled.set();
    this.room.set();
    try {
      await this.flush();
    } finally {
      await this.running;
    }
  }

  // --- what sends ---

  private isRipe(): boolean {
    return this.taken < this.hurryTo || this.items.length >= this.batch || this.size >= this.batchBytes;
  }

  private async run(): Promise<void> {
    while (await this.hasSome()) {
      const batch = this.take();
      const began = now();
      try {
        const first = await this.persist(this.words(batch));
        batch.forEach((item, number) => item.resolve(typeof first === "number" ? first + number : first));
        this.settle(batch.length, undefined);
        const bytes = batch.reduce((sum, item) => sum + item.entry.length, 0);
        this.link.notice("sent", { key: this.key, messages: batch.length, bytes, ms: now() - began });
      } catch (error) {
        this.link.settings.logger.warn(`${batch.length} messages for ${this.key} are not written: ${reasonOf(error)}`);
        for (const item of batch) item.reject(error);
        this.settle(batch.length, error);
      }
    }
  }

  /** Waits for a batch; false once it is closed and everything is sent. */
  private async hasSome(): Promise<boolean> {
    for (;;) {
      await this.filled.wait();
      const oldest = this.items[0];
      if (oldest !== undefined) {
        await this.ripe.wait(this.closed ? 0 : oldest.since + this.lingerMs - now());
        return true;
      }
      if (this.closed) return false;
      this.filled.clear();
    }
  }

  /** The next batch: as many messages as fit into one write. */
  private take(): Item[] {
    let count = 0;
    let size = 0;
    for (const item of this.items.slice(0, this.batch)) {
      const alone = item.options.length > 0;
      if (count > 0 && (alone || size + item.entry.length > this.batchBytes)) break;
      size += item.entry.length;
      count += 1;
      if (alone) break;
    }
    const batch = this.items.splice(0, count);
    this.size -= size;
    this.taken += count;
    if (!this.isRipe()) this.ripe.clear();
    this.batches += 1;
    return batch;
  }

  private words(batch: Item[]): Words {
    let options = batch[0]?.options ?? [];
    if (options[0] !== "ID") options = ["ID", `${this.name}-${this.batches}`, ...options];
    return ["TWRITE", this.key, ...options, "ENTRIES", ...batch.flatMap((item) => [item.tag, item.entry])];
  }

  /** Sends a batch until it is answered, and replicated if that was asked for. Returns the offset or the ticket of the
   *  first message. */
  private async persist(words: Words): Promise<Place> {
    const end = now() + this.retryForMs;
    const commands = [words];
    if (this.replicas > 0) {
      commands.push(["WAIT", this.replicas, Math.round(Math.min(WAIT_MOST, this.link.settings.answerTimeoutMs / 2))]);
    }
    for (;;) {
      let replies: unknown[];
      try {
        const also = (error: unknown): boolean => error instanceof Full;
        replies = await this.link.persistAll(this.key, commands, { retryForMs: Math.max(0, end - now()), also });
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        throw new Undelivered(`no answer for ${this.retryForMs} ms: ${error.message}`, { cause: error });
      }
      const place = typeof replies[0] === "number" ? replies[0] : text(replies[0]);
      if (this.replicas === 0 || Number(replies[1]) >= this.replicas) return place;
      if (now() > end) throw new NotReplicated(`only ${Number(replies[1])} replicas have it`, place);
    }
  }

  private settle(count: number, error: unknown): void {
    this.answered += count;
    this.firstError ??= error;
    if (this.added - this.answered < this.buffer) this.room.set();
    this.tellFlushes();
  }

  private tellFlushes(): void {
    while ((this.flushes[0]?.count ?? Infinity) <= this.answered) this.flushes.shift()?.answered.set();
  }
}
