/** Rules as the strategy of a type uses them: loaded when they are needed, behind validation, lenient with what was there. */

import t from 'tap'
import { createLazyRules } from '../../../../src/crd/rules/lazy.ts'
import { readStructural } from '../../../../src/crd/schema/read.ts'
import type { Cause } from '../../../../src/status/status.ts'

const withRule = readStructural({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { n: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.n > 0', message: 'too small' }],
    },
  },
})

t.test('a schema without rules costs nothing', (t) => {
  const rules = createLazyRules(() => readStructural({ type: 'object' }))
  t.equal(rules.load(), undefined, 'nothing is loaded')
  const found: readonly Cause[] = []
  t.equal(rules.validate({}, found), found, 'and nothing made')
  t.same(rules.warnings({}, {}), [])
  t.end()
})

t.test('rules behind validation', async (t) => {
  const rules = createLazyRules(() => withRule)
  await rules.load()
  t.equal(rules.load(), undefined, 'once')
  const bad = { spec: { n: 0 } }
  const broken = 'spec: Invalid value: "object": too small'
  const unchecked =
    '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  const told = (causes: readonly Cause[]): readonly string[] =>
    causes.map(({ field, message }) => `${field}: ${message}`)
  t.same(told(rules.validate(bad, [])), [broken])
  for (const kind of ['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid']) {
    const cause = { reason: `FieldValue${kind}`, message: 'no', field: 'x' }
    t.same(told(rules.validate(bad, [cause])), ['x: no', unchecked], kind)
  }
  const mild = { reason: 'FieldValueInvalid', message: 'no', field: 'x' }
  t.same(told(rules.validate(bad, [mild])), ['x: no', broken], 'a value of the right type')
  const old = { spec: { n: 0 } }
  t.same(told(rules.validate(bad, [], { old, ratchets: false })), [broken], 'through the status')
  t.same(rules.warnings(bad, old), [])
  t.same(told(rules.validate(bad, [], { old, ratchets: true })), [])
  t.same(rules.warnings(bad, old), [broken], 'the client hears of it')
  t.same(rules.warnings(bad, undefined), [])
})
