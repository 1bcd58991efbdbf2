/**
 * Bounds managedFields: when more than ten managers update an object, the oldest updates of each version become one
 * entry, of the manager `ancient-changes`. Appliers are never merged: each would lose its claim.
 */

import { compareTimes, compareWriters, type Entry, withFields, writerId } from './entries.ts'
import { union } from './field-set.ts'

const updateEntriesMax = 10
const ancientManager = 'ancient-changes'

export function capUpdates(entries: readonly Entry[]): readonly Entry[] {
  const updates = entries.filter(({ operation }) => operation === 'Update')
  if (updates.length <= updateEntriesMax) return entries
  updates.sort((a, b) => compareTimes(a.time, b.time) || compareWriters(a, b))
  const left = new Map(entries.map((entry) => [writerId(entry), entry]))
  const firstOfVersion = new Map<string, Entry>()
  let count = updates.length
  for (const entry of updates) {
    if (count <= updateEntriesMax) break
    const first = firstOfVersion.get(entry.apiVersion)
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, entry)
      continue
    }
    mergeIntoBucket(left, first, entry)
    count--
  }
  return [...left.values()]
}

function mergeIntoBucket(left: Map<string, Entry>, first: Entry, entry: Entry): void {
  const writer = {
    manager: ancientManager,
    operation: 'Update',
    apiVersion: entry.apiVersion,
    subresource: '',
  } as const
  const id = writerId(writer)
  let bucket = left.get(id)
  if (bucket === undefined) {
    bucket = { ...first, ...writer }
    left.delete(writerId(first))
  }
  left.delete(writerId(entry))
  // The time of the entry that comes in: it is the more recent one.
  const { stored: _, ...merged } = withFields(bucket, union(entry.fields, bucket.fields))
  left.set(id, { ...merged, time: entry.time })
}
