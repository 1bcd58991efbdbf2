/**
 * What a write changed: the fields that are new, have another value, or are gone. Lists that are maps or sets are
 * compared item by item, whatever their order.
 *
 * Keys that stand more than once in one list (objects stored before a key was unique, or checked nowhere) are
 * compared together, as one value.
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { own } from '../own.ts'
import { sameJson } from '../same-json.ts'
import { fieldElement } from './element.ts'
import { isList, sameValue } from './equality.ts'
import { emptySet, type FieldSet, isEmptySet, recursiveDifference } from './field-set.ts'
import { itemsByElement } from './list-items.ts'
import { createSetBuilder, type SetBuilder } from './set-builder.ts'
import { deduced, type ListShape, type MapShape, type Shape, type StructShape } from './shape.ts'

export interface Changes {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

export interface Incomparable {
  /** Where and why. */
  readonly message: string
}

const noChanges: Changes = { added: emptySet, modified: emptySet, removed: emptySet }

interface Walk {
  readonly added: SetBuilder
  readonly modified: SetBuilder
  readonly removed: SetBuilder
  /** Steps to where the walk is. */
  readonly path: string[]
  problem: string | undefined
}

/** Fails when items of a list cannot be told apart in one of the two. */
export function compareObjects(
  shape: StructShape,
  before: JsonObject,
  after: JsonObject,
): Result<Changes, Incomparable> {
  if (before === after) return ok(noChanges)
  const walk: Walk = {
    added: createSetBuilder(),
    modified: createSetBuilder(),
    removed: createSetBuilder(),
    path: [],
    problem: undefined,
  }
  compareStruct(walk, shape, before, after)
  if (walk.problem !== undefined) return fail({ message: walk.problem })
  return ok({ added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() })
}

export function isUnchanged({ added, modified, removed }: Changes): boolean {
  return isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed)
}

/** The changes outside `ignored` (a member stands for everything below it). */
export function withoutFields(changes: Changes, ignored: FieldSet): Changes {
  if (isEmptySet(ignored)) return changes
  return {
    added: recursiveDifference(changes.added, ignored),
    modified: recursiveDifference(changes.modified, ignored),
    removed: recursiveDifference(changes.removed, ignored),
  }
}

/** Compares two values of which at least one is there, with `walk.path` leading to them. */
function compareValue(
  walk: Walk,
  shape: Shape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  if (before === after) return
  switch (shape.kind) {
    case 'untracked':
      return
    case 'leaf':
      compareWhole(walk, shape, before, after)
      return
    case 'struct':
      compareStruct(walk, shape, before, after)
      return
    case 'map':
      compareMap(walk, shape, before, after)
      return
    case 'list':
      compareList(walk, shape, before, after)
      return
    case 'deduced':
      if (becomesAnother(before, after)) {
        compareEntries(walk, deducedMap, before, after)
        walk.modified.insert(walk.path, walk.path.length)
      } else if (isObjectOrNothing(before) && isObjectOrNothing(after))
        compareMap(walk, deducedMap, before, after)
      else compareWhole(walk, shape, before, after)
      return
  }
}

/** Where anything may stand: an object takes the place of a list or a single value, or the other way round. */
function becomesAnother(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === undefined || before === null || after === undefined || after === null) return false
  return isJsonObject(before) !== isJsonObject(after)
}

const deducedMap: MapShape = { kind: 'map', atomic: false, value: deduced }

function isObjectOrNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || isJsonObject(value)
}

function compareWhole(
  walk: Walk,
  shape: Shape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  if (before === undefined) walk.added.insert(walk.path, walk.path.length)
  else if (after === undefined) walk.removed.insert(walk.path, walk.path.length)
  else if (!sameValue(shape, before, after)) walk.modified.insert(walk.path, walk.path.length)
}

/** After its parts: the thing itself came or went. */
function compareSelf(walk: Walk, before: JsonValue | undefined, after: JsonValue | undefined): void {
  if (before === undefined) walk.added.insert(walk.path, walk.path.length)
  else if (after === undefined) walk.removed.insert(walk.path, walk.path.length)
}

const nothing: JsonObject = {}

function hasFields(value: JsonValue | undefined): boolean {
  if (isJsonObject(value)) for (const name in value) if (value[name] !== undefined) return true
  return false
}

/** True when a value has no parts to compare one by one: it is owned whole, is no object, or both are empty. */
function isWhole(atomic: boolean, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return (
    atomic ||
    !isObjectOrNothing(before) ||
    !isObjectOrNothing(after) ||
    (!hasFields(before) && !hasFields(after))
  )
}

function compareStruct(
  walk: Walk,
  shape: StructShape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  if (shape.isOpen && !shape.atomic && becomesAnother(before, after)) {
    compareFields(walk, shape, before, after)
    walk.modified.insert(walk.path, walk.path.length)
    return
  }
  if (isWhole(shape.atomic, before, after)) {
    if (shape.selfTracked) compareWhole(walk, shape, before, after)
    return
  }
  compareFields(walk, shape, before, after)
  if (shape.selfTracked) compareSelf(walk, before, after)
}

function compareFields(
  walk: Walk,
  shape: StructShape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  const old = isJsonObject(before) ? before : nothing
  const now = isJsonObject(after) ? after : nothing
  for (const name in now) compareField(walk, shape, name, own(old, name), now[name])
  for (const name in old) {
    if (own(now, name) === undefined) compareField(walk, shape, name, old[name], undefined)
  }
}

function compareField(
  walk: Walk,
  shape: StructShape,
  name: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  if (before === after) return
  const field = shape.fields.get(name)
  walk.path.push(field?.element ?? fieldElement(name))
  compareValue(walk, field?.shape ?? shape.others ?? deduced, before, after)
  walk.path.pop()
}

function compareMap(
  walk: Walk,
  shape: MapShape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  if (isWhole(shape.atomic, before, after)) {
    compareWhole(walk, shape, before, after)
    return
  }
  compareEntries(walk, shape, before, after)
  compareSelf(walk, before, after)
}

function compareEntries(
  walk: Walk,
  shape: MapShape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  const old = isJsonObject(before) ? before : nothing
  const now = isJsonObject(after) ? after : nothing
  for (const name in now) compareEntry(walk, shape.value, name, own(old, name), now[name])
  for (const name in old) {
    if (own(now, name) === undefined) compareEntry(walk, shape.value, name, old[name], undefined)
  }
}

function compareEntry(
  walk: Walk,
  shape: Shape,
  name: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  if (before === after) return
  walk.path.push(fieldElement(name))
  compareValue(walk, shape, before, after)
  walk.path.pop()
}

function compareList(
  walk: Walk,
  shape: ListShape,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  const old = isList(before) ? before : []
  const now = isList(after) ? after : []
  if (shape.type === 'atomic' || (old.length === 0 && now.length === 0)) {
    compareWhole(walk, shape, before, after)
    return
  }
  if (before !== undefined && after !== undefined && sameJson(old, now)) return
  compareItems(walk, shape, old, now)
  compareSelf(walk, before, after)
}

function compareItems(
  walk: Walk,
  shape: ListShape,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): void {
  const old = itemsByElement(shape, before)
  const now = itemsByElement(shape, after)
  if (!old.ok || !now.ok) {
    walk.problem ??= !old.ok ? old.failure : !now.ok ? now.failure : undefined
    return
  }
  for (const [element, items] of now.value) {
    compareSameItems(walk, shape, element, old.value.get(element) ?? [], items)
  }
  for (const [element, items] of old.value) {
    if (!now.value.has(element)) compareSameItems(walk, shape, element, items, [])
  }
}

/** The items of one key, before and after: one each as a rule, more when the list has duplicates. */
function compareSameItems(
  walk: Walk,
  shape: ListShape,
  element: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): void {
  walk.path.push(element)
  const depth = walk.path.length
  if (before.length <= 1 && after.length <= 1) {
    compareValue(walk, shape.item, before[0], after[0])
  } else if (before.length > 1 && after.length > 1) {
    if (!sameJson(before, after)) walk.modified.insert(walk.path, depth)
  } else if (before.length > 1) {
    if (after.length === 1) compareValue(walk, shape.item, undefined, after[0])
    walk.removed.insert(walk.path, depth)
  } else {
    if (before.length === 1) compareValue(walk, shape.item, before[0], undefined)
    walk.added.insert(walk.path, depth)
  }
  walk.path.pop()
}
