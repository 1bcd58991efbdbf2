import { ByteReader } from './varint.ts'

/**
 * Uncompresses a Snappy block (Snappy, format_description.txt), as LevelDB stores index blocks. Undefined when the
 * bytes are not one.
 */
export function snappyUncompress(source: Buffer): Buffer | undefined {
  const reader = new ByteReader(source)
  const length = reader.varint()
  if (reader.broken || length > 1 << 28) return undefined
  const target = Buffer.alloc(length)
  let at = 0
  while (!reader.atEnd) {
    const tag = reader.bytes(1)[0] ?? 0
    const kind = tag & 3
    if (kind === 0) {
      const short = tag >>> 2
      const literal = (short < 60 ? short : littleEndian(reader.bytes(short - 59))) + 1
      const bytes = reader.bytes(literal)
      if (reader.broken || at + literal > length) return undefined
      target.set(bytes, at)
      at += literal
      continue
    }
    const copied = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    const low = littleEndian(reader.bytes(kind === 1 ? 1 : kind === 2 ? 2 : 4))
    const distance = kind === 1 ? ((tag >>> 5) << 8) + low : low
    if (reader.broken || distance === 0 || distance > at || at + copied > length) return undefined
    // Byte by byte: a copy may overlap what it writes.
    for (let i = 0; i < copied; i++, at++) target[at] = target[at - distance] ?? 0
  }
  return reader.broken || at !== length ? undefined : target
}

function littleEndian(bytes: Buffer): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0)
}
