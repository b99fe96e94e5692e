// Conversion of values to entries, which are bytes, and back.

export interface Codec<T> {
  encode(value: T): Buffer;
  decode(entry: Buffer): T;
}

/** Bytes: entries are not converted. */
export const raw: Codec<Buffer> = {
  encode: (value: unknown) => {
    if (Buffer.isBuffer(value)) return value;
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    throw new TypeError(`a value of the type ${typeof value} is no Buffer: name a codec, such as text or json()`);
  },
  decode: (entry) => entry,
};

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text in UTF-8. */
export const text: Codec<string> = {
  encode: (value) => Buffer.from(value),
  decode: (entry) => strict.decode(entry),
};

/** JSON. `check` makes a T of the parsed value, or throws, and then the message is rejected. Without `check`, the
 *  parsed value is used as a T unchecked. */
export function json<T = unknown>(check?: (value: unknown) => T): Codec<T> {
  return {
    encode: (value) => Buffer.from(JSON.stringify(value)),
    decode: (entry) => {
      const value: unknown = JSON.parse(strict.decode(entry));
      return check ? check(value) : (value as T);
    },
  };
}
