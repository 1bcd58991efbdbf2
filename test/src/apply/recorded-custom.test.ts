/**
 * Writes to custom resources of random schemas, and what the original's merging made of them: one history a line, of
 * `{schema, writes: [{by, operation, force, said, object, owners} | {…, conflicts}]}`. Recorded, never edited by hand.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createFieldManager } from '../../../src/apply/field-manager.ts'
import { readStructural } from '../../../src/crd/schema/read.ts'
import { customMessage } from '../../../src/crd/shape/message.ts'
import type { JsonObject } from '../../../src/json.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { root } from '../../house/sources.ts'
import { metadata } from '../../support/schema.ts'

interface Write {
  readonly by: string
  readonly operation: 'Apply' | 'Update'
  readonly force?: boolean
  readonly said: JsonObject
  /** Paths; then nothing is written. */
  readonly conflicts?: readonly string[]
  readonly object?: JsonObject
  /** By manager and operation. */
  readonly owners?: JsonObject
}

interface History {
  readonly schema: JsonObject
  readonly writes: readonly Write[]
}

const kind = { group: 'test.example.com', version: 'v1', kind: 'Widget' }
const apiVersion = 'test.example.com/v1'
const now = '2030-01-01T00:00:00Z'

function play(t: Tap, { schema, writes }: History, line: number): void {
  const message = customMessage(readStructural(schema), kind, metadata)
  const manager = createFieldManager({ message, apiVersion, kind: 'Widget' })
  let live: ApiObject | undefined
  for (const [index, write] of writes.entries()) {
    const { by, said, conflicts, object, owners, force = false } = write
    const at = `line ${line}, write ${index}`
    const given = { apiVersion, kind: 'Widget', metadata: { name: 'w' }, ...said }
    if (write.operation === 'Update') {
      const managedFields = live?.metadata.managedFields
      const updated: ApiObject = {
        ...structuredClone(given),
        metadata: { name: 'w', ...(managedFields === undefined ? {} : { managedFields }) },
      }
      live = manager.updateManagedFields({ live, updated, manager: by, now }).object
    } else {
      const result = manager.apply({ live, applied: given, manager: by, force, now })
      const found = result.ok ? undefined : result.failure.details?.causes?.map(({ field }) => field).sort()
      t.same(found, conflicts, `${at}: conflicts`)
      if (!result.ok) continue
      live = result.value.object
    }
    const { apiVersion: _, kind: __, metadata: meta, ...content } = live
    t.same(content, object, `${at}: the object`)
    const entries = (meta.managedFields ?? []) as unknown as readonly Entry[]
    t.same(
      Object.fromEntries(entries.map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1])),
      owners,
      `${at}: its owners`,
    )
  }
}

type Tap = Pick<typeof t, 'same'>
interface Entry {
  readonly manager: string
  readonly operation: string
  readonly fieldsV1: JsonObject
}

t.test('custom resources are merged as they were recorded', (t) => {
  const lines = readFileSync(join(root, 'test/src/apply/recorded-custom.jsonl'), 'utf8').trim().split('\n')
  for (const [index, line] of lines.entries()) {
    const history: History = JSON.parse(line)
    play(t, history, index + 1)
  }
  t.end()
})
