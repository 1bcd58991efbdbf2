/** Fields that an apply would take from others, and the answer that says so. */

import type { ApiFailure, Cause } from '../status/status.ts'
import { describePath } from './element.ts'
import { compareWriters, type Entry, type Writer } from './entries.ts'
import { type FieldSet, pathsOf } from './field-set.ts'

/** One field of one other owner. */
export interface FieldConflict extends Writer {
  /** As people write it: `.spec.template.spec.containers[name="web"].image`. */
  readonly field: string
  /** When its owner last wrote, RFC 3339. */
  readonly time: string | undefined
}

/** What one other owner would lose. */
export interface Claim {
  readonly entry: Entry
  readonly fields: FieldSet
}

/** By owner, then by path. */
export function conflictsOf(claims: readonly Claim[]): readonly FieldConflict[] {
  return claims
    .toSorted((a, b) => compareWriters(a.entry, b.entry))
    .flatMap(({ entry, fields }) => {
      const { manager, operation, apiVersion, subresource, time } = entry
      const writer = { manager, operation, apiVersion, subresource, time }
      return pathsOf(fields).map((path) => ({ field: describePath(path), ...writer }))
    })
}

/** `"web-controller" with subresource "status" using apps/v1`; an applier is known by its name alone. */
function describeManager({ manager, operation, apiVersion, subresource }: Writer): string {
  const name = JSON.stringify(manager)
  const place = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`
  return operation === 'Update' ? `${name}${place} using ${apiVersion}` : `${name}${place}`
}

/** The 409 of an apply without force. */
export function conflictFailure(conflicts: readonly FieldConflict[]): ApiFailure {
  const causes: Cause[] = conflicts.map((conflict) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${describeManager(conflict)}`,
    field: conflict.field,
  }))
  return { reason: 'Conflict', message: conflictMessage(conflicts), details: { causes } }
}

function conflictMessage(conflicts: readonly FieldConflict[]): string {
  const [only] = conflicts
  if (conflicts.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${describeManager(only)}: ${only.field}`
  }
  const lines: string[] = []
  let current = ''
  for (const conflict of conflicts) {
    const manager = describeManager(conflict)
    if (manager !== current) lines.push(`conflicts with ${manager}:`)
    current = manager
    lines.push(`- ${conflict.field}`)
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}
