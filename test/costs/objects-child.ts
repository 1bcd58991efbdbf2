/**
 * Heap that an object of the cache takes beside its bytes: as it is, and once a selector has asked for its labels. Needs
 * `--expose-gc`.
 */

import assert from 'node:assert/strict'
import { decodeRecord, encodeRecord, type StoredObject } from '../../src/storage/record.ts'
import { key, revision } from '../../store/contract.ts'

const count = 20_000
const prefix = 'core/pods'

function stored(n: number): StoredObject {
  const name = `web-${n}`
  const { record } = encodeRecord({
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', uid: `uid-${n}`, labels: labelsOf(n) },
      spec: { padding: 'x'.repeat(700) },
    },
    fields: { 'spec.nodeName': `node-${n % 100}`, 'status.phase': 'Running' },
  })
  const at = key(`${prefix}/default/${name}`)
  const read = decodeRecord(prefix, { key: at, value: record, modRevision: revision(n + 1) })
  assert(read.ok)
  return read.value
}

function labelsOf(n: number): Record<string, string> {
  return { 'app.example.org/name': 'web', 'app.example.org/instance': `i-${n % 100}`, tier: 'front' }
}

function heapBytes(): number {
  assert(globalThis.gc !== undefined)
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

stored(0).labels()
const objects: StoredObject[] = new Array(count)
const before = heapBytes()
for (let n = 0; n < count; n++) objects[n] = stored(n)
const held = heapBytes()
for (const object of objects) object.labels()
const asked = heapBytes()
process.send?.(
  {
    object: Math.round((held - before) / count),
    head: Math.round((asked - held) / count),
    count: objects.length,
  },
  () => process.exit(0),
)
