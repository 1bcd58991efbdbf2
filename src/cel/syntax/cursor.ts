/** The tokens of an expression, one after the other, and what is said when another was expected. */

import type { Token } from './lexer.ts'
import type { Finding } from './source.ts'

/** Carries a finding out of the parser's descent; `parse` takes it. */
export class Stop {
  readonly finding: Finding
  constructor(finding: Finding) {
    this.finding = finding
  }
}

export class Cursor {
  readonly #tokens: readonly Token[]
  #at = 0

  /** @param tokens the last one is of the kind `end` */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  peek(): Token {
    return this.ahead(0)
  }

  /** The token `count` places behind the next one; the end where there are fewer. */
  ahead(count: number): Token {
    const token = this.#tokens[Math.min(this.#at + count, this.#tokens.length - 1)]
    if (token === undefined) throw new TypeError('a token list without an end')
    return token
  }

  next(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  /** Is the next token this symbol or word? */
  is(text: string): boolean {
    const token = this.peek()
    return token.text === text && (token.kind === 'symbol' || token.kind === 'ident')
  }

  /** Passes over it, if it is the next one. */
  take(text: string): boolean {
    if (!this.is(text)) return false
    this.#at++
    return true
  }

  /** Throws {@link Stop} where another token is next. */
  expect(text: string): Token {
    if (this.is(text)) return this.next()
    const token = this.peek()
    throw syntaxProblem(token, `mismatched input '${shown(token)}' expecting '${text}'`)
  }
}

/** The end of parsing: what was met where. */
export function syntaxProblem(token: Token, message: string): Stop {
  return new Stop({ offset: token.offset, message: `Syntax error: ${message}` })
}

/** As messages name a token. */
export function shown(token: Token): string {
  return token.kind === 'end' ? '<EOF>' : token.text
}
