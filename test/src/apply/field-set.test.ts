/** Field sets: their one wire form, and their algebra against plain sets of paths. */

import t from 'tap'
import { describePath, parseElement } from '../../../src/apply/element.ts'
import {
  difference,
  equalSets,
  type FieldSet,
  intersection,
  isSubset,
  pathsOf,
  recursiveDifference,
  union,
} from '../../../src/apply/field-set.ts'
import { parseFieldSet, setOf } from '../../../src/apply/set-builder.ts'
import type { JsonValue } from '../../../src/json.ts'
import { createRandom } from '../../support/random.ts'

const text = (set: FieldSet | undefined): string => JSON.stringify(set)

t.test('one set, one text', (t) => {
  const table: readonly (readonly [what: string, given: string, canonical: string | undefined])[] = [
    ['nothing', '{}', '{}'],
    ['fields in order', '{"f:b":{},"f:a":{}}', '{"f:a":{},"f:b":{}}'],
    [
      'self first, then fields, keys, values, places',
      '{"f:l":{"i:1":{},"v:\\"x\\"":{},"k:{\\"a\\":1}":{},"f:z":{},".":{}}}',
      '{"f:l":{".":{},"f:z":{},"k:{\\"a\\":1}":{},"v:\\"x\\"":{},"i:1":{}}}',
    ],
    ['a member without parts is empty', '{"f:a":{".":{}}}', '{"f:a":{}}'],
    [
      'keys of one item in order',
      '{"f:l":{"k:{\\"b\\":1,\\"a\\":\\"x\\"}":{}}}',
      '{"f:l":{"k:{\\"a\\":\\"x\\",\\"b\\":1}":{}}}',
    ],
    [
      'numbers in order of value',
      '{"f:l":{"k:{\\"p\\":443}":{},"k:{\\"p\\":80}":{}}}',
      '{"f:l":{"k:{\\"p\\":80}":{},"k:{\\"p\\":443}":{}}}',
    ],
    ['steps of later releases fall away', '{"x:new":{},"f:a":{}}', '{"f:a":{}}'],
    ['no step', '{"a":{}}', undefined],
    ['no JSON after v:', '{"v:oops":{}}', undefined],
    ['no keys after k:', '{"k:[]":{}}', undefined],
    ['no object', '{"f:a":1}', undefined],
    ['null', 'null', undefined],
    ['a list', '[]', undefined],
    ['deeper than any object', `${'{"f:a":'.repeat(200)}{}${'}'.repeat(200)}`, undefined],
  ]
  for (const [what, given, canonical] of table) {
    const parsed = parseFieldSet(JSON.parse(given) as JsonValue)
    t.equal(parsed === undefined ? undefined : text(parsed), canonical, what)
  }
  t.end()
})

t.test('paths as people write them', (t) => {
  const table: readonly (readonly [path: readonly string[], written: string])[] = [
    [['f:spec', 'f:replicas'], '.spec.replicas'],
    [['f:a', 'k:{"name":"web"}', 'f:image'], '.a[name="web"].image'],
    [['f:p', 'k:{"port":80,"protocol":"TCP"}'], '.p[port=80,protocol="TCP"]'],
    [['f:finalizers', 'v:"x/y"'], '.finalizers[="x/y"]'],
    [['f:list', 'i:3'], '.list[3]'],
  ]
  for (const [path, written] of table) t.equal(describePath(path), written)
  t.equal(parseElement('f:').kind, 'field', 'a label may be empty in name')
  t.equal(parseElement('i:x').kind, 'invalid')
  t.end()
})

t.test('to take a path leaves its parts, unless they are taken along', (t) => {
  const set = setOf([['f:a'], ['f:a', 'f:b'], ['f:c']])
  const taken = setOf([['f:a']])
  t.equal(text(difference(set, taken)), '{"f:a":{"f:b":{}},"f:c":{}}')
  t.equal(text(recursiveDifference(set, taken)), '{"f:c":{}}')
  t.end()
})

/** Sets of paths as sets of texts: slow, obvious. */
function randomPaths(random: ReturnType<typeof createRandom>): Set<string> {
  const steps = ['f:a', 'f:b', 'f:c', 'k:{"n":"x"}', 'k:{"n":10}', 'k:{"n":9}', 'v:"s"', 'v:2', 'i:0']
  const paths = new Set<string>()
  for (let count = random.below(9); count > 0; count--) {
    const path = Array.from({ length: 1 + random.below(4) }, () => random.pick(steps))
    paths.add(JSON.stringify(path))
  }
  return paths
}

const fromTexts = (paths: Iterable<string>): FieldSet =>
  setOf([...paths].map((path) => JSON.parse(path) as string[]))
const toTexts = (set: FieldSet): string[] =>
  pathsOf(set)
    .map((path) => JSON.stringify(path))
    .sort()

const seed = 20260
t.test(`algebra equals that of plain sets of paths (seed ${seed})`, (t) => {
  const random = createRandom(seed)
  for (let round = 0; round < 2000; round++) {
    const a = randomPaths(random)
    const b = randomPaths(random)
    const setA = fromTexts(a)
    const setB = fromTexts(b)
    const startsIn = (path: string): boolean =>
      [...b].some(
        (taken) => path.startsWith(taken.slice(0, -1)) && /^[,\]]/.test(path.slice(taken.length - 1)),
      )
    const expected = {
      paths: [...a].sort(),
      union: [...new Set([...a, ...b])].sort(),
      intersection: [...a].filter((path) => b.has(path)).sort(),
      difference: [...a].filter((path) => !b.has(path)).sort(),
      recursive: [...a].filter((path) => !startsIn(path)).sort(),
      isSubset: [...a].every((path) => b.has(path)),
    }
    const found = {
      paths: toTexts(setA),
      union: toTexts(union(setA, setB)),
      intersection: toTexts(intersection(setA, setB)),
      difference: toTexts(difference(setA, setB)),
      recursive: toTexts(recursiveDifference(setA, setB)),
      isSubset: isSubset(setA, setB),
    }
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      t.same(found, expected, `round ${round}: ${text(setA)} ${text(setB)}`)
      break
    }
    const both = union(setA, setB)
    for (const set of [setA, both, difference(setA, setB), intersection(setA, setB)]) {
      const again = parseFieldSet(JSON.parse(text(set)) as JsonValue)
      if (again === undefined || text(again) !== text(set) || !equalSets(again, set)) {
        t.fail(`round ${round}: not canonical: ${text(set)}`)
      }
    }
    if (text(both) !== text(union(setB, setA))) t.fail(`round ${round}: union depends on the order`)
  }
  t.end()
})
