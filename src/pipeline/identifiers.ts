/** Random identifiers, from randomness fetched in large pieces: one system call for hundreds of requests. */

const poolBytes = 8192
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
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

  function nextByte(): number {
    if (used === pool.length) {
      pool = randomBytes(poolBytes)
      used = 0
    }
    return pool[used++] ?? 0
  }

  function hexBytes(count: number): string {
    let text = ''
    for (let i = 0; i < count; i++) text += hex[nextByte()]
    return text
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
      const versioned = hex[(nextByte() & 0x0f) | 0x40]
      const variant = hex[(nextByte() & 0x3f) | 0x80]
      return `${hexBytes(4)}-${hexBytes(2)}-${versioned}${hexBytes(1)}-${variant}${hexBytes(1)}-${hexBytes(6)}`
    },
    nameSuffix: (length) => Array.from({ length }, nameCharacter).join(''),
    fraction: () => (((nextByte() << 16) | (nextByte() << 8) | nextByte()) >>> 0) / 0x1000000,
  }
}
