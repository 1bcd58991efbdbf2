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

export interface NewObjectFacts {
  readonly namespace: string
  readonly now: string
  readonly identifiers: Identifiers
  /** The type counts generations. */
  readonly generation: boolean
}

/** In the order in which clients know metadata: name, namespace, uid, generation, times, then the rest. */
export function fillNewMetadata(object: ApiObject, facts: NewObjectFacts): void {
  const {
    name,
    generateName,
    namespace: _namespace,
    uid: _uid,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...rest
  } = object.metadata
  object.metadata = {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(generateName === undefined || generateName === '' ? {} : { generateName }),
    ...(facts.namespace === '' ? {} : { namespace: facts.namespace }),
    uid: facts.identifiers.uuid(),
    ...(facts.generation ? { generation: 1 } : {}),
    creationTimestamp: facts.now,
    ...rest,
  }
}

/** Server-owned metadata of an update: absent values are the stored ones, times and counters always are. */
export function keepSystemMetadata(object: ApiObject, old: ApiObject): void {
  const kept = old.metadata
  const {
    name,
    generateName,
    namespace,
    uid,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _created,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    selfLink: _link,
    ...rest
  } = object.metadata
  const deletion = kept.deletionTimestamp ?? deletionTimestamp
  const grace = kept.deletionGracePeriodSeconds ?? deletionGracePeriodSeconds
  const originalPrefix = kept.generateName ?? generateName
  object.metadata = {
    ...(name === undefined ? {} : { name }),
    ...(originalPrefix === undefined ? {} : { generateName: originalPrefix }),
    ...either('namespace', namespace, kept.namespace),
    ...either('uid', uid, kept.uid),
    ...(kept.resourceVersion === undefined ? {} : { resourceVersion: kept.resourceVersion }),
    ...(kept.generation === undefined ? {} : { generation: kept.generation }),
    ...(kept.creationTimestamp === undefined ? {} : { creationTimestamp: kept.creationTimestamp }),
    ...(deletion === undefined ? {} : { deletionTimestamp: deletion }),
    ...(grace === undefined ? {} : { deletionGracePeriodSeconds: grace }),
    ...rest,
  }
}

function either(field: 'namespace' | 'uid', given: string | undefined, kept: string | undefined): ObjectMeta {
  const value = given === undefined || given === '' ? kept : given
  return value === undefined ? {} : { [field]: value }
}

/** Deletion has begun. */
export function isTerminating(object: ApiObject): boolean {
  return (object.metadata.deletionTimestamp ?? '') !== ''
}

export function hasFinalizers(object: ApiObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0
}
