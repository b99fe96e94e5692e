// Follows a log without a group, and resumes exactly.

import { Pauses } from "./backoff.js";
import type { Codec } from "./codecs.js";
import { BrokenOff, isPassing } from "./errors.js";
import type { Link } from "./link.js";
import type { Entry } from "./messages.js";
import { bytes, list, text, type Words } from "./replies.js";
import { waitTimeout } from "./settings.js";
import { Breaker, sleep } from "./waiting.js";

export interface ReaderOptions {
  /** "first", "end", a date, an offset, or a position. */
  start?: string | number | Date | undefined;
  tags?: string[] | undefined;
  count?: number | undefined;
  follow?: boolean | undefined;
  /** Messages that were evicted before they were read: from `first` up to the one before `next`. */
  onGap?: ((first: number, next: number) => unknown) | undefined;
}

/** An iterator of entries. */
export class Reader<T> implements AsyncIterableIterator<Entry<T>> {
  private next_: number | undefined;
  private epoch = 0;
  private rows: unknown[][] = []; // read and not returned, the next one last
  private readonly breaker = new Breaker();

  constructor(
    private readonly link: Link,
    private readonly key: string,
    private readonly codec: Codec<T>,
    private readonly options: ReaderOptions,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Entry<T>, undefined>> {
    for (;;) {
      const row = this.rows.pop();
      if (row !== undefined) {
        const offset = Number(row[0]);
        const position = this.positionOf(offset + 1);
        const value = this.codec.decode(bytes(row[2]));
        return { done: false, value: { offset, tag: text(row[1]), value, timeMs: Number(row[3]), position } };
      }
      if (!(await this.read())) return { done: true, value: undefined };
    }
  }

  /** Where it goes on: `epoch.offset`, or an offset in a log without an epoch; undefined before the first read. */
  get position(): string | undefined {
    const row = this.rows.at(-1);
    const following = row ? Number(row[0]) : this.next_;
    return following === undefined ? undefined : this.positionOf(following);
  }

  /** Ends the iteration, also one that waits. */
  stop(): void {
    this.breaker.breakOff();
  }

  private positionOf(offset: number): string {
    return this.epoch ? `${this.epoch}.${offset}` : String(offset);
  }

  /** Whether to go on: the reader was not stopped, and it follows or there was something. */
  private async read(): Promise<boolean> {
    const { settings } = this.link;
    for (const pauses = new Pauses(); ; ) {
      const pause = pauses.next();
      try {
        const from = (this.next_ ??= await this.findStart());
        const words: Words = ["TREAD", this.key, this.positionOf(from), this.options.count ?? 1000, "SKIP"];
        words.push("WITHINFO", "EPOCH", "WITHTIME");
        if (this.options.follow ?? true) words.push("BLOCK", settings.blockMs);
        const tags = this.options.tags ?? [];
        if (tags.length > 0) words.push("TAGS", tags.length, ...tags);
        const reply = await this.link.call(this.key, words, { timeoutMs: waitTimeout(settings), breaker: this.breaker });
        return await this.take(list(reply), from, tags.length > 0);
      } catch (error) {
        if (error instanceof BrokenOff) return false;
        if (!isPassing(error)) throw error;
        this.link.tellRetry("TREAD", error, pause);
      }
      await sleep(pause);
    }
  }

  private async take([info, ...found]: unknown[], expected: number, byTags: boolean): Promise<boolean> {
    const [first, last, epoch] = list(info).map(Number) as [number, number, number];
    const rows = found.map(list);
    this.epoch ||= epoch;
    if (first > expected) {
      this.link.settings.logger.warn(`${this.key}: messages ${expected} to ${first - 1} are evicted`);
      this.link.notice("gap", { key: this.key });
      this.next_ = first;
      await this.options.onGap?.(expected, first);
    }
    const lastRow = rows.at(-1);
    if (lastRow !== undefined) {
      this.next_ = Number(lastRow[0]) + 1;
    } else if (byTags && last >= (this.next_ ?? 1)) {
      this.next_ = last + 1; // how far it was looked for the tags
      return true;
    }
    this.rows = rows.reverse();
    return rows.length > 0 || (this.options.follow ?? true);
  }

  /** Resolves where to begin to an offset, once: what is asked for then can be asked for again. */
  private async findStart(): Promise<number> {
    const start = this.options.start ?? "first";
    if (start instanceof Date) return Number(await this.link.call(this.key, ["TSEEK", this.key, start.getTime()]));
    if (start === "end" || start === "first") {
      const [info] = list(await this.link.call(this.key, ["TREAD", this.key, 1, 0, "WITHINFO", "EPOCH"]));
      const [first, last, epoch] = list(info).map(Number) as [number, number, number];
      this.epoch = epoch;
      return start === "end" ? last + 1 : first;
    }
    const [offset, epoch] = String(start).split(".").reverse();
    this.epoch = Number(epoch ?? 0);
    return Number(offset);
  }
}
