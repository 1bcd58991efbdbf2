/**
 * Any definition is judged: nothing makes the rules throw, a judgement is the same twice, and what was accepted may stay as
 * it is and can be served.
 */

import t from 'tap'
import { createRules } from '../../../../src/crd/rules/rules.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import { validateValue } from '../../../../src/crd/schema/validate.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { type Json, refusals, shown, updateRefusals } from '../../types/validation.ts'
import { widgets } from './widgets.ts'

const leaf = { type: 'string' }

/** What may stand in a schema, right or wrong. */
const parts: readonly (readonly [keyword: string, values: readonly unknown[]])[] = [
  ['type', ['string', 'integer', 'array', 'object', 'null', 'text', '']],
  ['nullable', [true]],
  ['default', [1, 'x', true, {}, { a: 1 }, { size: 1, z: 2 }, ['a'], '']],
  ['pattern', ['[', '^a', '(?=a)']],
  ['enum', [['a'], [1, null], []]],
  ['required', [['size'], ['nowhere'], []]],
  ['uniqueItems', [true]],
  ['additionalProperties', [true, false, leaf, {}]],
  ['properties', [{}, { a: leaf, ['__proto__']: leaf, constructor: {} }, { metadata: { type: 'object' } }]],
  ['items', [leaf, {}, [leaf], [], { type: 'object', properties: { port: leaf } }]],
  ['allOf', [[leaf], [{ minimum: 1 }], [{ properties: { nowhere: { items: {} } } }]]],
  ['anyOf', [[{ type: 'integer' }, { type: 'string' }], [{ nullable: true, default: 1 }]]],
  ['not', [leaf, { required: ['x'] }, { properties: { metadata: {} } }]],
  ['$ref', ['#/a']],
  ['definitions', [{ a: leaf }]],
  ['dependencies', [{ a: ['b'] }, { a: leaf }]],
  ['additionalItems', [true, leaf]],
  ['x-kubernetes-preserve-unknown-fields', [true, false]],
  ['x-kubernetes-embedded-resource', [true]],
  ['x-kubernetes-int-or-string', [true]],
  ['x-kubernetes-list-type', ['set', 'map', 'atomic', 'bag']],
  ['x-kubernetes-list-map-keys', [['port'], ['nowhere'], []]],
  ['x-kubernetes-map-type', ['atomic', 'granular', 'loose']],
  ['x-kubernetes-validations', [[{ rule: 'self == self' }], [{ rule: 'self.nowhere' }], [{ rule: '' }]]],
]

const maps: ReadonlySet<string> = new Set(['properties', 'definitions', 'dependencies'])

/** All schemas at and below one; not what only looks like one. */
function schemasOf(schema: Json): Json[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(schemasOf)
  const below = ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', ...maps].flatMap((name) => {
    const value = schema[name]
    return maps.has(name) ? schemasOf(Object.values(value ?? {})) : schemasOf(value)
  })
  return [schema, ...below]
}

function mutated(random: Random): Json {
  const body = structuredClone(widgets)
  const { versions } = body.spec
  if (random.below(3) === 0) versions.push({ ...structuredClone(versions[0]), name: 'v2', storage: false })
  for (let i = random.below(3); i >= 0; i--) {
    const version: Json = random.pick(versions)
    const at: Json = random.pick(schemasOf(version.schema.openAPIV3Schema))
    const [keyword, values] = random.pick(parts)
    if (random.below(6) === 0) delete at[keyword]
    else at[keyword] = structuredClone(random.pick(values))
  }
  return body
}

t.test('definitions, mutated', (t) => {
  const values = [
    {},
    { spec: { size: 1, ports: [{ port: 1 }, {}], tags: ['a', 'a'], port: 'x' } },
    { spec: [] },
  ]
  let accepted = 0
  let refused = 0
  for (let seed = 1; seed <= 1500; seed++) {
    const body = mutated(createRandom(seed))
    const causes = shown(refusals(body))
    if (causes.join() !== shown(refusals(body)).join()) t.fail(`seed ${seed}: another judgement`)
    if (causes.length > 0) {
      refused++
      continue
    }
    accepted++
    const again = shown(updateRefusals(body, body))
    if (again.length > 0) t.fail(`seed ${seed}: it may not stay: ${again.join()}`)
    for (const { schema } of body.spec.versions) {
      const structural = readStructural(schema.openAPIV3Schema)
      const rules = createRules(structural)
      for (const value of values)
        if (validateValue(structural, value).length === 0) rules.validate(structuredClone(value), undefined)
    }
  }
  t.ok(accepted > 200 && refused > 200, `${accepted} accepted, ${refused} refused`)
  t.end()
})
