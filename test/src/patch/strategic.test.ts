/** Strategic merge patch as a table: what is there, what is sent, what comes out. */

import t from 'tap'
import type { JsonObject } from '../../../src/json.ts'
import { applyStrategicMergePatch, strategicDepthMax } from '../../../src/patch/strategic.ts'
import type { MessageType } from '../../../src/schema/descriptor.ts'
import { createRandom } from '../../support/random.ts'
import { field, keyed, list, map, message } from '../../support/schema.ts'

const port = message('Port', { port: 'int32', name: 'string' })
const item = message('Item', {
  name: 'string',
  value: 'string',
  env: map('string'),
  ports: keyed(['port'], port),
  tags: list('string', { patchStrategy: ['merge'] }),
  command: list('string'),
})
const widget: MessageType = message('Widget', {
  size: 'int32',
  labels: map('string'),
  items: keyed(['name'], item),
  volumes: keyed(['name'], item, { patchStrategy: ['merge', 'retainKeys'] }),
  tags: list('string', { patchStrategy: ['merge'] }),
  command: list('string'),
  plain: list(item),
  keyless: list(item, { patchStrategy: ['merge'] }),
  strategy: field(message('Strategy', { type: 'string', rolling: map('string') }), {
    patchStrategy: ['retainKeys'],
  }),
  whole: field(message('Whole', { a: 'string', b: 'string' }), { patchStrategy: ['replace'] }),
  extra: 'rawExtension',
})

interface Row {
  readonly what: string
  readonly original: JsonObject
  readonly patch: JsonObject
  readonly result?: JsonObject
  readonly failure?: RegExp
}

const items = (...names: string[]): JsonObject[] => names.map((name) => ({ name }))

const rows: readonly Row[] = [
  {
    what: 'sets and keeps',
    original: { size: 1, labels: { a: '1' } },
    patch: { size: 2, labels: { b: '2' } },
    result: { size: 2, labels: { a: '1', b: '2' } },
  },
  {
    what: 'null removes',
    original: { size: 1, labels: { a: '1', b: '2' } },
    patch: { size: null, labels: { a: null, c: null } },
    result: { labels: { b: '2' } },
  },
  {
    what: 'null in what is new says nothing',
    original: {},
    patch: { labels: { a: '1', b: null } },
    result: { labels: { a: '1' } },
  },
  {
    what: 'another kind of value takes the place',
    original: { labels: { a: '1' } },
    patch: { labels: 'x' },
    result: { labels: 'x' },
  },
  {
    what: 'any name is a name',
    original: {},
    patch: { labels: JSON.parse('{"__proto__":"p","constructor":"c"}') as JsonObject },
    result: { labels: JSON.parse('{"__proto__":"p","constructor":"c"}') as JsonObject },
  },
  {
    what: 'unknown fields merge like a merge patch',
    original: { odd: { a: 1, l: [1] } },
    patch: { odd: { b: 2, l: [2] } },
    result: { odd: { a: 1, l: [2], b: 2 } },
  },

  {
    what: 'a list of objects merges by key',
    original: {
      items: [
        { name: 'a', value: '1' },
        { name: 'b', value: '2' },
      ],
    },
    patch: { items: [{ name: 'b', value: '3' }] },
    result: {
      items: [
        { name: 'a', value: '1' },
        { name: 'b', value: '3' },
      ],
    },
  },
  {
    what: 'a new item comes first without an order',
    original: { items: items('a', 'b') },
    patch: { items: items('c') },
    result: { items: items('c', 'a', 'b') },
  },
  {
    what: 'the patch sets the order of what it names',
    original: { items: items('a', 'b', 'c', 'd') },
    patch: { items: items('d', 'b') },
    result: { items: items('a', 'c', 'd', 'b') },
  },
  {
    what: 'lists in lists merge by their own key',
    original: { items: [{ name: 'a', ports: [{ port: 80 }] }] },
    patch: { items: [{ name: 'a', ports: [{ port: 80, name: 'web' }, { port: 443 }] }] },
    result: { items: [{ name: 'a', ports: [{ port: 80, name: 'web' }, { port: 443 }] }] },
  },
  {
    what: 'a list without strategy is replaced',
    original: { command: ['a', 'b'], plain: items('a') },
    patch: { command: ['c'], plain: items('b') },
    result: { command: ['c'], plain: items('b') },
  },
  {
    what: 'scalars merge by value, those of the patch first',
    original: { tags: ['a', 'b'] },
    patch: { tags: ['c', 'b'] },
    result: { tags: ['c', 'a', 'b'] },
  },
  {
    what: 'an empty list merges nothing',
    original: { items: items('a') },
    patch: { items: [] },
    result: { items: items('a') },
  },
  {
    what: 'strategy replace',
    original: { whole: { a: '1' } },
    patch: { whole: { b: '2' } },
    result: { whole: { b: '2' } },
  },

  {
    what: '$patch replace of an object',
    original: { labels: { a: '1' }, size: 1 },
    patch: { labels: { $patch: 'replace', b: '2' } },
    result: { labels: { b: '2' }, size: 1 },
  },
  {
    what: '$patch replace of everything',
    original: { labels: { a: '1' }, size: 1 },
    patch: { $patch: 'replace', size: 2 },
    result: { size: 2 },
  },
  {
    what: '$patch delete empties an object',
    original: { labels: { a: '1' }, size: 1 },
    patch: { labels: { $patch: 'delete' } },
    result: { labels: {}, size: 1 },
  },
  {
    what: '$patch delete of what is not there',
    original: { size: 1 },
    patch: { labels: { $patch: 'delete' } },
    result: { size: 1 },
  },
  {
    what: '$patch merge is the default, spelled out',
    original: { labels: { a: '1' } },
    patch: { labels: { $patch: 'merge', b: '2' } },
    result: { labels: { a: '1', b: '2' } },
  },
  {
    what: '$patch delete of an item',
    original: { items: items('a', 'b') },
    patch: { items: [{ name: 'a', $patch: 'delete' }] },
    result: { items: items('b') },
  },
  {
    what: '$patch delete and a new item',
    original: { items: items('a', 'b') },
    patch: { items: [{ name: 'a', $patch: 'delete' }, { name: 'c' }] },
    result: { items: items('c', 'b') },
  },
  {
    what: '$patch replace of a list',
    original: { items: items('a', 'b') },
    patch: { items: [{ $patch: 'replace' }, { name: 'c' }] },
    result: { items: items('c') },
  },
  {
    what: '$patch replace with nothing',
    original: { items: items('a', 'b') },
    patch: { items: [{ $patch: 'replace' }] },
    result: { items: [] },
  },
  {
    what: '$patch merge of a list',
    original: { items: items('a') },
    patch: { items: [{ $patch: 'merge' }, { name: 'a', value: 'v' }] },
    result: { items: [{ name: 'a', value: 'v' }] },
  },
  {
    what: 'directives in what is new fall away',
    original: {},
    patch: {
      items: [
        { $patch: 'replace' },
        { name: 'a', $patch: 'delete' },
        { name: 'b', '$setElementOrder/ports': [] },
      ],
    },
    result: { items: items('b') },
  },
  {
    what: 'marks fall away in lists that do not merge',
    original: { plain: items('a') },
    patch: { plain: [{ $patch: 'replace' }, { name: 'b' }] },
    result: { plain: items('b') },
  },
  {
    what: 'an unknown directive',
    original: {},
    patch: { labels: { $patch: 'erase' } },
    failure: /^unknown patch type: "erase" in map/,
  },
  {
    what: 'an unknown directive in a list',
    original: { items: items('a') },
    patch: { items: [{ name: 'a', $patch: 1 }] },
    failure: /^unknown patch type: 1 in map/,
  },
  {
    what: 'no merge key',
    original: { items: items('a') },
    patch: { items: [{ value: '1' }] },
    failure: /^map: \{"value":"1"\} does not contain declared merge key: name$/,
  },
  {
    what: 'no merge key in a deletion',
    original: { items: items('a') },
    patch: { items: [{ $patch: 'delete' }] },
    failure: /does not contain declared merge key: name$/,
  },
  {
    what: 'no merge key in the schema',
    original: { keyless: items('a') },
    patch: { keyless: items('b') },
    failure: /^cannot merge lists without merge key for Item$/,
  },
  {
    what: 'items of two kinds',
    original: { items: items('a') },
    patch: { items: ['a'] },
    failure: /types are not identical/,
  },
  {
    what: 'lists of lists',
    original: { items: items('a') },
    patch: { items: [['a']] },
    failure: /lists of lists/,
  },

  {
    what: '$retainKeys drops the others',
    original: { strategy: { type: 'Rolling', rolling: { max: '1' } } },
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    result: { strategy: { type: 'Recreate' } },
  },
  {
    what: '$retainKeys in an item',
    original: { volumes: [{ name: 'v', value: 'x', env: { a: '1' } }] },
    patch: { volumes: [{ $retainKeys: ['name', 'command'], name: 'v', command: ['c'] }] },
    result: { volumes: [{ name: 'v', command: ['c'] }] },
  },
  {
    what: '$retainKeys without a key that is set',
    original: { strategy: { type: 'a' } },
    patch: { strategy: { $retainKeys: ['rolling'], type: 'b' } },
    failure: /doesn't match retainKeys list: type$/,
  },
  {
    what: '$retainKeys that is no list',
    original: {},
    patch: { strategy: { $retainKeys: 'type' } },
    failure: /^invalid patch format of retainKeys$/,
  },

  {
    what: '$setElementOrder alone',
    original: { items: items('a', 'b', 'c') },
    patch: { '$setElementOrder/items': items('c', 'a') },
    result: { items: items('b', 'c', 'a') },
  },
  {
    what: '$setElementOrder with a patch',
    original: { items: [{ name: 'a', value: '1' }, { name: 'b' }] },
    patch: {
      '$setElementOrder/items': items('b', 'c', 'a'),
      items: [{ name: 'c' }, { name: 'a', value: '2' }],
    },
    result: { items: [{ name: 'b' }, { name: 'c' }, { name: 'a', value: '2' }] },
  },
  {
    what: '$setElementOrder with a deletion',
    original: { items: items('a', 'b') },
    patch: { '$setElementOrder/items': items('b'), items: [{ name: 'a', $patch: 'delete' }] },
    result: { items: items('b') },
  },
  {
    what: 'items of the server keep their place',
    original: { items: items('a', 's', 'b') },
    patch: { '$setElementOrder/items': items('a', 'b', 'c'), items: items('c') },
    result: { items: items('a', 's', 'b', 'c') },
  },
  {
    what: '$setElementOrder of scalars',
    original: { tags: ['a', 'b', 'c'] },
    patch: { '$setElementOrder/tags': ['c', 'd', 'a'], tags: ['d'] },
    result: { tags: ['b', 'c', 'd', 'a'] },
  },
  {
    what: '$setElementOrder of a new list',
    original: {},
    patch: { '$setElementOrder/items': items('a', 'b'), items: items('a', 'b') },
    result: { items: items('a', 'b') },
  },
  {
    what: '$setElementOrder of nothing',
    original: { size: 1 },
    patch: { '$setElementOrder/items': items('a') },
    result: { size: 1 },
  },
  {
    what: '$setElementOrder and removal',
    original: { items: items('a') },
    patch: { '$setElementOrder/items': items('a'), items: null },
    result: {},
  },
  {
    what: '$setElementOrder in another order than the patch',
    original: { items: items('a', 'b') },
    patch: { '$setElementOrder/items': items('a', 'b'), items: items('b', 'a') },
    failure: /^The order in patch list:/,
  },
  {
    what: '$setElementOrder without an item of the patch',
    original: { items: items('a') },
    patch: { '$setElementOrder/items': items('a'), items: items('b') },
    failure: /doesn't match \$setElementOrder list/,
  },
  {
    what: '$setElementOrder that is no list',
    original: { items: items('a') },
    patch: { '$setElementOrder/items': 'a' },
    failure: /^invalid patch format of setElementOrder list$/,
  },
  {
    what: '$setElementOrder that names no list',
    original: {},
    patch: { '$setElementOrder/': [] },
    failure: /names no list$/,
  },

  {
    what: '$deleteFromPrimitiveList',
    original: { tags: ['a', 'b', 'c'] },
    patch: { '$deleteFromPrimitiveList/tags': ['a', 'x'] },
    result: { tags: ['b', 'c'] },
  },
  {
    what: '$deleteFromPrimitiveList with additions',
    original: { tags: ['a', 'b'] },
    patch: { '$deleteFromPrimitiveList/tags': ['a'], tags: ['c'] },
    result: { tags: ['c', 'b'] },
  },
  {
    what: '$deleteFromPrimitiveList of all three',
    original: { tags: ['a', 'b'] },
    patch: { '$setElementOrder/tags': ['b', 'c'], '$deleteFromPrimitiveList/tags': ['a'], tags: ['c'] },
    result: { tags: ['b', 'c'] },
  },
  {
    what: '$deleteFromPrimitiveList of no list',
    original: { size: 1 },
    patch: { '$deleteFromPrimitiveList/tags': ['a'] },
    result: { size: 1 },
  },
  {
    what: '$deleteFromPrimitiveList that is no list',
    original: { tags: ['a'] },
    patch: { '$deleteFromPrimitiveList/tags': 'a' },
    failure: /^invalid patch format of primitive list$/,
  },
]

for (const { what, original, patch, result, failure } of rows) {
  t.test(what, (t) => {
    const before = JSON.stringify([original, patch])
    const merged = applyStrategicMergePatch({ message: widget, original, patch })
    if (failure === undefined)
      t.equal(merged.ok ? JSON.stringify(merged.value) : merged.failure.message, JSON.stringify(result))
    else t.match(merged.ok ? 'no failure' : merged.failure.message, failure)
    t.equal(JSON.stringify([original, patch]), before, 'arguments stay as they are')
    t.end()
  })
}

t.test('depth is bounded', (t) => {
  let patch: JsonObject = {}
  for (let depth = 0; depth <= strategicDepthMax + 1; depth++) patch = { x: patch }
  const merged = applyStrategicMergePatch({ message: widget, original: {}, patch })
  t.match(merged.ok ? '' : merged.failure.message, /nested deeper than 256 levels/)
  t.end()
})

const seed = 77
t.test(`a patch made from two objects, applied to the first, gives the second (seed ${seed})`, (t) => {
  const random = createRandom(seed)
  for (let round = 0; round < 500; round++) {
    const original = randomObject(random)
    const wanted = randomObject(random)
    const patch = patchBetween(original, wanted)
    const merged = applyStrategicMergePatch({ message: widget, original, patch })
    const found = merged.ok ? JSON.stringify(sorted(merged.value)) : merged.failure.message
    if (found !== JSON.stringify(sorted(wanted))) {
      t.same(found, JSON.stringify(sorted(wanted)), `round ${round}: ${JSON.stringify({ original, patch })}`)
      break
    }
  }
  t.end()
})

type Random = ReturnType<typeof createRandom>

function randomObject(random: Random): JsonObject {
  const some = <T>(from: readonly T[]): T[] =>
    from.filter(() => random.below(2) === 0).sort(() => random.next() - 0.5)
  return {
    labels: Object.fromEntries(some(['a', 'b', 'c']).map((name) => [name, String(random.below(3))])),
    items: some(['p', 'q', 'r', 's']).map((name) => ({ name, value: String(random.below(3)) })),
    tags: some(['x', 'y', 'z']),
  }
}

/** As clients make it: changed values, deletions, and the order of every list. */
function patchBetween(original: JsonObject, wanted: JsonObject): JsonObject {
  const labels = wanted['labels'] as JsonObject
  const gone = Object.keys(original['labels'] as JsonObject).filter((name) => labels[name] === undefined)
  const wantedItems = wanted['items'] as readonly JsonObject[]
  const goneItems = (original['items'] as readonly JsonObject[]).filter(
    ({ name }) => !wantedItems.some((item) => item['name'] === name),
  )
  const tags = wanted['tags'] as readonly string[]
  return {
    labels: { ...labels, ...Object.fromEntries(gone.map((name) => [name, null])) },
    '$setElementOrder/items': wantedItems.map(({ name }) => ({ name: name ?? null })),
    items: [...wantedItems, ...goneItems.map(({ name }) => ({ name: name ?? null, $patch: 'delete' }))],
    '$setElementOrder/tags': tags,
    '$deleteFromPrimitiveList/tags': (original['tags'] as readonly string[]).filter(
      (tag) => !tags.includes(tag),
    ),
    tags,
  }
}

function sorted(object: JsonObject): JsonObject {
  const labels = Object.entries((object['labels'] ?? {}) as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1))
  return { labels: Object.fromEntries(labels), items: object['items'] ?? [], tags: object['tags'] ?? [] }
}
