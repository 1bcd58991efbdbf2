/** Equality of JSON values. */

import t from 'tap'
import { sameJson } from '../../src/same-json.ts'

const rows: readonly (readonly [unknown, unknown, boolean])[] = [
  [1, 1, true],
  [1, '1', false],
  [null, undefined, false],
  [null, {}, false],
  [[], {}, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: undefined }, {}, true],
  [{}, { a: undefined }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: null }, {}, false],
  [{ a: undefined }, { a: 1 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [{ a: [{ b: {} }] }, { a: [{ b: {} }] }, true],
  [{ constructor: 'x' }, {}, false],
  [{}, { toString: 'x' }, false],
  [JSON.parse('{"__proto__":{"a":1}}'), {}, false],
  [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}'), true],
]

for (const [a, b, same] of rows) {
  t.test(`${JSON.stringify(a)} and ${JSON.stringify(b)}`, (t) => {
    t.equal(sameJson(a, b), same)
    t.equal(sameJson(b, a), same, 'the other way round')
    t.end()
  })
}
