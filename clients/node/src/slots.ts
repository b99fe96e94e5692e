// The hash slot of a key in a cluster.

const SLOTS = 16384;

/** CRC16 in the XMODEM variant. */
function crc16(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1) & 0xffff;
  }
  return sum;
}

/** Only the part in {braces} counts, if the key has one that is not empty. */
export function keySlot(key: string): number {
  const start = key.indexOf("{");
  const end = start < 0 ? -1 : key.indexOf("}", start + 1);
  return crc16(Buffer.from(end > start + 1 ? key.slice(start + 1, end) : key)) % SLOTS;
}
