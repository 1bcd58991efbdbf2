/**
 * Label selectors as clients write them: `app=web,tier in (a,b),!canary,size>3`.
 *
 *     selector    = [ requirement *( "," requirement ) ]
 *     requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ] | key ( "in" | "notin" ) "(" values ")"
 *
 * Source: specification, "Query parameters"; the grammar that clients of this API know.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { ApiFailure } from '../../status/status.ts'
import type { Requirement } from '../contract.ts'
import { labelKeyProblems, labelValueProblems } from './label-syntax.ts'
import { type Token, type TokenType, tokenize } from './label-tokens.ts'

/** Fails with BadRequest, whose message says what was found and what was expected. An empty text selects all. */
export function parseLabelSelector(text: string): Result<readonly Requirement[], ApiFailure> {
  try {
    return ok(new Parser(tokenize(text)).selector())
  } catch (error) {
    if (error instanceof SyntaxProblem) return fail({ reason: 'BadRequest', message: error.message })
    throw error
  }
}

/** Leaves the descent; caught at the door. */
class SyntaxProblem extends Error {}

const binaryOperators = 'in, notin, =, ==, !=, gt, lt'

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  selector(): readonly Requirement[] {
    const requirements: Requirement[] = []
    if (this.#peek().type === 'end') return requirements
    this.#expectStart(`expected: !, identifier, or 'end of string'`)
    for (;;) {
      requirements.push(this.#requirement())
      const { type, text } = this.#take()
      if (type === 'end') return requirements
      if (type !== ',') throw new SyntaxProblem(`found '${text}', expected: ',' or 'end of string'`)
      this.#expectStart(`expected: identifier after ','`)
    }
  }

  #expectStart(expected: string): void {
    const { type, text } = this.#peek()
    if (type !== '!' && !isWord(type)) throw new SyntaxProblem(`found '${text}', ${expected}`)
  }

  #requirement(): Requirement {
    try {
      return this.#checked(this.#requirementUnchecked())
    } catch (error) {
      if (error instanceof SyntaxProblem)
        throw new SyntaxProblem(`unable to parse requirement: ${error.message}`)
      throw error
    }
  }

  #requirementUnchecked(): Requirement {
    const negated = this.#peek().type === '!'
    if (negated) this.#take()
    const name = this.#identifier()
    const problems = labelKeyProblems(name)
    if (problems.length > 0) throw new SyntaxProblem(invalid('<nil>', name, problems))
    // What stands behind `!key` is for the caller to judge: no operator can.
    if (negated) return { name, operator: 'doesNotExist', values: [] }
    const next = this.#peek().type
    if (next === 'end' || next === ',') return { name, operator: 'exists', values: [] }
    const sign = this.#take()
    switch (sign.type) {
      case 'in':
        return { name, operator: 'in', values: this.#values() }
      case 'notin':
        return { name, operator: 'notIn', values: this.#values() }
      case '=':
      case '==':
        return { name, operator: 'in', values: [this.#value()] }
      case '!=':
        return { name, operator: 'notIn', values: [this.#value()] }
      case '>':
        return { name, operator: 'greaterThan', values: [this.#value()] }
      case '<':
        return { name, operator: 'lessThan', values: [this.#value()] }
      default:
        throw new SyntaxProblem(`found '${sign.text}', expected: ${binaryOperators}`)
    }
  }

  #checked(requirement: Requirement): Requirement {
    const { name, operator, values } = requirement
    const problems: string[] = []
    if (operator === 'greaterThan' || operator === 'lessThan') {
      values.forEach((value, index) => {
        if (parseInteger(value) !== undefined) return
        const problem = "for 'Gt', 'Lt' operators, the value must be an integer"
        problems.push(invalid(`values[${index}]`, value, [problem]))
      })
    }
    values.forEach((value, index) => {
      const found = labelValueProblems(value)
      if (found.length > 0) problems.push(invalid(`values[${index}][${name}]`, value, found))
    })
    if (problems.length === 0) return requirement
    throw new SyntaxProblem(problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`)
  }

  #identifier(): string {
    const { type, text } = this.#take()
    if (!isWord(type)) throw new SyntaxProblem(`found '${text}', expected: identifier`)
    return text
  }

  #value(): string {
    const { type } = this.#peek()
    return type === 'end' || type === ',' ? '' : this.#identifier()
  }

  /** `(a,b)`; an empty place stands for the empty value. Sorted, each once. */
  #values(): readonly string[] {
    const open = this.#take()
    if (open.type !== '(') throw new SyntaxProblem(`found '${open.text}' expected: '('`)
    const values = new Set<string>()
    const { type: first, text } = this.#peek()
    if (!isWord(first) && first !== ',' && first !== ')')
      throw new SyntaxProblem(`found '${text}', expected: ',', ')' or identifier`)
    for (;;) {
      values.add(isWord(this.#peek().type) ? this.#take().text : '')
      const { type, text } = this.#take()
      if (type === ')') return [...values].sort()
      if (type !== ',') throw new SyntaxProblem(`found '${text}', expected: ',' or ')'`)
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { type: 'end', text: '' }
  }

  #take(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }
}

/** `in` and `notin` are operators only where an operator may stand. */
function isWord(type: TokenType): boolean {
  return type === 'identifier' || type === 'in' || type === 'notin'
}

function invalid(path: string, value: string, problems: readonly string[]): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`
}

const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)

/** A decimal 64-bit integer; undefined when the text is something else. */
export function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return value > int64Max || value < int64Min ? undefined : value
}
