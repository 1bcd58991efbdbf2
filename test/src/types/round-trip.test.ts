/** Every type takes and gives an object with every field. */

import t from 'tap'
import type { JsonValue } from '../../../src/json.ts'
import { createRandom } from '../../support/random.ts'
import { filled, shuffled } from './filled.ts'
import { allGates, codec, decoded, everything, types } from './types.ts'

const seed = 20_240_501
const registry = types(everything, allGates)
const objects = codec(allGates)
t.comment(`seed ${seed}`)

for (const type of registry.resources) {
  t.test(`${type.apiVersion} ${type.kind}`, (t) => {
    const random = createRandom(seed)
    const object = filled(type.message, random)
    const text = JSON.stringify(object)
    const disordered = shuffled(object, random)
    const result = objects.decode(type.message, disordered)
    if (!result.ok) throw new Error(result.failure.message)
    t.strictSame(result.value.report.unknownFields, [])
    t.equal(
      JSON.stringify(objects.normalize(type.message, result.value.object)),
      text,
      'equal objects have equal bytes',
    )

    const strange = decoded(objects, type, object)
    objects.applyDefaults(type.message, strange)
    const filledIn = JSON.stringify(objects.normalize(type.message, strange))
    objects.applyDefaults(type.message, strange)
    t.equal(JSON.stringify(objects.normalize(type.message, strange)), filledIn, 'defaults are set once')
    t.end()
  })
}

t.test('an empty object prints what is never left out, and decodes to itself', (t) => {
  for (const type of registry.resources) {
    const empty = objects.normalize(type.message, decoded(objects, type, {}))
    const again = objects.decode(type.message, JSON.parse(JSON.stringify(empty)) as JsonValue)
    if (!again.ok) throw new Error(again.failure.message)
    t.strictSame(
      objects.normalize(type.message, again.value.object),
      empty,
      `${type.apiVersion} ${type.kind}`,
    )
  }
  t.end()
})
