/**
 * Steps of a path through an object, as field sets spell them:
 *
 *     f:replicas                              a field of a message, or a key of a map
 *     k:{"containerPort":80,"protocol":"TCP"} an item of a list, by its keys (names in order)
 *     v:"finalizer"                           an item of a set, by its value
 *     i:0                                     an item by its place
 *     .                                       the thing itself, beside its parts
 *
 * Source: specification, "Common envelope and metadata" (managedFields); KEP-555, field sets.
 */

import { isJsonObject, type JsonValue } from '../json.ts'

export const self = '.'

/** The step to a member of an object: `f:replicas`. */
export function fieldElement(name: string): string {
  return `f:${name}`
}

/** The step to an item of a set, by its value: `v:"a"`. */
export function valueElement(value: JsonValue): string {
  return `v:${JSON.stringify(value)}`
}

/** A step taken apart. `key` pairs are in the order of their names. */
type Parsed =
  | { readonly kind: 'self' }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly pairs: readonly (readonly [name: string, value: JsonValue])[] }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly index: number }

/** `unknown`: a kind of step from a later release, dropped without harm; `invalid`: not a step at all. */
type ParseResult = Parsed | { readonly kind: 'unknown' } | { readonly kind: 'invalid' }

/** What a step says. Steps come from clients, so anything may stand there. */
export function parseElement(element: string): ParseResult {
  if (element === self) return { kind: 'self' }
  if (element.length < 2 || element[1] !== ':') return { kind: 'invalid' }
  const rest = element.slice(2)
  switch (element[0]) {
    case 'f':
      return { kind: 'field', name: rest }
    case 'k':
      return parseKey(rest)
    case 'v': {
      const value = parseJson(rest)
      return value === undefined ? { kind: 'invalid' } : { kind: 'value', value }
    }
    case 'i':
      return /^-?\d{1,15}$/.test(rest) ? { kind: 'index', index: Number(rest) } : { kind: 'invalid' }
    default:
      return { kind: 'unknown' }
  }
}

function parseKey(text: string): ParseResult {
  const value = parseJson(text)
  if (!isJsonObject(value)) return { kind: 'invalid' }
  const pairs = Object.keys(value)
    .sort()
    .map((name) => [name, value[name] ?? null] as const)
  return pairs.length === 0 ? { kind: 'invalid' } : { kind: 'key', pairs }
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue // JSON.parse yields nothing but JSON values
  } catch {
    return undefined
  }
}

/** The one spelling of a step; undefined = drop it (a later release's); null = not a step. */
export function canonicalElement(element: string): string | undefined | null {
  const parsed = parseElement(element)
  switch (parsed.kind) {
    case 'self':
    case 'field':
      return element
    case 'key':
      return keyElement(parsed.pairs)
    case 'value':
      return valueElement(parsed.value)
    case 'index':
      return `i:${parsed.index}`
    case 'unknown':
      return undefined
    case 'invalid':
      return null
  }
}

/** `pairs` in the order of their names. */
function keyElement(pairs: readonly (readonly [name: string, value: JsonValue])[]): string {
  let text = 'k:{'
  for (const [name, value] of pairs) {
    if (text.length > 3) text += ','
    text += `${JSON.stringify(name)}:${JSON.stringify(value)}`
  }
  return `${text}}`
}

/** As people write it: `.replicas`, `[name="web"]`, `[="finalizer"]`, `[0]`. */
export function describeElement(element: string): string {
  const parsed = parseElement(element)
  switch (parsed.kind) {
    case 'field':
      return `.${parsed.name}`
    case 'key':
      return `[${parsed.pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`
    case 'value':
      return `[=${JSON.stringify(parsed.value)}]`
    case 'index':
      return `[${parsed.index}]`
    default:
      return ''
  }
}

/** A path as messages write it: `.spec.containers[name="a"].image`. */
export function describePath(path: readonly string[]): string {
  return path.map(describeElement).join('')
}

const ranks: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 }

/** The order of steps in a field set: self, fields by name, keyed items, values, places. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0
  const kindA = a[0] ?? ''
  const kindB = b[0] ?? ''
  if (kindA !== kindB) return (ranks[kindA] ?? 5) - (ranks[kindB] ?? 5)
  if (kindA === 'f') return a < b ? -1 : 1
  return compareParsed(parsedOnce(a), parsedOnce(b))
}

/** Steps come back with every write of the same objects: parsed forms are kept, up to this many, then dropped. */
const parsedMax = 4096
const parsedElements = new Map<string, ParseResult>()

function parsedOnce(element: string): ParseResult {
  let parsed = parsedElements.get(element)
  if (parsed === undefined) {
    parsed = parseElement(element)
    if (parsedElements.size >= parsedMax) parsedElements.clear()
    parsedElements.set(element, parsed)
  }
  return parsed
}

function compareParsed(a: ParseResult, b: ParseResult): number {
  if (a.kind === 'key' && b.kind === 'key') {
    for (const [at, [name, value]] of a.pairs.entries()) {
      const other = b.pairs[at]
      if (other === undefined) return 1
      if (name !== other[0]) return name < other[0] ? -1 : 1
      const order = compareValues(value, other[1])
      if (order !== 0) return order
    }
    return a.pairs.length - b.pairs.length
  }
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value)
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index
  return 0
}

function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = valueRank(a) - valueRank(b)
  if (rank !== 0) return rank
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const textA = typeof a === 'string' ? a : JSON.stringify(a)
  const textB = typeof b === 'string' ? b : JSON.stringify(b)
  return textA === textB ? 0 : textA < textB ? -1 : 1
}

function valueRank(value: JsonValue): number {
  switch (typeof value) {
    case 'number':
      return 0
    case 'string':
      return 1
    case 'boolean':
      return 2
    default:
      return value === null ? 4 : 3
  }
}
