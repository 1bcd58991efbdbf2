/** Reads a path. What is wrong with one is said in a sentence. */

import { fail, ok, type Result } from '../../../../store/contract.ts'
import { isPrintable } from '../../../status/quote.ts'
import type { PathNode, Slice } from './nodes.ts'
import { unquote } from './unquote.ts'

type Parsed<T> = Result<T, string>

/** The path `.spec.replicas`, as definitions write it: one action of a template, without its braces. */
export function parseJsonPath(path: string): Parsed<readonly PathNode[]> {
  return parseAction(path)
}

function parseAction(text: string): Parsed<readonly PathNode[]> {
  const nodes: PathNode[] = []
  const problem = new Reader(`${text}}`).readAction(nodes)
  return problem === undefined ? ok(nodes) : fail(problem)
}

type Problem = string | undefined

const endOfText = ''
const spaces: ReadonlySet<string> = new Set([' ', '\t'])
const endsOfLine: ReadonlySet<string> = new Set(['\r', '\n'])
const terminators: ReadonlySet<string> = new Set([
  ...spaces,
  ...endsOfLine,
  endOfText,
  '.',
  ',',
  '[',
  ']',
  '$',
  '@',
  '{',
  '}',
])
const letterOrDigit = /^[\p{L}\p{Nd}_]$/u
const digit = /^\p{Nd}$/u

class Reader {
  readonly #characters: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#characters = Array.from(text)
  }

  /** Up to and with the brace that ends the action; what stands behind it is of no interest. */
  readAction(nodes: PathNode[]): Problem {
    for (;;) {
      const problem = this.#startsWith('[?(')
        ? this.#readFilter(nodes)
        : this.#startsWith('..')
          ? this.#readRecursive(nodes)
          : this.#readNext(nodes)
      if (problem === done) return undefined
      if (problem !== undefined) return problem
    }
  }

  #peek(): string {
    return this.#characters[this.#at] ?? endOfText
  }

  #next(): string {
    const character = this.#peek()
    if (character !== endOfText) this.#at++
    return character
  }

  #startsWith(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#characters[this.#at + i] !== text[i]) return false
    return true
  }

  #textSince(start: number): string {
    return this.#characters.slice(start, this.#at).join('')
  }

  #readNext(nodes: PathNode[]): Problem {
    const start = this.#at
    const character = this.#next()
    if (character === '}') return done
    if (character === endOfText || endsOfLine.has(character)) return 'unclosed action'
    if (character === ' ' || character === '@' || character === '$') return undefined
    if (character === '[') return this.#readBrackets(nodes)
    if (character === '"' || character === "'") return this.#readQuote(nodes, character)
    if (character === '.') return this.#readField(nodes)
    this.#at = start
    if (character === '+' || character === '-' || digit.test(character)) return this.#readNumber(nodes)
    if (letterOrDigit.test(character)) return this.#readIdentifier(nodes)
    return `unrecognized character in action: ${describeCharacter(character)}`
  }

  #readIdentifier(nodes: PathNode[]): Problem {
    const start = this.#at
    while (!terminators.has(this.#peek())) this.#at++
    const name = this.#textSince(start)
    const isBool = name === 'true' || name === 'false'
    nodes.push(
      isBool
        ? { kind: 'literal', value: { kind: 'bool', value: name === 'true' } }
        : { kind: 'identifier', name },
    )
    return undefined
  }

  #readRecursive(nodes: PathNode[]): Problem {
    if (nodes.at(-1)?.kind === 'recursive') return 'invalid multiple recursive descent'
    this.#at += 2
    nodes.push({ kind: 'recursive' })
    return letterOrDigit.test(this.#peek()) ? this.#readField(nodes) : undefined
  }

  #readNumber(nodes: PathNode[]): Problem {
    const start = this.#at
    if (this.#peek() === '+' || this.#peek() === '-') this.#at++
    while (this.#peek() === '.' || digit.test(this.#peek())) this.#at++
    const text = this.#textSince(start)
    const value = Number(text)
    if (/^[+-]?[0-9]+$/.test(text)) {
      nodes.push({ kind: 'literal', value: { kind: 'integer', value } })
      return undefined
    }
    if (Number.isNaN(value) || !/[0-9]/.test(text)) return `cannot parse number ${text}`
    nodes.push({ kind: 'literal', value: { kind: 'float', value } })
    return undefined
  }

  #readQuote(nodes: PathNode[], quote: string): Problem {
    const start = this.#at - 1
    for (;;) {
      const character = this.#next()
      if (character === endOfText || character === '\n') return 'unterminated quoted string'
      if (character === quote && this.#characters[this.#at - 2] !== '\\') break
    }
    const quoted = this.#textSince(start)
    const text = unquote(quoted)
    if (text === undefined) return `unquote string ${quoted} error invalid syntax`
    nodes.push({ kind: 'text', text })
    return undefined
  }

  /** Behind the dot. */
  #readField(nodes: PathNode[]): Problem {
    const start = this.#at
    while (!terminators.has(this.#peek())) {
      if (this.#next() === '\\') this.#next()
    }
    const name = this.#textSince(start)
    nodes.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') })
    return undefined
  }

  /** Behind the bracket: a union, a key in quotes, an index or a slice. */
  #readBrackets(nodes: PathNode[]): Problem {
    const start = this.#at
    for (;;) {
      const character = this.#next()
      if (character === endOfText || character === '\n') return 'unterminated array'
      if (character === ']') break
    }
    const inside = this.#textSince(start).slice(0, -1)
    const parts = inside.split(',')
    if (parts.length > 1) return readUnion(nodes, parts)
    const key = /^'([^']*)'$/.exec(inside)?.[1]
    if (key !== undefined) {
      const parsed = parseAction(`.${key}`)
      if (!parsed.ok) return parsed.failure
      nodes.push(...parsed.value)
      return undefined
    }
    const slice = parseSlice(inside === '*' ? ':' : inside)
    if (slice === undefined) return `invalid array index ${inside}`
    nodes.push({ kind: 'slice', slice })
    return undefined
  }

  #readFilter(nodes: PathNode[]): Problem {
    this.#at += 3
    const start = this.#at
    if (!this.#skipToEndOfFilter()) return 'unterminated filter'
    const text = this.#textSince(start).slice(0, -1)
    if (this.#next() !== ']') return 'unclosed array expect ]'
    const [, leftText, operator, rightText] = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(text) ?? []
    const left = parseAction(leftText ?? text)
    if (!left.ok) return left.failure
    if (operator === undefined || rightText === undefined) {
      nodes.push({ kind: 'filter', filter: { left: left.value, operator: 'exists', right: [] } })
      return undefined
    }
    const right = parseAction(rightText)
    if (!right.ok) return right.failure
    nodes.push({ kind: 'filter', filter: { left: left.value, operator, right: right.value } })
    return undefined
  }

  /** To behind the parenthesis that ends it: one outside of quotes, of which there are none or one pair. */
  #skipToEndOfFilter(): boolean {
    let opened: string | undefined
    let closed = false
    for (;;) {
      const character = this.#next()
      if (character === endOfText || character === '\n') return false
      if (character === '"' || character === "'") {
        if (opened === undefined) opened = character
        else if (character === opened && this.#characters[this.#at - 2] !== '\\') closed = true
      }
      if (character === ')' && (opened !== undefined) === closed) return true
    }
  }
}

/** The brace that ends the action was read. */
const done = '}'

function readUnion(nodes: PathNode[], parts: readonly string[]): Problem {
  const paths: (readonly PathNode[])[] = []
  for (const part of parts) {
    const parsed = parseAction(`[${part.trim()}]`)
    if (!parsed.ok) return parsed.failure
    paths.push(parsed.value)
  }
  nodes.push({ kind: 'union', paths })
  return undefined
}

function parseSlice(text: string): Slice | undefined {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text)
  if (match === null) return undefined
  const [, from = '', to, step] = match
  if ([from, to?.slice(1), step?.slice(1)].some((number) => number === '-')) return undefined
  if (to === undefined) {
    const index = number(from) ?? 0
    return { from: number(from), to: index + 1, step: undefined, isIndex: true }
  }
  return { from: number(from), to: number(to.slice(1)), step: number(step?.slice(1) ?? ''), isIndex: false }
}

function number(text: string): number | undefined {
  return text === '' ? undefined : Number(text)
}

function describeCharacter(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return isPrintable(character) ? `U+${hex} '${character}'` : `U+${hex}`
}
