/**
 * What the garbage collector knows of an object: who owns it, and whether it is being deleted, in which way. Read from
 * the stored bytes; objects without either are told apart by a search of bytes, without a parse.
 *
 * Source: specification, "States and transitions"; ownerReferences and the finalizers `foregroundDeletion` and `orphan`
 * of the Kubernetes API.
 */

import type { Key, KeyValue } from '../../../store/contract.ts'
import { isTerminating } from '../../registry/metadata.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../registry/metadata-validation.ts'
import type { ObjectName } from '../../storage/contract.ts'
import { nameOfKey } from '../../storage/keys.ts'
import { decodeRecord, parseObject } from '../../storage/record.ts'
import type { ApiObject } from '../../types/object.ts'

/**
 * `foreground`: waits for its dependents to go. `orphaning`: waits for its dependents to be let go. `ending`: waits for
 * something that is not the collector's.
 */
type Phase = 'live' | 'ending' | 'foreground' | 'orphaning'

/** A reference from a dependent to its owner. */
export interface Reference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  /** The owner's foreground deletion waits for this dependent. */
  readonly blocks: boolean
}

export interface Item {
  readonly uid: string
  readonly phase: Phase
  readonly references: readonly Reference[]
}

/** What stands in every object that has owners or is on its way out. Not from the quote on: it would be found everywhere. */
const marks = [Buffer.from('ownerReferences":['), Buffer.from('deletionTimestamp":"')]

/** Nobody owns events, and they own nothing; they are the most there are. */
const events = ['core/events/', 'events/events/']

/** False = neither owned nor being deleted. True may be wrong: the words may stand elsewhere. */
export function mayConcern({ key, value }: Pick<KeyValue, 'key' | 'value'>): boolean {
  return marks.some((mark) => value.includes(mark)) && !events.some((prefix) => key.startsWith(prefix))
}

/** Undefined = nothing that the collector would care for. */
export function itemOf(entry: KeyValue): Item | undefined {
  const prefix = prefixOfKey(entry.key)
  if (prefix === undefined) return undefined
  const record = decodeRecord(prefix, entry)
  if (!record.ok) return undefined
  const item = itemOfObject(parseObject(record.value))
  return item.references.length > 0 || item.phase !== 'live' ? item : undefined
}

export function itemOfObject({ metadata }: Pick<ApiObject, 'metadata'>): Item {
  const references = (metadata.ownerReferences ?? []).map(
    ({ apiVersion, kind, name, uid, blockOwnerDeletion }) => ({
      apiVersion,
      kind,
      name,
      uid,
      blocks: blockOwnerDeletion === true,
    }),
  )
  return { uid: metadata.uid ?? '', phase: phaseOf({ metadata }), references }
}

function phaseOf({ metadata }: Pick<ApiObject, 'metadata'>): Phase {
  if (!isTerminating({ apiVersion: '', kind: '', metadata })) return 'live'
  const finalizers = metadata.finalizers ?? []
  if (finalizers.includes(foregroundFinalizer)) return 'foreground'
  return finalizers.includes(orphanFinalizer) ? 'orphaning' : 'ending'
}

/** `<group>/<plural>`; undefined = not the key of an object. */
export function prefixOfKey(key: Key): string | undefined {
  const [group, plural, name] = key.split('/', 3)
  return group === undefined || plural === undefined || name === undefined ? undefined : `${group}/${plural}`
}

/** Namespace and name of the object that a storage key is of. */
export function objectNameOfKey(key: Key): ObjectName {
  const prefix = prefixOfKey(key)
  if (prefix === undefined) throw new TypeError(`not the key of an object: ${key}`)
  return nameOfKey(prefix, key)
}
