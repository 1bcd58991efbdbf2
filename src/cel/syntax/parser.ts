/**
 * Recursive descent with precedence climbing over the CEL grammar, optional syntax (`?.`, `[?]`, `?key:`) included.
 * Ends at the first syntax error; findings of the macros are collected.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Value } from '../values/value.ts'
import { deeperThan, type Expr, type ListLiteral, type MapLiteral, type StructLiteral } from './ast.ts'
import { Cursor, Stop, shown, syntaxProblem } from './cursor.ts'
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

/** The tree, or every finding up to the first syntax error. */
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
  readonly #tokens: Cursor
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = new Cursor(tokens)
  }

  whole(): Expr {
    const expr = this.#expression()
    const rest = this.#tokens.peek()
    if (rest.kind !== 'end') {
      const how = this.#tokens.ahead(1).kind === 'end' ? 'extraneous' : 'mismatched'
      throw syntaxProblem(rest, `${how} input '${rest.text}' expecting <EOF>`)
    }
    return expr
  }

  #deeper<T>(build: () => T): T {
    if (++this.#depth > depthMax) {
      throw new Stop({ offset: this.#tokens.peek().offset, message: tooDeep })
    }
    const built = build()
    this.#depth--
    return built
  }

  #expression(): Expr {
    return this.#deeper(() => {
      const condition = this.#logical('||')
      const question = this.#tokens.peek()
      if (!this.#tokens.take('?')) return condition
      const then = this.#logical('||')
      this.#tokens.expect(':')
      const otherwise = this.#expression()
      return { kind: 'call', name: '_?_:_', args: [condition, then, otherwise], offset: question.offset }
    })
  }

  #logical(operator: '||' | '&&'): Expr {
    const term = (): Expr => (operator === '||' ? this.#logical('&&') : this.#binary(0))
    const first = term()
    const offset = this.#tokens.peek().offset
    if (!this.#tokens.is(operator)) return first
    const terms = [first]
    while (this.#tokens.take(operator)) terms.push(term())
    return { kind: 'logical', operator, terms, offset }
  }

  /** Left-associative: a chain nests to the left, however long; `deeperThan` bounds it at the end. */
  #binary(level: number): Expr {
    const operators = levels[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    for (;;) {
      const token = this.#tokens.peek()
      const name = token.kind === 'symbol' || token.text === 'in' ? operators.get(token.text) : undefined
      if (name === undefined || token.kind === 'string') break
      this.#tokens.next()
      left = { kind: 'call', name, args: [left, this.#binary(level + 1)], offset: token.offset }
    }
    return left
  }

  /** `!!x` is x; `--x` is x. A minus before a number belongs to it. */
  #unary(): Expr {
    const first = this.#tokens.peek()
    if (!this.#tokens.is('!') && !this.#tokens.is('-')) return this.#member(this.#primary())
    let count = 0
    while (this.#tokens.is(first.text) && !(first.text === '-' && isNumber(this.#tokens.ahead(1)))) {
      this.#tokens.next()
      count++
    }
    const operand = this.#tokens.is('-')
      ? this.#member(this.#negativeNumber())
      : this.#member(this.#primary())
    if (count % 2 === 0) return operand
    return { kind: 'call', name: first.text === '!' ? '!_' : '-_', args: [operand], offset: first.offset }
  }

  #negativeNumber(): Expr {
    const minus = this.#tokens.next()
    const token = this.#tokens.next()
    if (token.kind === 'uint') throw syntaxProblem(minus, `no viable alternative at input '-'`)
    const value = token.kind === 'int' ? intLiteral(token.text, true) : doubleLiteral(token.text, true)
    return this.#literal(minus, value)
  }

  #member(primary: Expr): Expr {
    let expr = primary
    for (;;) {
      const token = this.#tokens.peek()
      if (token.kind !== 'symbol') break
      if (token.text === '.') expr = this.#dot(expr)
      else if (token.text === '[') expr = this.#index(expr)
      else break
    }
    return expr
  }

  #dot(operand: Expr): Expr {
    const dot = this.#tokens.next()
    const optional = this.#tokens.take('?')
    const name = this.#tokens.next()
    if (name.kind !== 'ident' || keywords.has(name.text)) {
      throw syntaxProblem(name, `mismatched input '${shown(name)}' expecting IDENTIFIER`)
    }
    const open = this.#tokens.peek()
    if (!optional && this.#tokens.take('(')) {
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
    const open = this.#tokens.next()
    const optional = this.#tokens.take('?')
    const index = this.#expression()
    this.#tokens.expect(']')
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
    if (this.#tokens.take(close)) return []
    const args = [this.#expression()]
    while (this.#tokens.take(',')) args.push(this.#expression())
    this.#tokens.expect(close)
    return args
  }

  #primary(): Expr {
    const token = this.#tokens.next()
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
      this.#tokens.expect(')')
      return inner
    }
    if (token.text === '[') return this.#list(token)
    if (token.text === '{') return this.#map(token)
    const next = this.#tokens.peek()
    if (token.text === '.' && next.kind === 'ident' && !keywords.has(next.text))
      return this.#named(this.#tokens.next(), '.')
    throw this.#notExpression(token)
  }

  /** The token is one too many when an expression begins right after it, else a wrong one. */
  #notExpression(token: Token): Stop {
    const next = this.#tokens.peek()
    const begins =
      next.kind === 'symbol' ? '[{(.-!'.includes(next.text) : next.kind !== 'end' && next.text !== 'in'
    const how = token.kind !== 'end' && begins ? 'extraneous' : 'mismatched'
    return syntaxProblem(token, `${how} input '${shown(token)}' expecting ${expressionStart}`)
  }

  #list(open: Token): ListLiteral {
    const elements: { value: Expr; optional: boolean }[] = []
    while (!this.#tokens.is(']')) {
      const optional = this.#tokens.take('?')
      elements.push({ value: this.#expression(), optional })
      if (!this.#tokens.take(',')) break
    }
    this.#tokens.expect(']')
    return { kind: 'list', elements, offset: open.offset }
  }

  #map(open: Token): MapLiteral {
    const entries: { key: Expr; value: Expr; optional: boolean; offset: number }[] = []
    while (!this.#tokens.is('}')) {
      const optional = this.#tokens.take('?')
      const key = this.#expression()
      const { offset } = this.#tokens.expect(':')
      entries.push({ key, value: this.#expression(), optional, offset })
      if (!this.#tokens.take(',')) break
    }
    this.#tokens.expect('}')
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
    const open = this.#tokens.peek()
    if (this.#tokens.take('('))
      return this.#called(dot + token.text, undefined, this.#arguments(')'), open.offset)
    const length = this.#structNameLength()
    if (length > 0) return this.#struct(dot + token.text, length)
    return { kind: 'ident', name: dot + token.text, offset: token.offset }
  }

  /** Tokens up to the `{` of `.b.c{`; 0 when there is none: `a.b` is then a selection. */
  #structNameLength(): number {
    let at = 0
    while (this.#tokens.ahead(at).text === '.' && this.#tokens.ahead(at + 1).kind === 'ident') at += 2
    const brace = this.#tokens.ahead(at)
    return brace.kind === 'symbol' && brace.text === '{' ? at + 1 : 0
  }

  #struct(prefix: string, length: number): StructLiteral {
    let name = prefix
    for (let count = 1; count < length; count++) name += this.#tokens.next().text
    const open = this.#tokens.next()
    const entries: { field: string; value: Expr; optional: boolean; offset: number }[] = []
    while (!this.#tokens.is('}')) {
      const optional = this.#tokens.take('?')
      const field = this.#tokens.next()
      if (field.kind !== 'ident')
        throw syntaxProblem(field, `mismatched input '${shown(field)}' expecting {'}', ',', '?', IDENTIFIER}`)
      const { offset } = this.#tokens.expect(':')
      entries.push({ field: field.text, value: this.#expression(), optional, offset })
      if (!this.#tokens.take(',')) break
    }
    this.#tokens.expect('}')
    return { kind: 'struct', name, entries, offset: open.offset }
  }
}

function isNumber(token: Token): boolean {
  return token.kind === 'int' || token.kind === 'double' || token.kind === 'uint'
}
