/**
 * Paths of fields as rules and selectable fields write them: `.spec.size`, `.labels['a.b/c']`. They lead through
 * members that the schema names and through members of maps, not into lists.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { namedIn, propertyOf, type Schema, schemaIn } from './json-schema.ts'

export interface FieldPath {
  /** As causes write it. */
  readonly text: string
  /** The first member. */
  readonly root: string
  /** What it leads to; undefined = a member of a map of anything. */
  readonly schema: Schema | undefined
}

interface FieldPathOptions {
  /** `['name']` may stand for `.name`. */
  readonly brackets: boolean
}

/** Fails with what is wrong, in words. */
export function fieldPath(
  path: string,
  schema: Schema,
  { brackets }: FieldPathOptions,
): Result<FieldPath, string> {
  let at: Schema | undefined = schema
  let text = ''
  let root = ''
  const tokens = tokensOf(path)
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? ''
    if (token !== '.' && token !== '[') return fail(`expected [ or . but got: ${token}`)
    if (token === '[' && !brackets) return fail('array notation is not allowed')
    const name = tokens[++i]
    if (name === undefined) return fail('unexpected end of JSON path')
    const member = token === '.' ? ok(name) : unquoted(name)
    if (!member.ok) return member
    const step = stepInto(at, member.value)
    if (step === undefined) return fail('does not refer to a valid field')
    if (token === '[') {
      const end = tokens[++i]
      if (end === undefined) return fail('unexpected end of JSON path')
      if (end !== ']') return fail(`expected ] but got ${end}`)
    }
    if (text === '') root = step.named ? member.value : `[${member.value}]`
    text += step.named ? `${text === '' ? '' : '.'}${member.value}` : `[${member.value}]`
    at = step.schema
  }
  return ok({ text, root, schema: at })
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
  const wrong = inner.match(/\\(?:[^abfnrtv'\\]|$)/)
  if (wrong !== null) return fail(`invalid string literal: invalid escape char ${wrong[0]}`)
  return ok(inner.replace(/\\(.)/g, (_, letter: string) => escaped.get(letter) ?? ''))
}

function stepInto(
  schema: Schema | undefined,
  name: string,
): { named: boolean; schema: Schema | undefined } | undefined {
  if (schema === undefined) return undefined
  if (namedIn(schema, 'properties').length > 0) {
    const property = propertyOf(schema, name)
    return property === undefined ? undefined : { named: true, schema: property }
  }
  if (schema['additionalProperties'] === undefined) return undefined
  return { named: false, schema: schemaIn(schema, 'additionalProperties') }
}
