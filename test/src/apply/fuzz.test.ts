/** Bodies that nobody should send: refused or applied, never a crash, and the arguments stay as they are. */

import t from 'tap'
import { createFieldManager } from '../../../src/apply/field-manager.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/json.ts'
import { applyStrategicMergePatch } from '../../../src/patch/strategic.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { body, object, widget } from './harness.ts'

const now = '2030-01-01T00:00:00Z'

const whole = body({
  metadata: { labels: { a: 'b' }, finalizers: ['f'], ownerReferences: [{ uid: 'u', name: 'n' }] },
  spec: {
    size: 1,
    memory: '1Gi',
    deadline: now,
    selector: { match: { a: 'b' } },
    limits: { cpu: '1' },
    items: [{ name: 'x', image: 'i', ports: [{ port: 80 }] }, { name: 'y' }],
    byPatchKey: [{ name: 'x' }],
    tags: ['a', 'b'],
    command: ['c'],
    untold: [{ name: 'u' }],
    extra: { any: [1, { thing: null }] },
  },
  status: { ready: 1, conditions: [{ type: 'T', status: 'S' }] },
})

const odd: readonly JsonValue[] = [
  null,
  true,
  0,
  -1.5,
  '',
  'x',
  '$patch',
  [],
  [null],
  [[]],
  {},
  { $patch: 'delete' },
  { $patch: 'odd' },
  { name: null },
  { name: 'x', $patch: 'replace' },
  { $retainKeys: [] },
  { '$setElementOrder/items': [{}] },
]

/** A copy with a few places replaced, dropped or doubled. */
function mutated(value: JsonValue, random: Random): JsonValue {
  if (random.below(25) === 0) return random.pick(odd)
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).map((item) => mutated(item, random))
    if (random.below(6) === 0) items.push(random.pick(items.length > 0 ? items : odd))
    return items
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
    .filter(() => random.below(12) > 0)
    .map(([name, part]) => [name, mutated(part ?? null, random)] as const)
  if (random.below(12) === 0)
    entries.push([
      random.pick(['odd', '__proto__', '$patch', '$retainKeys', '$deleteFromPrimitiveList/tags']),
      random.pick(odd),
    ])
  return Object.fromEntries(entries)
}

const seed = 4242

t.test(`no body and no managed fields make apply or update throw (seed ${seed})`, (t) => {
  const random = createRandom(seed)
  const manager = createFieldManager({
    message: widget,
    apiVersion: 'test/v1',
    kind: 'Widget',
    lastAppliedAnnotation: 'a',
  })
  const outcomes = { applied: 0, refused: 0 }
  for (let round = 0; round < 1000; round++) {
    const live = object(whole)
    const owned = manager.updateManagedFields({ live: undefined, updated: live, manager: 'u', now }).object
    const changed = mutated(whole, random)
    const applied: JsonObject = {
      ...(isJsonObject(changed) ? changed : {}),
      apiVersion: 'test/v1',
      kind: 'Widget',
    }
    const before = JSON.stringify([owned, applied])
    const result = manager.apply({
      live: owned,
      applied,
      manager: random.pick(['a', 'kubectl']),
      force: random.below(2) === 0,
      now,
    })
    if (result.ok) outcomes.applied++
    else outcomes.refused++
    if (JSON.stringify([owned, applied]) !== before) t.fail(`round ${round}: arguments changed`)
    const managedFields = mutated((owned.metadata.managedFields ?? []) as JsonValue, random)
    const edited = structuredClone(owned)
    edited.metadata.managedFields = managedFields as JsonObject[]
    const kept = manager.updateManagedFields({ live: owned, updated: edited, manager: 'v', now }).object
    if (!Array.isArray(kept.metadata.managedFields ?? []))
      t.fail(`round ${round}: managed fields that are none`)
  }
  t.ok(outcomes.applied > 30 && outcomes.refused > 30, JSON.stringify(outcomes))
  t.end()
})

t.test(`no patch makes strategic merge throw (seed ${seed})`, (t) => {
  const random = createRandom(seed)
  const outcomes = { merged: 0, refused: 0 }
  for (let round = 0; round < 1000; round++) {
    const original = mutated(whole, random)
    const patch = mutated(whole, random)
    if (!isJsonObject(original) || !isJsonObject(patch)) continue
    const result = applyStrategicMergePatch({ message: widget, original, patch })
    if (result.ok) outcomes.merged++
    else outcomes.refused++
  }
  t.ok(outcomes.merged > 30 && outcomes.refused > 30, JSON.stringify(outcomes))
  t.end()
})

t.test('bodies nested beyond any object are refused', (t) => {
  const deep = JSON.parse(`${'{"x":'.repeat(5000)}1${'}'.repeat(5000)}`) as JsonObject
  const manager = createFieldManager({ message: widget, apiVersion: 'test/v1', kind: 'Widget' })
  const result = manager.apply({
    live: undefined,
    applied: body({ spec: { extra: deep } }),
    manager: 'a',
    force: false,
    now,
  })
  t.match(result.ok ? '' : result.failure.message, /nested deeper than 1000 levels$/)
  t.end()
})
