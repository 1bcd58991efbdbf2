/** Splits an expression into tokens (CEL specification, "Syntax"). */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Finding } from './source.ts'

type TokenKind = 'ident' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** As written; of `end`: empty. */
  readonly text: string
  readonly offset: number
}

/** Longest first. Sticky: each is tried where the last token ended. */
const blank = /(?:[ \t\n\f\r]|\/\/[^\n]*)+/y
const quoted =
  /(?:[bB][rR]?|[rR][bB]?)?(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\[^\n\r]|[^\\"\n\r])*"|'(?:\\[^\n\r]|[^\\'\n\r])*')/y
const rawQuoted = /(?:[bB][rR]|[rR][bB]?)(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y
const double = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y
const integer = /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]?/y
const ident = /[_a-zA-Z][_a-zA-Z0-9]*/y
const symbol = /==|!=|<=|>=|&&|\|\||[-+*/%<>=?:!.,()[\]{}]/y

function matchAt(pattern: RegExp, source: string, offset: number): string | undefined {
  pattern.lastIndex = offset
  return pattern.exec(source)?.[0]
}

function tokenAt(source: string, offset: number): Token | undefined {
  const string = matchAt(rawQuoted, source, offset) ?? matchAt(quoted, source, offset)
  if (string !== undefined) {
    const kind = /^[rR]?[bB]/.test(string) ? 'bytes' : 'string'
    return { kind, text: string, offset }
  }
  const number = matchAt(double, source, offset)
  if (number !== undefined) return { kind: 'double', text: number, offset }
  const whole = matchAt(integer, source, offset)
  if (whole !== undefined) return { kind: /[uU]$/.test(whole) ? 'uint' : 'int', text: whole, offset }
  const name = matchAt(ident, source, offset)
  if (name !== undefined) return { kind: 'ident', text: name, offset }
  const punctuation = matchAt(symbol, source, offset)
  return punctuation === undefined ? undefined : { kind: 'symbol', text: punctuation, offset }
}

/** What the recognition error quotes: an open quote swallows the rest of its line. */
function unrecognized(source: string, offset: number): string {
  const rest = source.slice(offset)
  const open = /^(?:[bB][rR]?|[rR][bB]?)?["'][^\n]*/.exec(rest)
  return open === null ? String.fromCodePoint(source.codePointAt(offset) ?? 0) : open[0]
}

/** All tokens and an `end`; fails at the first character that begins none. */
export function tokenize(source: string): Result<readonly Token[], Finding> {
  const tokens: Token[] = []
  let offset = 0
  for (;;) {
    offset += matchAt(blank, source, offset)?.length ?? 0
    if (offset >= source.length) break
    const token = tokenAt(source, offset)
    if (token === undefined) {
      return fail({
        offset,
        message: `Syntax error: token recognition error at: '${unrecognized(source, offset)}'`,
      })
    }
    tokens.push(token)
    offset += token.text.length
  }
  tokens.push({ kind: 'end', text: '', offset: source.length })
  return ok(tokens)
}
