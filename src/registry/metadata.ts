/**
 * What the server does to an object's metadata: fills in what it decides, keeps what no client may change.
 *
 * Source: specification, "Common envelope and metadata", "States and transitions".
 */

import type { Identifiers } from '../pipeline/identifiers.ts'
import type { ApiObject, ObjectMeta } from '../types/object.ts'

const nameBytesMax = 63
const suffixLength = 5

/** A generated name: the prefix, cut so that the whole stays within a DNS label, and random characters. */
export function generatedName(prefix: string, identifiers: Identifiers): string {
  return prefix.slice(0, nameBytesMax - suffixLength) + identifiers.nameSuffix(suffixLength)
}

interface NewObjectFacts {
  readonly namespace: string
  readonly now: string
  readonly identifiers: Identifiers
  /** The type counts generations. */
  readonly generation: boolean
}

/** What the server decides; the rest of the metadata is the client's. */
const systemFields: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] satisfies (keyof ObjectMeta)[])

/** In the order in which clients know metadata: name, namespace, uid, generation, times, then the rest. */
export function fillNewMetadata(object: ApiObject, facts: NewObjectFacts): void {
  const given = object.metadata
  const filled: ObjectMeta = {}
  if (given.name !== undefined && given.name !== '') filled.name = given.name
  if (given.generateName !== undefined && given.generateName !== '') filled.generateName = given.generateName
  if (facts.namespace !== '') filled.namespace = facts.namespace
  filled.uid = facts.identifiers.uuid()
  if (facts.generation) filled.generation = 1
  filled.creationTimestamp = facts.now
  copyRest(filled, given)
  object.metadata = filled
}

/**
 * Server-owned metadata of an update: absent values are the stored ones, times and counters always are. What remains
 * different is for validation to refuse.
 */
export function keepSystemMetadata(object: ApiObject, old: ApiObject): void {
  const kept = old.metadata
  const given = object.metadata
  const filled: ObjectMeta = {}
  if (given.name !== undefined) filled.name = given.name
  set(filled, 'generateName', given.generateName || undefined)
  // Of what has no namespace, another says nothing.
  if (kept.namespace !== undefined) filled.namespace = given.namespace || kept.namespace
  set(filled, 'uid', given.uid || kept.uid)
  set(filled, 'resourceVersion', kept.resourceVersion)
  set(filled, 'generation', kept.generation)
  set(filled, 'creationTimestamp', kept.creationTimestamp)
  set(filled, 'deletionTimestamp', kept.deletionTimestamp ?? given.deletionTimestamp)
  set(
    filled,
    'deletionGracePeriodSeconds',
    given.deletionGracePeriodSeconds ?? kept.deletionGracePeriodSeconds,
  )
  copyRest(filled, given)
  object.metadata = filled
}

function set<K extends keyof ObjectMeta>(
  target: ObjectMeta,
  field: K,
  value: ObjectMeta[K] | undefined,
): void {
  if (value !== undefined) target[field] = value
}

/** The client's fields, in its order. */
function copyRest(target: ObjectMeta, given: ObjectMeta): void {
  for (const field of Object.keys(given) as (keyof ObjectMeta)[]) {
    if (!systemFields.has(field)) set(target, field, given[field])
  }
}

/** Deletion has begun. */
export function isTerminating(object: ApiObject): boolean {
  return (object.metadata.deletionTimestamp ?? '') !== ''
}

export function hasFinalizers(object: ApiObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0
}
