/**
 * Paths of fields as rules and selectable fields write them: `.spec.replicas`, `.labels['a.b/c']`. They lead through
 * members that the schema names and through members of maps; elements of lists cannot be named.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Structural } from '../schema/structural.ts'

interface FieldPath {
  /** As messages write it: `spec.replicas`, `labels[a.b/c]`. */
  readonly text: string
  /** The first member. */
  readonly root: string
  /** What it leads to; undefined = a member of a map of anything. */
  readonly structural: Structural | undefined
}

/** The path as messages write it; undefined = it leads nowhere in the schema, or is none. */
export function fieldPathOf(text: string, structural: Structural): string | undefined {
  const found = resolveFieldPath(text, structural, { brackets: true })
  return found.ok ? found.value.text : undefined
}

/** Fails with what is wrong, in words. `brackets`: `['name']` may stand for `.name`. */
export function resolveFieldPath(
  path: string,
  structural: Structural,
  { brackets }: { readonly brackets: boolean },
): Result<FieldPath, string> {
  let at: FieldPath = { text: '', root: '', structural }
  const tokens = tokensOf(path)[Symbol.iterator]()
  const next = (): string | undefined => tokens.next().value
  for (let token = next(); token !== undefined; token = next()) {
    if (token !== '.' && token !== '[') return fail(`expected [ or . but got: ${token}`)
    if (token === '[' && !brackets) return fail('array notation is not allowed')
    const name = next()
    if (name === undefined) return fail('unexpected end of JSON path')
    const member = token === '.' ? ok(name) : unquoted(name)
    if (!member.ok) return member
    const step = stepInto(at, member.value)
    if (step === undefined) return fail('does not refer to a valid field')
    const end = token === '[' ? next() : ']'
    if (end === undefined) return fail('unexpected end of JSON path')
    if (end !== ']') return fail(`expected ] but got ${end}`)
    at = step
  }
  return ok(at)
}

/** `.`, `[`, `]`, and what stands between them; within single quotes they are letters. */
function tokensOf(path: string): readonly string[] {
  return path.match(/'(?:\\.|[^\\'])*'|[.[\]]|[^.[\]']+[^.[\]]*|'.*$/gs) ?? []
}

const escaped: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
])

function unquoted(token: string): Result<string, string> {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return fail(`expected single quoted string but got ${token}`)
  const inner = token.slice(1, -1)
  const wrong = /\\(?:[^abfnrtv'\\]|$)/.exec(inner.replaceAll('\\\\', ''))
  if (wrong !== null) return fail(`invalid string literal: invalid escape char ${wrong[0]}`)
  return ok(inner.replace(/\\(.)/gs, (_, letter: string) => escaped.get(letter) ?? ''))
}

function stepInto({ text, root, structural }: FieldPath, name: string): FieldPath | undefined {
  if (structural === undefined) return undefined
  const first = text === '' ? name : root
  if (structural.properties.size > 0) {
    const property = structural.properties.get(name)
    const dotted = text === '' ? name : `${text}.${name}`
    return property === undefined ? undefined : { text: dotted, root: first, structural: property }
  }
  const { additionalProperties } = structural
  if (additionalProperties === undefined) return undefined
  const below = additionalProperties === true ? undefined : additionalProperties
  return { text: `${text}[${name}]`, root: first, structural: below }
}
