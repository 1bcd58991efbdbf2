/** What a path leads to. A path that cannot be followed (an index out of a list, say) fails; what is absent is absent. */

import { fail, ok, type Result } from '../../../../store/contract.ts'
import { isJsonObject, type JsonValue } from '../../../json.ts'
import { own } from '../../../own.ts'
import type { Filter, Literal, PathNode, Slice } from './nodes.ts'

/** Numbers that the path itself says know whether they are whole. */
type Found = JsonValue | Float

class Float {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

type Values = Result<readonly Found[], string>

/** In the order of the object. */
export function findAll(path: readonly PathNode[], object: JsonValue): Result<readonly JsonValue[], string> {
  const found = walk(path, [object])
  return found.ok ? ok(found.value.map((value) => (value instanceof Float ? value.value : value))) : found
}

function walk(path: readonly PathNode[], from: readonly Found[]): Values {
  let at = from
  for (const node of path) {
    const next = step(node, at)
    if (!next.ok) return next
    at = next.value
  }
  return ok(at)
}

function step(node: PathNode, from: readonly Found[]): Values {
  switch (node.kind) {
    case 'text':
      return ok([node.text])
    case 'literal':
      return ok(from.map(() => literalValue(node.value)))
    case 'field':
      return ok(from.flatMap((value) => memberOf(value, node.name)))
    case 'slice':
      return eachOf(from, (value) => sliceOf(value, node.slice))
    case 'filter':
      return eachOf(from, (value) => filtered(value, node.filter))
    case 'wildcard':
      return ok(from.flatMap(partsOf))
    case 'recursive':
      return ok(allWithParts(from))
    case 'union':
      return eachOf(node.paths, (path) => walk(path, from))
    case 'identifier':
      return fail(`unrecognized identifier ${node.name}`)
  }
}

function literalValue(literal: Literal): Found {
  return literal.kind === 'float' ? new Float(literal.value) : literal.value
}

function eachOf<T>(from: readonly T[], find: (value: T) => Values): Values {
  const found: Found[] = []
  for (const value of from) {
    const here = find(value)
    if (!here.ok) return here
    found.push(...here.value)
  }
  return ok(found)
}

function memberOf(value: Found, name: string): readonly Found[] {
  if (value instanceof Float || !isJsonObject(value)) return []
  const member = own(value, name)
  return member === undefined ? [] : [member]
}

const utf8 = new TextEncoder()

/** Members, elements, and the bytes of a text. */
function partsOf(value: Found): readonly Found[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return [...utf8.encode(value)]
  if (value instanceof Float || !isJsonObject(value)) return []
  return Object.values(value).filter((part) => part !== undefined)
}

/** Everything that has parts, from the outside in. */
function allWithParts(from: readonly Found[]): readonly Found[] {
  return from.flatMap((value) => {
    const parts = partsOf(value)
    return parts.length === 0 ? [] : [value, ...allWithParts(parts)]
  })
}

function sliceOf(value: Found, { from, to, step: every, isIndex }: Slice): Values {
  if (value === null) return ok([])
  if (!Array.isArray(value)) return fail(`${kindOf(value)} is not array or slice`)
  const { length } = value
  const start = fromEnd(from ?? 0, length)
  const wanted = to ?? length
  const end = wanted < 0 || (wanted === 0 && isIndex) ? wanted + length : wanted
  if (start === end) return ok([])
  if (start < 0 || start >= length) return fail(outOfBounds(start, length))
  if (end < 0 || end > length) return fail(outOfBounds(end - 1, length))
  if (start > end) return fail(`starting index ${start} is greater than ending index ${end}`)
  if (every !== undefined && every <= 0) return fail('step must be > 0')
  const found: Found[] = []
  for (let at = start; at < end; at += every ?? 1) found.push(value[at] ?? null)
  return ok(found)
}

function fromEnd(index: number, length: number): number {
  return index < 0 ? index + length : index
}

function outOfBounds(index: number, length: number): string {
  return `array index out of bounds: index ${index}, length ${length}`
}

function filtered(value: Found, { left, operator, right }: Filter): Values {
  if (!Array.isArray(value)) return fail(`${kindOf(value)} is not array or slice and cannot be filtered`)
  const kept: Found[] = []
  for (const item of value) {
    const lefts = walk(left, [item])
    if (operator === 'exists') {
      if (lefts.ok && lefts.value.length > 0) kept.push(item)
      continue
    }
    if (!lefts.ok) return lefts
    const rights = walk(right, [item])
    if (!rights.ok) return rights
    if (lefts.value.length > 1 || rights.value.length > 1)
      return fail('can only compare one element at a time')
    const [a] = lefts.value
    const [b] = rights.value
    if (a === undefined || b === undefined) continue
    const passes = compare(operator, a, b)
    if (!passes.ok) return passes
    if (passes.value) kept.push(item)
  }
  return ok(kept)
}

function compare(operator: string, a: Found, b: Found): Result<boolean, string> {
  const kind = kindOf(a)
  if (!comparable.has(kind) || !comparable.has(kindOf(b))) return fail('invalid type for comparison')
  if (kind !== kindOf(b)) return fail('incompatible types for comparison')
  const [x, y] = [plain(a), plain(b)]
  if (operator === '==' || operator === '!=') return ok((x === y) === (operator === '=='))
  if (kind === 'boolean') return fail('invalid type for comparison')
  switch (operator) {
    case '<':
      return ok(x < y)
    case '<=':
      return ok(x <= y)
    case '>':
      return ok(x > y)
    case '>=':
      return ok(x >= y)
    default:
      return fail(`unrecognized filter operator ${operator}`)
  }
}

const comparable: ReadonlySet<string> = new Set(['boolean', 'integer', 'float', 'string'])

function plain(value: Found): string | number | boolean {
  if (value instanceof Float) return value.value
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw new TypeError(`${kindOf(value)} is not compared`)
}

function kindOf(value: Found): string {
  if (value === null) return 'null'
  if (value instanceof Float) return 'float'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float'
  return Array.isArray(value) ? 'array' : typeof value
}
