// Arguments of commands, and replies in RESP2 and RESP3.

export type Word = string | Buffer | number;
export type Words = Word[];

/** The last offset that a log can have; as text, because a JavaScript number cannot hold it exactly. */
export const LAST_OFFSET = "9223372036854775807";

/** A name, in UTF-8. */
export function text(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : String(value);
}

/** The items of a reply that is an array. */
export function list(reply: unknown): unknown[] {
  return Array.isArray(reply) ? reply : [];
}

export function bytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value));
}

/** A map of RESP3, which clients return as an object or a Map, or the flat list of RESP2. */
export function asMap(reply: unknown): Record<string, unknown> {
  if (Array.isArray(reply)) {
    const pairs: [string, unknown][] = [];
    for (let at = 0; at + 1 < reply.length; at += 2) pairs.push([text(reply[at]), reply[at + 1]]);
    return Object.fromEntries(pairs);
  }
  if (reply instanceof Map) return Object.fromEntries([...reply].map(([name, value]) => [text(name), value]));
  return Object.assign({}, reply);
}

/** Offsets in the form of TACK and TEXTEND: 3 4 5 9 becomes 3-5 9. */
export function ranges(offsets: Iterable<number>): Words {
  const words: Words = [];
  const sorted = [...offsets].sort((one, other) => one - other);
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as number;
    let last = first;
    while (sorted[++at] === last + 1) last += 1;
    words.push(first === last ? first : `${first}-${last}`);
  }
  return words;
}

/** The reason of a dead letter: 1 to 512 bytes, without cutting a character in two. */
export function deadReason(reason: string): string {
  let cut = Buffer.from(reason).subarray(0, 512).toString("utf8");
  // The character that replaces a cut one may be longer than the bytes it replaces.
  if (Buffer.byteLength(reason) > 512) cut = cut.replace(/\uFFFD+$/, "");
  return cut || "rejected";
}
