/**
 * A walk over the bytes of a JSON text, without making values: how deep it nests before anything is parsed, and
 * where it breaks, in words that do not depend on the JavaScript engine. Grammar: RFC 8259.
 */

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
]

/** Deepest nesting of arrays and objects; brackets inside strings do not count. Stops counting above `limit`. */
export function nestingDepth(bytes: Uint8Array, limit: number): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (inString) {
      if (byte === backslash) at++
      else if (byte === quote) inString = false
    } else if (byte === quote) {
      inString = true
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > deepest) {
        deepest = depth
        if (deepest > limit) return deepest
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
    }
  }
  return deepest
}

/** What is wrong and where: `unexpected 'x' at byte 12 (line 2, column 3), expected a value`. For invalid texts only. */
export function describeJsonError(bytes: Buffer): string {
  const scanner = new Scanner(bytes.toString('utf8'))
  const problem = scanner.document()
  if (problem === undefined) return 'not a JSON text'
  const before = scanner.text.slice(0, scanner.at)
  const line = before.split('\n').length
  const column = scanner.at - (before.lastIndexOf('\n') + 1) + 1
  const found =
    scanner.at >= scanner.text.length
      ? 'unexpected end'
      : `unexpected ${JSON.stringify(scanner.text.charAt(scanner.at))}`
  return `${found} at byte ${Buffer.byteLength(before)} (line ${line}, column ${column}), expected ${problem}`
}

/** Sticky patterns: each matches at the scanner's place or not at all. */
const space = /[ \t\n\r]*/y
const literal = /true|false|null/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** Methods leave `at` at the first character that does not fit and return what was expected there. */
class Scanner {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Containers are kept in a list, not on the call stack: depth costs no frames. */
  document(): string | undefined {
    const open: ('{' | '[')[] = []
    for (;;) {
      this.take(space)
      const problem = this.valueStart(open)
      if (problem !== undefined) return problem
      const ended = this.closeAll(open)
      if (ended !== 'more') return ended
    }
  }

  /** Consumes openings (and member names) until a scalar or an empty container ended. */
  private valueStart(open: ('{' | '[')[]): string | undefined {
    for (;;) {
      this.take(space)
      const next = this.text.charAt(this.at)
      if (next === '{') {
        this.at++
        this.take(space)
        if (this.text.charAt(this.at) === '}') return this.skip()
        open.push('{')
        const problem = this.memberName('a member name or "}"')
        if (problem !== undefined) return problem
      } else if (next === '[') {
        this.at++
        this.take(space)
        if (this.text.charAt(this.at) === ']') return this.skip()
        open.push('[')
      } else {
        return this.scalar()
      }
    }
  }

  /** After a value: closes containers; `more` = a comma promised another value; undefined = the end. */
  private closeAll(open: ('{' | '[')[]): string | undefined {
    for (;;) {
      this.take(space)
      const container = open.at(-1)
      const next = this.text.charAt(this.at)
      if (container === undefined) return this.at === this.text.length ? undefined : 'the end of the text'
      const closing = container === '{' ? '}' : ']'
      if (next === closing) {
        this.at++
        open.pop()
      } else if (next === ',') {
        this.at++
        const problem = container === '{' ? this.memberName('a member name') : undefined
        return problem ?? 'more'
      } else {
        return `"," or "${closing}"`
      }
    }
  }

  private memberName(expected: string): string | undefined {
    this.take(space)
    if (this.text.charAt(this.at) !== '"') return expected
    const problem = this.string()
    if (problem !== undefined) return problem
    this.take(space)
    if (this.text.charAt(this.at) !== ':') return '":"'
    return this.skip()
  }

  private scalar(): string | undefined {
    if (this.text.charAt(this.at) === '"') return this.string()
    return this.take(literal) || this.take(number) ? undefined : 'a value'
  }

  private string(): string | undefined {
    this.at++
    for (;;) {
      const character = this.text.charAt(this.at)
      if (character === '"') return this.skip()
      if (character === '\\') {
        if (!this.take(escapeSequence)) return 'a valid escape'
      } else if (character < ' ') {
        return 'the rest of a string' // the end of the text ('') included
      } else {
        this.at++
      }
    }
  }

  private skip(): undefined {
    this.at++
    return undefined
  }

  /** Moves behind `pattern`; false when it does not match here or matches nothing. */
  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (match === null) return false
    this.at += match[0].length
    return match[0].length > 0
  }
}
