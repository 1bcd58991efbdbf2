/** Owners that wrote through another version, and schemas that changed under stored sets. */

import t from 'tap'
import type { ConvertVersion } from '../../../src/apply/tracking.ts'
import type { JsonObject } from '../../../src/json.ts'
import type { MapType, MessageType } from '../../../src/schema/descriptor.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { field, keyed, kindOf, list, map, message } from '../../support/schema.ts'
import { ownersOf, type Plain, type Playground, playground } from './harness.ts'

function liveOf(world: Playground): ApiObject {
  if (world.live === undefined) throw new Error('nothing was written')
  return world.live
}

/** test/v2 calls `size` `replicas`; test/v0 is not served any more. */
const old = kindOf('Widget', {
  spec: field(message('Spec', { size: field('int32', { pointer: true }), paused: 'bool' }), {
    pointer: false,
  }),
})
const next = kindOf('Widget', {
  spec: field(message('Spec', { replicas: field('int32', { pointer: true }), paused: 'bool' }), {
    pointer: false,
  }),
})

const convert: ConvertVersion = (object, apiVersion) => {
  const spec = (object['spec'] ?? {}) as Plain
  const { size, replicas, ...rest } = spec
  const count = size ?? replicas
  if (apiVersion === 'test/v1') {
    return {
      object: { ...object, apiVersion, spec: count === undefined ? rest : { ...rest, size: count } },
      message: old,
    }
  }
  if (apiVersion === 'test/v2') {
    return {
      object: { ...object, apiVersion, spec: count === undefined ? rest : { ...rest, replicas: count } },
      message: next,
    }
  }
  return undefined
}

function converted(live: ApiObject, apiVersion: string): ApiObject {
  const result = convert(live as unknown as JsonObject, apiVersion)
  if (result === undefined) throw new Error('not served')
  return result.object as unknown as ApiObject
}

/** Two doors to one object. */
function twoVersions(): { v1: Playground; v2: Playground } {
  const v1 = playground({ message: old, convert })
  const v2 = playground({ message: next, apiVersion: 'test/v2', convert })
  return { v1, v2 }
}

t.test('a set is kept in the version it was written in, and compared there', (t) => {
  const { v1, v2 } = twoVersions()
  v1.update('u', { spec: { size: 1 } })
  v2.live = converted(liveOf(v1), 'test/v2')
  const conflict = v2.manager.apply({
    live: v2.live,
    applied: { apiVersion: 'test/v2', kind: 'Widget', metadata: { name: 'w' }, spec: { replicas: 2 } },
    manager: 'a',
    force: false,
    now: '2030-01-01T00:00:00Z',
  })
  t.equal(
    conflict.ok ? '' : conflict.failure.message,
    'Apply failed with 1 conflict: conflict with "u" using test/v1: .spec.size',
    'the field is called as its owner calls it',
  )
  const updated = structuredClone(v2.live)
  updated['spec'] = { replicas: 3 } as never
  v2.manager.updateManagedFields({ live: v2.live, updated, manager: 'u', now: '2030-01-01T00:00:00Z' })
  t.same(ownersOf(updated), { 'u Update': ['.spec.replicas'] }, 'the entry of the other version lost it')
  t.equal(updated.metadata.managedFields?.[0]?.['apiVersion'], 'test/v2')
  t.end()
})

t.test('an applier moves on to another version and keeps one entry', (t) => {
  const { v1, v2 } = twoVersions()
  t.ok(v1.apply('a', { spec: { size: 1, paused: true } }).ok)
  const live = converted(liveOf(v1), 'test/v2')
  const applied = {
    apiVersion: 'test/v2',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'ns' },
    spec: { paused: true },
  }
  const result = v2.manager.apply({ live, applied, manager: 'a', force: false, now: '2030-01-01T00:00:00Z' })
  if (!result.ok) throw new Error(result.failure.message)
  t.same(ownersOf(result.value.object), { 'a Apply': ['.spec.paused'] })
  t.same(result.value.object['spec'], { paused: true }, 'what it applied through the old version is given up')
  t.end()
})

t.test('entries of versions that are gone go with the next change', (t) => {
  const world = playground({ message: old, convert })
  const gone = {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'test/v0',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:count': {} } },
  }
  world.update('u', { spec: { size: 1 }, metadata: { managedFields: [gone] } })
  t.same(ownersOf(liveOf(world)), { 'u Update': ['.spec.size'] })
  t.end()
})

function shaped(type: MapType, listType: 'map' | 'atomic'): MessageType {
  const item = message('Item', { name: field('string', { omitEmpty: false }), image: 'string' })
  const items = listType === 'map' ? keyed(['name'], item) : list(item, { listType: 'atomic' })
  const pair = message('Pair', { a: 'string', b: 'string' }, { structType: type })
  const spec = message('Spec', { pair, keys: map('string', { mapType: type }), items })
  return kindOf('Widget', { spec: field(spec, { pointer: false }) })
}

const granular = shaped('granular', 'map')
const atomic = shaped('atomic', 'atomic')

t.test('granular to atomic: who owned a piece owns the whole', (t) => {
  const before = playground({ message: granular })
  before.apply('a', { spec: { pair: { a: '1' }, keys: { x: '1' }, items: [{ name: 'n', image: 'i' }] } })
  before.apply('b', { spec: { pair: { b: '1' }, keys: { y: '1' } } })
  const after = playground({ message: atomic })
  after.live = liveOf(before)
  const refused = after.apply('c', { spec: { pair: { a: '2' }, keys: { x: '2' }, items: [] } })
  t.same(
    refused.ok ? [] : refused.failure.details?.causes?.map(({ message, field }) => `${message}: ${field}`),
    [
      'conflict with "a": .spec.items',
      'conflict with "a": .spec.keys',
      'conflict with "a": .spec.pair',
      'conflict with "b": .spec.keys',
      'conflict with "b": .spec.pair',
    ],
  )
  after.update('u', {
    spec: { pair: { a: '2' }, keys: { x: '1', y: '1' }, items: [{ name: 'n', image: 'i' }] },
  })
  const owners = ownersOf(liveOf(after))
  t.same(owners['u Update'], ['.spec.pair'])
  t.notOk(JSON.stringify(owners['b Apply']).includes('pair'), 'an update takes the whole from all of them')
  t.end()
})

t.test('atomic to granular: the owner of the whole owns no piece', (t) => {
  const before = playground({ message: atomic })
  before.apply('a', { spec: { pair: { a: '1' }, keys: { x: '1' }, items: [{ name: 'n', image: 'i' }] } })
  const after = playground({ message: granular })
  after.live = liveOf(before)
  const result = after.apply('b', {
    spec: { pair: { a: '2' }, keys: { x: '2' }, items: [{ name: 'n', image: 'j' }] },
  })
  t.ok(result.ok, 'no conflict')
  t.end()
})
