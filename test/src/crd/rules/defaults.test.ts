/** Default values of a schema beside its rules. */

import t from 'tap'
import { defaultCauses } from '../../../../src/crd/definition/default-values.ts'
import type { JsonObject } from '../../../../src/json.ts'

const rules = (...rules: readonly JsonObject[]): JsonObject => ({ 'x-kubernetes-validations': rules })

function found(spec: JsonObject): readonly string[] {
  const causes = defaultCauses({ type: 'object', properties: { spec } }, 'schema', true)
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

t.test('defaults must keep the rules', (t) => {
  const positive = rules({ rule: 'self > 0', message: 'not positive' })
  const integer = { type: 'integer', ...positive }
  const refused = (path: string, type: string): readonly string[] => [
    `schema.properties[spec]${path}: Invalid value: "${type}": not positive`,
  ]
  const rows: readonly (readonly [JsonObject, readonly string[]])[] = [
    [{ ...integer, default: 1 }, []],
    [{ ...integer, default: 0 }, refused('.default', 'integer')],
    [{ type: 'object', properties: { n: integer }, default: { n: 0 } }, refused('.default.n', 'integer')],
    [{ type: 'array', items: { ...integer, default: 0 } }, refused('.items.default', 'integer')],
    [
      { type: 'object', properties: { n: { ...integer, default: 0 } } },
      refused('.properties[n].default', 'integer'),
    ],
    // a rule of changes holds for a value that stays, and for one that is new where it asks about that
    [{ type: 'integer', ...rules({ rule: 'self >= oldSelf' }), default: 0 }, []],
    [
      {
        type: 'integer',
        ...rules({ rule: 'oldSelf.hasValue() || self > 0', message: 'not positive', optionalOldSelf: true }),
        default: 0,
      },
      refused('.default', 'integer'),
    ],
    [{ type: 'integer', default: 0 }, []],
  ]
  for (const [schema, expected] of rows) t.same(found(schema), expected, JSON.stringify(schema))
  t.end()
})
