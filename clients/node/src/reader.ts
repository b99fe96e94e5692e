// Follows a log without a group, and can resume at an exact position.

import { Pauses } from "./backoff.js";
import type { Codec } from "./codecs.js";
import { BrokenOff, MillraceError, isPassing } from "./errors.js";
import { readFrame, type Row } from "./frames.js";
import type { Link } from "./link.js";
import type { Entry } from "./messages.js";
import { bytes, list, text, type Words } from "./replies.js";
import { waitTimeout } from "./settings.js";
import { unpacker, type Unpack } from "./unpacking.js";
import { Breaker, sleep } from "./waiting.js";

export interface ReaderOptions {
  /** "first", "end", a date, an offset, or a position. */
  start?: string | number | Date | undefined;
  tags?: string[] | undefined;
  count?: number | undefined;
  follow?: boolean | undefined;
  /** Called when messages were evicted before they were read: from `first` up to, not including, `next`. */
  onGap?: ((first: number, next: number) => unknown) | undefined;
  /** Whether to read frames. By default, if there is a zstd and there are no tags. */
  frames?: boolean | undefined;
}

/** An iterator of entries. It reads frames where it can. */
export class Reader<T> implements AsyncIterableIterator<Entry<T>> {
  private next_: number | undefined;
  private epoch = 0;
  private rows: Row[] = []; // read and not returned yet; the last one is the next
  private unpack: Unpack | undefined; // only if it reads frames
  private reading: Promise<boolean> | undefined;
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
        const { offset, tag, entry, timeMs } = row;
        const position = this.positionOf(offset + 1);
        return { done: false, value: { offset, tag, value: this.codec.decode(entry), timeMs, position } };
      }
      // Calls at the same time wait for the same read.
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      if (!(await this.reading)) return { done: true, value: undefined };
    }
  }

  /** The position of the next message: `epoch.offset`, or an offset in a log without an epoch; undefined before the
   *  first read. */
  get position(): string | undefined {
    const row = this.rows.at(-1);
    const following = row ? row.offset : this.next_;
    return following === undefined ? undefined : this.positionOf(following);
  }

  /** Ends the iteration, even if it is waiting. */
  stop(): void {
    this.breaker.breakOff();
  }

  private positionOf(offset: number): string {
    return this.epoch ? `${this.epoch}.${offset}` : String(offset);
  }

  /** Reads once. Returns whether to go on: not if the reader was stopped, or found nothing and does not follow. */
  private async read(): Promise<boolean> {
    const { settings } = this.link;
    for (const pauses = new Pauses(); ; ) {
      const pause = pauses.next();
      const tags = this.options.tags ?? [];
      let reply: unknown;
      try {
        const from = (this.next_ ??= await this.findStart());
        const words: Words = ["TREAD", this.key, this.positionOf(from), this.options.count ?? 1000];
        if (this.unpack) words.push("FRAMED");
        else words.push("SKIP", "WITHINFO", "EPOCH", "WITHTIME");
        if (this.follows) words.push("BLOCK", settings.blockMs);
        if (tags.length > 0) words.push("TAGS", tags.length, ...tags);
        reply = await this.link.call(this.key, words, { timeoutMs: waitTimeout(settings), breaker: this.breaker });
      } catch (error) {
        if (error instanceof BrokenOff) return false;
        if (!isPassing(error)) throw error;
        this.link.tellRetry("TREAD", error, pause);
        await sleep(pause);
        continue;
      }
      return this.unpack ? this.takeFrame(reply, this.unpack) : this.take(list(reply), tags.length > 0);
    }
  }

  private get follows(): boolean {
    return this.options.follow ?? true;
  }

  private async take([info, ...found]: unknown[], byTags: boolean): Promise<boolean> {
    const [first, last, epoch] = list(info).map(Number) as [number, number, number];
    const rows = found.map((row): Row => {
      const [offset, tag, entry, time] = list(row);
      return { offset: Number(offset), tag: text(tag), entry: bytes(entry), timeMs: Number(time) };
    });
    await this.beginAt(first, epoch);
    const lastRow = rows.at(-1);
    if (lastRow !== undefined) {
      this.next_ = lastRow.offset + 1;
    } else if (byTags && last >= (this.next_ ?? 1)) {
      this.next_ = last + 1; // how far the server searched for the tags
      return true;
    }
    return this.returnNext(rows);
  }

  private async takeFrame(reply: unknown, unpack: Unpack): Promise<boolean> {
    if (reply === null) return this.follows; // nothing came
    const { epoch, logFirst, end, rows } = readFrame(bytes(reply), unpack);
    await this.beginAt(logFirst, epoch);
    this.next_ = Math.max(end, this.next_ ?? 1);
    return this.returnNext(rows);
  }

  private returnNext(rows: Row[]): boolean {
    this.rows = rows.reverse();
    return rows.length > 0 || this.follows;
  }

  /** The log begins with this message: messages before it that were not read yet are gone. */
  private async beginAt(first: number, epoch: number): Promise<void> {
    this.epoch ||= epoch;
    const expected = this.next_ ?? 1;
    if (first <= expected) return;
    this.link.settings.logger.warn(`${this.key}: messages ${expected} to ${first - 1} are evicted`);
    this.link.notice("gap", { key: this.key });
    await this.options.onGap?.(expected, first);
    this.next_ = first; // not before: if onGap fails, the next read finds the gap again
  }

  /** Finds the offset to start at, once: a read from an offset can be repeated. */
  private async findStart(): Promise<number> {
    const { frames, tags = [] } = this.options;
    // Frames cannot be filtered by tags, and their blocks may be packed.
    if (frames !== false && tags.length === 0) this.unpack = await unpacker();
    if (frames && !this.unpack) throw new MillraceError("frames need zstd, and do not go with tags");
    const start = this.options.start ?? "first";
    const ask = (words: Words): Promise<unknown> => this.link.call(this.key, words, { breaker: this.breaker });
    if (start instanceof Date) return Number(await ask(["TSEEK", this.key, start.getTime()]));
    if (start === "end" || start === "first") {
      const [info] = list(await ask(["TREAD", this.key, 1, 0, "WITHINFO", "EPOCH"]));
      const [first, last, epoch] = list(info).map(Number) as [number, number, number];
      this.epoch = epoch;
      return start === "end" ? last + 1 : first;
    }
    const [offset, epoch] = String(start).split(".").reverse();
    this.epoch = Number(epoch ?? 0);
    return Number(offset);
  }
}
