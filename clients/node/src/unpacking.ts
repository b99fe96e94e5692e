// zstd, which packed blocks of a frame need: Node has it since 22.15, before that the package zstddec does. Without either,
// frames are not asked for.

import * as zlib from "node:zlib";

/** The packed bytes, and how many they must unpack to. No more than that is allocated; what is wrong is thrown. */
export type Unpack = (packed: Buffer, size: number) => Buffer;

/** What we use of zlib, where it has it. */
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
    const name = "zstddec"; // not known to the compiler: it is there only where it is used
    const { ZSTDDecoder } = (await import(name)) as { ZSTDDecoder: new () => Decoder };
    const decoder = new ZSTDDecoder();
    await decoder.init();
    return (packed, size) => {
      const unpacked = decoder.decode(packed, size); // a failure gives another size
      return sized(Buffer.from(unpacked.buffer, unpacked.byteOffset, unpacked.byteLength), size);
    };
  } catch {
    return undefined;
  }
}

let found: Promise<Unpack | undefined> | undefined;

/** The first that is there. */
export function unpacker(): Promise<Unpack | undefined> {
  found ??= Promise.resolve(byNode() ?? byZstddec());
  return found;
}
