// Frames: many messages of a log in one string (docs/formats/frame.md in the repository). The bytes are untrusted: an
// invalid frame is refused, and the limits of the format bound what is allocated.

import { BadFrame, reasonOf } from "./errors.js";
import type { Unpack } from "./unpacking.js";

const MARK = Buffer.from("MRF");
const VERSION = 1;
const UNPACKED_MOST = 131_072; // bytes of a block
const UNPACKED_MOST_OF_ALL = 64 << 20; // bytes of all blocks of a frame

/** A message, as a reader has read it. */
export interface Row {
  readonly offset: number;
  readonly tag: string;
  readonly entry: Buffer;
  readonly timeMs: number;
}

export interface Frame {
  readonly epoch: number;
  readonly logFirst: number;
  readonly logNext: number;
  /** The offset at which the next read begins. */
  readonly end: number;
  readonly rows: Row[];
}

/** Reads numbers and bytes, and throws BadFrame where they end too early. */
class Bytes {
  at = 0;

  constructor(private readonly data: Buffer) {}

  get left(): number {
    return this.data.length - this.at;
  }

  /** A varint. */
  number(): number {
    const { data } = this;
    let byte = data[this.at++];
    if (byte !== undefined && byte < 128) return byte;
    let value = 0;
    for (let factor = 1; byte !== undefined; factor *= 128) {
      value += (byte & 127) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new BadFrame("a number that is too large");
      if (byte < 128) return value;
      if (factor >= 128 ** 9) throw new BadFrame("a number of more than ten bytes");
      byte = data[this.at++];
    }
    throw new BadFrame("a frame that ends too early");
  }

  bytes(size: number): Buffer {
    if (size > this.left) throw new BadFrame("a frame that ends too early");
    this.at += size;
    return this.data.subarray(this.at - size, this.at);
  }
}

interface Block {
  readonly first: number;
  readonly timeMs: number;
  readonly count: number;
  readonly missing: number;
}

/** Throws BadFrame, which says why. */
export function readFrame(data: Buffer, unpack: Unpack): Frame {
  if (!data.subarray(0, 3).equals(MARK)) throw new BadFrame("bytes that are no frame");
  if (data[3] !== VERSION) throw new BadFrame("a frame of a version that is not known here");
  const bytes = new Bytes(data);
  bytes.at = 4;
  const [epoch, logFirst, logNext] = [bytes.number(), bytes.number(), bytes.number()];
  const [from, end, count] = [bytes.number(), bytes.number(), bytes.number()];
  if (from === 0 || from > end || count > end - from || logFirst > logNext) {
    throw new BadFrame("a frame with impossible offsets");
  }
  const rows: Row[] = [];
  let behind = 1;
  let unpackedBytes = 0;
  while (bytes.left > 0) {
    const [first, timeMs, messages] = [bytes.number(), bytes.number(), bytes.number()];
    const [unpacked, missing] = [bytes.number(), bytes.number()];
    let records = bytes.bytes(bytes.number());
    const after = first + messages + missing;
    if (first < behind || after <= from || first >= end) throw new BadFrame("a block outside of its frame");
    behind = after;
    if (unpacked > 0) {
      unpackedBytes += unpacked;
      if (unpacked <= records.length || unpacked > UNPACKED_MOST || unpackedBytes > UNPACKED_MOST_OF_ALL) {
        throw new BadFrame("a packed block of an impossible size");
      }
      records = unpackedBy(unpack, records, unpacked);
    }
    // A message takes three bytes at least.
    if (messages === 0 || messages > records.length) throw new BadFrame("a block with more messages than bytes, or none");
    readRecords(records, { first, timeMs, count: messages, missing }, from, end, rows);
  }
  if (rows.length !== count) throw new BadFrame("a frame with another number of messages than it says");
  return { epoch, logFirst, logNext, end, rows };
}

function unpackedBy(unpack: Unpack, packed: Buffer, size: number): Buffer {
  try {
    return unpack(packed, size);
  } catch (error) {
    throw new BadFrame(`a packed block that does not unpack: ${reasonOf(error)}`, { cause: error });
  }
}

/** Adds the messages of a block with offsets from `from` up to, not including, `end`. */
function readRecords(data: Buffer, block: Block, from: number, end: number, rows: Row[]): void {
  const bytes = new Bytes(data);
  const tags = new Map<number, string>(); // tags and entries of this block, by the position of their length
  let offset = block.first;
  let { timeMs } = block;
  let missing = 0;
  for (let left = block.count; left > 0; left -= 1) {
    const isFirst = left === block.count;
    const gap = block.missing > 0 ? bytes.number() : 0;
    missing += gap;
    offset += gap;
    let position = bytes.number();
    let tag: string | undefined;
    if (position === 0) {
      position = bytes.at;
      tag = bytes.bytes(bytes.number()).toString("utf8");
      tags.set(position, tag);
    } else {
      tag = tags.get(position);
      if (tag === undefined) throw new BadFrame("a message refers to a tag that is not there");
    }
    const delta = bytes.number();
    if (isFirst && (gap > 0 || delta > 0)) throw new BadFrame("a block that does not begin as it says");
    timeMs += delta;
    const entry = bytes.bytes(bytes.number());
    if (offset >= from && offset < end) rows.push({ offset, tag, entry, timeMs });
    offset += 1;
  }
  if (bytes.left > 0 || missing !== block.missing) throw new BadFrame("a block whose messages do not fill it");
}
