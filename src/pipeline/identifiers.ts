/** Random identifiers, from randomness fetched in large pieces: one system call for hundreds of requests. */

const poolBytes = 8192
const uuidBytes = 16
/** No vowels and no look-alikes, so that no words come out. Source: generated names of the Kubernetes API. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

export interface Identifiers {
  /** UUID version 4, RFC 9562. */
  uuid(): string
  /** `length` characters for the end of a generated name. */
  nameSuffix(length: number): string
  /** A fraction in [0, 1). */
  fraction(): number
}

export function createIdentifiers(randomBytes: (count: number) => Buffer): Identifiers {
  let pool: Buffer = Buffer.alloc(0)
  let used = 0

  function refill(): void {
    pool = randomBytes(poolBytes)
    used = 0
  }

  function nextByte(): number {
    if (used === pool.length) refill()
    return pool[used++] ?? 0
  }

  /** Unbiased: bytes beyond the last whole multiple of the alphabet are thrown away. */
  function nameCharacter(): string {
    const limit = 256 - (256 % nameAlphabet.length)
    let byte = nextByte()
    while (byte >= limit) byte = nextByte()
    return nameAlphabet.charAt(byte % nameAlphabet.length)
  }

  return {
    uuid() {
      if (pool.length - used < uuidBytes) refill()
      const at = used
      used += uuidBytes
      pool[at + 6] = ((pool[at + 6] ?? 0) & 0x0f) | 0x40
      pool[at + 8] = ((pool[at + 8] ?? 0) & 0x3f) | 0x80
      const hex = pool.toString('hex', at, used)
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    },
    nameSuffix: (length) => Array.from({ length }, nameCharacter).join(''),
    fraction: () => (((nextByte() << 16) | (nextByte() << 8) | nextByte()) >>> 0) / 0x1000000,
  }
}
