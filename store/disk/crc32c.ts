/** CRC-32C (Castagnoli), as LevelDB keeps it in its files: eight bytes a step by table. */

const tables = makeTables()

function makeTables(): Uint32Array {
  const made = new Uint32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let word = byte
    for (let bit = 0; bit < 8; bit++) word = word & 1 ? (word >>> 1) ^ 0x82f63b78 : word >>> 1
    made[byte] = word
  }
  for (let i = 256; i < made.length; i++) {
    const word = made[i - 256] ?? 0
    made[i] = (word >>> 8) ^ (made[word & 255] ?? 0)
  }
  return made
}

/** CRC-32C of `bytes[start, end)`, unsigned. */
function crc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const table = tables
  let word = -1
  let at = start
  const whole = end - ((end - start) & 7)
  // Indexes stay within the array and the tables, so that `| 0` never meets undefined.
  while (at < whole) {
    const low =
      word ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24))
    word =
      (table[1792 + (low & 255)] as number) ^
      (table[1536 + ((low >>> 8) & 255)] as number) ^
      (table[1280 + ((low >>> 16) & 255)] as number) ^
      (table[1024 + (low >>> 24)] as number) ^
      (table[768 + (bytes[at + 4] as number)] as number) ^
      (table[512 + (bytes[at + 5] as number)] as number) ^
      (table[256 + (bytes[at + 6] as number)] as number) ^
      (table[bytes[at + 7] as number] as number)
    at += 8
  }
  while (at < end) word = (word >>> 8) ^ (table[(word ^ (bytes[at++] as number)) & 255] as number)
  return (word ^ -1) >>> 0
}

/** LevelDB stores a CRC rotated and shifted, so that a CRC over bytes that hold CRCs stays a good one. */
export function maskedCrc32c(bytes: Uint8Array, start: number, end: number): number {
  const crc = crc32c(bytes, start, end)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
