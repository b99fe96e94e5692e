// Indexes of documents.

import { ServerError } from "./errors.js";
import type { Link } from "./link.js";
import { asMap, list, text, type Word, type Words } from "./replies.js";
import { sleep } from "./waiting.js";

/** A condition [field, relation, value …]: ["age", ">=", 18], ["age", "BETWEEN", 18, 30], ["city", "IN", "a", "b"]. */
export type Condition = [field: string, relation: string, ...values: Word[]];

export interface CreateOptions {
  json?: boolean | undefined;
  orders?: Record<string, string[]> | undefined;
}

export interface FindOptions {
  order?: string | undefined;
  reverse?: boolean | undefined;
  limit?: number | undefined;
  /** Fields to return with each document. */
  get?: string[] | undefined;
  page?: number | undefined;
}

export interface Found {
  readonly key: string;
  /** The values of the fields in `get`; undefined where the document has none. */
  readonly fields: Record<string, Buffer | undefined>;
}

function whereWords(conditions: Condition[]): Words {
  return conditions.flatMap(([field, relation, ...values]) => {
    const count = relation.toUpperCase() === "IN" ? [values.length] : [];
    return ["WHERE", field, relation, ...count, ...values];
  });
}

export class Index {
  constructor(
    private readonly link: Link,
    readonly name: string,
  ) {}

  /** Creates the index, unless there is one with this name. A field's type may have options: "TEXT NOCASE UNIQUE". */
  async create(prefix: string, fields: Record<string, string>, { json, orders = {} }: CreateOptions = {}): Promise<boolean> {
    const words: Words = ["IDX.CREATE", this.name, "PREFIX", prefix];
    if (json) words.push("JSON");
    for (const [field, kind] of Object.entries(fields)) words.push("FIELD", field, ...kind.split(/\s+/));
    for (const [order, named] of Object.entries(orders)) words.push("ORDER", order, named.length, ...named);
    try {
      await this.link.persist(this.name, words);
    } catch (error) {
      if (error instanceof ServerError && error.message.includes("is there already")) return false;
      throw error;
    }
    return true;
  }

  /** Waits until the documents that existed before the index are in it. */
  async waitUntilReady(): Promise<void> {
    while (text((await this.info())["state"]) !== "ready") await sleep(10);
  }

  async info(): Promise<Record<string, unknown>> {
    return asMap(await this.link.persist(this.name, ["IDX.INFO", this.name]));
  }

  /** The documents that match, read page by page, up to `limit`. */
  async *find(conditions: Condition[] = [], options: FindOptions = {}): AsyncGenerator<Found, void, undefined> {
    const { order, reverse, limit = Infinity, get = [], page = 100 } = options;
    let left = limit;
    let cursor: Word | undefined;
    do {
      const words: Words = ["IDX.FIND", this.name, ...whereWords(conditions)];
      if (order !== undefined) words.push("ORDER", order);
      if (reverse) words.push("REV");
      words.push("LIMIT", Math.min(page, left));
      if (cursor !== undefined) words.push("AFTER", cursor);
      if (get.length > 0) words.push("GET", get.length, ...get);
      const [next, rows] = list(await this.link.persist(this.name, words));
      for (const row of list(rows)) yield found(row, get);
      left -= list(rows).length;
      cursor = next === null ? undefined : (next as Word);
    } while (cursor !== undefined && left > 0);
  }

  async count(conditions: Condition[] = []): Promise<number> {
    return Number(await this.link.persist(this.name, ["IDX.COUNT", this.name, ...whereWords(conditions)]));
  }

  /** Writes a hash, and throws NotUnique if another document has one of its unique values. */
  async put(key: string, fields: Record<string, Word>): Promise<number> {
    return Number(await this.link.persist(this.name, ["IDX.PUT", this.name, key, ...Object.entries(fields).flat()]));
  }
}

function found(row: unknown, get: string[]): Found {
  if (get.length === 0) return { key: text(row), fields: {} };
  const [key, values] = list(row);
  const pairs = get.map((field, at) => [field, (list(values)[at] ?? undefined) as Buffer | undefined]);
  return { key: text(key), fields: Object.fromEntries(pairs) };
}
