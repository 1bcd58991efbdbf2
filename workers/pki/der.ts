/** DER, as far as certificates need it. Source: ITU-T X.690, sections 8 and 10. */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** Of the context, primitive or constructed; the number is added. */
  implicit: 0x80,
  explicit: 0xa0,
} as const

function element(tag: number, contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

export const der = {
  sequence: (...elements: readonly Buffer[]) => element(tags.sequence, elements),
  /** Of one element: more would have to be sorted. */
  setOf: (only: Buffer) => element(tags.set, [only]),
  explicit: (number: number, inner: Buffer) => element(tags.explicit | number, [inner]),
  /** A primitive of the context, such as `[2] IMPLICIT IA5String`. */
  implicit: (number: number, content: Buffer) => element(tags.implicit | number, [content]),
  true: element(tags.boolean, [Buffer.from([0xff])]),
  /** Unsigned, most significant byte first, and no byte too many. */
  integer: (bytes: Buffer) =>
    element(tags.integer, (bytes[0] ?? 0) < 0x80 ? [bytes] : [Buffer.from([0]), bytes]),
  bitString: (bytes: Buffer, unusedBits = 0) => element(tags.bitString, [Buffer.from([unusedBits]), bytes]),
  octetString: (bytes: Buffer) => element(tags.octetString, [bytes]),
  utf8String: (text: string) => element(tags.utf8String, [Buffer.from(text)]),
  /** `1.2.840.10045.4.3.2` */
  objectIdentifier: (text: string) => element(tags.objectIdentifier, [identifierOf(text)]),
  /** Whole seconds; two digits of the year before 2050 (RFC 5280, section 4.1.2.5). */
  time(ms: number): Buffer {
    const digits = `${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`
    return digits < '2050'
      ? element(tags.utcTime, [Buffer.from(digits.slice(2))])
      : element(tags.generalizedTime, [Buffer.from(digits)])
  },
}

function identifierOf(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  return Buffer.from([first * 40 + second, ...others].flatMap(base128))
}

function base128(number: number): readonly number[] {
  const bytes = [number % 128]
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(0x80 | (rest % 128))
  }
  return bytes
}

export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** Tag and length included. */
  readonly whole: Buffer
}

/** The elements that stand one behind the other in `bytes`. Throws where they do not fill it exactly. */
export function readElements(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = []
  let at = 0
  while (at < bytes.length) {
    const read = readElement(bytes.subarray(at))
    elements.push(read)
    at += read.whole.length
  }
  return elements
}

function readElement(bytes: Buffer): DerElement {
  const [tag = 0, short = 0] = bytes
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f
  const start = 2 + lengthBytes
  if (lengthBytes > 4 || bytes.length < start) throw new TypeError('not DER')
  const length = lengthBytes === 0 ? short : bytes.readUIntBE(2, lengthBytes)
  if (bytes.length < start + length) throw new TypeError('not DER: cut short')
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) }
}
