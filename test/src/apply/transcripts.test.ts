/** Server-side apply as transcripts: what is written, by whom, and who owns what afterwards. */

import t from 'tap'
import { contentOf, type Owners, ownersOf, type Plain, playground } from './harness.ts'

type Step =
  | {
      readonly apply: string
      readonly body: Plain
      readonly force?: boolean
      readonly conflicts?: readonly string[]
      readonly changed?: boolean
    }
  | { readonly update: string; readonly object: Plain }

interface Transcript {
  readonly title: string
  readonly steps: readonly Step[]
  /** Content after the last step. */
  readonly object?: Plain
  readonly owners?: Owners
}

const transcripts: readonly Transcript[] = [
  {
    title: 'apply creates, and owns what it says and no more',
    steps: [{ apply: 'a', body: { spec: { size: 3, items: [{ name: 'x', image: 'i' }] } } }],
    object: { spec: { size: 3, items: [{ name: 'x', image: 'i' }] } },
    owners: {
      'a Apply': [
        '.spec.items[name="x"]',
        '.spec.items[name="x"].image',
        '.spec.items[name="x"].name',
        '.spec.size',
      ],
    },
  },
  {
    title: 'applying the same twice changes nothing',
    steps: [
      { apply: 'a', body: { spec: { size: 3, tags: ['x', 'y'], limits: { cpu: '1' } } } },
      { apply: 'a', body: { spec: { size: 3, tags: ['x', 'y'], limits: { cpu: '1' } } }, changed: false },
    ],
  },
  {
    title: 'the same value is shared without a conflict, another one conflicts',
    steps: [
      { apply: 'a', body: { spec: { size: 3 } } },
      { apply: 'b', body: { spec: { size: 3 } } },
      {
        apply: 'a',
        body: { spec: { size: 4 } },
        conflicts: ['conflict with "b" at .spec.size'],
      },
    ],
    object: { spec: { size: 3 } },
    owners: { 'a Apply': ['.spec.size'], 'b Apply': ['.spec.size'] },
  },
  {
    title: 'force takes the field from all others',
    steps: [
      { apply: 'a', body: { spec: { size: 3, paused: true } } },
      { apply: 'b', body: { spec: { size: 3 } } },
      { apply: 'c', body: { spec: { size: 5 } }, force: true },
    ],
    object: { spec: { size: 5, paused: true } },
    owners: { 'a Apply': ['.spec.paused'], 'c Apply': ['.spec.size'] },
  },
  {
    title: 'giving a field up keeps it while another owns it, and removes it when nobody does',
    steps: [
      { apply: 'a', body: { spec: { size: 3, paused: true, memory: '1Gi' } } },
      { apply: 'b', body: { spec: { size: 3 } } },
      { apply: 'a', body: { spec: { paused: true } } },
    ],
    object: { spec: { size: 3, paused: true } },
    owners: { 'a Apply': ['.spec.paused'], 'b Apply': ['.spec.size'] },
  },
  {
    title: 'the last owner to leave takes the field along',
    steps: [
      { apply: 'a', body: { spec: { size: 3, paused: true } } },
      { apply: 'b', body: { spec: { size: 3 } } },
      { apply: 'a', body: { spec: { paused: true } } },
      { apply: 'b', body: { spec: {} } },
    ],
    object: { spec: { paused: true } },
    owners: { 'a Apply': ['.spec.paused'], 'b Apply': ['.spec'] },
  },
  {
    title: 'an applier owns an empty object that it says',
    steps: [{ apply: 'a', body: { spec: { strategy: {}, limits: {} } } }],
    owners: { 'a Apply': ['.spec.limits', '.spec.strategy'] },
  },
  {
    title: 'update takes what it changes, from appliers too',
    steps: [
      { apply: 'a', body: { spec: { size: 3, paused: true } } },
      { update: 'u', object: { spec: { size: 4, paused: true } } },
      {
        apply: 'a',
        body: { spec: { size: 3, paused: true } },
        conflicts: ['conflict with "u" using test/v1 at .spec.size'],
      },
    ],
    object: { spec: { size: 4, paused: true } },
    owners: { 'a Apply': ['.spec.paused'], 'u Update': ['.spec.size'] },
  },
  {
    title: 'conflict resolution by leaving the field out',
    steps: [
      { apply: 'a', body: { spec: { size: 3, paused: true } } },
      { update: 'u', object: { spec: { size: 4, paused: true } } },
      { apply: 'a', body: { spec: { paused: true } } },
    ],
    object: { spec: { size: 4, paused: true } },
    owners: { 'a Apply': ['.spec.paused'], 'u Update': ['.spec.size'] },
  },
  {
    title: 'what an update removes belongs to nobody',
    steps: [
      { apply: 'a', body: { spec: { size: 3, paused: true, items: [{ name: 'x', image: 'i' }] } } },
      { update: 'u', object: { spec: { paused: true } } },
    ],
    object: { spec: { paused: true } },
    owners: { 'a Apply': ['.spec.paused'] },
  },
  {
    title: 'an update without a change leaves no trace',
    steps: [
      { apply: 'a', body: { spec: { size: 3 } } },
      { update: 'u', object: { spec: { size: 3 } } },
    ],
    owners: { 'a Apply': ['.spec.size'] },
  },
  {
    title: 'a create by update owns parts, not the messages that are always there',
    steps: [
      {
        update: 'u',
        object: {
          metadata: { labels: { app: 'w' }, finalizers: ['f/x'] },
          spec: {
            size: 1,
            selector: { match: { app: 'w' } },
            items: [{ name: 'x', image: 'i' }],
            strategy: { type: 'T' },
          },
        },
      },
    ],
    owners: {
      'u Update': [
        '.metadata.finalizers',
        '.metadata.finalizers[="f/x"]',
        '.metadata.labels',
        '.metadata.labels.app',
        '.spec.items',
        '.spec.items[name="x"]',
        '.spec.items[name="x"].image',
        '.spec.items[name="x"].name',
        '.spec.selector',
        '.spec.size',
        '.spec.strategy',
        '.spec.strategy.type',
      ],
    },
  },
  {
    title: 'items of list maps have owners of their own, keys have defaults',
    steps: [
      {
        apply: 'a',
        body: { spec: { items: [{ name: 'x', ports: [{ port: 80 }, { port: 53, protocol: 'UDP' }] }] } },
      },
      { apply: 'b', body: { spec: { items: [{ name: 'x', ports: [{ port: 53 }] }, { name: 'y' }] } } },
    ],
    object: {
      spec: {
        items: [
          { name: 'x', ports: [{ port: 80 }, { port: 53, protocol: 'UDP' }, { port: 53 }] },
          { name: 'y' },
        ],
      },
    },
    owners: {
      'a Apply': [
        '.spec.items[name="x"]',
        '.spec.items[name="x"].name',
        '.spec.items[name="x"].ports[port=53,protocol="UDP"]',
        '.spec.items[name="x"].ports[port=53,protocol="UDP"].port',
        '.spec.items[name="x"].ports[port=53,protocol="UDP"].protocol',
        '.spec.items[name="x"].ports[port=80,protocol="TCP"]',
        '.spec.items[name="x"].ports[port=80,protocol="TCP"].port',
      ],
      'b Apply': [
        '.spec.items[name="x"]',
        '.spec.items[name="x"].name',
        '.spec.items[name="x"].ports[port=53,protocol="TCP"]',
        '.spec.items[name="x"].ports[port=53,protocol="TCP"].port',
        '.spec.items[name="y"]',
        '.spec.items[name="y"].name',
      ],
    },
  },
  {
    title: 'an item that nobody owns any more goes as a whole, what a controller set in it included',
    steps: [
      { apply: 'a', body: { spec: { items: [{ name: 'x', image: 'i' }, { name: 'y' }] } } },
      { apply: 'a', body: { spec: { items: [{ name: 'y' }] } } },
    ],
    object: { spec: { items: [{ name: 'y' }] } },
    owners: { 'a Apply': ['.spec.items[name="y"]', '.spec.items[name="y"].name'] },
  },
  {
    title:
      'an item that its applier gives up goes, with what an updater set inside: only the item itself holds it',
    steps: [
      { apply: 'a', body: { spec: { items: [{ name: 'x', image: 'i' }] } } },
      { update: 'u', object: { spec: { items: [{ name: 'x', image: 'i', env: { A: '1' } }] } } },
      { apply: 'a', body: { spec: { size: 1 } } },
    ],
    object: { spec: { size: 1 } },
    owners: { 'a Apply': ['.spec.size'] },
  },
  {
    title: 'a list without list type merges by the merge key of strategic merge',
    steps: [
      { apply: 'a', body: { spec: { byPatchKey: [{ name: 'x' }] } } },
      { apply: 'b', body: { spec: { byPatchKey: [{ name: 'y' }] } } },
    ],
    object: { spec: { byPatchKey: [{ name: 'x' }, { name: 'y' }] } },
  },
  {
    title: 'a list of which nothing is said is one field',
    steps: [
      { apply: 'a', body: { spec: { untold: [{ name: 'x' }] } } },
      {
        apply: 'b',
        body: { spec: { untold: [{ name: 'y' }] } },
        conflicts: ['conflict with "a" at .spec.untold'],
      },
    ],
    owners: { 'a Apply': ['.spec.untold'] },
  },
  {
    title: 'sets are shared item by item',
    steps: [
      { apply: 'a', body: { spec: { tags: ['x', 'y'] } } },
      { apply: 'b', body: { spec: { tags: ['y', 'z'] } } },
      { apply: 'a', body: { spec: { size: 1 } } },
    ],
    object: { spec: { size: 1, tags: ['y', 'z'] } },
    owners: { 'a Apply': ['.spec.size'], 'b Apply': ['.spec.tags[="y"]', '.spec.tags[="z"]'] },
  },
  {
    title: 'an atomic list, map and struct are one field each',
    steps: [
      {
        apply: 'a',
        body: { spec: { command: ['x'], nodeSelector: { k: 'v' }, selector: { match: { k: 'v' } } } },
      },
      {
        apply: 'b',
        body: { spec: { command: ['y'], nodeSelector: { l: 'w' }, selector: { expressions: ['e'] } } },
        conflicts: [
          'conflict with "a" at .spec.command',
          'conflict with "a" at .spec.nodeSelector',
          'conflict with "a" at .spec.selector',
        ],
      },
      {
        apply: 'b',
        body: { spec: { command: ['y'], nodeSelector: { l: 'w' }, selector: { expressions: ['e'] } } },
        force: true,
      },
    ],
    object: { spec: { command: ['y'], nodeSelector: { l: 'w' }, selector: { expressions: ['e'] } } },
    owners: { 'b Apply': ['.spec.command', '.spec.nodeSelector', '.spec.selector'] },
  },
  {
    title: 'a granular map is owned key by key',
    steps: [
      { apply: 'a', body: { metadata: { labels: { x: '1' } } } },
      { apply: 'b', body: { metadata: { labels: { y: '2' } } } },
      {
        apply: 'b',
        body: { metadata: { labels: { x: '2', y: '2' } } },
        conflicts: ['conflict with "a" at .metadata.labels.x'],
      },
      { apply: 'a', body: { spec: { size: 1 } } },
    ],
    object: { metadata: { labels: { y: '2' } }, spec: { size: 1 } },
  },
  {
    title: 'spellings of one quantity or one instant are one value',
    steps: [
      {
        apply: 'a',
        body: { spec: { memory: '1Gi', limits: { cpu: '1' }, deadline: '2030-01-01T00:00:00Z' } },
      },
      {
        apply: 'b',
        body: { spec: { memory: '1024Mi', limits: { cpu: '1000m' }, deadline: '2030-01-01T01:00:00+01:00' } },
      },
    ],
    object: { spec: { memory: '1Gi', limits: { cpu: '1' }, deadline: '2030-01-01T00:00:00Z' } },
    owners: {
      'a Apply': ['.spec.deadline', '.spec.limits.cpu', '.spec.memory'],
      'b Apply': ['.spec.deadline', '.spec.limits.cpu', '.spec.memory'],
    },
  },
  {
    title: 'a number and its text are two values of an int-or-string',
    steps: [
      { apply: 'a', body: { spec: { strategy: { percent: 1 } } } },
      {
        apply: 'b',
        body: { spec: { strategy: { percent: '1' } } },
        conflicts: ['conflict with "a" at .spec.strategy.percent'],
      },
    ],
  },
  {
    title: 'a raw extension is one field',
    steps: [
      { apply: 'a', body: { spec: { extra: { x: { y: 1 } } } } },
      { apply: 'b', body: { spec: { extra: { z: 1 } } }, conflicts: ['conflict with "a" at .spec.extra'] },
    ],
    owners: { 'a Apply': ['.spec.extra'] },
  },
  {
    title: 'labels may have any name',
    steps: [
      {
        apply: 'a',
        body: { metadata: { labels: JSON.parse('{"__proto__":"p","constructor":"c",".":"d"}') as Plain } },
      },
      {
        apply: 'b',
        body: { metadata: { labels: JSON.parse('{"__proto__":"q"}') as Plain } },
        conflicts: ['conflict with "a" at .metadata.labels.__proto__'],
      },
    ],
    owners: {
      'a Apply': ['.metadata.labels..', '.metadata.labels.__proto__', '.metadata.labels.constructor'],
    },
  },
  {
    title: 'conflicts with several managers are all told',
    steps: [
      { apply: 'a', body: { spec: { size: 1 } } },
      { apply: 'b', body: { spec: { size: 1, paused: true } } },
      { update: 'u', object: { spec: { size: 1, paused: true, memory: '1' } } },
      {
        apply: 'c',
        body: { spec: { size: 2, paused: false, memory: '2' } },
        conflicts: [
          'conflict with "a" at .spec.size',
          'conflict with "b" at .spec.paused',
          'conflict with "b" at .spec.size',
          'conflict with "u" using test/v1 at .spec.memory',
        ],
      },
    ],
  },
]

for (const { title, steps, object, owners } of transcripts) {
  t.test(title, (t) => {
    const world = playground()
    for (const step of steps) {
      if ('update' in step) {
        t.same(world.update(step.update, step.object), [])
        continue
      }
      const result = world.apply(step.apply, step.body, { force: step.force ?? false })
      if (step.conflicts === undefined) {
        if (!result.ok) throw new Error(result.failure.message)
        if (step.changed !== undefined) t.equal(result.value, step.changed)
      } else if (result.ok) {
        t.fail('expected conflicts')
      } else {
        const causes = result.failure.details?.causes ?? []
        t.same(
          causes.map(({ message, field }) => `${message} at ${field}`),
          step.conflicts,
        )
        t.ok(causes.every(({ reason }) => reason === 'FieldManagerConflict'))
      }
    }
    const { live } = world
    if (live === undefined) throw new Error('nothing was written')
    if (object !== undefined) t.same(contentOf(live), object)
    if (owners !== undefined) t.same(ownersOf(live), owners)
    t.end()
  })
}
