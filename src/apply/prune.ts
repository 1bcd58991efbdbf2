/**
 * What a manager applied last time and leaves out now goes away, unless somebody else owns it. Three steps, all on
 * the object with the new body merged in:
 *
 * 1. take out everything that the manager applied last time;
 * 2. bring back what anybody owns now (the manager's new body among them);
 * 3. of what is still missing, take out only what the manager itself owned: things that nobody owns (defaults of the
 *    server, for one) stay where their parent stays.
 *
 * Source: specification, "Server-side apply" (fields without remaining owners).
 */

import type { JsonObject } from '../json.ts'
import { self } from './element.ts'
import {
  difference,
  type FieldSet,
  hasParts,
  intersection,
  isEmptySet,
  isMember,
  isSubset,
  union,
} from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import { removeFields } from './remove.ts'
import { deduced, type Shape, type StructShape } from './shape.ts'

/** Fields that somebody owns, as the version in which they are written. */
interface Owned {
  readonly apiVersion: string
  readonly fields: FieldSet
}

/** An object with the shape of its version. */
export interface Versioned {
  readonly object: JsonObject
  readonly shape: StructShape
}

interface PruneRequest {
  /** Live object with the body merged in, in the version of the request. */
  readonly merged: Versioned
  readonly apiVersion: string
  /** What the manager owned by its last apply. */
  readonly last: Owned
  /** What everybody owns, the manager's new body included and its last one not. */
  readonly owned: readonly Owned[]
  /** The object in another version; undefined = that version is not served any more. */
  convert(versioned: Versioned, apiVersion: string): Versioned | undefined
}

export function prune({ merged, apiVersion, last, owned, convert }: PruneRequest): JsonObject {
  const inSame = ownedIn(owned, apiVersion)
  if (isEmptySet(last.fields)) return merged.object
  if (last.apiVersion === apiVersion && isSubset(last.fields, inSame)) return merged.object
  const base = last.apiVersion === apiVersion ? merged : convert(merged, last.apiVersion)
  if (base === undefined) return merged.object
  const lastFields = withNamedFields(base.shape, last.fields)
  let pruned: Versioned = { ...base, object: removeFields(base.shape, base.object, lastFields) }
  if (pruned.object === base.object) return merged.object
  let full = base
  for (const version of versionsOf(owned, last.apiVersion)) {
    const fullThere = inVersion(full, version.from, version.to, convert)
    const prunedThere = inVersion(pruned, version.from, version.to, convert)
    if (fullThere === undefined || prunedThere === undefined) continue
    full = fullThere
    pruned = { ...fullThere, object: bringBack(fullThere, prunedThere.object, ownedIn(owned, version.to)) }
  }
  const prunedInBase = pruned.shape === base.shape ? pruned : convert(pruned, last.apiVersion)
  if (prunedInBase === undefined) return merged.object
  const all = namedFieldsOf(base, base.object)
  const left = namedFieldsOf(base, prunedInBase.object)
  const gone = intersection(difference(all, left), lastFields)
  const result = { ...base, object: removeFields(base.shape, base.object, gone) }
  if (result.object === base.object) return merged.object
  return last.apiVersion === apiVersion
    ? result.object
    : (convert(result, apiVersion)?.object ?? merged.object)
}

/** The versions to look at: first the one of the last apply, then the others, each from the one before. */
function versionsOf(
  owned: readonly Owned[],
  first: string,
): readonly { readonly from: string; readonly to: string }[] {
  const others = new Set(owned.map(({ apiVersion }) => apiVersion))
  const order = others.has(first) ? [first] : []
  others.delete(first)
  order.push(...[...others].sort())
  return order.map((to, index) => ({ from: index === 0 ? first : (order[index - 1] ?? first), to }))
}

function inVersion(
  versioned: Versioned,
  from: string,
  to: string,
  convert: PruneRequest['convert'],
): Versioned | undefined {
  return from === to ? versioned : convert(versioned, to)
}

function ownedIn(owned: readonly Owned[], apiVersion: string): FieldSet {
  return owned.reduce<FieldSet>(
    (all, each) => (each.apiVersion === apiVersion ? union(all, each.fields) : all),
    {},
  )
}

function bringBack(full: Versioned, pruned: JsonObject, owned: FieldSet): JsonObject {
  const keep = union(namedFieldsOf(full, pruned), withNamedFields(full.shape, owned))
  return removeFields(full.shape, full.object, difference(namedFieldsOf(full, full.object), keep))
}

function namedFieldsOf({ shape }: Versioned, object: JsonObject): FieldSet {
  return withNamedFields(shape, fieldSetOf(shape, object))
}

/**
 * The set, and every field of a message on the way to a member: to own `spec.replicas` is a reason to keep `spec`.
 * Keys of maps and items of lists are kept by their own owners only.
 */
function withNamedFields(shape: Shape, set: FieldSet): FieldSet {
  const out: Record<string, FieldSet> = {}
  let changed = false
  for (const element in set) {
    const node = set[element]
    if (node === undefined) continue
    if (element === self || !hasParts(node)) {
      out[element] = node
      continue
    }
    const field = shape.kind === 'struct' ? shape.fields.get(element.slice(2)) : undefined
    const parts = withNamedFields(field?.shape ?? unnamedPart(shape), node)
    const isNamed = field !== undefined && !isMember(parts) && !isIdentity(field.shape)
    const named = isNamed ? { [self]: {}, ...parts } : parts
    if (named !== node) changed = true
    out[element] = named
  }
  return changed ? out : set
}

/** The object's own metadata: it stays with the object, whoever gives up the last label in it. */
function isIdentity(shape: Shape): boolean {
  return shape.kind === 'struct' && !shape.selfTracked
}

function unnamedPart(shape: Shape): Shape {
  switch (shape.kind) {
    case 'struct':
      return shape.others ?? deduced
    case 'map':
      return shape.value
    case 'list':
      return shape.item
    default:
      return deduced
  }
}
