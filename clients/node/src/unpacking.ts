// zstd, which packed blocks of a frame need: Node has it since 22.15, before that the package zstddec does. Without
// either, the reader does not ask for frames.

import * as zlib from "node:zlib";

/** Takes the packed bytes and the size that they must unpack to. No more than that is allocated; errors are thrown. */
export type Unpack = (packed: Buffer, size: number) => Buffer;

/** The part of zlib that is used, if this Node has it. */
interface Zstd {
  zstdDecompressSync?(packed: Buffer, options: { maxOutputLength: number }): Buffer;
}

/** What we use of zstddec. */
interface Decoder {
  init(): Promise<void>;
  decode(packed: Uint8Array, size: number): Uint8Array;
}

function sized(unpacked: Buffer, size: number): Buffer {
  if (unpacked.length !== size) throw new Error("it has another size than it says, or is damaged");
  return unpacked;
}

export function byNode({ zstdDecompressSync }: Zstd = zlib as Zstd): Unpack | undefined {
  return zstdDecompressSync && ((packed, size) => sized(zstdDecompressSync(packed, { maxOutputLength: size }), size));
}

export async function byZstddec(): Promise<Unpack | undefined> {
  try {
    const name = "zstddec"; // the compiler does not know this module: it is installed only where it is used
    const { ZSTDDecoder } = (await import(name)) as { ZSTDDecoder: new () => Decoder };
    const decoder = new ZSTDDecoder();
    await decoder.init();
    return (packed, size) => {
      const unpacked = decoder.decode(packed, size); // on failure the size differs
      return sized(Buffer.from(unpacked.buffer, unpacked.byteOffset, unpacked.byteLength), size);
    };
  } catch {
    return undefined;
  }
}

let found: Promise<Unpack | undefined> | undefined;

/** The first one that is available. */
export function unpacker(): Promise<Unpack | undefined> {
  found ??= Promise.resolve(byNode() ?? byZstddec());
  return found;
}
