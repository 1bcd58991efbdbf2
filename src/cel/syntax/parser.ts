/**
 * Recursive descent with precedence climbing over the CEL grammar, optional syntax (`?.`, `[?]`, `?key:`) included.
 * Ends at the first syntax error; findings of the macros are collected.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Value } from '../values/value.ts'
import { deeperThan, type Expr, type ListLiteral, type MapLiteral, type StructLiteral } from './ast.ts'
import { type Token, tokenize } from './lexer.ts'
import { bytesLiteral, doubleLiteral, intLiteral, stringLiteral, uintLiteral } from './literals.ts'
import { expandMacro } from './macros.ts'
import type { Finding } from './source.ts'

/** Longest expression, in code points. */
const sourceCodePointsMax = 100_000
/** Deepest nesting: what recurses over the tree (checker, planner, evaluation) relies on it. */
const depthMax = 250
const tooDeep = `expression recursion limit exceeded: ${depthMax}`

const expressionStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** Names that no variable and no plain property may have. */
const reservedWords: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
)
/** Words of the lexer: no names, not even of fields. */
const keywords = new Set(['in', 'true', 'false', 'null'])

const relations = new Map([
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['in', '@in'],
])
const sums = new Map([
  ['+', '_+_'],
  ['-', '_-_'],
])
const products = new Map([
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
])
const levels = [relations, sums, products]

/** Carries a finding out of the descent; never leaves this module. */
class Stop {
  readonly finding: Finding
  constructor(finding: Finding) {
    this.finding = finding
  }
}

export function parse(source: string): Result<Expr, readonly Finding[]> {
  if (source.length > sourceCodePointsMax) {
    const size = [...source].length
    if (size > sourceCodePointsMax) {
      const message = `expression code point size exceeds limit: size: ${size}, limit ${sourceCodePointsMax}`
      return fail([{ offset: 0, message }])
    }
  }
  const tokens = tokenize(source)
  if (!tokens.ok) return fail([tokens.failure])
  const parser = new Parser(tokens.value)
  try {
    const expr = parser.whole()
    if (parser.findings.length > 0) return fail(parser.findings)
    return deeperThan(expr, depthMax) ? fail([{ offset: expr.offset, message: tooDeep }]) : ok(expr)
  } catch (thrown) {
    if (thrown instanceof Stop) return fail([...parser.findings, thrown.finding])
    throw thrown
  }
}

class Parser {
  readonly findings: Finding[] = []
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Expr {
    const expr = this.#expression()
    const rest = this.#peek()
    if (rest.kind !== 'end') {
      const how = this.#ahead(1).kind === 'end' ? 'extraneous' : 'mismatched'
      throw this.#syntax(rest, `${how} input '${rest.text}' expecting <EOF>`)
    }
    return expr
  }

  #peek(): Token {
    return this.#ahead(0)
  }

  #ahead(count: number): Token {
    const token = this.#tokens[Math.min(this.#at + count, this.#tokens.length - 1)]
    if (token === undefined) throw new TypeError('a token list without an end')
    return token
  }

  #next(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  #is(text: string): boolean {
    const token = this.#peek()
    return token.text === text && (token.kind === 'symbol' || token.kind === 'ident')
  }

  #take(text: string): boolean {
    if (!this.#is(text)) return false
    this.#at++
    return true
  }

  #expect(text: string): Token {
    const token = this.#peek()
    if (this.#is(text)) return this.#next()
    throw this.#syntax(token, `mismatched input '${shown(token)}' expecting '${text}'`)
  }

  #syntax(token: Token, message: string): Stop {
    return new Stop({ offset: token.offset, message: `Syntax error: ${message}` })
  }

  #deeper<T>(build: () => T): T {
    if (++this.#depth > depthMax) {
      throw new Stop({ offset: this.#peek().offset, message: tooDeep })
    }
    const built = build()
    this.#depth--
    return built
  }

  #expression(): Expr {
    return this.#deeper(() => {
      const condition = this.#logical('||')
      const question = this.#peek()
      if (!this.#take('?')) return condition
      const then = this.#logical('||')
      this.#expect(':')
      const otherwise = this.#expression()
      return { kind: 'call', name: '_?_:_', args: [condition, then, otherwise], offset: question.offset }
    })
  }

  #logical(operator: '||' | '&&'): Expr {
    const term = (): Expr => (operator === '||' ? this.#logical('&&') : this.#binary(0))
    const first = term()
    const offset = this.#peek().offset
    if (!this.#is(operator)) return first
    const terms = [first]
    while (this.#take(operator)) terms.push(term())
    return { kind: 'logical', operator, terms, offset }
  }

  /** Left-associative: a chain nests to the left, however long; `deeperThan` bounds it at the end. */
  #binary(level: number): Expr {
    const operators = levels[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    for (;;) {
      const token = this.#peek()
      const name = token.kind === 'symbol' || token.text === 'in' ? operators.get(token.text) : undefined
      if (name === undefined || token.kind === 'string') break
      this.#next()
      left = { kind: 'call', name, args: [left, this.#binary(level + 1)], offset: token.offset }
    }
    return left
  }

  /** `!!x` is x; `--x` is x. A minus before a number belongs to it. */
  #unary(): Expr {
    const first = this.#peek()
    if (!this.#is('!') && !this.#is('-')) return this.#member(this.#primary())
    let count = 0
    while (this.#is(first.text) && !(first.text === '-' && isNumber(this.#ahead(1)))) {
      this.#next()
      count++
    }
    const operand = this.#is('-') ? this.#member(this.#negativeNumber()) : this.#member(this.#primary())
    if (count % 2 === 0) return operand
    return { kind: 'call', name: first.text === '!' ? '!_' : '-_', args: [operand], offset: first.offset }
  }

  #negativeNumber(): Expr {
    const minus = this.#next()
    const token = this.#next()
    if (token.kind === 'uint') throw this.#syntax(minus, `no viable alternative at input '-'`)
    const value = token.kind === 'int' ? intLiteral(token.text, true) : doubleLiteral(token.text, true)
    return this.#literal(minus, value)
  }

  #member(primary: Expr): Expr {
    let expr = primary
    for (;;) {
      const token = this.#peek()
      if (token.kind !== 'symbol') break
      if (token.text === '.') expr = this.#dot(expr)
      else if (token.text === '[') expr = this.#index(expr)
      else break
    }
    return expr
  }

  #dot(operand: Expr): Expr {
    const dot = this.#next()
    const optional = this.#take('?')
    const name = this.#next()
    if (name.kind !== 'ident' || keywords.has(name.text)) {
      const hint = keywords.has(name.text) ? `no viable alternative at input '.${name.text}'` : ''
      throw this.#syntax(name, hint || `mismatched input '${shown(name)}' expecting IDENTIFIER`)
    }
    const open = this.#peek()
    if (!optional && this.#take('(')) {
      const args = this.#arguments(')')
      return this.#called(name.text, operand, args, open.offset)
    }
    return {
      kind: 'select',
      operand,
      field: name.text,
      mode: optional ? 'optional' : 'plain',
      offset: dot.offset,
    }
  }

  #index(operand: Expr): Expr {
    const open = this.#next()
    const optional = this.#take('?')
    const index = this.#expression()
    this.#expect(']')
    return { kind: 'call', name: optional ? '_[?_]' : '_[_]', args: [operand, index], offset: open.offset }
  }

  #called(name: string, target: Expr | undefined, args: readonly Expr[], offset: number): Expr {
    const expanded = expandMacro(name, target, args, offset)
    if (expanded === undefined) {
      return target === undefined
        ? { kind: 'call', name, args, offset }
        : { kind: 'call', name, target, args, offset }
    }
    if (expanded.ok) return expanded.value
    this.findings.push(expanded.failure)
    return { kind: 'literal', value: null, offset }
  }

  /** After the opening bracket, up to and with the closing one. No trailing comma. */
  #arguments(close: string): Expr[] {
    if (this.#take(close)) return []
    const args = [this.#expression()]
    while (this.#take(',')) args.push(this.#expression())
    this.#expect(close)
    return args
  }

  #primary(): Expr {
    const token = this.#next()
    switch (token.kind) {
      case 'int':
        return this.#literal(token, intLiteral(token.text, false))
      case 'uint':
        return this.#literal(token, uintLiteral(token.text.slice(0, -1)))
      case 'double':
        return this.#literal(token, doubleLiteral(token.text, false))
      case 'string':
        return this.#literal(token, stringLiteral(token.text))
      case 'bytes':
        return this.#literal(token, bytesLiteral(token.text))
      case 'ident':
        return this.#named(token, '')
      case 'symbol':
        return this.#bracketed(token)
      case 'end':
        throw this.#notExpression(token)
    }
  }

  #literal(token: Token, value: Result<Value, string>): Expr {
    if (value.ok) return { kind: 'literal', value: value.value, offset: token.offset }
    throw new Stop({ offset: token.offset, message: value.failure })
  }

  #bracketed(token: Token): Expr {
    if (token.text === '(') {
      const inner = this.#expression()
      this.#expect(')')
      return inner
    }
    if (token.text === '[') return this.#list(token)
    if (token.text === '{') return this.#map(token)
    const next = this.#peek()
    if (token.text === '.' && next.kind === 'ident' && !keywords.has(next.text))
      return this.#named(this.#next(), '.')
    throw this.#notExpression(token)
  }

  /** The token is one too many when an expression begins right after it, else a wrong one. */
  #notExpression(token: Token): Stop {
    const next = this.#peek()
    const begins =
      next.kind === 'symbol' ? '[{(.-!'.includes(next.text) : next.kind !== 'end' && next.text !== 'in'
    const how = token.kind !== 'end' && begins ? 'extraneous' : 'mismatched'
    return this.#syntax(token, `${how} input '${shown(token)}' expecting ${expressionStart}`)
  }

  #list(open: Token): ListLiteral {
    const elements: { value: Expr; optional: boolean }[] = []
    while (!this.#is(']')) {
      const optional = this.#take('?')
      elements.push({ value: this.#expression(), optional })
      if (!this.#take(',')) break
    }
    this.#expect(']')
    return { kind: 'list', elements, offset: open.offset }
  }

  #map(open: Token): MapLiteral {
    const entries: { key: Expr; value: Expr; optional: boolean; offset: number }[] = []
    while (!this.#is('}')) {
      const optional = this.#take('?')
      const key = this.#expression()
      const { offset } = this.#expect(':')
      entries.push({ key, value: this.#expression(), optional, offset })
      if (!this.#take(',')) break
    }
    this.#expect('}')
    return { kind: 'map', entries, offset: open.offset }
  }

  #named(token: Token, dot: '' | '.'): Expr {
    switch (token.text) {
      case 'true':
      case 'false':
        return { kind: 'literal', value: token.text === 'true', offset: token.offset }
      case 'null':
        return { kind: 'literal', value: null, offset: token.offset }
      case 'in':
        throw this.#notExpression(token)
    }
    if (reservedWords.has(token.text))
      throw new Stop({ offset: token.offset, message: `reserved identifier: ${token.text}` })
    const open = this.#peek()
    if (this.#take('(')) return this.#called(dot + token.text, undefined, this.#arguments(')'), open.offset)
    const length = this.#structNameLength()
    if (length > 0) return this.#struct(dot + token.text, length)
    return { kind: 'ident', name: dot + token.text, offset: token.offset }
  }

  /** Tokens up to the `{` of `.b.c{`; 0 when there is none: `a.b` is then a selection. */
  #structNameLength(): number {
    let at = 0
    while (this.#ahead(at).text === '.' && this.#ahead(at + 1).kind === 'ident') at += 2
    const brace = this.#ahead(at)
    return brace.kind === 'symbol' && brace.text === '{' ? at + 1 : 0
  }

  #struct(prefix: string, length: number): StructLiteral {
    let name = prefix
    for (let count = 1; count < length; count++) name += this.#next().text
    const open = this.#next()
    const entries: { field: string; value: Expr; optional: boolean; offset: number }[] = []
    while (!this.#is('}')) {
      const optional = this.#take('?')
      const field = this.#next()
      if (field.kind !== 'ident')
        throw this.#syntax(field, `mismatched input '${shown(field)}' expecting {'}', ',', '?', IDENTIFIER}`)
      const { offset } = this.#expect(':')
      entries.push({ field: field.text, value: this.#expression(), optional, offset })
      if (!this.#take(',')) break
    }
    this.#expect('}')
    return { kind: 'struct', name, entries, offset: open.offset }
  }
}

function isNumber(token: Token): boolean {
  return token.kind === 'int' || token.kind === 'double' || token.kind === 'uint'
}

function shown(token: Token): string {
  return token.kind === 'end' ? '<EOF>' : token.text
}
