/** What clients are warned of in the metadata of a custom resource: finalizers that others may use by accident. */

import type { ApiObject } from '../../types/object.ts'

const standard: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion'])

/** Of the finalizers that the change adds; `old` undefined = the object is new. */
export function finalizerWarnings(object: ApiObject, old: ApiObject | undefined): readonly string[] {
  const { finalizers } = object.metadata
  if (finalizers === undefined) return []
  const before = new Set(old?.metadata.finalizers)
  return [...new Set(finalizers)]
    .filter((one) => !before.has(one) && !one.includes('/') && !standard.has(one))
    .sort()
    .map(
      (one) =>
        `metadata.finalizers: ${JSON.stringify(one)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    )
}
