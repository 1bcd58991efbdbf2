/** What holds of all schemas and values: the laws of logic for alternatives, and that preparing an object twice changes nothing. */

import t from 'tap'
import { applyDefaults } from '../../../../src/crd/schema/defaults.ts'
import { dropNulls } from '../../../../src/crd/schema/nulls.ts'
import { prune } from '../../../../src/crd/schema/prune.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import { validateValue } from '../../../../src/crd/schema/validate.ts'
import type { JsonObject, JsonValue } from '../../../../src/json.ts'
import { createRandom, type Random } from '../../../support/random.ts'

const seed = 20300101
const runs = 1500

type Draft = Record<string, JsonValue>

const names = ['a', 'b', 'c'] as const

/** Of a whole schema; `depth` levels at the most. */
function randomSchema(random: Random, depth: number): Draft {
  const schema: Draft = random.below(5) === 0 ? { nullable: true } : {}
  const kind = depth === 0 ? random.below(2) : random.below(5)
  if (kind === 0) return { ...schema, type: 'string', ...(random.below(3) === 0 ? { default: 'd' } : {}) }
  if (kind === 1) return { ...schema, type: 'integer' }
  if (kind === 2) return { ...schema, type: 'array', items: randomSchema(random, depth - 1) }
  if (kind === 3) return { ...schema, type: 'object', additionalProperties: randomSchema(random, depth - 1) }
  const properties = Object.fromEntries(
    names.filter(() => random.below(2) === 0).map((name) => [name, randomSchema(random, depth - 1)]),
  )
  return { ...schema, type: 'object', properties }
}

function randomValue(random: Random, depth: number): JsonValue {
  const kind = depth === 0 ? random.below(3) : random.below(5)
  if (kind === 0) return random.pick(['', 'a', 'ab', 'abc', 'z'])
  if (kind === 1) return random.pick([0, 1, 2, 3, 2.5, -1])
  if (kind === 2) return random.pick([null, true, false])
  if (kind === 3) return Array.from({ length: random.below(3) }, () => randomValue(random, depth - 1))
  return Object.fromEntries(
    [...names, 'd'].filter(() => random.below(2) === 0).map((name) => [name, randomValue(random, depth - 1)]),
  )
}

/** What may stand inside of alternatives. */
function randomNested(random: Random, depth: number): JsonObject {
  const kind = depth === 0 ? random.below(4) : random.below(7)
  if (kind === 0) return { maxLength: random.below(4), pattern: random.pick(['a', '^b', 'c$']) }
  if (kind === 1) return { minimum: random.below(3) }
  if (kind === 2) return { enum: [random.pick(['a', 'ab', 1, 2])] }
  if (kind === 3) return { required: [random.pick(names)], minItems: random.below(3) }
  if (kind === 4) return { properties: { [random.pick(names)]: randomNested(random, depth - 1) } }
  if (kind === 5) return { items: randomNested(random, depth - 1) }
  return { not: randomNested(random, depth - 1) }
}

/** Whether a value, which may be of any type, is as asked. */
function fits(asked: JsonObject, value: JsonValue): boolean {
  const schema = {
    type: 'object',
    properties: { x: { 'x-kubernetes-preserve-unknown-fields': true, ...asked } },
  }
  return validateValue(readStructural(schema), { x: value }).length === 0
}

t.test(`alternatives follow the laws of logic, seed ${seed}`, (t) => {
  const random = createRandom(seed)
  for (let run = 0; run < runs; run++) {
    const [one, other] = [randomNested(random, 2), randomNested(random, 2)]
    const value = randomValue(random, 2)
    // Null is asked for its type and its enumeration alone: alternatives do not concern it.
    if (value === null) continue
    const [isOne, isOther] = [fits({ allOf: [one] }, value), fits({ allOf: [other] }, value)]
    const found = {
      any: fits({ anyOf: [one, other] }, value),
      one: fits({ oneOf: [one, other] }, value),
      all: fits({ allOf: [one, other] }, value),
      not: fits({ not: one }, value),
      neither: fits({ allOf: [{ not: one }, { not: other }] }, value),
    }
    const expected = {
      any: isOne || isOther,
      one: isOne !== isOther,
      all: isOne && isOther,
      not: !isOne,
      neither: !isOne && !isOther,
    }
    if (JSON.stringify(found) !== JSON.stringify(expected))
      t.same(found, expected, `run ${run}: ${JSON.stringify({ one, other, value })}`)
  }
  t.end()
})

t.test(`an object that was prepared stays as it is, seed ${seed}`, (t) => {
  const random = createRandom(seed)
  for (let run = 0; run < runs; run++) {
    const schema = { type: 'object', properties: { x: randomSchema(random, 3), y: randomSchema(random, 3) } }
    const structural = readStructural(schema)
    const value: Draft = { x: randomValue(random, 3), y: randomValue(random, 3), z: 1 }
    prune(structural, value)
    dropNulls(structural, value)
    applyDefaults(structural, value)
    const once = JSON.stringify(value)
    const unknown = prune(structural, value)
    dropNulls(structural, value)
    applyDefaults(structural, value)
    if (unknown.length > 0 || JSON.stringify(value) !== once)
      t.same({ unknown, value }, { unknown: [], value: JSON.parse(once) }, JSON.stringify(schema))
  }
  t.end()
})

t.test(`a change that changes nothing but what no schema asks of is forgiven, seed ${seed}`, (t) => {
  const random = createRandom(seed)
  let wrong = 0
  for (let run = 0; run < runs; run++) {
    const properties = { x: randomSchema(random, 3), y: randomSchema(random, 3), z: { type: 'integer' } }
    const structural = readStructural({ type: 'object', properties })
    const old: Draft = { x: randomValue(random, 3), y: randomValue(random, 3), z: 1 }
    prune(structural, old)
    dropNulls(structural, old)
    applyDefaults(structural, old)
    if (validateValue(structural, old).length > 0) wrong++
    const causes = validateValue(structural, { ...structuredClone(old), z: 2 }, old)
    if (causes.length > 0) t.same(causes, [], JSON.stringify({ properties, old }))
  }
  t.ok(wrong > runs / 4, 'there is much to forgive')
  t.end()
})
