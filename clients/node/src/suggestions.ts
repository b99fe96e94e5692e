// Terms that complete what a user types.

import type { Link } from "./link.js";
import { list, text, type Words } from "./replies.js";

export interface SuggestOptions {
  limit?: number | undefined;
  fuzzy?: boolean | undefined;
  ignoreCase?: boolean | undefined;
}

export class Suggestions {
  constructor(
    private readonly link: Link,
    readonly name: string,
  ) {}

  /** Counts a term; returns its score. It is not sent again if the answer is lost, because that would count twice. */
  async add(term: string, by = 1): Promise<number> {
    return Number(text(await this.link.call(this.name, ["SUG.ADD", this.name, term, "INCR", by])));
  }

  async set(term: string, score: number): Promise<number> {
    return Number(text(await this.link.persist(this.name, ["SUG.ADD", this.name, term, "SCORE", score])));
  }

  async get(prefix: string, { limit = 10, fuzzy = false, ignoreCase = false }: SuggestOptions = {}): Promise<string[]> {
    const words: Words = ["SUG.GET", this.name, prefix, "LIMIT", limit];
    if (ignoreCase) words.push("NOCASE");
    if (fuzzy) words.push("FUZZY");
    return list(await this.link.persist(this.name, words)).map(text);
  }

  async delete(...terms: string[]): Promise<number> {
    return Number(await this.link.persist(this.name, ["SUG.DEL", this.name, ...terms]));
  }

  /** Reduces all scores by a part, for example once a day. It is not sent again if the answer is lost. */
  async decay(percent: number): Promise<number> {
    return Number(await this.link.call(this.name, ["SUG.DECAY", this.name, percent]));
  }
}
