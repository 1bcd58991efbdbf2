/**
 * What field ownership costs a write, in microseconds of one core:
 *
 *     node dist/bench/apply.js [rounds]
 *
 * A ConfigMap of 1 KiB: created, updated with two managers known, not changed at all, applied again, and applied with a
 * change. The objects are parsed anew for each round, as the verbs do; parsing is not counted.
 */

import { pathToFileURL } from 'node:url'
import { createFieldManager } from '../src/apply/field-manager.ts'
import { createNames } from '../src/names/names.ts'
import { loadPackage } from '../src/schema/load.ts'
import { createSchemas } from '../src/schema/schemas.ts'
import type { ApiObject } from '../src/types/object.ts'

interface Cost {
  readonly what: string
  /** Median over batches of rounds. */
  readonly microseconds: number
}

const batches = 20

export function measureApply(rounds: number): readonly Cost[] {
  const { expand } = createNames('cluster')
  const message = createSchemas({ load: loadPackage, expand }).message('core/v1.ConfigMap')
  const manager = createFieldManager({ message, apiVersion: 'v1', kind: 'ConfigMap' })
  const now = '2030-01-01T00:00:00Z'
  const created = configMap('0')
  const first = manager.updateManagedFields({
    live: undefined,
    updated: parse(created),
    manager: 'creator',
    now,
  }).object
  const owned = JSON.stringify(changed(manager, first, 'second', 'key-1', now))
  const changedText = JSON.stringify(withValue(parse(owned), 'key-2', 'x'))
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { 'key-9': 'mine' } }
  const firstApply = manager.apply({ live: parse(owned), applied: body, manager: 'a', force: true, now })
  if (!firstApply.ok) throw new Error(firstApply.failure.message)
  const applied = JSON.stringify(firstApply.value.object)
  const other = { ...body, data: { 'key-9': 'other' } }

  const update = (live: string, next: string) => () => {
    const request = { live: parse(live), updated: parse(next), manager: 'second', now }
    return () => manager.updateManagedFields(request)
  }
  const apply = (given: typeof body) => () => {
    const request = { live: parse(applied), applied: given, manager: 'a', force: false, now }
    return () => manager.apply(request)
  }
  return [
    cost('create', rounds, () => {
      const request = { live: undefined, updated: parse(created), manager: 'creator', now }
      return () => manager.updateManagedFields(request)
    }),
    cost('update, two managers', rounds, update(owned, changedText)),
    cost('update without a change', rounds, update(owned, owned)),
    cost('apply again', rounds, apply(body)),
    cost('apply a change', rounds, apply(other)),
  ]
}

function parse(text: string): ApiObject {
  return JSON.parse(text) as ApiObject // texts of this file
}

function configMap(value: string): string {
  const data = Object.fromEntries(
    Array.from({ length: 10 }, (_, n) => [`key-${n}`, `${value}`.padEnd(70, 'v')]),
  )
  const labels = { app: 'bench', tier: 'one' }
  return JSON.stringify({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'c', namespace: 'n', uid: 'u', creationTimestamp: null, labels },
    data,
  })
}

function withValue(object: ApiObject, name: string, value: string): ApiObject {
  return { ...object, data: { ...(object['data'] as Record<string, string>), [name]: value } }
}

function changed(
  manager: ReturnType<typeof createFieldManager>,
  live: ApiObject,
  name: string,
  key: string,
  now: string,
): ApiObject {
  const updated = parse(JSON.stringify(withValue(live, key, 'changed')))
  return manager.updateManagedFields({ live, updated, manager: name, now }).object
}

/** `prepare` makes a round's arguments and returns what is measured. */
function cost(what: string, rounds: number, prepare: () => () => unknown): Cost {
  const times: number[] = []
  for (let batch = 0; batch < batches; batch++) {
    const actions = Array.from({ length: Math.ceil(rounds / batches) }, prepare)
    const before = process.cpuUsage()
    for (const action of actions) action()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / actions.length)
  }
  times.sort((a, b) => a - b)
  return { what, microseconds: times[Math.floor(times.length / 2)] ?? 0 }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const rounds = Number(process.argv[2] ?? 20_000)
  for (const { what, microseconds } of measureApply(rounds)) {
    process.stdout.write(`${what.padEnd(26)} ${microseconds.toFixed(1)} µs\n`)
  }
}
