/** Rules over any value: whatever the schema lets pass pruning, judging it never throws, says the same again, and writes nothing. */

import t from 'tap'
import { checkRules } from '../../../../src/crd/rules/check.ts'
import { createRules } from '../../../../src/crd/rules/rules.ts'
import { prune } from '../../../../src/crd/schema/prune.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import type { JsonObject, JsonValue } from '../../../../src/json.ts'

/** Deterministic: the same seed, the same schemas and values. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Random = (below: number) => number

function pick<T>(random: Random, options: readonly [T, ...T[]]): T {
  return options[random(options.length)] ?? options[0]
}

const names = ['a', 'b-c', 'in', '__proto__', 'constructor', 'x y'] as const

/** Each is right for values of some type; those that are not are refused, which must not throw either. */
const expressions = [
  'self == oldSelf',
  'self != oldSelf',
  'self > 0',
  "self == '' || self.size() < 3",
  "self.matches('^a')",
  'self.all(x, x == x)',
  'self.exists(x, type(x) == int)',
  'self.map(x, x).size() >= 0',
  'has(self.a)',
  '!has(self.a) || self.a == oldSelf.a',
  "self.?b__dash__c.orValue('') == ''",
  'self.__in__ > 1',
  'self[0] == self[1]',
  "self['a'] == self['b']",
  'dyn(self) > 1',
  'self + self == self',
  'size(self) < 2',
  "string(self) == 'x'",
  'self.getFullYear() > 2000',
  "self < duration('1h')",
  'oldSelf.hasValue() && oldSelf.value() == self',
  'self.metadata.name == self.kind',
  'self',
] as const

const scalars: readonly [JsonObject, ...JsonObject[]] = [
  { type: 'string' },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'duration' },
  { type: 'string', format: 'byte' },
  { type: 'integer' },
  { type: 'number' },
  { type: 'boolean' },
  { 'x-kubernetes-int-or-string': true },
  { 'x-kubernetes-preserve-unknown-fields': true },
]

function schemaOf(random: Random, depth: number): JsonObject {
  const rules = Array.from({ length: random(3) }, () => ({
    rule: pick(random, expressions),
    ...(random(4) === 0 ? { messageExpression: pick(random, ["'a' + self", 'self', "'b'"]) } : {}),
    ...(random(4) === 0 ? { optionalOldSelf: true } : {}),
    ...(random(6) === 0 ? { fieldPath: pick(random, ['.a', "['x y']", '.none']) } : {}),
  }))
  const shared = { 'x-kubernetes-validations': rules, nullable: random(4) === 0 }
  switch (depth === 0 ? 0 : random(5)) {
    case 1:
      return { ...shared, type: 'object', additionalProperties: schemaOf(random, depth - 1) }
    case 2:
      return { ...shared, type: 'array', items: schemaOf(random, depth - 1), ...listType(random) }
    case 3:
    case 4: {
      const properties = Object.fromEntries(
        names.filter(() => random(2) === 0).map((name) => [name, schemaOf(random, depth - 1)]),
      )
      const open = random(3) === 0 ? { 'x-kubernetes-preserve-unknown-fields': true } : {}
      const embedded = random(6) === 0 ? { 'x-kubernetes-embedded-resource': true } : {}
      return { ...shared, type: 'object', properties, ...open, ...embedded }
    }
    default:
      return { ...shared, ...pick(random, scalars) }
  }
}

function listType(random: Random): JsonObject {
  return pick<JsonObject>(random, [
    {},
    { 'x-kubernetes-list-type': 'set' },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'x y'] },
  ])
}

const leaves: readonly [JsonValue, ...JsonValue[]] = [
  null,
  true,
  0,
  1,
  -1.5,
  2 ** 60,
  '',
  'a',
  '2024-01-01',
  '2024-01-01T00:00:00Z',
  '1h',
  'AAE=',
]

function randomValue(random: Random, depth: number): JsonValue {
  const kind = depth === 0 ? 0 : random(4)
  if (kind === 1) return Array.from({ length: random(4) }, () => randomValue(random, depth - 1))
  if (kind < 2) return pick(random, leaves)
  return Object.fromEntries(
    [...names, 'kind', 'metadata']
      .filter(() => random(2) === 0)
      .map((name) => [name, randomValue(random, depth - 1)]),
  )
}

const seed = Number(process.env['SEED'] ?? 20_251_121)

t.test(`random rules over random values (SEED=${seed})`, (t) => {
  const random = randomOf(seed)
  let kept = 0
  let broken = 0
  let compiled = 0
  for (let round = 0; round < 400; round++) {
    const schema = { type: 'object', properties: { spec: schemaOf(random, 3) } }
    const structural = readStructural(schema)
    compiled += checkRules(structural, 'schema').length === 0 ? 1 : 0
    const rules = createRules(structural)
    for (let attempt = 0; attempt < 6; attempt++) {
      const [value, old] = [0, 1].map(() => {
        const object = { spec: randomValue(random, 3) }
        prune(structural, object)
        return object
      })
      if (value === undefined || old === undefined) throw new TypeError('two were made')
      const before = JSON.stringify([value, old])
      for (const was of [undefined, old, value]) {
        const warnings: unknown[] = []
        const causes = rules.validate(value, was, { warn: (cause) => warnings.push(cause) })
        const again = rules.validate(value, was, { warn: () => {} })
        if (JSON.stringify(causes) !== JSON.stringify(again)) t.fail(`${JSON.stringify(schema)}: ${before}`)
        if (causes.some(({ field }) => field === undefined)) t.fail('a cause has no field')
        causes.length === 0 ? kept++ : broken++
      }
      if (JSON.stringify([value, old]) !== before) t.fail(`${before} was written to`)
    }
  }
  t.ok(
    kept > 500 && broken > 500 && compiled > 20,
    `${kept} kept, ${broken} broken, ${compiled} schemas without mistakes`,
  )
  t.end()
})
