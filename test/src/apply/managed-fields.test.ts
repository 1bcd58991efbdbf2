/** `metadata.managedFields` itself: its entries, their order, bounds, resets and what clients may do to them. */

import t from 'tap'
import { conflictFailure } from '../../../src/apply/conflict.ts'
import { fieldManagerCauses, managerFromUserAgent, managerOf } from '../../../src/apply/manager-name.ts'
import { keepTimesIfUnchanged } from '../../../src/apply/unchanged.ts'
import type { JsonObject } from '../../../src/json.ts'
import { toStatus } from '../../../src/status/status.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { body, object, ownersOf, type Playground, playground } from './harness.ts'

function liveOf(world: Playground): ApiObject {
  if (world.live === undefined) throw new Error('nothing was written')
  return world.live
}

t.test('entries are complete and deterministic', (t) => {
  const world = playground()
  world.update('zed', { spec: { size: 1 } })
  world.apply('alice', { spec: { paused: true } })
  t.same(liveOf(world).metadata.managedFields, [
    {
      manager: 'alice',
      operation: 'Apply',
      apiVersion: 'test/v1',
      time: '2030-01-01T00:00:02Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:paused': {} } },
    },
    {
      manager: 'zed',
      operation: 'Update',
      apiVersion: 'test/v1',
      time: '2030-01-01T00:00:01Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:size': {} } },
    },
  ])
  t.equal(
    JSON.stringify(liveOf(world).metadata.managedFields?.[0]),
    '{"manager":"alice","operation":"Apply","apiVersion":"test/v1","time":"2030-01-01T00:00:02Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:paused":{}}}}',
    'in the order that clients print',
  )
  t.end()
})

t.test('appliers first, then the oldest, then by name', (t) => {
  const world = playground()
  const time = '2030-01-01T00:00:00Z'
  const entry = (manager: string, operation: string, at: string, size: string): JsonObject => ({
    manager,
    operation,
    apiVersion: 'test/v1',
    time: at,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { [`f:${size}`]: {} } },
  })
  const managedFields = [
    entry('u', 'Update', time, 'a'),
    entry('z', 'Apply', time, 'b'),
    entry('b', 'Apply', time, 'c'),
    entry('y', 'Apply', '2029-01-01T00:00:00Z', 'd'),
    entry('t', 'Update', time, 'e'),
  ]
  world.update('v', { spec: { size: 1 }, metadata: { managedFields } })
  t.same(
    liveOf(world).metadata.managedFields?.map((written) => written['manager']),
    ['y', 'b', 'z', 't', 'u', 'v'],
  )
  t.end()
})

t.test('untouched entries stay as they were stored', (t) => {
  const world = playground()
  world.update('one', { spec: { size: 1 } })
  world.update('two', { spec: { size: 1, paused: true } })
  const [first] = liveOf(world).metadata.managedFields ?? []
  world.update('three', { spec: { size: 1, paused: true, memory: '1' } })
  t.equal(liveOf(world).metadata.managedFields?.[0], first, 'the same object')
  const before = liveOf(world).metadata.managedFields
  world.update('four', { spec: { size: 1, paused: true, memory: '1' } })
  t.equal(liveOf(world).metadata.managedFields, before, 'the same list when nothing changed')
  t.end()
})

t.test('what only the server decides about the object itself has no owner', (t) => {
  const world = playground()
  world.update('u', {
    metadata: { uid: 'u', resourceVersion: '7', generation: 3, creationTimestamp: '2030-01-01T00:00:00Z' },
  })
  t.equal(liveOf(world).metadata.managedFields, undefined)
  world.apply('a', { metadata: { labels: { x: 'y' } } })
  t.same(ownersOf(liveOf(world)), { 'a Apply': ['.metadata.labels.x'] })
  t.end()
})

t.test('status has entries of its own, and the two doors leave each other alone', (t) => {
  const main = playground({ ignoredFields: [['status']] })
  const status = playground({ subresource: 'status', ignoredFields: [['spec'], ['metadata', 'labels']] })
  main.update('u', { spec: { size: 1 }, status: { ready: 1 } })
  status.live = main.live
  status.update('u', { spec: { size: 2 }, status: { ready: 2 } })
  t.same(ownersOf(liveOf(status)), { 'u Update': ['.spec.size'], 'u Update status': ['.status.ready'] })
  main.live = status.live
  const conflict = playground().manager.apply({
    live: main.live,
    applied: body({ status: { ready: 3 } }),
    manager: 'a',
    force: false,
    now: '2030-01-01T00:00:00Z',
  })
  t.equal(
    conflict.ok ? '' : conflict.failure.message,
    'Apply failed with 1 conflict: conflict with "u" with subresource "status" using test/v1: .status.ready',
  )
  t.end()
})

t.test('a subresource takes no managedFields from the request', (t) => {
  const status = playground({ subresource: 'status' })
  status.live = object({ spec: { size: 1 } })
  status.update('u', { spec: { size: 1 }, status: { ready: 1 }, metadata: { managedFields: [{}] } })
  t.same(ownersOf(liveOf(status)), { 'u Update status': ['.status.ready'] })
  t.end()
})

t.test('clients may edit, reset and break managedFields', (t) => {
  const own = {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'test/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:paused': {} } },
  }
  const table: readonly {
    readonly what: string
    readonly given: JsonObject[] | null
    readonly owners: Readonly<Record<string, readonly string[]>>
    readonly warnings?: number
  }[] = [
    {
      what: 'one empty entry starts over, the writer owns its change',
      given: [{}],
      owners: { 'u Update': ['.spec.paused'] },
    },
    {
      what: 'an empty list changes nothing',
      given: [],
      owners: { 'a Apply': ['.spec.size'], 'u Update': ['.spec.paused'] },
    },
    {
      what: 'null changes nothing',
      given: null,
      owners: { 'a Apply': ['.spec.size'], 'u Update': ['.spec.paused'] },
    },
    {
      what: 'valid entries are taken, and lose what changes',
      given: [own, { ...own, manager: 'n', fieldsV1: { 'f:spec': { 'f:size': {} } } }],
      owners: { 'n Update': ['.spec.size'], 'u Update': ['.spec.paused'] },
    },
    {
      what: 'no operation',
      given: [{ ...own, operation: 'Patch' }],
      owners: { 'a Apply': ['.spec.size'], 'u Update': ['.spec.paused'] },
      warnings: 1,
    },
    {
      what: 'no version',
      given: [{ ...own, apiVersion: '' }],
      owners: { 'a Apply': ['.spec.size'], 'u Update': ['.spec.paused'] },
      warnings: 1,
    },
    {
      what: 'another fields type',
      given: [{ ...own, fieldsType: 'FieldsV2' }],
      owners: { 'a Apply': ['.spec.size'], 'u Update': ['.spec.paused'] },
      warnings: 1,
    },
    {
      what: 'no field set',
      given: [{ ...own, fieldsV1: { nonsense: {} } }],
      owners: { 'a Apply': ['.spec.size'], 'u Update': ['.spec.paused'] },
      warnings: 1,
    },
  ]
  for (const { what, given, owners, warnings = 0 } of table) {
    const world = playground()
    world.apply('a', { spec: { size: 1 } })
    const found = world.update('u', { spec: { size: 1, paused: true }, metadata: { managedFields: given } })
    t.same(ownersOf(liveOf(world)), owners, what)
    t.equal(found.length, warnings, what)
  }
  t.end()
})

t.test('given entries of versions that are not there are dropped, even when nothing changes', (t) => {
  const given = (manager: string, apiVersion: string): JsonObject => ({
    manager,
    operation: 'Update',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:size': {} } },
  })
  const world = playground()
  world.apply('a', { spec: { size: 1 } })
  const managedFields = [given('m', 'gone/v1'), given('', 'test/v1')]
  world.update('u', { spec: { size: 1 }, metadata: { managedFields } })
  const { managedFields: kept } = liveOf(world).metadata
  t.same(kept, [
    {
      operation: 'Update',
      apiVersion: 'test/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:size': {} } },
    },
  ])
  t.end()
})

t.test('broken stored entries are dropped with a warning', (t) => {
  const world = playground()
  const live = object({ spec: { size: 1 }, metadata: { managedFields: [{ manager: 'x' }] } })
  const updated = object({ spec: { size: 2 } })
  const result = world.manager.updateManagedFields({ live, updated, manager: 'u', now: world.now() })
  t.equal(result.warnings.length, 1)
  t.same(ownersOf(result.object), { 'u Update': ['.spec.size'] })
  const applied = world.manager.apply({
    live,
    applied: body({ spec: { size: 1 } }),
    manager: 'a',
    force: false,
    now: world.now(),
  })
  t.ok(applied.ok && applied.value.warnings.length === 1)
  t.end()
})

t.test('more than ten updaters: the oldest become one', (t) => {
  const world = playground()
  const limits: Record<string, string> = {}
  const tags: string[] = []
  for (let n = 0; n < 14; n++) {
    limits[`r${n}`] = '1'
    world.update(`manager-${n}`, { spec: { limits: { ...limits }, tags: [...tags] } })
    tags.push(`t${n}`)
    world.apply(`applier-${n}`, { spec: { tags: [`t${n}`] } })
  }
  const entries = liveOf(world).metadata.managedFields ?? []
  const updates = entries.filter((entry) => entry['operation'] === 'Update')
  t.equal(updates.length, 10)
  t.equal(entries.length, 24, 'appliers are never merged')
  t.equal(updates[0]?.['manager'], 'ancient-changes')
  t.same(ownersOf(liveOf(world))['ancient-changes Update'], [
    '.spec.limits',
    ...['r0', 'r1', 'r2', 'r3', 'r4'].map((name) => `.spec.limits.${name}`),
  ])
  t.same(
    new Set(
      Object.values(ownersOf(liveOf(world)))
        .flat()
        .filter((path) => path.startsWith('.spec.limits.')),
    ).size,
    14,
  )
  t.end()
})

t.test('before the first apply, everything belongs to a manager of its own', (t) => {
  const world = playground()
  world.live = object({ spec: { size: 3, tags: ['x'] } })
  const refused = world.apply('a', { spec: { size: 4 } })
  t.equal(
    refused.ok ? '' : refused.failure.message,
    'Apply failed with 1 conflict: conflict with "before-first-apply" using test/v1: .spec.size',
  )
  t.ok(world.apply('a', { spec: { size: 3 } }).ok)
  t.same(ownersOf(liveOf(world)), {
    'a Apply': ['.spec.size'],
    'before-first-apply Update': ['.spec.size', '.spec.tags', '.spec.tags[="x"]'],
  })
  t.end()
})

t.test('the answer to a conflict', (t) => {
  const writer = { operation: 'Update', apiVersion: 'apps/v1', subresource: '', time: undefined } as const
  const one = conflictFailure([{ field: '.spec.replicas', manager: 'x', ...writer }])
  t.same(toStatus(one), {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Apply failed with 1 conflict: conflict with "x" using apps/v1: .spec.replicas',
    reason: 'Conflict',
    details: {
      causes: [
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "x" using apps/v1',
          field: '.spec.replicas',
        },
      ],
    },
    code: 409,
  })
  const many = conflictFailure([
    { field: '.spec.replicas', manager: 'x', ...writer },
    { field: '.spec.paused', manager: 'x', ...writer },
    { field: '.spec.paused', manager: 'y', ...writer, operation: 'Apply' },
  ])
  t.equal(
    many.message,
    'Apply failed with 3 conflicts: conflicts with "x" using apps/v1:\n- .spec.replicas\n- .spec.paused\nconflicts with "y":\n- .spec.paused',
  )
  t.end()
})

t.test('bodies that cannot be applied', (t) => {
  const prefix = 'failed to create typed patch object (ns/w; test/v1, Kind=Widget): '
  const table: readonly (readonly [what: string, body: JsonObject, message: string])[] = [
    ['another version', { ...body({}), apiVersion: 'test/v2' }, 'invalid object type: test/v2, Kind=Widget'],
    ['another kind', { ...body({}), kind: 'Gadget' }, 'invalid object type: test/v1, Kind=Gadget'],
    ['managedFields', body({ metadata: { managedFields: [] } }), 'metadata.managedFields must be nil'],
    ['an unknown field', body({ spec: { sise: 1 } }), `${prefix}.spec.sise: field not declared in schema`],
    [
      'a text for a number',
      body({ spec: { size: '1' } }),
      `${prefix}.spec.size: expected numeric (int or float), got string`,
    ],
    ['a list for an object', body({ spec: [] }), `${prefix}.spec: expected map, got &{[]}`],
    [
      'an object for a list',
      body({ spec: { command: {} } }),
      `${prefix}.spec.command: expected list, got &{map[]}`,
    ],
    [
      'a key left out',
      body({ spec: { items: [{ image: 'i' }] } }),
      `${prefix}.spec.items: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
    ],
    [
      'a key twice',
      body({ spec: { items: [{ name: 'x' }, { name: 'x' }] } }),
      `${prefix}.spec.items: duplicate entries for key [name="x"]`,
    ],
    [
      'a value twice',
      body({ spec: { tags: ['x', 'x'] } }),
      `${prefix}.spec.tags: duplicate entries for key [="x"]`,
    ],
    [
      'several problems',
      body({ spec: { size: true, paused: 1 } }),
      `${prefix}errors:\n  .spec.size: expected numeric (int or float), got bool\n  .spec.paused: expected boolean, got &{1}`,
    ],
  ]
  const { manager } = playground()
  for (const [what, applied, message] of table) {
    const result = manager.apply({
      live: undefined,
      applied,
      manager: 'a',
      force: true,
      now: '2030-01-01T00:00:00Z',
    })
    t.same(result.ok ? undefined : result.failure, { reason: 'BadRequest', message }, what)
  }
  t.end()
})

t.test('live objects with duplicate items are tolerated', (t) => {
  const world = playground()
  const twice = [
    { name: 'x', image: '1' },
    { name: 'x', image: '2' },
  ]
  t.same(world.update('u', { spec: { items: twice } }), [])
  t.same(ownersOf(liveOf(world)), { 'u Update': ['.spec.items', '.spec.items[name="x"]'] })
  t.ok(world.apply('a', { spec: { items: [{ name: 'y' }] } }).ok)
  t.same((liveOf(world) as unknown as { spec: { items: unknown } }).spec.items, [...twice, { name: 'y' }])
  const taken = world.apply('b', { spec: { items: [{ name: 'x', image: '3' }] } }, { force: true })
  t.ok(taken.ok)
  t.same((liveOf(world) as unknown as { spec: { items: unknown } }).spec.items, [
    { name: 'x', image: '3' },
    { name: 'y' },
  ])
  t.end()
})

t.test('list items without their key: ownership is dropped, the write goes on', (t) => {
  const world = playground()
  const updated = object({ spec: { byPatchKey: [null] } })
  const result = world.manager.updateManagedFields({
    live: undefined,
    updated,
    manager: 'u',
    now: world.now(),
  })
  t.equal(result.object.metadata.managedFields, undefined)
  t.equal(result.warnings.length, 1)
  t.end()
})

t.test('a change of nothing but times is none', (t) => {
  const world = playground()
  world.update('u', { spec: { size: 1 } })
  const live = liveOf(world)
  const retimed = (live.metadata.managedFields ?? []).map((entry) => ({
    ...entry,
    time: '2031-01-01T00:00:00Z',
  }))
  const same = { ...live, metadata: { ...live.metadata, managedFields: retimed } }
  keepTimesIfUnchanged(same, live)
  t.equal(same.metadata.managedFields, live.metadata.managedFields)
  const other = { ...live, spec: { size: 2 }, metadata: { ...live.metadata, managedFields: retimed } }
  keepTimesIfUnchanged(other, live)
  t.equal(other.metadata.managedFields, retimed)
  t.end()
})

t.test('names of managers', (t) => {
  const agents: readonly (readonly [agent: string, name: string])[] = [
    ['kubectl/v1.30.0 (linux/amd64)', 'kubectl'],
    ['curl', 'curl'],
    ['', ''],
    ['a\u0000b\u00a0c d/1', 'abc d'],
    ['é'.repeat(100), 'é'.repeat(64)],
    ['x'.repeat(200), 'x'.repeat(128)],
  ]
  for (const [agent, name] of agents) t.equal(managerFromUserAgent(agent), name)
  t.equal(managerOf('given', 'agent/1'), 'given')
  t.equal(managerOf(undefined, 'agent/1'), 'agent')
  const world = playground()
  world.update('', { spec: { size: 1 } })
  t.same(Object.keys(ownersOf(liveOf(world))), ['unknown Update'])
  t.same(fieldManagerCauses('ok', true), [])
  t.same(
    fieldManagerCauses('', true).map(({ message }) => message),
    ['Required value: is required for apply patch'],
  )
  t.same(
    fieldManagerCauses('x'.repeat(129), false).map(({ reason }) => reason),
    ['FieldValueTooLong'],
  )
  t.same(
    fieldManagerCauses('a\nb', false).map(({ reason }) => reason),
    ['FieldValueInvalid'],
  )
  t.end()
})
